"""A checkpoint is a folder from which training goes on; it counts only when it was marked as completely written."""

from __future__ import annotations

import shutil
from pathlib import Path

from training.durable import sync

_MARK = "complete"


def mark_complete(checkpoint: Path) -> None:
    """Make everything in the folder durable, then the mark that says so."""
    for path in checkpoint.iterdir():
        if path.is_file():
            sync(path)
    (checkpoint / _MARK).touch()
    sync(checkpoint)


def newest_checkpoint(folder: Path) -> Path | None:
    """The complete checkpoint of the latest update, None when there is none."""
    complete = [path for path in folder.glob("checkpoint-*") if (path / _MARK).exists()]
    return max(complete, key=update_of, default=None)


def discard_incomplete(folder: Path) -> None:
    """Delete the checkpoints that were cut while being written."""
    for path in folder.glob("checkpoint-*"):
        if not (path / _MARK).exists():
            shutil.rmtree(path)


def update_of(checkpoint: Path | None) -> int:
    """The number of updates that a checkpoint has behind it; 0 without one."""
    return int(checkpoint.name.rsplit("-", 1)[1]) if checkpoint else 0
