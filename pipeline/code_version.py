"""The code version says which commit and which packages made an artifact."""

from __future__ import annotations

import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path

from assets.manifest import CodeVersion

_CHECKOUT = Path(__file__).resolve().parents[1]
_PACKAGES = (
    "worldloom dagster numpy scipy pydantic datasketch pyarrow openai torch transformers trl peft accelerate".split()
)


@cache
def code_version() -> CodeVersion:
    """This process's code; what is not installed is left out."""
    packages = {}
    for name in _PACKAGES:
        try:
            packages[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return CodeVersion(commit=_commit(), packages=packages)


def _commit() -> str | None:
    if not (_CHECKOUT / ".git").exists():
        return None
    head, changes = _git("rev-parse", "HEAD"), _git("status", "--porcelain", "--untracked-files=no")
    return head and head + ("+changes" if changes else "")


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(_CHECKOUT), *arguments], capture_output=True, text=True, check=True, timeout=20
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
