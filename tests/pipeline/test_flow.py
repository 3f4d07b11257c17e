"""A small engagement runs to its end although its process is killed during calibration and during training."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from assets.generation import STAGES
from environment.task import Task
from pipeline import transcripts
from pipeline.bad_input import BadInput
from pipeline.store import Store
from tests.pipeline.command import ROOT, environment, worldloom
from tests.pipeline.conftest import FinishedRun
from tests.pipeline.small import changed, write


def attempts_of(stage: Path) -> list[dict[str, object]]:
    rows = []
    for path in sorted(stage.glob("ledger/parts/*.parquet")):
        rows += [json.loads(row["attempt"]) for row in pq.read_table(path).to_pylist()]
    return rows


def test_every_stage_is_done_and_its_counts_add_up(finished: FinishedRun) -> None:
    assert tuple(finished.status["stages"]) == STAGES
    for stage in finished.status["stages"].values():
        assert stage["state"] == "done"
        assert stage["rows_in"] == stage["rows_out"] + sum(stage["dropped"].values())
        assert len(stage["data_version"]) == 64


def test_the_status_has_the_promised_keys(finished: FinishedRun) -> None:
    assert set(finished.status) == {"engagement", "generation", "stages", "evaluation"}
    assert set(finished.status["evaluation"]) == {
        *("metric", "base", "adapter", "gain", "low", "high", "tasks", "attempts")
    }
    again = worldloom(finished.store, "status", str(finished.engagement), "--json")
    assert json.loads(again.stdout) == finished.status


def test_attempts_finished_before_the_kill_are_kept_and_none_is_made_twice(finished: FinishedRun) -> None:
    attempts = attempts_of(finished.root / "calibrated_tasks")
    keys = Counter((attempt["policy"], attempt["task_id"], attempt["number"]) for attempt in attempts)
    assert max(keys.values()) == 1
    for line in finished.attempts_at_kill:
        assert json.loads(line) in attempts
    plans = [json.loads(path.read_text()) for path in (finished.root / "calibrated_tasks/ledger/plans").glob("*.json")]
    planned = {(plan["policy"], one["task_id"], one["number"]) for plan in plans for one in plan["attempts"]}
    assert planned == set(keys)


def test_training_goes_on_from_its_checkpoint(finished: FinishedRun) -> None:
    assert finished.trainers_left == ()
    lines = (finished.root / "lora_adapter" / "updates.jsonl").read_text().splitlines()
    updates = [json.loads(line) for line in lines]
    assert [update["update"] for update in updates] == [1, 2]
    assert {task for update in updates for task in update["task_ids"]} == {
        json.loads(line)["id"] for line in (finished.root / "training_set" / "tasks.jsonl").read_text().splitlines()
    }


def test_base_and_adapter_are_evaluated_on_the_held_out_tasks_alone(finished: FinishedRun) -> None:
    clean = [json.loads(line) for line in (finished.root / "clean_tasks" / "tasks.jsonl").read_text().splitlines()]
    held_out = {task["id"] for task in clean if task["split"] == "held_out"}
    evaluated = Counter((one["task_id"], one["policy"]) for one in attempts_of(finished.root / "evaluation_report"))
    assert {task_id for task_id, _ in evaluated} == held_out
    assert len({policy for _, policy in evaluated}) == 3
    assert set(evaluated.values()) == {1}
    calibrated = {one["task_id"] for one in attempts_of(finished.root / "calibrated_tasks")}
    assert not calibrated & held_out


def test_the_gain_is_the_mean_difference_of_the_attempts(finished: FinishedRun) -> None:
    manifest = json.loads((finished.root / "evaluation_report" / "manifest.json").read_text())
    rows = [json.loads(line) for line in (finished.root / "evaluation_report/attempts.jsonl").read_text().splitlines()]
    policies = manifest["facts"]["policies"]
    rate = {
        label: sum(row["strict"] for row in rows if row["policy"] == policy)
        / sum(row["policy"] == policy for row in rows)
        for label, policy in policies.items()
    }
    summary = finished.status["evaluation"]
    assert summary["base"] == rate["a small model"]
    assert summary["adapter"] == rate["a small model with the adapter"]
    assert abs(summary["gain"] - (summary["adapter"] - summary["base"])) < 1e-9


def test_every_number_of_the_report_leads_to_a_file_and_failures_are_shown(finished: FinishedRun) -> None:
    folder = finished.root / "evaluation_report"
    numbers = json.loads((folder / "report.json").read_text())
    for part, target in numbers["links"].items():
        assert (folder / target).is_file(), part
    assert {"headline", "failures", "temperatures", "training", "clean", "in band"} <= set(numbers["links"])
    failed, solved = numbers["failures"]["attempts"], numbers["comparison"]
    assert failed["base"] == solved["attempts"] - solved["base_solved"]
    assert failed["adapter"] == solved["attempts"] - solved["adapter_solved"]
    assert len(numbers["exhibits"]) == min(20, len(numbers["failures"]["gains"]) + len(numbers["failures"]["losses"]))
    assert all(one["base"]["lines"] and one["prompt"] for one in numbers["exhibits"])


def test_the_report_is_there_and_names_the_stand_in(finished: FinishedRun) -> None:
    page = (finished.root / "evaluation_report" / "report.html").read_text()
    assert "stand in for the public benchmark" in page
    numbers = json.loads((finished.root / "evaluation_report" / "report.json").read_text())
    assert numbers["evaluation"] == finished.status["evaluation"]


@pytest.mark.parametrize("stage", ["proven_tasks", "calibrated_tasks"])
def test_ctrl_c_ends_with_one_sentence_and_exit_code_130(finished: FinishedRun, tmp_path: Path, stage: str) -> None:
    store = tmp_path / "store"
    if stage == "calibrated_tasks":
        shutil.copytree(finished.store / "small", store / "small")
        for later in STAGES[STAGES.index(stage) :]:
            shutil.rmtree(store / "small" / "g1" / later)
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline.cli", "select", str(finished.engagement)],
        cwd=ROOT,
        env=environment(store),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    begun = store / "small" / "g1" / stage / ("ledger/segments" if stage == "calibrated_tasks" else ".")
    while not (begun.exists() and any(begun.iterdir())) and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130, said
    assert said.endswith("worldloom: interrupted; the same command goes on from here\n")
    assert "Traceback" not in said


def test_a_finished_generation_is_not_run_again(finished: FinishedRun) -> None:
    before = {path: path.stat().st_mtime_ns for path in finished.root.rglob("*") if path.is_file()}
    done = worldloom(finished.store, "run", str(finished.engagement))
    assert done.returncode == 0
    assert "small.g1 is finished up to lineage_manifest; --new starts the next generation" in done.stderr
    assert "report:" in done.stdout
    after = {path: path.stat().st_mtime_ns for path in finished.root.rglob("*") if path.is_file()}
    assert {path: time for path, time in after.items() if path.name != "lock"} == {
        path: time for path, time in before.items() if path.name != "lock"
    }


def test_a_trained_task_is_followed_from_its_template_to_its_updates(finished: FinishedRun) -> None:
    task = json.loads((finished.root / "training_set" / "tasks.jsonl").read_text().splitlines()[0])
    done = worldloom(finished.store, "audit", task["id"], "--json")
    assert done.returncode == 0, done.stderr
    audit = json.loads(done.stdout)
    story = "\n".join(audit["story"])
    assert f"index {task['index']}, split train: made again, byte for byte" in story
    for part in ("mutants rejected", "decontamination against automationbench_format.jsonl", "calibration: accepted"):
        assert part in story
    assert "selected: in band with probability" in story
    assert "trained on in updates" in story
    names = [one["name"] for one in audit["artifacts"]]
    assert set(names) == set(STAGES) - {"lineage_manifest"}


def test_altered_and_missing_files_are_named_by_the_audit(finished: FinishedRun, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(finished.store / "small", store / "small")
    root = store / "small" / "g1"
    assert worldloom(store, "audit", "small.g1/report").returncode == 0
    tasks = root / "clean_tasks" / "tasks.jsonl"
    tasks.write_text(tasks.read_text().replace('"split":"train"', '"split":"held_out"', 1))
    next((root / "lora_adapter" / "adapter").glob("*.safetensors")).unlink()
    done = worldloom(store, "audit", "small.g1/report")
    assert done.returncode == 1
    assert "clean_tasks/tasks.jsonl was altered" in done.stderr
    assert "lora_adapter/adapter/adapter_model.safetensors is missing" in done.stderr
    unharmed = worldloom(store, "audit", "small.g1/training_set")
    assert "adapter_model" not in unharmed.stdout


def test_an_altered_engagement_is_named_by_the_audit(finished: FinishedRun, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(finished.store / "small", store / "small")
    settings = store / "small" / "g1" / "engagement.json"
    settings.write_text(settings.read_text().replace('"max_attempts": 200', '"max_attempts": 201'))
    done = worldloom(store, "audit", "small.g1/report")
    assert done.returncode == 1
    assert "engagement.json was altered" in done.stderr


def test_a_task_that_was_altered_names_its_stage(finished: FinishedRun, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(finished.store / "small", store / "small")
    tasks = store / "small" / "g1" / "clean_tasks" / "tasks.jsonl"
    line = tasks.read_text().splitlines()[0]
    task = json.loads(line)["id"]
    for altered, said in ((line.replace('"split":"train"', '"split":"trian"'), "split"), (line[:-1], "not JSON")):
        assert altered != line
        tasks.write_text(altered + "\n")
        done = worldloom(store, "show", task)
        assert done.returncode == 2
        assert "clean_tasks" in done.stderr
        assert "was altered" in done.stderr
        assert said in done.stderr


@pytest.mark.parametrize(
    "text",
    ['{"transcript": [1]}', '{"transcript": 3}', '{"messages": 3}', '[{"tool_calls": 5}]', '[{"tool_calls": [3]}]'],
)
def test_a_transcript_of_another_shape_is_bad_input(finished: FinishedRun, tmp_path: Path, text: str) -> None:
    line = (finished.root / "clean_tasks" / "tasks.jsonl").read_text().splitlines()[0]
    transcript = tmp_path / "transcript.json"
    transcript.write_text(text)
    with pytest.raises(BadInput, match=r"transcript\.json"):
        transcripts.judge_transcript(Task.model_validate_json(line), transcript)


def test_a_store_that_can_only_be_read_has_a_status(finished: FinishedRun, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(finished.store / "small", store / "small")
    lock = store / "small" / "g1" / "lock"
    lock.chmod(0o444)
    before = (lock.read_bytes(), lock.stat().st_mtime_ns)
    assert not Store(store).is_locked("small.g1")
    assert (lock.read_bytes(), lock.stat().st_mtime_ns) == before
    lock.unlink()
    assert not Store(store).is_locked("small.g1")
    assert not lock.exists()


def test_a_task_can_be_read_and_its_reference_judged(finished: FinishedRun, tmp_path: Path) -> None:
    line = (finished.root / "clean_tasks" / "tasks.jsonl").read_text().splitlines()[0]
    task = json.loads(line)
    shown = worldloom(finished.store, "show", task["id"])
    assert task["prompt"] in shown.stdout
    assert task["reference"][0]["tool"] in shown.stdout
    calls = [
        {"function": {"name": call["tool"], "arguments": json.dumps(call["arguments"])}} for call in task["reference"]
    ]
    transcript = tmp_path / "transcript.json"
    transcript.write_text(json.dumps([{"role": "assistant", "tool_calls": calls}]))
    judged = worldloom(finished.store, "verify", task["id"], str(transcript))
    assert judged.returncode == 0
    assert judged.stdout.startswith("strict pass, partial credit 1.00")
    transcript.write_text("[]")
    idle = worldloom(finished.store, "verify", task["id"], str(transcript))
    assert idle.returncode == 1
    assert idle.stdout.startswith("no pass, partial credit 0.00")


def test_a_shortage_ends_with_its_sentence_and_exit_code_1(finished: FinishedRun, tmp_path: Path) -> None:
    store = tmp_path / "store"
    path = write(
        tmp_path / "short.yaml",
        changed(
            ("calibration.band", {"low": 0.48, "high": 0.52}),
            ("calibration.tau", 0.95),
            ("calibration.max_attempts", 8),
            ("calibration.max_batches", 0),
        ),
    )
    done = worldloom(store, "select", str(path))
    assert done.returncode == 1
    assert "domain hr lacks 1 of 1" in done.stderr
    assert "Traceback" not in done.stderr
    status = json.loads(worldloom(store, "status", str(path), "--json").stdout)
    assert status["stages"]["training_set"] == {
        "state": "short",
        "rows_in": None,
        "rows_out": None,
        "dropped": None,
        "data_version": None,
    }
    assert status["stages"]["calibrated_tasks"]["state"] == "done"


def test_the_next_generation_delivers_nothing_twice(finished: FinishedRun, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(finished.store / "small", store / "small")
    done = worldloom(store, "decontaminate", str(finished.engagement), "--new", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["generation"] == 2
    first, second = Store(store).open("small.g1"), Store(store).open("small.g2")
    assert second.manifest("clean_tasks").facts["earlier_tasks"] == first.manifest("clean_tasks").rows_out
    ids = [{row["id"] for row in one.rows("clean_tasks", "tasks.jsonl")} for one in (first, second)]
    assert not ids[0] & ids[1]
