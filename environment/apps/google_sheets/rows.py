"""The rows of Google Sheets, one per spreadsheet, sheet and sheet row, and how their ids are spelled."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict

from environment.apps.google_sheets.entry import Cell, show
from environment.world import Row


def _trimmed(cells: object) -> object:
    """Without blank cells at the end; a cell with empty text is blank."""
    if not isinstance(cells, list | tuple):
        return cells
    kept = [None if cell == "" else cell for cell in cells]
    while kept and kept[-1] is None:
        kept.pop()
    return kept


class Spreadsheet(Row):
    id: str
    title: str
    locale: str = "en_US"
    timeZone: str = "Etc/GMT"


class Sheet(Row):
    id: str
    """`<spreadsheet>/<sheetId>`."""
    spreadsheet_id: str
    sheetId: int
    title: str
    index: int = 0
    rowCount: int = 1000
    columnCount: int = 26
    frozenRowCount: int = 0
    hidden: bool = False


class GridRow(Row):
    """One row of a sheet; it keeps its id when rows above it come or go."""

    model_config = ConfigDict(allow_inf_nan=False)

    id: str
    """`<spreadsheet>/<sheetId>/r<serial>`."""
    sheet_id: str
    """Id of the Sheet row."""
    position: int
    """1 for the topmost row, which holds the headers."""
    cells: Annotated[tuple[Cell, ...], BeforeValidator(_trimmed)] = ()
    formats: Mapping[str, str] = {}
    """Index of a cell -> its number format, such as `0%` or `d mmm yyyy`, where it has one."""

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """The cells as people see them."""
        return tuple(show(cell, self.formats.get(str(index))) for index, cell in enumerate(self.cells))


def spreadsheet_id(count: int) -> str:
    """44 characters, as Google's, nearly all of them digits."""
    return f"1Sheet{count:038d}"


def sheet_id(spreadsheet: str, number: int) -> str:
    """Id of the Sheet row with `sheetId` `number`; the first sheet of a spreadsheet has 0."""
    return f"{spreadsheet}/{number}"


def grid_row_id(sheet: str, serial: int) -> str:
    """Id of the `serial`-th row that was ever made in the sheet, counted from 1."""
    return f"{sheet}/r{serial}"
