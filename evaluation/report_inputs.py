"""Report inputs are the plain numbers that a report shows; whoever has them fills this record in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping

from pydantic import Field, model_validator

from environment.record import Record
from evaluation.comparison import Comparison, Sharpening
from evaluation.exhibits import Exhibit
from evaluation.failures import FailureAnalysis
from evaluation.published import PublishedScore

BINS = 20
"""Bars of the pass-rate histogram, five points wide each."""


class FunnelStage(Record):
    """One step from candidate tasks to evaluated ones; what comes in is kept or dropped for a reason."""

    name: str
    """What is kept, such as `proven` or `in band`."""
    rows_in: int = Field(ge=0)
    kept: int = Field(ge=0)
    dropped: Mapping[str, int] = {}
    """Reason, in words for a reader -> how many."""

    @model_validator(mode="after")
    def _adds_up(self) -> FunnelStage:
        dropped = sum(self.dropped.values())
        if self.kept + dropped != self.rows_in:
            raise ValueError(
                f"stage {self.name!r} keeps {self.kept} and drops {dropped} of {self.rows_in}; count what is missing"
            )
        return self


class PassRates(Record):
    """How the base's pass rates were spread before selection and in the selected set."""

    before: tuple[int, ...] = Field(min_length=BINS, max_length=BINS)
    """Tasks in each of `BINS` equal bins from 0 to 1; a rate of 1 is in the last."""
    selected: tuple[int, ...] = Field(min_length=BINS, max_length=BINS)
    band_low: float
    band_high: float
    estimate: str
    """What a task's pass rate is here, such as `posterior mean`."""
    attempts: int
    """Scored attempts that the rates come from."""


class TrainingUpdate(Record):
    """What one update of the policy logged."""

    update: int
    reward: float
    """Mean over the attempts, before penalties."""
    penalised_reward: float
    """The same after penalties: what the advantages were computed from."""
    entropy: float
    """Nats a token."""
    zero_variance_share: float
    """Groups whose rewards are all equal and teach nothing."""
    truncated_share: float
    """Attempts cut at a limit."""
    clipped_share: float
    """Tokens whose probability ratio was clipped."""
    tokens: int
    """Tokens sampled."""
    gradient_norm: float | None = None
    seconds: float | None = None


class MonitorPoint(Record):
    """The monitor tasks attempted after an update."""

    update: int
    pass_rate: float
    tasks: int
    attempts: int


class DecontaminationStatement(Record):
    """Against what the training tasks were checked, and what came of it."""

    benchmark: str
    content_hash: str
    """Of the benchmark's tasks as they were read."""
    benchmark_tasks: int
    stand_in: str | None
    """A notice when this is not the benchmark itself, saying what stands in for it."""
    tasks_checked: int
    passages_compared: int
    names_compared: int
    dropped: Mapping[str, int]
    """Reason -> tasks."""
    overlaps_left: int
    """Overlaps found in the delivered set when it was checked once more."""


class ReportInputs(Record):
    """Everything a report shows; a part that an engagement lacks is None or empty and leaves no section."""

    title: str
    """Such as `laptop, generation g1`."""
    policy_label: str
    """Who was trained, in a reader's words, such as `reference policy (2.6M parameters, made careless on purpose)`."""
    suite: str
    """What was evaluated on, such as `200 held-out tasks of this engagement`."""
    sampling: Mapping[str, str]
    """Settings shared by both sides, such as temperature and turn limit."""
    comparison: Comparison
    """The headline."""
    held_out: Comparison | None = None
    """The engagement's own suite, where the headline is another one's; the temperatures below are on it."""
    sharpening: Sharpening | None
    published: tuple[PublishedScore, ...] = ()
    """Scores of other models beside ours, in the order of the table."""
    failures: FailureAnalysis | None = None
    exhibits: tuple[Exhibit, ...] = ()
    """The tasks of the largest gains and losses."""
    failures_of: str = ""
    """Whose attempts the failure analysis is of, such as `the engagement's own held-out tasks`."""
    funnel: tuple[FunnelStage, ...]
    pass_rates: PassRates | None
    updates: tuple[TrainingUpdate, ...]
    monitor: tuple[MonitorPoint, ...]
    stopping: str | None
    """The stopping decision and its reason."""
    decontamination: DecontaminationStatement | None
    provenance: Mapping[str, str]
    """Name -> hash, commit or seed: what an auditor starts from."""
    links: Mapping[str, str] = {}
    """Part of the report -> file that its numbers came from, seen from the page: `headline`, `failures`,
    `held_out`, `temperatures`, `pass_rates`, `training`, `decontamination`, the funnel's stages and what the provenance
    lists by name."""


def pass_rate_counts(rates: Iterable[float]) -> tuple[int, ...]:
    """Number of `rates` in each of `BINS` equal bins; 0.2 belongs to the bin that starts there, 1 to the last."""
    edges = [step / BINS for step in range(BINS)]
    counts = [0] * BINS
    for rate in rates:
        if not 0 <= rate <= 1:
            raise ValueError(f"a pass rate lies in [0, 1], given {rate}")
        counts[bisect_right(edges, rate) - 1] += 1
    return tuple(counts)
