"""A row in words: what it is called, and what stands in each of its fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from environment.apps import APPS
from environment.attempt import RowChange
from environment.episode import row_types
from environment.matchers import same_value
from environment.task import Task
from pipeline.layout import cut, scalar

_CALLED = ("real_name", "displayName", "DisplayName", "name", "Name", "title", "subject", "Subject", "summary", "label")
"""Fields that name a row, the best first."""
_CALLED_BY_PARTS = (("FirstName", "LastName"), ("firstName", "lastName"), ("first_name", "last_name"))
_NUMBERED = re.compile(r"(?!Phone)\w*Number|key")
"""Fields that name a document by its number."""
_STAMP = re.compile(r"\d{10}\.\d{6}")
"""A moment as seconds since 1970, which is how chats name their messages."""
_CELLS = 3
"""Of a row of a sheet, the first cells are its name."""
_NAME_LENGTH = 48
_DISTINCT = 5
"""Characters from which on a value that equals an id is taken for it."""


class RowNames:
    """What the rows of one world are called, so that an id can be read."""

    def __init__(self, task: Task, changes: Iterable[RowChange] = ()) -> None:
        """`changes` are those whose created rows are named too."""
        self._names: dict[tuple[str, str], str] = {}
        for app, collections in task.world.items():
            for collection, rows in collections.items():
                for row in rows:
                    self._learn(app, row_id(app, collection, row), row)
        for change in changes:
            if change.after is not None:
                self._learn(change.app, change.id, change.after)

    def of(self, app: str, key: str) -> str:
        """The row's name; "" when it has none."""
        return self._names.get((app, key), "")

    def spelled(self, app: str, value: Any) -> str:
        """A field's value as people read it; an id of another row with that row's name."""
        if isinstance(value, str) and _STAMP.fullmatch(value):
            return f"{value} ({datetime.fromtimestamp(int(value[:10]), UTC):%Y-%m-%d %H:%M} UTC)"
        if isinstance(value, str | int) and not isinstance(value, bool) and len(key := str(value)) >= _DISTINCT:
            name = self.of(app, key)
            return f"{key} ({name})" if name and name != key else key
        if (
            isinstance(value, list | tuple)
            and value
            and not any(isinstance(one, Mapping | list | tuple) for one in value)
        ):
            return ", ".join(self.spelled(app, one) for one in value)
        return scalar(value)

    def _learn(self, app: str, key: str, row: Mapping[str, Any]) -> None:
        if name := row_name(row):
            self._names.setdefault((app, key), name)


def row_id(app: str, collection: str, row: Mapping[str, Any]) -> str:
    """The row's id, whatever its vendor calls it."""
    return str(row.get(row_types(APPS)[app][collection].id_field, ""))


def is_empty(value: Any) -> bool:
    """Whether a field holds nothing, by the verdict's own reading."""
    return same_value(value, None)


def row_name(row: Mapping[str, Any]) -> str:
    """What a row is called by people; "" when nothing in it says so."""
    for field in _CALLED:
        if isinstance(value := row.get(field), str) and value.strip():
            return cut(" ".join(value.split()), _NAME_LENGTH)
    pairs = ([row.get(field) for field in fields] for fields in _CALLED_BY_PARTS)
    if name := next((" ".join(str(part) for part in pair if part) for pair in pairs if any(pair)), ""):
        return name
    numbers = (value for field, value in row.items() if _NUMBERED.fullmatch(field) and isinstance(value, str) and value)
    if number := next(numbers, ""):
        return number
    lists = (value for value in row.values() if isinstance(value, list | tuple) and len(value) >= _CELLS)
    return next((cut(" | ".join(map(scalar, value[:_CELLS])), _NAME_LENGTH) for value in lists), "")
