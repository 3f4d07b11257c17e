"""Clean tasks: what is dropped can be seen, what is left is checked again, and which deliveries count as earlier."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq
import pytest

from assets.generation import tasks_in, tasks_of
from assets.partitions import GENERATIONS
from assets.stages.benchmark import store_benchmark
from assets.stages.candidates import generate_candidates
from assets.stages.cleaning import STAGE, clean_proven, earlier_artifacts, overlaps_left, rulings, runs_left
from assets.stages.proofs import prove_candidates
from environment.task import Task
from pipeline.engagement import load_engagement
from pipeline.store import Store, StoredGeneration
from tests.assets.test_assets import materialize, passes
from tests.pipeline.small import changed, write


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.delenv("WORLDLOOM_BENCHMARK", raising=False)
    return Store(tmp_path / "store")


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.instance_for_test() as found:
        found.add_dynamic_partitions(str(GENERATIONS.name), ["small.g1"])
        yield found


def begun(store: Store, tmp_path: Path, name: str, *changes: tuple[str, Any], number: int = 1) -> StoredGeneration:
    """A generation of four leave requests; the same four whatever the engagement's name."""
    few = changed(
        ("candidates.families", ["leave_request"]),
        ("candidates.train", 1),
        ("selection.quotas", {"hr": 1}),
        ("training.tasks_per_update", 1),
        ("training.micro_batch", 2),
        *changes,
    )
    return store.begin(load_engagement(str(write(tmp_path / f"{name}.yaml", few))), number, "")


def proven(generation: StoredGeneration) -> StoredGeneration:
    store_benchmark(generation)
    generate_candidates(generation)
    prove_candidates(generation)
    return generation


def proven_like(first: StoredGeneration, generation: StoredGeneration) -> StoredGeneration:
    """The generation with the proven tasks of `first`, which has the same seed."""
    for stage in ("benchmark_tasks", "candidate_tasks", "proven_tasks"):
        shutil.copytree(first.folder(stage), generation.folder(stage))
    return generation


def public_row(task: Task, name: str) -> dict[str, Any]:
    """A task of ours in the public benchmark's format."""
    world = {app: {name: list(rows) for name, rows in collections.items()} for app, collections in task.world.items()}
    return {"prompt": [{"role": "user", "content": task.prompt}], "info": {"task_name": name, "initial_state": world}}


def tampered(generation: StoredGeneration, facts: Mapping[str, Any]) -> None:
    path = generation.folder(STAGE) / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "facts": {**manifest["facts"], **facts}}))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and the benchmark that its generation was cleaned against and has a task of."""
    folder = tmp_path_factory.mktemp("compared")
    generation = begun(Store(folder / "store"), folder, "small")
    generate_candidates(generation)
    taken = next(tasks_in(generation, "candidate_tasks"))
    (folder / "public.jsonl").write_text(json.dumps(public_row(taken, "hr.taken")) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORLDLOOM_BENCHMARK", str(folder / "public.jsonl"))
        clean_proven(proven(generation))
    return folder


@pytest.fixture
def compared(store: Store, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StoredGeneration:
    """A copy of it, to be tampered with."""
    shutil.copytree(finished / "store", store.root)
    shutil.copy(finished / "public.jsonl", tmp_path)
    monkeypatch.setenv("WORLDLOOM_BENCHMARK", str(tmp_path / "public.jsonl"))
    return store.open("small.g1")


def test_a_dropped_task_is_in_rulings_parquet_and_page(compared: StoredGeneration) -> None:
    taken = next(tasks_in(compared, "candidate_tasks"))
    folder = compared.folder(STAGE)
    rows = pq.read_table(folder / "overlaps.parquet").to_pylist()
    mine = [row for row in rows if row["task_id"] == taken.id]
    assert mine[0]["rule"] == "shared_passage"
    assert mine[0]["other"] == "hr.taken"
    assert mine[0]["text"] == mine[0]["other_text"]
    assert len(mine[0]["shared"].split()) >= 13
    table = pq.read_table(folder / "rulings.parquet")
    assert table.column("task_id").to_pylist() == [task.id for task in tasks_in(compared, "proven_tasks")]
    assert taken.id not in {task.id for task in tasks_of(compared, STAGE)}
    page = (folder / "report.html").read_text()
    assert f'id="{taken.id}"' in page
    assert f"commit {compared.code.commit}" in page
    assert compared.manifest(STAGE).files["overlaps.parquet"].rows is None


def test_a_sound_store_passes_every_check(
    store: Store, compared: StoredGeneration, instance: dg.DagsterInstance
) -> None:
    evaluations = materialize(store, instance, STAGE).get_asset_check_evaluations()
    assert {one.check_name: one.passed for one in evaluations} == {
        "no_overlap_is_left": True,
        "something_was_compared": True,
        "report_adds_up": True,
        "benchmark_is_the_newest": True,
    }


def test_a_dropped_task_put_back_is_found_twice(
    store: Store, compared: StoredGeneration, instance: dg.DagsterInstance
) -> None:
    taken = next(tasks_in(compared, "candidate_tasks"))
    with (compared.folder(STAGE) / "tasks.jsonl").open("a") as file:
        file.write(taken.model_dump_json() + "\n")
    tasks = list(tasks_of(compared, STAGE))
    assert overlaps_left(compared, tasks) >= 1
    assert taken.id in runs_left(compared, tasks)
    assert not passes(store, instance, STAGE, "no_overlap_is_left")


@pytest.mark.parametrize("side", ["ours", "theirs"])
@pytest.mark.parametrize("part", ["passages", "names"])
def test_a_side_without_passages_or_names_fails(
    store: Store, compared: StoredGeneration, instance: dg.DagsterInstance, side: str, part: str
) -> None:
    facts: Any = compared.manifest(STAGE).facts
    tampered(compared, {side: {**facts[side], part: 0}})
    assert not passes(store, instance, STAGE, "something_was_compared")


def test_one_benchmark_without_names_among_others_fails(
    store: Store, compared: StoredGeneration, instance: dg.DagsterInstance
) -> None:
    facts: Any = compared.manifest(STAGE).facts
    (side,) = facts["benchmark_sides"].values()
    tampered(compared, {"benchmark_sides": {**facts["benchmark_sides"], "other": side}})
    assert passes(store, instance, STAGE, "something_was_compared")
    tampered(compared, {"benchmark_sides": {**facts["benchmark_sides"], "other": {**side, "names": 0}}})
    assert not passes(store, instance, STAGE, "something_was_compared")


def test_prose_that_names_nobody_passes_beside_a_benchmark_that_names_companies(
    store: Store, instance: dg.DagsterInstance, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prose = tmp_path / "sums.jsonl"
    prose.write_text(json.dumps({"text": "what is left of nine apples " * 3}) + "\n")
    monkeypatch.setenv("WORLDLOOM_BENCHMARK", f"{finished / 'public.jsonl'}:{prose}")
    generation = proven(begun(store, tmp_path, "small"))
    clean_proven(generation)
    facts: Any = generation.manifest(STAGE).facts
    assert facts["benchmark_sides"]["sums"]["names"] == 0
    assert passes(store, instance, STAGE, "something_was_compared")
    tampered(generation, {"benchmark_sides": {"sums": {**facts["benchmark_sides"]["sums"], "passages": 0}}})
    assert not passes(store, instance, STAGE, "something_was_compared")


def test_no_benchmark_at_all_fails(store: Store, compared: StoredGeneration, instance: dg.DagsterInstance) -> None:
    tampered(compared, {"benchmark_sides": {}})
    assert not passes(store, instance, STAGE, "something_was_compared")


@pytest.mark.parametrize("file", ["rulings.jsonl", "tasks.jsonl", "rulings.parquet", "overlaps.parquet"])
def test_a_file_that_lacks_a_row_does_not_add_up(
    store: Store, compared: StoredGeneration, instance: dg.DagsterInstance, file: str
) -> None:
    path = compared.folder(STAGE) / file
    if file.endswith(".parquet"):
        table = pq.read_table(path)
        pq.write_table(table.slice(1), path)
    else:
        path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    assert not passes(store, instance, STAGE, "report_adds_up")


def test_drops_counted_under_another_rule_do_not_add_up(
    store: Store, compared: StoredGeneration, instance: dg.DagsterInstance
) -> None:
    path = compared.folder(STAGE) / "rulings.jsonl"
    path.write_text(path.read_text().replace('"rule":"shared_passage"', '"rule":"like_meaning"'))
    assert not passes(store, instance, STAGE, "report_adds_up")


def test_verdicts_older_than_the_benchmark_are_told_and_stop_nothing(
    store: Store, compared: StoredGeneration, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    other = list(tasks_in(compared, "candidate_tasks"))[1]
    benchmark = tmp_path / "public.jsonl"
    benchmark.write_text(benchmark.read_text() + json.dumps(public_row(other, "hr.second")) + "\n")
    result = materialize(store, instance, STAGE)
    (found,) = [one for one in result.get_asset_check_evaluations() if one.check_name == "benchmark_is_the_newest"]
    assert not found.passed
    assert found.metadata["compared with"].value == compared.manifest(STAGE).facts["benchmark_hash"]
    assert result.success
    benchmark.unlink()
    assert not passes(store, instance, STAGE, "benchmark_is_the_newest")


def dropped_as_earlier(generation: StoredGeneration) -> int:
    return sum(ruling.rule == "like_earlier" for ruling in rulings(generation))


def test_the_policy_names_whose_deliveries_count_as_earlier(store: Store, tmp_path: Path) -> None:
    policy = "decontamination"
    first = proven(begun(store, tmp_path, "alpha", ("customer", "north")))
    clean_proven(first)
    tasks = first.manifest(STAGE).rows_out
    assert tasks == 4
    found = {}
    for name, *changes in (
        ("beta", ("customer", "north")),
        ("gamma", (policy, {"earlier": {"generations": "same_customer"}})),
        ("delta", (policy, {"earlier": {"generations": "same_customer"}}), ("customer", "north")),
        ("epsilon", (policy, {"earlier": {"generations": "all"}})),
    ):
        generation = proven_like(first, begun(store, tmp_path, name, *changes))
        clean_proven(generation)
        found[name] = (tuple(earlier_artifacts(generation)), dropped_as_earlier(generation))
    assert found == {
        "beta": ((), 0),
        "gamma": ((), 0),
        "delta": (("alpha.g1", "beta.g1"), tasks),
        "epsilon": (("alpha.g1", "beta.g1", "delta.g1", "gamma.g1"), tasks),
    }


def test_two_generations_that_would_not_see_each_other_are_not_cleaned_at_once(store: Store, tmp_path: Path) -> None:
    everything = ("decontamination", {"earlier": {"generations": "same_customer"}})
    waiting = begun(store, tmp_path, "alpha", everything, ("customer", "north"))
    begun(store, tmp_path, "beta", ("customer", "north"))
    begun(store, tmp_path, "gamma")
    elsewhere = Store(store.root)
    with elsewhere.locked("gamma.g1"):
        assert waiting.earlier() == ()
    with (
        elsewhere.locked("beta.g1"),
        pytest.raises(ValueError, match=r"beta\.g1 is being worked on and its"),
    ):
        waiting.earlier()
    assert waiting.earlier() == ()


def test_what_others_deliver_later_leaves_a_generation_clean(store: Store, tmp_path: Path) -> None:
    everything = ("decontamination", {"earlier": {"generations": "all"}})
    first = proven(begun(store, tmp_path, "alpha", everything))
    clean_proven(first)
    later = proven_like(first, begun(store, tmp_path, "beta"))
    clean_proven(later)
    assert later.manifest(STAGE).rows_out == 4
    assert overlaps_left(first, list(tasks_of(first, STAGE))) == 0


def test_an_earlier_delivery_that_is_gone_or_another_is_named(store: Store, tmp_path: Path) -> None:
    first = proven(begun(store, tmp_path, "alpha"))
    clean_proven(first)
    everything = ("decontamination", {"earlier": {"generations": "all"}})
    later = proven_like(first, begun(store, tmp_path, "beta", everything))
    clean_proven(later)
    manifest = store.root / "alpha" / "g1" / STAGE / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"content_hash": "', '"content_hash": "0', 1))
    with pytest.raises(ValueError, match=r"another clean_tasks of alpha\.g1 than the store holds now"):
        overlaps_left(later, [])
    (store.root / "alpha" / "g1" / "engagement.json").unlink()
    with pytest.raises(ValueError, match=r"alpha\.g1 is no longer in .*; restore it from a copy"):
        overlaps_left(later, [])
