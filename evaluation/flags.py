"""Flags mark tasks whose grading somebody doubts, in named sets; a gain must not hang on them."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from pathlib import Path

HEADINGS = ("task", "set")


def read_flags(path: Path) -> dict[str, tuple[str, ...]]:
    """Task names by flag set, from a CSV with the columns `task` and `set`, one flag a line; a task may be in several.

    Raises ValueError with path and line for a file that is missing, no such CSV or without a flag, and for a line
    without a task or a set.
    """
    try:
        lines = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    except FileNotFoundError:
        raise ValueError(f"there is no file {path}; give a CSV with the columns task and set") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} cannot be read ({error}); give a UTF-8 CSV with the columns task and set") from None
    headings = [cell.strip().lower() for cell in lines[0]] if lines else []
    if any(heading not in headings for heading in HEADINGS):
        raise ValueError(f"{path} begins with {headings}; its first line must name the columns task and set")
    places = [headings.index(heading) for heading in HEADINGS]
    flags: dict[str, dict[str, None]] = {}
    for number, cells in enumerate(lines[1:], 2):
        if not any(cell.strip() for cell in cells):
            continue
        task, flag = (cells[place].strip() if place < len(cells) else "" for place in places)
        if not task or not flag:
            raise ValueError(f"{path} line {number} has no {'set' if task else 'task'}; complete or remove it")
        flags.setdefault(flag, {})[task] = None
    if not flags:
        raise ValueError(f"{path} flags no task; add lines, or leave the flags out")
    return {flag: tuple(tasks) for flag, tasks in sorted(flags.items())}


def read_monitored(path: Path) -> tuple[str, ...]:
    """Names of the tasks that decisions were taken on, one a line. Raises ValueError when there is none."""
    try:
        names = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read ({error}); give a text file with one task name a line") from None
    if not any(names):
        raise ValueError(f"{path} names no task; give one task name a line")
    return tuple(dict.fromkeys(filter(None, names)))


def exclusions(
    monitored: Collection[str], flags: Mapping[str, Collection[str]], suite: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """What is left out for each row of a sensitivity table: the monitored tasks, each flag set, all flags together.

    Raises ValueError when the suite has none of the monitored tasks or of a set: the names must be of another suite.
    """
    sets: dict[str, Collection[str]] = {"without monitored tasks": monitored} if monitored else {}
    sets |= {f"without tasks flagged {flag}": tasks for flag, tasks in flags.items()}
    if len(flags) > 1:
        sets["without any flagged task"] = tuple(dict.fromkeys(task for tasks in flags.values() for task in tasks))
    known = frozenset(suite)
    found = {name: tuple(task for task in tasks if task in known) for name, tasks in sets.items()}
    for name, tasks in found.items():
        if not tasks:
            raise ValueError(f"{name!r} leaves out nothing: none of {next(iter(sets[name]))}, ... is in the suite")
    return found
