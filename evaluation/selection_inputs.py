"""Selection inputs are the plain numbers of a selection report; whoever has them fills this record in."""

from __future__ import annotations

from collections.abc import Mapping

from environment.record import Record
from evaluation.report_inputs import PassRates


class KnobEffect(Record):
    """What one knob does to the pass rate, in logits for a standard deviation of the knob."""

    knob: str
    effect: float
    low: float
    high: float
    """Ends of the 95% interval."""


class AuditGroup(Record):
    """Selected tasks of similar posterior mean, with what one fresh attempt on each of them gave."""

    tasks: int
    """With a scored audit attempt."""
    believed: float
    """Mean of the posterior means."""
    passes: int
    low: float
    high: float
    """Ends of the 95% interval of the pass rate (Wilson's)."""

    @property
    def mean(self) -> float:
        return self.passes / self.tasks


class AuditFindings(Record):
    """The audit as a whole."""

    scored: int
    unscored: int
    mean: float | None
    standard_error: float | None
    believed: float
    z: float | None
    """Standard errors between the two."""


class DomainStanding(Record):
    """One domain from candidates to the training set."""

    name: str
    candidates: int
    tried: int
    attempts: int
    accepted: int
    wanted: int
    selected: int
    mean: float | None
    """Mean posterior pass rate of the selected."""


class Lack(Record):
    """What a domain or an application lacks for a selection."""

    name: str
    sentence: str
    counts: Mapping[str, int]
    """In words for a reader."""


class SelectionInputs(Record):
    """Everything that the report shows."""

    title: str
    policy_label: str
    policy: str
    """Key of the fingerprint."""
    attempts: int
    unscored: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    currency: str | None = None
    stopped: str
    """Why calibration ended."""
    pass_rates: PassRates
    selected: int
    accepted: int
    claimed: float | None
    mean_pass_rate: float | None
    signal: float | None
    status: str
    gap: float | None
    domains: tuple[DomainStanding, ...]
    knobs: tuple[KnobEffect, ...]
    residual_sd: float | None
    """Of the tasks around what knobs, domain and family say, in logits."""
    audit: AuditFindings | None
    audit_groups: tuple[AuditGroup, ...] = ()
    lacks: tuple[Lack, ...] = ()
    """Empty when the selection was made."""
    warnings: tuple[str, ...] = ()
