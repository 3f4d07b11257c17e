"""A plan is a task's solution as steps, each with the right calls, the changes they make and the slips they invite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from environment.contract import Allowance, Change, Contract
from environment.task import Derivation, ToolCall, Trap
from generators.family import Story

Calls = tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Slip:
    """What a hurried worker does in place of a step's right calls."""

    name: str
    """Kind of trap."""
    note: str
    """One sentence for an auditor."""
    calls: Calls


@dataclass(frozen=True, slots=True)
class Step:
    """One part of the work; steps may be done in any order, the calls of one step only in theirs."""

    calls: Calls
    changes: tuple[Change, ...] = ()
    slips: tuple[Slip, ...] = ()


def tell(
    prompt: str,
    steps: Sequence[Step],
    actions: tuple[str, ...],
    allowed: tuple[Allowance, ...] = (),
    derivations: tuple[Derivation, ...] = (),
    alternatives: tuple[Calls, ...] = (),
) -> Story:
    """The story of a prompt and the plan that answers it; its traps are the slips, and stopping before the last step.

    Raises ValueError when the plan makes no change or invites no slip.
    """
    traps = [_sprung(steps, place, slip) for place, step in enumerate(steps) for slip in step.slips]
    if sum(bool(step.changes) for step in steps) > 1:
        last = max(place for place, step in enumerate(steps) if step.changes)
        slip = Slip("stops_early", "Leaves out the last part of the work.", ())
        traps.append(_sprung(steps, last, slip))
    if not traps:
        raise ValueError("a plan without any slip makes no task worth learning from; give one step a slip")
    return Story(
        prompt=prompt,
        contract=Contract(all_of=tuple(change for step in steps for change in step.changes), allowed=allowed),
        reference=_joined(steps),
        actions=actions,
        traps=tuple(traps),
        derivations=derivations,
        reorderings=_reversed(steps),
        alternatives=alternatives,
    )


def near_duplicate(who: str, *calls: ToolCall) -> Slip:
    """Taking a look-alike for the one that is meant."""
    return Slip("near_duplicate", f"Takes {who} for the one that is meant.", calls)


def superseded(what: str, *calls: ToolCall) -> Slip:
    """Acting on something that a later message has corrected."""
    return Slip("superseded", f"Uses {what}, which was corrected later.", calls)


def stale_row(what: str, *calls: ToolCall) -> Slip:
    """Acting on a row that is no longer current."""
    return Slip("stale_row", f"Acts on {what}, which is no longer current.", calls)


def ignored_rule(rule: str, *calls: ToolCall) -> Slip:
    """Doing the obvious and skipping a rule."""
    return Slip("ignored_rule", f"Skips the rule: {rule}.", calls)


def ignored_hold(what: str, *calls: ToolCall) -> Slip:
    """Not reading the hold in a note."""
    return Slip("ignored_hold", f"Overlooks the hold on {what}.", calls)


def _joined(steps: Sequence[Step]) -> Calls:
    return tuple(call for step in steps for call in step.calls)


def _sprung(steps: Sequence[Step], place: int, slip: Slip) -> Trap:
    hurried = [*steps[:place], Step(slip.calls), *steps[place + 1 :]]
    return Trap(name=slip.name, note=slip.note, sprung=_joined(hurried))


def _reversed(steps: Sequence[Step]) -> tuple[tuple[int, ...], ...]:
    """The calls' places when the steps are done last to first; nothing when there is one step."""
    if len(steps) < 2:
        return ()
    starts, count = [], 0
    for step in steps:
        starts.append(range(count, count + len(step.calls)))
        count += len(step.calls)
    return (tuple(place for places in reversed(starts) for place in places),)
