"""A task is taken from the store by its id, or generated on the spot by its family's name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from environment.rng import derive_rng
from environment.task import Task
from generators.families import FAMILIES, family_named
from pipeline.bad_input import BadInput
from pipeline.store import Store
from pipeline.task_source import Wish, choose_task, find_task, generated
from tests.pipeline.command import ROOT, environment, worldloom
from tests.pipeline.small import write

FAMILY = "callback_number"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the candidates of a small engagement."""
    folder = tmp_path_factory.mktemp("stored")
    done = worldloom(folder / "store", "generate", str(write(folder / "small.yaml")))
    assert done.returncode == 0, done.stderr
    return folder / "store"


def stored(store: Path) -> list[Task]:
    lines = (store / "small" / "g1" / "candidate_tasks" / "tasks.jsonl").read_text().splitlines()
    return [Task.model_validate_json(line) for line in lines]


def test_a_stored_task_is_shown_played_and_verified_by_the_beginning_of_its_id(store: Path, tmp_path: Path) -> None:
    task = stored(store)[0]
    beginning, kept = task.id[:-4], tmp_path / "kept.jsonl"
    assert task.id in worldloom(store, "show", beginning).stdout
    script = "".join(f"{call.tool} {json.dumps(dict(call.arguments))}\n" for call in task.reference)
    done = subprocess.run(
        [sys.executable, "-m", "pipeline.cli", "play", beginning, "--transcript", str(kept)],
        cwd=ROOT,
        env=environment(store),
        input=f"{script}finish\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert worldloom(store, "verify", task.id, str(kept)).returncode == 0
    other = worldloom(store, "verify", stored(store)[1].id, str(kept))
    assert other.returncode == 2
    assert f"is a transcript of {task.id}" in other.stderr


def test_an_ambiguous_beginning_and_a_wish_about_a_stored_task_are_bad_input(store: Path) -> None:
    tasks = stored(store)
    beginning = tasks[0].id.rpartition("-")[0] + "-"
    alike = [task for task in tasks if task.id.startswith(beginning)]
    assert len(alike) > 1
    with pytest.raises(BadInput, match=f"begins the ids of {len(alike)} tasks"):
        choose_task(Store(store), beginning, Wish())
    with pytest.raises(BadInput, match=r"is no family, and --seed 3 --knob 'a b' asks for a generated task"):
        choose_task(Store(store), tasks[0].id, Wish(seed="3", knobs=("a b",)))
    assert find_task(Store(store), tasks[-1].id)[1] == tasks[-1]


def test_the_same_wish_gives_the_same_task_and_another_seed_or_index_another() -> None:
    wishes = [Wish(), Wish(seed="2"), Wish(index=1), Wish(seed="2", index=1)]
    ids = [generated(FAMILY, wish).id for wish in wishes]
    assert len(set(ids)) == len(ids)
    assert ids == [generated(FAMILY, wish).id for wish in wishes]


def test_knobs_replace_what_the_profile_says() -> None:
    family = family_named(FAMILY)
    name, knob = next(
        (name, knob) for name, knob in family.knobs.items() if knob.needs is None and knob.low < knob.high
    )
    for value in (knob.low, knob.high):
        assert generated(FAMILY, Wish(profile="top", knobs=(f" {name} = {value} ",))).knobs[name] == value


@pytest.mark.parametrize("name", [family.name for family in FAMILIES])
def test_a_drawn_task_is_the_one_that_an_engagement_draws_from_the_same_seed(name: str) -> None:
    family = family_named(name)
    knobs = family.draw_knobs(derive_rng("knobs", name, "ab12", 3), "starter")
    task = family.generate("ab12", 3, "train", knobs, "actions")
    assert generated(name, Wish(seed="ab12", index=3)) == task


def test_a_generated_task_can_be_proven_and_read_by_programs(tmp_path: Path) -> None:
    done = worldloom(tmp_path / "store", "show", FAMILY, "--prove", "--json")
    assert done.returncode == 0, done.stderr
    task = Task.model_validate_json(done.stdout)
    assert task.proof is not None
    assert task.proof.references == 2
    assert not (tmp_path / "store").exists()


def test_a_reader_who_has_seen_enough_ends_the_page_quietly(tmp_path: Path) -> None:
    shown = subprocess.Popen(
        [sys.executable, "-m", "pipeline.cli", "show", "invoice_paid", "--profile", "full"],
        cwd=ROOT,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert shown.stdout and shown.stderr
    shown.stdout.close()
    assert shown.stderr.read() == b""
    assert shown.wait() == 1
    shown.stderr.close()
