"""A manifest's counts add up, and the hash of rows depends on what they say alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.files import read_rows, write_rows
from assets.manifest import rows_hash

ROWS = [{"id": "a", "n": 1}, {"id": "b", "n": 2.5}, {"id": "ü", "n": None}]


def test_the_order_of_rows_and_of_keys_changes_no_hash() -> None:
    turned = [dict(reversed(row.items())) for row in reversed(ROWS)]
    assert rows_hash(turned) == rows_hash(ROWS)


@pytest.mark.parametrize(
    "rows", [ROWS[:2], [*ROWS, ROWS[0]], [{**ROWS[0], "n": 2}, *ROWS[1:]], [{**ROWS[0], "m": None}, *ROWS[1:]], []]
)
def test_any_other_content_changes_it(rows: list[dict[str, object]]) -> None:
    assert rows_hash(rows) != rows_hash(ROWS)


@given(st.lists(st.dictionaries(st.text(), st.none() | st.integers() | st.text() | st.booleans())))
def test_what_is_written_is_read_and_hashed_alike(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    record = write_rows(path, rows)
    assert list(read_rows(path)) == rows
    assert (record.hash, record.rows) == (rows_hash(rows), len(rows))
    assert not [one for one in path.parent.iterdir() if one != path]


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    write_rows(path, ROWS)

    def failing():
        yield {"id": "new"}
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        write_rows(path, failing())
    assert list(read_rows(path)) == ROWS
