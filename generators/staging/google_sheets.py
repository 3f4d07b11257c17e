"""Google Sheets rows that families put on stage, and the calls that read and write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from environment.task import ToolCall
from generators.family import Scene, call

Cell = str | int | float | None
PAGE = 20
"""Rows that one reading call answers with."""


@dataclass(frozen=True, slots=True)
class Table:
    """A spreadsheet with one tab whose first row is the header."""

    title: str
    sheet: str
    """`sheet_id` of its grid rows."""
    header: tuple[str, ...]
    row_ids: tuple[str, ...]
    """Ids of the rows below the header, in order."""
    rows: tuple[tuple[Cell, ...], ...]
    """Cells of the rows below the header, in order."""

    def row_number(self, row_id: str) -> int:
        """The row's number as people count, the header being 1."""
        return self.row_ids.index(row_id) + 2

    def row_of(self, column: str, value: Cell) -> str:
        """Id of the first row with this value in a column. Raises ValueError when there is none."""
        place = self.column(column)
        return self.row_ids[[row[place] for row in self.rows].index(value)]

    def column(self, name: str) -> int:
        """The column's place, from 0."""
        return self.header.index(name)

    def find(self, column: str, value: str) -> ToolCall:
        """The call that finds rows by a column's text."""
        return call("google_sheets_find_rows", spreadsheet=self.title, column=column, value=value)

    def read(self) -> tuple[ToolCall, ...]:
        """The calls that read the whole table, page by page."""
        starts = range(2, len(self.row_ids) + 2, PAGE)
        whole = "google_sheets_read_rows"
        return tuple(call(whole, spreadsheet=self.title, **({"start_row": n} if n > 2 else {})) for n in starts)

    def write(self, row_id: str, column: str, value: str) -> ToolCall:
        """The call that changes one cell."""
        return call(
            "google_sheets_update_cell",
            spreadsheet=self.title,
            row=self.row_number(row_id),
            column=column,
            value=value,
        )

    def append(self, *values: str) -> ToolCall:
        """The call that adds a row."""
        return call("google_sheets_append_row", spreadsheet=self.title, values=list(values))


def add_table(scene: Scene, title: str, header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    """Add a spreadsheet with these rows, in this order."""
    spreadsheet = f"1{scene.invent.number(10_000, 99_999):043d}"
    sheet = f"{spreadsheet}/0"
    scene.add("google_sheets", "Spreadsheet", {"id": spreadsheet, "title": title})
    tab = {"id": sheet, "spreadsheet_id": spreadsheet, "sheetId": 0, "title": "Sheet1", "index": 0}
    scene.add("google_sheets", "Sheet", tab)
    row_ids = []
    for position, cells in enumerate([header, *rows], start=1):
        row_id = f"{sheet}/r{position}"
        row = {"id": row_id, "sheet_id": sheet, "position": position, "cells": list(cells)}
        scene.add("google_sheets", "GridRow", row)
        row_ids.append(row_id)
    return Table(title, sheet, tuple(header), tuple(row_ids[1:]), tuple(map(tuple, rows)))
