"""Google Sheets' operations as named tools; a spreadsheet is given by title or id, a column by its header."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from pydantic import ConfigDict, Field

from environment.apps.google_sheets.a1 import cell_name, column_letters, column_number, quoted_title
from environment.apps.google_sheets.drive import MIME_TYPE
from environment.apps.kit import Action, AppError, Args, Fetch, bounded

_ID = re.compile(r"[\w-]{40,60}", re.ASCII)
_FILES = "https://www.googleapis.com/drive/v3/files"
_EVERYTHING = "1:1000000"
_READ_LIMIT, _FIND_LIMIT, _LIST_LIMIT = 20, 20, 200


class TextArgs(Args):
    """Numbers are taken where text is expected."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


class NoArgs(Args):
    pass


class SpreadsheetArgs(TextArgs):
    spreadsheet: str = Field(description="Title or id")


class FindArgs(SpreadsheetArgs):
    column: str = Field(description="Header of the column")
    value: str = Field(description="Text to find")
    sheet: str | None = Field(None, description="Tab name")


class ReadArgs(SpreadsheetArgs):
    sheet: str | None = Field(None, description="Tab name")
    start_row: int | None = Field(None, description="First row")
    limit: int | None = Field(None, description="Number of rows")


class UpdateArgs(SpreadsheetArgs):
    row: int = Field(description="Row number")
    column: str = Field(description="Header of the column")
    value: str = Field(description="New value")
    sheet: str | None = Field(None, description="Tab name")


class AppendArgs(SpreadsheetArgs):
    values: list[str] = Field(description="Values in header order")
    sheet: str | None = Field(None, description="Tab name")


class DeleteArgs(SpreadsheetArgs):
    row: int = Field(description="Row number")
    sheet: str | None = Field(None, description="Tab name")


class AddSheetArgs(SpreadsheetArgs):
    title: str = Field(description="Name of the tab")


class CreateArgs(TextArgs):
    title: str = Field(description="Title")


def _find_rows(fetch: Fetch, args: FindArgs) -> Any:
    spreadsheet = _resolve(fetch, args.spreadsheet)
    headers, rows = _table(fetch, spreadsheet, args.sheet)
    column = _column(headers, args.column)
    wanted = args.value.strip().casefold()
    found = [
        _record(headers, row, cells)
        for row, cells in rows
        if column <= len(cells) and wanted in str(cells[column - 1]).casefold()
    ]
    return found[:_FIND_LIMIT]


def _read_rows(fetch: Fetch, args: ReadArgs) -> Any:
    spreadsheet = _resolve(fetch, args.spreadsheet)
    headers, rows = _table(fetch, spreadsheet, args.sheet)
    start, limit = max(args.start_row or 2, 1), min(max(args.limit or _READ_LIMIT, 1), 500)
    wanted = [(row, cells) for row, cells in rows if row >= start and any(cell != "" for cell in cells)]
    answer: dict[str, Any] = {"rows": [_record(headers, row, cells) for row, cells in wanted[:limit]]}
    if len(wanted) > limit:
        answer["next_row"] = wanted[limit][0]
    return answer


def _update_cell(fetch: Fetch, args: UpdateArgs) -> Any:
    spreadsheet = _resolve(fetch, args.spreadsheet)
    headers = _values(fetch, spreadsheet, _range(args.sheet, "1:1"))
    column = _column(headers[0] if headers else [], args.column)
    if args.row < 1:
        raise AppError(400, f"there is no row {args.row}; rows are counted from 1")
    _write(fetch, spreadsheet, _range(args.sheet, cell_name(args.row, column)), args.value)
    return {"row": args.row, "column": args.column, "value": args.value}


def _append_row(fetch: Fetch, args: AppendArgs) -> Any:
    spreadsheet = _resolve(fetch, args.spreadsheet)
    path = f"/v4/spreadsheets/{spreadsheet}/values/{quote(_range(args.sheet, 'A1'), safe='')}:append"
    answer = fetch("POST", path, {"valueInputOption": "USER_ENTERED"}, {"values": [args.values]})
    written = answer["updates"]["updatedRange"].rpartition("!")[2]
    return {"row": int(re.sub(r"\D", "", written.partition(":")[0]))}


def _list_sheets(fetch: Fetch, args: SpreadsheetArgs) -> Any:
    found = fetch("GET", f"/v4/spreadsheets/{_resolve(fetch, args.spreadsheet)}")["sheets"]
    return bounded([sheet["properties"]["title"] for sheet in found], _LIST_LIMIT, "a sheet can be read by its title")


def _list_spreadsheets(fetch: Fetch, args: NoArgs) -> Any:
    found = fetch("GET", _FILES, {"q": f"mimeType = '{MIME_TYPE}'", "pageSize": 1000})["files"]
    shown = [{"id": file["id"], "title": file["name"]} for file in found]
    return bounded(shown, _LIST_LIMIT, "a spreadsheet can be read by its title")


def _delete_row(fetch: Fetch, args: DeleteArgs) -> Any:
    spreadsheet = _resolve(fetch, args.spreadsheet)
    if args.row < 1:
        raise AppError(400, f"there is no row {args.row}; rows are counted from 1")
    span = {"dimension": "ROWS", "startIndex": args.row - 1, "endIndex": args.row}
    number = _sheet_number(fetch, spreadsheet, args.sheet)
    _batch(fetch, spreadsheet, {"deleteDimension": {"range": {"sheetId": number, **span}}})
    return {"row": args.row, "deleted": True}


def _add_sheet(fetch: Fetch, args: AddSheetArgs) -> Any:
    spreadsheet = _resolve(fetch, args.spreadsheet)
    _batch(fetch, spreadsheet, {"addSheet": {"properties": {"title": args.title}}})
    return {"sheet": args.title}


def _create_spreadsheet(fetch: Fetch, args: CreateArgs) -> Any:
    made = fetch("POST", "/v4/spreadsheets", None, {"properties": {"title": args.title}})
    return {"id": made["spreadsheetId"], "title": made["properties"]["title"]}


def _resolve(fetch: Fetch, spreadsheet: str) -> str:
    """Id of the spreadsheet with this title; what already looks like an id stays."""
    wanted = spreadsheet.strip()
    if _ID.fullmatch(wanted):
        return wanted
    escaped = wanted.replace("\\", "\\\\").replace("'", "\\'")
    files = fetch("GET", _FILES, {"q": f"name contains '{escaped}' and mimeType = '{MIME_TYPE}'"})["files"]
    exact = [file for file in files if file["name"].casefold() == wanted.casefold()]
    found = exact or files
    if len(found) == 1:
        return found[0]["id"]
    if not found:
        raise AppError(404, f"no spreadsheet is called {wanted[:80]!r}")
    names = ", ".join(f"{file['name']} ({file['id']})" for file in found[:5])
    raise AppError(400, f"several spreadsheets are called that: {names}")


def _range(sheet: str | None, cells: str) -> str:
    return f"{quoted_title(sheet)}!{cells}" if sheet else cells


def _values(fetch: Fetch, spreadsheet: str, cells: str) -> list[list[str]]:
    return fetch("GET", f"/v4/spreadsheets/{spreadsheet}/values/{quote(cells, safe='')}").get("values", [])


def _write(fetch: Fetch, spreadsheet: str, cells: str, value: str) -> None:
    path = f"/v4/spreadsheets/{spreadsheet}/values/{quote(cells, safe='')}"
    fetch("PUT", path, {"valueInputOption": "USER_ENTERED"}, {"values": [[value]]})


def _batch(fetch: Fetch, spreadsheet: str, request: dict[str, Any]) -> None:
    fetch("POST", f"/v4/spreadsheets/{spreadsheet}:batchUpdate", None, {"requests": [request]})


def _table(fetch: Fetch, spreadsheet: str, sheet: str | None) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The headers, and every row from the first with its number."""
    values = _values(fetch, spreadsheet, _range(sheet, _EVERYTHING))
    return (values[0] if values else []), list(enumerate(values, 1))


def _column(headers: list[str], wanted: str) -> int:
    """Number of the column with this header, or with these letters when no header is so called."""
    name = wanted.strip().casefold()
    for column, header in enumerate(headers, 1):
        if header.strip().casefold() == name:
            return column
    if re.fullmatch(r"[A-Z]{1,2}", wanted.strip()):
        return column_number(wanted.strip())
    raise AppError(400, f"there is no column {wanted[:80]!r}; columns are {', '.join(filter(None, headers))}")


def _record(headers: list[str], row: int, cells: list[str]) -> dict[str, Any]:
    named = {
        (headers[index] if index < len(headers) else "") or column_letters(index + 1): cell
        for index, cell in enumerate(cells)
        if cell != ""
    }
    return {"row": row, **named}


def _sheet_number(fetch: Fetch, spreadsheet: str, sheet: str | None) -> int:
    found = [item["properties"] for item in fetch("GET", f"/v4/spreadsheets/{spreadsheet}")["sheets"]]
    for properties in found:
        if properties["title"].casefold() == sheet.casefold() if sheet else not properties.get("hidden"):
            return properties["sheetId"]
    raise AppError(400, f"there is no tab {(sheet or '')[:80]!r}; tabs are {', '.join(p['title'] for p in found)}")


ACTIONS = (
    Action("google_sheets_find_rows", "read", "Find rows by a column's text.", FindArgs, _find_rows),
    Action("google_sheets_read_rows", "read", "Read rows of a sheet.", ReadArgs, _read_rows),
    Action("google_sheets_update_cell", "write", "Change one cell.", UpdateArgs, _update_cell),
    Action("google_sheets_append_row", "write", "Add a row at the end.", AppendArgs, _append_row),
    Action("google_sheets_list_sheets", "read", "List a spreadsheet's tabs.", SpreadsheetArgs, _list_sheets),
    Action("google_sheets_list_spreadsheets", "read", "List spreadsheets.", NoArgs, _list_spreadsheets),
    Action("google_sheets_delete_row", "write", "Delete one row.", DeleteArgs, _delete_row),
    Action("google_sheets_add_sheet", "write", "Add a tab.", AddSheetArgs, _add_sheet),
    Action("google_sheets_create_spreadsheet", "write", "Create a spreadsheet.", CreateArgs, _create_spreadsheet),
)
