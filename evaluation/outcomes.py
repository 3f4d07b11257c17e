"""An outcome is one scored attempt as failure analysis sees it: what was checked, astray, and what it resembles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile

from environment.apps import APPS
from environment.attempt import Attempt, Verdict
from environment.episode import Episode, derived_fields
from environment.identity import Identity
from environment.task import Task, ToolCall
from environment.verifier import Judge


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that an attempt had to do."""

    app: str
    kind: str
    """What it was, such as `update gmail.messages` or an assertion's type."""
    passed: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """One scored attempt on one task."""

    task_id: str
    domain: str
    family: str
    """Empty where the suite has no families."""
    number: int
    """Place among the attempts of its side on the task."""
    strict: bool
    credit: float
    end: str
    """How it ended; empty where the harness doesn't say."""
    checks: tuple[Check, ...]
    strays: tuple[str, ...]
    """Stray rows, as `app.collection/id (action)`."""
    traps: Mapping[str, bool]
    """Kinds of trap in the task -> whether the attempt answered and left what the hurried worker leaves who falls for
    it: the same changes missing, the same fields wrong, the same rows astray."""
    knobs: Mapping[str, float]


def outcome_of(attempt: Attempt, task: Task) -> Outcome | None:
    """The outcome of one of our own attempts; None when it is unscored."""
    verdict = attempt.verdict
    if verdict is None:
        return None
    changes = {change.label: change for change in task.contract.changes()}
    ends = _trap_ends(Identity(task))
    names = dict.fromkeys(name for name, _ in ends)
    return Outcome(
        task_id=task.id,
        domain=task.domain,
        family=task.family,
        number=attempt.number,
        strict=verdict.strict,
        credit=verdict.partial_credit,
        end=attempt.end or "",
        checks=tuple(
            Check(change.app, f"{change.action} {change.app}.{change.collection}", judged.satisfied)
            for judged in verdict.expected
            for change in (changes[judged.label],)
        ),
        strays=verdict.collateral,
        traps={name: attempt.end == "answered" and (name, _end(verdict)) in ends for name in names},
        knobs=dict(task.knobs),
    )


End = tuple[frozenset[tuple[str, tuple[str, ...]]], tuple[str, ...]]
"""Labels of the changes that are missing, each with the fields that are wrong, and the stray rows."""


def _end(verdict: Verdict) -> End:
    missing = frozenset((judged.label, judged.wrong) for judged in verdict.expected if not judged.satisfied)
    return missing, tuple(sorted(verdict.collateral))


@lru_cache(maxsize=1024)
def _trap_ends(task: Identity[Task]) -> tuple[tuple[str, End], ...]:
    """Where the whole solution of each careless worker ends; the same calls give the same ids of new rows.

    An end that is also that of doing nothing tells nobody apart and is left out. Calls that only read change nothing
    and take most of the time, so they are not made; nor is what a solution begins with in common with the reference.
    """
    judge = Judge(task.of.contract, derived_fields(APPS))
    reference = _writes(task.of.reference)
    stages = [Episode(task.of, "actions")]
    for call in reference:
        stages.append(stages[-1].fork())
        stages[-1].call(call.tool, call.arguments)
    idle = _end(judge.verdict(stages[0].changes()))
    found = []
    for trap in task.of.traps:
        calls = _writes(trap.sprung)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(calls, reference, strict=False)))
        episode = stages[common].fork()
        for call in calls[common:]:
            episode.call(call.tool, call.arguments)
        end = _end(judge.verdict(episode.changes()))
        if end != idle:
            found.append((trap.name, end))
    return tuple(found)


def _writes(calls: Sequence[ToolCall]) -> list[ToolCall]:
    return [call for call in calls if call.tool not in _reading()]


@cache
def _reading() -> frozenset[str]:
    return frozenset(action.name for app in APPS for action in app.all_actions if action.access == "read")
