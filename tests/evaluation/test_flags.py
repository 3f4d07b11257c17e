"""Flags and monitored tasks: what a sensitivity row leaves out, and files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.comparison import compare
from evaluation.flags import exclusions, read_flags, read_monitored
from tests.evaluation.tables import table


def test_flags_are_read_by_set_whatever_the_order_of_columns_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "flags.csv"
    path.write_text('\ufeffSet,why,Task\r\nwording,"too, vague",hr.b\r\nrubric,,hr.a\r\n\r\nwording,,hr.a\r\n', "utf-8")
    assert read_flags(path) == {"rubric": ("hr.a",), "wording": ("hr.b", "hr.a")}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "must name the columns task and set"),
        ("task,reason\nhr.a,x\n", "must name the columns task and set"),
        ("task,set\n", "flags no task"),
        ("task,set\nhr.a,x\nhr.b\n", "line 3 has no set"),
        ("task,set\n,x\n", "line 2 has no task"),
    ],
)
def test_a_file_that_flags_nothing_is_refused(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "flags.csv"
    path.write_text(content)
    with pytest.raises(ValueError, match=sentence):
        read_flags(path)


def test_missing_binary_and_empty_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no file"):
        read_flags(tmp_path / "none.csv")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for read in (read_flags, read_monitored):
        with pytest.raises(ValueError, match="cannot be read"):
            read(binary)
    empty = tmp_path / "empty"
    empty.write_text("\n \n")
    with pytest.raises(ValueError, match="names no task"):
        read_monitored(empty)


def test_every_row_of_the_sensitivity_table_leaves_out_what_it_says(tmp_path: Path) -> None:
    monitored = tmp_path / "monitored.txt"
    monitored.write_text("hr.a-1\n\nhr.a-1\nhr.gone-9\n")
    base = {f"hr.a-{number}": [0.0] for number in range(1, 6)}
    adapter = {**base, "hr.a-1": [1.0], "hr.a-2": [1.0], "hr.a-3": [0.5]}
    left_out = exclusions(read_monitored(monitored), {"x": ("hr.a-2",), "y": ("hr.a-2", "hr.a-5")}, base)
    result = compare(table("base", base), table("adapter", adapter), seed=1, exclude=left_out)
    assert {row.name: (row.tasks, row.adapter) for row in result.subsets} == {
        "without monitored tasks": (4, 0.25),
        "without tasks flagged x": (4, 0.25),
        "without tasks flagged y": (3, pytest.approx(1 / 3)),
        "without any flagged task": (3, pytest.approx(1 / 3)),
    }
    credits = {row.name: row.adapter for row in result.partial_credit_rows}
    assert credits["hr"] == pytest.approx(2.5 / 5)
    assert credits["without monitored tasks"] == pytest.approx(1.5 / 4)


def test_names_of_another_suite_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'without tasks flagged x' leaves out nothing: none of sales\.z"):
        exclusions((), {"x": ("sales.z",)}, {"hr.a-1"})
