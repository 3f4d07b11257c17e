"""Scores are what one policy earned on each task of a suite, attempt by attempt, ready to be paired with another's."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from pydantic import JsonValue

from environment.attempt import Attempt, PolicyFingerprint
from environment.task import Task
from evaluation.pass_at_k import pass_at_k, pass_hat_k

SHOWN = 3
"""Task ids named in a refusal; the count of all of them stands beside."""
SHOWN_LETTERS = 80
"""Of one of them."""


@dataclass(frozen=True, slots=True)
class Score:
    """What one scored attempt earned."""

    strict: bool
    partial_credit: float
    """In [0, 1]."""
    collateral: int | None
    """Stray rows; None where the harness does not count them."""
    incomplete: bool | None
    """Ended in any way but an answer; None where the harness does not say."""

    def __post_init__(self) -> None:
        if not 0 <= self.partial_credit <= 1:
            raise ValueError(
                f"partial credit is a share in [0, 1], given {self.partial_credit}; divide it by its maximum"
            )
        if self.strict and self.partial_credit != 1:
            raise ValueError(
                f"a strict pass earns partial credit 1, given {self.partial_credit}; one of the two is wrong"
            )
        if self.collateral is not None and self.collateral < 0:
            raise ValueError(f"collateral is a count of stray rows, given {self.collateral}")


@dataclass(frozen=True, slots=True)
class TaskScores:
    """Scores of one task, in the order of the attempts' numbers."""

    task_id: str
    domain: str
    family: str
    """Empty where the suite has no families."""
    scored: tuple[Score, ...]
    unscored: int = 0
    """Attempts lost to infrastructure errors: counted, never part of a mean."""

    @property
    def pass_rate(self) -> float:
        """Strict passes over scored attempts; NaN without a scored attempt."""
        return _mean([float(score.strict) for score in self.scored])

    @property
    def partial_credit(self) -> float:
        """Mean partial credit of the scored attempts; NaN without one."""
        return _mean([score.partial_credit for score in self.scored])

    @property
    def collateral_rate(self) -> float | None:
        """Share of the scored attempts with any collateral; None when it was not counted on all of them."""
        return _share([None if score.collateral is None else score.collateral > 0 for score in self.scored])

    @property
    def incomplete_rate(self) -> float | None:
        """Share of the scored attempts that ended without an answer; None when that is not known of all of them."""
        return _share([score.incomplete for score in self.scored])


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of one policy, one entry a task, sorted by task id."""

    label: str
    """Who earned them, as shown to readers."""
    tasks: tuple[TaskScores, ...]
    settings: Mapping[str, JsonValue]
    """What the attempts were made with: a policy fingerprint, or the settings that a result file states."""
    notes: tuple[str, ...] = ()
    """What a reader of these scores must know, such as tasks that were left out."""

    def __post_init__(self) -> None:
        twice = [task_id for task_id, count in Counter(task.task_id for task in self.tasks).items() if count > 1]
        if twice:
            raise ValueError(f"{self.label} has {named(twice)} more than once; merge its attempts into one entry")
        object.__setattr__(self, "tasks", tuple(sorted(self.tasks, key=lambda task: task.task_id)))

    @property
    def scored(self) -> int:
        """Scored attempts over all tasks."""
        return sum(len(task.scored) for task in self.tasks)

    @property
    def solved(self) -> int:
        """Strict passes over all tasks."""
        return sum(score.strict for task in self.tasks for score in task.scored)

    @property
    def unscored(self) -> int:
        """Attempts lost to infrastructure errors over all tasks."""
        return sum(task.unscored for task in self.tasks)

    @property
    def missing(self) -> tuple[str, ...]:
        """Ids of the tasks without a scored attempt."""
        return tuple(task.task_id for task in self.tasks if not task.scored)

    def pass_rate(self) -> float:
        """Mean over the tasks with a scored attempt of their pass rates (pass@1); NaN when there is none."""
        return _mean([task.pass_rate for task in self.tasks if task.scored])

    def pass_at_k(self, k: int) -> float:
        """Mean chance that at least one of `k` attempts on a task passes; NaN when any task has fewer than `k`."""
        return _mean([pass_at_k(len(task.scored), solved(task), k) for task in self.tasks])

    def pass_hat_k(self, k: int) -> float:
        """Mean chance that all of `k` attempts on a task pass; NaN when any task has fewer than `k`."""
        return _mean([pass_hat_k(len(task.scored), solved(task), k) for task in self.tasks])


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides on the same tasks in the same order, each task with at least one scored attempt on either side."""

    base: Scores
    adapter: Scores
    notes: tuple[str, ...]
    """What was left out to make them comparable."""


def score_attempts(
    attempts: Iterable[Attempt], tasks: Iterable[Task], label: str, fingerprint: PolicyFingerprint | None = None
) -> Scores:
    """Scores of `attempts`, all by one policy, over `tasks`; a task that nobody attempted is there without scores.

    The policy's `fingerprint` says how it was sampled, which a comparison then checks.

    Raises ValueError for attempts of several policies, an attempt on an unknown task or one that comes twice.
    """
    listed = list(tasks)
    suite = {task.id for task in listed}
    grouped: dict[str, dict[int, Attempt]] = defaultdict(dict)
    policies: set[str] = set()
    for attempt in attempts:
        if attempt.task_id not in suite:
            raise ValueError(
                f"{label} has an attempt on {attempt.task_id}, which is not among the {len(suite)} tasks given"
            )
        if attempt.number in grouped[attempt.task_id]:
            raise ValueError(f"{label} has attempt {attempt.number} on {attempt.task_id} twice; give each one once")
        grouped[attempt.task_id][attempt.number] = attempt
        policies.add(attempt.policy)
    if len(policies) > 1:
        raise ValueError(f"{label} mixes attempts of policies {', '.join(sorted(policies))}; score each on its own")
    rows = tuple(_task_scores(task, grouped[task.id]) for task in listed)
    return Scores(label, rows, {"policy": next(iter(policies), None), **(_sampled(fingerprint) if fingerprint else {})})


def pair(base: Scores, adapter: Scores, *, common: bool = False, equal_attempts: bool = True) -> Pair:
    """Both sides on the tasks that both have scored.

    A task scored on one side only, or with unequal numbers of scored attempts, is refused; with `common` the first is
    left out and of the second the first attempts are used, as many as both have, and the notes say so. Unequal numbers
    are accepted as they are when `equal_attempts` is false. A task scored on neither side is left out and noted.
    """
    left = {task.task_id: task for task in base.tasks if task.scored}
    right = {task.task_id: task for task in adapter.tasks if task.scored}
    both = [task_id for task_id in left if task_id in right]
    if not both:
        raise ValueError(
            f"{base.label} ({len(left)} scored tasks) and {adapter.label} ({len(right)} scored tasks) have no scored "
            "task in common; compare attempts on the same suite"
        )
    lonely = [*(t for t in left if t not in right), *(t for t in right if t not in left)]
    unequal = [t for t in both if len(left[t].scored) != len(right[t].scored)] if equal_attempts else []
    if lonely and not common:
        raise ValueError(
            f"{named(lonely)} {_have(lonely)} a scored attempt on one side only (base {base.label}: {len(left)} tasks, "
            f"adapter {adapter.label}: {len(right)}); score what is missing or ask for only what both have"
        )
    if unequal and not common:
        first = unequal[0]
        raise ValueError(
            f"{named(unequal)} {_have(unequal)} unequal numbers of scored attempts ({first}: {len(left[first].scored)} "
            f"and {len(right[first].scored)}); score what is missing or ask for only what both have"
        )
    domains = [t for t in both if left[t].domain != right[t].domain]
    if domains:
        raise ValueError(f"{named(domains)} {_have(domains)} another domain on either side; compare the same suite")
    for task_id in unequal:
        count = min(len(left[task_id].scored), len(right[task_id].scored))
        left[task_id] = replace(left[task_id], scored=left[task_id].scored[:count])
        right[task_id] = replace(right[task_id], scored=right[task_id].scored[:count])
    return Pair(
        base=replace(base, tasks=tuple(left[t] for t in both)),
        adapter=replace(adapter, tasks=tuple(right[t] for t in both)),
        notes=_pair_notes(base, adapter, lonely, unequal),
    )


def without(scores: Scores, task_ids: Collection[str]) -> Scores:
    """The same scores without these tasks."""
    return replace(scores, tasks=tuple(task for task in scores.tasks if task.task_id not in task_ids))


def solved(task: TaskScores) -> int:
    """Strict passes on one task."""
    return sum(score.strict for score in task.scored)


def named(task_ids: list[str]) -> str:
    """A count of tasks with the first few ids, such as `2 tasks (sales.a, sales.b)`."""
    shown = [task_id[:SHOWN_LETTERS] for task_id in task_ids[:SHOWN]] + ["..."] * (len(task_ids) > SHOWN)
    return f"{len(task_ids)} task{'s' * (len(task_ids) != 1)} ({', '.join(shown)})"


def _have(items: list[str]) -> str:
    return "has" if len(items) == 1 else "have"


def _task_scores(task: Task, attempts: Mapping[int, Attempt]) -> TaskScores:
    ordered = [attempts[number] for number in sorted(attempts)]
    scored = tuple(
        Score(
            strict=attempt.verdict.strict,
            partial_credit=attempt.verdict.partial_credit,
            collateral=len(attempt.verdict.collateral),
            incomplete=attempt.end != "answered",
        )
        for attempt in ordered
        if attempt.verdict is not None
    )
    return TaskScores(task.id, task.domain, task.family, scored, unscored=len(ordered) - len(scored))


def _pair_notes(base: Scores, adapter: Scores, lonely: list[str], unequal: list[str]) -> tuple[str, ...]:
    notes = [*base.notes, *(note for note in adapter.notes if note not in base.notes)]
    if lonely:
        notes.append(f"Only tasks scored on both sides are compared: {named(lonely)} left out.")
    if unequal:
        notes.append(f"On {named(unequal)} only the first attempts are used, as many as both sides have.")
    neither = sorted({*base.missing} & {*adapter.missing})
    if neither:
        notes.append(f"Left out because no attempt was scored on either side: {named(neither)}.")
    return tuple(notes)


def _sampled(fingerprint: PolicyFingerprint) -> dict[str, JsonValue]:
    return {"prompt": fingerprint.prompt_hash, "toolset": fingerprint.toolset_hash, **fingerprint.sampling}


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _share(flags: list[bool | None]) -> float | None:
    known = [flag for flag in flags if flag is not None]
    return sum(known) / len(known) if known and len(known) == len(flags) else None
