"""A plan is a task's solution as steps, each with the right calls, the changes they make and the slips they invite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from environment.contract import Change
from environment.task import Trap
from generators.traps import Calls, Slip


@dataclass(frozen=True, slots=True)
class Step:
    """One part of the work; steps may be done in any order, the calls of one step only in theirs."""

    calls: Calls
    changes: tuple[Change, ...] = ()
    slips: tuple[Slip, ...] = ()


def joined_calls(steps: Sequence[Step]) -> Calls:
    """The reference: all steps' calls in order."""
    return tuple(call for step in steps for call in step.calls)


def traps_of(steps: Sequence[Step]) -> tuple[Trap, ...]:
    """Every slip as the whole solution of the worker who makes it and no other; stopping before the last step too.

    Raises ValueError when no step invites a slip.
    """
    traps = [_sprung(steps, place, slip) for place, step in enumerate(steps) for slip in step.slips]
    if sum(bool(step.changes) for step in steps) > 1:
        last = max(place for place, step in enumerate(steps) if step.changes)
        traps.append(_sprung(steps, last, Slip("stops_early", "Leaves out the last part of the work.", ())))
    if not traps:
        raise ValueError("a plan without any slip makes no task worth learning from; give one step a slip")
    return tuple(traps)


def backwards(steps: Sequence[Step]) -> tuple[tuple[int, ...], ...]:
    """The calls' places when the steps are done last to first; nothing when there is one step."""
    if len(steps) < 2:
        return ()
    starts, count = [], 0
    for step in steps:
        starts.append(range(count, count + len(step.calls)))
        count += len(step.calls)
    return (tuple(place for places in reversed(starts) for place in places),)


def _sprung(steps: Sequence[Step], place: int, slip: Slip) -> Trap:
    hurried = [*steps[:place], Step(slip.calls), *steps[place + 1 :]]
    return Trap(name=slip.name, note=slip.note, sprung=joined_calls(hurried))
