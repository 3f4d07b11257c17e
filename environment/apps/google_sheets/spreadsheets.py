"""The spreadsheets.* methods: a spreadsheet with its sheets and cells, a new one, and batches of changes."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from environment.apps.google_sheets import batch
from environment.apps.google_sheets.a1 import Area, parse_range
from environment.apps.google_sheets.batch import CreateSpreadsheet, check, properties_view
from environment.apps.google_sheets.entry import Cell, serial_number, show
from environment.apps.google_sheets.grid import Grid, new_sheet_number, sheet_of, sheets_of, spreadsheet_of
from environment.apps.google_sheets.rows import Sheet, Spreadsheet, sheet_id
from environment.apps.kit import AppError, Args, Call, Many, Route


class GetArgs(Args):
    spreadsheetId: str = Field(description="ID of the spreadsheet")
    ranges: Many = Field([], description="Only sheets and cells in these A1 ranges")
    includeGridData: bool = Field(False, description="Whether to answer the cells too")
    excludeTablesInBandedRanges: bool = Field(False, description="Ignored here")
    fields: str | None = Field(None, description="Field mask; ignored here, everything is answered")


class CreateArgs(Args):
    properties: Any = Field(None, description="Object with the title")
    sheets: Any = Field(None, description="List of sheets, each with properties.title")


class BatchArgs(Args):
    spreadsheetId: str = Field(description="ID of the spreadsheet")
    requests: Any = Field(description="List of changes, each an object with one key such as addSheet")
    includeSpreadsheetInResponse: bool = Field(False, description="Whether to answer the changed spreadsheet")
    responseIncludeGridData: bool = Field(False, description="Whether that answer includes cells")
    responseRanges: list[str] = Field([], description="Ranges that limit that answer")


def get_spreadsheet(call: Call, args: GetArgs) -> Any:
    """Returns the spreadsheet at the given ID: its title and sheets."""
    return _view(call, spreadsheet_of(call, args.spreadsheetId), args.ranges, args.includeGridData)


def create_spreadsheet(call: Call, args: CreateArgs) -> Any:
    """Creates a spreadsheet, returning the newly created spreadsheet."""
    wanted = check(CreateSpreadsheet, args.model_dump(exclude_none=True), "spreadsheet")
    given = wanted.properties.model_dump(include={"title", "locale", "timeZone"}, exclude_none=True)
    made = Spreadsheet.model_validate({"title": "Untitled spreadsheet", **given, "id": call.tables.new_id(Spreadsheet)})
    call.tables.put(made)
    titles = [sheet.properties.title or f"Sheet{number}" for number, sheet in enumerate(wanted.sheets or [], 1)] or [
        "Sheet1"
    ]
    if len({title.lower() for title in titles}) < len(titles):
        raise AppError(400, "Invalid sheets: the titles of sheets must differ")
    for index, title in enumerate(titles):
        number = index if index == 0 else new_sheet_number(call, made)
        call.tables.put(
            Sheet(id=sheet_id(made.id, number), spreadsheet_id=made.id, sheetId=number, title=title, index=index)
        )
    return _view(call, made, [], False)


def batch_update(call: Call, args: BatchArgs) -> Any:
    """Applies one or more updates to the spreadsheet: sheets added, rows deleted, cells replaced; all or none."""
    spreadsheet = spreadsheet_of(call, args.spreadsheetId)
    if not isinstance(args.requests, list) or not args.requests:
        raise AppError(400, "Must specify at least one request.")
    replies = [batch.apply(call, spreadsheet, index, request) for index, request in enumerate(args.requests)]
    answer: dict[str, Any] = {"spreadsheetId": spreadsheet.id, "replies": replies}
    if args.includeSpreadsheetInResponse:
        current = spreadsheet_of(call, spreadsheet.id)
        answer["updatedSpreadsheet"] = _view(call, current, args.responseRanges, args.responseIncludeGridData)
    return answer


def _view(call: Call, spreadsheet: Spreadsheet, ranges: list[str], with_cells: bool) -> dict[str, Any]:
    areas: dict[str, list[Area]] = {}
    for text in ranges:
        wanted = parse_range(text)
        areas.setdefault(sheet_of(call, spreadsheet, wanted, text).id, []).append(wanted.area)
    sheets = []
    for sheet in sheets_of(call, spreadsheet):
        if ranges and sheet.id not in areas:
            continue
        view: dict[str, Any] = {"properties": properties_view(sheet)}
        if with_cells:
            grid = Grid(call, sheet)
            view["data"] = [_cells_view(grid, area) for area in areas.get(sheet.id, [Area()])]
        sheets.append(view)
    return {
        "spreadsheetId": spreadsheet.id,
        "properties": {
            "title": spreadsheet.title,
            "locale": spreadsheet.locale,
            "autoRecalc": "ON_CHANGE",
            "timeZone": spreadsheet.timeZone,
        },
        "sheets": sheets,
        "spreadsheetUrl": f"https://docs.google.com/spreadsheets/d/{spreadsheet.id}/edit",
    }


def _cells_view(grid: Grid, area: Area) -> dict[str, Any]:
    first_row, last_row, first_column, last_column = grid.bounded(area)
    lines: list[dict[str, Any]] = []
    for position in range(first_row, min(last_row, grid.last_row) + 1):
        held = grid.rows.get(position)
        cells = held.cells[first_column - 1 : last_column] if held else ()
        shapes = held.formats if held else {}
        shown = [_cell_view(cell, shapes.get(str(first_column - 1 + step))) for step, cell in enumerate(cells)]
        lines.append({"values": shown} if shown else {})
    starts = {"startRow": first_row - 1, "startColumn": first_column - 1}
    return {**{name: start for name, start in starts.items() if start}, "rowData": lines}


def _cell_view(cell: Cell, shape: str | None) -> dict[str, Any]:
    if cell is None:
        return {}
    value = serial_number(cell, shape)
    if isinstance(value, bool):
        typed: dict[str, Any] = {"boolValue": value}
    elif isinstance(value, str):
        typed = {"formulaValue": value} if value.startswith("=") else {"stringValue": value}
    else:
        typed = {"numberValue": value}
    return {"userEnteredValue": typed, "effectiveValue": typed, "formattedValue": show(cell, shape)}


ROUTES = (
    Route(
        "get_spreadsheet",
        "GET",
        "/v4/spreadsheets/{spreadsheetId}",
        "read",
        GetArgs,
        get_spreadsheet,
        as_action=False,
        keywords="list sheets tabs titles",
    ),
    Route(
        "create_spreadsheet",
        "POST",
        "/v4/spreadsheets",
        "write",
        CreateArgs,
        create_spreadsheet,
        as_action=False,
        keywords="new",
    ),
    Route(
        "batch_update",
        "POST",
        "/v4/spreadsheets/{spreadsheetId}:batchUpdate",
        "write",
        BatchArgs,
        batch_update,
        as_action=False,
        keywords="addSheet deleteDimension insertDimension add rename delete tab sort insert rows columns replace",
    ),
)
