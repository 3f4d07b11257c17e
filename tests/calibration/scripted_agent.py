"""A scripted agent is a model for tests: it plays a task's reference, or stops short of its end, now and then oddly.

What it says depends on the task, the request's seed and the chat alone; it remembers nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from environment.rng import derive_rng, derive_seed
from environment.task import Task, ToolCall

ODDITY_RATE = 0.1
ODDITIES = ("malformed", "doubly encoded", "unknown tool", "parallel", "wrong finish")


class ScriptedAgent:
    """Answers chat-completions requests on given tasks."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = {task.prompt: task for task in tasks}

    def reply(self, body: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
        """The next message of a chat, and why it ends there."""
        task, seed = self.tasks[body["messages"][1]["content"]], body["seed"]
        said = [message for message in body["messages"] if message["role"] == "assistant"]
        if said:
            whole, done = (int(part) for part in said[-1]["tool_calls"][-1]["id"].split("-")[:2])
        else:
            whole, done = int(is_whole(task, seed)), 0
        script = script_of(task, bool(whole))[done:]
        oddity = oddity_of(task, seed)
        message: dict[str, Any] = {"role": "assistant", "content": "", "reasoning": f"Step {done}."}
        if not script:
            return {**message, "content": "Done."}, "tool_calls" if oddity == "wrong finish" else "stop"
        calls = script[:2] if oddity == "parallel" else script[:1]
        made = 0 if oddity in ("malformed", "unknown tool") else len(calls)  # doubly encoded arguments are understood
        message["tool_calls"] = [
            {"id": f"{whole}-{done + made}-{place}", "type": "function", "function": _function(call, oddity)}
            for place, call in enumerate(calls)
        ]
        return message, "stop" if oddity == "wrong finish" else "tool_calls"


def is_whole(task: Task, seed: int) -> bool:
    """Whether an attempt whose first request has this seed plays the whole reference."""
    ease = derive_rng("ease", task.family, task.domain).uniform(0.1, 0.9)
    ease += derive_rng("ease", task.id).uniform(-0.3, 0.3)
    return derive_rng("whole", task.id, seed).random() < ease


def script_of(task: Task, whole: bool) -> tuple[ToolCall, ...]:
    """The calls that the agent means to make."""
    return task.reference if whole else task.reference[:-1]


def oddity_of(task: Task, seed: int) -> str | None:
    """What is odd about the answer to one request."""
    rng = derive_rng("oddity", task.id, seed)
    return rng.choice(ODDITIES) if rng.random() < ODDITY_RATE else None


def first_seed(attempt_seed: int) -> int:
    """Seed of the first request of an attempt."""
    return derive_seed(attempt_seed, 0) % 2**31


def _function(call: ToolCall, oddity: str | None) -> dict[str, Any]:
    text = json.dumps(dict(call.arguments), ensure_ascii=False)
    if oddity == "malformed":
        text = text[:-1] or "{"
    elif oddity == "doubly encoded":
        text = json.dumps(text)
    return {"name": "send_fax" if oddity == "unknown tool" else call.tool, "arguments": text}
