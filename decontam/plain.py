"""The plain comparison takes texts word for word: sets of tuples of words, with no codes, tables or estimates.

It says by other means, more slowly, what decontamination promises of the tasks that it keeps.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from decontam.benchmark import Benchmark, BenchmarkTask
from decontam.passages import Passage, passages_of_benchmark_task, passages_of_task, seen_by_the_agent
from decontam.words import words_of
from environment.task import Task

Run = tuple[str, ...]


def tasks_sharing_a_run(tasks: Iterable[Task], benchmark: Benchmark, size: int) -> tuple[str, ...]:
    """Ids of the tasks with a passage of which `size` words in a row stand so in a passage of the benchmark."""
    theirs: set[Run] = set()
    for public in benchmark.tasks:
        for passage in passages_of_benchmark_task(public):
            theirs.update(_runs([sys.intern(word) for word in words_of(passage.text)], size))
    return tuple(
        task.id
        for task in tasks
        if not all(theirs.isdisjoint(_runs(words_of(passage.text), size)) for passage in passages_of_task(task))
    )


@dataclass(frozen=True, slots=True)
class Nearness:
    """How alike a benchmark task is to a task of ours, as a whole."""

    task: BenchmarkTask
    similarity: float
    """Jaccard index of the shingles of both."""


def nearest(task: Task, benchmark: Benchmark, size: int, count: int) -> tuple[Nearness, ...]:
    """The benchmark tasks most alike to `task`, by shingles of `size` words; those of unknown worlds by the prompt."""
    passages = passages_of_task(task)
    ours = _shingles(passages, size)
    prompt = _shingles([passage for passage in passages if passage.field == "prompt"], size)
    found = []
    for public in benchmark.tasks:
        theirs = _shingles(seen_by_the_agent(passages_of_benchmark_task(public)), size)
        found.append(Nearness(public, _jaccard(ours if public.initial_state else prompt, theirs)))
    return tuple(sorted(found, key=lambda one: (-one.similarity, one.task.benchmark, one.task.name))[:count])


def _runs(words: Sequence[str], size: int) -> Iterator[Run]:
    return zip(*(words[start:] for start in range(size)), strict=False)


def _shingles(passages: Iterable[Passage], size: int) -> set[Run]:
    """Every run of `size` words of a passage; a shorter passage as a whole."""
    found: set[Run] = set()
    for passage in passages:
        words = words_of(passage.text)
        if len(words) >= size:
            found.update(_runs(words, size))
        elif words:
            found.add(tuple(words))
    return found


def _jaccard(ours: set[Run], theirs: set[Run]) -> float:
    either = len(ours | theirs)
    return len(ours & theirs) / either if either else 0.0
