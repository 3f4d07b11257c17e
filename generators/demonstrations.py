"""A demonstration is a transcript of written-down calls, careful or careless, that the reference policy imitates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from environment.episode import Episode
from environment.policies.scripted import call_message
from environment.rng import derive_rng
from environment.task import Task, ToolCall

CAREFUL = "careful"


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One transcript with what an imitator needs to know of it."""

    family: str
    care: str
    """`careful`, or the name of the trap that the demonstrator falls for."""
    tools: tuple[dict[str, Any], ...]
    messages: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        return {"family": self.family, "care": self.care, "tools": list(self.tools), "messages": list(self.messages)}


def demonstrate(tasks: Iterable[Task], careless_share: float) -> Iterator[Demonstration]:
    """One demonstration a task; a share of them, drawn by the task's id, falls for one of the task's traps."""
    for task in tasks:
        rng = derive_rng("demonstration", task.id)
        care, calls = CAREFUL, task.reference
        if rng.random() < careless_share:
            trap = rng.choice(task.traps)
            care, calls = trap.name, trap.sprung
        yield _play(task, care, calls)


def _play(task: Task, care: str, calls: tuple[ToolCall, ...]) -> Demonstration:
    episode = Episode(task, toolset="actions")
    messages = episode.messages()
    for number, call in enumerate(calls):
        message = call_message(call, number)
        messages.append(message)
        result = episode.call(call.tool, dict(call.arguments))
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "name": call.tool, "content": result})
    messages.append({"role": "assistant", "content": "Done."})
    return Demonstration(task.family, care, tuple(episode.specs), tuple(messages))
