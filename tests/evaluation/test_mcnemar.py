"""McNemar's exact test against counting by hand, and where a comparison shows it."""

from __future__ import annotations

from math import comb

import pytest

from evaluation.comparison import compare
from evaluation.mcnemar import mcnemar
from tests.evaluation.tables import table


def test_p_value_is_the_share_of_splits_at_least_as_uneven() -> None:
    base = [True] * 2 + [False] * 9 + [True] * 5 + [False] * 5
    adapter = [False] * 2 + [True] * 9 + [True] * 5 + [False] * 5
    found = mcnemar(base, adapter)
    assert (found.only_base, found.only_adapter) == (2, 9)
    assert found.p_value == pytest.approx(2 * sum(comb(11, count) for count in range(3)) / 2**11)


def test_equal_sides_have_nothing_to_split() -> None:
    assert mcnemar([True, False], [True, False]).p_value == 1.0


def test_a_comparison_has_the_test_only_with_one_attempt_a_task() -> None:
    base, adapter = {"hr.a-1": [0.5], "hr.a-2": [1]}, {"hr.a-1": [1], "hr.a-2": [1]}
    found = compare(table("base", base), table("adapter", adapter), seed=1).mcnemar
    assert (found.only_base, found.only_adapter, found.p_value) == (0, 1, 1.0)
    twice = {name: credits * 2 for name, credits in base.items()}
    assert compare(table("base", twice), table("adapter", twice), seed=1).mcnemar is None
