"""Calibration totals say what a calibration took, what it found, and why it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assets.stages.calibrating import prices_of, read_calibration
from calibration.cost import exhausted
from calibration.progress import failures_text, short_count
from calibration.rating import Calibration
from environment.record import Record
from pipeline.store import StoredGeneration


class CalibrationTotals(Record):
    """Of one finished calibration."""

    stopped: str
    reason: str
    """The same in words, with the remedy where one is needed."""
    attempts: int
    unscored: int
    failures: Mapping[str, int]
    """Kind of failure -> unscored attempts."""
    tokens_in: int
    tokens_out: int
    cost: float | None
    """In `currency`, None without prices."""
    currency: str | None
    accepted: Mapping[str, int]
    """By domain."""
    wanted: Mapping[str, int]
    """By domain."""
    warnings: tuple[str, ...]


def calibration_totals(generation: StoredGeneration) -> CalibrationTotals:
    """The totals of a generation whose calibration is finished."""
    found, prices = read_calibration(generation), prices_of(generation.engagement)
    wanted = {str(name): count for name, count in generation.engagement.selection.quotas.items() if count}
    accepted = Counter(rating.domain for rating in found.ratings if rating.standing == "accepted")
    return CalibrationTotals(
        stopped=found.stopped,
        reason=_reason(found),
        attempts=found.attempts,
        unscored=found.unscored,
        failures=found.failures,
        tokens_in=found.tokens_in,
        tokens_out=found.tokens_out,
        cost=found.cost,
        currency=None if prices is None else prices.currency,
        accepted={name: accepted[name] for name in wanted},
        wanted=wanted,
        warnings=found.warnings,
    )


def calibration_totals_text(totals: CalibrationTotals) -> str:
    """A few lines."""
    lost = f"{totals.unscored:,} unscored" + (f" ({failures_text(totals.failures)})" if totals.failures else "")
    tokens = f"{short_count(totals.tokens_in)} tokens in, {short_count(totals.tokens_out)} out"
    money = "" if totals.cost is None else f", {totals.cost:,.2f} {totals.currency}"
    standing = ", ".join(f"{name} {totals.accepted[name]} of {count}" for name, count in totals.wanted.items())
    lines = [
        f"{totals.attempts:,} attempts, {lost}, {tokens}{money}",
        f"accepted of those wanted: {standing}",
        f"ended because {totals.reason}",
        *(f"WARNING: {sentence}" for sentence in totals.warnings),
    ]
    return "\n".join(lines)


def _reason(found: Calibration) -> str:
    if found.stopped == "complete":
        return "nothing is missing"
    if found.stopped == "budget":
        return exhausted(found.spent, found.settings)
    if found.stopped == "short":
        few = f"no task at hand promises an acceptance in {found.settings.give_up:g} attempts"
        return f"{few}; `worldloom select` says what is missing"
    return "the endpoint was taken to be down"
