"""The spreadsheets.values.* methods: reading, writing, appending and clearing ranges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from environment.apps.google_sheets.a1 import Area, format_range, parse_range
from environment.apps.google_sheets.entry import Entry
from environment.apps.google_sheets.grid import (
    Grid,
    entry_of,
    rendered,
    sheet_of,
    spreadsheet_of,
)
from environment.apps.google_sheets.rows import Spreadsheet
from environment.apps.kit import AppError, Args, Call, Many, Route

Major = Literal["ROWS", "COLUMNS", "DIMENSION_UNSPECIFIED"]
Render = Literal["FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA"]
Dates = Literal["SERIAL_NUMBER", "FORMATTED_STRING"]
_MOST_CELLS = 15_000
"""Of one request, as read in time; Sheets itself asks for requests of at most two megabytes."""
_ID = "ID of the spreadsheet"
_OPTION = "USER_ENTERED reads text as if typed, RAW keeps it; required"


class ReadArgs(Args):
    spreadsheetId: str = Field(description=_ID)
    range: str = Field(description="A1 notation, such as 'My Sheet'!A2:C")
    majorDimension: Major = Field("ROWS", description="Whether the answer lists rows or columns")
    valueRenderOption: Render = Field("FORMATTED_VALUE", description="Text as shown, or values")
    dateTimeRenderOption: Dates = Field("SERIAL_NUMBER", description="How dates are given when not as shown")


class BatchReadArgs(Args):
    spreadsheetId: str = Field(description=_ID)
    ranges: Many = Field([], description="Ranges in A1 notation; repeat the parameter for several")
    majorDimension: Major = Field("ROWS", description="Whether the answer lists rows or columns")
    valueRenderOption: Render = Field("FORMATTED_VALUE", description="Text as shown, or values")
    dateTimeRenderOption: Dates = Field("SERIAL_NUMBER", description="How dates are given when not as shown")


class UpdateArgs(Args):
    spreadsheetId: str = Field(description=_ID)
    range: str = Field(description="A1 notation of where to write")
    valueInputOption: str | None = Field(None, description=_OPTION)
    values: Any = Field(None, description="List of rows, each a list of values; null leaves a cell alone")
    majorDimension: Major = Field("ROWS", description="Whether values lists rows or columns")
    includeValuesInResponse: bool = Field(False, description="Whether to answer the values written")
    responseValueRenderOption: Render = Field("FORMATTED_VALUE", description="How the answer shows values")
    responseDateTimeRenderOption: Dates = Field("SERIAL_NUMBER", description="How the answer shows dates")


class AppendArgs(UpdateArgs):
    insertDataOption: Literal["OVERWRITE", "INSERT_ROWS"] = Field(
        "OVERWRITE", description="Whether rows are inserted for the new data"
    )


class ClearArgs(Args):
    spreadsheetId: str = Field(description=_ID)
    range: str = Field(description="A1 notation of what to clear")


class BatchClearArgs(Args):
    spreadsheetId: str = Field(description=_ID)
    ranges: list[str] = Field(description="Ranges in A1 notation")


class BatchUpdateArgs(Args):
    spreadsheetId: str = Field(description=_ID)
    valueInputOption: str | None = Field(None, description=_OPTION)
    data: Any = Field(None, description="List of {range, values, majorDimension}")
    includeValuesInResponse: bool = Field(False, description="Whether to answer the values written")
    responseValueRenderOption: Render = Field("FORMATTED_VALUE", description="How the answer shows values")
    responseDateTimeRenderOption: Dates = Field("SERIAL_NUMBER", description="How the answer shows dates")


def read_values(call: Call, args: ReadArgs) -> Any:
    """Returns a range of values from a spreadsheet."""
    return _value_range(call, spreadsheet_of(call, args.spreadsheetId), args.range, args)


def batch_read_values(call: Call, args: BatchReadArgs) -> Any:
    """Returns one or more ranges of values from a spreadsheet."""
    spreadsheet = spreadsheet_of(call, args.spreadsheetId)
    found = [_value_range(call, spreadsheet, text, args) for text in args.ranges]
    return {"spreadsheetId": spreadsheet.id, "valueRanges": found}


def update_values(call: Call, args: UpdateArgs) -> Any:
    """Sets values in a range of a spreadsheet."""
    spreadsheet = spreadsheet_of(call, args.spreadsheetId)
    option = _input_option(args.valueInputOption)
    return _update(call, spreadsheet, args.range, args.values, args.majorDimension, option, args)


def batch_update_values(call: Call, args: BatchUpdateArgs) -> Any:
    """Sets values in one or more ranges of a spreadsheet."""
    spreadsheet = spreadsheet_of(call, args.spreadsheetId)
    option = _input_option(args.valueInputOption)
    items = [args.data] if isinstance(args.data, dict) else args.data or []
    if not isinstance(items, list):
        raise AppError(400, "Invalid value at 'data': a list of value ranges is expected")
    responses = []
    for index, item in enumerate(items):
        if not isinstance(item, Mapping) or not isinstance(item.get("range"), str):
            raise AppError(400, f"Invalid data[{index}]: a value range with 'range' and 'values' is expected")
        unknown = sorted(set(item) - {"range", "values", "majorDimension"})
        if unknown:
            raise AppError(400, f"Unknown name \"{unknown[0][:80]}\" at 'data[{index}]': Cannot find field.")
        major = item.get("majorDimension", "ROWS")
        if major not in ("ROWS", "COLUMNS"):
            raise AppError(400, f"Invalid value at 'data[{index}].major_dimension'")
        responses.append(_update(call, spreadsheet, item["range"], item.get("values"), major, option, args))
    return {
        "spreadsheetId": spreadsheet.id,
        "totalUpdatedRows": sum(response["updatedRows"] for response in responses),
        "totalUpdatedColumns": sum(response["updatedColumns"] for response in responses),
        "totalUpdatedCells": sum(response["updatedCells"] for response in responses),
        "totalUpdatedSheets": len({response["updatedRange"].rpartition("!")[0] for response in responses}),
        "responses": responses,
    }


def append_values(call: Call, args: AppendArgs) -> Any:
    """Appends values to a spreadsheet after the last row of the table found in the range."""
    spreadsheet = spreadsheet_of(call, args.spreadsheetId)
    option = _input_option(args.valueInputOption)
    wanted = parse_range(args.range)
    grid = Grid(call, sheet_of(call, spreadsheet, wanted, args.range))
    lines = _lines(args.values, args.majorDimension)
    entries = _entries(lines, option, spreadsheet, call)
    table = _table(grid, wanted.area)
    row, column = (table[1] + 1, table[2]) if table else (wanted.area.first_row, wanted.area.first_column)
    width = max(map(len, lines), default=0)
    if column + width - 1 > grid.sheet.columnCount:
        raise grid.beyond(row, column + width - 1)
    if args.insertDataOption == "INSERT_ROWS" and lines:
        grid.insert_rows(row, len(lines))
    grid.resize(rows=max(grid.sheet.rowCount, row + len(lines) - 1))
    _write(grid, row, column, entries)
    answer: dict[str, Any] = {"spreadsheetId": spreadsheet.id}
    if table:
        answer["tableRange"] = format_range(grid.sheet.title, *table)
    answer["updates"] = _updated(spreadsheet, grid, row, column, lines, args)
    return answer


def clear_values(call: Call, args: ClearArgs) -> Any:
    """Clears values from a spreadsheet."""
    spreadsheet = spreadsheet_of(call, args.spreadsheetId)
    return {"spreadsheetId": spreadsheet.id, "clearedRange": _clear(call, spreadsheet, args.range)}


def batch_clear_values(call: Call, args: BatchClearArgs) -> Any:
    """Clears one or more ranges of values from a spreadsheet."""
    spreadsheet = spreadsheet_of(call, args.spreadsheetId)
    return {
        "spreadsheetId": spreadsheet.id,
        "clearedRanges": [_clear(call, spreadsheet, text) for text in args.ranges],
    }


def _value_range(call: Call, spreadsheet: Spreadsheet, text: str, args: ReadArgs | BatchReadArgs) -> dict[str, Any]:
    wanted = parse_range(text)
    grid = Grid(call, sheet_of(call, spreadsheet, wanted, text))
    bounds = grid.bounded(wanted.area)
    major = "COLUMNS" if args.majorDimension == "COLUMNS" else "ROWS"
    answer: dict[str, Any] = {"range": format_range(grid.sheet.title, *bounds), "majorDimension": major}
    values = _read(grid, bounds, args.valueRenderOption, args.dateTimeRenderOption)
    if major == "COLUMNS":
        width = max(map(len, values), default=0)
        columns = [[line[index] if index < len(line) else "" for line in values] for index in range(width)]
        values = _cut([_cut(column) for column in columns])
    if values:
        answer["values"] = values
    return answer


def _read(grid: Grid, bounds: tuple[int, int, int, int], render: str, dates: str) -> list[Any]:
    first_row, last_row, first_column, last_column = bounds
    held = [grid.rows.get(position) for position in range(first_row, min(last_row, grid.last_row) + 1)]
    if render == "FORMATTED_VALUE":
        # what nearly every call asks for, of whole sheets; the row has it at hand
        lines = [list(row.shown[first_column - 1 : last_column]) if row else [] for row in held]
    else:
        lines = [rendered(row, first_column, last_column, render, dates) if row else [] for row in held]
    return _cut([_cut(line) if line and line[-1] == "" else line for line in lines])


def _cut(items: list[Any]) -> list[Any]:
    """Without the empty ones at the end."""
    while items and items[-1] in ("", []):
        items.pop()
    return items


def _input_option(given: str | None) -> str:
    if given in (None, "", "INPUT_VALUE_OPTION_UNSPECIFIED"):
        raise AppError(400, "'valueInputOption' is required but not specified")
    if given not in ("RAW", "USER_ENTERED"):
        raise AppError(400, f"Invalid value at 'value_input_option', \"{str(given)[:80]}\"")
    return str(given)


def _lines(values: Any, major: str) -> list[list[Any]]:
    """The values as rows. Raises AppError 400 when they are not a list of lists."""
    given = [] if values is None else values
    if not isinstance(given, list):
        raise AppError(400, "Invalid value at 'data.values' (type.googleapis.com/google.protobuf.ListValue)")
    for index, line in enumerate(given):
        if not isinstance(line, list):
            raise AppError(
                400, f"Invalid value at 'data.values[{index}]' (type.googleapis.com/google.protobuf.ListValue)"
            )
    height = max(map(len, given), default=0)
    cells = height * len(given) if major == "COLUMNS" else sum(map(len, given))
    if cells > _MOST_CELLS:
        raise AppError(
            400, f"Invalid value at 'data.values': a request may hold {_MOST_CELLS:,} cells, given {cells:,}"
        )
    if major != "COLUMNS":
        return given
    return [[line[index] if index < len(line) else None for line in given] for index in range(height)]


def _entries(lines: list[list[Any]], option: str, spreadsheet: Spreadsheet, call: Call) -> list[dict[int, Entry]]:
    """For each row the entry of each column that is not null."""
    return [
        {
            column: entry_of(value, option, spreadsheet, call, f"values[{row}][{column}]")
            for column, value in enumerate(line)
            if value is not None
        }
        for row, line in enumerate(lines)
    ]


def _write(grid: Grid, row: int, column: int, entries: list[dict[int, Entry]]) -> None:
    for step, line in enumerate(entries):
        if line:
            grid.write(row + step, {column + offset: entry for offset, entry in line.items()})


def _update(
    call: Call,
    spreadsheet: Spreadsheet,
    text: str,
    values: Any,
    major: str,
    option: str,
    args: UpdateArgs | BatchUpdateArgs,
) -> dict[str, Any]:
    wanted = parse_range(text)
    grid = Grid(call, sheet_of(call, spreadsheet, wanted, text))
    first_row, last_row, first_column, last_column = grid.bounded(wanted.area)
    lines = _lines(values, major)
    height, width = len(lines), max(map(len, lines), default=0)
    end_row, end_column = first_row + height - 1, first_column + width - 1
    if end_row > grid.sheet.rowCount or end_column > grid.sheet.columnCount:
        raise grid.beyond(max(end_row, first_row), max(end_column, first_column))
    if not wanted.area.is_anchor:
        within = format_range(grid.sheet.title, first_row, last_row, first_column, last_column)
        if end_row > last_row:
            raise AppError(400, f"Requested writing within range [{within}], but tried writing to row [{last_row + 1}]")
        if end_column > last_column:
            letters = format_range("x", 1, 1, last_column + 1, last_column + 1)[2:-1]
            raise AppError(400, f"Requested writing within range [{within}], but tried writing to column [{letters}]")
    _write(grid, first_row, first_column, _entries(lines, option, spreadsheet, call))
    return _updated(spreadsheet, grid, first_row, first_column, lines, args)


def _updated(
    spreadsheet: Spreadsheet,
    grid: Grid,
    row: int,
    column: int,
    lines: list[list[Any]],
    args: UpdateArgs | BatchUpdateArgs,
) -> dict[str, Any]:
    height, width = len(lines), max(map(len, lines), default=0)
    bounds = (row, row + max(height, 1) - 1, column, column + max(width, 1) - 1)
    written = format_range(grid.sheet.title, *bounds)
    answer = {
        "spreadsheetId": spreadsheet.id,
        "updatedRange": written,
        "updatedRows": height,
        "updatedColumns": width,
        "updatedCells": sum(value is not None for line in lines for value in line),
    }
    if args.includeValuesInResponse:
        shown = _read(grid, bounds, args.responseValueRenderOption, args.responseDateTimeRenderOption)
        answer["updatedData"] = {"range": written, "majorDimension": "ROWS", "values": shown}
    return answer


def _clear(call: Call, spreadsheet: Spreadsheet, text: str) -> str:
    wanted = parse_range(text)
    grid = Grid(call, sheet_of(call, spreadsheet, wanted, text))
    first_row, last_row, first_column, last_column = bounds = grid.bounded(wanted.area)
    for position in range(first_row, min(last_row, grid.last_row) + 1):
        held = grid.rows.get(position)
        blank = {
            column: Entry(None)
            for column in range(first_column, min(last_column, len(held.cells) if held else 0) + 1)
            if grid.cell(position, column) is not None
        }
        if blank:
            grid.write(position, blank)
    return format_range(grid.sheet.title, *bounds)


def _table(grid: Grid, area: Area) -> tuple[int, int, int, int] | None:
    """The last table that the area touches: a block of cells with no blank row or column through it.

    First and last row, first and last column; None when the area holds nothing.
    """
    filled = {
        position: [column for column, cell in enumerate(row.cells, 1) if cell is not None]
        for position, row in grid.rows.items()
    }
    last_row, last_column = area.last_row or grid.sheet.rowCount, area.last_column or grid.sheet.columnCount
    if area.is_anchor and area.first_row == area.last_row:
        touched = _around(filled, area.first_row, area.first_column)
    else:
        touched = [
            (position, columns[0], columns[-1])
            for position, held in filled.items()
            if area.first_row <= position <= last_row
            and (columns := [column for column in held if area.first_column <= column <= last_column])
        ]
    if not touched:
        return None
    row, left, right = max(touched)
    top = bottom = row
    size = 0
    while size != (bottom - top + 1) * (right - left + 1):
        size = (bottom - top + 1) * (right - left + 1)
        while any(left - 1 <= column <= right + 1 for column in filled.get(top - 1, ())):
            top -= 1
        while any(left - 1 <= column <= right + 1 for column in filled.get(bottom + 1, ())):
            bottom += 1
        occupied = {column for position in range(top, bottom + 1) for column in filled.get(position, ())}
        while left - 1 in occupied:
            left -= 1
        while right + 1 in occupied:
            right += 1
    return top, bottom, left, right


def _around(filled: dict[int, list[int]], row: int, column: int) -> list[tuple[int, int, int]]:
    """The cell itself, or one that touches it, when it is filled."""
    return [
        (position, near, near)
        for position in (row - 1, row, row + 1)
        for near in filled.get(position, ())
        if abs(near - column) <= 1
    ]


_PATH = "/v4/spreadsheets/{spreadsheetId}/values"
_OPTIONS = ("valueInputOption", "includeValuesInResponse", "responseValueRenderOption", "responseDateTimeRenderOption")

ROUTES = (
    Route("batch_read_values", "GET", f"{_PATH}:batchGet", "read", BatchReadArgs, batch_read_values, as_action=False),
    Route(
        "batch_update_values",
        "POST",
        f"{_PATH}:batchUpdate",
        "write",
        BatchUpdateArgs,
        batch_update_values,
        as_action=False,
        keywords="write cells several ranges",
    ),
    Route(
        "batch_clear_values",
        "POST",
        f"{_PATH}:batchClear",
        "write",
        BatchClearArgs,
        batch_clear_values,
        as_action=False,
        keywords="empty cells several ranges",
    ),
    Route(
        "append_values",
        "POST",
        f"{_PATH}/{{range}}:append",
        "write",
        AppendArgs,
        append_values,
        query=(*_OPTIONS, "insertDataOption"),
        as_action=False,
        keywords="add row new rows",
    ),
    Route(
        "clear_values",
        "POST",
        f"{_PATH}/{{range}}:clear",
        "write",
        ClearArgs,
        clear_values,
        as_action=False,
        keywords="empty cells",
    ),
    Route(
        "read_values",
        "GET",
        f"{_PATH}/{{range}}",
        "read",
        ReadArgs,
        read_values,
        as_action=False,
        keywords="read rows cells get sheet data",
    ),
    Route(
        "update_values",
        "PUT",
        f"{_PATH}/{{range}}",
        "write",
        UpdateArgs,
        update_values,
        query=_OPTIONS,
        as_action=False,
        keywords="write cells set row",
    ),
)
