"""A result row is what an export says of one attempt; it is read for the task's name and the score."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from evaluation.scores import Score

_CONTEXT_FULL = re.compile(
    r"context[ _-]?(length|window|size|limit|overflow)|maximum context|overlong|prompt is too long"
    r"|exceed\w*\W+(\w+\W+){0,4}context\b(?!\W+(manager|deadline|cancel))"
)


def name_of(row: Any) -> str | None:
    """The task's name: `name` in exports, `task` in raw output, `info.task_name` in raw rows that carry the task."""
    if not isinstance(row, dict):
        return None
    info = row.get("info")
    if isinstance(info, str):
        try:
            info = json.loads(info)
        except (ValueError, RecursionError):
            info = None
    candidates = (row.get("name"), info.get("task_name") if isinstance(info, dict) else None, row.get("task"))
    return next((name for name in candidates if isinstance(name, str) and name), None)


def score_of(row: Mapping[str, Any]) -> Score | None:
    """The row's score; None when an error is recorded, the model was never called or there is no score."""
    credit = first_of(row.get("score"), _metrics(row).get("partial_credit"), row.get("reward"))
    if _infrastructure_error(row) or credit is None:
        return None
    if isinstance(credit, bool) or not isinstance(credit, int | float) or not 0 <= credit <= 1:
        raise ValueError(f"the score is a share in [0, 1], given {short(credit)}")
    passed = _passed(row)
    if passed not in (None, True, False):
        raise ValueError(f"`passed` is true or false, given {short(passed)}")
    if passed is not None and bool(passed) != (credit == 1):
        raise ValueError(
            f"passed is {bool(passed)} at a score of {credit}, and a task passes at 1 exactly; export it again"
        )
    return Score(strict=credit == 1, partial_credit=abs(float(credit)), collateral=None, incomplete=None)


def _passed(row: Mapping[str, Any]) -> Any:
    return first_of(row.get("passed"), _metrics(row).get("task_completed_correctly"))


def _metrics(row: Mapping[str, Any]) -> Mapping[str, Any]:
    metrics = row.get("metrics")
    return metrics if isinstance(metrics, dict) else {}


def _infrastructure_error(row: Mapping[str, Any]) -> bool:
    # A context overflow is the model's doing (it read too much), not the machine's, so its score stands.
    failed = bool(row.get("error")) and not _CONTEXT_FULL.search(json.dumps(row["error"]).lower())
    return failed or row.get("num_model_calls") == 0


def first_of(*values: Any) -> Any:
    """The first value that is there."""
    return next((value for value in values if value is not None), None)


def short(value: Any) -> str:
    """As Python writes it, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
