"""A1 notation: the part of a sheet that a text such as 'My Sheet'!A2:C names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from environment.apps.kit import AppError

_CELLS = re.compile(r"\$?([A-Za-z]{1,3})?\$?(\d{1,8})?(?::\$?([A-Za-z]{1,3})?\$?(\d{1,8})?)?", re.ASCII)
_LONGEST = 500
"""Characters of a range, blanks around it apart."""
_BARE_TITLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of cells, both ends included, counted from 1; None is an open end."""

    first_row: int = 1
    last_row: int | None = None
    first_column: int = 1
    last_column: int | None = None
    is_anchor: bool = False
    """Given as one cell or as a whole sheet: what is written there may be larger."""


@dataclass(frozen=True, slots=True)
class Range:
    """A sheet's title, None for the first sheet, and an area in it."""

    title: str | None
    area: Area


def parse_range(text: str) -> Range:
    """The range that `text` names. Raises AppError 400 as Google words it when it names none."""
    if len(text) <= _LONGEST:
        return _kept_range(text)
    if len(text.strip()) > _LONGEST:
        raise unparsable(text)
    return _range(text)


def _range(text: str) -> Range:
    given = text.strip()
    quoted = re.fullmatch(r"'((?:[^']|'')*)'(?:!(.*))?", given, re.DOTALL)
    if quoted:
        title = quoted[1].replace("''", "'")
        return Range(title, _area(text, quoted[2]) if quoted[2] is not None else Area(is_anchor=True))
    if "!" in given:
        title, _, cells = given.rpartition("!")
        return Range(title, _area(text, cells))
    try:
        return Range(None, _area(text, given))
    except AppError:
        if given and ":" not in given:
            return Range(given, Area(is_anchor=True))
        raise


_kept_range = lru_cache(maxsize=2048)(_range)
"""Actions ask for the same few again and again."""


def unparsable(text: str) -> AppError:
    return AppError(400, f"Unable to parse range: {text[:200]}")


@lru_cache(maxsize=1024)
def column_letters(column: int) -> str:
    """1 -> A, 26 -> Z, 27 -> AA."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def column_number(letters: str) -> int:
    """A -> 1, Z -> 26, AA -> 27."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def cell_name(row: int, column: int) -> str:
    return f"{column_letters(column)}{row}"


def quoted_title(title: str) -> str:
    """The title as it stands before an exclamation mark."""
    plain = _BARE_TITLE.fullmatch(title) and not re.fullmatch(r"[A-Za-z]{1,3}\d+", title)
    return title if plain else "'" + title.replace("'", "''") + "'"


def format_range(title: str, first_row: int, last_row: int, first_column: int, last_column: int) -> str:
    """`Sheet1!A1:C5`, or `Sheet1!A1` for a single cell."""
    start, end = cell_name(first_row, first_column), cell_name(last_row, last_column)
    return f"{quoted_title(title)}!{start}" + ("" if start == end else f":{end}")


def _area(text: str, cells: str) -> Area:
    match = _CELLS.fullmatch(cells.strip())
    if match is None:
        raise unparsable(text)
    left_column, left_row, right_column, right_row = match.groups()
    if ":" not in cells:
        if left_column is None or left_row is None or int(left_row) < 1:
            raise unparsable(text)
        row, column = int(left_row), column_number(left_column)
        return Area(row, row, column, column, is_anchor=True)
    if (left_column is None and left_row is None) or (right_column is None and right_row is None):
        raise unparsable(text)
    rows = _ends(*(None if row is None else int(row) for row in (left_row, right_row)))
    columns = _ends(*(None if column is None else column_number(column) for column in (left_column, right_column)))
    if rows[0] < 1 or rows[1] == 0:
        raise unparsable(text)
    return Area(rows[0], rows[1], columns[0], columns[1])


def _ends(first: int | None, last: int | None) -> tuple[int, int | None]:
    if first is not None and last is not None:
        return min(first, last), max(first, last)
    return 1 if first is None else first, last
