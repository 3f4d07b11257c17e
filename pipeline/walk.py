"""A walk is a list of calls made one after the other in a fresh world, with what each answered and what they left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from environment.apps import APPS
from environment.attempt import RowChange
from environment.episode import Episode
from environment.task import Task, ToolCall
from pipeline.reasons import Explanation, explain


@dataclass(frozen=True, slots=True)
class Walk:
    """What came of the calls."""

    results: tuple[str, ...]
    """One answer a call, as JSON text."""
    changes: tuple[RowChange, ...]
    explanation: Explanation


def walk(task: Task, calls: Sequence[ToolCall]) -> Walk:
    """The calls made with the task's own tools."""
    episode = Episode(task, "actions")
    results = tuple(episode.call(call.tool, call.arguments) for call in calls)
    changes = episode.changes()
    return Walk(results, changes, explain(task, changes, episode.verdict()))


@cache
def writing_tools() -> frozenset[str]:
    """Names of the tools that may change something."""
    return frozenset(action.name for app in APPS for action in app.all_actions if action.access == "write")
