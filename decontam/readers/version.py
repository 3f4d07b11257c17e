"""A version says which state of a source was read: a commit where there is one, else a hash of the bytes."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path


def version_of_file(path: Path) -> str:
    """`sha256:` and the hash of the file's bytes."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def version_of_folder(folder: Path) -> str:
    """`commit` and the git commit that the folder is at, `+changes` where its files differ from it; else a hash."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit and _git(folder, "ls-files", "--", "."):
        changes = _git(folder, "status", "--porcelain", "--", ".")
        return f"commit {commit}{'+changes' if changes else ''}"
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder)}\0{version_of_file(path)}\n".encode(errors="surrogateescape"))
    return f"sha256:{digest.hexdigest()}"


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
