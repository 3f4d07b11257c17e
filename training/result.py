"""A training result says which adapter came out of a job; it is written last, so its presence says that all is done."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from environment.record import Record
from training.durable import write_durably

ADAPTER = "adapter"
"""Folder of adapter_model.safetensors and adapter_config.json in a job's output folder."""
_RESULT = "result.json"


class TrainingResult(Record):
    """What a finished job left in its output folder."""

    schema_version: Literal[1] = 1
    job: str
    """Content hash of the job."""
    updates: int
    """Made, which are fewer than planned when the monitor stopped the training."""
    stopped: str
    """Why there were no more."""
    adapter_sha256: str
    """Of adapter_model.safetensors."""


def read_result(output: Path) -> TrainingResult | None:
    """The result in this folder, None when the job there is not finished."""
    path = output / _RESULT
    return TrainingResult.model_validate_json(path.read_text(encoding="utf-8")) if path.exists() else None


def write_result(output: Path, result: TrainingResult) -> None:
    write_durably(output / _RESULT, result.model_dump_json(indent=2) + "\n")
