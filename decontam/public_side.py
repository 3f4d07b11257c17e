"""The public side of the comparison is the benchmarks, indexed by runs of words, company names and whole texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from decontam.benchmark import Benchmark, BenchmarkTask
from decontam.likeness import likeness
from decontam.minhash import SimilarityIndex, Sketch, sketch
from decontam.names import CompanyName, NameIndex, companies_in
from decontam.ngrams import NgramIndex
from decontam.passages import passages_of_benchmark_task, seen_by_the_agent
from decontam.reading import Codes, Reading, joined, read, shingles_of, window_codes
from decontam.settings import DecontaminationSettings
from decontam.verdicts import Overlap, Side
from decontam.words import words_of


class PublicSide:
    """The benchmark, indexed."""

    def __init__(self, benchmark: Benchmark, settings: DecontaminationSettings) -> None:
        """Raises ValueError when the benchmark, or one of several, brings no text to compare with."""
        self._benchmark = benchmark
        self._tasks = benchmark.tasks
        self._size = settings.shingle_words
        self._wholes = SimilarityIndex(settings.benchmark_jaccard, self._shingles)
        self._prompts = SimilarityIndex(settings.benchmark_jaccard, self._shingles)
        readings = []
        for number, task in enumerate(benchmark.tasks):
            passages = passages_of_benchmark_task(task)
            readings.append(read(passages))
            seen = seen_by_the_agent(passages)
            whole = readings[-1] if len(seen) == len(passages) else read(seen)
            text = sketch(shingles_of(whole, self._size))
            if text is not None:
                (self._wholes if task.initial_state else self._prompts).add(number, text)
        everything = joined(readings)
        self._owners = [number for number, reading in enumerate(readings) for _ in reading.passages]
        self._ngrams = NgramIndex(everything, settings.ngram_words)
        companies = companies_in(everything)
        self._names = NameIndex(everything, companies)
        self.side = Side(
            tasks=len(benchmark.tasks),
            passages=len(everything.passages),
            words=everything.word_count(),
            ngrams=len(self._ngrams),
            names=len(companies),
        )
        """How much text all benchmarks brought together."""
        refuse_empty(f"the benchmark tasks of {benchmark.source}", self.side)
        self.sides = _sides(benchmark.tasks, readings, settings.ngram_words, self.side)
        """How much text each benchmark brought, by its name."""
        for name, side in self.sides.items():
            refuse_empty(f"the tasks of the benchmark {name}", side)

    def overlaps(
        self, reading: Reading, companies: Mapping[str, CompanyName], whole: Sketch | None
    ) -> tuple[Overlap, ...]:
        """The clearest overlap under each rule against the benchmark."""
        found = (self._shared_passage(reading), self._shared_name(reading, companies), self._like(reading, whole))
        return tuple(overlap for overlap in found if overlap is not None)

    def _shared_passage(self, reading: Reading) -> Overlap | None:
        runs = self._ngrams.shared_runs(reading)
        if not runs:
            return None
        longest = max(runs, key=lambda run: len(run.words))
        return Overlap(
            rule="shared_passage",
            path=longest.passage.path,
            text=longest.passage.text,
            other=self._key(self._owners[longest.other_number]),
            other_path=longest.other.path,
            other_text=longest.other.text,
            shared=longest.words,
            other_shared=longest.words,
        )

    def _shared_name(self, reading: Reading, companies: Mapping[str, CompanyName]) -> Overlap | None:
        pairs = self._names.shared(reading, companies)
        if not pairs:
            return None
        ours, theirs = pairs[0].ours, pairs[0].theirs
        return Overlap(
            rule="company_name",
            path=ours.passage.path,
            text=ours.passage.text,
            other=self._key(self._owners[theirs.number]),
            other_path=theirs.passage.path,
            other_text=theirs.passage.text,
            shared=tuple(words_of(ours.name)),
            other_shared=tuple(words_of(theirs.name)),
        )

    def _like(self, reading: Reading, whole: Sketch | None) -> Overlap | None:
        """Likeness to a benchmark task; one whose world is unknown is compared with the prompt alone."""
        found = self._wholes.similar(whole) if whole is not None else []
        if len(self._prompts):
            prompt = read(passage for passage in reading.passages if passage.field == "prompt")
            text = sketch(shingles_of(prompt, self._size))
            found += self._prompts.similar(text) if text is not None else []
        if not found:
            return None
        number, similarity = max(found, key=lambda pair: (pair[1], -pair[0]))
        theirs = self._read(self._tasks[number])
        return likeness("like_benchmark", reading, self._key(number), theirs, similarity, self._size)

    def _key(self, number: int) -> str:
        return self._benchmark.key(self._tasks[number])

    def _shingles(self, number: int) -> Codes:
        return shingles_of(self._read(self._tasks[number]), self._size)

    def _read(self, task: BenchmarkTask) -> Reading:
        return read(seen_by_the_agent(passages_of_benchmark_task(task)))


def refuse_empty(name: str, side: Side) -> None:
    """Raises ValueError when `side` has nothing to compare: nothing would be found, and look like a clean set."""
    missing = [part for part in ("tasks", "passages", "ngrams", "names") if getattr(side, part) == 0]
    if missing:
        raise ValueError(
            f"compared nothing: {name} have no {' and no '.join(missing)}; "
            "check that the right file was read and that its rows hold text"
        )


def _sides(tasks: Sequence[BenchmarkTask], readings: Sequence[Reading], size: int, side: Side) -> dict[str, Side]:
    members: dict[str, list[Reading]] = {}
    for task, reading in zip(tasks, readings, strict=True):
        members.setdefault(task.benchmark, []).append(reading)
    if len(members) == 1:
        return dict.fromkeys(members, side)
    sides = {}
    for name, group in members.items():
        everything = joined(group)
        sides[name] = Side(
            tasks=len(group),
            passages=len(everything.passages),
            words=everything.word_count(),
            ngrams=len(np.unique(window_codes(everything, size)[0])),
            names=len(companies_in(everything)),
        )
    return sides
