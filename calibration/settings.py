"""Settings of calibration: the band, the stopping rule and the budget; and of selection: quotas, caps and minimums."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field, model_validator

from environment.record import Record
from environment.task import Domain


class Band(Record):
    """Closed interval of the strict pass rate whose tasks are kept for training."""

    low: float = Field(ge=0, le=1)
    high: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _low_is_below_high(self) -> Band:
        if self.low > self.high:
            raise ValueError(f"band.low {self.low} exceeds band.high {self.high}; swap them or widen the band")
        if self.low == self.high:
            raise ValueError(f"band.low and band.high are both {self.low}; widen the band, no pass rate is that exact")
        return self


class CalibrationSettings(Record):
    """How attempts are spent. The defaults are those that won the simulations of `benchmarks/allocation.py`."""

    band: Band
    max_attempts: int = Field(gt=0)
    """Budget: calibration stops here whatever is still missing; unscored attempts count, audit attempts do not."""
    max_tokens: int | None = Field(default=None, gt=0)
    """Budget in tokens read and written. A round is cut to what the mean attempt so far leaves room for; the first,
    when no attempt's cost is known, is not."""
    max_cost: float | None = Field(default=None, gt=0)
    """Budget in the currency of the endpoint's prices, kept in the same way."""
    max_batches: int = Field(ge=0)
    """How many times further tasks may be asked for; 0 turns the closed loop off."""
    tau: float = Field(default=0.8, gt=0, lt=1)
    """A task is accepted where the chance that its pass rate lies in the band reaches this."""
    n_min: int = Field(default=3, ge=2)
    """Scored attempts that a task needs before it is accepted."""
    n_max: int = Field(default=12, ge=2, le=64)
    """Scored attempts after which a task that is not accepted is closed."""
    pilot_per_family: int = Field(default=2, ge=1)
    """Random tasks a family that are attempted first: every other one three times, the rest once."""
    batch_share: float = Field(default=0.75, gt=0, le=4)
    """Attempts a round and domain, as a multiple of its deficit: less is thriftier, more takes fewer rounds."""
    give_up: float = Field(default=40, gt=1)
    """A domain whose best task promises less than one acceptance in this many attempts needs other tasks."""
    ask_gain: float = Field(default=2, ge=1)
    """Further tasks are asked for where they promise this many times the acceptances of those at hand."""
    spare: float = Field(default=0.05, ge=0)
    """Share of a domain's quota accepted beyond it, so that caps and application minimums leave a choice."""
    unscored_max: int = Field(default=12, ge=1)
    """Unscored attempts after which a task is closed."""
    audit: bool = True
    """One fresh attempt on every selected task, used for nothing but an unbiased mean pass rate."""

    @model_validator(mode="after")
    def _attempts_are_in_order(self) -> CalibrationSettings:
        if self.n_min > self.n_max:
            raise ValueError(
                f"n_min {self.n_min} exceeds n_max {self.n_max}; no task could ever be accepted, lower n_min"
            )
        return self


class SelectionSettings(Record):
    """What the training set must look like."""

    quotas: Mapping[Domain, int]
    """Exactly how many tasks of each domain; a domain that is absent gets none."""
    family_cap: int = Field(ge=1)
    """Most tasks of one family."""
    cluster_cap: int = Field(ge=1)
    """Most tasks of one cluster of near-duplicates."""
    min_per_app: int = Field(ge=0)
    """Fewest tasks of every application that occurs among the candidates of a domain with a quota."""

    @model_validator(mode="after")
    def _asks_for_something(self) -> SelectionSettings:
        negative = {domain: count for domain, count in self.quotas.items() if count < 0}
        if negative:
            raise ValueError(f"quotas {negative} are negative; give counts of tasks, 0 for none")
        if sum(self.quotas.values()) == 0:
            raise ValueError("quotas ask for no task at all; give at least one domain a count above 0")
        return self

    def quota(self, domain: str) -> int:
        """Tasks that `domain` has to give."""
        return next((count for name, count in self.quotas.items() if name == domain), 0)

    @property
    def size(self) -> int:
        """Tasks in the training set."""
        return sum(self.quotas.values())
