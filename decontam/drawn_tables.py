"""A drawn table is one that plain text shows: cells between pipes, tabs or, in every line alike, commas."""

from __future__ import annotations

import csv
from itertools import zip_longest

_FEWEST_LINES = 3
"""Lines with as many commas as each other that are taken for a table."""


def drawn_columns(text: str) -> list[str]:
    """The cells of each column, a line each; a text may draw several tables."""
    lines = text.split("\n")
    columns: list[str] = []
    if "|" in text:
        columns += _columns([line.strip().strip("|").split("|") for line in lines if "|" in line])
    if "\t" in text:
        columns += _columns([line.split("\t") for line in lines if "\t" in line])
    if "," in text:
        columns += _columns(_comma_rows([line for line in lines if line.strip()]))
    return columns


def _comma_rows(lines: list[str]) -> list[list[str]]:
    """The cells of each line when all lines have as many, else none: sentences have commas too."""
    if len(lines) < _FEWEST_LINES or not all("," in line for line in lines):
        return []
    try:
        rows = list(csv.reader(lines))
    except csv.Error:
        return []
    return rows if all(len(row) == len(rows[0]) for row in rows) else []


def _columns(rows: list[list[str]]) -> list[str]:
    if len(rows) < 2:
        return []
    return ["\n".join(filter(None, map(str.strip, cells))) for cells in zip_longest(*rows, fillvalue="")]
