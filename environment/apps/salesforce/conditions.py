"""A condition is the WHERE of a query, turned into a test that a record passes or fails."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from datetime import date, datetime, time
from typing import Any

from environment.apps.kit import Call
from environment.apps.salesforce.columns import Column, columns_of
from environment.apps.salesforce.fields import Reading
from environment.apps.salesforce.ids import read_id
from environment.apps.salesforce.moments import spell_moment
from environment.apps.salesforce.paths import Paths, find_queried
from environment.apps.salesforce.periods import days_of
from environment.apps.salesforce.refusal import Refusal
from environment.apps.salesforce.rows import SObject
from environment.query import soql
from environment.query.soql import Aggregate, Comparison, Condition, Junction, Membership, Not, Path, Query
from environment.query.wildcards import like

Filter = Callable[[list[Any]], list[Any]]
"""The records or groups of a list that pass, in their order. Lists, because a call per record would cost the most."""
_NUMBERS = ("double", "currency", "percent", "int")
_TEXTS = ("string", "email", "phone", "url", "picklist")
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge
}  # fmt: skip


class Conditions:
    """The conditions of one query."""

    def __init__(self, call: Call, paths: Paths) -> None:
        self._call, self._paths = call, paths

    def matching(self, where: Condition | None, kind: type[SObject]) -> list[SObject]:
        """The object's records that satisfy the condition, in their order."""
        tables = self._call.tables
        if where is None:
            return tables.all(kind)
        passing = self.filter(where, kind)
        candidates = self._demanded(where, kind)
        return passing(tables.all(kind) if candidates is None else candidates)

    def filter(self, node: Condition, kind: type[SObject]) -> Filter:
        """The condition as a filter; refused when a field is unknown or a value of the wrong type."""
        if isinstance(node, Junction):
            return (_all if node.word == "and" else _any)([self.filter(operand, kind) for operand in node.operands])
        if isinstance(node, Not):
            return _others(self.filter(node.operand, kind))
        read, column = self.resolve(node.of, kind)
        if column.kind == "textarea":
            raise Refusal(400, "INVALID_FIELD", f"field '{_shown(node.of)}' can not be filtered in a query call")
        if isinstance(node, Membership):
            return self._membership(node, read, column)
        if node.operator == "like":
            return _like(node, read, column)
        if isinstance(node.value, soql.Period):
            return self._within(node.value, node.operator, read, column, node.of)
        return _compared(node, read, column)

    def resolve(self, of: Path | Aggregate, kind: type[SObject]) -> tuple[Callable[[Any], Any], Column]:
        """How what is compared is read, and its column."""
        if isinstance(of, Aggregate):
            raise Refusal(400, "MALFORMED_QUERY", "an aggregate is compared in HAVING only")
        return self._paths.resolve(of, kind)

    def _demanded(self, node: Condition, kind: type[SObject]) -> list[SObject] | None:
        """The records that an equation with an id leaves, found by look-up; None when there is no such equation."""
        if isinstance(node, Junction) and node.word == "and":
            demanded = (self._demanded(operand, kind) for operand in node.operands)
            return next((rows for rows in demanded if rows is not None), None)
        if not isinstance(node, Comparison) or node.operator != "=" or not isinstance(node.value, str):
            return None
        name = self._paths.name(node.of[0], kind) if isinstance(node.of, tuple) and len(node.of) == 1 else ""
        if name not in kind.model_fields or columns_of(kind)[name].kind not in ("id", "reference"):
            return None
        record_id = read_id(node.value)
        return self._call.tables.where(kind, name, record_id) if record_id else None

    def _membership(self, node: Membership, read: Reading, column: Column) -> Filter:
        if isinstance(node.values, Query):
            wanted = self._semi_join(node.values)
        else:
            wanted = set(_folded([_operand(value, column, node.of) for value in node.values], column))
        negated = node.negated
        return lambda rows: [row for row, value in _valued(rows, read, column) if (value in wanted) is not negated]

    def _semi_join(self, query: Query) -> set[Any]:
        kind = find_queried(query.source)
        if len(query.select) != 1 or not isinstance(query.select[0], soql.Column):
            raise Refusal(400, "MALFORMED_QUERY", "a semi-join subquery selects exactly one field")
        read, column = self._paths.resolve(query.select[0].path, kind)
        if column.kind not in ("id", "reference"):
            raise Refusal(400, "MALFORMED_QUERY", "a semi-join subquery must select an Id or a reference field")
        return set(map(read, self.matching(query.where, kind))) - {None}

    def _within(self, period: soql.Period, sign: str, read: Reading, column: Column, of: Path | Aggregate) -> Filter:
        """A day or moment against the range that a date literal stands for."""
        if column.kind not in ("date", "datetime"):
            raise _wrong_type(of, column, quoted=False)
        try:
            start, end = (self._midnight(day, column) for day in days_of(period, self._call.now.date()))
        except OverflowError:
            raise Refusal(400, "MALFORMED_QUERY", f"{period.name}:{period.count} is out of range") from None
        if sign in ("<", ">="):
            return _inequality(sign, start, read, column)
        if sign in ("<=", ">"):
            return _inequality({"<=": "<", ">": ">="}[sign], end, read, column)
        inside = _all([_inequality(">=", start, read, column), _inequality("<", end, read, column)])
        return inside if sign == "=" else _others(inside)

    def _midnight(self, day: date, column: Column) -> str:
        """The start of a day in the org's time zone, as values of the column are spelled."""
        if column.kind == "date":
            return day.isoformat()
        return spell_moment(datetime.combine(day, time(), self._call.now.tzinfo))


def _all(filters: list[Filter]) -> Filter:
    def passing(rows: list[SObject]) -> list[SObject]:
        for one in filters:
            rows = one(rows)
        return rows

    return passing


def _any(filters: list[Filter]) -> Filter:
    def passing(rows: list[SObject]) -> list[SObject]:
        left = rows
        for one in filters:
            left = _without(left, one(left))
        return _without(rows, left)

    return passing


def _others(inner: Filter) -> Filter:
    return lambda rows: _without(rows, inner(rows))


def _without(rows: list[SObject], some: list[SObject]) -> list[SObject]:
    taken = set(map(id, some))
    return [row for row in rows if id(row) not in taken] if taken else rows


def _compared(node: Comparison, read: Reading, column: Column) -> Filter:
    (wanted,) = _folded([_operand(node.value, column, node.of)], column)
    if node.operator not in ("=", "!="):
        if wanted is None or column.kind in ("boolean", "id", "reference"):
            raise _wrong_operator(node.of)
        return _inequality(node.operator, wanted, read, column)
    fits = _COMPARISONS[node.operator]
    return lambda rows: [row for row, value in _valued(rows, read, column) if fits(value, wanted)]


def _like(node: Comparison, read: Reading, column: Column) -> Filter:
    if not isinstance(node.value, str) or column.kind not in _TEXTS:
        raise _wrong_operator(node.of)
    matches = like(node.value)
    return lambda rows: [
        row for row, value in zip(rows, map(read, rows), strict=True) if value is not None and matches(value)
    ]


def _inequality(sign: str, wanted: Any, read: Reading, column: Column) -> Filter:
    fits = _COMPARISONS[sign]
    return lambda rows: [row for row, value in _valued(rows, read, column) if value is not None and fits(value, wanted)]


def _operand(value: soql.Value, column: Column, of: Path | Aggregate) -> Any:
    """The literal as a value of the column's type; refused when it is of another type."""
    if value is None:
        return None
    if column.kind in _NUMBERS or column.kind == "boolean":
        wanted = isinstance(value, bool) if column.kind == "boolean" else isinstance(value, int | float)
        if not wanted or (isinstance(value, bool) and column.kind in _NUMBERS):
            raise _wrong_type(of, column, quoted=False)
        return value
    if column.kind in ("date", "datetime"):
        return _time_operand(value, column, of)
    if not isinstance(value, str):
        raise _wrong_type(of, column, quoted=True)
    if column.kind in ("id", "reference") and value:
        found = read_id(value)
        if found is None:
            raise Refusal(400, "INVALID_QUERY_FILTER_OPERATOR", f"invalid ID field: {value[:80]}")
        return found
    return value


def _time_operand(value: soql.Value, column: Column, of: Path | Aggregate) -> str:
    try:
        if column.kind == "date" and isinstance(value, soql.Day):
            return date.fromisoformat(value.text).isoformat()
        if column.kind == "datetime" and isinstance(value, soql.Moment):
            return spell_moment(datetime.fromisoformat(value.text.upper()))
    except (ValueError, OverflowError):
        raise Refusal(400, "MALFORMED_QUERY", f"Invalid date: {getattr(value, 'text', value)}") from None
    raise _wrong_type(of, column, quoted=False)


def _valued(rows: list[SObject], read: Reading, column: Column) -> Iterable[tuple[SObject, Any]]:
    """Every record with the value that is compared."""
    return zip(rows, _folded(map(read, rows), column), strict=True)


def _folded(values: Iterable[Any], column: Column) -> list[Any]:
    """The values as they are compared: text in any case, empty text as null."""
    if column.kind in _TEXTS:
        return [value.casefold() if value else None for value in values]
    return list(values) if column.kind in (*_NUMBERS, "boolean") else [value or None for value in values]


def _wrong_type(of: Path | Aggregate, column: Column, quoted: bool) -> Refusal:
    should = "should be" if quoted else "should not be"
    return Refusal(
        400,
        "INVALID_FIELD",
        f"value of filter criterion for field '{_shown(of)}' must be of type {column.kind} and {should} "
        "enclosed in quotes",
    )


def _wrong_operator(of: Path | Aggregate) -> Refusal:
    return Refusal(400, "INVALID_QUERY_FILTER_OPERATOR", f"invalid operator on {_shown(of)}")


def _shown(of: Path | Aggregate) -> str:
    if isinstance(of, Aggregate):
        return f"{of.function}({_shown(of.path or ())})"
    return ".".join(of)[:80]
