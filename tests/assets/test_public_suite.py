"""AutomationBench attempted by base and adapter as part of a generation, with a stand-in for its program."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from assets.generation import FellShort
from assets.stages.benchmark import store_benchmark
from assets.stages.public_suite import attempt_public_suite, public_failing
from decontam.readers.sources import load_benchmark
from pipeline.bad_input import BadInput
from pipeline.engagement import load_engagement
from pipeline.store import Store, StoredGeneration
from tests.evaluation.test_harness import environment_with
from tests.pipeline.small import changed, write

TARGET = {
    "kind": "chat",
    "label": "a model behind an endpoint",
    "adapter_model": "small-adapter",
    "weights": "weights",
    "endpoint": {
        "base_url": "http://127.0.0.1:9/v1",
        "model": "small",
        "revision": "r1",
        "temperature": 1.0,
        "max_tokens": 96,
    },
    "limits": {"max_turns": 6, "concurrency": 16},
}


@pytest.fixture
def generation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StoredGeneration:
    monkeypatch.delenv("WORLDLOOM_BENCHMARK", raising=False)
    environment_with(tmp_path)
    (tmp_path / "doubted.csv").write_text(f"task,set\n{names()[0]},wording\n")
    harness = {"python": "env/bin/python", "batch": 5, "flags": "doubted.csv"}
    engagement = changed(("target", TARGET), ("evaluation.harness", harness), ("evaluation.attempts", 2))
    begun = Store(tmp_path / "store").begin(load_engagement(str(write(tmp_path / "small.yaml", engagement))), 1, "")
    store_benchmark(begun)
    return begun


def names() -> list[str]:
    return [task.name for task in load_benchmark(()).tasks]


def test_both_sides_attempt_every_stored_task_and_doubted_ones_get_a_row(
    generation: StoredGeneration, tmp_path: Path
) -> None:
    told: list[tuple[int, int, str]] = []
    found = asyncio.run(attempt_public_suite(generation, tmp_path / "out", lambda *done: told.append(done))).comparison
    tasks = names()
    assert (found.tasks, found.attempts) == (len(tasks), 2 * len(tasks))
    for side, model in ((found.base, "small"), (found.adapter, "small-adapter")):
        passed = [hashlib.sha256(f"{name} {model}".encode()).digest()[0] % 2 for name in tasks]
        assert side == pytest.approx(sum(passed) / len(tasks))
    assert [(row.name, row.tasks) for row in found.subsets] == [("without tasks flagged wording", len(tasks) - 1)]
    assert found.notes[0].startswith(f"These are {len(tasks)} of AutomationBench's 600 scored tasks")
    assert (told[0], told[-1]) == ((5, 2 * len(tasks), "base"), (2 * len(tasks), 2 * len(tasks), "adapter"))


def test_a_harness_that_keeps_failing_falls_short_with_its_log(generation: StoredGeneration, tmp_path: Path) -> None:
    (tmp_path / "env" / "bin" / "wishes.json").write_text(json.dumps({"crash": [0, 1]}))
    with pytest.raises(FellShort, match="attempt 1 of base: it ended with exit code 1"):
        asyncio.run(attempt_public_suite(generation, tmp_path / "out", lambda *done: None))


def test_without_the_harness_nothing_is_attempted_and_the_note_says_how_to_install_it(
    generation: StoredGeneration, tmp_path: Path
) -> None:
    (tmp_path / "env" / "bin" / "auto-bench").unlink()
    told: list[tuple[int, int, str]] = []
    found = asyncio.run(attempt_public_suite(generation, tmp_path / "out", lambda *done: told.append(done)))
    assert (found.comparison, told) == (None, [])
    assert found.note.startswith("AutomationBench was not attempted: the environment of ")
    assert "-m pip install automation-bench" in found.note


def test_a_list_of_another_suites_tasks_is_refused_before_anything_is_attempted(
    generation: StoredGeneration, tmp_path: Path
) -> None:
    (tmp_path / "doubted.csv").write_text("task,set\nhr.none_such,wording\n")
    with pytest.raises(ValueError, match="leaves out nothing"):
        asyncio.run(attempt_public_suite(generation, tmp_path / "out", lambda *done: None))
    assert not (tmp_path / "out").exists()


def test_failures_of_both_sides_come_from_the_merged_exports(generation: StoredGeneration, tmp_path: Path) -> None:
    found = asyncio.run(attempt_public_suite(generation, tmp_path / "out", lambda *done: None)).comparison
    failing = public_failing(tmp_path / "out", attempts=2)
    assert found is not None and failing is not None
    analysis, exhibits = failing
    assert (analysis.attempts.base_of, analysis.attempts.adapter_of) == (found.attempts, found.attempts)
    assert analysis.attempts.base == found.attempts - found.base_solved
    assert analysis.attempts.adapter == found.attempts - found.adapter_solved
    assert {one.move.task_id for one in exhibits} <= set(names())
    assert len(exhibits) == min(10, found.improved) + min(10, found.worsened)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("target.kind", "local"), None),
        (("evaluation.harness.toolset", "rest"), "evaluation.harness.toolset is 'rest'; expected"),
        (("evaluation.harness.pythn", "x"), r"pythn is not a key here \(did you mean python\?\)"),
    ],
)
def test_a_harness_that_cannot_run_is_bad_input(tmp_path: Path, change: tuple[str, Any], sentence: str | None) -> None:
    data = changed(("evaluation.harness", {"python": "env/bin/python"}))
    if sentence is None:
        sentence = "evaluation.harness asks a model behind an endpoint and target.kind is local"
    else:
        data = changed(("target", TARGET), ("evaluation.harness", {"python": "env/bin/python"}), change)
    with pytest.raises(BadInput, match=sentence):
        load_engagement(str(write(tmp_path / "small.yaml", data)))
