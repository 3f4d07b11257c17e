"""The report: rows that account for every task and every overlap, and a page that shows them side by side."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from decontam.benchmark import BenchmarkSource
from decontam.decontaminate import decontaminate
from decontam.report import Occasion, overlap_rows, report_html, ruling_rows
from decontam.settings import DecontaminationSettings
from decontam.verdicts import REPORTED, RULES, Decontamination, Overlap, Ruling
from environment.task import Task
from tests.decontam.made_tasks import SENTENCE, made_benchmark, made_task, mailed

COPIED = " ".join(f"word{n}" for n in range(40))
NEAR = Overlap(
    rule="near_name",
    path="actor.company",
    text="Tarnwick Instruments",
    other="operations.crates",
    other_path="initial_state.salesforce.Account[1].Name",
    other_text="Tarnwik Instruments Ltd",
    shared=("tarnwick", "instruments"),
    other_shared=("tarnwik", "instruments"),
)
BUILT = NEAR.model_copy(
    update={
        "rule": "look_alike",
        "text": "applications: Gmail",
        "other_text": "applications: Gmail, Xero",
        "similarity": 0.75,
    }
)


def delivered() -> Task:
    return made_task(" ".join(f"then{n}" for n in range(60)) + " once", index=9)


OCCASION = Occasion("small.g2", "commit 12ab, numpy 2", {delivered().id: "small.g1"})


@pytest.fixture
def result() -> Decontamination:
    tasks = [
        made_task("Do <it> & more", mailed(f"So: {SENTENCE.upper()}; fine. Quantum Labs"), index=0),
        made_task("Ring Quantum Labs", index=1),
        made_task(COPIED, index=2),
        made_task(COPIED, index=3, family="other"),
        made_task(" ".join(f"then{n}" for n in range(60)), index=4),
    ]
    found = decontaminate(tasks, made_benchmark(), (delivered(),), DecontaminationSettings())
    reported = {1: (NEAR,), 2: (NEAR, BUILT)}
    rulings = [
        ruling.model_copy(update={"reported": reported.get(number, ())}) for number, ruling in enumerate(found.rulings)
    ]
    return found.model_copy(update={"rulings": tuple(rulings)})


def many(result: Decontamination, count: int) -> Decontamination:
    """The result with so many tasks dropped like its first."""
    first = result.rulings[0]
    rulings = tuple(first.model_copy(update={"task_id": f"sales.made-{number:012x}"}) for number in range(count))
    return result.model_copy(update={"rulings": rulings})


def test_there_is_one_row_a_task(result: Decontamination, tmp_path: Path) -> None:
    table = ruling_rows(result)
    assert table.column("task_id").to_pylist() == [ruling.task_id for ruling in result.rulings]
    assert table.column("kept").to_pylist() == [False, False, True, False, False]
    assert table.column("rule").to_pylist() == ["shared_passage", "company_name", None, "copy_in_set", "like_earlier"]
    assert table.column("rules").to_pylist()[0] == ["shared_passage", "company_name"]
    assert table.column("reported").to_pylist() == [[], ["near_name"], ["near_name", "look_alike"], [], []]
    pq.write_table(table, tmp_path / "rulings.parquet")
    assert pq.read_table(tmp_path / "rulings.parquet").equals(table)


def test_there_is_one_row_an_overlap_with_both_texts_and_paths(result: Decontamination) -> None:
    rows = overlap_rows(result, OCCASION).to_pylist()
    assert [(row["rule"], row["drops"], row["counted"]) for row in rows] == [
        ("shared_passage", True, True),
        ("company_name", True, False),
        ("company_name", True, True),
        ("near_name", False, False),
        ("near_name", False, False),
        ("look_alike", False, False),
        ("copy_in_set", True, True),
        ("like_earlier", True, True),
    ]
    first, last = rows[0], rows[-1]
    assert (first["path"], first["other_path"]) == (
        "world.gmail.messages[0].body",
        "initial_state.gmail.messages[0].body",
    )
    assert first["shared"] == SENTENCE
    assert SENTENCE.upper() in first["text"]
    assert SENTENCE.capitalize() in first["other_text"]
    assert (last["other"], last["other_generation"]) == (delivered().id, "small.g1")
    assert first["other_generation"] is None
    assert first["similarity"] is None
    assert rows[-2]["similarity"] == 1.0


def test_the_rows_can_be_asked_in_sql(result: Decontamination, tmp_path: Path) -> None:
    pq.write_table(overlap_rows(result, OCCASION), tmp_path / "overlaps.parquet")
    pq.write_table(ruling_rows(result), tmp_path / "rulings.parquet")
    counts = duckdb.sql(
        f"select o.rule, count(*) from '{tmp_path}/overlaps.parquet' o join '{tmp_path}/rulings.parquet' r "
        "using (task_id) where o.counted and not r.kept and o.rule = r.rule group by all"
    ).fetchall()
    assert dict(counts) == {rule: count for rule, count in result.counts().items() if rule in RULES and count}


def test_nothing_overlapping_still_gives_typed_columns(tmp_path: Path) -> None:
    kept = decontaminate([made_task(COPIED)], made_benchmark(), (), DecontaminationSettings())
    table = overlap_rows(kept, OCCASION)
    assert (table.num_rows, str(table.schema.field("text").type)) == (0, "string")


class Page(HTMLParser):
    """What of a page a reader sees and a browser runs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags = Counter[str]()
        self.marks: list[str] = []
        self.rows: list[list[str]] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
        elif tag == "mark":
            self.marks.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["mark"]:
            self.marks[-1] += data
        if {"td", "th"}.intersection(self._open):
            self.rows[-1][-1] += data


def test_the_page_shows_totals_hash_code_limits_lists_and_both_passages(result: Decontamination) -> None:
    page = report_html(result, OCCASION)
    for text in (
        "Decontamination of small.g2: kept 1 of 5",
        "commit 12ab, numpy 2",
        "0" * 64,
        "13 words or more",
        "example.com",
        "gmail.com",
        "zendesk.com",
        "0.95 or more",
        "not compared",
        f"{delivered().id} of small.g1",
        "Of 5 tasks, 1 were kept and 4 dropped.",
    ):
        assert text in page
    marks = Page(page).marks
    assert marks[:2] == [f"{SENTENCE.upper()};", f"{SENTENCE.capitalize()}."]
    assert "Quantum Labs" in marks
    assert {"Tarnwick Instruments", "Tarnwik Instruments", "Gmail"} <= set(marks)
    for ruling in result.rulings:
        assert (f'id="{ruling.task_id}"' in page) is not ruling.kept
    assert "stand-in" not in page


def test_the_totals_add_up_by_rule_domain_and_family(result: Decontamination) -> None:
    found = Page(report_html(result, OCCASION)).rows
    rows = {row[0]: row[1:] for row in found if len(row) == 3 + len(RULES + REPORTED)}
    numbers = {name: list(map(int, cells)) for name, cells in rows.items() if name in ("sales", "made", "other", "all")}
    assert len(numbers) == 4
    for given, kept, *others in numbers.values():
        assert given == kept + sum(others[: len(RULES)])
    assert [sum(pair) for pair in zip(numbers["made"], numbers["other"], strict=True)] == numbers["sales"]
    assert numbers["sales"] == numbers["all"]
    assert numbers["all"] == [5, 1, 1, 1, 0, 0, 1, 1, *result.reported_counts().values()]
    assert result.reported_counts() == {"near_name": 2, "look_alike": 1, "meaning_near": 0}


def test_the_page_says_when_the_stand_in_was_used() -> None:
    result = decontaminate([made_task(COPIED)], made_benchmark(is_stand_in=True), (), DecontaminationSettings())
    page = report_html(result, OCCASION)
    assert "Compared with the stand-in, not with the public benchmark" in page
    assert "nothing is said about overlap with the real one" in page
    assert "No kept task" not in page


def test_text_of_tasks_is_escaped_on_the_page() -> None:
    task = made_task("Do it", mailed(f"<contact_id> & {SENTENCE}"), family="<b>family</b>")
    hostile = NEAR.model_copy(
        update={
            "path": "</span><script>alert(1)</script>",
            "text": "</p><script>alert(2)</script><img src=x onerror=alert(3)> Tarnwick Instruments",
            "other": '"><script>alert(4)</script>',
            "other_text": "<mark>Tarnwik Instruments</mark><iframe></iframe>",
        }
    )
    found = decontaminate([task], made_benchmark(), (), DecontaminationSettings())
    ruling = found.rulings[0].model_copy(update={"reported": (hostile,)})
    page = report_html(found.model_copy(update={"rulings": (ruling,)}), OCCASION)
    assert "&lt;contact_id&gt; &amp; " in page
    tags = Page(page).tags
    assert not set(tags) & {"script", "img", "iframe", "contact_id", "b"}
    assert tags["mark"] == page.count("<mark>") == 4


def test_of_five_thousand_drops_a_page_shows_some_and_counts_the_rest(result: Decontamination) -> None:
    found = many(result, 5000)
    page = report_html(found, OCCASION, shown=60)
    assert len(re.findall('id="sales.made-', page)) == 60
    assert "<strong>4,940 more</strong>" in page
    assert "run of words with a benchmark task (5,000)" in page
    assert len(page) < 500_000
    assert overlap_rows(found, OCCASION).num_rows == 10_000


def test_the_page_loads_nothing_from_elsewhere(result: Decontamination) -> None:
    page = report_html(result, OCCASION)
    assert not re.search(r"(?:src|href)=|@import|url\(", page)


def test_a_task_with_several_overlaps_is_counted_once(result: Decontamination) -> None:
    ruling: Ruling = result.rulings[0]
    assert [overlap.rule for overlap in ruling.overlaps] == ["shared_passage", "company_name"]
    counts = result.counts()
    assert counts["input"] == counts["kept"] + sum(counts[rule] for rule in RULES)


def test_a_benchmark_that_is_not_complete_is_said_to_be_so() -> None:
    source = BenchmarkSource(
        name="public", source="p", version="1", content_hash="0", counts={"operations": 1}, reader="automationbench"
    )
    for sources, is_told in (((source,), True), ((source.model_copy(update={"reader": "jsonl"}),), False)):
        benchmark = made_benchmark(
            made_benchmark().tasks[0].model_copy(update={"benchmark": "public"}), sources=sources
        )
        page = report_html(decontaminate([made_task(COPIED)], benchmark, (), DecontaminationSettings()), OCCASION)
        assert ("public is not complete: it has 1 of 600 scored tasks" in page) == is_told
