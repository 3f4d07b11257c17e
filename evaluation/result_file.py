"""A result file is what AutomationBench's own harness exports about one policy: its JSON becomes scored entries here.

The facts come from public write-ups and published exports (benchmark 1.0.x), so unknown keys are ignored and the raw
rows of the `verifiers` library are read too. The harness counts neither collateral nor incomplete attempts.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from evaluation.result_row import first_of, name_of, score_of, short
from evaluation.scores import Score, named

UNSCORED_DOMAIN = "simple"
"""The benchmark's one- and two-step tasks, which its published rates leave out."""
SCORED_TASKS = 600
"""Of the whole suite."""
DOMAINS = ("finance", "hr", "marketing", "operations", "sales", "support")
SETTINGS = (
    "model",
    "benchmark_version",
    "toolset",
    "reasoning_effort",
    "temperature",
    "top_p",
    "max_tokens",
    "max_steps",
)
"""What a file may state of how its attempts were made; it must agree among the files of one side."""
LONGEST_NAME = 200
"""Letters of a task's or a model's name; the benchmark's longest has under 100."""
_COMPRESSED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")


@dataclass(frozen=True, slots=True)
class Entry:
    """One attempt."""

    name: str
    """Of the task."""
    score: Score | None
    """None for an attempt that an infrastructure error left unscored."""
    row: Mapping[str, Any]
    """As it stands in the file."""

    @property
    def domain(self) -> str:
        return self.name.partition(".")[0]


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One export: what it says about itself, and an entry for each attempt in it."""

    path: Path
    digest: str
    meta: Mapping[str, Any]
    """As it stands in the file."""
    settings: Mapping[str, JsonValue]
    """Those of `SETTINGS` that the file states."""
    prompts: frozenset[str]
    """Hashes of the system messages that its conversations begin with; empty where it carries none."""
    entries: tuple[Entry, ...]

    @property
    def name(self) -> str:
        """Of the file, with what cannot be printed replaced."""
        return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in self.path.name)


def read_result_file(path: Path) -> ResultFile:
    """The export at `path`. Raises ValueError, naming file and entry, when it is not one or contradicts itself."""
    digest, text = _text_of(path)
    meta, passed_count, rows = _parsed(path, text)
    if not rows:
        raise ValueError(f"{path} holds no tasks; give an export of a finished run")
    entries = tuple(_entry(path, number, row) for number, row in enumerate(rows, 1))
    _refuse_another_suite(path, [entry.name for entry in entries])
    _refuse_another_count(path, entries, passed_count)
    return ResultFile(path, digest, meta, _settings(path, meta), _prompts(rows), entries)


def read_result_files(paths: Sequence[Path]) -> list[ResultFile]:
    """The exports of one side. Raises ValueError when there is none, or one comes twice."""
    if not paths:
        raise ValueError("no result file given; give at least one JSON export of auto-bench")
    files: dict[str, ResultFile] = {}
    for path in paths:
        file = read_result_file(path)
        if file.digest in files:
            raise ValueError(f"{path} and {files[file.digest].path} are the same run; give each run once")
        files[file.digest] = file
    return list(files.values())


def _text_of(path: Path) -> tuple[str, str]:
    """SHA-256 and text of the file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ValueError(
            f"there is no result file at {path}; give a JSON export of auto-bench (--export-json)"
        ) from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}); give a JSON export of auto-bench") from None
    if data.startswith(_COMPRESSED):
        raise ValueError(f"{path} is compressed; unpack it and give the JSON export of auto-bench that is in it")
    try:
        return hashlib.sha256(data).hexdigest(), data.decode(json.detect_encoding(data))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no UTF-8 text ({error}); give a JSON export of auto-bench") from None


def _parsed(path: Path, text: str) -> tuple[Mapping[str, Any], Any, list[Any]]:
    """What the file says about itself, how many tasks it says passed, and its rows.

    It is an export, a JSON list of rows, or a row a line.
    """
    try:
        parsed = _json(text)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise ValueError(f"{path} is no JSON ({error}); give an export of auto-bench") from None
        return {}, None, _rows_of_lines(path, text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no JSON ({error}); give an export of auto-bench") from None
    if isinstance(parsed, list):
        return {}, None, parsed
    if isinstance(parsed, dict) and "tasks" not in parsed and name_of(parsed):
        return {}, None, [parsed]
    if not isinstance(parsed, dict) or not isinstance(parsed.get("tasks"), list):
        raise ValueError(f"{path} has no list `tasks`; give a JSON export of auto-bench")
    meta, summary = parsed.get("meta"), parsed.get("summary")
    said = summary.get("passed_count") if isinstance(summary, dict) else None
    return meta if isinstance(meta, dict) else {}, said, parsed["tasks"]


def _rows_of_lines(path: Path, text: str) -> list[Any]:
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                rows.append(_json(line))
            except (ValueError, RecursionError) as error:
                raise ValueError(
                    f"{path} line {number} is no JSON ({error}); give every row of a finished run"
                ) from None
    return rows


def _json(text: str) -> Any:
    """A key that comes twice in one object is refused: readers differ on which value counts."""
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {short(twice)} comes twice in one object")
    return found


def _refuse_another_suite(path: Path, names: Sequence[str]) -> None:
    """A file may hold several attempts on each task, as many on one as on another; a few may have been lost."""
    known = (*DOMAINS, UNSCORED_DOMAIN)
    foreign = [name for name in names if name.partition(".")[0] not in known]
    if foreign:
        raise ValueError(
            f"{path}: {named(list(dict.fromkeys(foreign)))} {'is' if len(set(foreign)) == 1 else 'are'} of none of the "
            f"domains {', '.join(known)}; give results of AutomationBench"
        )
    counts = Counter(names)
    usual = max(Counter(counts.values()).items(), key=lambda pair: (pair[1], -pair[0]))[0]
    repeated = [name for name, count in counts.items() if count > usual]
    if repeated:
        raise ValueError(
            f"{path} has {named(repeated)} more often than the other tasks, which come {usual} "
            f"time{'s' * (usual > 1)}; give one file an attempt, or every task equally often"
        )


def _refuse_another_count(path: Path, entries: Sequence[Entry], said: Any) -> None:
    """Whether a summary counts unscored attempts, or tasks that are no part of the score, isn't known."""
    plain = all(entry.score is not None and entry.domain != UNSCORED_DOMAIN for entry in entries)
    passed = sum(entry.score.strict for entry in entries if entry.score)
    if plain and said not in (None, passed):
        raise ValueError(f"{path} says that {short(said)} tasks passed, its entries say {passed}; export it again")


def _settings(path: Path, meta: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Sampling arguments may stand in an object of their own."""
    nested = meta.get("sampling_args")
    found: dict[str, JsonValue] = {}
    for key in SETTINGS:
        value = first_of(meta.get(key), nested.get(key) if isinstance(nested, dict) else None)
        if value is None:
            continue
        try:
            json.dumps(value, allow_nan=False)
        except ValueError:
            raise ValueError(f"{path} states {key} as {short(value)}; expected a finite number or a word") from None
        if isinstance(value, str):
            _refuse_odd(f"{path}: its {key}", value)
        found[key] = value
    return found


def _prompts(rows: Sequence[Any]) -> frozenset[str]:
    found = set()
    for row in rows:
        first = next(
            (row[key][0] for key in ("messages", "prompt") if row.get(key) and isinstance(row[key], list)), None
        )
        if isinstance(first, dict) and first.get("role") in ("system", "developer"):
            found.add(hashlib.sha256(json.dumps(first.get("content")).encode()).hexdigest()[:16])
    return frozenset(found)


def _entry(path: Path, number: int, row: Any) -> Entry:
    name = name_of(row)
    if name is None:
        raise ValueError(f"{path}: entry {number} has no task name (`name`, or `task` in raw output)")
    _refuse_odd(f"{path}: the task name of entry {number}", name)
    try:
        return Entry(name, score_of(row), row)
    except ValueError as error:
        raise ValueError(f"{path}: {name}: {error}") from None


def _refuse_odd(what: str, name: str) -> None:
    """Names are printed: in sentences, in tables, on terminals."""
    if len(name) > LONGEST_NAME:
        raise ValueError(f"{what} has {len(name)} letters, expected at most {LONGEST_NAME}; shorten it")
    if not name.isprintable():
        raise ValueError(f"{what}, {name!r}, holds a character that cannot be printed; write it without")
