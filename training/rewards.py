"""A reward is the number that training raises: what a verdict is worth, less penalties for how the attempt went."""

from __future__ import annotations

from dataclasses import dataclass

from environment.attempt import End, Verdict
from training.settings import RewardSettings


@dataclass(frozen=True, slots=True)
class Reward:
    """Worth of one attempt before and after penalties."""

    raw: float
    """In [0, 1]."""
    penalised: float
    """What advantages are computed from."""


def reward(
    verdict: Verdict, end: End, longest_response: int, max_response_tokens: int, settings: RewardSettings
) -> Reward:
    """The reward of one attempt; `longest_response` is the length in tokens of its longest response."""
    raw = settings.strict_share * verdict.strict + (1 - settings.strict_share) * verdict.partial_credit
    penalty = settings.overlong_penalty * overlong(longest_response, max_response_tokens, settings.overlong_buffer)
    if end != "answered":
        penalty += settings.incomplete_penalty
    return Reward(raw, max(settings.floor, raw - penalty))


def overlong(length: int, limit: int, buffer: int) -> float:
    """Soft overlong punishment of arXiv:2503.14476, eq. 13, as a number from 0 to 1 to be taken off.

    0 up to `limit - buffer` tokens, then rising evenly to 1 at `limit`. Where the paper has one response, an attempt
    has several: `length` is the longest, because each of them is cut at `limit`.
    """
    return min(1.0, max(0.0, (length - (limit - buffer)) / buffer))
