"""The runner has NeMo Evaluator ask one side's endpoint the benchmarks, one call each, in an environment of its own.

A call whose results are whole is kept and not made again; one that was interrupted goes on in the same folder, where
most harnesses find the answers they had. The command line is that of nemo-evaluator 0.2.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from environment.serving import keeper
from evaluation.capability.results import read_result
from evaluation.capability.settings import Benchmark, CapabilitySettings

PACKAGE = "nemo-evaluator"
_STOP_S = "20"
_TAIL_LETTERS = 600
_QUIET = {"NEMO_EVALUATOR_TELEMETRY_LEVEL": "0"}
"""It reports task and model to its maker otherwise."""
_OWN = "byob_"
"""Beginning of every framework that its bring-your-own-benchmark mode made."""
_VERSIONS_SCRIPT = f"""import importlib.metadata, json
print(json.dumps({{
    one.name.lower(): one.version
    for one in importlib.metadata.distributions()
    if one.name and (one.name == {PACKAGE!r} or any(need.startswith({PACKAGE!r}) for need in one.requires or ()))
}}))
"""
"""Of itself and of the packages that need it, which are those with benchmarks."""


class CapabilityError(RuntimeError):
    """NeMo Evaluator ran and did not deliver; what it delivered before is kept."""


@dataclass(frozen=True, slots=True)
class Answering:
    """One of the two models that are compared."""

    name: str
    """Folder of its results: `base` or `adapter`."""
    base_url: str
    model: str
    """Id at the endpoint."""
    key_variable: str | None = None
    """Environment variable with the endpoint's key; only its name is written down."""


def evaluator_versions(settings: CapabilitySettings) -> dict[str, str]:
    """Versions of NeMo Evaluator's packages in that environment.

    Raises ValueError with the remedy when it isn't there or doesn't know one of the benchmarks.
    """
    python = settings.python
    remedy = (
        f"install it there ({python} -m pip install {PACKAGE} nvidia-simple-evals nvidia-lm-eval), "
        "or remove evaluation.capability"
    )
    try:
        done = _asked([str(python), "-c", _VERSIONS_SCRIPT])
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ValueError(f"evaluation.capability.python: {python} does not run ({error}); {remedy}") from None
    versions = json.loads(done.stdout) if not done.returncode else {}
    program = _program(python)
    if PACKAGE not in versions or not program.exists():
        raise ValueError(f"the environment of {python} has no {PACKAGE} with its program; {remedy}")
    listed = _listed(_asked([str(program), "ls"]).stdout)
    for benchmark in settings.benchmarks:
        framework, _, task = benchmark.task.rpartition(".")
        if framework not in listed if framework else not any(task in tasks for tasks in listed.values()):
            known = ", ".join(listed) or "none"
            raise ValueError(
                f"{PACKAGE} in the environment of {python} doesn't know {benchmark.task} (its frameworks: {known}); "
                f"install the package that has it there, or take it out of evaluation.capability.benchmarks"
            )
    return dict(sorted(versions.items()))


async def answer_benchmarks(
    settings: CapabilitySettings,
    side: Answering,
    folder: Path,
    on_benchmark: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """The folder of one side's results, one below it for each benchmark; `on_benchmark` is told how many are there.

    Raises ValueError when NeMo Evaluator isn't there or `folder` holds results made in another way, CapabilityError
    when a call fails twice.
    """
    run = _Run(settings, side, folder / side.name, evaluator_versions(settings))
    run.claim()
    for done, benchmark in enumerate(settings.benchmarks, 1):
        await run.benchmark(benchmark)
        on_benchmark(done, len(settings.benchmarks))
    return folder / side.name


class _Run:
    """The results of one side, in a folder of their own."""

    def __init__(
        self, settings: CapabilitySettings, side: Answering, folder: Path, versions: Mapping[str, str]
    ) -> None:
        self._settings, self._side, self._folder, self._versions = settings, side, folder, versions

    def claim(self) -> None:
        """Says in the folder how its results are made, or finds it said so before."""
        made: dict[str, Any] = {"versions": self._versions, "model": self._side.model, "url": self._side.base_url}
        made |= {benchmark.task: self._asked_for(benchmark)["config"] for benchmark in self._settings.benchmarks}
        told = self._folder / "made.json"
        if not told.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            _write(told, json.dumps(made, indent=1))
            return
        before = json.loads(told.read_text("utf-8"))
        differing = [name for name in {**before, **made} if before.get(name) != made.get(name)]
        if differing:
            raise ValueError(
                f"{self._folder} holds results made in another way ({', '.join(differing)} differ); remove that "
                "folder, or go back to how they were made"
            )

    async def benchmark(self, benchmark: Benchmark) -> None:
        """The checked results of a benchmark, made now unless they are there; a call that fails is made once more."""
        kept = self._folder / benchmark.task
        if kept.exists():
            return
        fresh, log = kept.with_name(f"{kept.name}.part"), kept.with_name(f"{kept.name}.log")
        for is_second_try in (False, True):
            if is_second_try:
                shutil.rmtree(fresh)  # what it had may be why it failed
            code = await self._call(benchmark, fresh, log)
            wrong = self._what_is_wrong(fresh, benchmark, code)
            if wrong is None:
                fresh.rename(kept)
                return
            if is_second_try:
                raise CapabilityError(
                    f"{PACKAGE} failed on {benchmark.task} with the {self._side.name}: {wrong}; look into {log} "
                    f"({_tail(log)}), then run the same command again"
                )

    def _what_is_wrong(self, folder: Path, benchmark: Benchmark, code: int) -> str | None:
        if code:
            return f"it ended with exit code {code}"
        try:
            result = read_result(folder, {benchmark.task: benchmark.score} if benchmark.score else None)
        except ValueError as error:
            return str(error)
        if result.model != self._side.model:
            return f"its results are of the model {result.model}"
        return None

    async def _call(self, benchmark: Benchmark, out: Path, log: Path) -> int:
        """The exit code of one call, whose processes end with this one."""
        _prepare(out, benchmark)
        asked = out.with_suffix(".yml")
        _write(asked, yaml.safe_dump(self._asked_for(benchmark), sort_keys=False))
        # Names, seen from the folder: its frameworks' command lines break at a space in a path.
        words = ("run_eval", "--run_config", asked.name, "--output_dir", out.name)
        command = [str(_program(self._settings.python)), *words]
        began = time.time()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", keeper.__file__, str(log), _STOP_S, *command),
            stdin=asyncio.subprocess.PIPE,
            cwd=self._folder,
            env=self._environment(),
        )
        try:
            code = await process.wait()
        finally:
            process.stdin.close()  # type: ignore[union-attr]
            await process.wait()
        line = {
            "command": command,
            "versions": self._versions,
            "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
            "seconds": round(time.time() - began, 1),
            "exit_code": code,
        }
        with (self._folder / "commands.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return code

    def _asked_for(self, benchmark: Benchmark) -> dict[str, Any]:
        settings, side = self._settings, self._side
        extra = {**settings.extra, **benchmark.extra}
        if benchmark.args is not None:
            extra["args"] = benchmark.args.replace("{seed}", str(settings.seed)).replace(
                "{samples}", str(benchmark.samples)
            )
        params = {
            "limit_samples": settings.limit_samples,
            "parallelism": settings.parallelism,
            "request_timeout": settings.request_timeout,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "max_new_tokens": settings.max_new_tokens,
            "extra": extra,
        }
        endpoint = {
            "type": "chat",
            "model_id": side.model,
            # Its proxy sends every request to exactly this address, whatever path a harness asks for.
            "url": f"{side.base_url.rstrip('/')}/chat/completions",
            "api_key_name": side.key_variable,
        }
        return {
            "config": {
                "type": benchmark.task,
                "params": {name: one for name, one in params.items() if one is not None},
            },
            "target": {"api_endpoint": {name: one for name, one in endpoint.items() if one is not None}},
        }

    def _environment(self) -> dict[str, str]:
        # Its frameworks start `python` and their own programs by name.
        own = str(_program(self._settings.python).parent)
        return {**os.environ, **_QUIET, "PATH": os.pathsep.join([own, os.environ.get("PATH", os.defpath)])}


def _prepare(out: Path, benchmark: Benchmark) -> None:
    """A folder to write into.

    A benchmark of one's own leaves its scores in a folder of its name, and 0.2.8 looks for them one folder higher.
    """
    out.mkdir(parents=True, exist_ok=True)
    framework, _, task = benchmark.task.rpartition(".")
    link = out / "byob_results.json"
    if framework.startswith(_OWN) and not link.is_symlink():
        (out / task).mkdir(exist_ok=True)
        link.symlink_to(Path(task) / link.name)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _program(python: Path) -> Path:
    # The interpreter of a virtual environment is a link: its folder counts, not where it leads.
    return Path(os.path.abspath(python.expanduser())).parent / PACKAGE


def _asked(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=120, env={**os.environ, **_QUIET})


def _listed(text: str) -> dict[str, list[str]]:
    """Framework -> its tasks, from what `nemo-evaluator ls` prints."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.strip().startswith("* ") and found:
            found[list(found)[-1]].append(line.strip()[2:])
        elif line.rstrip().endswith(":"):
            found[line.strip().rstrip(":")] = []
    return found


def _tail(log: Path) -> str:
    text = log.read_text("utf-8", errors="replace").strip() if log.exists() else ""
    return f"it ends: {text[-_TAIL_LETTERS:]}" if text else "it is empty"


def _write(path: Path, text: str) -> None:
    fresh = path.with_name(f".{path.name}.fresh")
    fresh.write_text(text, "utf-8")
    fresh.replace(path)
