"""A family is a generator of tasks of one kind: its knobs, and how it composes a scene into a story."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Literal

from environment.contract import Contract
from environment.rng import derive_rng
from environment.task import Derivation, Domain, Split, Task, ToolCall, Trap, make_task
from generators.business import Business, Invention, invent_business
from generators.phrasing import TEMPLATES, phrase

Knobs = Mapping[str, int]
_SATURDAY = 5
"""As `weekday` counts."""
OFFICE = (7 * 60 + 30, 18 * 60 + 30)
"""Minutes of the day in which people write."""
_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class Knob:
    """One dimension of difficulty: a count that a family's generator obeys."""

    low: int
    high: int
    starter: int
    """Highest setting at which an episode still fits the small reference policy."""
    unit: str
    """What is counted."""
    needs: tuple[str, int] | None = None
    """Another knob and its lowest setting at which this one has an effect; below, this one stands at its lowest."""


DISTRACTORS = Knob(0, 40, 2, "unrelated mails, and posts in each channel", ("hops", 2))
PROSE = Knob(1, 8, 1, "sentences of an unrelated mail, post or clause; other messages alike", ("hops", 2))


@dataclass(frozen=True, slots=True)
class Story:
    """What a family has composed besides the rows: everything of a task that is its own."""

    prompt: str
    contract: Contract
    reference: tuple[ToolCall, ...]
    actions: tuple[str, ...]
    """Operations that the `actions` toolset offers."""
    traps: tuple[Trap, ...]
    derivations: tuple[Derivation, ...] = ()
    reorderings: tuple[tuple[int, ...], ...] = ()
    alternatives: tuple[tuple[ToolCall, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Family:
    """One kind of task."""

    name: str
    domain: Domain
    knobs: Mapping[str, Knob]
    compose: Callable[[Scene, Knobs], Story]

    def generate(self, seed: str, index: int, split: Split, knobs: Knobs, toolset: Literal["actions", "api"]) -> Task:
        """Task `index` of this seed at these knobs; made without making any other.

        Raises ValueError when a knob is unknown, missing or out of its range.
        """
        self._check(knobs)
        knobs = self._effective(knobs)
        scene = Scene(derive_rng(self.name, seed, index), knobs.get("prose", 1))
        story = self.compose(scene, knobs)
        return make_task(
            split=split,
            domain=self.domain,
            family=self.name,
            seed=seed,
            index=index,
            generator_version=version(self),
            knobs={name: float(knobs[name]) for name in sorted(knobs)},
            apps=tuple(scene.rows),
            actions=story.actions,
            toolset=toolset,
            now=scene.business.now.isoformat(),
            actor=scene.actor(),
            prompt=story.prompt,
            world={app: {name: tuple(rows) for name, rows in found.items()} for app, found in scene.rows.items()},
            contract=story.contract,
            traps=story.traps,
            derivations=story.derivations,
            reference=story.reference,
            reorderings=story.reorderings,
            alternatives=story.alternatives,
        )

    def draw_knobs(self, rng: Random, profile: Literal["starter", "full"]) -> dict[str, int]:
        """Settings drawn evenly from each knob's range, up to the starter's or the full height."""
        drawn = {
            name: rng.randint(knob.low, knob.starter if profile == "starter" else knob.high)
            for name, knob in self.knobs.items()
        }
        return self._effective(drawn)

    def _effective(self, knobs: Knobs) -> dict[str, int]:
        """The settings with those that can't have an effect at their lowest."""
        return {
            name: knob.low if knob.needs and knobs[knob.needs[0]] < knob.needs[1] else knobs[name]
            for name, knob in self.knobs.items()
        }

    def _check(self, knobs: Knobs) -> None:
        if set(knobs) != set(self.knobs):
            raise ValueError(f"{self.name} has the knobs {sorted(self.knobs)}, given {sorted(knobs)}; give each once")
        for name, value in knobs.items():
            knob = self.knobs[name]
            if not knob.low <= value <= knob.high:
                raise ValueError(f"knob {name} of {self.name} is {value}; it goes from {knob.low} to {knob.high}")


@dataclass
class Scene:
    """The stage that a family fills: its random generator, an invented business, and the rows of every application."""

    rng: Random
    prose: int = 1
    """Sentences of a mail, post or clause that has nothing to do with the task; messages that do are padded alike."""
    rows: dict[str, dict[str, list[Mapping[str, Any]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.invent = Invention(self.rng)
        self.business: Business = invent_business(self.rng, self.invent)

    def add(self, app: str, collection: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Put a row on stage; rows stay in the order in which they were added."""
        self.rows.setdefault(app, {}).setdefault(collection, []).append(row)
        return row

    def shuffle(self, app: str, collection: str) -> None:
        """Mix the order of a collection, so that what matters does not come first."""
        self.rng.shuffle(self.rows[app][collection])

    def phrase(self, template: str, **facts: Any) -> str:
        """One phrasing of a template; `actor`, `company` and `now` are always at hand."""
        business = self.business
        return phrase(self.rng, template, actor=business.actor, company=business.company, now=business.now, **facts)

    def days_ago(self, days: int) -> str:
        """The day so many days before the world's clock, in ISO form; negative for one to come."""
        return (self.business.now - timedelta(days=days)).date().isoformat()

    def sent(self, minutes_ago: int) -> datetime:
        """When somebody wrote who did so about this long ago: on that day, but in office hours.

        What is sent later stays later.
        """
        now = self.business.now
        moment = now - timedelta(minutes=minutes_ago)
        opens, closes = OFFICE
        length = _DAY
        if moment.date() == now.date():
            closes = length = 60 * now.hour + now.minute
        spent = (60 * moment.hour + moment.minute) / length
        midnight = moment.replace(hour=0, minute=0)
        return midnight + timedelta(seconds=round(60 * (opens + spent * (closes - opens))))

    def working_day(self, first: int, last: int) -> str:
        """One of the working days from `first` to `last` days ahead, in ISO form; negative ones have gone by."""
        while True:
            day = self.business.now + timedelta(days=self.rng.randint(first, last))
            if day.weekday() < _SATURDAY:
                return day.date().isoformat()

    def actor(self) -> dict[str, str]:
        """The task's `actor`."""
        business = self.business
        return {
            "name": business.actor.name,
            "email": business.actor.email,
            "company": business.company.name,
            "domain": business.company.domain,
        }


def call(tool: str, **arguments: Any) -> ToolCall:
    """One call of a reference solution."""
    return ToolCall(tool=tool, arguments=arguments)


@cache
def version(family: Family) -> str:
    """Hash of the family's module, its templates and the shared parts of the generator, sixteen hexadecimal digits."""
    module = inspect.getmodule(family.compose)
    root = Path(__file__).parent
    shared = sorted(path for path in root.rglob("*.py") if root / "families" not in path.parents)
    own = [Path(module.__file__)] if module and module.__file__ else []
    templates = sorted((TEMPLATES / family.name).glob("*.j2")) + sorted((TEMPLATES / "shared").rglob("*.j2"))
    digest = hashlib.sha256()
    for path in [*own, *shared, *templates]:
        digest.update(path.read_bytes() + b"\x00")
    return digest.hexdigest()[:16]
