from __future__ import annotations

import hashlib

import pytest

from environment.record import canonical_json
from environment.rng import derive_rng
from environment.task import Proof, Task, task_hash, task_line
from generators.families import FAMILIES
from generators.family import Family


def a_task(family: Family, proof: Proof | None) -> Task:
    knobs = family.draw_knobs(derive_rng("lines", family.name), "starter")
    return family.generate("lines", 0, "train", knobs, "actions").model_copy(update={"proof": proof})


PROOF = Proof(references=2, mutants={"drop": 1}, equivalents={}, replayed=0, values_traced=3, code_hash="0" * 16)


@pytest.mark.parametrize("proof", [None, PROOF])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_task_is_written_and_hashed_as_its_canonical_json(family: Family, proof: Proof | None):
    task = a_task(family, proof)
    data = task.to_json()
    assert task_line(task) == canonical_json(data)
    named = {name: value for name, value in data.items() if name not in ("id", "proof")}
    assert task_hash(task) == hashlib.sha256(canonical_json(named).encode()).hexdigest()


def test_a_task_in_another_world_is_written_with_that_world():
    task = a_task(FAMILIES[0], None)
    line = task_line(task)
    other = task.model_copy(update={"world": {}})
    assert task_line(other) == canonical_json(other.to_json()) != line == task_line(task)


def test_a_record_that_holds_what_is_no_json_is_refused():
    task = a_task(FAMILIES[0], None)
    with pytest.raises(TypeError, match="holds JSON data and records, found set"):
        task_line(task.model_copy(update={"knobs": {1, 2}}))
