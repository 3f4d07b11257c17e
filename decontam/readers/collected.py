"""A collected import is the tasks of one source, each with something to compare and a name of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from decontam.benchmark import Benchmark, BenchmarkSource, BenchmarkTask, is_import_name, tasks_hash
from decontam.readers.place import Place
from decontam.words import words_of

FIELD_LETTERS = 1_000_000
"""Longest text that one field of a task may hold: more is a mistake of whoever exported it."""


def collected(
    found: Iterable[tuple[Place, BenchmarkTask]], *, name: str, source: str, version: str, reader: str
) -> Benchmark:
    """The import. Raises ValueError for no task, too long a text, a prompt without words or a task that comes twice."""
    if not is_import_name(name):
        raise ValueError(
            f"{name!r} cannot name an import; with --name give lower-case letters, digits, '_' and '-', as in my-tasks"
        )
    tasks: list[BenchmarkTask] = []
    seen: dict[tuple[str, str], Place] = {}
    for place, task in found:
        _refuse_long(task, place)
        if not words_of(task.prompt):
            place.refuse(f"is no task: the prompt of {task.name} holds no word; export it again or leave the row out")
        keys = [("name", task.name)]
        if task.example_id is not None:
            keys.append((f"example_id in domain {task.domain}", str(task.example_id)))
        for key in keys:
            if key in seen:
                place.refuse(
                    f"has the {key[0]} {key[1]!r} that {place.unit} {seen[key].number} has; remove one of them"
                )
            seen[key] = place
        tasks.append(task.model_copy(update={"benchmark": name}))
    if not tasks:
        raise ValueError(f"{source} holds no task; give a benchmark with at least one")
    content_hash = tasks_hash(tasks)
    counts = dict(sorted(Counter(task.domain for task in tasks).items()))
    stated = BenchmarkSource(
        name=name, source=source, version=version, content_hash=content_hash, counts=counts, reader=reader
    )
    return Benchmark(tasks=tuple(tasks), source=source, content_hash=content_hash, is_stand_in=False, sources=(stated,))


def name_from(text: str) -> str:
    """A name for an import, made of a file's or a folder's."""
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_")


def _refuse_long(task: BenchmarkTask, place: Place) -> None:
    for path, text in _texts("", task.to_json()):
        if len(text) > FIELD_LETTERS:
            place.refuse(
                f"is no task: {path} of {task.name[:80]} has {len(text):,} characters and a field may have "
                f"{FIELD_LETTERS:,}; shorten it or leave the row out"
            )


def _texts(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every string in a value, keys too, with its path."""
    waiting: list[tuple[str, Any]] = [(path, value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, Mapping):
            for key, item in value.items():
                yield f"a key in {path}", key
                waiting.append((f"{path}.{key[:80]}".lstrip("."), item))
        elif isinstance(value, (list, tuple)):
            waiting.extend((f"{path}[{number}]", item) for number, item in enumerate(value))
