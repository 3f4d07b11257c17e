"""A field is one column of an object in one org: standard, custom, or computed from other records when it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import Any

from environment.apps.kit import Call
from environment.apps.salesforce.columns import Column, columns_of
from environment.apps.salesforce.rows import Campaign, CampaignMember, Contact, CustomField, Lead, SObject

Reading = Callable[[SObject], Any]
"""Value of one field or path for one record."""

_TEXT = Column("string", on_create=False, on_update=False)
_EMAIL = Column("email", on_create=False, on_update=False)
_PHONE = Column("phone", on_create=False, on_update=False)
_COUNT = Column("int", on_create=False, on_update=False)


class Fields:
    """The fields of every object of the org that a call sees; made for one call."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._known: dict[type[SObject], tuple[Mapping[str, Column], Mapping[str, str]]] = {}

    def columns(self, kind: type[SObject]) -> Mapping[str, Column]:
        """All fields of the object by name: standard, computed, custom."""
        return self._of(kind)[0]

    def own_name(self, kind: type[SObject], name: str) -> str | None:
        """The field's own spelling; None when the object has no such field. Salesforce takes names in any case."""
        return self._of(kind)[1].get(name.lower())

    def _of(self, kind: type[SObject]) -> tuple[Mapping[str, Column], Mapping[str, str]]:
        """The object's columns, and their names by their spelling in lower case."""
        known = self._known.get(kind)
        if known is None:
            custom = self._call.tables.where(CustomField, "object", kind.__name__)
            known = self._known[kind] = _with_custom(kind, custom) if custom else _standard(kind)
        return known

    def reading(self, kind: type[SObject], name: str) -> Reading:
        """How the field, given in its own spelling, is read."""
        if name in kind.model_fields:
            return attrgetter(name)
        if name in _COMPUTED.get(kind, {}):
            compute = _COMPUTED[kind][name][1]
            return lambda row: compute(self._call, row)
        column = self.columns(kind)[name]
        return lambda row: _of_type((row.__pydantic_extra__ or {}).get(name), column)

    def read(self, row: SObject, name: str) -> Any:
        """Value of the field, given in its own spelling."""
        return self.reading(type(row), name)(row)


@lru_cache
def _standard(kind: type[SObject]) -> tuple[Mapping[str, Column], Mapping[str, str]]:
    """Columns and names of an object without custom fields."""
    return _with_custom(kind, ())


def _with_custom(kind: type[SObject], custom: Iterable[CustomField]) -> tuple[Mapping[str, Column], Mapping[str, str]]:
    columns = {**columns_of(kind), **{name: column for name, (column, _) in _COMPUTED.get(kind, {}).items()}}
    for field in custom:
        standard = columns.get(field.name)
        columns[field.name] = replace(standard, values=field.values) if standard else field.column
    return columns, {name.lower(): name for name in columns}


def _of_type(value: Any, column: Column) -> Any:
    """A custom field's value, or None when the world holds one of another type than the org declares."""
    if column.kind == "boolean":
        return value is True
    if column.kind in ("double", "currency", "percent", "int"):
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None
    return value if isinstance(value, str) else None


def _of_person(name: str) -> Callable[[Call, Any], Any]:
    """A field of the contact or lead behind a campaign member."""

    def compute(call: Call, member: CampaignMember) -> Any:
        contact = call.tables.find(Contact, member.ContactId or "")
        if contact is not None:
            return getattr(contact, name)
        return getattr(call.tables.find(Lead, member.LeadId or ""), name, None)

    return compute


def _count(wanted: Callable[[CampaignMember], bool]) -> Callable[[Call, Any], int]:
    def compute(call: Call, campaign: Campaign) -> int:
        return sum(map(wanted, call.tables.where(CampaignMember, "CampaignId", campaign.Id)))

    return compute


_COMPUTED: dict[type[SObject], dict[str, tuple[Column, Callable[[Call, Any], Any]]]] = {
    CampaignMember: {
        "Name": (_TEXT, _of_person("Name")),
        "FirstName": (_TEXT, _of_person("FirstName")),
        "LastName": (_TEXT, _of_person("LastName")),
        "Title": (_TEXT, _of_person("Title")),
        "Email": (_EMAIL, _of_person("Email")),
        "Phone": (_PHONE, _of_person("Phone")),
    },
    Campaign: {
        "NumberOfContacts": (_COUNT, _count(lambda member: member.ContactId is not None)),
        "NumberOfLeads": (_COUNT, _count(lambda member: member.ContactId is None)),
        "NumberOfResponses": (_COUNT, _count(lambda member: member.HasResponded)),
    },
}
