"""Rates are the pass rates of several policies on the same tasks, side by side and never pooled."""

from __future__ import annotations

from collections.abc import Mapping

from assets.stages.calibrating import STAGE, training_tasks
from calibration.sampling import PURPOSE
from environment.record import Record
from environment.watched_ledger import WatchedLedger
from pipeline.bad_input import BadInput
from pipeline.store import Store, StoredGeneration
from pipeline.terminal import columns


class Counted(Record):
    """One policy's attempts on one task."""

    passes: int
    scored: int
    unscored: int


class RatedPolicy(Record):
    """A policy that attempted some of the tasks for calibration."""

    policy: str
    """Key of its fingerprint."""
    labels: tuple[str, ...]
    """What the engagements call it."""
    generations: tuple[str, ...]
    tasks: int
    """Of the tasks, those with a scored attempt."""
    passes: int
    scored: int


class Rates(Record):
    """Every policy's counts on the training tasks of one generation."""

    generation: str
    policies: tuple[RatedPolicy, ...]
    tasks: Mapping[str, Mapping[str, Counted]]
    """Task id -> key of a policy -> its counts; tasks that nobody attempted are left out."""


def rates(store: Store, generation: StoredGeneration) -> Rates:
    """What all calibrations in the store say of this generation's training tasks.

    Raises BadInput when its clean tasks aren't finished.
    """
    known = training_tasks(generation)
    counts: dict[str, dict[str, Counted]] = {}
    labels: dict[str, set[str]] = {}
    generations: dict[str, list[str]] = {}
    stored = store.keys()
    for key in stored:
        other = store.open(key)
        ledger = WatchedLedger(other.folder(STAGE) / "ledger")
        ledger.look()
        for policy in ledger.policies():
            lines = [line for line in ledger.lines(policy, PURPOSE) if line.task_id in known]
            if not lines:
                continue
            labels.setdefault(policy, set()).add(other.engagement.target.label)
            generations.setdefault(policy, []).append(key)
            for line in lines:
                before = counts.setdefault(line.task_id, {}).get(policy, Counted(passes=0, scored=0, unscored=0))
                counts[line.task_id][policy] = Counted(
                    passes=before.passes + bool(line.strict),
                    scored=before.scored + line.scored,
                    unscored=before.unscored + (not line.scored),
                )
    policies = []
    for policy, told in sorted(labels.items()):
        own = [by_policy[policy] for by_policy in counts.values() if policy in by_policy]
        policies.append(
            RatedPolicy(
                policy=policy,
                labels=tuple(sorted(told)),
                generations=tuple(generations[policy]),
                tasks=sum(one.scored > 0 for one in own),
                passes=sum(one.passes for one in own),
                scored=sum(one.scored for one in own),
            )
        )
    if not policies:
        raise BadInput(f"no calibration in {store.root} attempted a training task of {generation.key}; calibrate first")
    return Rates(generation=generation.key, policies=tuple(policies), tasks=dict(sorted(counts.items())))


def rates_table(found: Rates) -> str:
    """A line a task, a column a policy: passes of scored attempts, empty where it made none."""
    names = [f"{chr(ord('A') + place)}" for place in range(len(found.policies))]
    told = [["", "policy", "label", "generations", "tasks", "passes"]]
    for name, one in zip(names, found.policies, strict=True):
        passes = f"{one.passes}/{one.scored}"
        told.append([name, one.policy, ", ".join(one.labels), ", ".join(one.generations), str(one.tasks), passes])
    rows = [["task", *names]]
    for task_id, by_policy in found.tasks.items():
        cells = [by_policy.get(one.policy) for one in found.policies]
        rows.append([task_id, *("" if cell is None else f"{cell.passes}/{cell.scored}" for cell in cells)])
    return f"{found.generation}\n{columns(told)}\n\n{columns(rows)}"
