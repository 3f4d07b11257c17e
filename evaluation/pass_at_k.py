"""pass@k is the chance that at least one of k attempts on a task passes; pass^k is the chance that all k do."""

from __future__ import annotations

import math


def pass_at_k(scored: int, solved: int, k: int) -> float:
    """Chance that at least one of `k` of the `scored` attempts, drawn without replacement, is among the `solved`.

    Unbiased estimator of Chen et al. 2021, arXiv:2107.03374: 1 - C(n-c, k) / C(n, k); 3 scored, 1 solved, k = 2: 2/3.
    NaN when fewer than `k` attempts were scored.
    """
    _check(scored, solved, k)
    if scored < k:
        return math.nan
    return 1 - math.comb(scored - solved, k) / math.comb(scored, k)


def pass_hat_k(scored: int, solved: int, k: int) -> float:
    """Chance that all of `k` of the `scored` attempts, drawn without replacement, are among the `solved`.

    Estimator of Yao et al. 2024, arXiv:2406.12045: C(c, k) / C(n, k); 3 scored, 2 solved, k = 2: 1/3.
    NaN when fewer than `k` attempts were scored.
    """
    _check(scored, solved, k)
    if scored < k:
        return math.nan
    return math.comb(solved, k) / math.comb(scored, k)


def _check(scored: int, solved: int, k: int) -> None:
    if k < 1:
        raise ValueError(f"k is a number of attempts, at least 1, given {k}")
    if not 0 <= solved <= scored:
        raise ValueError(f"solved attempts are among the scored ones, given {solved} of {scored}")
