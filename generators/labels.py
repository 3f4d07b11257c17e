"""A label is a word of ours that would tell the agent what a row is for; none may be visible in a world."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from environment.task import Task

_WORDS = (
    "distractor", "decoy", "trap", "red herring", "honeypot", "near_duplicate", "near-duplicate", "near duplicate",
    "lookalike", "look-alike", "stale_row", "worldloom", "ground truth", "ground_truth", "reference solution", "mutant",
    "collateral", "hurried worker", "expected change", "automationbench", "benchmark", "chaff",
)  # fmt: skip
IdFields = Mapping[str, Mapping[str, str]]
"""app -> collection -> the field that is its rows' id."""
_TELLING_ID = re.compile(
    r"(?:^|[^a-z])(?:fake|wrong|right|dup|duplicate|stale|decoy|trap|target|noise|near|expected|answer|old|real)(?:[^a-z]|$)",
    re.I,
)


def find_labels(task: Task, id_fields: IdFields) -> list[str]:
    """Labels that stand in the prompt, the actor, the world's values or its ids."""
    texts = [task.prompt, *task.actor.values(), *_texts(task.world)]
    everything = "\n".join(texts).casefold()
    words = {*_WORDS, *(name for name in _names(task.family)), *(name for t in task.traps for name in _names(t.name))}
    found = [
        word for word in sorted(words) if word in everything and re.search(rf"(?<!\w){re.escape(word)}", everything)
    ]
    return found + [key for key in _ids(task, id_fields) if _TELLING_ID.search(key)]


def _names(name: str) -> tuple[str, ...]:
    """Ways in which a name of ours is written that ordinary prose doesn't use."""
    return (name, name.replace("_", "-"), name.replace("_", "")) if "_" in name else ()


def _ids(task: Task, id_fields: IdFields) -> Iterator[str]:
    for app, collections in task.world.items():
        for name, rows in collections.items():
            yield from (str(row[id_fields[app][name]]) for row in rows)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
