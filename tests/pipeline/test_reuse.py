"""A second target is calibrated on the clean tasks of an earlier generation; nobody's pass rates are pooled."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from assets.generation import Product
from pipeline.bad_input import BadInput
from pipeline.engagement import load_engagement
from pipeline.reuse import REUSED
from pipeline.store import Store, StoredGeneration
from tests.pipeline.command import worldloom
from tests.pipeline.conftest import FinishedRun
from tests.pipeline.small import changed, write
from tests.pipeline.test_store import rows_of


def never(folder: Path) -> Product:
    pytest.fail(f"{folder} is made again")


def begun(store: Store, path: Path, *changes: tuple[str, object]) -> StoredGeneration:
    return store.begin(load_engagement(str(write(path, changed(*changes)))), 1, "")


def with_clean_tasks(store: Store, tmp_path: Path) -> StoredGeneration:
    """A generation whose tasks are clean, with a further batch of them."""
    source = begun(store, tmp_path / "first.yaml")
    before: tuple[str, ...] = ()
    for place, stage in enumerate(REUSED):
        source.produce(stage, rows_of(place, 10), before)
        before = (stage,)
    for place, stage in enumerate(REUSED[1:]):
        source.produce(stage, rows_of(20 + place), (), batch=1)
    return source


def test_the_artifacts_of_the_other_generation_are_taken_with_its_batches_and_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    source = with_clean_tasks(store, tmp_path)
    second = begun(store, tmp_path / "second.yaml", ("reuse", "first.g1"))
    for stage in REUSED:
        second.produce(stage, never, ())
    for stage in REUSED:
        for batch in (0, *source.batches(stage)):
            ours, theirs = second.manifest(stage, batch), source.manifest(stage, batch)
            assert (ours.content_hash, ours.upstream, ours.rows_out) == (
                theirs.content_hash,
                theirs.upstream,
                theirs.rows_out,
            )
            assert ours.facts == {**theirs.facts, "reused_from": "first.g1"}
            assert ours.generation == "second.g1"
            for name in theirs.files:
                copy, original = second.folder(stage, batch) / name, source.folder(stage, batch) / name
                assert copy.read_bytes() == original.read_bytes() and copy.stat().st_ino != original.stat().st_ino
    assert second.batches("clean_tasks") == source.batches("clean_tasks") == (1,)


def test_what_calibration_asks_for_beyond_them_is_made_anew(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    source = with_clean_tasks(store, tmp_path)
    second = begun(store, tmp_path / "second.yaml", ("reuse", "first.g1"))
    for stage in REUSED:
        second.produce(stage, never, ())
    source.produce("candidate_tasks", rows_of(31), (), batch=2)
    ours = second.produce("candidate_tasks", rows_of(32), (), batch=2)
    assert "reused_from" not in ours.facts
    assert ours.content_hash != source.manifest("candidate_tasks", 2).content_hash


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([("reuse", "nobody.g1")], "no generation nobody.g1"),
        ([("reuse", "first.g1"), ("candidates.train", 9)], "candidates of second differ from those of first.g1"),
        ([("reuse", "unfinished.g1")], "clean tasks of unfinished.g1 are not finished"),
    ],
)
def test_tasks_that_are_not_there_or_others_are_refused(
    tmp_path: Path, changes: list[tuple[str, object]], message: str
) -> None:
    store = Store(tmp_path / "store")
    with_clean_tasks(store, tmp_path)
    begun(store, tmp_path / "unfinished.yaml")
    second = begun(store, tmp_path / "second.yaml", *changes)
    with pytest.raises(BadInput, match=message):
        second.produce(REUSED[0], never, ())


def test_a_frontier_band_for_another_policy_is_calibrated_on_the_same_tasks(
    finished: FinishedRun, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    shutil.copytree(finished.store / "small", store / "small")
    frontier = write(
        tmp_path / "frontier.yaml",
        changed(
            ("reuse", "small.g1"),
            ("target.temperature", 0.7),
            ("training.temperature", 0.7),
            ("calibration.band", {"low": 0.4, "high": 0.6}),
            ("calibration.max_attempts", 12),
            ("calibration.max_batches", 0),
        ),
    )
    done = worldloom(store, "calibrate", str(frontier))
    assert done.returncode == 0, done.stderr
    told = worldloom(store, "rates", str(frontier), "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert sorted(one["generations"] for one in found["policies"]) == [["frontier.g1"], ["small.g1"]]
    expected: dict[str, dict[str, Counter[str]]] = {}
    for name in ("small", "frontier"):
        for path in (store / name / "g1/calibrated_tasks/ledger/parts").glob("*.parquet"):
            for row in pq.read_table(path).to_pylist():
                if row["purpose"] == "calibration":
                    count = expected.setdefault(row["task_id"], {}).setdefault(row["policy"], Counter())
                    count["passes"] += bool(row["strict"])
                    count["scored"] += row["strict"] is not None
                    count["unscored"] += row["strict"] is None
    assert found["tasks"] == {
        task_id: {
            policy: {"passes": one["passes"], "scored": one["scored"], "unscored": one["unscored"]}
            for policy, one in by_policy.items()
        }
        for task_id, by_policy in expected.items()
    }
    assert {len(by_policy) for by_policy in expected.values()} >= {2}
    table = worldloom(store, "rates", str(frontier)).stdout
    task_id = next(one for one, by_policy in expected.items() if len(by_policy) == 2)
    cells = []
    for one in found["policies"]:
        counted = expected[task_id][one["policy"]]
        cells.append(f"{counted['passes']}/{counted['scored']}")
    assert [task_id, *cells] in [line.split() for line in table.splitlines()]
    audited = worldloom(store, "audit", task_id)
    assert audited.returncode == 0, audited.stderr
