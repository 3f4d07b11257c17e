"""A paired permutation test asks how often a difference this large comes up when the two sides' names are swapped."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from environment.rng import derive_seed
from evaluation.bootstrap import BLOCK, TIE, Floats, paired_differences


def permutation_p_value(
    base: Sequence[float], adapter: Sequence[float], *, seed: int | str, permutations: int = 20_000
) -> float:
    """Two-sided p-value of the mean difference over tasks, each task's two sides swapped with chance 1/2.

    Exact (every pattern of swaps) when there are at most `permutations` patterns on the tasks that differ; otherwise
    the estimate (1 + hits) / (1 + permutations) of Phipson and Smyth 2010, which is never 0. 1.0 when no task differs.
    """
    differences = paired_differences(base, adapter)
    moving = differences[np.abs(differences) > TIE]
    if not len(moving):
        return 1.0
    observed = abs(float(moving.sum())) - TIE * len(moving)
    if len(moving) < 63 and 2 ** len(moving) <= permutations:
        patterns = np.arange(2 ** len(moving))[:, None] >> np.arange(len(moving)) & 1  # (patterns, tasks)
        return float(np.mean(np.abs(_swapped(moving, patterns)) >= observed))
    rng = np.random.default_rng(derive_seed("permutation", seed))
    hits = 0
    for start in range(0, permutations, BLOCK):
        patterns = rng.integers(0, 2, size=(min(BLOCK, permutations - start), len(moving)), dtype=np.int8)
        hits += int(np.count_nonzero(np.abs(_swapped(moving, patterns)) >= observed))
    return (1 + hits) / (1 + permutations)


def _swapped(moving: Floats, patterns: np.ndarray) -> Floats:
    """Sums of the differences with the sign turned where the pattern is 1."""
    return moving.sum() - 2 * (patterns @ moving)
