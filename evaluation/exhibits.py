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
PROMPT_LETTERS = 10_000
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
    changes = {change.label: change for change in task.contract.changes()}
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


def prompt_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """What the user asked first; empty where the messages don't say."""
    return next((_text(message) for message in messages if message.get("role") == "user"), "")[:PROMPT_LETTERS]


def printable(text: str) -> str:
    """The text with every half of a surrogate pair, which no file can hold, as a replacement character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _lines(message: Mapping[str, Any]) -> list[Line]:
    role, text, calls = printable(str(message.get("role", ""))), _text(message), message.get("tool_calls")
    lines = [_cut(role, text)] if text else []
    return [*lines, *(_cut("call", _call(call)) for call in (calls if isinstance(calls, list) else ()))]


def _text(message: Mapping[str, Any]) -> str:
    """The content; of content in parts, those that are text."""
    content = message.get("content")
    if isinstance(content, list) and all(
        isinstance(part, dict) and isinstance(part.get("text"), str) for part in content
    ):
        content = "\n".join(part["text"] for part in content)
    return printable("" if content is None else content if isinstance(content, str) else _json(content))


def _call(call: Any) -> str:
    """Name and arguments; a call in a form that isn't known, as it stands."""
    function = call.get("function", call) if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return printable(call if isinstance(call, str) else _json(call))
    arguments = function.get("arguments", "")
    return printable(f"{function.get('name', '')} {arguments if isinstance(arguments, str) else _json(arguments)}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(role: str, text: str) -> Line:
    return Line(role=role, text=text[:LETTERS], left_out=max(0, len(text) - LETTERS))
