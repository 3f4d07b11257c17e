"""Published scores beside our own: what a list may hold, and the order of the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.comparison import Comparison, compare
from evaluation.published import PublishedScore, beside_published, read_published
from evaluation.scores import Score, Scores, TaskScores

ROW = "{model: A, effort: high, score: 40, set: public, source: a paper}"


def whole_suite(attempts: int = 1, tasks: int = 600, **settings: str) -> Comparison:
    """A base that passes a quarter of the tasks and an adapter that passes half."""

    def side(label: str, every: int) -> Scores:
        scored = [Score(number % every == 0, float(number % every == 0), None, None) for number in range(tasks)]
        rows = [TaskScores(f"hr.{n:03d}", "hr", "", (score,) * attempts) for n, score in enumerate(scored)]
        return Scores(label, tuple(rows), {"model": label, **settings})

    return compare(side("base", 4), side("adapter", 2), seed=1, resamples=50)


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "published.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file: .*given None"),
        ("model: A", "the file: .*given {'model': 'A'}"),
        ("- 3", r"0: .*given 3"),
        ("- {model: A}", r"0\.effort: Field required"),
        (f"- {ROW}\n- {ROW.replace('40', '140')}", r"1\.score: .*less than or equal to 100, given 140"),
        (f"- {ROW.replace('40', '-1')}", r"0\.score: .*greater than or equal to 0, given -1"),
        (f"- {ROW.replace('40', '.nan')}", r"0\.score: .*given nan"),
        (f"- {ROW.replace('40', 'many')}", r"0\.score: .*given many"),
        (f"- {ROW.replace('public', 'hidden')}", r"0\.set: .*given hidden"),
        (f"- {ROW.replace('model', 'modle')}", r"0\.(model|modle): "),
        ("- {model: [", "cannot be read"),
        ("[" * 5000, "cannot be read"),
    ],
)
def test_a_list_that_is_none_is_refused_with_its_place(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as refusal:
        read_published(written(tmp_path, text))
    assert "published.yaml" in str(refusal.value)


def test_a_list_that_is_not_there_or_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        read_published(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(ValueError, match="cannot be read"):
        read_published(tmp_path / "binary.yaml")


def test_the_list_that_ships_is_readable_and_names_its_sources() -> None:
    rows = read_published()
    assert len(rows) > 10
    assert all(row.source and not row.is_ours for row in rows)
    assert tuple(sorted(row.score for row in rows if row.model.startswith("Qwen3.8-27B"))) == (32.4, 45.2)


def test_public_scores_come_best_first_ours_before_an_equal_one_and_private_ones_last(tmp_path: Path) -> None:
    equal, best = ROW.replace("40", "50"), ROW.replace("40", "51")
    private = ROW.replace("40", "99").replace("public", "private")
    path = written(tmp_path, "\n".join(f"- {row}" for row in (private, ROW, equal, best)))
    shown = beside_published(whole_suite(attempts=3, reasoning_effort="medium"), path)
    assert [(row.model, row.effort, row.score, row.set, row.is_ours) for row in shown] == [
        ("A", "high", 51, "public", False),
        ("adapter", "medium", 50, "public", True),
        ("A", "high", 50, "public", False),
        ("A", "high", 40, "public", False),
        ("base", "medium", 25, "public", True),
        ("A", "high", 99, "private", False),
    ]
    assert {row.source for row in shown if row.is_ours} == {"this report, 3 attempts a task"}


def test_one_attempt_is_one_attempt_and_an_effort_that_nobody_states_is_not_invented() -> None:
    ours = [row for row in beside_published(whole_suite()) if row.is_ours]
    assert {(row.effort, row.source) for row in ours} == {("not stated", "this report, 1 attempt a task")}


@pytest.mark.parametrize("tasks", [1, 599, 601])
def test_only_the_whole_suite_stands_beside_published_scores(tasks: int) -> None:
    assert beside_published(whole_suite(tasks=tasks)) == ()


def test_a_published_score_survives_json() -> None:
    row = read_published()[0]
    assert PublishedScore.model_validate_json(row.model_dump_json()) == row
