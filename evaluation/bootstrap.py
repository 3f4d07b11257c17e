"""A paired bootstrap is the interval of a mean difference that comes from drawing the tasks again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from environment.rng import derive_seed

Floats = NDArray[np.float64]

BLOCK = 256
"""Resamples drawn at once: their indices stay in the processor's cache."""
TIE = 1e-12
"""Resampled means closer than this to the estimate equal it; summation order moves the last digits."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its bootstrap intervals; the ends are None for fewer than two tasks, where nothing can be said."""

    mean: float
    low: float | None
    """Percentile interval."""
    high: float | None
    bca_low: float | None
    """Bias-corrected and accelerated interval."""
    bca_high: float | None


def paired_bootstrap(
    base: Sequence[float],
    adapter: Sequence[float],
    *,
    seed: int | str,
    resamples: int = 20_000,
    confidence: float = 0.95,
    clusters: Sequence[str] | None = None,
) -> Interval:
    """Mean of `adapter` minus `base` over tasks, which are drawn with replacement, both sides together.

    Each entry is one task's mean over its attempts, in [0, 1], and both sides list the tasks in the same order.
    Percentile and BCa intervals (Efron 1987; acceleration from the jackknife) come from the same resamples. When all
    tasks differ by the same amount both intervals have no width. `clusters` names each task's cluster: whole clusters
    are drawn then, as many as there are, and each resample's mean is over the tasks that came with them; the ends are
    None for fewer than two clusters.
    """
    differences = paired_differences(base, adapter)
    groups = _groups(differences, clusters)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is a share between 0 and 1, given {confidence}; 95% is 0.95")
    if resamples < 1:
        raise ValueError(f"resamples is at least 1, given {resamples}; 20000 is usual")
    mean = float(differences.mean())
    if len(groups.sums) < 2:
        return Interval(mean, None, None, None, None)
    means = _resampled_means(groups, seed, resamples)
    tails = ((1 - confidence) / 2, (1 + confidence) / 2)
    low, high = np.quantile(means, tails)
    bca_low, bca_high = np.quantile(means, _bca_tails(groups, means, tails))
    return Interval(mean, float(low), float(high), float(bca_low), float(bca_high))


def paired_differences(base: Sequence[float], adapter: Sequence[float]) -> Floats:
    """`adapter` minus `base`, shape `(tasks,)`. Raises ValueError when they can't be paired or are no rates."""
    sides = np.asarray(base, dtype=np.float64), np.asarray(adapter, dtype=np.float64)
    if sides[0].ndim != 1 or sides[0].shape != sides[1].shape:
        raise ValueError(f"give one rate a task on both sides, given shapes {sides[0].shape} and {sides[1].shape}")
    if not len(sides[0]):
        raise ValueError("there is no task to compare; give at least one with a scored attempt on both sides")
    for side in sides:
        wrong = side[~((side >= 0) & (side <= 1))]
        if len(wrong):
            raise ValueError(f"a task's score is a share in [0, 1], given {wrong[0]}; divide it by its maximum")
    return sides[1] - sides[0]


@dataclass(frozen=True, slots=True)
class _Groups:
    """What is drawn: tasks, or clusters of them."""

    sums: Floats
    """Sum of each one's differences."""
    sizes: Floats | None
    """Tasks in each, None when they are single tasks."""

    @property
    def mean(self) -> float:
        return float(self.sums.mean() if self.sizes is None else self.sums.sum() / self.sizes.sum())


def _groups(differences: Floats, clusters: Sequence[str] | None) -> _Groups:
    if clusters is None:
        return _Groups(differences, None)
    if len(clusters) != len(differences):
        raise ValueError(f"give one cluster a task, given {len(clusters)} for {len(differences)} tasks")
    _, members = np.unique(np.asarray(clusters), return_inverse=True)
    sums = np.bincount(members, weights=differences).astype(np.float64)
    return _Groups(sums, np.bincount(members).astype(np.float64))


def _resampled_means(groups: _Groups, seed: int | str, resamples: int) -> Floats:
    rng = np.random.default_rng(derive_seed("bootstrap", seed))
    count = len(groups.sums)
    means = np.empty(resamples)
    for start in range(0, resamples, BLOCK):
        rows = min(BLOCK, resamples - start)
        drawn = rng.integers(0, count, size=(rows, count))  # (rows, groups)
        tasks = count if groups.sizes is None else groups.sizes[drawn].sum(axis=1)
        means[start : start + rows] = groups.sums[drawn].sum(axis=1) / tasks
    return means


def _bca_tails(groups: _Groups, means: Floats, tails: tuple[float, float]) -> tuple[float, float]:
    """Where the BCa interval ends among the resampled means, as quantiles (Efron and Tibshirani 1993, eq. 14.10)."""
    gap = means - groups.mean
    below = float(np.mean(gap < -TIE) + np.mean(np.abs(gap) <= TIE) / 2)
    sizes = np.ones(len(groups.sums)) if groups.sizes is None else groups.sizes
    jackknife = (groups.sums.sum() - groups.sums) / (sizes.sum() - sizes)
    bend = jackknife.mean() - jackknife
    spread = float((bend**2).sum())
    if not 0 < below < 1 or spread <= TIE**2:
        return tails
    acceleration = float((bend**3).sum()) / (6 * spread**1.5)
    normal = NormalDist()
    shift = normal.inv_cdf(below)

    def moved(tail: float) -> float:
        z = shift + normal.inv_cdf(tail)
        return normal.cdf(shift + z / (1 - acceleration * z))

    return moved(tails[0]), moved(tails[1])
