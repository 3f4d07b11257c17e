"""Progress is how far a calibration has come, as its ledger tells it to whoever looks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from calibration.cost import spent_on
from calibration.rating import RoundLog
from calibration.settings import SelectionSettings
from environment.ledger import AttemptLine, Plan
from environment.policies.prices import Prices
from environment.record import Record


class CalibrationProgress(Record):
    """A calibration at work."""

    round: int
    """Of the newest plan, from 0."""
    round_made: int
    round_planned: int
    """Attempts of that round."""
    attempts: int
    """Made so far, unscored ones included."""
    unscored: int
    failures: Mapping[str, int]
    """Kind of failure -> unscored attempts, `unknown` where nobody could tell; they add up to `unscored`."""
    tokens_in: int
    tokens_out: int
    money: float | None
    """In `currency`, None without prices."""
    currency: str | None
    accepted: Mapping[str, int]
    """By domain, as of the beginning of the round; empty before the first fit."""
    wanted: Mapping[str, int]
    """By domain."""
    attempts_left: float | None
    """Rough number still needed, the hopeless apart; None before the first fit."""

    def sentence(self, per_minute: float | None = None) -> str:
        """What stands behind the number of attempts; the more important the earlier: a narrow terminal cuts the end."""
        parts = ["attempts"]
        if per_minute is not None:
            parts.append(f"{per_minute:.0f} a minute")
        if self.attempts_left is not None:
            parts.append(f"about {self.attempts_left:,.0f} left")
        if self.accepted:
            accepted = sum(self.accepted.get(name, 0) for name in self.wanted)
            parts.append(f"{accepted}/{sum(self.wanted.values())} accepted")
        if self.money is not None:
            parts.append(f"{self.money:,.2f} {self.currency}")
        parts.append(f"{self.unscored:,} unscored" + (f" ({failures_text(self.failures)})" if self.failures else ""))
        parts.append(f"{short_count(self.tokens_in)} tokens in, {short_count(self.tokens_out)} out")
        if self.accepted:
            parts.append(" ".join(f"{name} {self.accepted.get(name, 0)}/{self.wanted[name]}" for name in self.wanted))
        parts.append(f"round {self.round + 1}")
        return ", ".join(parts)


def progress_of(
    plan: Plan, lines: Sequence[AttemptLine], selection: SelectionSettings, prices: Prices | None
) -> CalibrationProgress:
    """The progress after these attempts of the plan's policy, which is the newest plan."""
    spent = spent_on(lines, prices)
    planned = {(one.task_id, one.number) for one in plan.attempts}
    made = sum((line.task_id, line.number) in planned for line in lines)
    begun = RoundLog.model_validate(plan.basis) if plan.basis else None
    return CalibrationProgress(
        round=plan.round,
        round_made=made,
        round_planned=len(planned),
        attempts=spent.attempts,
        unscored=sum(not line.scored for line in lines),
        failures=failures_in(lines),
        tokens_in=sum(line.tokens_in for line in lines),
        tokens_out=sum(line.tokens_out for line in lines),
        money=spent.money,
        currency=None if prices is None else prices.currency,
        accepted=begun.accepted if begun else {},
        wanted={domain: count for domain, count in selection.quotas.items() if count},
        attempts_left=None if begun is None else max(0.0, _attempts_left(begun) - made),
    )


def failures_in(lines: Iterable[AttemptLine]) -> dict[str, int]:
    """Unscored attempts by kind of failure, `unknown` where nobody could tell."""
    return dict(sorted(Counter(line.failure or "unknown" for line in lines if not line.scored).items()))


def failures_text(failures: Mapping[str, int]) -> str:
    """Such as `12 connection, 3 server error`, the most frequent first."""
    return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in sorted(failures.items(), key=_most_first))


def _most_first(failure: tuple[str, int]) -> tuple[int, str]:
    return -failure[1], failure[0]


def short_count(count: float) -> str:
    """Such as `950`, `12.3k` or `1.5M`."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.1f}{letter}"
    return f"{count:.0f}"


def _attempts_left(begun: RoundLog) -> float:
    """As of the beginning of the round: what is missing at what the tasks at hand promise."""
    return sum(lack / begun.promise[name] for name, lack in begun.missing.items() if begun.promise.get(name))
