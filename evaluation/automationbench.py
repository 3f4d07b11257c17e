"""A result file is what AutomationBench's own harness exports about one policy: its JSON is read into Scores here.

The facts come from public write-ups and published exports (benchmark 1.0.x), so unknown keys are ignored and the raw
rows of the `verifiers` library are read too. The harness counts neither collateral nor incomplete attempts.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from evaluation.comparison import Comparison, compare
from evaluation.flags import exclusions
from evaluation.scores import Score, Scores, TaskScores, named

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
PROMPT = "system_prompt"
"""Hash of the first message, in exports that carry the conversations."""


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One export: what it says about itself, and an entry for each attempt in it."""

    path: Path
    digest: str
    meta: Mapping[str, Any]
    entries: tuple[tuple[str, Score | None], ...]
    """Task name and score, None for an attempt that an infrastructure error left unscored."""


def read_result_file(path: Path) -> ResultFile:
    """The export at `path`. Raises ValueError, naming file and entry, when it is not one or contradicts itself."""
    data = _bytes_of(path)
    meta, rows = _parsed(path, data)
    if not rows:
        raise ValueError(f"{path} holds no tasks; give an export of a finished run")
    entries = tuple(_entry(path, number, row) for number, row in enumerate(rows))
    _refuse_another_suite(path, [name for name, _ in entries])
    return ResultFile(path, hashlib.sha256(data).hexdigest(), {**_sampling(meta), PROMPT: _prompt(rows)}, entries)


def export_rows(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What a readable export says about itself, and its rows, as they stand in it. Raises ValueError as above."""
    read_result_file(path)
    meta, rows = _parsed(path, _bytes_of(path))
    return dict(meta), rows


def read_scores(paths: Sequence[Path]) -> Scores:
    """Scores of one policy from its exports: files repeat the suite, hold parts of it or several attempts, in order.

    Raises ValueError when no file is given, one comes twice, or they differ in model or settings.
    """
    if not paths:
        raise ValueError("no result file given; give at least one JSON export of auto-bench")
    files = [read_result_file(path) for path in paths]
    digests: dict[str, Path] = {}
    for file in files:
        if file.digest in digests:
            raise ValueError(f"{file.path} and {digests[file.digest]} are the same run; give each run once")
        digests[file.digest] = file.path
    settings = {key: _agreed(files, key) for key in (*SETTINGS, PROMPT)}
    label = settings["model"] if isinstance(settings["model"], str) else paths[0].stem
    grouped: dict[str, list[Score | None]] = defaultdict(list)
    for name, score in (entry for file in files for entry in file.entries):
        grouped[name].append(score)
    rows = [_task_scores(name, scores) for name, scores in grouped.items()]
    kept = tuple(row for row in rows if row.domain != UNSCORED_DOMAIN)
    left_out = len(rows) - len(kept)
    notes = (f"Left out as no part of the benchmark's score: tasks of the domain {UNSCORED_DOMAIN!r} ({left_out}).",)
    return Scores(label, kept, settings, notes if left_out else ())


def compare_files(
    base_paths: Sequence[Path],
    adapter_paths: Sequence[Path],
    *,
    seed: int | str,
    common: bool = False,
    allow: Collection[str] = (),
    monitored: Collection[str] = (),
    flags: Mapping[str, Collection[str]] | None = None,
) -> Comparison:
    """Comparison of two policies from their exports, with a row without the monitored tasks and one for each flag set.

    Raises ValueError when a side's files are none or contradict each other, when the sides differ in a setting that is
    not allowed or in their tasks (see evaluation.scores.pair), and when no monitored or flagged task is in the suite.
    """
    base, adapter = read_scores(base_paths), read_scores(adapter_paths)
    left_out = exclusions(monitored, flags or {}, {task.task_id for task in base.tasks})
    return compare(base, adapter, seed=seed, common=common, allow=allow, exclude=left_out, monitored=monitored)


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ValueError(
            f"there is no result file at {path}; give a JSON export of auto-bench (--export-json)"
        ) from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}); give a JSON export of auto-bench") from None


def _parsed(path: Path, data: bytes) -> tuple[Mapping[str, Any], list[Any]]:
    """What the file says about itself, and its rows: an export, a JSON list of rows, or a row a line."""
    try:
        parsed = json.loads(data)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no UTF-8 text ({error}); give a JSON export of auto-bench") from error
    except json.JSONDecodeError as error:
        try:
            return {}, [json.loads(line) for line in data.splitlines() if line.strip()]
        except json.JSONDecodeError:
            raise ValueError(f"{path} is no JSON ({error}); give an export of auto-bench") from error
    if isinstance(parsed, list):
        return {}, parsed
    if not isinstance(parsed, dict) or not isinstance(parsed.get("tasks"), list):
        raise ValueError(f"{path} has no list `tasks`; give a JSON export of auto-bench")
    meta = parsed.get("meta")
    return meta if isinstance(meta, dict) else {}, parsed["tasks"]


def _refuse_another_suite(path: Path, names: Sequence[str]) -> None:
    """A file may hold several attempts on each task, as many on one as on another; a few may have been lost."""
    known = (*DOMAINS, UNSCORED_DOMAIN)
    foreign = [name for name in names if _domain(name) not in known]
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


def _sampling(meta: Mapping[str, Any]) -> dict[str, Any]:
    """What the file says about itself; sampling arguments may stand in an object of their own."""
    nested = meta.get("sampling_args")
    return {**(nested if isinstance(nested, dict) else {}), **meta}


def _prompt(rows: Sequence[Any]) -> str | None:
    """Hash of the system message that all conversations in the file begin with; None where there are none."""
    found = set()
    for row in rows:
        first = next(
            (row[key][0] for key in ("messages", "prompt") if row.get(key) and isinstance(row[key], list)), None
        )
        if isinstance(first, dict) and first.get("role") in ("system", "developer"):
            found.add(hashlib.sha256(json.dumps(first.get("content")).encode()).hexdigest()[:16])
    return found.pop() if len(found) == 1 else None


def _entry(path: Path, number: int, row: Any) -> tuple[str, Score | None]:
    name = _name(row)
    if name is None:
        raise ValueError(f"{path}: entry {number + 1} has no task name (`name`, or `task` in raw output)")
    try:
        return name, _score(row)
    except ValueError as error:
        raise ValueError(f"{path}: {name}: {error}") from error


def _name(row: Any) -> str | None:
    """The task's name: `name` in exports, `task` in raw output, `info.task_name` in raw rows that carry the task."""
    if not isinstance(row, dict):
        return None
    info = row.get("info")
    if isinstance(info, str):
        try:
            info = json.loads(info)
        except json.JSONDecodeError:
            info = None
    candidates = (row.get("name"), info.get("task_name") if isinstance(info, dict) else None, row.get("task"))
    return next((name for name in candidates if isinstance(name, str) and name), None)


def _score(row: Mapping[str, Any]) -> Score | None:
    """The row's score; None when an error is recorded, the model was never called or there is no score."""
    metrics = row["metrics"] if isinstance(row.get("metrics"), dict) else {}
    credit = _first(row.get("score"), metrics.get("partial_credit"), row.get("reward"))
    if _infrastructure_error(row) or credit is None:
        return None
    if isinstance(credit, bool) or not isinstance(credit, int | float):
        raise ValueError(f"the score is a share in [0, 1], given {credit!r}")
    passed = _first(row.get("passed"), metrics.get("task_completed_correctly"))
    if passed not in (None, True, False):
        raise ValueError(f"`passed` is true or false, given {passed!r}")
    if passed is not None and bool(passed) != (credit == 1):
        raise ValueError(
            f"passed is {bool(passed)} at a score of {credit}, and a task passes at 1 exactly; export it again"
        )
    return Score(strict=credit == 1, partial_credit=float(credit), collateral=None, incomplete=None)


def _infrastructure_error(row: Mapping[str, Any]) -> bool:
    # A context overflow is the model's doing (it read too much), not the machine's, so its score stands.
    failed = bool(row.get("error")) and "context" not in json.dumps(row["error"]).lower()
    return failed or row.get("num_model_calls") == 0


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _agreed(files: Iterable[ResultFile], key: str) -> JsonValue:
    """The one value that the files state for `key`; None when none states it."""
    stated: dict[str, Path] = {}
    for file in files:
        if file.meta.get(key) is not None:
            stated.setdefault(json.dumps(file.meta[key]), file.path)
    if len(stated) > 1:
        spelled = ", ".join(f"{value} in {path}" for value, path in stated.items())
        raise ValueError(f"the files of one side differ in {key}: {spelled}; compare each policy on its own")
    return json.loads(next(iter(stated))) if stated else None


def _domain(name: str) -> str:
    return name.partition(".")[0]


def _task_scores(name: str, scores: Sequence[Score | None]) -> TaskScores:
    scored = tuple(score for score in scores if score is not None)
    return TaskScores(name, _domain(name), "", scored, unscored=len(scores) - len(scored))
