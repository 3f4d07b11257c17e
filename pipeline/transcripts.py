"""A kept transcript is a file of chat messages whose tool calls can be made again in a fresh world."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, get_args

from environment.task import Task
from pipeline.bad_input import BadInput
from pipeline.desk import WayIn, episode_for
from pipeline.reasons import Explanation, explain

_EXPECTED = "give chat messages (a JSON list, or one a line), a transcript or an attempt"
_NUMBERS = 10
"""Calls that are named when their answers differ."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a transcript's file says."""

    messages: tuple[Mapping[str, Any], ...]
    task_id: str | None
    """None when the file does not say."""
    way_in: WayIn | None
    """None when the file does not say; then the calls were made with the task's own toolset."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on a transcript, and whether the world answered as the transcript says."""

    explanation: Explanation
    calls: int
    otherwise: tuple[int, ...]
    """Calls, counted from 1, whose answer is not the one that the transcript has."""

    def to_json(self) -> dict[str, Any]:
        return {**self.explanation.to_json(), "calls": self.calls, "answered_otherwise": list(self.otherwise)}


class Recorder:
    """Writes a transcript while it happens, one message a line, each line complete before the next call is made."""

    def __init__(self, path: Path | None, task: Task) -> None:
        """With no path nothing is written. Raises BadInput when the file exists or can't be made."""
        self._file: TextIO | None = None
        self._calls = 0
        if path is None:
            return
        try:
            self._file = path.open("x", encoding="utf-8", errors="replace")
        except FileExistsError:
            raise BadInput(f"{path} exists; name another file for the transcript, or remove it") from None
        except OSError as error:
            raise BadInput(f"{path} can't be written ({error.strerror}); name a file in a folder that exists") from None
        self._write({"task_id": task.id, "way_in": "both"})
        for message in episode_for(task, "both").messages():
            self._write(message)

    def called(self, name: str, arguments: str, result: str) -> None:
        """One tool call with its answer."""
        self._calls += 1
        made = {"id": f"call_{self._calls}", "type": "function", "function": {"name": name, "arguments": arguments}}
        self._write({"role": "assistant", "content": None, "tool_calls": [made]})
        self._write({"role": "tool", "tool_call_id": made["id"], "name": name, "content": result})

    def answered(self, text: str) -> None:
        """The final answer."""
        self._write({"role": "assistant", "content": text})

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()

    def _write(self, message: Mapping[str, Any]) -> None:
        if self._file:
            self._file.write(json.dumps(message, ensure_ascii=False) + "\n")
            self._file.flush()


def read_transcript(path: Path) -> Kept:
    """What the file holds. Raises BadInput for anything that is no transcript."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"there is no transcript {path}; {_EXPECTED}") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); {_EXPECTED}") from None
    except ValueError as error:
        raise BadInput(f"{path} is no text ({error}); {_EXPECTED}") from None
    data = _data(path, text)
    task_id, way_in = None, None
    if isinstance(data, list) and data and isinstance(data[0], Mapping) and "role" not in data[0]:
        if "way_in" in data[0]:
            task_id, way_in, data = data[0].get("task_id"), data[0]["way_in"], data[1:]
        elif len(data) > 1 and "transcript" in data[0]:
            raise BadInput(f"{path} holds {len(data)} attempts; give a file with one of them")
        elif len(data) == 1 and "tool_calls" not in data[0]:
            data = data[0]
    match data:
        case {"transcript": {"messages": messages}}:
            task_id, data = data.get("task_id"), messages
        case {"messages": messages}:
            data = messages
    if not isinstance(data, list) or not all(isinstance(message, dict) for message in data):
        raise BadInput(f"{path} holds no list of chat messages; {_EXPECTED}")
    if way_in is not None and way_in not in get_args(WayIn):
        raise BadInput(f"{path} says way_in {way_in!r}; expected one of {', '.join(get_args(WayIn))}")
    return Kept(tuple(data), task_id, way_in)


def judge_transcript(task: Task, path: Path, way_in: WayIn | None = None) -> Judged:
    """The verdict on a transcript's tool calls, made again in a fresh world.

    Made by this way in; when None by the one that the transcript says, else with the task's own toolset.
    Raises BadInput for no transcript, and for one of another task.
    """
    kept = read_transcript(path)
    if kept.task_id not in (None, task.id):
        raise BadInput(
            f"{path} is a transcript of {kept.task_id}, not of {task.id}; name that task, with the options that it was "
            "made with (a family that has changed since makes other tasks)"
        )
    episode = episode_for(task, way_in or kept.way_in)
    calls, otherwise = 0, []
    for calls, (name, arguments, answer) in enumerate(_calls(path, kept.messages), start=1):
        result = episode.call(name, arguments)
        if answer is not None and answer != result:
            otherwise.append(calls)
    return Judged(explain(task, episode.changes(), episode.verdict()), calls, tuple(otherwise))


def replay_sentence(found: Judged) -> str:
    """How the world answered the transcript's calls."""
    if not found.otherwise:
        return f"{found.calls} calls made again, each answered as in the transcript"
    numbers = ", ".join(map(str, found.otherwise[:_NUMBERS]))
    count = len(found.otherwise)
    return f"{found.calls} calls made again, {count} answered otherwise than in the transcript: number {numbers}"


def _data(path: Path, text: str) -> Any:
    """The file as JSON, or each of its lines as JSON."""
    try:
        return json.loads(text)
    except RecursionError:
        raise BadInput(f"{path} is nested too deeply to be a transcript; {_EXPECTED}") from None
    except ValueError as error:
        whole = error
    rows: list[Any] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            if rows:
                raise BadInput(f"line {number} of {path} is no JSON; {_EXPECTED}") from None
            raise BadInput(f"{path} is no JSON ({whole}); {_EXPECTED}") from None
    if not rows:
        raise BadInput(f"{path} is empty; {_EXPECTED}")
    return rows


def _calls(path: Path, messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any, str | None]]:
    """Each tool call with the answer that the transcript has for it, None when it has none."""
    for place, message in enumerate(messages):
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list):
            raise BadInput(f"{path} has tool_calls that are no list; {_EXPECTED}")
        answers = _answers(messages[place + 1 :]) if calls else {}
        for call in calls:
            function = call.get("function") if isinstance(call, Mapping) else None
            if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
                raise BadInput(f"{path} has a tool call without a function's name; {_EXPECTED}")
            yield function["name"], function.get("arguments"), answers.get(str(call.get("id")))


def _answers(following: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Call id -> answer, of the tool messages that come right after an assistant's; ids may come again later."""
    turn = itertools.takewhile(lambda message: message.get("role") == "tool", following)
    return {str(one.get("tool_call_id")): one["content"] for one in turn if isinstance(one.get("content"), str)}
