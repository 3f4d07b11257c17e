from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from calibration.cost import Spent, attempts_left, cost, exhausted, spent_on
from calibration.sampling import calibrate
from calibration.settings import Band, CalibrationSettings
from environment.ledger import AttemptLine, Ledger
from environment.policies.prices import Prices
from tests.calibration.simulated import SELECTION, SETTINGS, SimulatedPolicy, candidates

PRICES = Prices(input_per_million=2.0, cached_input_per_million=0.5, output_per_million=10.0, currency="EUR")


def line(tokens_in: int, tokens_cached: int, tokens_out: int) -> AttemptLine:
    return AttemptLine("t", 0, "base", 1, "calibration", True, 1.0, tokens_in, tokens_out, tokens_cached)


def settings_of(**limits) -> CalibrationSettings:
    return CalibrationSettings(**{"band": Band(low=0.2, high=0.8), "max_batches": 0, "max_attempts": 100, **limits})


def test_cached_tokens_have_a_price_of_their_own() -> None:
    lines = [line(1_000_000, 400_000, 100_000), line(500_000, 0, 0)]
    assert cost(lines, PRICES) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 10 + 0.5 * 2)
    plain = Prices(input_per_million=2.0, output_per_million=10.0)
    assert cost(lines, plain) == pytest.approx(1.5 * 2 + 0.1 * 10)
    assert spent_on(lines, PRICES) == Spent(2, 1_600_000, pytest.approx(3.4))
    assert spent_on(lines, None) == Spent(2, 1_600_000, None)


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        ({}, 60),
        ({"max_tokens": 500}, 10),
        ({"max_tokens": 409}, 0),
        ({"max_cost": 4.5}, 5),
        ({"max_tokens": 500, "max_cost": 4.5}, 5),
        ({"max_cost": 1.0}, 0),
    ],
)
def test_the_tightest_limit_decides_at_the_mean_cost_so_far(limits: dict, left: int) -> None:
    assert attempts_left(Spent(40, 400, 4.0), settings_of(**limits)) == left


def test_before_the_first_attempt_only_their_number_is_limited() -> None:
    assert attempts_left(Spent(0, 0, 0.0), settings_of(max_tokens=1, max_cost=0.01)) == 100


def test_a_spent_budget_names_the_limits_to_raise() -> None:
    spent = Spent(40, 4000, 4.0)
    assert exhausted(spent, settings_of()) == ""
    assert exhausted(spent, settings_of(max_tokens=4050)) == (
        "the budget is spent by 40 attempts with 4,000 tokens for 4.00: raise max_tokens"
    )
    assert exhausted(spent, settings_of(max_attempts=40, max_cost=3)).endswith("raise max_attempts and max_cost")


@pytest.mark.parametrize("limits", [{"max_tokens": 110 * 60}, {"max_cost": 60 * 0.0003}])
def test_calibration_ends_within_a_budget_in_tokens_or_money(tmp_path: Path, limits: dict) -> None:
    tasks = candidates()
    settings = SETTINGS.model_copy(update=limits)
    with Ledger(tmp_path) as ledger:
        outcome = asyncio.run(
            calibrate(
                tasks,
                SimulatedPolicy(tasks).attempt_many,  # 100 tokens in and 10 out: 0.0003 EUR an attempt
                ledger,
                policy="base",
                settings=settings,
                selection=SELECTION,
                seed="s",
                prices=PRICES,
            )
        )
    assert outcome.stopped == "budget"
    assert outcome.attempts == 60
    assert outcome.cost == pytest.approx(60 * 0.0003)


def test_a_budget_in_money_without_prices_is_refused(tmp_path: Path) -> None:
    tasks = candidates()
    with (
        Ledger(tmp_path) as ledger,
        pytest.raises(ValueError, match=r"max_cost is 3\.0 but the endpoint has no prices"),
    ):
        asyncio.run(
            calibrate(
                tasks,
                SimulatedPolicy(tasks).attempt_many,
                ledger,
                policy="base",
                settings=SETTINGS.model_copy(update={"max_cost": 3.0}),
                selection=SELECTION,
                seed="s",
            )
        )
