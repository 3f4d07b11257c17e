"""Explanations: of a dropped task every overlap with both texts, of a clean one what it was compared with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assets.generation import tasks_in, tasks_of
from assets.stages.candidates import generate_candidates
from assets.stages.cleaning import STAGE, clean_proven
from decontam.passages import passages_of_task
from decontam.words import words_of
from pipeline.bad_input import BadInput
from pipeline.explanation import explained, explanation_text
from pipeline.overlap_totals import overlap_totals, overlap_totals_text
from pipeline.store import Store, StoredGeneration
from tests.assets.test_clean_tasks import begun, proven, public_row
from tests.pipeline.command import worldloom


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("benchmark") / "public.jsonl"


@pytest.fixture(scope="module")
def cleaned(tmp_path_factory: pytest.TempPathFactory, benchmark: Path) -> StoredGeneration:
    """A generation of four tasks, the first of which the benchmark has."""
    folder = tmp_path_factory.mktemp("explained")
    generation = begun(Store(folder / "store"), folder, "small", ("decontamination", {"benchmarks": [str(benchmark)]}))
    generate_candidates(generation)
    benchmark.write_text(json.dumps(public_row(next(tasks_in(generation, "candidate_tasks")), "hr.taken")) + "\n")
    clean_proven(proven(generation))
    return generation


def store_of(generation: StoredGeneration) -> Store:
    return Store(generation.root.parents[1])


def test_a_dropped_task_shows_rule_paths_and_both_texts_with_marks(cleaned: StoredGeneration) -> None:
    taken = next(tasks_in(cleaned, "candidate_tasks"))
    found = explained(store_of(cleaned), taken.id[:-3])
    assert found.ruling.task_id == taken.id
    text = explanation_text(found, 100)
    first = found.ruling.overlaps[0]
    assert text.startswith(f"{taken.id} (small.g1, clean_tasks) is dropped: Shares a run of words")
    assert f"here  {first.path}" in text
    assert f"there {first.other_path}" in text
    assert text.count("[[") == text.count("]]") >= 2 * len(found.ruling.overlaps)
    assert "hr.taken" in text
    assert found.nearest[0].similarity > 0.9
    assert max(map(len, text.splitlines())) <= 100


def test_every_shared_run_and_company_is_listed_not_only_the_clearest(cleaned: StoredGeneration) -> None:
    taken = next(tasks_in(cleaned, "candidate_tasks"))
    found = explained(store_of(cleaned), taken.id)
    runs = [one for one in (*found.ruling.overlaps, *found.further) if one.rule == "shared_passage"]
    long = {passage.path for passage in passages_of_task(taken) if len(words_of(passage.text)) >= 13}
    assert len(long) > 1
    assert {one.path for one in runs} == long
    assert len({(one.path, one.shared) for one in runs}) == len(runs)
    companies = {one.shared for one in (*found.ruling.overlaps, *found.further) if one.rule == "company_name"}
    assert tuple(words_of(taken.actor["company"])) in companies
    assert explanation_text(found, 100).count("ALSO  ") == len(found.further) > 0


def test_a_clean_task_shows_what_it_was_compared_with_and_the_nearest(cleaned: StoredGeneration) -> None:
    task = next(tasks_of(cleaned, STAGE))
    found = explained(store_of(cleaned), task.id)
    assert found.ruling.kept
    text = explanation_text(found, 100)
    assert f"{task.id} (small.g1, clean_tasks) is clean" in text
    assert found.benchmarks[0].content_hash in text
    assert f"{found.benchmarks[0].size.passages:,} passages" in text
    assert "delivered earlier: nothing" in text
    assert "the other tasks of its own set, 3 of them" in text
    assert task.actor["company"] in found.names
    assert [one.name for one in found.nearest] == ["hr.taken"]
    assert found.nearest[0].similarity < 0.5
    assert "Means what a benchmark task means (not compared: decontamination.meaning is not set)" in text
    assert found.elsewhere == () and "The same task in" not in text


def test_the_totals_add_up_and_say_when_the_benchmark_changed(cleaned: StoredGeneration, benchmark: Path) -> None:
    totals = overlap_totals(cleaned)
    assert totals.given == totals.kept + sum(totals.dropped.values()) == 4
    assert totals.dropped["shared_passage"] >= 1
    text = overlap_totals_text(totals)
    assert str(cleaned.folder(STAGE) / "report.html") in text
    assert "--new" not in text
    kept = benchmark.read_text()
    benchmark.write_text(kept.replace("hr.taken", "hr.other"))
    try:
        later = overlap_totals(cleaned)
        assert later.benchmark_hash_now != totals.benchmark_hash == later.benchmark_hash
        assert later.benchmark_hash_now[:12] in overlap_totals_text(later)
        assert "--new" in overlap_totals_text(later)
    finally:
        benchmark.write_text(kept)


def test_the_same_task_in_another_generation_is_told_of(tmp_path: Path, benchmark: Path) -> None:
    store = Store(tmp_path / "store")
    first = begun(store, tmp_path, "first", ("decontamination", {"benchmarks": [str(benchmark)]}))
    generate_candidates(first)
    task = next(tasks_in(first, "candidate_tasks"))
    kept = benchmark.read_text()
    try:
        benchmark.write_text(json.dumps(public_row(task, "hr.taken")) + "\n")
        clean_proven(proven(first))
    finally:
        benchmark.write_text(kept)
    second = begun(store, tmp_path, "second")
    generate_candidates(second)
    clean_proven(proven(second))
    found = explained(store, task.id)
    assert found.generation == "second.g1" and found.ruling.kept
    assert found.elsewhere == ("first.g1: dropped: Shares a run of words with a benchmark task",)
    assert "The same task in first.g1: dropped: Shares a run of words" in explanation_text(found, 100)


def test_a_clean_task_that_was_altered_since_is_not_called_clean_alone(cleaned: StoredGeneration) -> None:
    found = explained(store_of(cleaned), next(tasks_of(cleaned, STAGE)).id)
    taken = explained(store_of(cleaned), next(tasks_in(cleaned, "candidate_tasks")).id)
    text = explanation_text(found.model_copy(update={"further": taken.further}), 100)
    assert "But as it stands in the store it overlaps" in text
    assert "breaks none of the rules" not in text
    assert "But as it stands" not in explanation_text(found, 100)


def test_a_task_that_was_not_compared_is_told_apart(tmp_path: Path) -> None:
    generation = begun(Store(tmp_path / "store"), tmp_path, "small")
    generate_candidates(generation)
    task = next(tasks_in(generation, "candidate_tasks"))
    with pytest.raises(BadInput, match="has not been compared yet; run worldloom decontaminate small"):
        explained(store_of(generation), task.id)


def test_the_command_explains_a_task_in_words_and_as_json(cleaned: StoredGeneration) -> None:
    task = next(tasks_in(cleaned, "candidate_tasks"))
    store = store_of(cleaned).root
    said = worldloom(store, "decontaminate", "--explain", task.id)
    assert said.returncode == 0, said.stderr
    assert "DROPPED  Shares a run of words with a benchmark task: hr.taken" in said.stdout
    data = json.loads(worldloom(store, "decontaminate", "--explain", task.id, "--json").stdout)
    assert data["ruling"]["overlaps"][0]["rule"] == "shared_passage"
    for wrong in ((), ("small", "--explain", task.id)):
        refused = worldloom(store, "decontaminate", *wrong)
        assert refused.returncode == 2
        assert "either an engagement or --explain" in refused.stderr
