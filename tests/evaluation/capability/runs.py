"""Output folders of NeMo Evaluator as its frameworks leave them, made of answers that a test decides on."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml

MODEL = "small"


def results(
    folder: Path,
    task: str,
    entries: Mapping[str, Any],
    *,
    model: str = MODEL,
    grouped: bool = True,
    params: Mapping[str, Any] | None = None,
) -> Path:
    """`results.yml` with the keys that nemo-evaluator 0.2.8 writes."""
    folder.mkdir(parents=True, exist_ok=True)
    data = {
        "git_hash": None,
        "command": f"some-harness --model {model}",
        "config": {
            "output_dir": folder.name,
            "params": {"parallelism": 16, "task": task.rpartition(".")[2], "temperature": 0.0, **(params or {})},
            "type": task,
        },
        "target": {
            "api_endpoint": {"type": "chat", "model_id": model, "url": "http://127.0.0.1:9/v1/chat/completions"}
        },
        "results": {"groups": dict(entries) if grouped else {}, "tasks": dict(entries)},
    }
    (folder / "results.yml").write_text(yaml.safe_dump(data))
    return folder


def metric(metric: str, name: str, value: float, **stats: Any) -> dict[str, Any]:
    return {"metrics": {metric: {"scores": {name: {"value": value, "stats": stats}}}}}


def simple_evals(folder: Path, name: str, answers: Mapping[str, Sequence[float]], model: str = MODEL) -> Path:
    """A run of simple_evals: question -> what its answers earned; the page repeats every conversation."""
    task = f"simple_evals.{name}"
    mean = fmean(one for earned in answers.values() for one in earned)
    repeats = max(map(len, answers.values()))
    score = "micro" if repeats == 1 else f"micro_avg_of_{repeats}"
    entries = {name: metric("score", score, mean, stddev=0.4, stderr=0.01)}
    results(folder, task, entries, model=model, params={"extra": {"n_samples": repeats}})
    parts = []
    for question, earned in answers.items():
        for score_of_one in earned:
            parts.append(
                f"""
<h3>Prompt conversation</h3>
<div class="message user"><div class="content"><pre>{html.escape(question)}</pre></div></div>
<h3>Sampled message</h3>
<div class="message assistant"><div class="content"><pre>{model} says <p>Score: 0.5</p></pre></div></div>
<h3>Results</h3>
<p>Correct Answer: B</p>
<p>Extracted Answer: None</p>
<p>Score: {score_of_one}</p>
<hr>"""
            )
    (folder / task).mkdir()
    (folder / task / f"{name}.html").write_text(f"<!DOCTYPE html><html><body>{''.join(parts)}</body></html>")
    (folder / "report.html").write_text("<html>of the proxy</html>")
    return folder


def lm_eval(
    folder: Path, task: str, answers: Mapping[str, bool], model: str = MODEL, time: str = "2026-12-01T10-00-00.1"
) -> Path:
    """A run of lm-evaluation-harness with two filters, of which one scores everything 0."""
    metrics = {
        "exact_match__strict-match": {
            "scores": {"exact_match__strict-match": {"value": 0.0, "stats": {"stderr": 0.0}}}
        },
        "exact_match__flexible-extract": {
            "scores": {"exact_match__flexible-extract": {"value": fmean(answers.values()), "stats": {"stderr": 0.02}}}
        },
    }
    results(folder, f"lm-evaluation-harness.{task}", {task: {"metrics": metrics}}, model=model)
    lines = [
        json.dumps(
            {
                "doc_id": place,
                "doc": {"question": question},
                "filter": name,
                "metrics": ["exact_match"],
                "doc_hash": f"hash of {question}",
                "exact_match": float(is_right and name == "flexible-extract"),
            }
        )
        for name in ("strict-match", "flexible-extract")
        for place, (question, is_right) in enumerate(answers.items())
    ]
    (folder / model).mkdir(exist_ok=True)
    (folder / model / f"samples_{task}_{time}.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def byob(folder: Path, name: str, answers: Mapping[str, bool | None], model: str = MODEL) -> Path:
    """A run of the bring-your-own-benchmark mode; None is an answer that did not come."""
    scored = [one for one in answers.values() if one is not None]
    entries = {name: metric("pass@1", "correct", round(fmean(scored), 4), count=len(scored))}
    results(folder, f"byob_{name}.{name}", entries, model=model, grouped=False)
    lines = [
        json.dumps(
            {
                "sample_id": place,
                "prompt": question,
                "response": None if is_right is None else "an answer",
                "target": "x",
                "scores": None if is_right is None else {"correct": is_right},
                "status": "skipped_model_error" if is_right is None else "scored",
                "error": "500 Server Error" if is_right is None else None,
                "metadata": {},
            }
        )
        for place, (question, is_right) in enumerate(answers.items())
    ]
    (folder / name).mkdir()
    (folder / name / "byob_predictions.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def counted(folder: Path, task: str, value: float, count: int | None, model: str = MODEL) -> Path:
    """A run that left its mean alone."""
    stats = {} if count is None else {"count": count}
    return results(folder, task, {task: metric("accuracy", "accuracy", value, **stats)}, model=model)


def right(count: int, wrong: Sequence[int] = ()) -> dict[str, bool]:
    """Answers to `count` questions, all right but those."""
    return {f"question {place}?": place not in wrong for place in range(count)}
