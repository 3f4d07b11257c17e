"""A grouped query answers with one row per group: the values that make the group, and aggregates over its records."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import Any

from environment.apps.kit import Call
from environment.apps.salesforce.columns import Column
from environment.apps.salesforce.conditions import Conditions
from environment.apps.salesforce.orders import sort
from environment.apps.salesforce.paths import Paths
from environment.apps.salesforce.refusal import Refusal
from environment.apps.salesforce.rows import SObject
from environment.query import soql
from environment.query.soql import Aggregate, Path, Query

Group = tuple[tuple[Any, ...], list[SObject]]
"""Values of the grouping fields, and the records that share them."""
GroupReading = Callable[[Group], Any]
_NUMBER = Column("double")


def is_grouped(query: Query) -> bool:
    """Whether the query asks for groups rather than records."""
    return bool(query.group_by) or any(isinstance(item, Aggregate) for item in query.select)


class _GroupConditions(Conditions):
    """The conditions of one HAVING, which filter groups instead of records."""

    def __init__(self, call: Call, paths: Paths, query: Query) -> None:
        super().__init__(call, paths)
        self._query = query

    def resolve(self, of: Path | Aggregate, kind: type[SObject]) -> tuple[GroupReading, Column]:
        return _resolved(of, self._query, kind, self._paths, "Field")


def grouped(
    call: Call, query: Query, kind: type[SObject], rows: list[SObject], paths: Paths
) -> tuple[list[Group], Callable[[Group], dict[str, Any]]]:
    """The groups in their order, and how one is rendered. Without GROUP BY all records make one group."""
    keys = []
    for path in query.group_by:
        key, column = paths.resolve(path, kind)
        if column.kind in ("textarea", "currency", "double", "percent", "datetime"):
            shown = ".".join(path)[:80]
            raise Refusal(400, "INVALID_FIELD", f"field '{shown}' can not be grouped in a query call")
        keys.append(key)
    columns = _columns(query, kind, paths)
    groups: dict[tuple[Any, ...], list[SObject]] = {} if keys else {(): []}
    values = zip(*(map(read, rows) for read in keys), strict=True) if keys else repeat(())
    for row, group in zip(rows, values, strict=False):
        groups.setdefault(group, []).append(row)
    entries = list(groups.items())
    if query.having:
        entries = _GroupConditions(call, paths, query).filter(query.having, kind)(entries)
    for order in reversed(query.order_by):
        read, column = _resolved(order.by, query, kind, paths, "Ordered field")
        sort(entries, read, column, order)
    return entries, lambda group: {
        "attributes": {"type": "AggregateResult"},
        **{name: read(group) for name, read in columns},
    }


def _columns(query: Query, kind: type[SObject], paths: Paths) -> list[tuple[str, GroupReading]]:
    columns: list[tuple[str, GroupReading]] = []
    unnamed = 0
    for item in query.select:
        if isinstance(item, Aggregate):
            columns.append((item.alias or f"expr{unnamed}", _aggregate(item, kind, paths)))
            unnamed += item.alias is None
        elif isinstance(item, soql.Column):
            last = paths.name(item.path[0], kind) if len(item.path) == 1 else item.path[-1]
            columns.append((item.alias or last, _key_reading(item.path, query, "Field")))
        else:
            raise Refusal(400, "MALFORMED_QUERY", "a grouped query selects grouped fields and aggregates only")
    return columns


def _resolved(
    of: Path | Aggregate, query: Query, kind: type[SObject], paths: Paths, what: str
) -> tuple[GroupReading, Column]:
    """How a grouped field or an aggregate is read from a group, and its column."""
    if isinstance(of, Aggregate):
        column = paths.resolve(of.path, kind)[1] if of.path and of.function in ("min", "max") else _NUMBER
        return _aggregate(of, kind, paths), column
    return _key_reading(of, query, what), paths.resolve(of, kind)[1]


def _key_reading(path: Path, query: Query, what: str) -> GroupReading:
    wanted = [part.lower() for part in path]
    for place, grouping in enumerate(query.group_by):
        if [part.lower() for part in grouping] == wanted:
            return _value_at(place)
    raise Refusal(400, "MALFORMED_QUERY", f"{what} must be grouped or aggregated: {'.'.join(path)[:80]}")


def _value_at(place: int) -> GroupReading:
    return lambda group: group[0][place]


def _aggregate(item: Aggregate, kind: type[SObject], paths: Paths) -> GroupReading:
    if item.path is None:
        return lambda group: len(group[1])
    read, column = paths.resolve(item.path, kind)
    if item.function in ("sum", "avg") and column.kind not in ("double", "currency", "percent", "int"):
        shown = ".".join(item.path)[:80]
        raise Refusal(400, "MALFORMED_QUERY", f"field {shown} does not support aggregate operator {item.function}")
    reduce = _REDUCTIONS[item.function]
    return lambda group: reduce([value for value in map(read, group[1]) if value is not None])


_REDUCTIONS: dict[str, Callable[[list[Any]], Any]] = {
    "count": len,
    "count_distinct": lambda values: len(set(values)),
    "sum": lambda values: round(sum(values), 6) if values else None,
    "avg": lambda values: round(sum(values) / len(values), 6) if values else None,
    "min": lambda values: min(values, default=None),
    "max": lambda values: max(values, default=None),
}
