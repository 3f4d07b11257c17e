"""The capability stage as part of a generation, with a stand-in for NeMo Evaluator's program."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.files import write_text
from assets.generation import FellShort, Product
from assets.partitions import GENERATIONS
from assets.stages.capability import NOT_ASKED_FOR, check_capability, read_capability
from pipeline.audit import audited
from pipeline.bad_input import BadInput
from pipeline.definitions import ASSETS, CHECKS
from pipeline.doctor import examine
from pipeline.engagement import load_engagement
from pipeline.readiness import refuse_unready
from pipeline.results import result_text
from pipeline.store import Store, StoredGeneration
from tests.assets.test_public_suite import TARGET
from tests.evaluation.capability.test_runner import TASKS, calls, environment_with
from tests.pipeline.small import changed, write


def capability() -> tuple[str, Any]:
    benchmarks = [{"task": task} for task in TASKS]
    return "evaluation.capability", {"python": "env/bin/python", "seed": 20, "benchmarks": benchmarks}


def begun(folder: Path, *changes: tuple[str, Any]) -> StoredGeneration:
    """A generation whose adapter is there."""
    engagement = load_engagement(str(write(folder / "small.yaml", changed(*changes))))
    generation = Store(folder / "store").begin(engagement, 1, "")

    def make(place: Path) -> Product:
        return Product(
            files={"adapter/weights": write_text(place / "adapter" / "weights", "none")},
            rows_in=1,
            rows_out=1,
            facts={"adapter_sha256": "ad" * 32},
        )

    generation.produce("lora_adapter", make, ())
    return generation


@pytest.fixture
def generation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StoredGeneration:
    monkeypatch.delenv("WORLDLOOM_BENCHMARK", raising=False)
    environment_with(tmp_path)
    return begun(tmp_path, ("target", TARGET), capability())


def share_right(task: str, model: str) -> float:
    name = task.rpartition(".")[2]
    return sum(hashlib.sha256(f"{name} {place} {model}".encode()).digest()[0] % 4 > 0 for place in range(40)) / 40


def test_both_models_answer_every_benchmark_and_a_page_says_so(generation: StoredGeneration, tmp_path: Path) -> None:
    manifest = check_capability(generation)
    assert [(call["task"], call["model"]) for call in calls(tmp_path / "env" / "bin" / "python")] == [
        *((task, "small") for task in TASKS),
        *((task, "small-adapter") for task in TASKS),
    ]
    found = read_capability(generation)
    assert found is not None
    assert [(row.task, row.base, row.adapter) for row in found.rows] == [
        (task, pytest.approx(share_right(task, "small")), pytest.approx(share_right(task, "small-adapter")))
        for task in TASKS
    ]
    assert (manifest.rows_in, manifest.rows_out, dict(manifest.dropped)) == (3, 3, {})
    assert manifest.facts["capability"] == found.verdict
    folder = generation.folder("capability_report")
    page = (folder / "report.html").read_text()
    assert found.verdict in page and "version 0.2.8" in page and "../evaluation_report/report.html" in page
    kept = set(manifest.files)
    assert {"differences.jsonl", "report.json", "nemo_evaluator/base/commands.jsonl"} <= kept
    assert f"nemo_evaluator/adapter/{TASKS[0]}/byob_predictions.jsonl" in kept
    assert not any("cache" in path for path in kept)
    text = result_text(Store(tmp_path / "store"), generation)
    assert found.verdict in text and f"report: {folder / 'report.html'}" in text


def test_interrupted_after_some_benchmarks_it_goes_on(generation: StoredGeneration, tmp_path: Path) -> None:
    wishes = tmp_path / "env" / "bin" / "wishes.json"
    wishes.write_text(json.dumps({"crash": [4, 5]}))
    with pytest.raises(FellShort, match=r"failed on some_evals\.two with the adapter: it ended with exit code 1"):
        check_capability(generation)
    assert not generation.is_finished("capability_report")
    check_capability(generation)
    assert [call["task"] for call in calls(wishes)[6:]] == [TASKS[1], TASKS[2]]


@pytest.mark.parametrize("target", [TARGET, None], ids=["endpoint", "local"])
def test_where_nobody_asks_it_does_nothing_and_says_so(tmp_path: Path, target: Any) -> None:
    generation = begun(tmp_path, *([("target", target)] if target else []))
    manifest = check_capability(generation)
    assert (manifest.rows_in, manifest.rows_out, dict(manifest.files)) == (0, 0, {})
    assert manifest.facts["capability"] == NOT_ASKED_FOR
    assert read_capability(generation) is None
    assert "capability_report" not in result_text(Store(tmp_path / "store"), generation)


def test_the_asset_shows_the_verdict_and_its_check_warns_of_a_drop(
    generation: StoredGeneration, tmp_path: Path
) -> None:
    check_capability(generation)
    path = generation.folder("capability_report") / "report.json"
    with dg.instance_for_test() as instance:
        instance.add_dynamic_partitions(str(GENERATIONS.name), ["small.g1"])

        def materialize() -> dg.ExecuteInProcessResult:
            return dg.materialize(
                [*ASSETS, *CHECKS],
                instance=instance,
                resources={"workshop": Store(tmp_path / "store"), "pipes": dg.PipesSubprocessClient()},
                partition_key="small.g1",
                selection=dg.AssetSelection.assets("capability_report"),
            )

        first = materialize()
        (shown,) = first.asset_materializations_for_node("capability_report")
        assert str(shown.metadata["verdict"].value).startswith("No significant change on three benchmarks.")
        (passing,) = first.get_asset_check_evaluations()
        assert passing.passed
        path.write_text(path.read_text().replace('"no significant change"', '"dropped"', 1))
        (failing,) = materialize().get_asset_check_evaluations()
    assert (failing.check_name, failing.passed, failing.severity) == (
        "no_benchmark_dropped",
        False,
        dg.AssetCheckSeverity.WARN,
    )


def test_an_audit_follows_it_to_the_adapter_and_names_an_altered_result(
    generation: StoredGeneration, tmp_path: Path
) -> None:
    check_capability(generation)
    store = Store(tmp_path / "store")
    found = audited(store, "small.g1/capability")
    assert ([one.name for one in found.artifacts], found.damage) == (["capability_report", "lora_adapter"], ())
    result = f"nemo_evaluator/base/{TASKS[0]}/results.yml"
    (generation.folder("capability_report") / result).write_text("results: better")
    assert audited(store, "small.g1/capability").damage == (f"capability_report/{result} was altered",)


def test_a_missing_program_is_told_before_a_run_and_by_the_doctor(generation: StoredGeneration, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    (tmp_path / "env" / "bin" / "nemo-evaluator").unlink()
    with pytest.raises(ValueError, match="has no nemo-evaluator with its program; install it there"):
        refuse_unready(store, generation.engagement, "lineage_manifest")
    (found,) = [one for one in examine(str(tmp_path / "small.yaml")) if one.name == "capability check"]
    assert not found.passed and "install it there" in found.finding


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([("target.kind", "local")], "evaluation.capability asks a model behind an endpoint and target.kind is local"),
        ([("evaluation.capability.seed", -1)], "evaluation.capability.seed is -1; expected"),
        ([("evaluation.capability.benchmarks", [])], r"evaluation.capability.benchmarks is \[\]; expected"),
        ([("evaluation.capability.benchmark", [])], r"benchmark is not a key here \(did you mean benchmarks\?\)"),
    ],
)
def test_a_check_that_cannot_be_meant_is_bad_input(
    tmp_path: Path, changes: list[tuple[str, Any]], sentence: str
) -> None:
    is_local = changes[0] == ("target.kind", "local")
    data = changed(capability()) if is_local else changed(("target", TARGET), capability(), *changes)
    with pytest.raises(BadInput, match=sentence):
        load_engagement(str(write(tmp_path / "small.yaml", data)))
