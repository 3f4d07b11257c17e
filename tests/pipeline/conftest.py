"""One small engagement, run to its end by processes that were killed on the way."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.command import ROOT, environment, worldloom
from tests.pipeline.small import write

WEIGHTS = ROOT / "training" / "reference_policy" / "weights" / "model.safetensors"
_PATIENCE_S = 240


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """What two killed processes and a third that finished left behind."""

    store: Path
    engagement: Path
    attempts_at_kill: tuple[str, ...]
    """Lines of the ledger when the process was killed during calibration."""
    updates_at_kill: tuple[str, ...]
    """Lines of the update log when it was killed during training."""
    trainers_left: tuple[int, ...]
    """Training programs that still lived a moment after their parent was killed."""
    status: dict[str, Any]
    """What the last process printed."""
    progress: str
    """What it said meanwhile."""

    @property
    def root(self) -> Path:
        return self.store / "small" / "g1"


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    if not WEIGHTS.exists():
        pytest.skip("the reference policy's weights are not in this checkout")
    folder = tmp_path_factory.mktemp("flow")
    store, path = folder / "store", write(folder / "small.yaml")
    root = store / "small" / "g1"
    attempts = killed_when(store, path, lambda: complete_lines(root / "calibrated_tasks" / "ledger" / "segments"))
    updates = killed_when(store, path, lambda: complete_lines(root / "lora_adapter"))
    left = waiting_for_end(root)
    done = worldloom(store, "run", str(path), "--json")
    assert done.returncode == 0, done.stderr
    return FinishedRun(store, path, attempts, updates, left, json.loads(done.stdout), done.stderr)


def killed_when(store: Path, path: Path, seen: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
    """Runs the engagement and kills the process without warning as soon as something is seen; returns that."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline.cli", "run", str(path)],
        cwd=ROOT,
        env=environment(store),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + _PATIENCE_S
    while not (found := seen()) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    _, said = process.communicate()
    assert found, said
    return seen()


def complete_lines(folder: Path) -> tuple[str, ...]:
    """Complete lines of the segments or of the update log in a folder."""
    paths = [*folder.glob("segment-*.jsonl"), *folder.glob("updates.jsonl")]
    return tuple(line for path in paths for line in path.read_text().split("\n")[:-1])


def waiting_for_end(root: Path) -> tuple[int, ...]:
    """Training programs of this generation that live on although their parent is gone."""
    for _ in range(50):
        left = tuple(trainers(root))
        if not left:
            return ()
        time.sleep(0.1)
    return left


def trainers(root: Path) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"training.grpo" in words and any(word.startswith(str(root).encode()) for word in words):
            found.append(int(path.parent.name))
    return found
