"""Google Sheets: ranges, entries, tables, batches of changes, how a contract addresses rows, and its actions."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest

from environment.apps.google_sheets.a1 import column_letters, column_number, parse_range, quoted_title
from environment.apps.google_sheets.app import APP
from environment.apps.google_sheets.entry import read_entry, show
from environment.apps.google_sheets.rows import GridRow, grid_row_id, sheet_id, spreadsheet_id
from environment.apps.kit import App, Args, Call, Route
from environment.attempt import Verdict
from environment.contract import Change, Contract, Date, Enum, Equals, Money
from environment.episode import derived_fields
from environment.server import Response, Server
from environment.tools import ActionTools
from environment.verifier import verify
from environment.world import Base, World

NOW = datetime(2026, 3, 4, 9, 20, tzinfo=UTC)
BOOK, OTHER = spreadsheet_id(417), spreadsheet_id(418)
LOG, NOTES, PLAN = sheet_id(BOOK, 0), sheet_id(BOOK, 7), sheet_id(OTHER, 0)
HEADERS = ["RMA", "Supplier", "Amount", "Received", "Status", "Credit note"]
LINES: list[list[Any]] = [
    HEADERS,
    ["RMA-553", "Larkfield Optics", 930, "2026-03-01", "Received"],
    ["RMA-561", "Larkfield Optical", 386.5, None, "In transit"],
    ["RMA-562", "O'Brien & Co", 12, None, "Open", "CN-1"],
]
PLAN_LINES: list[list[Any]] = [[], [None, "Item", "Cost"], [None, "Desk", 200], [], [None, None, None, "x", "y"], ["z"]]


def _rows(sheet: str, lines: list[list[Any]]) -> list[dict[str, Any]]:
    return [
        {"id": grid_row_id(sheet, number), "sheet_id": sheet, "position": number, "cells": cells}
        for number, cells in enumerate(lines, 1)
    ]


WORLD = {
    "google_sheets": {
        "Spreadsheet": [{"id": BOOK, "title": "Returns log"}, {"id": OTHER, "title": "Office plan", "locale": "en_GB"}],
        "Sheet": [
            {"id": NOTES, "spreadsheet_id": BOOK, "sheetId": 7, "title": "My Notes", "index": 1, "rowCount": 5},
            {"id": LOG, "spreadsheet_id": BOOK, "sheetId": 0, "title": "Log", "index": 0},
            {"id": PLAN, "spreadsheet_id": OTHER, "sheetId": 0, "title": "Sheet1", "index": 0, "columnCount": 6},
        ],
        "GridRow": [*_rows(LOG, LINES), *_rows(NOTES, [["No credit before Received."]]), *_rows(PLAN, PLAN_LINES)],
    }
}


class Sheets:
    """One world, its API and its actions."""

    def __init__(self) -> None:
        self.world = World(Base(WORLD, {"google_sheets": {kind.__name__: kind for kind in APP.rows}}), NOW)  # type: ignore[arg-type]
        self._server = Server((APP,), self.world, {})
        self._actions = ActionTools(self._server, (APP,), tuple(action.name for action in APP.all_actions))

    def fetch(self, method: str, path: str, params: Any = None, body: Any = None) -> Response:
        host = "www.googleapis.com" if path.startswith("/drive") else "sheets.googleapis.com"
        return self._server.fetch(method, f"https://{host}{path}", params, body)

    def values(self, cells: str, book: str = BOOK, **params: Any) -> Any:
        return self.fetch("GET", f"/v4/spreadsheets/{book}/values/{quote(cells, safe='')}", params).body

    def update(self, cells: str, values: Any, option: str = "USER_ENTERED", book: str = BOOK) -> Response:
        path = f"/v4/spreadsheets/{book}/values/{quote(cells, safe='')}"
        return self.fetch("PUT", path, {"valueInputOption": option}, {"values": values})

    def append(self, cells: str, values: Any, book: str = BOOK, **params: Any) -> Any:
        path = f"/v4/spreadsheets/{book}/values/{quote(cells, safe='')}:append"
        return self.fetch("POST", path, {"valueInputOption": "RAW", **params}, {"values": values}).body

    def batch(self, *requests: Any, book: str = BOOK) -> Response:
        return self.fetch("POST", f"/v4/spreadsheets/{book}:batchUpdate", None, {"requests": list(requests)})

    def action(self, name: str, /, **arguments: Any) -> Any:
        return json.loads(self._actions.call(f"google_sheets_{name}", arguments))

    def verdict(self, *changes: Change) -> Verdict:
        return verify(Contract(all_of=changes), self.world.changes(), derived_fields((APP,)))


@pytest.fixture
def sheets() -> Sheets:
    return Sheets()


# --- ranges ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "answered", "values"),
    [
        ("Log!A1:B2", "Log!A1:B2", [["RMA", "Supplier"], ["RMA-553", "Larkfield Optics"]]),
        ("log!b2:a1", "Log!A1:B2", [["RMA", "Supplier"], ["RMA-553", "Larkfield Optics"]]),
        ("B3", "Log!B3", [["Larkfield Optical"]]),
        ("$C$2:$C$3", "Log!C2:C3", [["930"], ["386.5"]]),
        ("Log!F:F", "Log!F1:F1000", [["Credit note"], [], [], ["CN-1"]]),
        ("E3:Z3", "Log!E3:Z3", [["In transit"]]),
        ("C2:E3", "Log!C2:E3", [["930", "2026-03-01", "Received"], ["386.5", "", "In transit"]]),
        ("Log!A4:A", "Log!A4:A1000", [["RMA-562"]]),
        ("4:4", "Log!A4:Z4", [["RMA-562", "O'Brien & Co", "12", "", "Open", "CN-1"]]),
        ("Log!A5:F9", "Log!A5:F9", None),
        ("A1:ZZ5000", "Log!A1:Z1000", [[str(cell) if cell is not None else "" for cell in line] for line in LINES]),
        ("'My Notes'", "'My Notes'!A1:Z5", [["No credit before Received."]]),
        ("My Notes!A1", "'My Notes'!A1", [["No credit before Received."]]),
    ],
)
def test_reading_a_range(sheets: Sheets, asked: str, answered: str, values: Any) -> None:
    expected = {"range": answered, "majorDimension": "ROWS"} | ({} if values is None else {"values": values})
    assert sheets.values(asked) == expected


@pytest.mark.parametrize(
    "text", ["", "!", "Nope!A1", "Log!", "Log!A", "Log!1", "Log!A0", "Log!A0:B0", "A1:B2:C3", "'Log", "x" * 9999]
)
def test_a_range_that_names_nothing_cannot_be_parsed(sheets: Sheets, text: str) -> None:
    answer = sheets.fetch("GET", f"/v4/spreadsheets/{BOOK}/values:batchGet", {"ranges": [text]})
    assert (answer.status, answer.body["error"]["status"]) == (400, "INVALID_ARGUMENT")
    assert answer.body["error"]["message"].startswith("Unable to parse range: ")


def test_a_range_outside_of_the_grid_is_refused(sheets: Sheets) -> None:
    message = sheets.values("'My Notes'!A6")["error"]["message"]
    assert message == "Range ('My Notes'!A6) exceeds grid limits. Max rows: 5, max columns: 26"


def test_an_unknown_spreadsheet_is_not_found(sheets: Sheets) -> None:
    answer = sheets.fetch("GET", f"/v4/spreadsheets/{spreadsheet_id(9)}/values/A1")
    message = "Requested entity was not found."
    assert (answer.status, answer.body) == (404, {"error": {"code": 404, "message": message, "status": "NOT_FOUND"}})


def test_columns_come_without_empty_ends(sheets: Sheets) -> None:
    answer = sheets.values("D1:F4", majorDimension="COLUMNS", valueRenderOption="UNFORMATTED_VALUE")
    assert answer["values"] == [
        ["Received", "2026-03-01"],
        ["Status", "Received", "In transit", "Open"],
        ["Credit note", "", "", "CN-1"],
    ]


def test_column_letters_count_without_a_zero() -> None:
    assert [column_letters(number) for number in (1, 26, 27, 52, 53, 702, 703)] == [
        "A",
        "Z",
        "AA",
        "AZ",
        "BA",
        "ZZ",
        "AAA",
    ]
    assert all(column_number(column_letters(number)) == number for number in range(1, 2000))


@pytest.mark.parametrize("title", ["Log", "Q1", "My Notes", "it's", "2026", "a!b", "Café"])
def test_a_quoted_title_is_read_back(title: str) -> None:
    assert parse_range(f"{quoted_title(title)}!B2").title == title


# --- entries ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "value", "shown"),
    [
        ("930", 930, "930"),
        (" 930.50 ", 930.5, "930.5"),
        ("-1,240.5", -1240.5, "-1,240.50"),
        ("1,24", "1,24", "1,24"),
        ("12,345", 12345, "12,345"),
        ("00417", 417, "417"),
        ("'00417", "00417", "00417"),
        ("$1,240", 1240, "$1,240"),
        ("-£930.00", -930.0, "-£930.00"),
        ("€ 5", 5, "€5"),
        ("GBP 930.00", "GBP 930.00", "GBP 930.00"),
        ("45%", 0.45, "45%"),
        ("12.5%", 0.125, "12.50%"),
        ("true", True, "TRUE"),
        ("2026-03-04", "2026-03-04", "2026-03-04"),
        ("3/4/2026", "2026-03-04", "3/4/2026"),
        ("3/4", "2026-03-04", "3/4"),
        ("13/4/2026", "13/4/2026", "13/4/2026"),
        ("Mar 4, 2026", "2026-03-04", "Mar 4, 2026"),
        ("4 March 2026", "2026-03-04", "4 March 2026"),
        ("2026-02-30", "2026-02-30", "2026-02-30"),
        ("1e3", 1000.0, "1.00E+03"),
        ("1e999", "1e999", "1e999"),
        ("555-0142", "555-0142", "555-0142"),
        ("RMA-553", "RMA-553", "RMA-553"),
        ("=SUM(A1:A3)", "=SUM(A1:A3)", "=SUM(A1:A3)"),
        ("9" * 300, float("9" * 300), None),
        ("9" * 399, "9" * 399, "9" * 399),
        ("١٢", "١٢", "١٢"),
    ],
)
def test_typed_text_becomes_what_a_sheet_makes_of_it(typed: str, value: Any, shown: str | None) -> None:
    entry = read_entry(typed, "en_US", NOW)
    assert (entry.value, type(entry.value)) == (value, type(value))
    if shown is not None:
        assert show(entry.value, entry.format) == shown


def test_days_come_first_outside_of_america() -> None:
    assert read_entry("3/4/2026", "en_GB", NOW).value == "2026-04-03"


def test_raw_text_stays_text_and_entered_text_becomes_a_number(sheets: Sheets) -> None:
    sheets.update("Log!C2:C3", [["1240"], ["$5.00"]], option="RAW")
    assert sheets.values("C2:C3", valueRenderOption="UNFORMATTED_VALUE")["values"] == [["1240"], ["$5.00"]]
    sheets.update("Log!C2:C3", [["1240"], ["$5.00"]])
    assert sheets.values("C2:C3", valueRenderOption="UNFORMATTED_VALUE")["values"] == [[1240], [5.0]]
    assert sheets.values("C2:C3")["values"] == [["1240"], ["$5.00"]]


def test_a_number_put_in_a_formatted_cell_takes_its_format(sheets: Sheets) -> None:
    sheets.update("Log!C2", [["$5.00"]])
    sheets.update("Log!C2", [[7]])
    assert sheets.values("C2")["values"] == [["$7.00"]]
    sheets.update("Log!C2", [["seven"]])
    sheets.update("Log!C2", [[7]])
    assert sheets.values("C2")["values"] == [["7"]]


def test_an_entered_date_is_a_number_of_days_without_its_format(sheets: Sheets) -> None:
    sheets.update("Log!D3", [["Mar 4, 2026"]])
    assert sheets.values("D3")["values"] == [["Mar 4, 2026"]]
    assert sheets.values("D3", valueRenderOption="UNFORMATTED_VALUE")["values"] == [
        [(NOW.date() - datetime(1899, 12, 30).date()).days]
    ]
    as_text = {"valueRenderOption": "UNFORMATTED_VALUE", "dateTimeRenderOption": "FORMATTED_STRING"}
    assert sheets.values("D3", **as_text)["values"] == [["Mar 4, 2026"]]


# --- writing ---------------------------------------------------------------------------------------------------------


def test_null_leaves_a_cell_alone_and_empty_text_clears_it(sheets: Sheets) -> None:
    answer = sheets.update("Log!D2:F2", [[None, "", "CN-20431"]])
    assert (answer.body["updatedRange"], answer.body["updatedCells"]) == ("Log!D2:F2", 2)
    assert sheets.values("D2:F2")["values"] == [["2026-03-01", "", "CN-20431"]]


@pytest.mark.parametrize(
    ("cells", "values", "option", "message"),
    [
        ("A1", [["x"]], "", "'valueInputOption' is required but not specified"),
        ("A1", [["x"]], "raw", "Invalid value at 'value_input_option', \"raw\""),
        ("A2:B2", [[1, 2, 3]], "RAW", "Requested writing within range [Log!A2:B2], but tried writing to column [C]"),
        ("A2:B2", [[1], [2]], "RAW", "Requested writing within range [Log!A2:B2], but tried writing to row [3]"),
        ("Z1000", [[1], [2]], "RAW", "Range (Log!Z1001) exceeds grid limits. Max rows: 1000, max columns: 26"),
        ("A1", ["x"], "RAW", "Invalid value at 'data.values[0]' (type.googleapis.com/google.protobuf.ListValue)"),
        ("A1", "x", "RAW", "Invalid value at 'data.values' (type.googleapis.com/google.protobuf.ListValue)"),
        ("A1", [["fine", {"a": 1}]], "RAW", "Invalid values[0][1]: struct_value"),
        ("A1", [[10**400]], "RAW", "Invalid values[0][0]: number_value"),
        (
            "A1",
            [["x" * 50_001]],
            "RAW",
            "Your input contains more than the maximum of 50000 characters in a single cell.",
        ),
    ],
)
def test_refused_writes_leave_every_cell_alone(
    sheets: Sheets, cells: str, values: Any, option: str, message: str
) -> None:
    answer = sheets.update(cells, values, option)
    assert (answer.status, answer.body["error"]["message"]) == (400, message)
    assert sheets.world.changes() == ()


def test_a_batch_of_ranges_is_written_whole_or_not_at_all(sheets: Sheets) -> None:
    path = f"/v4/spreadsheets/{BOOK}/values:batchUpdate"
    data = [{"range": "Log!E3:F3", "values": [["Received", "CN-2"]]}, {"range": "'My Notes'!A2", "values": [["seen"]]}]
    body = {"valueInputOption": "RAW", "data": data}
    answer = sheets.fetch("POST", path, None, body).body
    totals = ("totalUpdatedRows", "totalUpdatedColumns", "totalUpdatedCells", "totalUpdatedSheets")
    assert [answer[name] for name in totals] == [2, 3, 3, 2]
    before = sheets.world.changes()
    refused = sheets.fetch(
        "POST", path, None, {**body, "data": [{"range": "A1", "values": [["y"]]}, {"range": "Nope!A1"}]}
    )
    assert refused.status == 400
    assert sheets.world.changes() == before


def test_clearing_keeps_the_rows(sheets: Sheets) -> None:
    answer = sheets.fetch("POST", f"/v4/spreadsheets/{BOOK}/values/Log!A2:F3:clear")
    assert answer.body == {"spreadsheetId": BOOK, "clearedRange": "Log!A2:F3"}
    assert [change.after and change.after["cells"] for change in sheets.world.changes()] == [[], []]
    assert sheets.values("Log!A1:A")["values"] == [["RMA"], [], [], ["RMA-562"]]


@pytest.mark.parametrize(
    ("cells", "table", "written"),
    [
        ("Sheet1", "Sheet1!A6", "Sheet1!A7"),
        ("Sheet1!B2", "Sheet1!B2:C3", "Sheet1!B4"),
        ("Sheet1!B2:C2", "Sheet1!B2:C3", "Sheet1!B4"),
        ("Sheet1!A1:C4", "Sheet1!B2:C3", "Sheet1!B4"),
        ("Sheet1!D:D", "Sheet1!D5:E5", "Sheet1!D6"),
        ("Sheet1!F1", None, "Sheet1!F1"),
        ("Sheet1!A9:F20", None, "Sheet1!A9"),
    ],
)
def test_rows_are_appended_below_the_table_that_the_range_touches(
    sheets: Sheets, cells: str, table: str | None, written: str
) -> None:
    answer = sheets.append(cells, [["p"]], book=OTHER)
    assert (answer.get("tableRange"), answer["updates"]["updatedRange"]) == (table, written)
    assert sheets.values(written, book=OTHER)["values"] == [["p"]]


def test_a_row_wider_than_the_sheet_is_not_appended(sheets: Sheets) -> None:
    answer = sheets.append("Sheet1!F1", [["p", "q"]], book=OTHER)
    assert answer["error"]["message"] == "Range (Sheet1!G1) exceeds grid limits. Max rows: 1000, max columns: 6"


def test_appending_overwrites_what_is_below_unless_rows_are_inserted(sheets: Sheets) -> None:
    sheets.append("Sheet1!B2", [["p"], ["q"]], book=OTHER)
    assert sheets.values("B4:E6", book=OTHER)["values"] == [["p"], ["q", "", "x", "y"]]
    inserted = Sheets()
    inserted.append("Sheet1!B2", [["p"], ["q"]], book=OTHER, insertDataOption="INSERT_ROWS")
    assert inserted.values("A4:E8", book=OTHER)["values"] == [["", "p"], ["", "q"], [], ["", "", "", "x", "y"], ["z"]]


def test_appending_makes_a_full_sheet_longer(sheets: Sheets) -> None:
    sheets.update("'My Notes'!A2", [["a"], ["b"], ["c"], ["d"]])
    answer = sheets.append("'My Notes'", [["e"], ["f"]])
    assert answer["updates"]["updatedRange"] == "'My Notes'!A6:A7"
    assert sheets.values("'My Notes'!A7")["values"] == [["f"]]


# --- batchUpdate -----------------------------------------------------------------------------------------------------


def test_deleting_a_row_moves_the_rest_up_and_is_one_change(sheets: Sheets) -> None:
    span = {"sheetId": 0, "dimension": "ROWS", "startIndex": 1, "endIndex": 2}
    assert sheets.batch({"deleteDimension": {"range": span}}).body == {"spreadsheetId": BOOK, "replies": [{}]}
    assert sheets.values("A1:A")["values"] == [["RMA"], ["RMA-561"], ["RMA-562"]]
    gone = Change(label="gone", app="google_sheets", collection="GridRow", action="delete", id=grid_row_id(LOG, 2))
    assert sheets.verdict(gone).strict


def test_inserting_rows_and_columns_moves_cells(sheets: Sheets) -> None:
    sheets.update("Log!C2", [["$5.00"]])
    sheets.batch(
        {"insertDimension": {"range": {"sheetId": 0, "dimension": "ROWS", "startIndex": 1, "endIndex": 3}}},
        {"insertDimension": {"range": {"sheetId": 0, "dimension": "COLUMNS", "startIndex": 1, "endIndex": 2}}},
    )
    assert sheets.values("A4:D4")["values"] == [["RMA-553", "", "Larkfield Optics", "$5.00"]]
    sheets.batch({"deleteDimension": {"range": {"sheetId": 0, "dimension": "COLUMNS", "startIndex": 0, "endIndex": 2}}})
    assert sheets.values("A4:B4")["values"] == [["Larkfield Optics", "$5.00"]]


def test_sorting_whole_rows_is_no_change_of_their_cells(sheets: Sheets) -> None:
    area = {"sheetId": 0, "startRowIndex": 1}
    assert sheets.batch({"sortRange": {"range": area, "sortSpecs": [{"dimensionIndex": 2}]}}).status == 200
    assert sheets.values("C2:C4")["values"] == [["12"], ["386.5"], ["930"]]
    assert all(
        change.before and change.after and change.before["cells"] == change.after["cells"]
        for change in sheets.world.changes()
    )
    back = [{"dimensionIndex": 3, "sortOrder": "DESCENDING"}, {"dimensionIndex": 0}]
    sheets.batch({"sortRange": {"range": area, "sortSpecs": back}})
    assert sheets.world.changes() == ()


def test_find_and_replace_counts_what_it_changed(sheets: Sheets) -> None:
    answer = sheets.batch({"findReplace": {"find": "larkfield", "replacement": "Hill", "allSheets": True}}).body
    assert answer["replies"] == [
        {"findReplace": {"valuesChanged": 2, "rowsChanged": 2, "occurrencesChanged": 2, "sheetsChanged": 1}}
    ]
    assert sheets.values("B2:B3")["values"] == [["Hill Optics"], ["Hill Optical"]]


def test_cells_are_written_by_coordinate_and_appended(sheets: Sheets) -> None:
    cells = [{"userEnteredValue": {"stringValue": "Received"}}, {"userEnteredValue": {"numberValue": 5}}, {}]
    start = {"sheetId": 0, "rowIndex": 2, "columnIndex": 4}
    sheets.batch({"updateCells": {"rows": [{"values": cells[:2]}], "fields": "userEnteredValue", "start": start}})
    sheets.batch({"appendCells": {"sheetId": 0, "rows": [{"values": cells}], "fields": "*"}})
    assert sheets.values("E3:F3")["values"] == [["Received", "5"]]
    assert sheets.values("A5:C5")["values"] == [["Received", "5"]]
    sheets.batch(
        {"updateCells": {"rows": [{"values": cells}], "fields": "userEnteredFormat", "start": {"rowIndex": 0}}}
    )
    assert sheets.values("A1")["values"] == [["RMA"]]


def test_sheets_are_added_renamed_and_deleted(sheets: Sheets) -> None:
    answer = sheets.batch({"addSheet": {"properties": {"title": "Archive", "index": 0}}}).body
    number = answer["replies"][0]["addSheet"]["properties"]["sheetId"]
    rename = {"properties": {"sheetId": number, "title": "Old"}, "fields": "title"}
    sheets.batch({"updateSheetProperties": rename}, {"deleteSheet": {"sheetId": 7}})
    found = sheets.fetch("GET", f"/v4/spreadsheets/{BOOK}").body["sheets"]
    assert [(sheet["properties"]["title"], sheet["properties"]["index"]) for sheet in found] == [("Old", 0), ("Log", 1)]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            {"addSheet": {"properties": {"title": "LOG"}}},
            'A sheet with the name "LOG" already exists. Please enter another name.',
        ),
        ({"addSheet": {"properties": {"sheetId": 7}}}, "Sheet with id 7 already exists."),
        ({"deleteSheet": {"sheetId": 5}}, "No grid with id: 5"),
        ({"deleteDimension": {"range": {"dimension": "ROWS", "startIndex": 3, "endIndex": 3}}}, "must be after"),
        ({"deleteDimension": {"range": {"dimension": "ROWS"}}}, "You can't delete all the rows"),
        ({"deleteDimension": {"range": {"dimension": "LINES"}}}, "dimension"),
        ({"appendDimension": {"dimension": "ROWS", "length": 9_999_999}}, "above the limit of 10000000 cells"),
        ({"updateCells": {"fields": "*"}}, "exactly one of start and range"),
        ({"findReplace": {"find": "a", "allSheets": True, "searchByRegex": True}}, "searchByRegex"),
        ({"paintSheet": {}}, "Unknown name \"paintSheet\" at 'requests[1]'"),
        ({}, "exactly one kind of request"),
        ("addSheet", "exactly one kind of request"),
    ],
)
def test_a_refused_request_undoes_the_whole_batch(sheets: Sheets, request_: Any, message: str) -> None:
    answer = sheets.batch({"addSheet": {"properties": {"title": "Fine"}}}, request_)
    assert answer.status == 400
    assert message in answer.body["error"]["message"]
    assert sheets.world.changes() == ()


def test_the_last_sheet_stays(sheets: Sheets) -> None:
    answer = sheets.batch({"deleteSheet": {"sheetId": 0}}, book=OTHER)
    assert answer.body["error"]["message"].endswith("You can't remove all the sheets in a document.")


def test_a_new_spreadsheet_has_its_sheets(sheets: Sheets) -> None:
    body = {
        "properties": {"title": "Budget"},
        "sheets": [{"properties": {"title": "Q1"}}, {"properties": {"title": "Q2"}}],
    }
    made = sheets.fetch("POST", "/v4/spreadsheets", None, body).body
    assert [sheet["properties"]["title"] for sheet in made["sheets"]] == ["Q1", "Q2"]
    sheets.update("Q2!A1", [["x"]], book=made["spreadsheetId"])
    assert sheets.values("Q2!A1", book=made["spreadsheetId"])["values"] == [["x"]]
    assert "values" not in sheets.values("'Q1'!A1", book=made["spreadsheetId"])


def test_a_spreadsheet_with_its_cells(sheets: Sheets) -> None:
    params = {"ranges": "Log!C2:F2", "includeGridData": "true"}
    (sheet,) = sheets.fetch("GET", f"/v4/spreadsheets/{BOOK}", params).body["sheets"]
    (data,) = sheet["data"]
    assert (data["startRow"], data["startColumn"]) == (1, 2)
    assert [cell["formattedValue"] for cell in data["rowData"][0]["values"]] == ["930", "2026-03-01", "Received"]
    assert data["rowData"][0]["values"][0]["userEnteredValue"] == {"numberValue": 930}


# --- contracts -------------------------------------------------------------------------------------------------------


def _credited() -> Change:
    fields = {"cells[4]": (Enum(value="Credited"),), "cells[5]": (Equals(value="CN-20431"),)}
    return Change(
        label="credited",
        app="google_sheets",
        collection="GridRow",
        action="update",
        id=grid_row_id(LOG, 2),
        fields=fields,
    )


def test_a_contract_names_cells_of_a_row(sheets: Sheets) -> None:
    sheets.update("Log!E2:F2", [["credited", "CN-20431"]])
    assert sheets.verdict(_credited()).strict


def test_another_cell_of_the_same_row_is_collateral(sheets: Sheets) -> None:
    sheets.update("Log!C2:F2", [[931, None, "Credited", "CN-20431"]])
    verdict = sheets.verdict(_credited())
    assert verdict.expected[0].satisfied and len(verdict.collateral) == 1


def test_a_new_row_is_known_by_its_sheet_and_first_cell_wherever_it_stands(sheets: Sheets) -> None:
    sheets.append("Log", [["RMA-570", "Hill", "$1,240.00", "4 March 2026", "Open"]], valueInputOption="USER_ENTERED")
    fields = {"cells[2]": (Money(amount="1240.00"),), "cells[3]": (Date(day="2026-03-04"),)}
    key = {"sheet_id": (Equals(value=LOG),), "cells[0]": (Equals(value="RMA-570"),)}
    new = Change(label="new", app="google_sheets", collection="GridRow", action="create", key=key, fields=fields)
    assert sheets.verdict(new).strict


# --- Drive and actions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        (None, ["Returns log", "Office plan"]),
        ("name contains 'ret'", ["Returns log"]),
        ("name contains 'turns'", []),
        ("name='Returns log'", ["Returns log"]),
        ("name != 'returns log' and trashed = false", ["Office plan"]),
        ("mimeType = 'application/vnd.google-apps.spreadsheet' and name contains 'plan'", ["Office plan"]),
        ("mimeType = 'application/pdf'", []),
        ("trashed = true", []),
        ("name contains 'plan' or not name contains 'plan'", ["Returns log", "Office plan"]),
        ("'root' in parents and modifiedTime > '2026-03-04T09:00:00'", []),
        ("fullText contains 'o\\'brien'", ["Returns log"]),
    ],
)
def test_spreadsheets_are_found_through_drive(sheets: Sheets, query: str | None, titles: list[str]) -> None:
    answer = sheets.fetch("GET", "/drive/v3/files", {"q": query} if query else None).body
    assert [file["name"] for file in answer["files"]] == titles


@pytest.mark.parametrize(
    "query", ["name", "name contains plan", "name contains 'a' nor name contains 'b'", "((", "x" * 30_000]
)
def test_a_drive_query_of_another_form_is_invalid(sheets: Sheets, query: str) -> None:
    answer = sheets.fetch("GET", "/drive/v3/files", {"q": query})
    assert (answer.status, answer.body["error"]["message"]) == (400, "Invalid Value")


def test_drive_pages(sheets: Sheets) -> None:
    first = sheets.fetch("GET", "/drive/v3/files", {"pageSize": 1}).body
    second = sheets.fetch("GET", "/drive/v3/files", {"pageSize": 1, "pageToken": first["nextPageToken"]}).body
    assert [first["files"][0]["id"], second["files"][0]["id"]] == [BOOK, OTHER] and "nextPageToken" not in second


class _NoArgs(Args):
    pass


def _other(call: Call, args: _NoArgs) -> Any:
    """Answers in place of Sheets."""
    return {"other": True}


def test_an_application_with_a_fitting_path_comes_first_on_a_shared_host() -> None:
    route = Route("list_events", "GET", "/events", "read", _NoArgs, _other)
    calendar = App("calendar", "Calendar", "www.googleapis.com", "/calendar/v3", (), {}, (route,), lambda error: {})
    server = Server((APP, calendar), Sheets().world, {})
    assert server.fetch("GET", "https://www.googleapis.com/calendar/v3/events").body == {"other": True}
    assert "files" in server.fetch("GET", "https://www.googleapis.com/drive/v3/files").body


def test_actions_find_rows_by_header_and_update_them(sheets: Sheets) -> None:
    (row,) = sheets.action("find_rows", spreadsheet="returns LOG", column="rma", value="553")
    assert row == {
        "row": 2,
        **dict(zip(HEADERS, ["RMA-553", "Larkfield Optics", "930", "2026-03-01", "Received"], strict=False)),
    }
    sheets.action("update_cell", spreadsheet="Returns log", row=row["row"], column="Status", value="Credited")
    sheets.action("update_cell", spreadsheet=BOOK, row=row["row"], column="credit note", value="CN-20431", sheet="Log")
    assert sheets.verdict(_credited()).strict


def test_actions_read_append_and_delete_rows(sheets: Sheets) -> None:
    first = sheets.action("read_rows", spreadsheet="Returns log", limit=2)
    rest = sheets.action("read_rows", spreadsheet="Returns log", start_row=first["next_row"])
    assert [row["RMA"] for row in first["rows"] + rest["rows"]] == ["RMA-553", "RMA-561", "RMA-562"]
    assert "next_row" not in rest
    assert sheets.action("append_row", spreadsheet="Returns log", values=["RMA-570", "Hill", 5]) == {"row": 5}
    assert sheets.action("delete_row", spreadsheet="Returns log", row=3) == {"row": 3, "deleted": True}
    row = sheets.world.get(("google_sheets", "GridRow"), f"{LOG}/r12")
    assert isinstance(row, GridRow) and (row.position, row.cells) == (4, ("RMA-570", "Hill", 5))
    assert sheets.action("list_sheets", spreadsheet="Office plan") == ["Sheet1"]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("read_rows", {"spreadsheet": "Nothing"}, "no spreadsheet is called 'Nothing'"),
        ("read_rows", {"spreadsheet": "Returns log", "sheet": "Nope"}, "Unable to parse range: Nope!1:1000000"),
        (
            "find_rows",
            {"spreadsheet": "Returns log", "column": "Price", "value": "1"},
            "there is no column 'Price'; columns are RMA,",
        ),
        ("update_cell", {"spreadsheet": "Returns log", "row": 0, "column": "RMA", "value": "1"}, "there is no row 0"),
        (
            "update_cell",
            {"spreadsheet": "Returns log", "row": 2000, "column": "RMA", "value": "1"},
            "Range (Log!A2000) exceeds",
        ),
        (
            "delete_row",
            {"spreadsheet": "Returns log", "row": 1, "sheet": "x"},
            "there is no tab 'x'; tabs are Log, My Notes",
        ),
    ],
)
def test_actions_say_what_is_wrong(sheets: Sheets, name: str, arguments: dict[str, Any], error: str) -> None:
    assert sheets.action(name, **arguments)["error"].startswith(error)
    assert sheets.world.changes() == ()
