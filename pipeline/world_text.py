"""The world as an auditor reads it: a table of each collection, or its documents one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from environment.apps import APPS
from environment.episode import row_types
from environment.task import Task
from pipeline.layout import cut, fits, has_room, outline, scalar, table, wrap
from pipeline.row_text import RowNames, is_empty, row_id

_SHORT = 70
"""Characters up to which a value stands in a table."""
_BRIEF_ROWS, _BRIEF_TEXT = 6, 160
_ALIKE = 3
"""Rows from which on a value that all share is said once."""

Row = Mapping[str, Any]
Key = tuple[str, str, str]
"""(app, collection, id)."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Rows that an auditor looks for first."""

    changed: frozenset[Key]
    """Rows that the reference changes."""
    trapped: frozenset[Key]
    """Rows that somebody who falls for a trap changes, and the reference does not."""
    read: frozenset[Key]
    """Rows whose id or longest text stands in an answer that the reference gets."""

    def of(self, key: Key) -> str:
        return ">" if key in self.changed else "!" if key in self.trapped else "*" if key in self.read else ""


def world_lines(task: Task, marks: Marks, width: int, brief: bool) -> list[str]:
    """Every application's rows; long texts are wrapped, and cut only when `brief`."""
    names = RowNames(task)
    lines: list[str] = []
    for app, collections in task.world.items():
        for collection, rows in collections.items():
            if rows:
                lines += [*_collection(_Collection(app, collection, rows, names, marks), width, brief), ""]
    return lines[:-1]


def world_characters(value: Any) -> int:
    """Characters of all text and numbers in the world's fields, without names of fields."""
    if isinstance(value, Mapping):
        return sum(world_characters(item) for item in value.values())
    if isinstance(value, list | tuple):
        return sum(world_characters(item) for item in value)
    return 0 if value is None or isinstance(value, bool) else len(str(value))


@dataclass(frozen=True, slots=True)
class _Collection:
    app: str
    name: str
    rows: Sequence[Row]
    names: RowNames
    marks: Marks

    @property
    def id_field(self) -> str:
        return row_types(APPS)[self.app][self.name].id_field

    def key(self, row: Row) -> str:
        return row_id(self.app, self.name, row)

    def mark(self, row: Row) -> str:
        return self.marks.of((self.app, self.name, self.key(row)))

    def spelled(self, row: Row, field: str) -> str:
        value = row.get(field)
        if value == self.key(row):
            return self.key(row)
        return "" if is_empty(value) else self.names.spelled(self.app, value)


def _collection(found: _Collection, width: int, brief: bool) -> list[str]:
    fields = [field for field in _fields(found.rows) if _tells(found, field)]
    shared = [field for field in fields if _is_shared(found.rows, field)]
    fields = [field for field in fields if field not in shared]
    count = len(found.rows)
    lines = [f"{found.app} · {found.name} ({count} {'row' if count == 1 else 'rows'})"]
    if shared:
        same = "; ".join(f"{field} {found.spelled(found.rows[0], field)}" for field in shared)
        lines += wrap(f"in every row: {same}", width, "  ", "    ")
    rows = list(_chosen(found)) if brief else list(found.rows)
    long = [field for field in fields if any(_is_long(row.get(field)) for row in found.rows)]
    cells = [["", *fields], *([found.mark(row), *_short(found, row, fields)] for row in rows)]
    if long or not fits(cells, width):
        for row in rows:
            lines += _card(found, row, fields, long, width, brief)
    else:
        spread = _spread(found, rows, fields)
        lines += table(spread if has_room(len(spread[0]), width) else cells, width, "  ")
    if len(rows) < count:
        lines.append(f"  … {count - len(rows)} more rows")
    return lines


def _fields(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(field for row in rows for field in row))


def _tells(found: _Collection, field: str) -> bool:
    """Whether a field says anything: it is not empty throughout, nor the id a second time."""
    if field != found.id_field and all(row.get(field) == found.key(row) for row in found.rows):
        return False
    return not all(is_empty(row.get(field)) for row in found.rows)


def _is_shared(rows: Sequence[Row], field: str) -> bool:
    return (
        len(rows) >= _ALIKE
        and not _is_long(rows[0].get(field))
        and all(r.get(field) == rows[0].get(field) for r in rows)
    )


def _chosen(found: _Collection) -> Iterator[Row]:
    """Every row that is changed by the reference or a trap, and others up to a handful."""
    kept = [row for row in found.rows if found.mark(row) in (">", "!")]
    spare = max(0, _BRIEF_ROWS - len(kept))
    for row in found.rows:
        if row in kept:
            yield row
        elif spare:
            spare -= 1
            yield row


def _is_long(value: Any) -> bool:
    """Whether a value needs lines of its own; a list of plain values does where one of them does."""
    if isinstance(value, list | tuple) and not any(isinstance(one, Mapping | list | tuple) for one in value):
        return any(map(_is_long, value))
    text = scalar(value)
    return len(text) > _SHORT or "\n" in text.strip()


def _short(found: _Collection, row: Row, fields: Sequence[str]) -> list[str]:
    return [found.spelled(row, field) for field in fields]


def _spread(found: _Collection, rows: Sequence[Row], fields: Sequence[str]) -> list[list[str]]:
    """The rows as cells, with a column for each place of lists that are rows of a sheet, as contracts name them."""
    longest = {
        field: max((len(r[field]) for r in rows if isinstance(r.get(field), list | tuple)), default=0)
        for field in fields
    }
    wide = {field for field, length in longest.items() if length >= _ALIKE and len(rows) >= _ALIKE}
    head, lines = [""], [[found.mark(row)] for row in rows]
    for field in fields:
        if field not in wide:
            head.append(field)
            for line, row in zip(lines, rows, strict=True):
                line.append(found.spelled(row, field))
            continue
        for place in range(longest[field]):
            head.append(f"{field}[{place}]")
            for line, row in zip(lines, rows, strict=True):
                values = row.get(field) or ()
                line.append(found.names.spelled(found.app, values[place]) if place < len(values) else "")
    return [head, *lines]


def _card(
    found: _Collection, row: Row, fields: Sequence[str], long: Sequence[str], width: int, brief: bool
) -> list[str]:
    key, mark = found.key(row), found.mark(row)
    facts = [
        f"{field} {found.spelled(row, field)}"
        for field in fields
        if field not in long and not is_empty(row.get(field)) and row.get(field) != key
    ]
    lines = wrap(f"{mark or '-'} {key}{': ' if facts else ''}{'; '.join(facts)}", width, "  ", "    ")
    for field in long:
        value = row.get(field)
        if is_empty(value):
            continue
        if isinstance(value, str):
            text = cut(" ".join(value.split()), _BRIEF_TEXT) if brief else value
            lines += [*([f"      {field}:"] if len(long) > 1 else []), *wrap(text, width, "      ")]
        elif brief:
            lines += wrap(f"{field}: {cut(' '.join(_texts(value)), _BRIEF_TEXT)}", width, "      ")
        else:
            lines += [f"      {field}:", *outline(value, width, "        ")]
    return lines


def _texts(value: Any) -> Iterator[str]:
    """Every text in a nested value, in order."""
    if isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)
    elif not is_empty(value):
        yield str(value)
