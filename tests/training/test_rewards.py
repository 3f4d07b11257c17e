from __future__ import annotations

import pytest

from environment.attempt import Verdict
from tests.training.jobs import REWARD
from training.rewards import overlong, reward
from training.settings import RewardSettings


def _verdict(partial_credit: float) -> Verdict:
    return Verdict(expected=(), collateral=(), strict=partial_credit == 1, partial_credit=partial_credit)


@pytest.mark.parametrize(
    ("length", "expected"), [(0, 0.0), (80, 0.0), (85, 0.25), (90, 0.5), (99, 0.95), (100, 1.0), (140, 1.0)]
)
def test_overlong_is_minus_equation_13(length, expected):
    # L_max 100, L_cache 20: ((L_max - L_cache) - |y|) / L_cache between 80 and 100
    assert overlong(length, 100, 20) == pytest.approx(expected)


def test_overlong_agrees_with_trl():
    trl = pytest.importorskip("trl.rewards")
    theirs = trl.get_soft_overlong_punishment(100, 20)
    lengths = range(0, 130, 3)
    assert [-overlong(length, 100, 20) for length in lengths] == pytest.approx(theirs([[0] * n for n in lengths]))


@pytest.mark.parametrize(
    ("partial_credit", "end", "longest", "raw", "penalised"),
    [
        (1.0, "answered", 10, 1.0, 1.0),
        (0.5, "answered", 10, 0.25, 0.25),
        (0.5, "turn_limit", 10, 0.25, 0.05),
        (0.0, "malformed", 10, 0.0, -0.2),
        (1.0, "answered", 36, 1.0, 0.9),
        (0.0, "token_limit", 40, 0.0, -0.4),
    ],
)
def test_reward_is_half_strict_half_partial_less_penalties(partial_credit, end, longest, raw, penalised):
    worth = reward(_verdict(partial_credit), end, longest, 40, RewardSettings(**REWARD))
    assert worth.raw == pytest.approx(raw)
    assert worth.penalised == pytest.approx(penalised)


def test_reward_does_not_go_below_the_floor():
    settings = RewardSettings(**{**REWARD, "floor": -0.1})
    assert reward(_verdict(0.0), "token_limit", 40, 40, settings).penalised == -0.1
