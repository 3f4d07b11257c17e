"""A filter is a `where` turned into a test of one collection's rows; an order sorts by the same properties."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from environment.apps.kit import Call
from environment.apps.xero.refusals import invalid_query
from environment.query.grammar import QueryError
from environment.query.xero_where import Asked, Comparison, Flag, Guid, Member, Moment, Not, Term, parse
from environment.world import Row

Kind = Literal["String", "Decimal", "DateTime", "Guid", "Boolean"]


@dataclass(frozen=True, slots=True)
class Property:
    """What a filter may ask of a row."""

    kind: Kind
    read: Callable[[Call, Any], Any]
    """String and Guid: text or None; Decimal; DateTime: ISO to the second or None; Boolean."""


Properties = Mapping[str, Property]
"""Dotted name in lower case -> property."""
Test = Callable[[Any], bool]

_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_KINDS: Mapping[type, Kind] = {str: "String", Decimal: "Decimal", Moment: "DateTime", Guid: "Guid", bool: "Boolean"}
_ASKED: Mapping[str, Callable[[str, str], bool]] = {
    "contains": operator.contains,
    "startswith": str.startswith,
    "endswith": str.endswith,
}
_CASES: Mapping[str, Callable[[str], str]] = {"tolower": str.lower, "toupper": str.upper, "": str}


def properties(**kinds: tuple[Kind, str]) -> dict[str, Property]:
    """Properties of fields of the row itself: `AmountDue=("Decimal", "AmountDue")`."""
    return {name.lower(): Property(kind, _reader(kind, field)) for name, (kind, field) in kinds.items()}


def matching(call: Call, rows: Sequence[Row], where: str, noun: str, known: Properties) -> list[Row]:
    """The rows that a `where` admits. Raises the refusal of one that can't be read or asks for what there isn't."""
    try:
        term = parse(where)
    except QueryError as error:
        raise invalid_query(error.message) from None
    test = _Compiler(call, noun, known).test(term)
    return [row for row in rows if test(row)]


def in_order(call: Call, rows: list[Row], order: str, noun: str, known: Properties) -> list[Row]:
    """The rows sorted as `Date DESC, InvoiceNumber` says; empty values come first."""
    for part in reversed(order.split(",")[:10]):
        words = part.split()
        if not words or len(words) > 2 or words[-1].lower() not in ("asc", "desc", words[0].lower()):
            raise invalid_query(f"The order '{part.strip()[:80]}' is not valid; write a property and ASC or DESC")
        read = _property(words[0], noun, known).read
        keys = [(value is not None, value) for value in (read(call, row) for row in rows)]
        places = sorted(range(len(rows)), key=lambda at: _sortable(keys[at]), reverse=words[-1].lower() == "desc")
        rows = [rows[at] for at in places]
    return rows


def _sortable(key: tuple[bool, Any]) -> tuple[Any, ...]:
    return key if key[0] else (False,)


@dataclass(frozen=True, slots=True)
class _Compiler:
    call: Call
    noun: str
    known: Properties

    def test(self, term: Term) -> Test:
        if isinstance(term, Comparison):
            return self._comparison(term)
        if isinstance(term, Asked):
            read, ask, text = self._text(term.member), _ASKED[term.method], term.text
            return lambda row: (value := read(row)) is not None and ask(value, text)
        if isinstance(term, Flag):
            return self._comparison(Comparison(term.member, "==", True))
        if isinstance(term, Not):
            negated = self.test(term.term)
            return lambda row: not negated(row)
        tests = [self.test(part) for part in term.terms]
        if term.word == "and":
            return lambda row: all(test(row) for test in tests)
        return lambda row: any(test(row) for test in tests)

    def _comparison(self, term: Comparison) -> Test:
        found = _property(".".join(term.member.path), self.noun, self.known)
        compare, call, read, value = _OPERATORS[term.operator], self.call, found.read, term.value
        if value is None:
            if term.operator not in ("==", "!="):
                raise invalid_query(f"Operator '{term.operator}' incompatible with operand type null")
            empty = term.operator == "=="
            return lambda row: (read(call, row) in (None, "")) is empty
        if value == Moment(""):
            raise invalid_query("Year, Month, and Day parameters describe an un-representable DateTime")
        kind = _KINDS[type(value)]
        if kind != found.kind or (kind in ("Boolean", "Guid") and term.operator not in ("==", "!=")):
            raise invalid_query(
                f"Operator '{term.operator}' incompatible with operand types '{found.kind}' and '{kind}'"
            )
        wanted: Any = value.at if isinstance(value, Moment) else value.text if isinstance(value, Guid) else value
        if kind == "String":
            spelled = self._text(term.member)
            return lambda row: (found := spelled(row)) is not None and compare(found, wanted)
        missed = term.operator == "!="
        return lambda row: missed if (found := read(call, row)) is None else compare(found, wanted)

    def _text(self, member: Member) -> Callable[[Any], str | None]:
        found = _property(".".join(member.path), self.noun, self.known)
        if found.kind != "String":
            raise invalid_query(f"No applicable method exists in type '{found.kind}'")
        call, read, spell = self.call, found.read, _CASES[member.case]
        return lambda row: None if (value := read(call, row)) is None else spell(value)


def _property(name: str, noun: str, known: Properties) -> Property:
    found = known.get(name.lower())
    if found is None:
        raise invalid_query(f"No property or field '{name[:80]}' exists in type '{noun}'")
    return found


def _reader(kind: Kind, field: str) -> Callable[[Call, Any], Any]:
    read = operator.attrgetter(field)
    if kind == "DateTime":
        return lambda call, row: (
            None if (value := read(row)) is None else f"{value[:19]}{'T00:00:00'[len(value) - 10 :]}"
        )
    return lambda call, row: read(row)
