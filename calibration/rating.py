"""A rating is what calibration concludes of one task; a calibration is all ratings and the rounds behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from calibration.cost import Spent
from calibration.settings import CalibrationSettings
from environment.record import Record

Standing = Literal["accepted", "closed", "open", "untried"]
"""Accepted; attempted as often as allowed without that; attempted less often; never attempted."""
Stop = Literal["complete", "budget", "short", "endpoint"]
"""Nothing missing; no attempts left; no task left that promises enough; round after round without a scored attempt."""


class TaskRating(Record):
    """What is believed of one task's strict pass rate p under one policy."""

    task_id: str
    domain: str
    family: str
    batch: int
    """0 for a first candidate, more for one that calibration asked for."""
    standing: Standing
    passes: int
    scored: int
    unscored: int
    """Infrastructure failures; never counted as fails."""
    prior_mean: float | None
    """Logit p that the regression expects before the task's own attempts; None when nothing was scored at all."""
    prior_sd: float | None
    in_band: float | None
    """P(p in band)."""
    mean: float | None
    """E[p], to be reported instead of passes / scored, which selection makes too good."""
    variance_signal: float | None
    """E[p(1-p)]."""
    mixed_of_8: float | None
    """E[1 - p^8 - (1-p)^8], the chance that a group of eight attempts has a gradient."""


class Coefficient(Record):
    """One coefficient of the fitted regression, in logits."""

    name: str
    """`intercept`, `knob hops` (per standard deviation), `domain sales`, `family sales.renewal`."""
    value: float
    standard_error: float


class RoundLog(Record):
    """What was known when a round was planned."""

    round: int
    attempts: int
    """Before the round, unscored ones included."""
    unscored: int
    accepted: Mapping[str, int]
    """By domain."""
    missing: Mapping[str, int]
    """By `domain x` or `app x`, spare tasks included."""
    claimed: float | None
    """Mean P(in band) of the accepted, None when there are none."""
    promise: Mapping[str, float]
    """Acceptances per attempt to expect, for what is missing."""
    hopeless: tuple[str, ...]
    attainable: float
    """Greatest P(in band) that any task can reach; below `tau` none is ever accepted."""
    s: float
    """Standard deviation of the residual per task."""
    broken: float
    """Share of tasks that hardly anyone passes, whatever their knobs."""
    domain_sd: float
    family_sd: float
    coefficients: tuple[Coefficient, ...]


class Calibration(Record):
    """The outcome of calibrating a set of candidates for one policy."""

    policy: str
    settings: CalibrationSettings
    ratings: tuple[TaskRating, ...]
    """By task id, one for every candidate."""
    rounds: tuple[RoundLog, ...]
    """One for every round after the pilot, and one for the end; empty when nothing was scored."""
    stopped: Stop
    attempts: int
    unscored: int
    failures: Mapping[str, int] = {}
    """Kind of failure -> unscored attempts, `unknown` where nobody could tell; they add up to `unscored`."""
    tokens_in: int
    tokens_out: int
    cost: float | None = None
    """In the currency of the endpoint's prices, None without prices."""
    warnings: tuple[str, ...]
    """Sentences for a person to look at."""

    @property
    def spent(self) -> Spent:
        return Spent(self.attempts, self.tokens_in + self.tokens_out, self.cost)

    def count(self, standing: Standing) -> int:
        """Tasks of that standing."""
        return sum(rating.standing == standing for rating in self.ratings)
