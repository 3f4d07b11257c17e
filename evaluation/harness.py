"""The harness is AutomationBench's own program, auto-bench, run in its own Python against an endpoint.

An interrupted call of it leaves nothing on disk, so a run is split into batches of tasks: each is one call whose export
is checked and then kept, and a run that was interrupted goes on with the batches that are missing. The command line is
that of the benchmark's published description (1.0.x).
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from environment.record import content_hash
from environment.serving import keeper
from evaluation.result_file import Entry, read_result_file
from evaluation.scores import named
from evaluation.settings import HarnessSettings

PACKAGE = "automation-bench"
MADE, COMMANDS = "made.json", "commands.jsonl"
"""Beside a side's exports: how they are made, and every call that was made."""
_STOP_S = "10"
_TAIL_LETTERS = 600
_VERSION_SCRIPT = f"import importlib.metadata as m; print(m.version({PACKAGE!r}))"


class HarnessError(RuntimeError):
    """The harness ran and did not deliver; what it delivered before is kept."""


class HarnessMissing(ValueError):
    """The harness isn't installed where the engagement says."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two models that are compared."""

    name: str
    """Folder of its results: `base` or `adapter`."""
    base_url: str
    model: str
    """Id at the endpoint."""
    key: str = "none"
    """Of the endpoint; never written down."""


def harness_version(python: Path) -> str:
    """Version of the package in that interpreter's environment. Raises HarnessMissing with the remedy."""
    remedy = f"install it there ({python} -m pip install {PACKAGE}; it needs Python 3.13), or remove evaluation.harness"
    try:
        done = subprocess.run([str(python), "-c", _VERSION_SCRIPT], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HarnessMissing(f"evaluation.harness.python: {python} does not run ({error}); {remedy}") from None
    program = _program(python)
    if done.returncode or not program.exists():
        raise HarnessMissing(f"the environment of {python} has no {PACKAGE} with its program {program.name}; {remedy}")
    return done.stdout.strip()


async def attempt_suite(
    settings: HarnessSettings,
    tasks: Sequence[str],
    attempts: int,
    side: Side,
    folder: Path,
    on_batch: Callable[[int, int], None] = lambda done, total: None,
) -> list[Path]:
    """One merged export an attempt, each with every task once; `on_batch` is told the tasks attempted of all.

    Raises HarnessMissing when it isn't there, ValueError when `folder` holds results made in another way, HarnessError
    when a batch fails twice.
    """
    run = _Run(settings, side, folder / side.name, harness_version(settings.python))
    run.claim(tasks)
    merged = []
    for attempt in range(1, attempts + 1):
        for start in range(0, len(tasks), settings.batch):
            await run.batch(attempt, f"batch-{start // settings.batch + 1:03d}", tasks[start : start + settings.batch])
            on_batch((attempt - 1) * len(tasks) + min(start + settings.batch, len(tasks)), attempts * len(tasks))
        for retry in range(1, settings.retries + 1):
            lost = run.unscored(attempt)
            if lost:
                await run.batch(attempt, f"retry-{retry}", lost)
        merged.append(run.merge(attempt, tasks))
    return merged


class _Run:
    """The results of one side, in a folder of their own."""

    def __init__(self, settings: HarnessSettings, side: Side, folder: Path, version: str) -> None:
        self._settings, self._side, self._folder, self._version = settings, side, folder, version

    def claim(self, tasks: Sequence[str]) -> None:
        """Says in the folder how its results are made, or finds it said so before."""
        made = {
            "version": self._version,
            "command": self._command(["TASKS"], Path("OUT.json"), key="KEY"),
            "tasks": content_hash(list(tasks)),
        }
        told = self._folder / MADE
        if not told.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            _write(told, json.dumps(made, indent=1))
            return
        before = json.loads(told.read_text("utf-8"))
        differing = [name for name in made if before.get(name) != made[name]]
        if differing:
            raise ValueError(
                f"{self._folder} holds results made with another {' and another '.join(differing)}; remove that "
                "folder, or go back to how they were made"
            )

    async def batch(self, attempt: int, name: str, tasks: Sequence[str]) -> None:
        """The checked export of these tasks, made now unless it is there; a call that fails is made once more."""
        kept = self._of(attempt) / f"{name}.json"
        if kept.exists():
            return
        kept.parent.mkdir(exist_ok=True)
        for is_second_try in (False, True):
            fresh, log = kept.with_suffix(".part"), kept.with_suffix(".log")
            fresh.unlink(missing_ok=True)
            code = await self._call(tasks, fresh, log)
            wrong = _what_is_wrong(fresh, tasks, code)
            if wrong is None:
                fresh.replace(kept)
                return
            if is_second_try:
                raise HarnessError(
                    f"auto-bench failed on {named(list(tasks))}, attempt {attempt} of {self._side.name}: {wrong}; "
                    f"look into {log} ({_tail(log)}), then run the same command again"
                )

    def unscored(self, attempt: int) -> list[str]:
        """Tasks of the attempt without a score so far."""
        scored: dict[str, bool] = {}
        for path in self._exports(attempt):
            for entry in read_result_file(path).entries:
                scored[entry.name] = scored.get(entry.name, False) or entry.score is not None
        return [name for name, is_scored in scored.items() if not is_scored]

    def merge(self, attempt: int, tasks: Sequence[str]) -> Path:
        """All rows of one attempt in one export; of a task that was attempted again, the first row with a score."""
        kept: dict[str, Entry] = {}
        meta: Mapping[str, Any] = {}
        for path in self._exports(attempt):
            file = read_result_file(path)
            meta = meta or file.meta
            for entry in file.entries:
                if entry.name not in kept or kept[entry.name].score is None:
                    kept[entry.name] = entry
        merged = self._folder / f"attempt-{attempt}.json"
        numbered = [{**kept[name].row, "id": place} for place, name in enumerate(tasks, 1)]
        _write(merged, json.dumps({"meta": {**meta, "total_tasks": len(tasks)}, "tasks": numbered}))
        return merged

    def _of(self, attempt: int) -> Path:
        return self._folder / f"attempt-{attempt}"

    def _exports(self, attempt: int) -> list[Path]:
        return sorted(self._of(attempt).glob("*.json"))

    async def _call(self, tasks: Sequence[str], export: Path, log: Path) -> int:
        """The exit code of one call, whose process ends with this one."""
        command = self._command(tasks, export, self._side.key)
        began = time.time()
        words = [sys.executable, keeper.__file__, str(log), _STOP_S, *command]
        process = await asyncio.create_subprocess_exec(*words, stdin=asyncio.subprocess.PIPE)
        try:
            code = await process.wait()
        finally:
            process.stdin.close()  # type: ignore[union-attr]
            await process.wait()
        line = {
            "command": self._command(tasks, export, key="KEY"),
            "version": self._version,
            "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
            "seconds": round(time.time() - began, 1),
            "exit_code": code,
        }
        with (self._folder / COMMANDS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return code

    def _command(self, tasks: Sequence[str], export: Path, key: str) -> list[str]:
        settings, side = self._settings, self._side
        effort = ["--reasoning-effort", settings.reasoning_effort] if settings.reasoning_effort else []
        return [
            str(_program(settings.python)),
            *("--model", side.model, "--base-url", side.base_url, "--api-key", key),
            *("--toolset", settings.toolset, "--domains", "all", "--tasks", ",".join(tasks)),
            *("--max-steps", str(settings.max_steps), "--max-concurrent", str(settings.max_concurrent)),
            *effort,
            *("--export-json", str(export)),
            *settings.extra,
        ]


def _program(python: Path) -> Path:
    # The interpreter of a virtual environment is a link: its folder counts, not where it leads.
    return Path(os.path.abspath(python.expanduser())).parent / "auto-bench"


def _what_is_wrong(export: Path, tasks: Sequence[str], code: int) -> str | None:
    if code:
        return f"it ended with exit code {code}"
    try:
        names = [entry.name for entry in read_result_file(export).entries]
    except ValueError as error:
        return str(error)
    missing, foreign = [task for task in tasks if task not in names], [name for name in names if name not in tasks]
    if missing:
        return f"its export lacks {named(missing)}"
    return f"its export has {named(foreign)} that nobody asked for" if foreign else None


def _tail(log: Path) -> str:
    text = log.read_text("utf-8", errors="replace").strip() if log.exists() else ""
    return f"it ends: {text[-_TAIL_LETTERS:]}" if text else "it is empty"


def _write(path: Path, text: str) -> None:
    fresh = path.with_suffix(".part")
    fresh.write_text(text, "utf-8")
    fresh.replace(path)
