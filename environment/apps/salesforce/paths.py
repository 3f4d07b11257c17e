"""A path is how a query names a value: a field, or relationships to follow first, as in Account.Owner.Name."""

from __future__ import annotations

from functools import cache
from typing import Any

from environment.apps.kit import Call
from environment.apps.salesforce.columns import Column, columns_of, relationship, spellings_of
from environment.apps.salesforce.fields import Fields, Reading
from environment.apps.salesforce.ids import kind_of
from environment.apps.salesforce.refusal import Refusal
from environment.apps.salesforce.rows import OBJECT_NAMES, SObject
from environment.query.soql import Path

MAX_PATH = 6
"""Five relationships up, then the field."""
_HINT = "Please reference your WSDL or the describe call for the appropriate names."


class Paths:
    """Resolves the paths of one query, once for all records."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self.fields = Fields(call)

    def resolve(self, path: Path, kind: type[SObject]) -> tuple[Reading, Column]:
        """How the path is read from a record of this kind, and the column that it ends in."""
        if len(path) > MAX_PATH:
            raise Refusal(400, "INVALID_FIELD", "a relationship path may have at most five relationships")
        if len(path) == 1:
            name = self.name(path[0], kind)
            return self.fields.reading(kind, name), self.fields.columns(kind)[name]
        _, targets, field = self.relation(path[0], kind)
        ends = {target.__name__: self.end(path[1:], target) for target in targets}
        known = {name: end for name, end in ends.items() if end is not None}
        if not known:
            raise _unknown_column(path[-1], targets[0].__name__ if len(targets) == 1 else "Name")

        @cache
        def value(target_id: str | None) -> Any:
            target = self.find(target_id)
            end = known.get(type(target).__name__)
            return end[0](target) if end is not None and target is not None else None

        return (lambda row: value(getattr(row, field))), next(iter(known.values()))[1]

    def name(self, name: str, kind: type[SObject]) -> str:
        """The field's own spelling; refused when the object has no such field."""
        found = self.fields.own_name(kind, name)
        if found is None:
            raise _unknown_column(name, kind.__name__)
        return found

    def relation(self, name: str, kind: type[SObject]) -> tuple[str, list[type[SObject]], str]:
        """A relationship's own spelling, the objects it may lead to, and the field that holds the id."""
        found = self._relation_name(name, kind)
        if found is None:
            raise Refusal(
                400,
                "INVALID_FIELD",
                f"Didn't understand relationship '{name[:80]}' in field path. If you are attempting to use a custom "
                f"relationship, be sure to append the '__r' after the custom relationship name. {_HINT}",
            )
        field = f"{found}Id"
        return found, [OBJECT_NAMES[target.lower()] for target in columns_of(kind)[field].refers], field

    def end(self, path: Path, kind: type[SObject]) -> tuple[Reading, Column] | None:
        """The rest of a path at one of the objects that it may have led to; None when this object has no such end."""
        if len(path) > 1:
            return self.resolve(path, kind) if self._relation_name(path[0], kind) else None
        own = self.fields.own_name(kind, path[0])
        if own is None and path[0].lower() == "type":
            return (lambda row: type(row).__name__), Column("string")
        if own is None and path[0].lower() == "name":
            own = kind.name_field
        return self.resolve((own,), kind) if own else None

    def find(self, record_id: str | None) -> SObject | None:
        """The record that a reference field leads to."""
        kind = OBJECT_NAMES.get((kind_of(record_id) or "").lower()) if record_id else None
        return self._call.tables.find(kind, record_id) if kind and record_id else None

    def _relation_name(self, name: str, kind: type[SObject]) -> str | None:
        field = spellings_of(kind).get(f"{name.lower()}id")
        return relationship(field) if field and columns_of(kind)[field].refers else None


def find_queried(name: str) -> type[SObject]:
    """The object that a query names; refused in a query's words when there is none."""
    found = OBJECT_NAMES.get(name.strip().lower())
    if found is None:
        raise Refusal(
            400,
            "INVALID_TYPE",
            f"sObject type '{name[:80]}' is not supported. If you are attempting to use a custom object, be sure to "
            f"append the '__c' after the entity name. {_HINT}",
        )
    return found


def _unknown_column(name: str, kind: str) -> Refusal:
    return Refusal(
        400,
        "INVALID_FIELD",
        f"No such column '{name[:80]}' on entity '{kind}'. If you are attempting to use a custom field, be sure to "
        f"append the '__c' after the custom field name. {_HINT}",
    )
