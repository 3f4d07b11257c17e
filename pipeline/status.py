"""The status of a generation says of every stage whether it is done, and of the evaluation what came out."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from pydantic import JsonValue

from assets.generation import STAGES
from assets.stages.selecting import SHORTAGE
from assets.stages.selecting import STAGE as TRAINING_SET
from environment.record import Record
from pipeline.store import Store, StoredGeneration
from pipeline.terminal import columns

State = Literal["done", "running", "short", "pending"]
EVALUATION = "evaluation_report"


class StageStatus(Record):
    """One stage; further batches are counted with it. Everything but the state is None until it is done."""

    state: State
    rows_in: int | None = None
    rows_out: int | None = None
    dropped: dict[str, int] | None = None
    data_version: str | None = None


class Status(Record):
    """A generation at a glance."""

    engagement: str
    generation: int
    stages: dict[str, StageStatus]
    evaluation: dict[str, JsonValue] | None


def status_of(store: Store, generation: StoredGeneration) -> Status:
    """The status now."""
    stages = {stage: _stage(generation, stage) for stage in STAGES}
    if store.is_locked(generation.key):
        at_work = next((stage for stage in STAGES if stages[stage].state != "done"), None)
        if at_work:
            stages[at_work] = StageStatus(state="running")
    evaluation: Any = None
    if generation.is_finished(EVALUATION):
        evaluation = generation.manifest(EVALUATION).facts["evaluation"]
    return Status(
        engagement=generation.engagement.name, generation=generation.number, stages=stages, evaluation=evaluation
    )


def _stage(generation: StoredGeneration, stage: str) -> StageStatus:
    if not generation.is_finished(stage):
        short = stage == TRAINING_SET and (generation.folder(stage) / SHORTAGE).exists()
        return StageStatus(state="short" if short else "pending")
    parts = [generation.manifest(stage, batch) for batch in (0, *generation.batches(stage))]
    dropped = Counter[str]()
    for part in parts:
        dropped.update(part.dropped)
    return StageStatus(
        state="done",
        rows_in=sum(part.rows_in for part in parts),
        rows_out=sum(part.rows_out for part in parts),
        dropped=dict(dropped),
        data_version=parts[0].content_hash,
    )


def status_table(status: Status) -> str:
    """The status as a person reads it."""
    rows = [["stage", "state", "in", "kept", "dropped"]]
    for name, stage in status.stages.items():
        counts = ["" if count is None else str(count) for count in (stage.rows_in, stage.rows_out)]
        dropped = ", ".join(f"{count} {reason}" for reason, count in (stage.dropped or {}).items())
        rows.append([name, stage.state, *counts, dropped])
    text = f"{status.engagement}.g{status.generation}\n{columns(rows)}"
    found = status.evaluation
    if found is None:
        return text
    numbers = {name: 100 * float(str(found[name])) for name in ("base", "adapter", "gain")}
    low, high = found["low"], found["high"]
    interval = "none" if low is None else f"{100 * float(str(low)):+.1f} to {100 * float(str(high)):+.1f}"
    return (
        f"{text}\n{found['metric']}: base {numbers['base']:.1f}%, adapter {numbers['adapter']:.1f}%, gain "
        f"{numbers['gain']:+.1f} points (95% interval {interval}), {found['tasks']} tasks"
    )
