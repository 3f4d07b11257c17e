"""`worldloom capability` on folders of results: the table, the page, and one sentence for what can't be compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.cli import app
from tests.evaluation.capability import runs
from tests.pipeline.command import worldloom


def test_two_folders_of_results_are_compared(tmp_path: Path) -> None:
    for side in ("base", "adapter"):
        runs.lm_eval(tmp_path / side / "gsm", "gsm8k_cot_instruct", runs.right(200, wrong=range(9)), model=side)
        runs.byob(tmp_path / side / "own", "own", runs.right(50), model=side)
    out = tmp_path / "out"
    sides = [str(tmp_path / "base"), str(tmp_path / "adapter")]
    done = worldloom(tmp_path, "capability", *sides, "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert any(line.split()[1:4] == ["95.5%", "95.5%", "+0.0"] for line in done.stdout.splitlines())
    assert "No significant change on two benchmarks." in done.stdout
    assert done.stdout.endswith(f"report: {out / 'report.html'}\n")
    page = (out / "report.html").read_text()
    assert "Capability: adapter against base" in page and "own/results.yml" in page
    told = CliRunner().invoke(app, ["capability", *sides, "--out", str(out), "--json"])
    assert json.loads(told.stdout) == json.loads((out / "report.json").read_text())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "there is no folder"),
        (["empty"], "has no results.yml in it or below"),
        (["other"], "the adapter has no result of byob_own.own; run it, or compare what is common"),
        (["base", "--score", "byob_own.own"], "--score byob_own.own names no score; write it as TASK=SCORE"),
        (["base", "--score", "byob_own.own=f1"], "has the scores pass@1/correct and none of them is f1; name one"),
        (["base", "--out", "base/own/results.yml/x"], "cannot be written"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    runs.byob(tmp_path / "base" / "own", "own", runs.right(20))
    runs.byob(tmp_path / "other" / "other", "other", runs.right(20))
    (tmp_path / "empty").mkdir()
    adapter, *more = arguments
    if "--out" in more:
        more[more.index("--out") + 1] = str(tmp_path / more[more.index("--out") + 1])
    else:
        more += ["--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, ["capability", str(tmp_path / "base"), str(tmp_path / adapter), *more])
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert sentence in done.stderr
