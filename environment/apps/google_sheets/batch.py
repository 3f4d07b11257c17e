"""The changes that spreadsheets.batchUpdate takes, one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from environment.apps.google_sheets.entry import Entry, read_entry, show
from environment.apps.google_sheets.grid import Grid, entry_of, new_sheet_number, sheets_of
from environment.apps.google_sheets.rows import GridRow, Sheet, Spreadsheet, sheet_id
from environment.apps.kit import AppError, Call, explain

ModelT = TypeVar("ModelT", bound=BaseModel)
_MAX_INDEX = 10_000_000


class Part(BaseModel):
    """Part of a request; an invented field is refused."""

    model_config = ConfigDict(extra="forbid")


class GridProperties(BaseModel):
    rowCount: int | None = Field(None, ge=1, le=_MAX_INDEX)
    columnCount: int | None = Field(None, ge=1, le=18_278)
    frozenRowCount: int | None = Field(None, ge=0, le=_MAX_INDEX)


class SheetProperties(BaseModel):
    """Colours and the like may be given and are ignored."""

    sheetId: int | None = Field(None, ge=0, le=2**31 - 1)
    title: str | None = Field(None, min_length=1, max_length=100)
    index: int | None = Field(None, ge=0, le=10_000)
    hidden: bool | None = None
    gridProperties: GridProperties = GridProperties()


class NewSheet(BaseModel):
    properties: SheetProperties = SheetProperties()


class SpreadsheetProperties(BaseModel):
    title: str | None = Field(None, max_length=1000)
    locale: str | None = Field(None, max_length=20)
    timeZone: str | None = Field(None, max_length=60)


class CreateSpreadsheet(Part):
    properties: SpreadsheetProperties = SpreadsheetProperties()
    sheets: list[NewSheet] | None = Field(None, max_length=200)


class AddSheet(Part):
    properties: SheetProperties = SheetProperties()


class DeleteSheet(Part):
    sheetId: int = 0


class UpdateSheet(Part):
    properties: SheetProperties
    fields: str


class UpdateSpreadsheet(Part):
    properties: SpreadsheetProperties
    fields: str


class DimensionRange(Part):
    sheetId: int = 0
    dimension: Literal["ROWS", "COLUMNS"]
    startIndex: int = Field(0, ge=0, le=_MAX_INDEX)
    endIndex: int | None = Field(None, ge=0, le=_MAX_INDEX)


class DeleteDimension(Part):
    range: DimensionRange


class InsertDimension(Part):
    range: DimensionRange
    inheritFromBefore: bool = False


class AppendDimension(Part):
    sheetId: int = 0
    dimension: Literal["ROWS", "COLUMNS"]
    length: int = Field(ge=1, le=_MAX_INDEX)


class ExtendedValue(Part):
    stringValue: str | None = None
    numberValue: float | None = Field(None, allow_inf_nan=False)
    boolValue: bool | None = None
    formulaValue: str | None = None

    @property
    def entered(self) -> Any:
        """What was entered; None clears the cell."""
        number = self.numberValue
        if number is not None:
            return int(number) if number.is_integer() and abs(number) < 2**53 else number
        return next((v for v in (self.boolValue, self.stringValue, self.formulaValue) if v is not None), None)


class CellData(BaseModel):
    """Formats and notes may be given and are ignored."""

    userEnteredValue: ExtendedValue | None = None


class RowData(Part):
    values: list[CellData] = Field([], max_length=18_278)


class AppendCells(Part):
    sheetId: int = 0
    rows: list[RowData] = []
    fields: str = "*"


class GridCoordinate(Part):
    sheetId: int = 0
    rowIndex: int = Field(0, ge=0, le=_MAX_INDEX)
    columnIndex: int = Field(0, ge=0, le=18_278)


class GridRange(Part):
    sheetId: int = 0
    startRowIndex: int = Field(0, ge=0, le=_MAX_INDEX)
    endRowIndex: int | None = Field(None, ge=0, le=_MAX_INDEX)
    startColumnIndex: int = Field(0, ge=0, le=18_278)
    endColumnIndex: int | None = Field(None, ge=0, le=18_278)


class UpdateCells(Part):
    rows: list[RowData] = []
    fields: str
    start: GridCoordinate | None = None
    range: GridRange | None = None


class FindReplace(Part):
    find: str = Field(min_length=1, max_length=10_000)
    replacement: str = Field("", max_length=10_000)
    matchCase: bool = False
    matchEntireCell: bool = False
    searchByRegex: Literal[False] = False
    includeFormulas: bool = False
    range: GridRange | None = None
    sheetId: int | None = None
    allSheets: bool = False


class SortSpec(Part):
    dimensionIndex: int = Field(0, ge=0, le=18_278)
    sortOrder: Literal["ASCENDING", "DESCENDING"] = "ASCENDING"


class SortRange(Part):
    range: GridRange
    sortSpecs: list[SortSpec] = Field(min_length=1, max_length=20)


@dataclass(frozen=True, slots=True)
class Change:
    """Where a change is applied: the call, the spreadsheet, and the words that name the request in errors."""

    call: Call
    spreadsheet: Spreadsheet
    name: str

    def refuse(self, sentence: str) -> AppError:
        return AppError(400, f"Invalid {self.name}: {sentence}")

    def sheet(self, number: int) -> Sheet:
        found = self.call.tables.find(Sheet, sheet_id(self.spreadsheet.id, number))
        if found is None:
            raise self.refuse(f"No grid with id: {number}")
        return found

    def grid(self, number: int) -> Grid:
        return Grid(self.call, self.sheet(number))


def apply(call: Call, spreadsheet: Spreadsheet, index: int, request: Any) -> dict[str, Any]:
    """Apply one request; its reply. Raises AppError 400 naming the request when it can't be applied."""
    if not isinstance(request, Mapping) or len(request) != 1:
        raise AppError(400, f"Invalid requests[{index}]: exactly one kind of request is expected")
    kind = next(iter(request))
    if kind not in _KINDS:
        raise AppError(
            400,
            f"Invalid JSON payload received. Unknown name \"{str(kind)[:80]}\" at 'requests[{index}]': "
            "Cannot find field.",
        )
    model, run = _KINDS[kind]
    name = f"requests[{index}].{kind}"
    return run(Change(call, spreadsheet, name), check(model, request[kind], name))


def check(model: type[ModelT], given: Any, name: str) -> ModelT:
    """`given` as `model`. Raises AppError 400 that names what does not fit."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise AppError(400, f"Invalid {name}: {explain(error)}") from None


def properties_view(sheet: Sheet) -> dict[str, Any]:
    grid = {"rowCount": sheet.rowCount, "columnCount": sheet.columnCount}
    if sheet.frozenRowCount:
        grid["frozenRowCount"] = sheet.frozenRowCount
    return {
        "sheetId": sheet.sheetId,
        "title": sheet.title,
        "index": sheet.index,
        "sheetType": "GRID",
        "gridProperties": grid,
        **({"hidden": True} if sheet.hidden else {}),
    }


def _add_sheet(change: Change, args: AddSheet) -> dict[str, Any]:
    tables, spreadsheet, wanted = change.call.tables, change.spreadsheet, args.properties
    sheets = sheets_of(change.call, spreadsheet)
    number = new_sheet_number(change.call, spreadsheet) if wanted.sheetId is None else wanted.sheetId
    if tables.find(Sheet, sheet_id(spreadsheet.id, number)):
        raise change.refuse(f"Sheet with id {number} already exists.")
    title = wanted.title or f"Sheet{len(sheets) + 1}"
    _free_title(change, sheets, title)
    index = len(sheets) if wanted.index is None else min(wanted.index, len(sheets))
    for sheet in sheets[index:]:
        tables.put(sheet.change(index=sheet.index + 1))
    given = wanted.gridProperties.model_dump(exclude_none=True)
    made = Sheet(
        id=sheet_id(spreadsheet.id, number), spreadsheet_id=spreadsheet.id, sheetId=number, title=title, index=index
    )
    Grid(change.call, made).resize(given.get("rowCount"), given.get("columnCount"))
    tables.put(made.change(hidden=bool(wanted.hidden), **given))
    return {"addSheet": {"properties": properties_view(change.sheet(number))}}


def _delete_sheet(change: Change, args: DeleteSheet) -> dict[str, Any]:
    sheet = change.sheet(args.sheetId)
    sheets = sheets_of(change.call, change.spreadsheet)
    if len(sheets) == 1:
        raise change.refuse("You can't remove all the sheets in a document.")
    for row in change.call.tables.where(GridRow, "sheet_id", sheet.id):
        change.call.tables.delete(row)
    change.call.tables.delete(sheet)
    for other in sheets:
        if other.index > sheet.index:
            change.call.tables.put(other.change(index=other.index - 1))
    return {}


def _update_sheet(change: Change, args: UpdateSheet) -> dict[str, Any]:
    wanted = args.properties
    sheet = change.sheet(wanted.sheetId or 0)
    names = _mask(args.fields)
    if (names & {"title", "*"}) and wanted.title is not None and wanted.title != sheet.title:
        others = [other for other in sheets_of(change.call, change.spreadsheet) if other.id != sheet.id]
        _free_title(change, others, wanted.title)
        sheet = sheet.change(title=wanted.title)
    if names & {"hidden", "*"}:
        sheet = sheet.change(hidden=bool(wanted.hidden))
    sizes = wanted.gridProperties.model_dump(exclude_none=True)
    kept = {name: size for name, size in sizes.items() if names & {"*", "gridProperties", f"gridProperties.{name}"}}
    grid = Grid(change.call, change.call.tables.put(sheet))
    if kept.get("rowCount", grid.sheet.rowCount) < grid.sheet.rowCount:
        grid.delete_rows(kept["rowCount"] + 1, grid.sheet.rowCount)
    if kept.get("columnCount", grid.sheet.columnCount) < grid.sheet.columnCount:
        grid.delete_columns(kept["columnCount"] + 1, grid.sheet.columnCount)
    grid.resize(kept.get("rowCount"), kept.get("columnCount"))
    if "frozenRowCount" in kept:
        change.call.tables.put(grid.sheet.change(frozenRowCount=kept["frozenRowCount"]))
    if (names & {"index", "*"}) and wanted.index is not None:
        _move_sheet(change, sheet.id, wanted.index)
    return {}


def _move_sheet(change: Change, moved: str, index: int) -> None:
    sheets = sheets_of(change.call, change.spreadsheet)
    order = [sheet for sheet in sheets if sheet.id != moved]
    order.insert(index, next(sheet for sheet in sheets if sheet.id == moved))
    for position, sheet in enumerate(order):
        if sheet.index != position:
            change.call.tables.put(sheet.change(index=position))


def _update_spreadsheet(change: Change, args: UpdateSpreadsheet) -> dict[str, Any]:
    names = _mask(args.fields)
    given = args.properties.model_dump(exclude_none=True)
    kept = {name: value for name, value in given.items() if names & {name, "*"}}
    change.call.tables.put(change.spreadsheet.change(**kept))
    return {}


def _delete_dimension(change: Change, args: DeleteDimension) -> dict[str, Any]:
    grid, first, last = _span(change, args.range)
    size = grid.sheet.rowCount if args.range.dimension == "ROWS" else grid.sheet.columnCount
    if first > size:
        raise change.refuse(f"Cannot delete a row or column that doesn't exist. Tried to delete index {first - 1}.")
    last = min(last or size, size)
    if last - first + 1 >= size:
        raise change.refuse("You can't delete all the rows or columns on the sheet.")
    if args.range.dimension == "ROWS":
        grid.delete_rows(first, last)
    else:
        grid.delete_columns(first, last)
    return {}


def _insert_dimension(change: Change, args: InsertDimension) -> dict[str, Any]:
    grid, first, last = _span(change, args.range)
    if last is None:
        raise change.refuse("range.endIndex is required")
    size = grid.sheet.rowCount if args.range.dimension == "ROWS" else grid.sheet.columnCount
    if first > size + 1:
        raise change.refuse(f"range.startIndex[{first - 1}] must be less than the grid size ({size})")
    if args.range.dimension == "ROWS":
        grid.insert_rows(first, last - first + 1)
    else:
        grid.insert_columns(first, last - first + 1)
    return {}


def _append_dimension(change: Change, args: AppendDimension) -> dict[str, Any]:
    grid = change.grid(args.sheetId)
    if args.dimension == "ROWS":
        grid.resize(rows=grid.sheet.rowCount + args.length)
    else:
        grid.resize(columns=grid.sheet.columnCount + args.length)
    return {}


def _append_cells(change: Change, args: AppendCells) -> dict[str, Any]:
    grid = change.grid(args.sheetId)
    filled = (position for position, row in grid.rows.items() if row.cells)
    first = max(filled, default=0) + 1
    grid.resize(rows=max(grid.sheet.rowCount, first + len(args.rows) - 1))
    _put_cells(change, grid, args.rows, args.fields, first, 1)
    return {}


def _update_cells(change: Change, args: UpdateCells) -> dict[str, Any]:
    if (args.start is None) == (args.range is None):
        raise change.refuse("exactly one of start and range is expected")
    if args.start is not None:
        grid = change.grid(args.start.sheetId)
        _put_cells(change, grid, args.rows, args.fields, args.start.rowIndex + 1, args.start.columnIndex + 1)
        return {}
    area = args.range or GridRange()
    grid = change.grid(area.sheetId)
    if _mask(args.fields) & {"*", "userEnteredValue"}:
        for position, columns in _filled(grid, area):
            grid.write(position, {column: Entry(None) for column in columns})
    _put_cells(change, grid, args.rows, args.fields, area.startRowIndex + 1, area.startColumnIndex + 1)
    return {}


def _put_cells(change: Change, grid: Grid, rows: list[RowData], fields: str, row: int, column: int) -> None:
    if not any(name.startswith("userEnteredValue") or name == "*" for name in _mask(fields)):
        return
    width = max((len(line.values) for line in rows), default=0)
    if (rows and row + len(rows) - 1 > grid.sheet.rowCount) or column + width - 1 > grid.sheet.columnCount:
        raise change.refuse("Attempting to write outside of the grid")
    for step, line in enumerate(rows):
        entries = {}
        for offset, cell in enumerate(line.values):
            value = cell.userEnteredValue.entered if cell.userEnteredValue else None
            where = f"rows[{step}].values[{offset}]"
            entries[column + offset] = (
                Entry(None) if value is None else entry_of(value, "RAW", change.spreadsheet, change.call, where)
            )
        if entries:
            grid.write(row + step, entries)


def _find_replace(change: Change, args: FindReplace) -> dict[str, Any]:
    if (args.range is not None) + (args.sheetId is not None) + args.allSheets != 1:
        raise change.refuse("exactly one of range, sheetId and allSheets is expected")
    if args.allSheets:
        areas = [GridRange(sheetId=sheet.sheetId) for sheet in sheets_of(change.call, change.spreadsheet)]
    else:
        areas = [args.range or GridRange(sheetId=args.sheetId or 0)]
    counts = [_replace_in(change, args, area) for area in areas]
    totals = [sum(column) for column in zip(*counts, strict=True)]
    sheets = sum(bool(count[0]) for count in counts)
    names = ("valuesChanged", "rowsChanged", "occurrencesChanged")
    reply = {**dict(zip(names, totals, strict=True)), "sheetsChanged": sheets}
    return {"findReplace": {name: count for name, count in reply.items() if count}}


def _replace_in(change: Change, args: FindReplace, area: GridRange) -> tuple[int, int, int]:
    """Values, rows and occurrences changed in one area."""
    grid = change.grid(area.sheetId)
    values = rows = occurrences = 0
    for position, columns in _filled(grid, area):
        entries = {}
        for column in columns:
            shown = show(grid.cell(position, column), grid.format(position, column))
            text, count = _replaced(shown, args)
            if count:
                entries[column] = read_entry(text, change.spreadsheet.locale, change.call.now)
                occurrences += count
        if entries:
            grid.write(position, entries)
            values, rows = values + len(entries), rows + 1
    return values, rows, occurrences


def _replaced(text: str, args: FindReplace) -> tuple[str, int]:
    """The text with every occurrence replaced, and how many there were."""
    sought, searched = (args.find, text) if args.matchCase else (args.find.lower(), text.lower())
    if len(searched) != len(text):
        searched = text
    if args.matchEntireCell:
        return (args.replacement, 1) if searched == sought else (text, 0)
    parts, start, count = [], 0, 0
    while (found := searched.find(sought, start)) >= 0:
        parts += [text[start:found], args.replacement]
        start, count = found + len(sought), count + 1
    return "".join(parts) + text[start:], count


def _sort_range(change: Change, args: SortRange) -> dict[str, Any]:
    area = args.range
    grid = change.grid(area.sheetId)
    last = min(area.endRowIndex or grid.sheet.rowCount, grid.sheet.rowCount)
    order = list(range(area.startRowIndex + 1, min(last, grid.last_row) + 1))
    width = max((len(grid.rows[position].cells) for position in order if position in grid.rows), default=0)
    if area.startColumnIndex > 0 or (area.endColumnIndex or width) < width:
        raise change.refuse("sorting some columns of a table only is not simulated; give a range of whole rows")
    for spec in reversed(args.sortSpecs):
        column = spec.dimensionIndex + 1
        keys = {position: _sort_key(grid, position, column) for position in order}
        blank = [position for position in order if grid.cell(position, column) is None]
        held = [position for position in order if grid.cell(position, column) is not None]
        order = sorted(held, key=keys.__getitem__, reverse=spec.sortOrder == "DESCENDING") + blank
    grid.reorder(order, area.startRowIndex + 1)
    return {}


def _sort_key(grid: Grid, position: int, column: int) -> tuple[int, float, str]:
    """Numbers come before text and text before truth values; text sorts without regard to case."""
    cell = grid.cell(position, column)
    if isinstance(cell, bool):
        return 2, float(cell), ""
    return (1, 0.0, cell.lower()) if isinstance(cell, str) else (0, float(cell or 0), "")


def _filled(grid: Grid, area: GridRange) -> list[tuple[int, list[int]]]:
    """Position and filled columns of every row of the area that has some."""
    last = area.endRowIndex or grid.sheet.rowCount
    found = []
    for position in sorted(position for position in grid.rows if area.startRowIndex < position <= last):
        cells = grid.rows[position].cells
        end = min(area.endColumnIndex or len(cells), len(cells))
        columns = [c for c in range(area.startColumnIndex + 1, end + 1) if cells[c - 1] is not None]
        if columns:
            found.append((position, columns))
    return found


def _span(change: Change, span: DimensionRange) -> tuple[Grid, int, int | None]:
    """The grid and the first and last row or column, counted from 1."""
    if span.endIndex is not None and span.endIndex <= span.startIndex:
        raise change.refuse(f"range.endIndex[{span.endIndex}] must be after range.startIndex[{span.startIndex}]")
    return change.grid(span.sheetId), span.startIndex + 1, span.endIndex


def _free_title(change: Change, sheets: list[Sheet], title: str) -> None:
    if any(sheet.title.lower() == title.lower() for sheet in sheets):
        raise change.refuse(f'A sheet with the name "{title}" already exists. Please enter another name.')


def _mask(fields: str) -> set[str]:
    """Names of a field mask."""
    return {name.strip().removeprefix("properties.") for name in fields[:2000].split(",")}


_KINDS: dict[str, tuple[type[BaseModel], Callable[[Change, Any], dict[str, Any]]]] = {
    "addSheet": (AddSheet, _add_sheet),
    "deleteSheet": (DeleteSheet, _delete_sheet),
    "updateSheetProperties": (UpdateSheet, _update_sheet),
    "updateSpreadsheetProperties": (UpdateSpreadsheet, _update_spreadsheet),
    "deleteDimension": (DeleteDimension, _delete_dimension),
    "insertDimension": (InsertDimension, _insert_dimension),
    "appendDimension": (AppendDimension, _append_dimension),
    "appendCells": (AppendCells, _append_cells),
    "updateCells": (UpdateCells, _update_cells),
    "findReplace": (FindReplace, _find_replace),
    "sortRange": (SortRange, _sort_range),
}
