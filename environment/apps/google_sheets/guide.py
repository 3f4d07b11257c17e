"""The guide to the APIs of Google Sheets, and of Google Drive as far as spreadsheets are found with it."""

from __future__ import annotations

from environment.apps.guide import Guide, Hint

_UPDATED = "{spreadsheetId, updatedRange, updatedRows, updatedCells}"

GUIDE = Guide(
    words="spreadsheet workbook sheet table",
    glossary={
        "values": "cell row column line",
        "spreadsheet": "workbook sheet tab",
        "append": "add new row bottom end line",
        "files": "spreadsheet document workbook name title",
        "clear": "empty erase wipe",
        "batch": "several many",
    },
    paging={"pageToken": "nextPageToken of the answer is pageToken of the next call"},
    hints={
        "read_values": Hint("{range, majorDimension, values: [[<cell>, ...], ...]}; trailing blank cells are left out"),
        "batch_read_values": Hint(
            "{valueRanges: [{range, values: [[<cell>, ...], ...]}]}", {"ranges": ["Returns!A1:C1", "Returns!A2:C50"]}
        ),
        "append_values": Hint(
            "{spreadsheetId, tableRange, updates: {updatedRange, updatedRows}}",
            {"valueInputOption": "USER_ENTERED"},
            {"values": [["RMA-554", "Received", 120.5]]},
        ),
        "update_values": Hint(
            _UPDATED, {"valueInputOption": "USER_ENTERED"}, {"values": [["RMA-553", "Refunded", None]]}
        ),
        "batch_update_values": Hint(
            "{spreadsheetId, totalUpdatedCells, responses: [{updatedRange}]}",
            body={
                "valueInputOption": "USER_ENTERED",
                "data": [{"range": "Returns!B2", "values": [["Refunded"]]}, {"range": "Returns!C2", "values": [[930]]}],
            },
        ),
        "clear_values": Hint("{spreadsheetId, clearedRange}"),
        "batch_clear_values": Hint("{spreadsheetId, clearedRanges}", body={"ranges": ["Returns!A5:C9"]}),
        "get_spreadsheet": Hint(
            "{spreadsheetId, properties: {title}, sheets: [{properties: {sheetId, title, gridProperties}}]}"
        ),
        "create_spreadsheet": Hint(
            "{spreadsheetId, spreadsheetUrl, sheets}",
            body={"properties": {"title": "Report"}, "sheets": [{"properties": {"title": "March"}}]},
        ),
        "batch_update": Hint(
            "{spreadsheetId, replies: [...]}; also deleteSheet, insertDimension, appendCells, updateCells, "
            "findReplace, sortRange; rows and columns count from 0, endIndex is exclusive",
            body={
                "requests": [
                    {"addSheet": {"properties": {"title": "April"}}},
                    {"deleteDimension": {"range": {"sheetId": 0, "dimension": "ROWS", "startIndex": 4, "endIndex": 5}}},
                ]
            },
        ),
        "list_files": Hint(
            "{files: [{id, name, mimeType}], nextPageToken}; id is the spreadsheetId",
            {"q": "name contains 'Returns' and mimeType='application/vnd.google-apps.spreadsheet'"},
        ),
        "get_file": Hint("{id, name, mimeType}"),
    },
)
