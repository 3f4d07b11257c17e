"""A published score is what somebody reports of a model on AutomationBench, to be set beside our own numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from environment.record import Record
from evaluation.comparison import Comparison
from evaluation.result_file import SCORED_TASKS

SHIPPED = Path(__file__).parent / "published.yaml"


class PublishedScore(Record):
    """One row of the comparison table."""

    model: str
    effort: str
    """Reasoning effort, in the source's words."""
    score: float = Field(ge=0, le=100)
    """pass@1 in percent."""
    set: Literal["public", "private"]
    """Of the benchmark's tasks; the two sets' scores can't be compared."""
    source: str
    is_ours: bool = False
    """Measured in this very report."""


def read_published(path: Path | None = None) -> tuple[PublishedScore, ...]:
    """The rows of a YAML list, those that ship with the package when `path` is None, as they stand in the file.

    Raises ValueError with one sentence when it is no such list.
    """
    path = path or SHIPPED
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
        return TypeAdapter(tuple[PublishedScore, ...]).validate_python(data)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"{path} cannot be read ({error}); give a YAML list of published scores") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise ValueError(
            f"{path}: {place}: {first['msg']}, given {str(first['input'])[:80]}; each row has model, effort, score, "
            "set and source"
        ) from None


def beside_published(found: Comparison, path: Path | None = None) -> tuple[PublishedScore, ...]:
    """The two sides of a comparison among the published scores: public ones best first, then private ones.

    Empty unless the comparison is over the whole suite, which published scores are about.
    """
    published = read_published(path)
    if found.tasks != SCORED_TASKS:
        return ()
    each = found.attempts / found.tasks
    effort = next((check for check in found.settings if check.name == "reasoning_effort"), None)
    ours = tuple(
        PublishedScore(
            model=label,
            effort=str(stated or "not stated"),
            score=100 * score,
            set="public",
            source=f"this report, {each:.3g} attempt{'s' * (each != 1)} a task",
            is_ours=True,
        )
        for label, score, stated in (
            (found.base_policy, found.base, effort and effort.base),
            (found.adapter_policy, found.adapter, effort and effort.adapter),
        )
    )
    return tuple(sorted((*ours, *published), key=lambda row: (row.set != "public", -row.score, not row.is_ours)))
