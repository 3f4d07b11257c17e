"""An exhibit shows one task with an attempt of either side: what was asked, done, missed and astray."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from environment.attempt import Attempt
from environment.record import Record
from environment.task import Task
from evaluation.failures import Move

LETTERS = 1500
"""Of one message."""
MESSAGES = 60
"""Of one attempt: the first and the last of them."""


class Line(Record):
    """One message of an attempt."""

    role: str
    text: str
    left_out: int = 0
    """Letters that are not shown."""


class Shown(Record):
    """One side's attempt."""

    number: int
    strict: bool
    credit: float
    end: str
    missed: tuple[str, ...]
    strays: tuple[str, ...]
    lines: tuple[Line, ...]
    """Without the messages that the task begins with; empty where the transcript isn't known."""


class Exhibit(Record):
    """One task of the largest gains or losses."""

    move: Move
    prompt: str
    """Empty where it isn't known."""
    base: Shown
    adapter: Shown


def shown_attempt(attempt: Attempt, task: Task) -> Shown:
    """One of our own scored attempts."""
    verdict = attempt.verdict
    if verdict is None:
        raise ValueError(f"attempt {attempt.number} on {attempt.task_id} is unscored; show a scored one")
    changes = {c.label: c for group in (task.contract.all_of, *task.contract.any_of) for c in group}
    missed = []
    for judged in verdict.expected:
        if not judged.satisfied:
            change = changes[judged.label]
            wrong = f"; wrong: {', '.join(judged.wrong)}" if judged.wrong else ""
            missed.append(f"{judged.label}: {change.action} {change.app}.{change.collection}{wrong}")
    return Shown(
        number=attempt.number,
        strict=verdict.strict,
        credit=verdict.partial_credit,
        end=attempt.end or "",
        missed=tuple(missed),
        strays=verdict.collateral,
        lines=lines_of(attempt.transcript.messages if attempt.transcript else ()),
    )


def lines_of(messages: Sequence[Mapping[str, Any]]) -> tuple[Line, ...]:
    """What the model wrote and was answered, long messages cut and the middle of a long attempt left out."""
    told = [message for message in messages if message.get("role") not in ("system", "developer", "user")]
    lines = [line for message in told for line in _lines(message)]
    if len(lines) <= MESSAGES:
        return tuple(lines)
    half = MESSAGES // 2
    gap = Line(role="", text=f"{len(lines) - 2 * half} messages left out")
    return (*lines[:half], gap, *lines[-half:])


def _lines(message: Mapping[str, Any]) -> list[Line]:
    role, content = str(message.get("role", "")), message.get("content")
    text = content if isinstance(content, str) else "" if content is None else json.dumps(content, ensure_ascii=False)
    lines = [_cut(role, text)] if text else []
    for call in message.get("tool_calls") or ():
        function = call.get("function", call)
        lines.append(_cut("call", f"{function.get('name', '')} {function.get('arguments', '')}"))
    return lines


def _cut(role: str, text: str) -> Line:
    return Line(role=role, text=text[:LETTERS], left_out=max(0, len(text) - LETTERS))
