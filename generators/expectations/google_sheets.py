"""Google Sheets changes that contracts ask for."""

from __future__ import annotations

from collections.abc import Mapping

from environment.contract import Change, Equals, Matcher


def cells_update(label: str, row_id: str, cells: Mapping[int, Matcher]) -> Change:
    """Cells of an existing row, by zero-based column, take these values."""
    wanted = {f"cells[{column}]": (matcher,) for column, matcher in cells.items()}
    return Change(label=label, app="google_sheets", collection="GridRow", action="update", id=row_id, fields=wanted)


def row_appended(label: str, sheet: str, key: Mapping[int, Matcher], cells: Mapping[int, Matcher]) -> Change:
    """A new row of a sheet, recognised by the cells of `key`, holds the values of `cells`."""
    return Change(
        label=label,
        app="google_sheets",
        collection="GridRow",
        action="create",
        key={"sheet_id": (Equals(value=sheet),), **{f"cells[{column}]": (m,) for column, m in key.items()}},
        fields={f"cells[{column}]": (m,) for column, m in cells.items()},
    )
