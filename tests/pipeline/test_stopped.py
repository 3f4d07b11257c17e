"""A run is stopped by a check that guards what follows, in a sentence that says what the check demands."""

from __future__ import annotations

import json
from pathlib import Path

from assets.generation import tasks_in
from assets.stages.candidates import generate_candidates
from assets.stages.cleaning import STAGE, clean_proven
from pipeline.store import Store
from tests.assets.test_clean_tasks import begun, proven, public_row
from tests.pipeline.command import worldloom


def test_an_overlap_put_back_into_the_clean_tasks_stops_the_next_stage(tmp_path: Path) -> None:
    benchmark = tmp_path / "public.jsonl"
    generation = begun(Store(tmp_path / "store"), tmp_path, "small", ("decontamination.benchmarks", [str(benchmark)]))
    generate_candidates(generation)
    taken = next(tasks_in(generation, "candidate_tasks"))
    benchmark.write_text(json.dumps(public_row(taken, "hr.taken")) + "\n")
    clean_proven(proven(generation))
    with (generation.folder(STAGE) / "tasks.jsonl").open("a") as file:
        file.write(taken.model_dump_json() + "\n")
    stopped = worldloom(tmp_path / "store", "calibrate", str(tmp_path / "small.yaml"))
    assert stopped.returncode == 1
    assert "clean_tasks: the check no_overlap_is_left did not pass, so that nothing further is made" in stopped.stderr
    assert "It demands: Decontaminating the clean tasks once more drops none" in stopped.stderr
    assert not generation.is_finished("calibrated_tasks")
