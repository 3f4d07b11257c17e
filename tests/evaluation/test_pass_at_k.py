"""pass@k and pass^k against enumeration of all draws."""

from __future__ import annotations

import itertools
import math

import pytest

from evaluation.pass_at_k import pass_at_k, pass_hat_k


@pytest.mark.parametrize("scored", [1, 2, 3, 5, 8])
def test_estimators_equal_the_share_of_all_draws(scored: int) -> None:
    for solved in range(scored + 1):
        outcomes = [True] * solved + [False] * (scored - solved)
        for k in range(1, scored + 1):
            draws = list(itertools.combinations(outcomes, k))
            assert pass_at_k(scored, solved, k) == pytest.approx(sum(map(any, draws)) / len(draws))
            assert pass_hat_k(scored, solved, k) == pytest.approx(sum(map(all, draws)) / len(draws))


def test_too_few_attempts_give_nan_rather_than_a_number() -> None:
    assert math.isnan(pass_at_k(2, 2, 3))
    assert math.isnan(pass_hat_k(0, 0, 1))


@pytest.mark.parametrize(("scored", "solved", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0)])
def test_impossible_counts_are_refused(scored: int, solved: int, k: int) -> None:
    with pytest.raises(ValueError, match="given"):
        pass_at_k(scored, solved, k)
