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
from environment.query.xero_where import Asked, Comparison, Flag, Guid, Junction, Member, Moment, Not, Term, parse
from environment.world import Row

Kind = Literal["String", "Decimal", "DateTime", "Guid", "Boolean"]


@dataclass(frozen=True, slots=True)
class Property:
    """What a filter may ask of a row."""

    kind: Kind
    reader: Callable[[Call], Callable[[Any], Any]]
    """For one request, a function of a row: String and Guid give text or None; DateTime ISO to the second or None."""
    depends_on: str | None = None
    """The field that alone decides the value, where there is one and many rows share it."""


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
_CASES: Mapping[str, Callable[[str], str]] = {"tolower": str.lower, "toupper": str.upper}


def properties(**kinds: Kind) -> dict[str, Property]:
    """Properties that are fields of the row itself: `AmountDue="Decimal"`."""
    return {name.lower(): Property(kind, _reader(kind, name)) for name, kind in kinds.items()}


def matching(call: Call, rows: Sequence[Row], where: str, noun: str, known: Properties) -> list[Row]:
    """The rows that a `where` admits. Raises the refusal of one that can't be read or asks for what there isn't."""
    try:
        term = parse(where)
    except QueryError as error:
        raise invalid_query(error.message) from None
    compiler = _Compiler(call, noun, known)
    terms = term.terms if isinstance(term, Junction) and term.word == "and" else (term,)
    found = list(rows)
    for test in [compiler.test(part) for part in terms]:
        found = [row for row in found if test(row)]
    return found


def in_order(call: Call, rows: list[Row], order: str, noun: str, known: Properties) -> list[Row]:
    """The rows sorted as `Date DESC, InvoiceNumber` says; empty values come first."""
    for part in reversed(order.split(",")[:10]):
        words = part.split()
        if not words or len(words) > 2 or words[-1].lower() not in ("asc", "desc", words[0].lower()):
            raise invalid_query(f"The order '{part.strip()[:80]}' is not valid; write a property and ASC or DESC")
        read = _property(words[0], noun, known).reader(call)
        keys = [(value is not None, value) for value in map(read, rows)]
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

            def asked(row: Any) -> bool:
                return (value := read(row)) is not None and ask(value, text)

            shared = _property(".".join(term.member.path), self.noun, self.known).depends_on
            return _once_a_value(asked, shared) if shared else asked
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
        asked = _property(".".join(term.member.path), self.noun, self.known)
        compare, value = _OPERATORS[term.operator], term.value
        if value == Moment(""):
            raise invalid_query("Year, Month, and Day parameters describe an un-representable DateTime")
        kind = "null" if value is None else _KINDS[type(value)]
        ordered = term.operator not in ("==", "!=")
        if kind not in ("null", asked.kind) or (ordered and kind in ("null", "Boolean", "Guid")):
            types = f"'{asked.kind}' and '{kind}'"
            raise invalid_query(f"Operator '{term.operator}' incompatible with operand types {types}")
        read = self._text(term.member) if term.member.case else asked.reader(self.call)
        if value is None:
            empty = term.operator == "=="
            return lambda row: (read(row) in (None, "")) is empty
        wanted: Any = value.at if isinstance(value, Moment) else value.text if isinstance(value, Guid) else value
        if not ordered:
            return lambda row: compare(read(row), wanted)
        return lambda row: (found := read(row)) is not None and compare(found, wanted)

    def _text(self, member: Member) -> Callable[[Any], str | None]:
        asked = _property(".".join(member.path), self.noun, self.known)
        if asked.kind != "String":
            raise invalid_query(f"No applicable method exists in type '{asked.kind}'")
        read = asked.reader(self.call)
        if not member.case:
            return read
        spell = _CASES[member.case]
        return lambda row: None if (value := read(row)) is None else spell(value)


def _once_a_value(test: Test, field: str) -> Test:
    """The same test, which only asks one of all rows that have the same value in a field."""
    found: dict[Any, bool] = {}
    shared = operator.attrgetter(field)

    def answer(row: Any) -> bool:
        value = shared(row)
        if value not in found:
            found[value] = test(row)
        return found[value]

    return answer


def _property(name: str, noun: str, known: Properties) -> Property:
    found = known.get(name.lower())
    if found is None:
        raise invalid_query(f"No property or field '{name[:80]}' exists in type '{noun}'")
    return found


def _reader(kind: Kind, field: str) -> Callable[[Call], Callable[[Any], Any]]:
    read = operator.attrgetter(field)
    if kind == "DateTime":
        return lambda call: lambda row: _to_the_second(read(row))
    return lambda call: read


def _to_the_second(moment: str | None) -> str | None:
    if moment is None:
        return None
    return moment[:19] if len(moment) > 10 else f"{moment}T00:00:00"
