"""A judge reads tasks, one by one, and holds each against the benchmark; it knows nothing of the other tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from decontam.benchmark import Benchmark
from decontam.companies import companies_in
from decontam.minhash import Sketch, sketch
from decontam.passages import passages_of_task
from decontam.public_side import PublicSide
from decontam.reading import read, shingles_of
from decontam.settings import DecontaminationSettings
from decontam.verdicts import REPORTED, RULES, Overlap, Side
from environment.task import Task


@dataclass(frozen=True, slots=True)
class Finding:
    """What one task holds, and what of the benchmark it overlaps with."""

    overlaps: tuple[Overlap, ...]
    """The clearest one under each rule against the benchmark."""
    reported: tuple[Overlap, ...]
    whole: Sketch | None
    """What its whole text is compared with others by, None when it has no words."""
    names: tuple[str, ...]
    """Keys of the companies it names."""
    passages: int
    words: int
    ngrams: int


class Judge:
    """The benchmark, indexed, in this process."""

    def __init__(self, benchmark: Benchmark, settings: DecontaminationSettings) -> None:
        self._public = PublicSide(benchmark, settings)
        self._settings = settings

    @property
    def side(self) -> Side:
        """How much text all benchmarks brought together."""
        return self._public.side

    @property
    def sides(self) -> dict[str, Side]:
        """How much text each benchmark brought, by its name."""
        return self._public.sides

    def findings(self, tasks: Iterable[Task]) -> Iterator[Finding]:
        """What each task holds and overlaps with, in order. Raises ValueError for a task without text."""
        return map(self._finding, tasks)

    def sketches(self, tasks: Iterable[Task]) -> Iterator[Sketch | None]:
        """The sketch of each task's whole text, in order."""
        return (sketch(shingles_of(read(passages_of_task(task)), self._settings.shingle_words)) for task in tasks)

    def _finding(self, task: Task) -> Finding:
        reading = read(passages_of_task(task))
        if all(passage.field.startswith("actor.") for passage in reading.passages):
            raise ValueError(
                f"task {task.id} has no text: neither its prompt nor its world holds a word; drop it or make it again"
            )
        companies = companies_in(reading)
        whole = sketch(shingles_of(reading, self._settings.shingle_words))
        meant = self._public.nearest_meanings(task)
        return Finding(
            overlaps=(
                *self._public.overlaps(reading, companies, whole),
                *(near for near in meant if near.rule in RULES),
            ),
            reported=(
                *self._public.reported(task, reading, companies),
                *(near for near in meant if near.rule in REPORTED),
            ),
            whole=whole,
            names=tuple(companies),
            passages=len(reading.passages),
            words=reading.word_count(),
            ngrams=int(np.count_nonzero(reading.left >= self._settings.ngram_words)),
        )
