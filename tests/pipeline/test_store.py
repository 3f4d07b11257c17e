"""The store keeps finished artifacts as they are, resumes unfinished ones and lets one process work at a time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assets.files import write_rows
from assets.generation import STAGES, Product
from pipeline.bad_input import BadInput
from pipeline.engagement import load_engagement
from pipeline.running import choose_generation
from pipeline.store import Store, StoredGeneration
from tests.pipeline.small import changed, write

Make = Callable[[Path], Product]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def generation(store: Store, tmp_path: Path) -> StoredGeneration:
    return store.begin(load_engagement(str(write(tmp_path / "small.yaml"))), 1, "run")


def rows_of(*numbers: int) -> Make:
    def make(folder: Path) -> Product:
        file = write_rows(folder / "tasks.jsonl", ({"id": str(number)} for number in numbers))
        return Product({"tasks.jsonl": file}, len(numbers), len(numbers))

    return make


def refuse(folder: Path) -> Product:
    raise AssertionError("made again")


def test_a_finished_artifact_is_not_made_again(generation: StoredGeneration) -> None:
    first = generation.produce("candidate_tasks", rows_of(1, 2), ())
    assert generation.produce("candidate_tasks", refuse, ()) == first
    assert [row["id"] for row in generation.rows("candidate_tasks", "tasks.jsonl")] == ["1", "2"]


def test_a_stage_that_fails_is_not_finished_and_can_be_made_later(generation: StoredGeneration) -> None:
    def half(folder: Path) -> Product:
        rows_of(1)(folder)
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        generation.produce("candidate_tasks", half, ())
    assert not generation.is_finished("candidate_tasks")
    assert generation.produce("candidate_tasks", rows_of(1, 2), ()).rows_out == 2


def test_the_content_hash_does_not_depend_on_order_time_or_run(store: Store, tmp_path: Path) -> None:
    engagement = load_engagement(str(write(tmp_path / "small.yaml")))
    first = store.begin(engagement, 1, "a").produce("candidate_tasks", rows_of(1, 2), ())
    second = store.begin(engagement, 2, "b").produce("candidate_tasks", rows_of(2, 1), ())
    third = store.begin(engagement, 3, "c").produce("candidate_tasks", rows_of(1, 3), ())
    assert first.content_hash == second.content_hash != third.content_hash


def test_an_artifact_made_from_other_sources_is_refused(generation: StoredGeneration) -> None:
    generation.produce("candidate_tasks", rows_of(1, 2), ())
    generation.produce("proven_tasks", rows_of(1), ("candidate_tasks",))
    (generation.folder("candidate_tasks") / "manifest.json").unlink()
    generation.produce("candidate_tasks", rows_of(3), ())
    with pytest.raises(BadInput, match="made from another candidate_tasks"):
        generation.produce("proven_tasks", refuse, ("candidate_tasks",))


def test_a_stage_waits_for_its_sources(generation: StoredGeneration) -> None:
    with pytest.raises(BadInput, match=r"candidate_tasks of small\.g1 is not finished"):
        generation.produce("proven_tasks", refuse, ("candidate_tasks",))


def test_counts_that_do_not_add_up_are_refused(generation: StoredGeneration) -> None:
    def lossy(folder: Path) -> Product:
        return Product({"tasks.jsonl": write_rows(folder / "tasks.jsonl", [])}, 5, 0, {"lost": 4})

    with pytest.raises(ValueError, match="keeps 0 and drops 4 of 5 rows"):
        generation.produce("candidate_tasks", lossy, ())


def test_generations_of_one_engagement_have_unrelated_seeds(store: Store, tmp_path: Path) -> None:
    engagement = load_engagement(str(write(tmp_path / "small.yaml")))
    seeds = {store.begin(engagement, number, "").seed for number in (1, 2, 3)}
    assert len(seeds) == 3
    assert all(len(seed) == 16 for seed in seeds)


def test_a_generation_cannot_be_skipped(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the next generation is g1"):
        store.begin(load_engagement(str(write(tmp_path / "small.yaml"))), 2, "")


def test_an_interrupted_generation_is_resumed_although_a_later_one_is_finished(store: Store, tmp_path: Path) -> None:
    engagement = load_engagement(str(write(tmp_path / "small.yaml")))
    choose_generation(store, engagement, new=False)
    later = choose_generation(store, engagement, new=True)
    later.produce(STAGES[-1], rows_of(1), ())
    assert choose_generation(store, engagement, new=False).key == "small.g1"


def test_the_newest_generation_is_resumed_and_new_starts_the_next(store: Store, tmp_path: Path) -> None:
    engagement = load_engagement(str(write(tmp_path / "small.yaml")))
    assert choose_generation(store, engagement, new=False).key == "small.g1"
    assert choose_generation(store, engagement, new=False).key == "small.g1"
    assert choose_generation(store, engagement, new=True).key == "small.g2"
    assert store.keys() == ("small.g1", "small.g2")


def test_an_engagement_edited_meanwhile_is_refused(store: Store, tmp_path: Path) -> None:
    choose_generation(store, load_engagement(str(write(tmp_path / "small.yaml"))), new=False)
    edited = load_engagement(str(write(tmp_path / "small.yaml", changed(("calibration.tau", 0.6)))))
    with pytest.raises(BadInput, match=r"calibration of small changed since small\.g1 began"):
        choose_generation(store, edited, new=False)
    assert choose_generation(store, edited, new=True).key == "small.g2"


def test_a_key_that_names_no_generation_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match="is not the key of a generation"):
        store.open("small")
    with pytest.raises(BadInput, match="no engagement 'nobody'"):
        store.open("nobody.g1")


def test_a_generation_that_another_begins_is_refused(store: Store, tmp_path: Path) -> None:
    engagement = load_engagement(str(write(tmp_path / "small.yaml")))
    with Store(store.root).locked("small.g1"):
        with pytest.raises(BadInput, match=r"small\.g1 is being worked on"):
            store.begin(engagement, 1, "")
        assert store.numbers("small") == ()
    assert store.begin(engagement, 1, "").key == "small.g1"
    with pytest.raises(BadInput, match=r"small\.g3 does not follow; the next generation is g2"):
        store.begin(engagement, 3, "")
    assert not (store.root / "small" / "g3").exists()


def test_no_generation_is_started_beside_one_that_is_worked_on(store: Store, generation: StoredGeneration) -> None:
    with Store(store.root).locked(generation.key):
        with pytest.raises(BadInput, match=r"small\.g1 is being worked on; wait for it"):
            choose_generation(store, generation.engagement, new=True)
        assert store.numbers("small") == (1,)
    assert choose_generation(store, generation.engagement, new=True).key == "small.g2"


def test_a_second_process_is_refused_and_a_killed_one_leaves_no_lock(
    store: Store, generation: StoredGeneration
) -> None:
    holding = (
        "import sys, time; from pathlib import Path; from pipeline.store import Store\n"
        f"with Store(Path({str(store.root)!r})).locked('small.g1'):\n"
        "    print('held', flush=True); time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", holding], stdout=subprocess.PIPE, text=True, cwd=os.getcwd())
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "held"
        with pytest.raises(BadInput, match=rf"small\.g1 is being worked on by process {process.pid}"):
            generation.produce("candidate_tasks", rows_of(1), ())
        assert store.is_locked("small.g1")
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()
    deadline = time.monotonic() + 5
    while store.is_locked("small.g1") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert generation.produce("candidate_tasks", rows_of(1), ()).rows_out == 1
