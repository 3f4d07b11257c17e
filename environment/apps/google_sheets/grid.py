"""A grid is one sheet's cells as a call sees them: reading areas, writing cells, moving rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from environment.apps.google_sheets.a1 import Area, Range, format_range
from environment.apps.google_sheets.entry import Cell, Entry, plain_number, read_entry, serial_number, show
from environment.apps.google_sheets.rows import GridRow, Sheet, Spreadsheet, grid_row_id, sheet_id
from environment.apps.kit import AppError, Call

MAX_CELLS = 10_000_000
"""Cells that a spreadsheet may have."""
MAX_TEXT = 50_000
"""Characters that a cell may hold."""
_FIRST_NEW_SHEET = 1000
"""Sheets added later are numbered from here on, well apart from those a spreadsheet begins with."""


class Grid:
    """The cells of `sheet`, by position; writes go through to the tables at once."""

    def __init__(self, call: Call, sheet: Sheet) -> None:
        self.sheet = sheet
        self._tables = call.tables
        self.rows = {row.position: row for row in call.tables.where(GridRow, "sheet_id", sheet.id)}

    @property
    def last_row(self) -> int:
        """Position of the last row that was ever filled, 0 when none was."""
        return max(self.rows, default=0)

    def cell(self, row: int, column: int) -> Cell:
        held = self.rows.get(row)
        return held.cells[column - 1] if held and column <= len(held.cells) else None

    def format(self, row: int, column: int) -> str | None:
        held = self.rows.get(row)
        return held.formats.get(str(column - 1)) if held else None

    def bounded(self, area: Area) -> tuple[int, int, int, int]:
        """First and last row, first and last column, open ends closed by the grid's.

        Raises AppError 400 when the area begins outside of the grid.
        """
        sheet = self.sheet
        if area.first_row > sheet.rowCount or area.first_column > sheet.columnCount:
            raise self.beyond(area.first_row, area.first_column)
        last_row = sheet.rowCount if area.last_row is None else min(area.last_row, sheet.rowCount)
        last_column = sheet.columnCount if area.last_column is None else min(area.last_column, sheet.columnCount)
        return area.first_row, last_row, area.first_column, last_column

    def beyond(self, row: int, column: int) -> AppError:
        name = format_range(self.sheet.title, row, row, column, column)
        limits = f"Max rows: {self.sheet.rowCount}, max columns: {self.sheet.columnCount}"
        return AppError(400, f"Range ({name}) exceeds grid limits. {limits}")

    def write(self, row: int, entries: Mapping[int, Entry]) -> None:
        """Put these entries into columns of a row, which is made when there is none and something to hold."""
        held = self.rows.get(row)
        if held is None:
            if all(entry.value is None or entry.value == "" for entry in entries.values()):
                return
            key = self._tables.new_id(GridRow, partial(grid_row_id, self.sheet.id))
            held = GridRow(id=key, sheet_id=self.sheet.id, position=row)
        cells, formats = list(held.cells), dict(held.formats)
        for column, entry in entries.items():
            cells += [None] * (column - len(cells))
            cells[column - 1] = entry.value
            shape = _new_format(formats.pop(str(column - 1), None), entry)
            if shape:
                formats[str(column - 1)] = shape
        self._put(held.change(cells=tuple(cells), formats=formats))

    def insert_rows(self, before: int, count: int) -> None:
        """Make room for `count` rows above position `before`."""
        self.resize(rows=self.sheet.rowCount + count)
        self._move({position: position + count for position in self.rows if position >= before})

    def delete_rows(self, first: int, last: int) -> None:
        """Delete positions `first` to `last`; the rows below move up."""
        for position in [position for position in self.rows if first <= position <= last]:
            self._tables.delete(self.rows.pop(position))
        self._move({position: position - (last - first + 1) for position in self.rows if position > last})
        self.resize(rows=self.sheet.rowCount - (last - first + 1))

    def insert_columns(self, before: int, count: int) -> None:
        self.resize(columns=self.sheet.columnCount + count)
        for row in list(self.rows.values()):
            if len(row.cells) >= before:
                blank: tuple[Cell, ...] = (None,) * count
                self._put(_respread(row, (*row.cells[: before - 1], *blank, *row.cells[before - 1 :]), before, count))

    def delete_columns(self, first: int, last: int) -> None:
        for row in list(self.rows.values()):
            if len(row.cells) >= first:
                kept = (*row.cells[: first - 1], *row.cells[last:])
                self._put(_respread(row, kept, first, -(last - first + 1)))
        self.resize(columns=self.sheet.columnCount - (last - first + 1))

    def reorder(self, order: Sequence[int], first: int) -> None:
        """Put the rows now at the positions `order` one after the other from `first` on."""
        self._move({position: first + step for step, position in enumerate(order) if position in self.rows})

    def resize(self, rows: int | None = None, columns: int | None = None) -> None:
        """Change the size of the grid. Raises AppError 400 above the limit of cells."""
        rows, columns = rows or self.sheet.rowCount, columns or self.sheet.columnCount
        if rows * columns > MAX_CELLS:
            raise AppError(
                400,
                f"This action would increase the number of cells in the workbook above the limit of {MAX_CELLS} cells.",
            )
        if (rows, columns) != (self.sheet.rowCount, self.sheet.columnCount):
            self.sheet = self._tables.put(self.sheet.change(rowCount=rows, columnCount=columns))

    def _move(self, moves: Mapping[int, int]) -> None:
        moved = {new: self.rows.pop(old) for old, new in moves.items()}
        for position, row in moved.items():
            self._put(row.change(position=position))

    def _put(self, row: GridRow) -> None:
        self.rows[row.position] = self._tables.put(row)


def _new_format(held: str | None, entry: Entry) -> str | None:
    """A cell keeps its format for values of the same sort: dates its date format, numbers their number format."""
    if entry.format is None:
        is_number = isinstance(entry.value, int | float) and not isinstance(entry.value, bool)
        return held if held and is_number and "d" not in held else None
    return held if held and "d" in held and "d" in entry.format else entry.format


def _respread(row: GridRow, cells: tuple[Cell, ...], first: int, shift: int) -> GridRow:
    formats = {}
    for index, shape in row.formats.items():
        column = int(index) + 1
        if column < first:
            formats[index] = shape
        elif shift > 0 or column >= first - shift:
            formats[str(column + shift - 1)] = shape
    return row.change(cells=cells, formats=formats)


def spreadsheet_of(call: Call, spreadsheet_id: str) -> Spreadsheet:
    found = call.tables.find(Spreadsheet, spreadsheet_id)
    if found is None:
        raise AppError(404, "Requested entity was not found.", "NOT_FOUND")
    return found


def new_sheet_number(call: Call, spreadsheet: Spreadsheet) -> int:
    """The `sheetId` of a sheet to be added."""
    key = call.tables.new_id(Sheet, lambda count: sheet_id(spreadsheet.id, _FIRST_NEW_SHEET + count))
    return int(key.rpartition("/")[2])


def sheets_of(call: Call, spreadsheet: Spreadsheet) -> list[Sheet]:
    """The spreadsheet's sheets in the order of their tabs."""
    return sorted(call.tables.where(Sheet, "spreadsheet_id", spreadsheet.id), key=lambda sheet: sheet.index)


def sheet_of(call: Call, spreadsheet: Spreadsheet, wanted: Range, text: str) -> Sheet:
    """The sheet that a range lies in. Raises AppError 400 for an unknown title."""
    sheets = sheets_of(call, spreadsheet)
    for sheet in sheets:
        if wanted.title is None and not sheet.hidden:
            return sheet
        if wanted.title is not None and sheet.title.lower() == wanted.title.lower():
            return sheet
    raise AppError(400, f"Unable to parse range: {text[:200]}")


def entry_of(value: Any, option: str, spreadsheet: Spreadsheet, call: Call, where: str) -> Entry:
    """What a value of a request becomes in a cell.

    Raises AppError 400 for a list, an object or an infinite number.
    """
    if isinstance(value, bool):
        return Entry(value)
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            raise AppError(400, f"Your input contains more than the maximum of {MAX_TEXT} characters in a single cell.")
        return read_entry(value, spreadsheet.locale, call.now) if option == "USER_ENTERED" else Entry(value)
    if isinstance(value, int | float) and abs(value) <= 1e308:
        return Entry(plain_number(value))
    kind = "list_value" if isinstance(value, list) else "struct_value" if isinstance(value, dict) else "number_value"
    raise AppError(400, f"Invalid {where}: {kind}")


def rendered(row: GridRow, first: int, last: int, option: str, dates: str) -> list[Any]:
    """The row's cells in columns `first` to `last` as the render options want them; text "" where one is blank."""
    if option == "FORMATTED_VALUE":
        return list(row.shown[first - 1 : last])
    cells, formats = row.cells[first - 1 : last], row.formats
    if not formats:
        return ["" if cell is None else cell for cell in cells] if None in cells else list(cells)
    shapes = [formats.get(str(index)) for index in range(first - 1, first - 1 + len(cells))]
    if dates == "SERIAL_NUMBER":
        found = [serial_number(cell, shape) for cell, shape in zip(cells, shapes, strict=True)]
    else:
        found = [show(cell, shape) if type(cell) is str else cell for cell, shape in zip(cells, shapes, strict=True)]
    return ["" if cell is None else cell for cell in found]
