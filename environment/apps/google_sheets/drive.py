"""Finding spreadsheets by name: Drive's files.list and files.get, answered here as long as Drive is not simulated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pydantic import Field

from environment.apps.google_sheets.rows import GridRow, Sheet, Spreadsheet
from environment.apps.kit import AppError, Args, Call, Route
from environment.query.drive_q import parse_drive_q
from environment.query.grammar import QueryError

MIME_TYPE = "application/vnd.google-apps.spreadsheet"


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


class _Searched:
    """A spreadsheet as a query sees it: in the user's top folder, without times."""

    mimeType = MIME_TYPE
    trashed = starred = sharedWithMe = False
    modifiedTime = createdTime = viewedByMeTime = sharedWithMeTime = None
    parents, owners, writers, readers = ("root",), ("me",), ("me",), ("me",)
    properties: Mapping[str, str] = {}
    appProperties = properties

    def __init__(self, call: Call, spreadsheet: Spreadsheet) -> None:
        self.name = spreadsheet.title
        self._call, self._spreadsheet = call, spreadsheet

    @cached_property
    def full_text(self) -> str:
        sheets = self._call.tables.where(Sheet, "spreadsheet_id", self._spreadsheet.id)
        rows = (row for sheet in sheets for row in self._call.tables.where(GridRow, "sheet_id", sheet.id))
        return "\n".join([self.name, *(str(cell) for row in rows for cell in row.cells if cell is not None)])


def list_files(call: Call, args: ListArgs) -> Any:
    """Lists the user's files, such as spreadsheets by name."""
    try:
        passes = parse_drive_q(args.q or "")
    except QueryError:
        raise AppError(400, "Invalid Value") from None
    found = [sheet for sheet in call.tables.all(Spreadsheet) if passes(_Searched(call, sheet))]
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
