"""A guard refuses to compare two sides whose difference may come from their settings and not from the models."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from pydantic import JsonValue

from environment.record import Record
from evaluation.scores import Pair, Scores, named

IDENTITY = ("model", "policy")
"""Settings in which base and adapter are meant to differ."""
ENOUGH_ATTEMPTS = 3


class SettingCheck(Record):
    """One setting on both sides."""

    name: str
    base: JsonValue
    adapter: JsonValue
    state: Literal["equal", "different", "unverified"]
    """Unverified where a side doesn't say."""


def check_settings(base: Scores, adapter: Scores, allowed: Collection[str] = ()) -> tuple[SettingCheck, ...]:
    """What both sides say of how their attempts were made, by name.

    Raises ValueError when they differ in a setting that is not `allowed`, and when a name allowed is no setting of
    theirs. A side that doesn't carry a setting is not refused: the check is unverified.
    """
    names = sorted({*base.settings, *adapter.settings} - {*IDENTITY})
    unknown = [name for name in allowed if name not in names]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no setting that the two sides state; allow one of {', '.join(names)}")
    checks = tuple(_check(name, base.settings.get(name), adapter.settings.get(name)) for name in names)
    for check in checks:
        if check.state == "different" and check.name not in allowed:
            raise ValueError(
                f"the two sides differ in {check.name} ({_short(check.base)} and {_short(check.adapter)}), so a "
                "difference may come from that and not from the models; compare like with like, or allow "
                f"{check.name} to differ"
            )
    return checks


def caveats(sides: Pair, checks: Collection[SettingCheck], monitored: Collection[str] = ()) -> tuple[str, ...]:
    """What a reader of the headline must be told; `monitored` are the tasks that decisions were taken on."""
    notes = [
        f"The two sides differ in {check.name}, as was allowed: {_short(check.base)} and {_short(check.adapter)}."
        for check in checks
        if check.state == "different"
    ]
    inside = [task.task_id for task in sides.base.tasks if task.task_id in frozenset(monitored)]
    if inside:
        notes.append(
            f"The headline includes {named(inside)} that decisions were taken on; the row without monitored tasks "
            "doesn't."
        )
    fewest = min(len(task.scored) for task in sides.base.tasks)
    if fewest < ENOUGH_ATTEMPTS:
        few = sum(len(task.scored) < ENOUGH_ATTEMPTS for task in sides.base.tasks)
        notes.append(
            f"{few} of {len(sides.base.tasks)} tasks have fewer than {ENOUGH_ATTEMPTS} scored attempts a side "
            f"(the fewest: {fewest}); another run of the same models would move the rates."
        )
    return tuple(notes)


def _short(value: JsonValue) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:80]}..."


def _check(name: str, base: JsonValue, adapter: JsonValue) -> SettingCheck:
    if base is None or adapter is None:
        return SettingCheck(name=name, base=base, adapter=adapter, state="unverified")
    return SettingCheck(name=name, base=base, adapter=adapter, state="equal" if base == adapter else "different")
