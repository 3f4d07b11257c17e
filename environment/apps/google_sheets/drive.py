"""Finding spreadsheets by name: Drive's files.list and files.get, answered here as long as Drive is not simulated."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field

from environment.apps.google_sheets.rows import GridRow, Sheet, Spreadsheet
from environment.apps.kit import AppError, Args, Call, Route

MIME_TYPE = "application/vnd.google-apps.spreadsheet"
_TERM = re.compile(
    r"(?:(name|fullText|mimeType)\s*(contains|!=|=)\s*'((?:[^'\\]|\\.)*)'|trashed\s*(!=|=)\s*(true|false))(?:\s+and\s+|$)"
)


class ListArgs(Args):
    q: str | None = Field(None, description="Such as name contains 'budget' and mimeType = '…spreadsheet'")
    pageSize: int = Field(100, description="Files a page, at most 1000")
    pageToken: str | None = Field(None, description="nextPageToken of the page before")
    orderBy: str | None = Field(None, description="name, or name desc")
    fields: str | None = Field(None, description="Ignored here")
    spaces: str | None = Field(None, description="Ignored here")
    corpora: str | None = Field(None, description="Ignored here")
    supportsAllDrives: bool = Field(False, description="Ignored here")
    includeItemsFromAllDrives: bool = Field(False, description="Ignored here")


class GetArgs(Args):
    fileId: str = Field(description="ID of the file")
    fields: str | None = Field(None, description="Ignored here")
    supportsAllDrives: bool = Field(False, description="Ignored here")


def list_files(call: Call, args: ListArgs) -> Any:
    """Lists the user's files, such as spreadsheets by name."""
    terms = _terms(args.q)
    found = [sheet for sheet in call.tables.all(Spreadsheet) if all(_holds(call, term, sheet) for term in terms)]
    if args.orderBy in ("name", "name desc", "name_natural", "name_natural desc"):
        found.sort(key=lambda sheet: sheet.title.lower(), reverse=args.orderBy.endswith("desc"))
    if not 1 <= args.pageSize <= 1000:
        raise AppError(400, f"Invalid value '{args.pageSize}'. Values must be within the range: [1, 1000]")
    start = _start(args.pageToken)
    shown, more = found[start : start + args.pageSize], start + args.pageSize < len(found)
    return {
        "kind": "drive#fileList",
        "incompleteSearch": False,
        **({"nextPageToken": f"~{start + args.pageSize}"} if more else {}),
        "files": [_file(sheet) for sheet in shown],
    }


def get_file(call: Call, args: GetArgs) -> Any:
    """Gets a file's metadata by ID."""
    found = call.tables.find(Spreadsheet, args.fileId)
    if found is None:
        raise AppError(404, f"File not found: {args.fileId[:80]}.", "NOT_FOUND")
    return _file(found)


def _file(spreadsheet: Spreadsheet) -> dict[str, Any]:
    return {"kind": "drive#file", "mimeType": MIME_TYPE, "id": spreadsheet.id, "name": spreadsheet.title}


def _terms(query: str | None) -> list[tuple[str, ...]]:
    """The conditions that `and` joins, each as the groups of `_TERM`."""
    text, terms = (query or "").strip(), []
    if len(text) > 2000:
        raise AppError(400, "Invalid Value")
    start = 0
    while start < len(text):
        match = _TERM.match(text, start)
        if match is None:
            raise AppError(400, "Invalid Value")
        terms.append(tuple(group or "" for group in match.groups()))
        start = match.end()
    return terms


def _holds(call: Call, term: tuple[str, ...], spreadsheet: Spreadsheet) -> bool:
    field, operator, value, trashed_operator, trashed = term
    if trashed:
        return (trashed == "false") == (trashed_operator == "=")
    wanted = re.sub(r"\\(.)", r"\1", value).lower()
    if field == "fullText":
        return operator == "contains" and wanted in _full_text(call, spreadsheet).lower()
    held = (spreadsheet.title if field == "name" else MIME_TYPE).lower()
    if operator == "contains":
        return _begins_a_word(wanted, held) if field == "name" else wanted in held
    return (held == wanted) == (operator == "=")


def _full_text(call: Call, spreadsheet: Spreadsheet) -> str:
    rows = [
        row
        for sheet in call.tables.where(Sheet, "spreadsheet_id", spreadsheet.id)
        for row in call.tables.where(GridRow, "sheet_id", sheet.id)
    ]
    return "\n".join([spreadsheet.title, *(str(cell) for row in rows for cell in row.cells if cell is not None)])


def _begins_a_word(wanted: str, held: str) -> bool:
    """Drive's `name contains` finds beginnings of words only."""
    start = held.find(wanted)
    while start >= 0:
        if start == 0 or not held[start - 1].isalnum():
            return True
        start = held.find(wanted, start + 1)
    return False


def _start(token: str | None) -> int:
    if not token:
        return 0
    match = re.fullmatch(r"~(\d{1,9})", token)
    if match is None:
        raise AppError(400, "Invalid Value")
    return int(match[1])


_HOST = "www.googleapis.com"

ROUTES = (
    Route(
        "list_files",
        "GET",
        "/drive/v3/files",
        "read",
        ListArgs,
        list_files,
        as_action=False,
        host=_HOST,
        keywords="drive find spreadsheet by name search",
    ),
    Route(
        "get_file",
        "GET",
        "/drive/v3/files/{fileId}",
        "read",
        GetArgs,
        get_file,
        as_action=False,
        host=_HOST,
        keywords="drive",
    ),
)
