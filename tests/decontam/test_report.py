"""The report: rows that account for every task and a page that shows every drop."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from decontam.decontaminate import decontaminate
from decontam.readers.sources import stand_in
from decontam.report import Piece, marked, report_html, report_rows
from decontam.settings import DecontaminationSettings
from decontam.verdicts import Decontamination, Overlap
from tests.decontam.made_tasks import SENTENCE, WORDS, made_benchmark, made_task, mailed

COPIED = " ".join(f"word{n}" for n in range(40))


@pytest.fixture
def result() -> Decontamination:
    tasks = [
        made_task("Do <it> & more", mailed(f"So: {SENTENCE.upper()}; fine"), index=0),
        made_task("Ring Quantum Labs", index=1),
        made_task(COPIED, index=2),
        made_task(COPIED, index=3),
    ]
    return decontaminate(tasks, made_benchmark(), (), DecontaminationSettings())


def test_rows_account_for_every_task(result: Decontamination, tmp_path: Path) -> None:
    table = report_rows(result)
    assert table.column("task_id").to_pylist() == [ruling.task_id for ruling in result.rulings]
    assert table.column("kept").to_pylist() == [False, False, True, False]
    assert table.column("rule").to_pylist() == ["shared_passage", "company_name", None, "copy_in_set"]
    assert table.column("other").to_pylist()[:3] == ["operations.crates", "operations.crates", None]
    assert table.column("shared").to_pylist()[0] == SENTENCE
    assert table.column("similarity").to_pylist() == [None, None, None, 1.0]
    pq.write_table(table, tmp_path / "rulings.parquet")
    assert pq.read_table(tmp_path / "rulings.parquet").equals(table)


def test_page_shows_totals_hash_limits_lists_and_both_passages(result: Decontamination) -> None:
    page = report_html(result)
    for text in (
        "kept 1 of 4",
        "0" * 64,
        "13 words or more",
        "example.com",
        "gmail.com",
        "zendesk.com",
        "0.95 or more",
    ):
        assert text in page
    assert f"<mark>{SENTENCE.upper()}" in page
    assert f"<mark>{SENTENCE.capitalize()}" in page
    assert "<mark>Quantum Labs</mark>" in page
    for ruling in result.rulings:
        assert (f'id="{ruling.task_id}"' in page) is not ruling.kept
    assert "stand-in" not in page


def test_page_says_when_the_stand_in_was_used() -> None:
    result = decontaminate([made_task(COPIED)], stand_in(), (), DecontaminationSettings())
    assert "Compared with the stand-in, not with the public benchmark" in report_html(result)


def test_text_of_tasks_is_escaped_on_the_page() -> None:
    task = made_task("Do it", mailed(f"<contact_id> & {SENTENCE}"))
    page = report_html(decontaminate([task], made_benchmark(), (), DecontaminationSettings()))
    assert "&lt;contact_id&gt; &amp; " in page
    assert "<contact_id>" not in page


def overlap(text: str, shared: tuple[str, ...], other: str = "", similarity: float | None = None) -> Overlap:
    return Overlap(
        rule="shared_passage" if similarity is None else "copy_in_set",
        path="p",
        text=text,
        other="o",
        other_path="q",
        other_text=other,
        shared=shared,
        other_shared=shared,
        similarity=similarity,
    )


def test_a_run_is_marked_to_the_word() -> None:
    assert marked(overlap("Now, ONE two\nthree! End.", ("one", "two", "three")), ours=True, size=5) == (
        Piece("Now, ", False),
        Piece("ONE two\nthree!", True),
        Piece(" End.", False),
    )


def test_long_texts_are_cut_around_the_marks() -> None:
    text = " ".join([*(f"a{n}" for n in range(100)), *WORDS, *(f"b{n}" for n in range(100))])
    before, middle, after = marked(overlap(text, tuple(WORDS)), ours=True, size=5)
    assert middle == Piece(SENTENCE, True)
    assert before.text.split() == ["…", *(f"a{n}" for n in range(60, 100))]
    assert after.text.split() == [*(f"b{n}" for n in range(40)), "…"]


def test_texts_alike_as_wholes_are_marked_where_shingles_agree() -> None:
    ours, theirs = "a b c d e x f g h i j", "z a b c d e y f g h i j"
    pieces = marked(overlap(ours, (), theirs, 0.5), ours=True, size=5)
    assert pieces == (Piece("a b c d e", True), Piece(" x ", False), Piece("f g h i j", True))
