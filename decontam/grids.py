"""A grid is the cells of a sheet in rows and columns, whatever shape a spreadsheet application gives them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from decontam.encodings import decoded_base64
from decontam.keys import has_letters, is_key, is_machine_key
from decontam.markup import shown
from decontam.readable import is_plain


class Grid(NamedTuple):
    """The texts of one sheet's cells."""

    rows: tuple[tuple[str, list[str]], ...]
    """Path of each row below the sheet's, such as `[3].cells`, with what its cells show."""
    sheet: str
    """Which of several sheets that are stored together; "" when there is one."""
    raw: tuple[tuple[str, Any], ...]
    """Path below the sheet's and content of each cell that must be read by itself to see all of its words."""
    beside: tuple[tuple[str, str, Any], ...] = ()
    """What rows hold beside their cells: path below the sheet's, name of the field, content."""

    def columns(self) -> list[list[str]]:
        """What the cells of each column show."""
        return [list(cells) for cells in zip_longest(*(cells for _, cells in self.rows), fillvalue="")]


_SHEET_KEYS = ("spreadsheet_id", "sheet_id", "worksheet_id")
_ROW_KEYS = ("row", "row_index", "row_number", "rowIndex")
_COLUMN_KEYS = ("col", "column", "col_index", "column_index", "columnIndex", "column_letter")
_VALUE_KEYS = ("formattedValue", "formatted_value", "value", "text", "stringValue", "display", "userEnteredValue")
_CELLS_KEYS = ("cells", "values")
_ADDRESS = re.compile(r"(?:[^!]*!)?\$?([A-Z]{1,3})\$?(\d{1,7})")


def are_sheet_rows(field: str, rows: Sequence[Any]) -> bool:
    """Whether `rows` are those of sheets: they hold `cells`, or are flat in a collection that belongs to a sheet."""
    if not all(isinstance(row, (dict, Mapping)) for row in rows):
        return False
    if any(isinstance(row.get("cells"), (list, tuple, Mapping)) for row in rows):
        return True
    name = field.rpartition(".")[2].lower()
    if name == "rowdata" or _are_cells(rows):
        return True
    if "sheet" not in field.lower() or name not in ("rows", "records", "data"):
        return False
    return all(not isinstance(value, (list, tuple, Mapping)) for row in rows for value in row.values())


def _are_cells(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each row is one cell: where it stands and what it shows."""
    return bool(rows) and all(
        "value" in row and any(key in row for key in _ROW_KEYS) and any(key in row for key in _COLUMN_KEYS)
        for row in rows
    )


def grid_of_lists(values: Sequence[Sequence[Any]]) -> Grid:
    """The grid whose rows are lists of cells."""
    return _grid([(f"[{number}]", list(row)) for number, row in enumerate(values)], "")


def grids_of_rows(rows: Sequence[Mapping[str, Any]]) -> list[Grid]:
    """The grids of rows for which `are_sheet_rows` holds, one for each sheet, rows in the order of their positions."""
    sheets: dict[str, list[tuple[float, int, Mapping[str, Any]]]] = {}
    for number, row in enumerate(rows):
        sheet = "/".join(str(row[key]) for key in _SHEET_KEYS if key in row)
        sheets.setdefault(sheet, []).append((position_of(row, number), number, row))
    return [_sheet(sorted(members, key=lambda member: member[:2]), sheet) for sheet, members in sheets.items()]


def position_of(row: Mapping[str, Any], number: int) -> float:
    """Where a row says that it stands among its like; its number in the list when it doesn't."""
    position = row.get("position", number)
    return position if isinstance(position, (int, float)) else number


def _sheet(members: list[tuple[float, int, Mapping[str, Any]]], sheet: str) -> Grid:
    rows = [row for _, _, row in members]
    if _are_cells(rows):
        return _grid(_placed(rows), sheet, _beside(members, ("value", *_ROW_KEYS, *_COLUMN_KEYS)))
    held = [(number, row.get("cells", row.get("values", row))) for _, number, row in members]
    beside = _beside([member for member in members if not {"cells", "values"}.isdisjoint(member[2])], _CELLS_KEYS)
    headed = [cells for _, cells in held if isinstance(cells, Mapping)]
    if len(headed) == len(held) and all(_ADDRESS.fullmatch(str(key)) for cells in headed for key in cells):
        addressed = [
            {"row": int(match[2]), "column": match[1], "value": value}
            for cells in headed
            for key, value in cells.items()
            if (match := _ADDRESS.fullmatch(str(key)))
        ]
        return _grid(_placed(addressed), sheet, beside)
    headers = [key for key in dict.fromkeys(key for cells in headed for key in cells) if not _holds_keys(key, headed)]
    lines: list[tuple[str, list[Any]]] = [(".header", list(headers))] if headed else []
    for number, cells in held:
        if isinstance(cells, Mapping):
            lines.append((f"[{number}].cells", [cells.get(header) for header in headers]))
        else:
            lines.append((f"[{number}].cells", list(cells) if isinstance(cells, (list, tuple)) else [cells]))
    return _grid(lines, sheet, beside)


def _beside(
    members: Sequence[tuple[float, int, Mapping[str, Any]]], told: Sequence[str]
) -> tuple[tuple[str, str, Any], ...]:
    return tuple(
        (f"[{number}].{key}", key, value)
        for _, number, row in members
        for key, value in row.items()
        if key not in told and isinstance(value, (str, list, tuple, Mapping))
    )


def _holds_keys(header: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the column under a heading holds keys, by the heading and by what stands there."""
    cells = [str(row.get(header) or "") for row in rows]
    return is_key(header) and all(is_machine_key(cell) and not _is_worded(cell) for cell in cells)


def _is_worded(cell: str) -> bool:
    return has_letters(cell) and not any(map(str.isdigit, cell))


def _placed(cells: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[Any]]]:
    """Rows of cells that say where they stand."""
    places: dict[Any, dict[Any, Any]] = {}
    for cell in cells:
        row = next(cell[key] for key in _ROW_KEYS if key in cell)
        column = next(cell[key] for key in _COLUMN_KEYS if key in cell)
        places.setdefault(row, {})[column] = cell["value"]
    columns = sorted({column for row in places.values() for column in row}, key=_rank)
    return [(f"[{row}].cells", [places[row].get(column) for column in columns]) for row in sorted(places, key=_rank)]


def _rank(place: Any) -> tuple[int, str]:
    """Numbers by size, letters as spreadsheets count them: Z before AA."""
    text = str(place)
    return len(text), text


def _grid(rows: list[tuple[str, list[Any]]], sheet: str, beside: tuple[tuple[str, str, Any], ...] = ()) -> Grid:
    raw = tuple(
        (f"{path}[{column}]", cell)
        for path, cells in rows
        for column, cell in enumerate(cells)
        if cell and _has_more(cell)
    )
    return Grid(tuple((path, list(map(_cell_text, cells))) for path, cells in rows), sheet, raw, beside)


def _has_more(cell: Any) -> bool:
    """Whether a cell holds more than it shows on one line."""
    if isinstance(cell, str):
        return not is_plain(cell) or decoded_base64(cell) is not None
    if isinstance(cell, Mapping):
        return any(
            isinstance(item, (str, list, tuple, Mapping)) for key, item in cell.items() if key not in _VALUE_KEYS
        )
    return isinstance(cell, (list, tuple))


def _cell_text(cell: Any) -> str:
    """What a cell shows on one line, "" when it is empty."""
    if isinstance(cell, str) and cell.isprintable() and "<" not in cell and "&" not in cell:
        return cell
    if isinstance(cell, Mapping):
        return _cell_text(next((cell[key] for key in _VALUE_KEYS if key in cell), None))
    if isinstance(cell, (list, tuple)):
        return " ".join(filter(None, map(_cell_text, cell)))
    if cell is None:
        return ""
    return " ".join(shown(str(cell)).text.split())
