"""Google Sheets as a simulated application.

After the Sheets API v4 reference at developers.google.com/workspace/sheets/api/reference/rest. Values
entered as USER_ENTERED are read as numbers, percentages, sums of money ($, £, €, ¥), dates or truth values; a date is
kept in ISO form with the format it is shown in. A formula is kept and shown as its text, it is not computed. A row
that becomes blank stays a row. A batch of changes is applied whole or not at all.

Drive's files.list and files.get answer here (read only, spreadsheets only, conditions joined by `and`) until Drive is
simulated. Left out: times of day, decimal commas, cell formatting and notes, field masks, named and protected ranges,
filters, charts, pivot tables, developer metadata, data validation, searching with regular expressions, sorting part of
a table's columns, copying sheets.
"""

from __future__ import annotations

from typing import Any

from environment.apps.google_sheets import drive, spreadsheets, values
from environment.apps.google_sheets.actions import ACTIONS
from environment.apps.google_sheets.guide import GUIDE
from environment.apps.google_sheets.rows import GridRow, Sheet, Spreadsheet, spreadsheet_id
from environment.apps.kit import App, AppError

_STATUSES = {400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 405: "UNIMPLEMENTED"}


def _error_body(error: AppError) -> Any:
    return {
        "error": {
            "code": error.status,
            "message": error.message,
            "status": _STATUSES.get(error.status, "INVALID_ARGUMENT"),
        }
    }


APP = App(
    name="google_sheets",
    title="Google Sheets",
    host="sheets.googleapis.com",
    hosts_also=("www.googleapis.com",),
    base_path="",
    rows=(Spreadsheet, Sheet, GridRow),
    ids={Spreadsheet: spreadsheet_id},
    routes=(*values.ROUTES, *spreadsheets.ROUTES, *drive.ROUTES),
    error_body=_error_body,
    derived={GridRow: frozenset({"position", "formats"}), Sheet: frozenset({"index", "rowCount", "columnCount"})},
    actions=ACTIONS,
    guide=GUIDE,
)
