"""A benchmark is the set of public tasks that nothing we train on may overlap."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from pydantic import JsonValue

from environment.record import Record, content_hash

STAND_IN = Path(__file__).parent / "sample" / "automationbench_format.jsonl"


class BenchmarkTask(Record):
    """One public task."""

    name: str
    """`<domain>.<slug>`, unique in its benchmark."""
    domain: str
    prompt: str
    """The user's messages."""
    system: str = ""
    """The system message that a benchmark's tasks share."""
    initial_state: Mapping[str, JsonValue] = {}
    """app -> collections -> records; empty when the source doesn't tell."""
    tools: tuple[str, ...] = ()
    assertions: tuple[JsonValue, ...] = ()
    row: int
    """Line of the source, from 1."""
    benchmark: str = "automationbench"
    """Name of the import that it came with."""
    example_id: int | str | None = None
    other: Mapping[str, JsonValue] = {}
    """Keys of the row and of its info that have no place above."""


class BenchmarkSource(Record):
    """One import: where the tasks of one name came from."""

    name: str
    """Short, unique among the imports: `automationbench`."""
    source: str
    """Path or package that was read."""
    version: str
    """Of a package; the git commit of a folder; else `sha256:` and the hash of the file's bytes."""
    content_hash: str
    """Of the tasks sorted by name, whatever their order and spacing in the source."""
    counts: Mapping[str, int]
    """Domain -> tasks."""
    reader: str
    """What it was read as."""


class Benchmark(Record):
    """The tasks of one import or of several."""

    tasks: tuple[BenchmarkTask, ...]
    source: str
    """Where they were read from; several are joined by a comma."""
    content_hash: str
    """That of the only import, or of the hashes of several by name."""
    is_stand_in: bool
    """True for the few invented tasks shipped with this package; a delivery needs the real benchmark."""
    sources: tuple[BenchmarkSource, ...] = ()
    """The imports, in the order in which the engagement names them."""

    def key(self, task: BenchmarkTask) -> str:
        """What reports call a task: its name, after that of its benchmark where there are several."""
        return f"{task.benchmark}/{task.name}" if len(self.sources) > 1 else task.name

    def counts(self) -> dict[str, int]:
        """Tasks per domain, by name of domain."""
        return dict(sorted(Counter(task.domain for task in self.tasks).items()))


def load_benchmark(path: Path | None) -> Benchmark:
    """The benchmark stored at `path`, the stand-in when None."""
    return fallback_benchmark() if path is None else read_automationbench_jsonl(path)


def fallback_benchmark() -> Benchmark:
    """A dozen invented tasks in AutomationBench's format, so that every stage has something to compare with."""
    return read_automationbench_jsonl(STAND_IN).model_copy(update={"source": STAND_IN.name, "is_stand_in": True})


def read_automationbench_jsonl(path: Path) -> Benchmark:
    """The tasks of a JSONL file with one AutomationBench row a line.

    `info` may be an object or a JSON string; the name stands in `info.task_name` or, in older versions, in `task`;
    unknown keys are kept. Raises ValueError naming path and line for a missing or broken file, a row that is no task
    and a task that comes twice.
    """
    tasks: list[BenchmarkTask] = []
    seen: dict[tuple[str, str], int] = {}
    for number, row in _rows(Path(path)):
        task = _task(row, Path(path), number)
        keys = [("name", task.name)]
        if task.example_id is not None:
            keys.append((f"example_id in domain {task.domain}", str(task.example_id)))
        for key in keys:
            if key in seen:
                _refuse(path, number, f"has the {key[0]} {key[1]!r} that line {seen[key]} has; remove one of them")
            seen[key] = number
        tasks.append(task)
    if not tasks:
        raise ValueError(f"{path} holds no task; give a JSONL file with one benchmark task a line")
    return Benchmark(tasks=tuple(tasks), source=str(path), content_hash=_hash(tasks), is_stand_in=False)


def _rows(path: Path) -> list[tuple[int, Any]]:
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give the JSONL file of the benchmark itself")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; export the benchmark there or name another file") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text at byte {error.start}; give an uncompressed JSONL file") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}; check the path and its permissions") from None
    lines = text.split("\n")
    return [
        (number, _row(path, number, line, number == len(lines))) for number, line in enumerate(lines, 1) if line.strip()
    ]


def _row(path: Path, number: int, line: str, is_last: bool) -> Any:
    try:
        row = json.loads(line, parse_constant=_refuse_constant)
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        _refuse(path, number, "holds half of a surrogate pair, which is no text; export the file again")
    except (ValueError, RecursionError) as error:
        # Only what was being written when the disk filled or the copy stopped lacks its newline.
        if is_last:
            _refuse(path, number, "is cut off in the middle of the last row; copy or export the file again")
        _refuse(path, number, f"is not JSON ({error}); each line must hold one JSON object")
    return row


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _task(row: Any, path: Path, number: int) -> BenchmarkTask:
    if not isinstance(row, Mapping):
        _refuse(path, number, f"is no task but a JSON {type(row).__name__}; expected an object with prompt and info")
    info = _opened(row.get("info", {}), "info", path, number)
    name = info.get("task_name") or row.get("task_name") or row.get("task") or info.get("task")
    example_id = row.get("example_id")
    if not name and isinstance(example_id, (int, str)):
        name = f"{row.get('domain') or info.get('domain') or 'unknown'}.example_{example_id}"
    if not isinstance(name, str):
        _refuse(path, number, "is no task: it has no info.task_name, task or example_id")
    system, prompt = _messages(row.get("prompt"))
    if not prompt.strip():
        _refuse(path, number, f"is no task: {name} has no prompt with a user message")
    domain = name.partition(".")[0] if "." in name else str(row.get("domain") or info.get("domain") or "unknown")
    state = info.get("initial_state", row.get("initial_state")) or {}
    tools, assertions = info.get("zapier_tools") or (), info.get("assertions") or ()
    used_in_row = ("prompt", "info", "example_id", "initial_state", "task", "task_name")
    used_in_info = ("task_name", "task", "initial_state", "zapier_tools", "assertions")
    return BenchmarkTask(
        name=name,
        domain=domain,
        prompt=prompt,
        system=system,
        initial_state=_opened(state, "initial_state", path, number),
        tools=tuple(map(str, tools)) if isinstance(tools, list) else (),
        assertions=tuple(assertions) if isinstance(assertions, list) else (),
        row=number,
        example_id=example_id if isinstance(example_id, (int, str)) else None,
        other={key: value for key, value in row.items() if key not in used_in_row}
        | {f"info.{key}": value for key, value in info.items() if key not in used_in_info},
    )


def _opened(value: Any, name: str, path: Path, number: int) -> Mapping[str, Any]:
    """An object that may have been written as a JSON string."""
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            _refuse(path, number, f"is no task: its {name} is text but not JSON ({error})")
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        _refuse(path, number, f"is no task: its {name} is a {type(value).__name__}, expected an object")
    return value


def _messages(prompt: Any) -> tuple[str, str]:
    """System text and user text of a prompt: a string, or messages whose content is a string or a list of parts."""
    if isinstance(prompt, str):
        return "", prompt
    texts: dict[str, list[str]] = {"system": [], "user": []}
    for message in prompt if isinstance(prompt, list) else ():
        if isinstance(message, Mapping):
            role = "system" if message.get("role") in ("system", "developer") else "user"
            texts[role].append(_content(message.get("content")))
    return "\n\n".join(texts["system"]), "\n\n".join(texts["user"])


def _content(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _hash(tasks: list[BenchmarkTask]) -> str:
    ordered = sorted(tasks, key=lambda task: task.name)
    return content_hash(
        [{key: value for key, value in task.to_json().items() if key not in ("row", "benchmark")} for task in ordered]
    )


def _refuse(path: Path, number: int, sentence: str) -> NoReturn:
    raise ValueError(f"{path} line {number} {sentence}")
