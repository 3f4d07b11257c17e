from __future__ import annotations

import numpy as np
import pytest

from calibration.design import Design


@pytest.fixture
def design() -> Design:
    rng = np.random.default_rng(5)
    return Design(rng.normal(size=(40, 3)), rng.integers(0, 7, 40), np.array([0, 2, 1, 0, 1, 2, 2]))


def whole(design: Design) -> np.ndarray:
    """The matrix itself, shape (tasks, width)."""
    rows = []
    for knobs, family in zip(design.knobs, design.family, strict=True):
        domain = design.family_domain[family]
        rows.append([1.0, *knobs, *(domain == d for d in range(3)), *(family == f for f in range(7))])
    return np.array(rows, dtype=float)


def test_products_are_those_of_the_whole_matrix(design: Design) -> None:
    rng = np.random.default_rng(6)
    matrix, weights, b = whole(design), rng.random(40), rng.normal(size=14)
    factor = rng.normal(size=(14, 14))
    assert design.width == 14
    assert design.times(b) == pytest.approx(matrix @ b)
    assert design.summed(weights) == pytest.approx(matrix.T @ weights)
    assert design.crossed(weights) == pytest.approx(matrix.T @ (weights[:, None] * matrix))
    assert design.spread(factor @ factor.T) == pytest.approx((matrix @ factor @ factor.T * matrix).sum(axis=1))
    some = np.arange(40) % 3 == 0
    assert design.of(some).times(b) == pytest.approx(matrix[some] @ b)


def test_a_design_without_knobs_has_groups_alone() -> None:
    design = Design(np.zeros((3, 0)), np.array([0, 1, 1]), np.array([0, 0]))
    assert design.crossed(np.ones(3)).tolist() == [[3, 3, 1, 2], [3, 3, 1, 2], [1, 1, 1, 0], [2, 2, 0, 2]]
