"""The command line as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def environment(store: Path, **more: str) -> dict[str, str]:
    """This process's environment with a store and without a benchmark."""
    kept = {name: value for name, value in os.environ.items() if name != "WORLDLOOM_BENCHMARK"}
    return {**kept, "WORLDLOOM_STORE": str(store), "OMP_NUM_THREADS": "1", **more}


def worldloom(store: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The finished command."""
    return subprocess.run(
        [sys.executable, "-m", "pipeline.cli", *arguments],
        cwd=ROOT,
        env=environment(store, **more),
        capture_output=True,
        text=True,
    )
