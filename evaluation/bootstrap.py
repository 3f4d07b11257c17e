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
) -> Interval:
    """Mean of `adapter` minus `base` over tasks, which are drawn with replacement, both sides together.

    Each entry is one task's mean over its attempts, in [0, 1], and both sides list the tasks in the same order.
    Percentile and BCa intervals (Efron 1987; acceleration from the jackknife) come from the same resamples. When all
    tasks differ by the same amount both intervals have no width.
    """
    differences = paired_differences(base, adapter)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is a share between 0 and 1, given {confidence}; 95% is 0.95")
    if resamples < 1:
        raise ValueError(f"resamples is at least 1, given {resamples}; 20000 is usual")
    mean = float(differences.mean())
    if len(differences) < 2:
        return Interval(mean, None, None, None, None)
    means = _resampled_means(differences, seed, resamples)
    tails = ((1 - confidence) / 2, (1 + confidence) / 2)
    low, high = np.quantile(means, tails)
    bca_low, bca_high = np.quantile(means, _bca_tails(differences, means, tails))
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


def _resampled_means(values: Floats, seed: int | str, resamples: int) -> Floats:
    rng = np.random.default_rng(derive_seed("bootstrap", seed))
    means = np.empty(resamples)
    for start in range(0, resamples, BLOCK):
        rows = min(BLOCK, resamples - start)
        drawn = rng.integers(0, len(values), size=(rows, len(values)))  # (rows, tasks)
        means[start : start + rows] = values[drawn].mean(axis=1)
    return means


def _bca_tails(values: Floats, means: Floats, tails: tuple[float, float]) -> tuple[float, float]:
    """Where the BCa interval ends among the resampled means, as quantiles (Efron and Tibshirani 1993, eq. 14.10)."""
    gap = means - values.mean()
    below = float(np.mean(gap < -TIE) + np.mean(np.abs(gap) <= TIE) / 2)
    jackknife = (values.sum() - values) / (len(values) - 1)
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
