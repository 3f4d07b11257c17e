"""Intervals from drawing whole families, against scipy and cases worked out by hand."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest
from scipy import stats

from evaluation.bootstrap import paired_bootstrap
from evaluation.comparison import compare
from tests.evaluation.tables import table


def _families(count: int, size: int, seed: int) -> tuple[list[float], list[float], list[str]]:
    """Families of equal size whose tasks are all won or all lost together."""
    rng = Random(seed)
    gains = [rng.choice([0.0, 0.0, 1.0]) for _ in range(count)]
    adapter = [gain for gain in gains for _ in range(size)]
    return [0.0] * (count * size), adapter, [f"f{place}" for place in range(count) for _ in range(size)]


def test_families_of_one_task_are_tasks() -> None:
    base, adapter, _ = _families(30, 1, 1)
    names = [f"f{place:02d}" for place in range(30)]
    assert paired_bootstrap(base, adapter, seed=4, clusters=names) == paired_bootstrap(base, adapter, seed=4)


def test_both_intervals_agree_with_scipys_over_family_means() -> None:
    base, adapter, clusters = _families(40, 5, 2)
    ours = paired_bootstrap(base, adapter, seed=1, clusters=clusters)
    means = np.subtract(adapter, base).reshape(40, 5).mean(axis=1)
    for method, low, high in (("percentile", ours.low, ours.high), ("BCa", ours.bca_low, ours.bca_high)):
        theirs = stats.bootstrap(
            (means,), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(7)
        ).confidence_interval
        assert low == pytest.approx(theirs.low, abs=0.03)
        assert high == pytest.approx(theirs.high, abs=0.03)


def test_families_of_different_size_bring_all_their_tasks() -> None:
    base, adapter = [0.0] * 6, [1.0, 1.0, 1.0, 0.0, 0.0, 1.0]
    families = {"a": (3, 3), "b": (1, 0), "c": (2, 1)}  # tasks, sum of differences
    every = [
        sum(families[name][1] for name in drawn) / sum(families[name][0] for name in drawn)
        for drawn in itertools.product(families, repeat=3)
    ]
    clusters = ["a", "a", "a", "b", "c", "c"]
    for confidence in (0.3, 0.6, 0.8):
        ours = paired_bootstrap(base, adapter, seed=1, resamples=60_000, confidence=confidence, clusters=clusters)
        assert ours.mean == pytest.approx(4 / 6)
        tails = [(1 - confidence) / 2, (1 + confidence) / 2]
        # Few outcomes are possible, so the quantile is one of them and has no width to be off by.
        assert (ours.low, ours.high) == pytest.approx(tuple(np.quantile(every, tails, method="inverted_cdf")))


def test_families_that_move_together_widen_the_interval_several_times() -> None:
    base, adapter, clusters = _families(12, 20, 3)
    tasks = paired_bootstrap(base, adapter, seed=1)
    families = paired_bootstrap(base, adapter, seed=1, clusters=clusters)
    assert families.mean == tasks.mean
    assert families.high - families.low > 3 * (tasks.high - tasks.low)


def test_one_family_says_nothing_about_others_and_every_task_needs_one() -> None:
    found = paired_bootstrap([0.0, 0.0], [1.0, 0.0], seed=1, clusters=["a", "a"])
    assert (found.mean, found.low, found.bca_high) == (0.5, None, None)
    with pytest.raises(ValueError, match="one cluster a task, given 1 for 2"):
        paired_bootstrap([0.0, 0.0], [1.0, 0.0], seed=1, clusters=["a"])


def test_a_comparison_shows_the_families_drawn_where_tasks_have_families() -> None:
    credits = {f"sales.f{place % 3}-{place}": [0.0] for place in range(12)}
    better = {name: [float(".f0" in name)] for name in credits}
    result = compare(table("base", credits), table("adapter", better), seed=1)
    assert result.by_cluster.name == "whole families drawn (3)"
    assert result.by_cluster.gain == result.gain == pytest.approx(4 / 12)
    assert (result.by_cluster.low, result.by_cluster.high) == (0.0, 1.0)
    assert compare(table("base", {"hr.a-1": [0]}), table("adapter", {"hr.a-1": [1]}), seed=1).by_cluster is None
