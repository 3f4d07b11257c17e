"""Base and adapter compared benchmark by benchmark: the test that fits the files, Holm's correction, the verdict."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom, norm

from evaluation.capability.comparison import CapabilityComparison, compare_capability
from evaluation.capability.holm import holm
from evaluation.capability.results import read_results
from evaluation.capability.unpaired import standard_errors, two_proportions
from evaluation.power import detectable_from_sd
from tests.evaluation.capability import runs


def compared(folder: Path, **wishes: Any) -> CapabilityComparison:
    sides = [read_results(folder / side) for side in ("base", "adapter")]
    return compare_capability(*sides, seed="test", **wishes)


def pair(folder: Path, name: str, base: dict[str, bool], adapter: dict[str, bool]) -> None:
    runs.byob(folder / "base" / name, name, base)
    runs.byob(folder / "adapter" / name, name, adapter, model="tuned")


def test_holm_multiplies_the_smallest_most_and_never_falls() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_right_and_wrong_answers_are_paired_by_their_question(tmp_path: Path) -> None:
    base, adapter = runs.right(200, wrong=range(20)), runs.right(200, wrong=range(10, 50))
    pair(tmp_path, "own", base, dict(reversed(adapter.items())))
    (row,) = compared(tmp_path).rows
    assert (row.questions, row.base, row.adapter) == (200, 0.9, 0.8)
    assert row.difference == pytest.approx(-0.1)
    assert (row.only_base, row.only_adapter) == (30, 10)
    assert row.test == "McNemar, exact"
    assert row.p_value == pytest.approx(2 * binom.cdf(10, 40, 0.5), rel=1e-9)
    half = 1.96 * math.sqrt((40 / 200 - 0.1**2) / 200)
    assert row.low == pytest.approx(-0.1 - half, abs=0.006) and row.high == pytest.approx(-0.1 + half, abs=0.006)
    assert row.outcome == "dropped"
    assert row.detectable == pytest.approx(detectable_from_sd(math.sqrt((40 / 200 - 0.01) * 200 / 199), 200), rel=1e-9)


def test_shares_of_several_answers_get_a_permutation_test(tmp_path: Path) -> None:
    runs.simple_evals(tmp_path / "base", "m", {f"q{place}": [1.0, 1.0] for place in range(6)})
    runs.simple_evals(tmp_path / "adapter", "m", {f"q{place}": [1.0, 0.0] for place in range(6)}, model="tuned")
    (row,) = compared(tmp_path).rows
    assert (row.test, row.p_value, row.only_base) == ("paired permutation", 2 / 2**6, None)


def test_without_answers_two_counts_are_compared_and_it_is_said(tmp_path: Path) -> None:
    runs.counted(tmp_path / "base", "mine", 0.80, 1000)
    runs.counted(tmp_path / "adapter", "mine", 0.75, 1000, model="tuned")
    found = compared(tmp_path)
    (row,) = found.rows
    z = 0.05 / math.sqrt(2 * 0.775 * 0.225 / 1000)
    assert (row.test, row.questions) == ("two proportions, z", 1000)
    assert row.p_value == pytest.approx(2 * norm.sf(z), rel=1e-6)
    assert row.low == pytest.approx(-0.0865, abs=5e-4) and row.high == pytest.approx(-0.0132, abs=5e-4)
    assert found.notes == (
        "mine: the files hold no answers question by question, so the two rates are compared as if of different "
        "questions, which sees less.",
    )


def test_counts_may_differ() -> None:
    found = two_proportions(0.8, 0.75, (1000, 400))
    z = 0.05 / math.sqrt((1100 / 1400) * (300 / 1400) * (1 / 1000 + 1 / 400))
    assert found.p_value == pytest.approx(2 * norm.sf(z), rel=1e-9)
    assert (found.low + found.high) / 2 == pytest.approx(301 / 402 - 801 / 1002, rel=1e-9)


def test_without_counts_standard_errors_decide_and_without_these_nothing(tmp_path: Path) -> None:
    for side, value in (("base", 0.8), ("adapter", 0.7)):
        runs.results(tmp_path / side / "one", "one", {"one": runs.metric("acc", "acc", value, stderr=0.02)}, model=side)
        runs.counted(tmp_path / side / "two", "two", value, None, model=side)
    found = compared(tmp_path)
    one, two = found.rows
    assert one.test == "standard errors, z"
    assert one.p_value == pytest.approx(2 * norm.sf(0.1 / math.sqrt(0.0008)), rel=1e-6)
    assert one.adjusted_p == one.p_value
    assert (two.test, two.p_value, two.low, two.outcome) == ("none", None, None, "untested")
    assert found.verdict == (
        "Dropped on one of one: one (−10.0 points). A drop of 7.9 points would have been found on any of them in "
        "four of five cases. Could not be tested: two."
    )
    assert one.detectable == pytest.approx(math.sqrt(0.0008) * (norm.ppf(0.975) + norm.ppf(0.8)), rel=1e-9)


def test_one_alarm_among_six_must_be_six_times_as_loud(tmp_path: Path) -> None:
    for place in range(6):
        lost = range(8 if place == 0 else 0)
        pair(tmp_path, f"own{place}", runs.right(300), runs.right(300, wrong=lost))
    found = compared(tmp_path)
    assert found.rows[0].p_value == pytest.approx(2 / 2**8)
    assert found.rows[0].adjusted_p == pytest.approx(6 * 2 / 2**8)
    assert [row.outcome for row in found.rows] == ["dropped", *["no significant change"] * 5]
    assert found.verdict.startswith("Dropped on one of six: own0 (−2.7 points). No significant change on the")
    assert [row.task for row in found.dropped] == ["byob_own0.own0"]


def test_seven_lost_answers_of_six_benchmarks_are_no_alarm(tmp_path: Path) -> None:
    for place in range(6):
        pair(tmp_path, f"own{place}", runs.right(300), runs.right(300, wrong=range(7 if place == 0 else 0)))
    found = compared(tmp_path)
    assert found.verdict.startswith("No significant change on six benchmarks. A drop of ")
    assert not found.dropped


def test_equal_answers_give_exactly_nothing_and_still_say_what_would_have_shown(tmp_path: Path) -> None:
    pair(tmp_path, "own", runs.right(400, wrong=[1]), runs.right(400, wrong=[1]))
    (row,) = compared(tmp_path).rows
    assert (row.difference, row.low, row.high, row.p_value, row.adjusted_p) == (0, 0, 0, 1, 1)
    assert row.detectable == 6 / 400  # 2 / 2^6 is the first such p-value below 0.05


def test_too_few_questions_can_show_nothing_and_that_is_said(tmp_path: Path) -> None:
    pair(tmp_path, "own", runs.right(5), runs.right(5, wrong=range(5)))
    found = compared(tmp_path)
    assert found.rows[0].detectable is None
    assert found.verdict == ("No significant change on one benchmark. Too few questions to show any change: own.")


def test_a_rise_is_no_alarm(tmp_path: Path) -> None:
    pair(tmp_path, "own", runs.right(100, wrong=range(20)), runs.right(100))
    pair(tmp_path, "other", runs.right(100), runs.right(100))
    found = compared(tmp_path)
    assert found.verdict.startswith("Rose on one of two: own (+20.0 points). None dropped significantly.")
    assert not found.dropped


def test_a_benchmark_of_one_side_is_refused_unless_only_what_is_common_counts(tmp_path: Path) -> None:
    pair(tmp_path, "own", runs.right(20), runs.right(20))
    runs.counted(tmp_path / "base" / "mine", "mine", 0.8, 100)
    with pytest.raises(ValueError, match="the adapter has no result of mine; run it, or compare what is common"):
        compared(tmp_path)
    found = compared(tmp_path, common=True)
    assert [row.task for row in found.rows] == ["byob_own.own"]
    assert "Only on one side, so not compared: mine." in found.notes


def test_questions_of_one_side_are_refused_unless_only_what_is_common_counts(tmp_path: Path) -> None:
    pair(tmp_path, "own", runs.right(20), runs.right(22))
    with pytest.raises(ValueError, match=r"2 questions have an answer of one side only \(20 of both\)"):
        compared(tmp_path)
    found = compared(tmp_path, common=True)
    assert found.rows[0].questions == 20
    assert "byob_own.own: 2 questions have an answer of one side only and are left out." in found.notes


def test_sides_made_in_different_ways_are_refused_unless_allowed(tmp_path: Path) -> None:
    entries = {"mine": runs.metric("acc", "acc", 0.5, count=100)}
    runs.results(tmp_path / "base", "mine", entries, params={"temperature": 0.0})
    runs.results(tmp_path / "adapter", "mine", entries, params={"temperature": 0.6}, model="tuned")
    with pytest.raises(ValueError, match=r"mine: the two sides differ in temperature \(0\.0 and 0\.6\)"):
        compared(tmp_path)
    found = compared(tmp_path, allow=["temperature"])
    assert "mine: the two sides differ in temperature, as was allowed: 0.0 and 0.6." in found.notes


def test_a_model_compared_with_itself_is_told(tmp_path: Path) -> None:
    for side in ("base", "adapter"):
        runs.byob(tmp_path / side, "own", runs.right(10))
    assert "Both sides name the model small: this compares a model with itself." in compared(tmp_path).notes


def test_unpaired_tests_stand_at_the_edges() -> None:
    assert two_proportions(1.0, 1.0, (50, 50)).p_value == 1
    assert two_proportions(0.0, 1.0, (50, 40)).p_value < 1e-20
    assert standard_errors(0.5, 0.5, 0.0, 0.0).p_value == 1
    assert standard_errors(0.5, 0.4, 0.0, 0.0).p_value == 0
