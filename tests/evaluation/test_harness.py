"""AutomationBench's harness as a program of its own: batches, crashes, lost attempts, resuming."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from evaluation import harness
from evaluation.automationbench import scores_of
from evaluation.harness import HarnessError, Side, harness_version
from evaluation.result_file import read_result_files
from evaluation.settings import HarnessSettings
from tests.evaluation import stand_in_harness

TASKS = [f"{domain}.t{number}" for number in range(4) for domain in ("hr", "sales")]
BASE = Side("base", "http://127.0.0.1:9/v1", "small", key="secret-5174")


def environment_with(folder: Path, **wishes: Any) -> Path:
    """An environment of its own whose interpreter has the package and its program; the interpreter's path."""
    place = folder / "env" / "bin"
    site = folder / "env" / "site" / "automation_bench-1.0.5.dist-info"
    place.mkdir(parents=True)
    site.mkdir(parents=True)
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: automation-bench\nVersion: 1.0.5\n")
    script = f'#!/bin/sh\nPYTHONPATH="{site.parent}" exec "{sys.executable}" "$@"\n'
    (place / "python").write_text(script)
    (place / "auto_bench.py").write_text(Path(stand_in_harness.__file__).read_text())
    (place / "auto-bench").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{place / "auto_bench.py"}" "$@"\n')
    for program in ("python", "auto-bench"):
        (place / program).chmod(0o755)
    (place / "wishes.json").write_text(json.dumps(wishes))
    return place / "python"


def settings(python: Path, **more: Any) -> HarnessSettings:
    return HarnessSettings.model_validate({"python": python, "batch": 3, **more})


def attempt_suite(*given: Any) -> list[Path]:
    return asyncio.run(harness.attempt_suite(*given))


def calls(python: Path) -> list[dict[str, str]]:
    path = python.parent / "calls.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def passes(name: str, model: str = "small") -> bool:
    return bool(hashlib.sha256(f"{name} {model}".encode()).digest()[0] % 2)


def test_three_attempts_in_batches_give_three_whole_exports(tmp_path: Path) -> None:
    python = environment_with(tmp_path)
    told: list[tuple[int, int]] = []
    exports = attempt_suite(settings(python), TASKS, 3, BASE, tmp_path / "out", lambda *done: told.append(done))
    assert [call["tasks"] for call in calls(python)] == [
        "hr.t0,sales.t0,hr.t1",
        "sales.t1,hr.t2,sales.t2",
        "hr.t3,sales.t3",
    ] * 3
    assert told[0] == (3, 24)
    assert told[-1] == (24, 24)
    scores = scores_of(read_result_files(exports))
    assert {row.task_id: [score.strict for score in row.scored] for row in scores.tasks} == {
        name: [passes(name)] * 3 for name in TASKS
    }
    assert scores.settings["benchmark_version"] == "1.0.5"


def test_commands_and_version_are_kept_and_the_key_is_not(tmp_path: Path) -> None:
    python = environment_with(tmp_path)
    attempt_suite(settings(python, reasoning_effort="medium"), TASKS, 1, BASE, tmp_path / "out")
    assert {call["key"] for call in calls(python)} == {"secret-5174"}
    kept = [json.loads(line) for line in (tmp_path / "out" / "base" / "commands.jsonl").read_text().splitlines()]
    assert [line["exit_code"] for line in kept] == [0, 0, 0]
    assert {line["version"] for line in kept} == {"1.0.5"}
    words = kept[0]["command"]
    assert words[words.index("--reasoning-effort") + 1] == "medium"
    assert words[words.index("--toolset") + 1] == "api"
    written = [path.read_text() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert not any("secret-5174" in text for text in written)


def test_a_batch_that_crashes_is_called_once_more_and_then_stops_the_run_with_its_log(tmp_path: Path) -> None:
    python = environment_with(tmp_path, crash=[1, 3, 4])
    with pytest.raises(HarnessError, match=r"2 tasks \(hr\.t3, sales\.t3\), .* exit code 1; look into .*out of disk"):
        attempt_suite(settings(python), TASKS, 1, BASE, tmp_path / "out")
    assert len(calls(python)) == 5
    attempt_suite(settings(python), TASKS, 1, BASE, tmp_path / "out")
    assert [call["tasks"] for call in calls(python)[5:]] == ["hr.t3,sales.t3"]


def test_tasks_lost_to_infrastructure_are_attempted_again_and_never_scored_zero(tmp_path: Path) -> None:
    first, second = (next(n for n in TASKS if passes(n) and n.startswith(domain)) for domain in ("hr", "sales"))
    python = environment_with(tmp_path, lose={first: 3, second: 99})
    exports = attempt_suite(settings(python), TASKS, 1, BASE, tmp_path / "out")
    again = [first, second] if TASKS.index(first) < TASKS.index(second) else [second, first]
    assert [call["tasks"] for call in calls(python)[3:]] == [",".join(again)] * 2
    scores = {row.task_id: row for row in scores_of(read_result_files(exports)).tasks}
    assert ([score.strict for score in scores[first].scored], scores[first].unscored) == ([True], 0)
    assert (scores[second].scored, scores[second].unscored) == ((), 1)


def test_an_export_without_a_task_or_that_is_none_is_no_result(tmp_path: Path) -> None:
    python = environment_with(tmp_path, omit=["sales.t0"])
    with pytest.raises(HarnessError, match=r"its export lacks 1 task \(sales\.t0\)"):
        attempt_suite(settings(python), TASKS, 1, BASE, tmp_path / "out")
    assert not list((tmp_path / "out" / "base" / "attempt-1").glob("*.json"))


def test_results_made_in_another_way_are_not_mixed(tmp_path: Path) -> None:
    python = environment_with(tmp_path)
    attempt_suite(settings(python), TASKS, 1, BASE, tmp_path / "out")
    with pytest.raises(ValueError, match=r"made with another command; remove that folder"):
        attempt_suite(settings(python, toolset="zapier"), TASKS, 1, BASE, tmp_path / "out")
    with pytest.raises(ValueError, match=r"made with another tasks; remove that folder"):
        attempt_suite(settings(python), TASKS[:-1], 1, BASE, tmp_path / "out")


def test_without_the_package_a_sentence_says_how_to_install_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none/python does not run .* install it there \(.*-m pip install automation"):
        harness_version(tmp_path / "none" / "python")
    python = environment_with(tmp_path)
    assert harness_version(python) == "1.0.5"
    (python.parent / "auto-bench").unlink()
    with pytest.raises(ValueError, match="has no automation-bench with its program auto-bench"):
        harness_version(python)
    shutil.rmtree(tmp_path / "env" / "site")
    with pytest.raises(ValueError, match="has no automation-bench"):
        harness_version(python)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_ended_between_batches_it_goes_on_and_takes_its_program_with_it(tmp_path: Path, how: signal.Signals) -> None:
    python = environment_with(tmp_path, seconds=0.4)
    script = (
        "import asyncio; from pathlib import Path; from evaluation.harness import Side, attempt_suite\n"
        "from evaluation.settings import HarnessSettings\n"
        f"asyncio.run(attempt_suite(HarnessSettings(python=Path({str(python)!r}), batch=2), {TASKS!r}, 1,"
        f" Side('base', 'http://127.0.0.1:9/v1', 'small'), Path({str(tmp_path / 'out')!r})))\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(calls(python)) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(child.pid, how)
    child.wait()
    time.sleep(1)
    before = len(calls(python))
    kept = {path.name for path in (tmp_path / "out" / "base" / "attempt-1").glob("*.json")}
    assert "batch-001.json" in kept
    exports = attempt_suite(settings(python, batch=2), TASKS, 1, Side("base", BASE.base_url, "small"), tmp_path / "out")
    assert len(calls(python)) - before == 4 - len(kept)
    assert len(scores_of(read_result_files(exports)).tasks) == len(TASKS)
