"""A durable file is either the old one or the new one, whenever the machine stops."""

from __future__ import annotations

import os
from pathlib import Path


def write_durably(path: Path, text: str) -> None:
    """Put `text` in place of the file's content in one step."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync(path.parent)


def append_durably(path: Path, line: str) -> None:
    """Add one line to the end of a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def read_lines(path: Path) -> list[str]:
    """The complete lines of a file that lines are appended to, without one that was cut while being written."""
    return path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []


def sync(path: Path) -> None:
    """Make a file's content, or a folder's list of names, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
