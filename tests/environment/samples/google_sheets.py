"""Google Sheets in the sample world."""

from __future__ import annotations

from typing import Any

from environment.apps.google_sheets import rows as sheets

_BOOK = sheets.spreadsheet_id(1)
_SHEET = sheets.sheet_id(_BOOK, 0)

ROWS: dict[str, tuple[dict[str, Any], ...]] = {
    "Spreadsheet": ({"id": _BOOK, "title": "Returns log"},),
    "Sheet": ({"id": _SHEET, "spreadsheet_id": _BOOK, "sheetId": 0, "title": "Returns"},),
    "GridRow": tuple(
        {"id": sheets.grid_row_id(_SHEET, serial), "sheet_id": _SHEET, "position": serial, "cells": cells}
        for serial, cells in enumerate((["RMA", "Status", "Amount"], ["RMA-553", "Received", 930.0]), 1)
    ),
}

_RANGES = ["Returns!A1:C2", "A1", "Returns", "B2:B", "2:2"]
_RULES = [
    {"addSheet": {"properties": {"title": "Log"}}},
    {"deleteDimension": {"range": {"sheetId": 0, "dimension": "ROWS", "startIndex": 1, "endIndex": 2}}},
    {"updateSheetProperties": {"properties": {"sheetId": 0, "title": "Old"}, "fields": "title"}},
    {"updateSpreadsheetProperties": {"properties": {"title": "Log"}, "fields": "title"}},
    {"insertDimension": {"range": {"sheetId": 0, "dimension": "COLUMNS", "startIndex": 1, "endIndex": 2}}},
    {"appendDimension": {"sheetId": 0, "dimension": "ROWS", "length": 3}},
    {"appendCells": {"sheetId": 0, "rows": [{"values": [{"userEnteredValue": {"numberValue": 9}}]}], "fields": "*"}},
    {
        "updateCells": {
            "rows": [{"values": [{"userEnteredValue": {"formulaValue": "=SUM(C2:C9)"}}, {}]}],
            "fields": "userEnteredValue",
            "start": {"sheetId": 0, "rowIndex": 1, "columnIndex": 2},
        }
    },
    {"findReplace": {"find": "received", "replacement": "Credited", "range": {"sheetId": 0, "startRowIndex": 1}}},
    {
        "sortRange": {
            "range": {"sheetId": 0, "startRowIndex": 1, "endRowIndex": 9},
            "sortSpecs": [{"dimensionIndex": 2, "sortOrder": "DESCENDING"}],
        }
    },
    {"deleteSheet": {"sheetId": 0}},
]

MEANT: dict[str, list[Any]] = {
    "spreadsheet": [_BOOK, "Returns log"],
    "spreadsheetId": [_BOOK],
    "fileId": [_BOOK],
    "sheet": ["Returns"],
    "range": _RANGES,
    "ranges": [*_RANGES, _RANGES],
    "column": ["Status", "RMA", "B"],
    "row": [1, 2, 3],
    "value": ["Credited", "RMA-553", "930"],
    "valueInputOption": ["RAW", "USER_ENTERED"],
    "values": [[["RMA-561", "In transit", "12%"]], [[]], ["RMA-561", "=A1", "4 March 2026"]],
    "data": [[{"range": "A1:B1", "values": [["x", None]]}]],
    "requests": [[rule] for rule in _RULES],
    "properties": [{"title": "New"}],
}
