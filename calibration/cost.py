"""A cost is what attempts have taken of a budget: attempts, tokens and money."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from calibration.settings import CalibrationSettings
from environment.ledger import AttemptLine
from environment.policies.prices import Prices


@dataclass(frozen=True, slots=True)
class Spent:
    """What attempts took, unscored ones included."""

    attempts: int
    tokens: int
    """Read and written."""
    money: float | None
    """In the currency of the prices, None without prices."""


def cost(lines: Iterable[AttemptLine], prices: Prices) -> float:
    """What the attempts were charged, in the currency of `prices`."""
    of_cached = prices.cached_input_per_million
    if of_cached is None:
        of_cached = prices.input_per_million
    total = 0.0
    for line in lines:
        total += (line.tokens_in - line.tokens_cached) * prices.input_per_million
        total += line.tokens_cached * of_cached + line.tokens_out * prices.output_per_million
    return total / 1e6


def spent_on(lines: Iterable[AttemptLine], prices: Prices | None) -> Spent:
    """Attempts, tokens and, where there are prices, money of these attempts."""
    made = list(lines)
    tokens = sum(line.tokens_in + line.tokens_out for line in made)
    return Spent(len(made), tokens, None if prices is None else cost(made, prices))


def attempts_left(spent: Spent, settings: CalibrationSettings) -> int:
    """How many further attempts the budget allows when they cost what those so far did on average; 0 when it is spent.

    Before the first attempt nothing is known of tokens and money, so that only `max_attempts` limits the first round.
    """
    return max(0, min(_left(spent, settings).values()))


def exhausted(spent: Spent, settings: CalibrationSettings) -> str:
    """Which limits leave no further attempt, as a sentence with the remedy; empty when all leave some."""
    names = [name for name, left in _left(spent, settings).items() if left <= 0]
    if not names:
        return ""
    money = "" if spent.money is None else f" for {spent.money:,.2f}"
    return (
        f"the budget is spent by {spent.attempts:,} attempts with {spent.tokens:,} tokens{money}: "
        f"raise {' and '.join(names)}"
    )


def _left(spent: Spent, settings: CalibrationSettings) -> dict[str, int]:
    """Attempts that each limit leaves room for; a limit that is not set, or of which nothing is used yet, is absent."""
    left = {"max_attempts": settings.max_attempts - spent.attempts}
    for name, used, limit in (
        ("max_tokens", spent.tokens, settings.max_tokens),
        ("max_cost", spent.money, settings.max_cost),
    ):
        if used and limit is not None:
            left[name] = math.floor((limit - used) * spent.attempts / used + 1e-9)
    return left
