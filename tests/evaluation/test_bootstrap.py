"""The paired bootstrap against scipy, plain loops and cases worked out by hand."""

from __future__ import annotations

import itertools
import math
from random import Random

import numpy as np
import pytest
from scipy import stats

from evaluation.bootstrap import paired_bootstrap
from evaluation.permutation import permutation_p_value
from evaluation.power import detectable_from_sd, minimum_detectable_effect


def _two_sides(tasks: int, seed: int) -> tuple[list[float], list[float]]:
    rng = Random(seed)
    base = [rng.choice([0, 0, 0, 1, 2, 3]) / 3 for _ in range(tasks)]
    adapter = [rng.choice([0, 1, 2, 3, 3]) / 3 for _ in range(tasks)]
    return base, adapter


@pytest.mark.parametrize("tasks", [40, 300])
def test_both_intervals_agree_with_scipy(tasks: int) -> None:
    base, adapter = _two_sides(tasks, 1)
    ours = paired_bootstrap(base, adapter, seed=5)
    differences = np.subtract(adapter, base)
    for method, low, high in (("percentile", ours.low, ours.high), ("BCa", ours.bca_low, ours.bca_high)):
        theirs = stats.bootstrap(
            (differences,), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(9)
        ).confidence_interval
        width = theirs.high - theirs.low
        assert low == pytest.approx(theirs.low, abs=0.03 * width)
        assert high == pytest.approx(theirs.high, abs=0.03 * width)


def test_bca_interval_moves_with_skew_as_scipys_does() -> None:
    base = [0.0] * 60
    adapter = [0.0] * 55 + [1.0] * 5
    ours = paired_bootstrap(base, adapter, seed=2)
    theirs = stats.bootstrap((np.array(adapter),), np.mean, n_resamples=20_000, rng=np.random.default_rng(3))
    assert ours.bca_high > ours.high
    assert ours.bca_low == pytest.approx(theirs.confidence_interval.low, abs=0.01)
    assert ours.bca_high == pytest.approx(theirs.confidence_interval.high, abs=0.01)


def test_percentiles_equal_those_of_every_possible_resample() -> None:
    base, adapter = [0.0, 0.5, 1.0, 0.0], [1.0, 0.5, 0.25, 0.25]
    differences = [a - b for a, b in zip(adapter, base, strict=True)]
    every = [sum(drawn) / 4 for drawn in itertools.product(differences, repeat=4)]
    ours = paired_bootstrap(base, adapter, seed=1, resamples=60_000, confidence=0.5)
    assert ours.mean == pytest.approx(0.125)
    assert ours.low == pytest.approx(float(np.quantile(every, 0.25)), abs=0.01)
    assert ours.high == pytest.approx(float(np.quantile(every, 0.75)), abs=0.01)


def test_pairing_narrows_the_interval_of_correlated_sides() -> None:
    base, _ = _two_sides(200, 4)
    adapter = [min(1.0, rate + 1 / 3) for rate in base]
    paired = paired_bootstrap(base, adapter, seed=1)
    rng = Random(0)
    shuffled = rng.sample(adapter, k=len(adapter))
    unpaired = paired_bootstrap(base, shuffled, seed=1)
    assert paired.mean == pytest.approx(unpaired.mean)
    assert (paired.high - paired.low) < 0.5 * (unpaired.high - unpaired.low)


def test_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    sides = _two_sides(50, 2)
    assert paired_bootstrap(*sides, seed="g1") == paired_bootstrap(*sides, seed="g1")
    assert paired_bootstrap(*sides, seed="g1") != paired_bootstrap(*sides, seed="g2")


def test_ninety_five_percent_interval_covers_the_true_gain_about_that_often() -> None:
    rng = Random(8)
    covered = 0
    for trial in range(200):
        base = [float(rng.random() < 0.3) for _ in range(80)]
        adapter = [float(rng.random() < 0.5) for _ in range(80)]
        interval = paired_bootstrap(base, adapter, seed=trial, resamples=500)
        covered += interval.low <= 0.2 <= interval.high
    assert 178 <= covered <= 199


def test_all_solved_on_both_sides_has_no_width() -> None:
    interval = paired_bootstrap([1.0] * 5, [1.0] * 5, seed=1)
    assert (interval.mean, interval.low, interval.high, interval.bca_low, interval.bca_high) == (0, 0, 0, 0, 0)


def test_one_task_has_a_mean_and_no_interval() -> None:
    interval = paired_bootstrap([0.0], [1.0], seed=1)
    assert (interval.mean, interval.low, interval.bca_high) == (1.0, None, None)


@pytest.mark.parametrize(
    ("base", "adapter", "sentence"),
    [
        ([], [], "no task"),
        ([0.1], [0.1, 0.2], "one rate a task"),
        ([0.1, 1.2], [0.1, 0.2], r"\[0, 1\], given 1.2"),
        ([0.1, 0.1], [0.1, -0.2], r"\[0, 1\], given -0.2"),
        ([0.1, math.nan], [0.1, 0.2], r"\[0, 1\], given nan"),
    ],
)
def test_what_cannot_be_paired_is_refused(base: list[float], adapter: list[float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        paired_bootstrap(base, adapter, seed=1)


def test_confidence_in_percent_is_refused() -> None:
    with pytest.raises(ValueError, match=r"95% is 0\.95"):
        paired_bootstrap([0.0, 1.0], [1.0, 1.0], seed=1, confidence=95)


def test_exact_p_value_equals_enumeration_by_hand() -> None:
    # Differences +1, +1, +1, 0: of the 8 sign patterns of the three, +++ and --- reach |3|.
    assert permutation_p_value([0, 0, 0, 1], [1, 1, 1, 1], seed=1) == pytest.approx(2 / 8)
    assert permutation_p_value([1, 1], [1, 1], seed=1) == 1.0


def test_sampled_p_value_agrees_with_scipy() -> None:
    base, adapter = _two_sides(60, 3)
    adapter = [b if n % 2 else a for n, (a, b) in enumerate(zip(adapter, base, strict=True))]
    theirs = stats.permutation_test(
        (np.array(adapter), np.array(base)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).pvalue
    assert permutation_p_value(base, adapter, seed=1) == pytest.approx(theirs, abs=0.01)


def test_sampled_p_value_is_never_zero() -> None:
    p_value = permutation_p_value([0.0] * 100, [1.0] * 100, seed=1, permutations=999)
    assert p_value == pytest.approx(1 / 1000)


def test_detectable_effect_is_found_with_four_fifths_chance() -> None:
    tasks, attempts, base_rate = 150, 3, 0.4
    effect = minimum_detectable_effect(tasks, attempts, attempt_variance=0.245)
    rng = Random(12)
    found = 0
    for _ in range(400):
        gains = []
        for _ in range(tasks):
            base = sum(rng.random() < base_rate for _ in range(attempts)) / attempts
            adapter = sum(rng.random() < base_rate + effect for _ in range(attempts)) / attempts
            gains.append(adapter - base)
        found += np.mean(gains) > 1.96 * np.std(gains, ddof=1) / math.sqrt(tasks)
    assert found / 400 == pytest.approx(0.8, abs=0.06)


def test_detectable_effect_falls_with_tasks_and_attempts_to_a_floor() -> None:
    assert minimum_detectable_effect(600, 3) == pytest.approx(2.8016 * math.sqrt(0.5 / 3 / 600), rel=1e-4)
    assert minimum_detectable_effect(2400, 3) == pytest.approx(minimum_detectable_effect(600, 3) / 2)
    assert minimum_detectable_effect(600, 10**9, gain_sd=0.3) == pytest.approx(detectable_from_sd(0.3, 600))


@pytest.mark.parametrize(("tasks", "attempts", "variance"), [(0, 3, 0.2), (10, 0, 0.2), (10, 3, 0.3)])
def test_detectable_effect_of_an_impossible_suite_is_refused(tasks: int, attempts: int, variance: float) -> None:
    with pytest.raises(ValueError, match="given"):
        minimum_detectable_effect(tasks, attempts, attempt_variance=variance)
