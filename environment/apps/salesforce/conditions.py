"""A condition is the WHERE of a query, turned into a test that a record passes or fails."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any

from environment.apps.kit import Call
from environment.apps.salesforce.columns import Column
from environment.apps.salesforce.fields import Reading
from environment.apps.salesforce.ids import read_id
from environment.apps.salesforce.moments import spell_moment
from environment.apps.salesforce.paths import Paths, find_queried
from environment.apps.salesforce.periods import days_of
from environment.apps.salesforce.refusal import Refusal
from environment.apps.salesforce.rows import SObject
from environment.query import soql
from environment.query.soql import Comparison, Condition, Junction, Membership, Not, Path, Query
from environment.query.wildcards import like

Test = Callable[[SObject], bool]
_NUMBERS = ("double", "currency", "percent", "int")
_TEXTS = ("string", "email", "phone", "url", "picklist")


class Conditions:
    """The conditions of one query."""

    def __init__(self, call: Call, paths: Paths) -> None:
        self._call, self._paths = call, paths

    def matching(self, where: Condition | None, kind: type[SObject]) -> list[SObject]:
        """The object's records that satisfy the condition, in their order."""
        tables = self._call.tables
        if where is None:
            return tables.all(kind)
        test = self.test(where, kind)
        record_id = _demanded_id(where)
        if record_id is None:
            return [row for row in tables.all(kind) if test(row)]
        row = tables.find(kind, record_id)
        return [row] if row is not None and test(row) else []

    def test(self, node: Condition, kind: type[SObject]) -> Test:
        """The condition as a test; refused when a field is unknown or a value of the wrong type."""
        if isinstance(node, Junction):
            tests = [self.test(operand, kind) for operand in node.operands]
            if node.word == "and":
                return lambda row: all(test(row) for test in tests)
            return lambda row: any(test(row) for test in tests)
        if isinstance(node, Not):
            inner = self.test(node.operand, kind)
            return lambda row: not inner(row)
        read, column = self._paths.resolve(node.path, kind)
        if column.kind == "textarea":
            shown = ".".join(node.path)[:80]
            raise Refusal(400, "INVALID_FIELD", f"field '{shown}' can not be filtered in a query call")
        if isinstance(node, Membership):
            return self._membership(node, read, column)
        if node.operator == "like":
            return _like(node, read, column)
        if isinstance(node.value, soql.Period):
            return self._within(node.value, node.operator, read, column, node.path)
        return _compared(node, read, column)

    def _membership(self, node: Membership, read: Reading, column: Column) -> Test:
        if isinstance(node.values, Query):
            values = self._semi_join(node.values)
        else:
            values = {_folded(_operand(value, column, node.path), column) for value in node.values}
        negated = node.negated
        return lambda row: (_folded(read(row), column) in values) is not negated

    def _semi_join(self, query: Query) -> set[Any]:
        kind = find_queried(query.source)
        if len(query.select) != 1 or not isinstance(query.select[0], soql.Column):
            raise Refusal(400, "MALFORMED_QUERY", "a semi-join subquery selects exactly one field")
        read, column = self._paths.resolve(query.select[0].path, kind)
        if column.kind not in ("id", "reference"):
            raise Refusal(400, "MALFORMED_QUERY", "a semi-join subquery must select an Id or a reference field")
        return {read(row) for row in self.matching(query.where, kind)} - {None}

    def _within(self, period: soql.Period, operator: str, read: Reading, column: Column, path: Path) -> Test:
        """A day or moment against the range that a date literal stands for."""
        if column.kind not in ("date", "datetime"):
            raise _wrong_type(path, column, quoted=False)
        try:
            start, end = (self._midnight(day, column) for day in days_of(period, self._call.now.date()))
        except OverflowError:
            raise Refusal(400, "MALFORMED_QUERY", f"{period.name}:{period.count} is out of range") from None

        def test(row: SObject) -> bool:
            value = read(row)
            if value is None:
                return operator == "!="
            if operator in ("=", "!="):
                return (start <= value < end) is (operator == "=")
            return {"<": value < start, "<=": value < end, ">": value >= end, ">=": value >= start}[operator]

        return test

    def _midnight(self, day: date, column: Column) -> str:
        """The start of a day in the org's time zone, as values of the column are spelled."""
        if column.kind == "date":
            return day.isoformat()
        return spell_moment(datetime.combine(day, time(), self._call.now.tzinfo))


def _compared(node: Comparison, read: Reading, column: Column) -> Test:
    wanted = _folded(_operand(node.value, column, node.path), column)
    if node.operator == "=":
        return lambda row: _folded(read(row), column) == wanted
    if node.operator == "!=":
        return lambda row: _folded(read(row), column) != wanted
    if wanted is None or column.kind in ("boolean", "id", "reference"):
        raise _wrong_operator(node.path)
    return _inequality(node.operator, wanted, lambda row: _folded(read(row), column))


def _like(node: Comparison, read: Reading, column: Column) -> Test:
    if not isinstance(node.value, str) or column.kind not in _TEXTS:
        raise _wrong_operator(node.path)
    matches = like(node.value)
    return lambda row: (value := read(row)) is not None and matches(value)


def _inequality(operator: str, wanted: Any, read: Reading) -> Test:
    def test(row: SObject) -> bool:
        value = read(row)
        if value is None:
            return False
        if operator == "<":
            return value < wanted
        if operator == "<=":
            return value <= wanted
        return value > wanted if operator == ">" else value >= wanted

    return test


def _operand(value: soql.Value, column: Column, path: Path) -> Any:
    """The literal as a value of the column's type; refused when it is of another type."""
    if value is None:
        return None
    if column.kind in _NUMBERS or column.kind == "boolean":
        wanted = isinstance(value, bool) if column.kind == "boolean" else isinstance(value, int | float)
        if not wanted or (isinstance(value, bool) and column.kind in _NUMBERS):
            raise _wrong_type(path, column, quoted=False)
        return value
    if column.kind in ("date", "datetime"):
        return _time_operand(value, column, path)
    if not isinstance(value, str):
        raise _wrong_type(path, column, quoted=True)
    if column.kind in ("id", "reference") and value:
        found = read_id(value)
        if found is None:
            raise Refusal(400, "INVALID_QUERY_FILTER_OPERATOR", f"invalid ID field: {value[:80]}")
        return found
    return value


def _time_operand(value: soql.Value, column: Column, path: Path) -> str:
    try:
        if column.kind == "date" and isinstance(value, soql.Day):
            return date.fromisoformat(value.text).isoformat()
        if column.kind == "datetime" and isinstance(value, soql.Moment):
            return spell_moment(datetime.fromisoformat(value.text.upper()))
    except (ValueError, OverflowError):
        raise Refusal(400, "MALFORMED_QUERY", f"Invalid date: {getattr(value, 'text', value)}") from None
    raise _wrong_type(path, column, quoted=False)


def _folded(value: Any, column: Column) -> Any:
    """The value as it is compared: text in any case, empty text as null."""
    if isinstance(value, str) and column.kind in _TEXTS:
        return value.casefold() or None
    return None if value == "" else value


def _wrong_type(path: Path, column: Column, quoted: bool) -> Refusal:
    should = "should be" if quoted else "should not be"
    return Refusal(
        400,
        "INVALID_FIELD",
        f"value of filter criterion for field '{'.'.join(path)[:80]}' must be of type {column.kind} and {should} "
        "enclosed in quotes",
    )


def _wrong_operator(path: Path) -> Refusal:
    return Refusal(400, "INVALID_QUERY_FILTER_OPERATOR", f"invalid operator on {'.'.join(path)[:80]}")


def _demanded_id(node: Condition) -> str | None:
    """The id that a record must have to pass, so that one look-up will do."""
    if isinstance(node, Comparison) and node.operator == "=" and len(node.path) == 1 and node.path[0].lower() == "id":
        return read_id(node.value) if isinstance(node.value, str) else None
    if isinstance(node, Junction) and node.word == "and":
        return next((found for found in map(_demanded_id, node.operands) if found), None)
    return None
