"""Comparisons of small tables worked out by hand."""

from __future__ import annotations

import pytest

from evaluation.comparison import compare, sharpening
from evaluation.scores import Score, Scores, TaskScores
from tests.evaluation.tables import score, table

BASE = {
    "sales.quote-1": [1, 0, 0],
    "sales.quote-2": [0, 0, 0.5],
    "hr.leave-1": [1, 1, 1],
    "hr.leave-2": [0.25, 0, 0],
}
ADAPTER = {
    "sales.quote-1": [1, 1, 1],
    "sales.quote-2": [1, 0.5, 0],
    "hr.leave-1": [1, 0, 1],
    "hr.leave-2": [0, 0.25, 0],
}


def test_every_number_of_a_small_table() -> None:
    result = compare(table("base", BASE), table("adapter", ADAPTER), seed=1)
    assert result.base == pytest.approx((1 / 3 + 0 + 1 + 0) / 4)
    assert result.adapter == pytest.approx((1 + 1 / 3 + 2 / 3 + 0) / 4)
    assert result.gain == pytest.approx((2 / 3 + 1 / 3 - 1 / 3 + 0) / 4)
    assert -1 / 3 <= result.low < result.gain < result.high <= 2 / 3
    assert (result.tasks, result.attempts, result.base_solved, result.adapter_solved) == (4, 12, 4, 6)
    assert (result.improved, result.worsened) == (2, 1)
    moved = [(round(one.change, 6), one.tasks) for one in result.moved]
    assert moved == [(-0.333333, 1), (0.0, 1), (0.333333, 1), (0.666667, 1)]
    hr, sales = result.domains
    assert (hr.name, hr.tasks, hr.attempts) == ("hr", 2, 6)
    assert hr.gain == pytest.approx(-1 / 6)
    assert sales.gain == pytest.approx(1 / 2)
    assert [row.name for row in result.families] == ["leave", "quote"]
    assert result.partial_credit.base == pytest.approx((1 / 3 + 0.5 / 3 + 1 + 0.25 / 3) / 4)
    assert result.partial_credit.adapter == pytest.approx((1 + 0.5 + 2 / 3 + 0.25 / 3) / 4)
    assert [row.k for row in result.pass_k] == [1, 2, 3]
    assert result.pass_k[2].base_at_k == pytest.approx(2 / 4)
    assert result.pass_k[2].adapter_at_k == pytest.approx(3 / 4)
    assert result.pass_k[2].adapter_hat_k == pytest.approx(1 / 4)
    # Sign patterns of the moving differences 2, 1, -1 (thirds): sums ±2, ±4, ±2, 0, 0; six of eight reach |2|.
    assert result.p_value == pytest.approx(6 / 8)
    assert result.notes == ()


def test_summary_carries_the_headline() -> None:
    result = compare(table("base", BASE), table("adapter", ADAPTER), seed=1)
    assert result.summary() == {
        "metric": "pass@1",
        "base": result.base,
        "adapter": result.adapter,
        "gain": result.gain,
        "low": result.low,
        "high": result.high,
        "tasks": 4,
        "attempts": 12,
    }


def test_comparison_survives_json_and_depends_on_nothing_but_its_inputs() -> None:
    first = compare(table("base", BASE), table("adapter", ADAPTER), seed="g1")
    reordered = table("base", dict(reversed(BASE.items())))
    assert compare(reordered, table("adapter", ADAPTER), seed="g1") == first
    assert type(first).model_validate_json(first.model_dump_json()) == first


def test_collateral_and_incomplete_shares_count_attempts_not_rows() -> None:
    def side(name: str, *scores: Score) -> Scores:
        return Scores(name, (TaskScores("hr.x-1", "hr", "x", scores), TaskScores("hr.x-2", "hr", "x", scores)), {})

    base = side("base", score(0.5, collateral=3), score(0.5, collateral=1, incomplete=True))
    result = compare(base, side("adapter", score(1), score(0.5, collateral=2)), seed=1)
    assert (result.collateral.base, result.collateral.adapter, result.collateral.gain) == (1.0, 0.5, -0.5)
    assert (result.incomplete.base, result.incomplete.adapter) == (0.5, 0.0)
    unknown = side("adapter", score(1, collateral=None, incomplete=None), score(0.5))
    assert compare(base, unknown, seed=1).collateral is None
    assert compare(base, unknown, seed=1).incomplete is None


def test_all_solved_by_both_says_that_the_interval_has_no_width() -> None:
    solved = {"hr.x-1": [1.0, 1.0, 1.0], "hr.x-2": [1.0, 1.0, 1.0]}
    result = compare(table("base", solved), table("adapter", solved), seed=1)
    assert (result.base, result.adapter, result.gain, result.low, result.high) == (1, 1, 0, 0, 0)
    assert result.p_value == 1
    assert result.minimum_detectable_effect is None
    assert "no width" in result.notes[0]


def test_one_task_has_no_interval() -> None:
    result = compare(table("base", {"hr.x-1": [0] * 3}), table("adapter", {"hr.x-1": [1] * 3}), seed=1)
    assert (result.gain, result.low, result.high) == (1, None, None)
    assert "One task" in result.notes[0]


@pytest.mark.parametrize("credits", [{}, {"hr.x-1": []}])
def test_empty_and_all_unscored_suites_are_refused(credits: dict[str, list[float]]) -> None:
    with pytest.raises(ValueError, match="no scored task in common"):
        compare(table("base", credits), table("adapter", credits), seed=1)


def test_unscored_attempts_are_counted_and_noted() -> None:
    credits = {"hr.x-1": [1.0], "hr.x-2": [0.0]}
    result = compare(table("base", credits), table("adapter", credits, unscored={"hr.x-1": 2}), seed=1)
    assert (result.base_unscored, result.adapter_unscored) == (0, 2)
    assert any(note.startswith("adapter: 2 attempts were lost") for note in result.notes)


def test_subset_leaves_out_exactly_the_named_tasks() -> None:
    monitor = {"without the monitor tasks": ["sales.quote-1", "not.in-suite"]}
    result = compare(table("base", BASE), table("adapter", ADAPTER), seed=1, exclude=monitor)
    (row,) = result.subsets
    assert (row.name, row.tasks) == ("without the monitor tasks", 3)
    assert row.gain == pytest.approx((1 / 3 - 1 / 3 + 0) / 3)
    with pytest.raises(ValueError, match="leaves none of the 4"):
        compare(table("base", BASE), table("adapter", ADAPTER), seed=1, exclude={"nothing": list(BASE)})


def test_sharpening_finds_the_bases_best_temperature() -> None:
    adapter = table("adapter", ADAPTER)
    greedy = table("base", {"sales.quote-1": [1], "sales.quote-2": [0], "hr.leave-1": [1], "hr.leave-2": [0]})
    result = sharpening(adapter, {1.0: table("base", BASE), 0.0: greedy}, evaluation_temperature=1.0, seed=1)
    assert [row.temperature for row in result.rows] == [0.0, 1.0]
    assert [row.base for row in result.rows] == pytest.approx([1 / 2, 1 / 3])
    assert [row.base_attempts for row in result.rows] == [4, 12]
    assert result.best_temperature == 0.0
    assert result.gain_over_best == pytest.approx(0.0)
    assert result.adapter_attempts == 12
    assert result.low < 0 < result.high


def test_equal_temperatures_give_the_evaluation_temperature_as_best() -> None:
    adapter, base = table("adapter", ADAPTER), table("base", BASE)
    result = sharpening(adapter, {0.0: base, 0.6: base, 1.0: base}, evaluation_temperature=0.6, seed=1)
    assert result.best_temperature == 0.6
    assert {(row.gain, row.low, row.high) for row in result.rows} == {(result.gain_over_best, result.low, result.high)}


def test_sharpening_needs_the_evaluation_temperature_and_the_same_tasks() -> None:
    adapter, base = table("adapter", ADAPTER), table("base", BASE)
    with pytest.raises(ValueError, match=r"\[0\.0\], not at the evaluation temperature 1\.0"):
        sharpening(adapter, {0.0: base}, evaluation_temperature=1.0, seed=1)
    fewer = table("base", {"sales.quote-1": [1]})
    with pytest.raises(ValueError, match="one side only"):
        sharpening(adapter, {0.0: fewer, 1.0: base}, evaluation_temperature=1.0, seed=1)
