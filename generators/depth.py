"""Depth is how much a task asks for: calls of the reference, and text that its world holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from environment.task import Task
from generators.family import Family, Knobs

CHARACTERS_A_TOKEN = 4
"""The usual rule of thumb for English text and JSON."""
_DRAWN = 0.98
"""Another setting draws other texts and decisions; a mean that falls by less is no fall."""


@dataclass(frozen=True, slots=True)
class Depth:
    """The size of one task, or the mean size of several."""

    calls: float
    """Of the reference."""
    tokens: float
    """Text of the world's rows, names of fields not counted, at `CHARACTERS_A_TOKEN`."""


@dataclass(frozen=True, slots=True)
class KnobDepth:
    """Mean depths at rising settings of one knob, the others kept."""

    knob: str
    settings: tuple[int, ...]
    depths: tuple[Depth, ...]

    @property
    def falls(self) -> bool:
        """Whether a higher setting asks for fewer calls or less text, by more than other draws make of it."""
        return any(b.calls < _DRAWN * a.calls or b.tokens < _DRAWN * a.tokens for a, b in pairwise(self.depths))

    @property
    def rises(self) -> bool:
        """Whether the highest setting asks for more of something than the lowest."""
        first, last = self.depths[0], self.depths[-1]
        return last.calls > first.calls or last.tokens > first.tokens


def task_depth(task: Task) -> Depth:
    """The depth of one task."""
    return Depth(len(task.reference), _characters(task.world) / CHARACTERS_A_TOKEN)


def lowest(family: Family) -> dict[str, int]:
    """Every knob at its lowest."""
    return {name: knob.low for name, knob in family.knobs.items()}


def highest(family: Family) -> dict[str, int]:
    """Every knob at its highest."""
    return {name: knob.high for name, knob in family.knobs.items()}


def mean_depth(family: Family, knobs: Knobs, seeds: Sequence[str]) -> Depth:
    """The mean depth of one task a seed at these settings."""
    depths = [task_depth(family.generate(seed, 0, "development", knobs, "api")) for seed in seeds]
    return Depth(fmean(depth.calls for depth in depths), fmean(depth.tokens for depth in depths))


def knob_depth(family: Family, name: str, around: Knobs, seeds: Sequence[str], steps: int) -> KnobDepth:
    """Mean depths at up to `steps` settings of a knob from its lowest to its highest, the other knobs as `around`."""
    knob = family.knobs[name]
    count = min(steps, knob.high - knob.low + 1)
    settings = tuple(round(knob.low + (knob.high - knob.low) * place / max(1, count - 1)) for place in range(count))
    return KnobDepth(
        name, settings, tuple(mean_depth(family, {**around, name: setting}, seeds) for setting in settings)
    )


def _characters(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_characters, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(_characters, value))
    return 0 if value is None else len(str(value))
