"""A calibration at work is seen from another process, by its ledger alone, and in Dagster's event log."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pyarrow.parquet as pq

from assets.generation import STAGES
from pipeline.home import open_instance
from pipeline.store import Store
from pipeline.watching import CalibrationWatch
from tests.pipeline.command import ROOT, environment, worldloom
from tests.pipeline.conftest import FinishedRun


def ledger_rows(stage: Path) -> list[dict[str, object]]:
    """The attempts of calibration as they lie on disk."""
    rows = [
        json.loads(row["attempt"])
        for path in stage.glob("ledger/parts/*.parquet")
        for row in pq.read_table(path).to_pylist()
    ]
    for path in stage.glob("ledger/segments/*.jsonl"):
        rows += [json.loads(line) for line in path.read_text().splitlines()]
    return rows


def test_a_finished_calibration_is_shown_as_its_ledger_has_it(finished: FinishedRun) -> None:
    before = {path: path.stat().st_mtime_ns for path in finished.root.rglob("*") if path.is_file()}
    done = worldloom(finished.store, "calibrate", str(finished.engagement), "--watch", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    rows = ledger_rows(finished.root / "calibrated_tasks")
    assert found["attempts"] == len(rows)
    assert found["unscored"] == sum(row["verdict"] is None for row in rows)
    assert found["tokens_in"] == sum(int(str(row["tokens_in"])) for row in rows)
    assert found["tokens_out"] == sum(int(str(row["tokens_out"])) for row in rows)
    assert found["round_made"] == found["round_planned"] > 0
    assert found["wanted"] == {"support": 1, "hr": 1} and found["money"] is None
    page = worldloom(finished.store, "calibrate", str(finished.engagement), "--watch")
    assert page.returncode == 0
    assert page.stdout.startswith("small.g1 calibrated_tasks: finished\n")
    assert re.search(rf"^attempts +{len(rows)}$", page.stdout, re.MULTILINE)
    assert re.search(rf"^unscored +{found['unscored']}$", page.stdout, re.MULTILINE)
    assert {path: path.stat().st_mtime_ns for path in finished.root.rglob("*") if path.is_file()} == before


def test_a_calibration_at_work_is_watched_until_it_ends(finished: FinishedRun, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(finished.store / "small", store / "small")
    for later in STAGES[STAGES.index("calibrated_tasks") :]:
        shutil.rmtree(store / "small" / "g1" / later)
    words = [sys.executable, "-m", "pipeline.cli", "calibrate", str(finished.engagement)]
    with subprocess.Popen(
        words, cwd=ROOT, env=environment(store), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as run:
        ledger = store / "small" / "g1" / "calibrated_tasks" / "ledger"
        while not list(ledger.glob("segments/*.jsonl")) and run.poll() is None:
            time.sleep(0.02)
        run.send_signal(signal.SIGSTOP)
        second = worldloom(store, "calibrate", str(finished.engagement))
        watch = subprocess.Popen(
            [*words, "--watch"], cwd=ROOT, env=environment(store), stdout=subprocess.PIPE, text=True
        )
        assert watch.stdout
        first = watch.stdout.readline()
        run.send_signal(signal.SIGCONT)
        rest, _ = watch.communicate()
    assert second.returncode == 2
    assert f"small.g1 is being worked on by process {run.pid}; wait for it or stop it" in second.stderr
    assert first == "small.g1 calibrated_tasks: at work\n"
    assert watch.returncode == 0
    assert "small.g1 calibrated_tasks: finished\n" in rest
    last = json.loads(worldloom(store, "calibrate", str(finished.engagement), "--watch", "--json").stdout)
    assert len(ledger_rows(ledger.parent)) == last["attempts"]


def test_a_watch_counts_what_comes_while_segments_become_parts(finished: FinishedRun, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(finished.store / "small", store / "small")
    generation = Store(store).open("small.g1")
    watched = CalibrationWatch(generation)
    ledger = generation.folder("calibrated_tasks") / "ledger"
    parts = sorted(ledger.glob("parts/*.parquet"))
    texts = [row["attempt"] for path in parts for row in pq.read_table(path).to_pylist()]
    hidden = tmp_path / "hidden"
    shutil.move(ledger / "parts", hidden)
    (ledger / "parts").mkdir()
    (ledger / "segments").mkdir(exist_ok=True)
    segment = ledger / "segments" / "segment-000001.jsonl"
    counts = []
    for size in (1, 2, len(texts)):
        half_written = texts[size][:9] if size < len(texts) else ""
        segment.write_text("".join(f"{text}\n" for text in texts[:size]) + half_written)
        found = watched.look()
        assert found
        counts.append(found.attempts)
    segment.unlink()
    (ledger / "parts").rmdir()
    shutil.move(hidden, ledger / "parts")
    found = watched.look()
    assert found
    assert [*counts, found.attempts] == [1, 2, len(texts), len(texts)]


def test_a_silent_calibration_is_seen_to_be_silent_and_why_attempts_were_lost(
    finished: FinishedRun, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    shutil.copytree(finished.store / "small", store / "small")
    generation = Store(store).open("small.g1")
    stage = generation.folder("calibrated_tasks")
    (stage / "manifest.json").unlink()
    (part,) = sorted(stage.glob("ledger/parts/*.parquet"))[:1]
    attempt = json.loads(pq.read_table(part).to_pylist()[0]["attempt"])
    lost = {**attempt, "number": 99, "verdict": None, "end": None, "error": "reset", "failure": "connection"}
    segment = stage / "ledger" / "segments" / "segment-000099.jsonl"
    segment.write_text(f"{json.dumps(lost)}\n")
    for path in (segment, *stage.glob("ledger/parts/*.parquet")):
        os.utime(path, (time.time() - 600, time.time() - 600))
    watched = CalibrationWatch(generation)
    page = watched.page(watched.look(), "at work")
    assert ", the last one 10 min ago\n" in page
    assert re.search(r"^unscored +1 \(1 connection\)$", page, re.MULTILINE)


def test_whoever_watches_nothing_is_told_so(finished: FinishedRun, tmp_path: Path) -> None:
    nothing = worldloom(tmp_path / "store", "calibrate", "laptop", "--watch")
    assert nothing.returncode == 2 and "has no generation" in nothing.stderr
    both = worldloom(finished.store, "calibrate", str(finished.engagement), "--watch", "--new")
    assert both.returncode == 2 and "--watch starts nothing" in both.stderr


def test_a_finished_calibration_says_what_it_took_and_why_it_ended(finished: FinishedRun) -> None:
    done = worldloom(finished.store, "calibrate", str(finished.engagement), "--json")
    assert done.returncode == 0, done.stderr
    totals = json.loads(done.stdout)["calibration"]
    rows = ledger_rows(finished.root / "calibrated_tasks")
    assert (totals["attempts"], totals["unscored"]) == (len(rows), sum(row["verdict"] is None for row in rows))
    assert totals["stopped"] == "complete" and totals["wanted"] == {"support": 1, "hr": 1}
    assert all(totals["accepted"][name] >= 1 for name in totals["wanted"])
    text = worldloom(finished.store, "calibrate", str(finished.engagement)).stdout
    assert f"\n{len(rows)} attempts, {totals['unscored']} unscored, " in text
    assert text.endswith("ended because nothing is missing\n")


def test_dagster_has_an_observation_of_every_round(finished: FinishedRun) -> None:
    with open_instance(Store(finished.store)) as instance:
        key = dg.AssetKey("calibrated_tasks")
        records = instance.fetch_observations(key, limit=1000).records
    plans = sorted((finished.root / "calibrated_tasks/ledger/plans").glob("calibration.*.json"))
    rounds = {}
    for record in records:
        observation = record.asset_observation
        assert observation and observation.partition == "small.g1"
        rounds[observation.metadata["round"].value] = observation.metadata
    assert sorted(rounds) == list(range(len(plans)))
    assert all(shown["attempts"].value > 0 for shown in rounds.values())
