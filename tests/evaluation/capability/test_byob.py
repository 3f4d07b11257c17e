"""NeMo Evaluator itself, in its bring-your-own-benchmark mode, asks a served model; both are real."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from environment.serving.command import server_command
from environment.serving.server import served
from environment.serving.settings import Serving
from evaluation.capability.comparison import compare_capability
from evaluation.capability.results import read_results
from evaluation.capability.runner import Answering, answer_benchmarks, evaluator_versions
from evaluation.capability.settings import CapabilitySettings

VARIABLE = "WORLDLOOM_NEMO_PYTHON"
WEIGHTS = Path(__file__).parents[3] / "training" / "reference_policy" / "weights"

if not os.environ.get(VARIABLE):
    pytest.skip(
        f"{VARIABLE} names no interpreter with nemo-evaluator; make one: python -m venv nemo && nemo/bin/pip install "
        "nemo-evaluator==0.2.8",
        allow_module_level=True,
    )
if not all(map(find_spec, ("transformers", "uvicorn", "fastapi"))):
    pytest.skip("the extra `serve` (transformers[serving]) is not installed", allow_module_level=True)
if not (WEIGHTS / "config.json").exists():
    pytest.skip("the reference policy's weights are not in this checkout", allow_module_level=True)

PYTHON = Path(os.environ[VARIABLE])
QUESTIONS = {"Done.": "done", "hello": "done", "OK": "ok", "Bye": "bye", "Thanks": "done", "1": "1", "A": "done"}
"""Question -> what must stand in the answer; the model knows little else than to say that it is done."""
MODULE = """
from nemo_evaluator.contrib.byob import ScorerInput, benchmark, scorer


@benchmark(name="worldloom answers", dataset="questions.jsonl", prompt="{question}", target_field="answer")
@scorer
def contains_answer(given: ScorerInput) -> dict:
    return {"correct": given.target in given.response.lower()}
"""


@pytest.fixture
def task(tmp_path: Path) -> Iterator[str]:
    """A benchmark of our own, installed into that environment as its own program does, and taken out again."""
    rows = [json.dumps({"question": question, "answer": answer}) for question, answer in QUESTIONS.items()]
    (tmp_path / "questions.jsonl").write_text("\n".join(rows))
    (tmp_path / "answers.py").write_text(MODULE)
    compiler = PYTHON.parent / "nemo-evaluator-byob"
    place = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    site = Path(subprocess.run([PYTHON, "-c", place], capture_output=True, text=True, check=True).stdout.strip())
    started_with = {path: path.read_bytes() for path in site.glob("nemo_evaluator_byob.pth")}
    words = [str(compiler), "answers.py", "--install-dir", "packages"]
    try:
        subprocess.run(words, cwd=tmp_path, capture_output=True, check=True)
        yield "byob_worldloom_answers.worldloom_answers"
    finally:
        package = "nemo-evaluator-byob_worldloom_answers"
        subprocess.run([PYTHON, "-m", "pip", "uninstall", "-qy", package], capture_output=True, check=True)
        (site / "nemo_evaluator_byob.pth").unlink(missing_ok=True)
        for path, content in started_with.items():
            path.write_bytes(content)


def test_a_served_model_is_asked_and_compared_with_itself(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMALL_KEY", "secret-5174")
    settings = CapabilitySettings.model_validate(
        {"python": PYTHON, "seed": 20, "benchmarks": [{"task": task}], "temperature": 0, "max_new_tokens": 24}
    )
    assert evaluator_versions(settings)["nemo-evaluator"].startswith("0.2.")
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    serving = Serving(kind="transformers", extra_args=("--device", "cpu"), stop_s=5)
    command = server_command(serving, base_url=url, model=str(WEIGHTS), weights=WEIGHTS, adapters={})

    async def ask() -> list[Path]:
        async with served(command, serving, tmp_path / "server.log"):
            return [
                await answer_benchmarks(settings, Answering(name, url, str(WEIGHTS), "SMALL_KEY"), tmp_path / "out dir")
                for name in ("base", "adapter")
            ]

    base, adapter = map(read_results, asyncio.run(ask()))
    found = compare_capability(base, adapter, seed="test")
    (row,) = found.rows
    answered = base[task].questions
    assert answered is not None and len(answered.scores) == len(QUESTIONS)
    predictions = tmp_path / "out dir" / "base" / task / "worldloom_answers" / "byob_predictions.jsonl"
    rows = [json.loads(line) for line in predictions.read_text().splitlines()]
    right = [QUESTIONS[one["prompt"]] in one["response"].lower() for one in rows]
    assert 0 < sum(right) < len(right)
    assert row.base == row.adapter == pytest.approx(sum(right) / len(right))
    assert (row.difference, row.low, row.high, row.p_value, row.test) == (0, 0, 0, 1, "McNemar, exact")
    assert found.verdict.startswith("No significant change on one benchmark.")
    kept = [path for path in (tmp_path / "out dir").rglob("*") if path.is_file()]
    assert not any(b"secret-5174" in path.read_bytes() for path in kept)
