"""A Harbor dataset is a folder of task folders, each with task.toml, instruction.md and an environment to work in."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from decontam.benchmark import BenchmarkTask
from decontam.readers.collected import FIELD_LETTERS
from decontam.readers.place import Place

_SETTINGS, _REQUEST, _WORLD = "task.toml", "instruction.md", "environment"
_MARKS = (_SETTINGS, _REQUEST, _WORLD, "solution")
"""What makes a folder that of a task, even of a broken one."""
_READABLE = frozenset(".md .txt .csv .tsv .json .jsonl .html .htm .xml .yaml .yml .eml .log .rst .ics .vcf".split())
"""Endings of the files in a task's environment that people read."""


def harbor_tasks(folder: Path) -> Iterator[tuple[Place, BenchmarkTask]]:
    """The tasks by name of their folder. Raises ValueError naming the task whose folder isn't complete."""
    for number, path in enumerate(_task_folders(folder), 1):
        place = Place(str(folder), "task", number)
        settings = _settings(path, place)
        metadata = settings.get("metadata")
        category = metadata.get("category") if isinstance(metadata, Mapping) else None
        yield (
            place,
            BenchmarkTask(
                name=path.name,
                domain=category if isinstance(category, str) and category.strip() else "unknown",
                prompt=_request(path, place),
                initial_state=_world(path, place),
                row=number,
            ),
        )


def is_harbor(folder: Path) -> bool:
    """Whether a folder holds task folders, or is one."""
    return bool(_task_folders(folder))


def _task_folders(folder: Path) -> list[Path]:
    """The folder itself when it is a task's, else its task folders, else those in its folder `tasks`."""
    if (folder / _SETTINGS).is_file() or (folder / _REQUEST).is_file():
        return [folder.resolve()]
    for root in (folder, folder / "tasks"):
        found = [path for path in sorted(root.glob("*")) if any((path / mark).exists() for mark in _MARKS)]
        if found:
            return found
    return []


def _settings(folder: Path, place: Place) -> Mapping[str, Any]:
    try:
        return tomllib.loads(_read(folder / _SETTINGS, folder, place))
    except tomllib.TOMLDecodeError as error:
        place.refuse(f"({folder.name}): {_SETTINGS} is no TOML ({error}); mend it")


def _request(folder: Path, place: Place) -> str:
    """The instruction, or those of a task in several steps, in order of their folders' names."""
    steps = [] if (folder / _REQUEST).exists() else sorted(folder.glob(f"steps/*/{_REQUEST}"))
    texts = [_read(path, folder, place) for path in steps or [folder / _REQUEST]]
    for path, text in zip(steps or [folder / _REQUEST], texts, strict=True):
        if not text.strip():
            place.refuse(f"({folder.name}) has an empty {path.relative_to(folder)}; write it or remove the folder")
    return "\n\n".join(texts)


def _world(folder: Path, place: Place) -> dict[str, Any]:
    """The readable files of the environment, which the agent finds there, in whatever encoding they are."""
    found = [path for path in sorted((folder / _WORLD).rglob("*")) if path.suffix.lower() in _READABLE]
    files = [
        {"path": str(path.relative_to(folder)), "text": piece}
        for path in found
        if path.is_file()
        for piece in _pieces(_read(path, folder, place, errors="replace"))
    ]
    return {_WORLD: {"files": files}} if files else {}


def _pieces(text: str) -> Iterator[str]:
    """A long file cut at ends of lines, so that no piece is too long for a field."""
    while len(text) > FIELD_LETTERS:
        cut = text.rfind("\n", 0, FIELD_LETTERS) + 1 or FIELD_LETTERS
        yield text[:cut]
        text = text[cut:]
    yield text


def _read(path: Path, folder: Path, place: Place, errors: str = "strict") -> str:
    name = path.relative_to(folder)
    try:
        return path.read_text(encoding="utf-8-sig", errors=errors)
    except FileNotFoundError:
        place.refuse(f"({folder.name}) has no {name}; a task folder needs {_SETTINGS} and {_REQUEST}")
    except UnicodeDecodeError as error:
        place.refuse(f"({folder.name}): {name} is not UTF-8 text at byte {error.start + 1}; save it again")
    except OSError as error:
        place.refuse(f"({folder.name}): {name} cannot be read ({error.strerror}); check its permissions")
