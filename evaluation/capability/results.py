"""A benchmark result is what one run of NeMo Evaluator left behind: one score, and the questions where it has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import JsonValue

from evaluation.capability.questions import Questions, read_questions
from evaluation.capability.settings import SIX

FILE = "results.yml"
KNOWN_SCORES = {benchmark.task: benchmark.score for benchmark in SIX if benchmark.score}
"""Which score is compared where nobody says so."""
_ROUNDING = 1e-3
"""Result files round to four decimals or more."""


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """One side's result on one benchmark."""

    task: str
    model: str
    score: str
    """Name of the score."""
    value: float
    """In [0, 1]."""
    count: int | None
    """Values that it is the mean of; None where the file doesn't say."""
    stderr: float | None
    settings: Mapping[str, JsonValue]
    """What both sides must share."""
    questions: Questions | None
    """None where the folder has none, or none that `value` is the mean of."""
    note: str | None
    """What a reader must be told of it."""


def read_results(folder: Path, scores: Mapping[str, str] | None = None) -> dict[str, BenchmarkResult]:
    """Every result below a folder by its task; `scores` names the score of a task that has several.

    Raises ValueError for a folder without any, a broken file, or two results of one task.
    """
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}; give the one that NeMo Evaluator's {FILE} files lie in")
    found: dict[str, BenchmarkResult] = {}
    for path in sorted(folder.rglob(FILE)):
        if path.parent.suffix == ".part":
            continue  # a call that was interrupted
        result = read_result(path.parent, scores)
        if result.task in found:
            raise ValueError(f"{folder} has two results of {result.task}; keep one of them there")
        found[result.task] = result
    if not found:
        raise ValueError(f"{folder} has no {FILE} in it or below; give the output folder of nemo-evaluator run_eval")
    return found


def read_result(folder: Path, scores: Mapping[str, str] | None = None) -> BenchmarkResult:
    """The result in one output folder. Raises ValueError with what is wrong with it."""
    path = folder / FILE
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
        config, target = data["config"], data["target"]["api_endpoint"]
        task, params = str(config["type"]), dict(config["params"])
        entry = _entry(path, data["results"], {task, task.rpartition(".")[2], str(params.get("task"))})
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{path} cannot be read ({error}); give a whole {FILE} of NeMo Evaluator") from None
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, ValueError):
            raise
        raise ValueError(f"{path} is no result file of NeMo Evaluator: it lacks {error}") from None
    wanted = {**KNOWN_SCORES, **(scores or {})}.get(task)
    metric, name, found = _score(path, task, entry, wanted)
    value, stats = found.get("value"), found.get("stats") or {}
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{path}: {name} is {value} and a share in [0, 1] is wanted; compare another of its scores")
    questions = read_questions(folder, task, name)
    note = None
    if questions and not math.isclose(_mean(questions), value, abs_tol=_ROUNDING):
        note = (
            f"{task}: {questions.source} averages {_mean(questions):.4f} where {FILE} says {value:.4f}, so the "
            "questions are not those of the score and it is compared without them."
        )
        questions = None
    elif questions and questions.unscored:
        note = f"{task}: {questions.unscored} answers of {target['model_id']} were not scored and are in no rate."
    return BenchmarkResult(
        task=task,
        model=str(target["model_id"]),
        score=name if metric in (name, "score") else f"{metric}/{name}",
        value=float(value),
        count=stats.get("count"),
        stderr=stats.get("stderr"),
        settings={**_flat(params), "endpoint type": target.get("type"), **_flat(_versions(data))},
        questions=questions,
        note=note,
    )


def _entry(path: Path, results: Mapping[str, Any], names: set[str]) -> Mapping[str, Any]:
    """The whole benchmark's entry: a group where there are groups, else the task."""
    entries = results.get("groups") or results.get("tasks")
    if not entries:
        raise ValueError(f"{path} has no score: not one answer was scored; look into the log of that run")
    chosen = [entry for name, entry in entries.items() if name in names] or list(entries.values())
    if len(chosen) != 1:
        raise ValueError(f"{path} has results of {', '.join(entries)} and none for the whole; run one task at a time")
    metrics: Mapping[str, Any] = chosen[0]["metrics"]
    return metrics


def _score(path: Path, task: str, metrics: Mapping[str, Any], wanted: str | None) -> tuple[str, str, Mapping[str, Any]]:
    found = [(metric, name, score) for metric, holds in metrics.items() for name, score in holds["scores"].items()]
    chosen = [one for one in found if wanted in (None, one[0], one[1], f"{one[0]}/{one[1]}")]
    if len(chosen) == 1:
        return chosen[0]
    names = ", ".join(name if name == metric else f"{metric}/{name}" for metric, name, _ in found)
    said = f"none of them is {wanted}" if wanted and not chosen else "nothing says which counts"
    raise ValueError(f"{path}: {task} has the scores {names} and {said}; name one")


def _versions(data: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"version": (data.get("metadata") or {}).get("versioning") or {}, "git_hash": data.get("git_hash")}


def _flat(value: Mapping[str, Any], before: str = "") -> dict[str, JsonValue]:
    flat: dict[str, JsonValue] = {}
    for name, part in value.items():
        if isinstance(part, dict):
            flat.update(_flat(part, f"{before}{name}."))
        elif part is not None:
            flat[f"{before}{name}"] = part
    return flat


def _mean(questions: Questions) -> float:
    return sum(questions.scores.values()) / len(questions.scores)
