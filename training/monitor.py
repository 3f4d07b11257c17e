"""A monitor measures the policy between updates on tasks it does not learn from, and says whether to go on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field

from environment.record import Record
from training.durable import append_durably, read_lines, write_durably

MONITOR = "monitor.jsonl"
"""The measurements' name in a job's output folder."""


class MonitorLog(Record):
    """One line of `monitor.jsonl`: the monitor tasks attempted after an update, and the decision that followed."""

    update: int = Field(ge=0)
    """0 is the base."""
    tasks: int
    attempts: int
    scored: int
    strict: int
    partial_credit: float | None
    """Mean over the scored attempts."""
    decision: Literal["go_on", "stop"]
    reason: str

    @property
    def pass_rate(self) -> float | None:
        """Strict passes among the scored attempts."""
        return self.strict / self.scored if self.scored else None


def decide(
    earlier: Sequence[MonitorLog], update: int, pass_rate: float | None, patience: int | None
) -> tuple[Literal["go_on", "stop"], str]:
    """Whether training goes on after this measurement, and why.

    It stops when `patience` measurements in a row have not exceeded the best one before them; None never stops.
    """
    known = [(log.pass_rate, log.update) for log in earlier if log.pass_rate is not None]
    if pass_rate is None:
        return "go_on", "nothing was scored"
    if not known:
        return "go_on", f"the first measurement, {pass_rate:.3f}"
    best, best_update = max(known, key=lambda one: (one[0], -one[1]))
    if pass_rate > best:
        return "go_on", f"{pass_rate:.3f} is better than the best so far, {best:.3f} after update {best_update}"
    waited = 1 + sum(number > best_update for _, number in known)
    sentence = f"{pass_rate:.3f} after update {update} does not exceed {best:.3f} after update {best_update}"
    if patience is not None and waited >= patience:
        return "stop", f"{sentence}, the {_ordinal(waited)} measurement in a row"
    return "go_on", sentence


def append_monitor(path: Path, log: MonitorLog) -> None:
    """Write one line and make it durable."""
    append_durably(path, log.model_dump_json())


def read_monitor(path: Path) -> tuple[MonitorLog, ...]:
    """Every complete line of a `monitor.jsonl`; none when it does not exist."""
    return tuple(MonitorLog.model_validate_json(line) for line in read_lines(path))


def truncate_monitor(path: Path, last: int) -> None:
    """Drop the measurements after update `last`, which will be made again."""
    kept = [log.model_dump_json() + "\n" for log in read_monitor(path) if log.update <= last]
    if path.exists():
        write_durably(path, "".join(kept))


def _ordinal(number: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if 10 < number % 100 < 14 else endings.get(number % 10, 'th')}"
