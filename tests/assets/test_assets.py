"""Assets report what their stage stored; blocking checks stop what a customer must be protected from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from assets.generation import STAGES, FellShort
from assets.partitions import GENERATIONS
from decontam.readers.sources import read_source
from environment.rng import derive_rng
from generators.families import family_named
from pipeline.definitions import ASSETS, CHECKS, defs
from pipeline.engagement import load_engagement
from pipeline.running import run_stages
from pipeline.store import Store, StoredGeneration
from tests.pipeline.small import changed, write


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.delenv("WORLDLOOM_BENCHMARK", raising=False)
    return Store(tmp_path / "store")


@pytest.fixture
def generation(store: Store, tmp_path: Path) -> StoredGeneration:
    engagement = changed(("candidates.train", 2), ("selection.quotas", {"support": 1, "hr": 1}))
    return store.begin(load_engagement(str(write(tmp_path / "small.yaml", engagement))), 1, "")


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.instance_for_test() as found:
        found.add_dynamic_partitions(str(GENERATIONS.name), ["small.g1"])
        yield found


def materialize(store: Store, instance: dg.DagsterInstance, *stages: str) -> dg.ExecuteInProcessResult:
    return dg.materialize(
        [*ASSETS, *CHECKS],
        instance=instance,
        resources={"workshop": store, "pipes": dg.PipesSubprocessClient()},
        partition_key="small.g1",
        selection=dg.AssetSelection.assets(*stages),
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        raise_on_error=False,
    )


def passes(store: Store, instance: dg.DagsterInstance, stage: str, check: str) -> bool:
    """Whether a check of a stored artifact passes."""
    evaluations = materialize(store, instance, stage).get_asset_check_evaluations()
    (found,) = [one.passed for one in evaluations if one.check_name == check]
    return found


def test_there_is_one_asset_a_stage_and_all_share_the_partitions() -> None:
    graph = defs.resolve_asset_graph()
    assert {key.to_user_string() for key in graph.get_all_asset_keys()} == set(STAGES)
    for key in graph.get_all_asset_keys():
        node = graph.get(key)
        assert node.partitions_def == GENERATIONS
        assert node.code_version
        assert node.description
        assert node.owners
        assert node.kinds


def test_checks_that_protect_a_customer_are_blocking() -> None:
    blocking = {spec.name for check in CHECKS for spec in check.check_specs if spec.blocking}
    assert blocking == {
        "every_task_is_proven",
        "no_overlap_is_left",
        "something_was_compared",
        "report_adds_up",
        "quotas_are_met",
        "no_overlap_is_left_in_the_set",
    }
    assert all(spec.partitions_def == GENERATIONS for check in CHECKS for spec in check.check_specs)


def test_the_job_covers_every_stage_and_the_schedule_is_stopped() -> None:
    job = defs.resolve_job_def("engagement")
    assert {key.to_user_string() for key in job.asset_layer.executable_asset_keys} == set(STAGES)
    assert defs.resolve_schedule_def("weekly_regeneration").default_status == dg.DefaultScheduleStatus.STOPPED


def test_the_schedule_starts_the_first_generation_and_waits_for_an_unfinished_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instance: dg.DagsterInstance
) -> None:
    monkeypatch.setenv("WORLDLOOM_STORE", str(tmp_path))
    schedule = defs.resolve_schedule_def("weekly_regeneration")
    with dg.build_schedule_context(instance=instance) as context:
        request = schedule(context)
        assert isinstance(request, dg.RunRequest)
        assert request.partition_key == "laptop.g1"
        assert "laptop.g1" in instance.get_dynamic_partitions(str(GENERATIONS.name))
        Store(tmp_path).begin(load_engagement("laptop"), 1, "")
        assert isinstance(schedule(context), dg.SkipReason)


def test_an_asset_reports_the_stored_counts_and_their_hash(
    store: Store, generation: StoredGeneration, instance: dg.DagsterInstance
) -> None:
    result = materialize(store, instance, "candidate_tasks")
    (event,) = result.get_asset_materialization_events()
    manifest = generation.manifest("candidate_tasks")
    assert event.materialization.metadata["rows out"].value == manifest.rows_out == 2 * (2 + 1 + 2)
    assert event.materialization.tags is not None
    assert event.materialization.tags["dagster/data_version"] == manifest.content_hash
    assert manifest.run_id == result.run_id


def test_a_task_whose_proof_was_removed_stops_the_run(
    store: Store, generation: StoredGeneration, instance: dg.DagsterInstance
) -> None:
    run_stages(store, generation, "proven_tasks")
    assert passes(store, instance, "proven_tasks", "every_task_is_proven")
    path = generation.folder("proven_tasks") / "tasks.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({**row, "proof": None}) + "\n" for row in rows))
    assert not passes(store, instance, "proven_tasks", "every_task_is_proven")
    with pytest.raises(FellShort, match="every_task_is_proven"):
        run_stages(store, generation, "clean_tasks")
    assert not generation.is_finished("clean_tasks")


def test_a_generation_without_any_proven_task_stops_the_run(
    store: Store, generation: StoredGeneration, instance: dg.DagsterInstance
) -> None:
    run_stages(store, generation, "proven_tasks")
    (generation.folder("proven_tasks") / "tasks.jsonl").write_text("")
    assert not passes(store, instance, "proven_tasks", "every_task_is_proven")


def test_a_benchmark_passage_smuggled_in_after_cleaning_stops_the_run(
    store: Store, generation: StoredGeneration, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    family = family_named("leave_request")
    knobs = family.draw_knobs(derive_rng("public"), "starter")
    public = family.generate("public", 0, "train", knobs, "actions")
    row = {
        "prompt": [{"role": "user", "content": public.prompt}],
        "info": {"task_name": "hr.public", "initial_state": {app: dict(rows) for app, rows in public.world.items()}},
    }
    source = tmp_path / "public.jsonl"
    source.write_text(json.dumps(row) + "\n")
    store.imports.keep(read_source(source), replace=False)
    run_stages(store, generation, "clean_tasks")
    assert passes(store, instance, "clean_tasks", "no_overlap_is_left")
    assert passes(store, instance, "clean_tasks", "something_was_compared")
    with (generation.folder("clean_tasks") / "tasks.jsonl").open("a") as file:
        file.write(public.model_dump_json() + "\n")
    assert not passes(store, instance, "clean_tasks", "no_overlap_is_left")
    with pytest.raises(FellShort, match="no_overlap_is_left"):
        run_stages(store, generation, "calibrated_tasks")


def test_the_benchmark_asset_shows_where_each_import_came_from(
    store: Store, generation: StoredGeneration, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    (tmp_path / "first.jsonl").write_text('{"task": "hr.a", "prompt": "Write to Oakhurst Mills about Sunday"}\n')
    (tmp_path / "qa.jsonl").write_text('{"text": "Who of Oakhurst Mills ships on Sundays?"}\n')
    for name in ("first", "qa"):
        store.imports.keep(read_source(tmp_path / f"{name}.jsonl"), replace=False)
    result = materialize(store, instance, "benchmark_tasks")
    (found,) = result.asset_materializations_for_node("benchmark_tasks")
    rows = str(found.metadata["sources"].value).splitlines()[2:]
    cells = [row.strip("| ").split(" | ") for row in rows]
    assert [(name, reader) for name, _, _, reader, *_ in cells] == [("first", "automationbench"), ("qa", "jsonl")]
    checks = {one.check_name: one for one in result.get_asset_check_evaluations()}
    assert not checks["benchmark_is_complete"].passed
    assert "first is not complete: it has 1 of 600" in str(checks["benchmark_is_complete"].metadata["missing"].value)
    assert checks["benchmark_is_the_real_one"].passed
