"""AutomationBench's row is one task with prompt, world and assertions, as its package and its JSONL exports give it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from decontam.benchmark import BenchmarkTask
from decontam.readers.lines import json_lines, strict_json
from decontam.readers.messages import spoken
from decontam.readers.place import Place

_IN_ROW = ("prompt", "info", "example_id", "initial_state", "task", "task_name", "domain")
_IN_INFO = ("task_name", "task", "initial_state", "zapier_tools", "assertions")


def automationbench_lines(path: Path) -> Iterator[tuple[Place, BenchmarkTask]]:
    """The tasks of a JSONL file with one row a line. Raises ValueError naming path and line for a row that is none."""
    for place, row in json_lines(path):
        yield place, task_of_row(row, place)


def is_automationbench_row(row: Any) -> bool:
    """Whether a row looks like one of AutomationBench's rather than like one of a plain table of texts."""
    marks = ("info", "task", "task_name", "example_id")
    return isinstance(row, Mapping) and "prompt" in row and any(mark in row for mark in marks)


def task_of_row(row: Any, place: Place) -> BenchmarkTask:
    """The task of a row.

    `info` may be an object or a JSON string; the name stands in `info.task_name` or, in older versions, in `task`; a
    row without a name is called after its example_id. Unknown keys are kept.
    """
    if not isinstance(row, Mapping):
        place.refuse(f"is no task but a JSON {type(row).__name__}; expected an object with prompt and info")
    info = _opened(row.get("info", {}), "info", place)
    name = info.get("task_name") or row.get("task_name") or row.get("task") or info.get("task")
    example_id = row.get("example_id")
    if not name and isinstance(example_id, (int, str)):
        name = f"{row.get('domain') or info.get('domain') or 'unknown'}.example_{example_id}"
    if not isinstance(name, str):
        place.refuse("is no task: it has no info.task_name, task or example_id; export the file again")
    system, prompt = spoken(row.get("prompt"))
    if not prompt.strip():
        place.refuse(f"is no task: {name} has no prompt with a user message; export the file again")
    domain = name.partition(".")[0] if "." in name else str(row.get("domain") or info.get("domain") or "unknown")
    state = info.get("initial_state", row.get("initial_state")) or {}
    tools, assertions = (_listed(info.get(key), key, place) for key in ("zapier_tools", "assertions"))
    return BenchmarkTask(
        name=name,
        domain=domain,
        prompt=prompt,
        system=system,
        initial_state=_opened(state, "initial_state", place),
        tools=tuple(map(str, tools)),
        assertions=tuple(assertions),
        row=place.number,
        example_id=example_id if isinstance(example_id, (int, str)) else None,
        other={key: value for key, value in row.items() if key not in _IN_ROW}
        | {f"info.{key}": value for key, value in info.items() if key not in _IN_INFO},
    )


def _listed(value: Any, name: str, place: Place) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        place.refuse(f"is no task: its {name} is a {type(value).__name__}, expected a list; export the file again")
    return value


def _opened(value: Any, name: str, place: Place) -> Mapping[str, Any]:
    """An object that may have been written as a JSON string."""
    if isinstance(value, str):
        try:
            value = strict_json(value)
        except (ValueError, RecursionError) as error:
            place.refuse(f"is no task: its {name} is text but not JSON ({error}); export the file again")
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        place.refuse(f"is no task: its {name} is a {type(value).__name__}, expected an object; export the file again")
    return value
