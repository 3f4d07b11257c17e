"""A plain row is a record of which one column holds the text that nothing may overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from decontam.benchmark import BenchmarkTask
from decontam.readers.messages import spoken
from decontam.readers.place import Place
from environment.record import Record


class Columns(Record):
    """Which columns to read; a dot leads into an object: `instructions.task`."""

    text: str = "text"
    id: str | None = None
    """None calls a task after its row: `row_7`."""
    domain: str | None = None
    """None puts every task into the domain `unknown`."""


def tasks_of_rows(rows: Iterable[tuple[Place, Any]], columns: Columns) -> Iterator[tuple[Place, BenchmarkTask]]:
    """The tasks of plain rows. Raises ValueError naming the row that lacks a column or has no text in it."""
    for place, row in rows:
        if not isinstance(row, Mapping):
            place.refuse(
                f"is no record but a JSON {type(row).__name__}; expected an object with the column {columns.text!r}"
            )
        system, prompt = _text(row, columns.text, place)
        yield (
            place,
            BenchmarkTask(
                name=_word(row, columns.id, "--id-column", place) if columns.id else f"row_{place.number}",
                domain=_word(row, columns.domain, "--domain-column", place) if columns.domain else "unknown",
                prompt=prompt,
                system=system,
                row=place.number,
            ),
        )


def missing_column(column: str, option: str, known: Iterable[str]) -> str:
    """What to say where a column is missing: which ones there are."""
    listed = ", ".join(name[:80] for name in known) or "none"
    return f"has no column {column!r}; it has {listed}: name one of them with {option}"


def _text(row: Mapping[str, Any], column: str, place: Place) -> tuple[str, str]:
    """What stands in the text column: a text, or messages."""
    value = _cell(row, column, "--text-column", place)
    if not isinstance(value, (str, list)):
        place.refuse(f"has {value!r:.80} in the column {column!r}, expected text; name another column")
    system, prompt = spoken(value)
    if not prompt.strip():
        place.refuse(f"has no text in the column {column!r}; leave the row out or name another column")
    return system, prompt


def _word(row: Mapping[str, Any], column: str, option: str, place: Place) -> str:
    value = _cell(row, column, option, place)
    if isinstance(value, bool) or not isinstance(value, (str, int)) or not str(value).strip():
        place.refuse(f"has {value!r:.80} in the column {column!r}, expected a word or a number; name another column")
    return str(value)


def _cell(row: Mapping[str, Any], column: str, option: str, place: Place) -> Any:
    if column in row:
        return row[column]
    value: Any = row
    for step in column.split("."):
        if not isinstance(value, Mapping) or step not in value:
            place.refuse(missing_column(column, option, value if isinstance(value, Mapping) else row))
        value = value[step]
    return value
