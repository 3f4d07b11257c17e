"""An episode is one run in one task's world: tools to call, the difference they made, and the verdict on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from environment.apps import APPS
from environment.apps.kit import App
from environment.attempt import RowChange, Verdict
from environment.identity import Identity
from environment.server import Request, Server, parse_now
from environment.task import Task
from environment.tools import ActionTools, ApiTools, Toolset
from environment.verifier import verify
from environment.world import Base, RowTypes, World

SYSTEM_PROMPT = (
    "You do office work with the tools given. Don't ask back. Do what the request and the company's own documents "
    "require, and send nothing else. Then report in a short final answer."
)
"""The only system prompt there is; reports carry its hash."""
_TASKS_AT_HAND = 40
"""Worlds kept parsed: 256 attempts at once are of some 32 tasks, and a large world takes a few megabytes."""


class Episode:
    """One run; nothing of it is shared with another but the frozen base."""

    def __init__(
        self, task: Task, toolset: str | None = None, base: Base | None = None, apps: tuple[App, ...] = APPS
    ) -> None:
        """`toolset` is the task's own unless given, `base` that of `base_of`."""
        self.task = task
        self._apps = apps
        self._toolset = toolset or task.toolset
        self._enter(World(base or base_of(task, apps), parse_now(task.now)), ())

    def _enter(self, world: World, requests: tuple[Request, ...]) -> None:
        self._world = world
        self._server = Server(self._apps, world, self.task.actor)
        self._server.requests.extend(requests)
        self._tools: Toolset = (
            ActionTools(self._server, self._apps, self.task.actions)
            if self._toolset == "actions"
            else ApiTools(self._server, self._apps)
        )

    def fork(self) -> Episode:
        """An episode in the same state that goes its own way from here."""
        twin = Episode(self.task, self._toolset, self._world.base, self._apps)
        twin._enter(self._world.fork(), tuple(self.requests))
        return twin

    @property
    def specs(self) -> list[dict[str, Any]]:
        """Specifications of the tools offered."""
        return self._tools.specs

    @property
    def requests(self) -> list[Request]:
        """Every HTTP request made so far, also those made by actions."""
        return self._server.requests

    def messages(self) -> list[dict[str, Any]]:
        """The messages that an attempt begins with."""
        return [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": self.task.prompt}]

    def call(self, name: str, arguments: Any) -> str:
        """The tool's answer as JSON text; `arguments` is a mapping or the JSON text a model wrote."""
        return self._tools.call(name, arguments)

    def changes(self) -> tuple[RowChange, ...]:
        """The net difference between the initial world and the present one."""
        return self._world.changes()

    def verdict(self) -> Verdict:
        """The judgement of the present state."""
        return verify(self.task.contract, self.changes(), derived_fields(self._apps))


def base_of(task: Task, apps: tuple[App, ...] = APPS) -> Base:
    """The task's initial world, parsed; the same one for all episodes of a task that are under way together."""
    return _base(Identity(task), apps)


@lru_cache(maxsize=_TASKS_AT_HAND)
def _base(task: Identity[Task], apps: tuple[App, ...]) -> Base:
    return Base(task.of.world, row_types(apps))


@lru_cache
def row_types(apps: tuple[App, ...] = APPS) -> RowTypes:
    """app -> collection -> row model."""
    return {app.name: {kind.__name__: kind for kind in app.rows} for app in apps}


@lru_cache
def derived_fields(apps: tuple[App, ...] = APPS) -> Mapping[str, Mapping[str, frozenset[str]]]:
    """app -> collection -> fields that the application derives."""
    return {app.name: {kind.__name__: fields for kind, fields in app.derived.items()} for app in apps}
