"""A task is one generated problem: a prompt, an initial world, a contract on its end state and a reference solution."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field, JsonValue

from environment.contract import Contract
from environment.identity import Identity
from environment.record import Record, canonical_json, object_text, record_text

Domain = Literal["sales", "marketing", "operations", "support", "finance", "hr"]
DOMAINS: tuple[Domain, ...] = ("sales", "support", "operations", "marketing", "finance", "hr")
Split = Literal["train", "development", "held_out", "policy"]
"""`policy` marks the seeds that only the reference policy's own pretraining has seen."""

WorldRows = Mapping[str, Mapping[str, tuple[Mapping[str, JsonValue], ...]]]
"""app -> collection -> rows, each row as the application's row model writes it."""


class ToolCall(Record):
    """One call of a named operation of the `actions` toolset."""

    tool: str
    arguments: Mapping[str, JsonValue] = {}


class Trap(Record):
    """A way in which a hurried worker goes wrong here, as the end state that it would leave."""

    name: str
    """Kind of trap, such as `near_duplicate` or `superseded_rule`."""
    note: str
    """One sentence for an auditor: what the hurried worker does."""
    sprung: tuple[ToolCall, ...]
    """The whole solution of the worker who falls for it; the verdict on it must not be strict."""


class Derivation(Record):
    """A value of the solution that stands nowhere and is computed by a declared rule from values that do."""

    value: str
    rule: str
    """Such as "2004.00 - 930.00"; every number or date in it must have been seen by the agent."""


class Proof(Record):
    """Counts of everything that was checked before the task could ship; a task with a failed check has none."""

    references: int
    """Toolsets through which the reference scored strict 1.0."""
    mutants: Mapping[str, int]
    """Kind of mutant -> how many, all rejected."""
    equivalents: Mapping[str, int]
    """Kind of equivalent -> how many, all accepted."""
    replayed: int
    """Mutants and equivalents replayed through the tools rather than applied to the end state."""
    values_traced: int
    """Values in writing calls and matchers that were found in the prompt, an earlier result or a derivation."""
    code_hash: str
    """Hash of the code that computed this proof."""


class Task(Record):
    """One generated problem."""

    schema_version: Literal[1] = 1
    id: str
    """`<domain>.<family>-<12 hex>`; the hex is of the hash of everything else but the proof."""
    split: Split
    domain: Domain
    family: str
    seed: str
    """Seed of the engagement's generation that this task was drawn from."""
    index: int
    generator_version: str
    """Hash of the family's code and templates."""
    knobs: Mapping[str, float]
    """Difficulty knobs; a knob that the family lacks is absent."""
    apps: tuple[str, ...]
    actions: tuple[str, ...]
    """Names of the operations offered by the `actions` toolset; the `api` toolset always offers all of `apps`."""
    toolset: Literal["actions", "api"]
    """The toolset that attempts on this task use unless told otherwise."""
    now: str
    """The world's clock at the start, ISO 8601 with an offset."""
    actor: Mapping[str, str]
    """Who the agent acts as: `name`, `email`, `company`, `domain`."""
    prompt: str
    world: WorldRows
    contract: Contract
    traps: tuple[Trap, ...]
    derivations: tuple[Derivation, ...] = ()
    reference: tuple[ToolCall, ...] = Field(min_length=1)
    reorderings: tuple[tuple[int, ...], ...] = ()
    """Other orders of the reference's calls (indices into it) that reach the same end."""
    alternatives: tuple[tuple[ToolCall, ...], ...] = ()
    """Other routes to an end state that the contract must accept."""
    proof: Proof | None = None


def make_task(**parts: Any) -> Task:
    """A task from all its fields but `id`, which is derived from the content of the others."""
    unnamed = Task(id="", **parts)
    return unnamed.model_copy(update={"id": f"{unnamed.domain}.{unnamed.family}-{task_hash(unnamed)[:12]}"})


def task_hash(task: Task) -> str:
    """Hash of the task's content without id and proof: equal for equal problems."""
    texts = _texts(task)
    del texts["id"], texts["proof"]
    return hashlib.sha256(object_text(texts).encode()).hexdigest()


def task_line(task: Task) -> str:
    """The canonical JSON of `task.to_json()`, in a fraction of the time."""
    return object_text(_texts(task))


def _texts(task: Task) -> dict[str, str]:
    """Field -> its canonical JSON. Traps repeat most of the reference, and the very same calls."""
    known: dict[int, str] = {}
    return {
        name: _world_text(Identity(task.world)) if name == "world" else record_text(value, known)
        for name, value in task.__dict__.items()
    }


@lru_cache(maxsize=2)
def _world_text(world: Identity[WorldRows]) -> str:
    """By far the longest part, and written twice: to be hashed and to be stored."""
    return canonical_json(world.of)
