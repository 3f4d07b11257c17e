"""NeMo Evaluator as a program of its own: calls, failures, resuming, what is written down."""

from __future__ import annotations

import asyncio
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
import yaml

from evaluation.capability import runner
from evaluation.capability.results import read_results
from evaluation.capability.runner import Answering, CapabilityError, evaluator_versions
from evaluation.capability.settings import SIX, Benchmark, CapabilitySettings
from tests.evaluation.capability import stand_in_evaluator

TASKS = ("some_evals.one", "some_evals.two", "some_evals.three")
BASE = Answering("base", "http://127.0.0.1:9/v1/", "small", "SMALL_KEY")


def environment_with(folder: Path, **wishes: Any) -> Path:
    """An environment of its own whose interpreter has the package and its program; the interpreter's path."""
    place, site = folder / "env" / "bin", folder / "env" / "site"
    place.mkdir(parents=True)
    for name, version, needs in (("nemo-evaluator", "0.2.8", ""), ("some-evals", "26.3", "nemo-evaluator>=0.1")):
        info = site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        (info / "METADATA").write_text("\n".join([*lines, *([f"Requires-Dist: {needs}"] if needs else []), ""]))
    (place / "python").write_text(f'#!/bin/sh\nPYTHONPATH="{site}" exec "{sys.executable}" "$@"\n')
    (place / "evaluator.py").write_text(Path(stand_in_evaluator.__file__).read_text())
    (place / "nemo-evaluator").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{place / "evaluator.py"}" "$@"\n')
    for program in ("python", "nemo-evaluator"):
        (place / program).chmod(0o755)
    (place / "wishes.json").write_text(json.dumps(wishes))
    return place / "python"


def settings(python: Path, *benchmarks: dict[str, Any], **more: Any) -> CapabilitySettings:
    wanted = benchmarks or tuple({"task": task} for task in TASKS)
    return CapabilitySettings.model_validate({"python": python, "seed": 20, "benchmarks": wanted, **more})


def answer(*given: Any) -> Path:
    return asyncio.run(runner.answer_benchmarks(*given))


def calls(python: Path) -> list[dict[str, Any]]:
    path = python.parent / "calls.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_each_benchmark_is_one_call_and_its_results_can_be_read(tmp_path: Path) -> None:
    python = environment_with(tmp_path)
    told: list[tuple[int, int]] = []
    folder = answer(settings(python), BASE, tmp_path / "out", lambda *done: told.append(done))
    assert [call["task"] for call in calls(python)] == list(TASKS)
    assert {call["url"] for call in calls(python)} == {"http://127.0.0.1:9/v1/chat/completions"}
    assert told == [(1, 3), (2, 3), (3, 3)]
    found = read_results(folder)
    assert set(found) == set(TASKS)
    assert all(result.questions and len(result.questions.scores) == 40 for result in found.values())


def test_parameters_seed_and_sample_reach_it(tmp_path: Path) -> None:
    python = environment_with(tmp_path)
    sampled = {"task": TASKS[0], "samples": 3000, "args": "--examples {samples} --seed {seed}", "extra": {"n": 1}}
    answer(settings(python, sampled, temperature=0, limit_samples=5, extra={"n": 2, "m": 3}), BASE, tmp_path / "out")
    assert calls(python)[0]["params"] == {
        "limit_samples": 5,
        "parallelism": 16,
        "request_timeout": 600,
        "temperature": 0.0,
        "extra": {"n": 1, "m": 3, "args": "--examples 3000 --seed 20"},
    }


def test_commands_and_versions_are_kept_and_the_key_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMALL_KEY", "secret-5174")
    python = environment_with(tmp_path)
    answer(settings(python), BASE, tmp_path / "out")
    assert {call["key"] for call in calls(python)} == {"secret-5174"}
    assert {(call["telemetry"], call["path"]) for call in calls(python)} == {("0", str(python.parent))}
    kept = [json.loads(line) for line in (tmp_path / "out" / "base" / "commands.jsonl").read_text().splitlines()]
    assert [line["exit_code"] for line in kept] == [0, 0, 0]
    assert kept[0]["versions"] == {"nemo-evaluator": "0.2.8", "some-evals": "26.3"}
    words = kept[0]["command"]
    assert words[1:] == ["run_eval", "--run_config", f"{TASKS[0]}.yml", "--output_dir", f"{TASKS[0]}.part"]
    asked = yaml.safe_load((tmp_path / "out" / "base" / f"{TASKS[0]}.yml").read_text())
    assert asked["target"]["api_endpoint"]["api_key_name"] == "SMALL_KEY"
    written = [path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert not any(b"secret-5174" in text for text in written)


def test_a_call_that_crashes_is_made_once_more_and_then_stops_the_run_with_its_log(tmp_path: Path) -> None:
    python = environment_with(tmp_path, crash=[0, 2, 3])
    with pytest.raises(
        CapabilityError, match=r"failed on some_evals\.two with the base: .* exit code 1; .*out of disk"
    ):
        answer(settings(python), BASE, tmp_path / "out")
    assert [call["task"] for call in calls(python)] == [TASKS[0], TASKS[0], TASKS[1], TASKS[1]]
    assert [call["left"] for call in calls(python)] == [[], [], [], []]
    answer(settings(python), BASE, tmp_path / "out")
    assert [call["task"] for call in calls(python)[4:]] == [TASKS[1], TASKS[2]]


def test_ending_well_without_a_score_is_no_result(tmp_path: Path) -> None:
    python = environment_with(tmp_path, empty=[0, 1])
    with pytest.raises(CapabilityError, match="has no score: not one answer was scored"):
        answer(settings(python), BASE, tmp_path / "out")
    assert not (tmp_path / "out" / "base" / TASKS[0]).exists()


def test_results_made_in_another_way_are_not_mixed(tmp_path: Path) -> None:
    python = environment_with(tmp_path)
    answer(settings(python), BASE, tmp_path / "out")
    with pytest.raises(ValueError, match=r"made in another way \(some_evals\.one, .* differ\); remove that folder"):
        answer(settings(python, temperature=1), BASE, tmp_path / "out")
    with pytest.raises(ValueError, match=r"made in another way \(model differ\)"):
        answer(settings(python), Answering("base", BASE.base_url, "other", "SMALL_KEY"), tmp_path / "out")
    assert len(calls(python)) == 3


def test_without_the_package_a_sentence_says_how_to_install_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none/python does not run .* install it there \(.*-m pip install nemo-eval"):
        evaluator_versions(settings(tmp_path / "none" / "python"))
    python = environment_with(tmp_path)
    with pytest.raises(ValueError, match=r"know simple_evals\.mmlu_pro \(its frameworks: byob_own, some_evals\)"):
        evaluator_versions(CapabilitySettings(python=python, seed=1))
    with pytest.raises(ValueError, match="doesn't know four"):
        evaluator_versions(settings(python, {"task": "four"}))
    assert evaluator_versions(settings(python, {"task": "three"}))["some-evals"] == "26.3"
    (python.parent / "nemo-evaluator").unlink()
    with pytest.raises(ValueError, match="has no nemo-evaluator with its program"):
        evaluator_versions(settings(python))
    shutil.rmtree(tmp_path / "env" / "site")
    with pytest.raises(ValueError, match="has no nemo-evaluator with its program"):
        evaluator_versions(settings(python))


def test_a_benchmark_of_ones_own_finds_its_scores(tmp_path: Path) -> None:
    python = environment_with(tmp_path)
    answer(settings(python, {"task": "byob_own.own"}), BASE, tmp_path / "out")
    link = tmp_path / "out" / "base" / "byob_own.own" / "byob_results.json"
    assert os.readlink(link) == "own/byob_results.json"
    assert link.resolve().parent.is_dir()


def test_settings_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="samples is 10 and args doesn't ask the harness for as many"):
        Benchmark(task="some_evals.one", samples=10)
    with pytest.raises(ValueError, match=r"benchmarks has some_evals\.one twice; name each once"):
        settings(tmp_path, {"task": TASKS[0]}, {"task": TASKS[0]})
    assert len({benchmark.task for benchmark in SIX}) == 6


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_ended_between_benchmarks_it_goes_on_and_takes_its_program_with_it(tmp_path: Path, how: signal.Signals) -> None:
    python = environment_with(tmp_path, seconds=0.6)
    script = (
        "import asyncio; from pathlib import Path\n"
        "from evaluation.capability.runner import Answering, answer_benchmarks\n"
        "from evaluation.capability.settings import CapabilitySettings\n"
        f"wanted = CapabilitySettings.model_validate({settings(python).to_json()!r})\n"
        f"asyncio.run(answer_benchmarks(wanted, Answering('base', {BASE.base_url!r}, 'small', 'SMALL_KEY'),"
        f" Path({str(tmp_path / 'out')!r})))\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[3], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(calls(python)) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.1)
    os.kill(child.pid, how)
    child.wait()
    time.sleep(1)
    before = len(calls(python))
    assert (before, (tmp_path / "out" / "base" / TASKS[0]).is_dir()) == (2, True)
    assert not (tmp_path / "out" / "base" / TASKS[1]).exists()
    folder = answer(settings(python), BASE, tmp_path / "out")
    assert [call["task"] for call in calls(python)[before:]] == [TASKS[1], TASKS[2]]
    assert calls(python)[before]["left"] == ["cache"]  # it may go on from the answers it had
    assert set(read_results(folder)) == set(TASKS)
