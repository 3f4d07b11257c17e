"""The public side of the comparison is the benchmarks, indexed by runs of words, company names and whole texts."""

from __future__ import annotations

import pickle
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

import numpy as np

from decontam.benchmark import Benchmark, BenchmarkTask
from decontam.codes import Codes
from decontam.companies import CompaniesFound, CompanyName, companies_in
from decontam.joint_reading import joined
from decontam.likeness import likeness
from decontam.meaning import MeaningIndex
from decontam.minhash import SimilarityIndex, Sketch, sketch
from decontam.names import NameIndex, SharedName
from decontam.ngrams import NgramIndex, SharedRun
from decontam.passages import passages_of_benchmark_task, seen_by_the_agent
from decontam.reading import Reading, read, shingles_of, window_codes
from decontam.sentence_model import SentenceModel
from decontam.settings import DecontaminationSettings
from decontam.structure import (
    Fingerprint,
    LookAlike,
    StructureIndex,
    fingerprint_of_benchmark_task,
    fingerprint_of_task,
)
from decontam.verdicts import Notice, Overlap, Rule, Side
from decontam.words import words_of
from environment.task import Task


class PublicSide:
    """The benchmark, indexed."""

    def __init__(self, benchmark: Benchmark, settings: DecontaminationSettings) -> None:
        """Raises ValueError when the benchmark, or one of several, brings no text to compare with."""
        # The tasks themselves are not kept: their passages are all that is shown, at half the memory.
        self._keys = [benchmark.key(task) for task in benchmark.tasks]
        self._size = settings.shingle_words
        self._wholes = SimilarityIndex(settings.benchmark_jaccard, self._shingles)
        self._prompts = SimilarityIndex(settings.benchmark_jaccard, self._shingles)
        self._owners = array("i")
        self._fingerprints: list[Fingerprint | None] = []
        found = CompaniesFound()
        everything = joined(self._noted(number, task, found) for number, task in enumerate(benchmark.tasks))
        self._passages = everything.passages
        # Read back when nothing else of the passages is left, so that no name holds on to memory among what is free.
        packed = pickle.dumps(found.by_key())
        del found
        companies: dict[str, CompanyName] = pickle.loads(packed)
        self._names = NameIndex(everything, companies)
        self._ngrams = NgramIndex(everything, settings.ngram_words)
        self._structures = StructureIndex(self._fingerprints)
        self._prompt_texts = [task.prompt for task in benchmark.tasks]
        self._meaning = settings.meaning
        self._meanings = MeaningIndex(self._prompt_texts, SentenceModel()) if settings.meaning is not None else None
        self.side = _side(len(benchmark.tasks), everything, len(self._ngrams), companies)
        """How much text all benchmarks brought together."""
        in_prose = {source.name for source in benchmark.sources if source.reader in READERS_OF_PROSE}
        is_prose = bool(in_prose) and len(in_prose) == len(benchmark.sources)
        refuse_empty(f"the benchmark tasks of {benchmark.source}", self.side, is_prose)
        self.sides = _each(benchmark.tasks, settings.ngram_words, self.side)
        """How much text each benchmark brought, by its name."""
        for name, side in self.sides.items():
            refuse_empty(f"the tasks of the benchmark {name}", side, name in in_prose)

    def _noted(self, number: int, task: BenchmarkTask, companies: CompaniesFound) -> Reading:
        """The reading of a task, whose whole text and companies are noted by the way."""
        passages = passages_of_benchmark_task(task)
        reading, seen = read(passages), seen_by_the_agent(passages)
        whole = reading if len(seen) == len(passages) else read(seen)
        text = sketch(shingles_of(whole, self._size))
        if text is not None:
            (self._wholes if task.initial_state else self._prompts).add(number, text)
        companies.add(reading)
        self._owners.extend([number] * len(reading.passages))
        self._fingerprints.append(fingerprint_of_benchmark_task(task, reading))
        return reading

    def overlaps(
        self, reading: Reading, companies: Mapping[str, CompanyName], whole: Sketch | None
    ) -> tuple[Overlap, ...]:
        """The clearest overlap under each rule against the benchmark."""
        found = (self._shared_passage(reading), self._shared_name(reading, companies), self._like(reading, whole))
        return tuple(overlap for overlap in found if overlap is not None)

    def reported(self, task: Task, reading: Reading, companies: Mapping[str, CompanyName]) -> tuple[Overlap, ...]:
        """What drops nothing: companies whose names are one letter from the benchmark's, the nearest look-alike."""
        near = [self._of_name(pair, "near_name") for pair in self._names.near(companies)]
        alike = self._structures.look_alikes(fingerprint_of_task(task, reading))[:1]
        return (*near, *map(self._of_look_alike, alike))

    def nearest_meanings(self, task: Task) -> tuple[Overlap, ...]:
        """The benchmark task whose prompt is nearest in meaning, if it is near enough to be dropped for or reported."""
        near = self._meanings.nearest(task.prompt) if self._meanings is not None else None
        if near is None or self._meaning is None or near.cosine < self._meaning.report:
            return ()
        overlap = Overlap(
            rule="like_meaning" if near.cosine >= self._meaning.drop else "meaning_near",
            path="prompt",
            text=task.prompt,
            other=self._keys[near.number],
            other_path="prompt",
            other_text=self._prompt_texts[near.number],
            shared=(),
            other_shared=(),
            similarity=near.cosine,
        )
        return (overlap,)

    def every_overlap(self, reading: Reading, companies: Mapping[str, CompanyName]) -> tuple[Overlap, ...]:
        """All runs of words and all companies shared with the benchmark, not only the clearest."""
        runs, pairs = self._ngrams.shared_runs(reading), self._names.shared(reading, companies)
        return (*map(self._of_run, runs), *map(self._of_name, pairs))

    def _shared_passage(self, reading: Reading) -> Overlap | None:
        runs = self._ngrams.shared_runs(reading)
        return self._of_run(max(runs, key=lambda run: len(run.words))) if runs else None

    def _shared_name(self, reading: Reading, companies: Mapping[str, CompanyName]) -> Overlap | None:
        pairs = self._names.shared(reading, companies)
        return self._of_name(pairs[0]) if pairs else None

    def _of_run(self, run: SharedRun) -> Overlap:
        return Overlap(
            rule="shared_passage",
            path=run.passage.path,
            text=run.passage.text,
            other=self._keys[self._owners[run.other_number]],
            other_path=run.other.path,
            other_text=run.other.text,
            shared=run.words,
            other_shared=run.words,
        )

    def _of_look_alike(self, alike: LookAlike) -> Overlap:
        return Overlap(
            rule="look_alike",
            path="structure",
            text=alike.ours,
            other=self._keys[alike.number],
            other_path="structure",
            other_text=alike.theirs,
            shared=(),
            other_shared=(),
            similarity=alike.share,
        )

    def _of_name(self, pair: SharedName, rule: Rule | Notice = "company_name") -> Overlap:
        ours, theirs = pair.ours, pair.theirs
        return Overlap(
            rule=rule,
            path=ours.passage.path,
            text=ours.passage.text,
            other=self._keys[self._owners[theirs.number]],
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
        theirs = self._read(number)
        return likeness("like_benchmark", reading, self._keys[number], theirs, similarity, self._size)

    def _shingles(self, number: int) -> Codes:
        return shingles_of(self._read(number), self._size)

    def _read(self, number: int) -> Reading:
        """The reading of what the agent sees of a task."""
        low, high = bisect_left(self._owners, number), bisect_right(self._owners, number)
        return read(seen_by_the_agent(self._passages[low:high]))


READERS_OF_PROSE = ("harbor", "jsonl", "parquet")
"""What they read has no typed fields, so that it may name no company in a way that can be told without ours."""


def refuse_empty(name: str, side: Side, may_lack_names: bool = False) -> None:
    """Raises ValueError when `side` has nothing to compare: nothing would be found, and look like a clean set."""
    needed = ("tasks", "passages", "ngrams") if may_lack_names else ("tasks", "passages", "ngrams", "names")
    missing = [part for part in needed if getattr(side, part) == 0]
    if missing:
        told = " and no ".join("run of words as long as ngram_words" if part == "ngrams" else part for part in missing)
        raise ValueError(
            f"compared nothing: {name} have no {told}; check that the right file was read and that its rows hold text"
        )


def _each(tasks: Sequence[BenchmarkTask], size: int, side: Side) -> dict[str, Side]:
    """The side of each benchmark, when there is one alone that of all."""
    names = list(dict.fromkeys(task.benchmark for task in tasks))
    if len(names) == 1:
        return {names[0]: side}
    sides = {}
    for name in names:
        everything = joined(read(passages_of_benchmark_task(task)) for task in tasks if task.benchmark == name)
        count = sum(task.benchmark == name for task in tasks)
        ngrams = len(np.unique(window_codes(everything, size)[0]))
        sides[name] = _side(count, everything, ngrams, companies_in(everything))
    return sides


def _side(tasks: int, everything: Reading, ngrams: int, companies: Mapping[str, CompanyName]) -> Side:
    return Side(
        tasks=tasks,
        passages=len(everything.passages),
        words=everything.word_count(),
        ngrams=ngrams,
        names=len(companies),
    )
