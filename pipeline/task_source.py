"""Where a task comes from: the store, by its id, or a family, which generates it on the spot."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from assets.generation import FellShort, batch_name
from environment.rng import derive_rng
from environment.task import Task
from generators.families import FAMILIES, family_named
from generators.proof import ProofError, prove
from pipeline.bad_input import BadInput
from pipeline.store import Store, StoredGeneration

Profile = Literal["starter", "full", "top"]
"""How high the knobs of a generated task stand: drawn up to the starter's or the full height, or all at the top."""

_HOLDING_TASKS = ("clean_tasks", "proven_tasks", "candidate_tasks")
"""Stages in which a task is looked for, the furthest first."""
_SHOWN = 5
_KNOB = re.compile(r"\s*(\w+)\s*=\s*(-?[0-9]{1,9})\s*")


@dataclass(frozen=True, slots=True)
class Wish:
    """What a task generated on the spot is to be like; None where nothing was asked for."""

    seed: str | None = None
    index: int | None = None
    profile: Profile | None = None
    knobs: tuple[str, ...] = ()
    """Each as `name=value`; they replace what the profile says."""

    @property
    def is_empty(self) -> bool:
        return self == Wish()

    def options(self) -> str:
        """The command line's options that ask for the same."""
        asked = (
            ("seed", self.seed),
            ("index", self.index),
            ("profile", self.profile),
            *(("knob", k) for k in self.knobs),
        )
        return " ".join(f"--{name} {shlex.quote(str(value))}" for name, value in asked if value is not None)


def choose_task(store: Store, name: str, wish: Wish) -> Task:
    """The task with this id, or the one that the family of this name generates.

    Raises BadInput for a name that is neither, and for a wish about a task that lies in the store.
    """
    families = [family.name for family in FAMILIES]
    if name in families:
        return generated(name, wish)
    if not wish.is_empty:
        raise BadInput(
            f"{name!r} is no family, and {wish.options()} asks for a generated task; give one of {', '.join(families)}"
        )
    found = _look_for(store, name)
    if found is None:
        raise BadInput(
            f"no task in {store.root} has an id that begins with {name!r}, and no family is called so; see worldloom "
            f"status, or give one of {', '.join(families)}"
        )
    return found[1]


def generated(name: str, wish: Wish) -> Task:
    """One task of a family. Raises BadInput for a knob that is written wrongly, ValueError for one out of range."""
    family = family_named(name)
    seed, index, profile = wish.seed or "1", wish.index or 0, wish.profile or "starter"
    if profile == "top":
        knobs = {knob: found.high for knob, found in family.knobs.items()}
    else:
        knobs = dict(family.draw_knobs(derive_rng("knobs", name, seed, index), profile))
    asked = _set_knobs(wish.knobs)
    if unknown := [knob for knob in asked if knob not in family.knobs]:
        raise BadInput(f"{name} has no knob {unknown[0]!r}; it has {', '.join(family.knobs)}")
    return family.generate(seed, index, "train", {**knobs, **asked}, "actions")


def prove_task(task: Task) -> Task:
    """The task with its proof. Raises FellShort when a check of the proof fails."""
    try:
        return task.model_copy(update={"proof": prove(task)})
    except ProofError as error:
        raise FellShort(str(error)) from None


def find_task(store: Store, beginning: str) -> tuple[StoredGeneration, Task]:
    """The task whose id begins so, from the newest generation that has it. Raises BadInput for none or several."""
    found = _look_for(store, beginning)
    if found is None:
        raise BadInput(f"no task in {store.root} has an id that begins with {beginning!r}; see worldloom status")
    return found


def _look_for(store: Store, beginning: str) -> tuple[StoredGeneration, Task] | None:
    for key in reversed(store.keys()):
        generation = store.open(key)
        for stage in _HOLDING_TASKS:
            found = list(_beginning(generation, stage, beginning))
            exact = [row for row in found if row["id"] == beginning]
            if len(found) > 1 and not exact:
                ids = ", ".join(str(row["id"]) for row in found[:_SHOWN])
                raise BadInput(f"{beginning!r} begins the ids of {len(found)} tasks ({ids}, ...); give more of it")
            if found:
                return generation, _task(generation, stage, (exact or found)[0])
    return None


def _set_knobs(written: Sequence[str]) -> dict[str, int]:
    knobs: dict[str, int] = {}
    for text in written:
        found = _KNOB.fullmatch(text)
        if not found:
            raise BadInput(f"--knob {text!r} is not understood; write name=value with a whole number, as in entities=3")
        name, value = found.groups()
        if name in knobs:
            raise BadInput(f"--knob {name} is given twice; give each knob once")
        knobs[name] = int(value)
    return knobs


def _beginning(generation: StoredGeneration, stage: str, beginning: str) -> Iterator[Mapping[str, Any]]:
    needle = f'"id":"{beginning}'
    batches = (0, *generation.batches(stage)) if generation.is_finished(stage) else ()
    for batch in batches:
        path = generation.folder(stage, batch) / "tasks.jsonl"
        if not path.is_file():
            raise BadInput(f"{path} of {batch_name(stage, batch)} is missing; restore it from a copy")
        with path.open(encoding="utf-8") as file:
            for line in file:
                if needle in line and (row := _row(path, line))["id"].startswith(beginning):
                    yield row


def _row(path: Path, line: str) -> dict[str, Any]:
    try:
        row: dict[str, Any] = json.loads(line)
    except ValueError as error:
        raise BadInput(f"{path} was altered: a line is not JSON ({error}); restore it from a copy") from None
    return row


def _task(generation: StoredGeneration, stage: str, row: Mapping[str, Any]) -> Task:
    try:
        return Task.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(
            f"{stage} of {generation.key} was altered, or another version wrote it: {row['id']} is no task "
            f"({'.'.join(map(str, first['loc']))}: {first['msg']}); worldloom audit {generation.key}/report names "
            "altered files"
        ) from None
