"""A generation is one delivery of an engagement: its seed, its settings and its artifacts, stage by stage."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from assets.manifest import CodeVersion, FileRecord, Manifest
from calibration.settings import CalibrationSettings, SelectionSettings
from decontam.settings import DecontaminationSettings
from environment.policies.target import ChatTarget, LocalTarget
from environment.task import Task
from evaluation.settings import EvaluationSettings
from generators.settings import CandidateSettings
from training.settings import TrainingSettings

STAGES = (
    "benchmark_tasks",
    "candidate_tasks",
    "proven_tasks",
    "clean_tasks",
    "calibrated_tasks",
    "training_set",
    "lora_adapter",
    "evaluation_report",
    "capability_report",
    "lineage_manifest",
)
"""In the order in which they are made."""


class FellShort(RuntimeError):
    """A stage ran and could not deliver what was asked for; the message says what is missing and what would help."""


class Engagement(Protocol):
    """What a generation is asked for, in the settings of each package."""

    @property
    def name(self) -> str: ...
    @property
    def candidates(self) -> CandidateSettings: ...
    @property
    def decontamination(self) -> DecontaminationSettings: ...
    @property
    def target(self) -> LocalTarget | ChatTarget: ...
    @property
    def calibration(self) -> CalibrationSettings: ...
    @property
    def selection(self) -> SelectionSettings: ...
    @property
    def training(self) -> TrainingSettings: ...
    @property
    def evaluation(self) -> EvaluationSettings: ...


@dataclass(frozen=True, slots=True)
class Product:
    """What a stage has written into its folder."""

    files: Mapping[str, FileRecord]
    """Path inside the folder -> what it holds."""
    rows_in: int
    rows_out: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    also_upstream: tuple[str, ...] = ()
    """Artifacts that it turned out to be made from besides those that were named before."""


class Generation(Protocol):
    """One generation, as stages see it."""

    @property
    def key(self) -> str:
        """Partition key, such as `laptop.g1`."""
        ...

    @property
    def seed(self) -> str: ...
    @property
    def code(self) -> CodeVersion:
        """The code that makes artifacts now."""
        ...

    @property
    def engagement(self) -> Engagement: ...

    @property
    def benchmark_paths(self) -> tuple[Path, ...]:
        """Sources or stored imports of the public benchmarks, none for the stand-in."""
        ...

    def folder(self, stage: str, batch: int = 0) -> Path:
        """Where the artifact lies."""
        ...

    def manifest(self, stage: str, batch: int = 0) -> Manifest:
        """The finished artifact's manifest. Raises ValueError when it isn't finished."""
        ...

    def is_finished(self, stage: str, batch: int = 0) -> bool: ...

    def batches(self, stage: str) -> tuple[int, ...]:
        """Numbers of the finished further batches."""
        ...

    def rows(self, stage: str, file: str, batch: int = 0) -> Iterator[dict[str, Any]]:
        """Rows of a JSONL file of a finished artifact."""
        ...

    def produce(self, stage: str, make: Callable[[Path], Product], upstream: Sequence[str], batch: int = 0) -> Manifest:
        """The artifact's manifest: the stored one, or that of what `make` writes into its folder now.

        `upstream` names the artifacts it is made from, such as `clean_tasks` or `clean_tasks/batch-2`.
        """
        ...

    def earlier(self) -> tuple[str, ...]:
        """Keys of the generations delivered before this one that the engagement's policy names.

        They are those whose clean tasks are finished now: the engagement's own of lower numbers first, then those of
        other engagements.
        """
        ...

    def other(self, key: str) -> "Generation":
        """Another generation of the store. Raises ValueError when it isn't there."""
        ...

    def tell(self, stage: str, done: int, total: int | None, detail: str = "") -> None:
        """Shows how far a stage has come."""
        ...


class Workshop(Protocol):
    """Opens generations by their partition key."""

    def open(self, key: str, run_id: str = "") -> Generation:
        """`run_id` names the run that artifacts are made in; whoever only reads has none."""
        ...


def tasks_in(generation: Generation, stage: str, batch: int = 0) -> Iterator[Task]:
    """The tasks of one artifact."""
    return map(Task.model_validate, generation.rows(stage, "tasks.jsonl", batch))


def tasks_of(generation: Generation, stage: str) -> Iterator[Task]:
    """The tasks of a stage, further batches last."""
    for batch in (0, *generation.batches(stage)):
        yield from tasks_in(generation, stage, batch)


def batch_name(stage: str, batch: int) -> str:
    """Name of an artifact: `clean_tasks`, or `clean_tasks/batch-2` for the first further batch."""
    return f"{stage}/batch-{batch + 1}" if batch else stage
