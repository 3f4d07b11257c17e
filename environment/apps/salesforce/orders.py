"""An order is how Salesforce sorts: picklist values as they were set up, text in any case, nulls first unless told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from environment.apps.salesforce.columns import Column
from environment.query.soql import Order


def sort(rows: list[Any], read: Callable[[Any], Any], column: Column, order: Order) -> None:
    """Sort in place and stably by what is read of every row."""
    values = [read(row) for row in rows]
    empty = [row for row, value in zip(rows, values, strict=True) if value in (None, "")]
    full = [(_key(value, column), row) for row, value in zip(rows, values, strict=True) if value not in (None, "")]
    full.sort(key=lambda pair: pair[0], reverse=order.descending)
    ordered = [row for _, row in full]
    rows[:] = ordered + empty if order.nulls_last else empty + ordered


def _key(value: Any, column: Column) -> tuple[int, Any, str]:
    if isinstance(value, str):
        place = column.values.index(value) if column.kind == "picklist" and value in column.values else None
        return (1, 0, value.casefold()) if place is None else (0, place, "")
    return 0, value, ""
