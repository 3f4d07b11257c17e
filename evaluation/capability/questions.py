"""Questions are what a benchmark asked one by one, with what each answer earned, where a harness leaves that on disk.

NeMo Evaluator's own result file has means only. Beside it lie, by framework: `byob_predictions.jsonl` of its
bring-your-own-benchmark mode, `samples_<task>_<time>.jsonl` of lm-evaluation-harness, the page of simple_evals, or
`nemo-evaluator-per-sample-outputs/`.
"""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from environment.record import content_hash

PER_SAMPLE = "nemo-evaluator-per-sample-outputs"
_SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
_EXAMPLE = "<h3>Prompt conversation</h3>"
_PROMPT_END = "<h3>Sampled message</h3>"
_PAGE_SCORE = re.compile(r"<p>Score: (\S+?)</p>")

Answer = tuple[Any, float | None]
"""What tells the question from others, and what the answer earned; None where it was not scored."""


@dataclass(frozen=True, slots=True)
class Questions:
    """One run's questions."""

    scores: dict[str, float]
    """Hash of the question -> mean of what its answers earned."""
    unscored: int
    """Answers that earned nothing because the request or the scoring failed: in no mean."""
    source: str
    """Name of the file or folder."""


def read_questions(folder: Path, task: str, score: str) -> Questions | None:
    """The questions of a run of `task`; None where its folder has none with that score.

    Raises ValueError when a file that should have them is broken.
    """
    found = _found(folder, task, score)
    if found is None:
        return None
    answers, source = found
    earned: defaultdict[str, list[float]] = defaultdict(list)
    unscored = 0
    for question, value in answers:
        if value is None:
            unscored += 1
        else:
            earned[content_hash(question)].append(value)
    scores = {question: sum(values) / len(values) for question, values in earned.items()}
    return Questions(scores, unscored, source) if scores else None


def _found(folder: Path, task: str, score: str) -> tuple[Iterator[Answer], str] | None:
    named = sorted(folder.glob(f"{PER_SAMPLE}/**/*.jsonl"))
    if named:
        return (answer for path in named for answer in _normalised(path)), PER_SAMPLE
    own = sorted(folder.glob("**/byob_predictions.jsonl"))
    if own:
        return _byob(own[0], score), own[0].name
    samples: dict[str, Path] = {}
    for path in sorted(folder.glob("**/samples_*.jsonl")):
        if match := _SAMPLES.fullmatch(path.name):
            samples[match["task"]] = path  # sorted by time: the newest stays
    if samples:
        return (answer for name, path in samples.items() for answer in _lm_eval(name, path, score)), "samples_*.jsonl"
    pages = sorted((folder / task).glob("*.html"))
    return (_page(pages[0]), pages[0].name) if pages else None


def _normalised(path: Path) -> Iterator[Answer]:
    for row in _rows(path):
        if row.get("score") is not None:  # a step on the way to an answer has none
            yield [row.get("id"), row.get("query")], _number(row["score"])


def _byob(path: Path, score: str) -> Iterator[Answer]:
    for row in _rows(path):
        scores = row.get("scores") or {}
        yield [row.get("prompt"), row.get("target")], _number(scores.get(score))


def _lm_eval(task: str, path: Path, score: str) -> Iterator[Answer]:
    metric, _, chosen = score.partition("__")
    for row in _rows(path):
        if metric in row and (not chosen or row.get("filter") == chosen):
            yield [task, row.get("doc_hash", row.get("doc_id"))], _number(row[metric])


def _page(path: Path) -> Iterator[Answer]:
    """The page repeats every conversation; what it was asked stands before the model's message."""
    for example in path.read_text("utf-8", errors="replace").split(_EXAMPLE)[1:]:
        prompt, _, answer = example.partition(_PROMPT_END)
        # The model's own message may hold such a line too, escaped or not: the harness's comes last.
        scores = _PAGE_SCORE.findall(answer)
        yield html.unescape(prompt), _number(scores[-1]) if scores else None


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                raise ValueError(f"{path}, line {number} is no JSON object; the file is cut off or none of its kind")
            yield row


def _number(value: Any) -> float | None:
    try:
        return float(value) if isinstance(value, bool | int | float | str) else None
    except ValueError:
        return None
