"""A desk is an episode with every way in at once: the task's own tools and the vendors' APIs, over one world."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from environment.apps import APPS
from environment.episode import Episode
from environment.task import Task
from environment.tools import ApiTools

WayIn = Literal["actions", "api", "both"]
"""A task's toolsets, and the desk's, which has the tools of both."""


class Desk(Episode):
    """One run in which a call of either toolset is answered as that toolset answers it."""

    def __init__(self, task: Task) -> None:
        super().__init__(task, "actions")
        self._api = ApiTools(self._server, APPS)
        self._api_names = frozenset(spec["function"]["name"] for spec in self._api.specs)

    @property
    def specs(self) -> list[dict[str, Any]]:
        return [*self._tools.specs, *self._api.specs]

    @property
    def now(self) -> datetime:
        """The world's clock."""
        return self._world.now

    def call(self, name: str, arguments: Any) -> str:
        return (self._api if name in self._api_names else self._tools).call(name, arguments)


def episode_for(task: Task, way_in: WayIn | None) -> Episode:
    """A fresh episode by this way in; by the task's own toolset when None."""
    return Desk(task) if way_in == "both" else Episode(task, way_in)
