"""Decontamination drops every task that overlaps a benchmark, an earlier generation or a task before it.

Tasks are judged in an order of their own (family, seed, index, id), so the order in which they are given changes no
ruling, and of two copies the one that its family drew later goes.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from decontam.benchmark import Benchmark, BenchmarkTask
from decontam.minhash import SimilarityIndex, Sketch, sketch, slack
from decontam.names import CompanyName, NameIndex, companies_in
from decontam.ngrams import NgramIndex
from decontam.passages import passages_of_benchmark_task, passages_of_task, seen_by_the_agent
from decontam.reading import Codes, Reading, joined, read, shingles_of, window_codes
from decontam.settings import DecontaminationSettings
from decontam.verdicts import RULES, Decontamination, Overlap, Rule, Ruling, Side
from decontam.words import words_of
from environment.task import Task

logger = logging.getLogger(__name__)


def decontaminate(
    tasks: Sequence[Task], benchmark: Benchmark, earlier: Sequence[Task], settings: DecontaminationSettings
) -> Decontamination:
    """Rulings on `tasks`; `earlier` are the tasks of former generations, never of this one.

    Raises ValueError when an id comes twice and when a side has no passages, no n-grams or no company names: a
    comparison with nothing finds nothing and would look like a clean set.
    """
    repeated = [task_id for task_id, count in Counter(task.id for task in tasks).items() if count > 1]
    if repeated:
        raise ValueError(f"task {repeated[0]} is given twice; pass each candidate once")
    public = _PublicSide(benchmark, settings)
    former = _FormerSide(earlier, settings)
    ordered = sorted(tasks, key=lambda task: (task.family, task.seed, task.index, task.id))
    own = _OwnSide(ordered, settings)
    totals, names = Counter[str](), set[str]()
    found: dict[str, tuple[Overlap, ...]] = {}
    for number, task in enumerate(ordered):
        reading = read(passages_of_task(task))
        companies = companies_in(reading)
        whole = sketch(shingles_of(reading, settings.shingle_words))
        found[task.id] = (
            public.overlaps(reading, companies, whole)
            or former.overlaps(reading, whole)
            or own.overlaps_or_kept(number, reading, whole)
        )
        names.update(companies)
        totals.update(
            passages=len(reading.passages),
            words=reading.word_count(),
            ngrams=int(np.count_nonzero(reading.left >= settings.ngram_words)),
        )
    ours = Side(tasks=len(tasks), names=len(names), **{part: totals[part] for part in ("passages", "words", "ngrams")})
    _refuse_empty("the candidate tasks", ours)
    clusters = own.clusters()
    result = Decontamination(
        rulings=tuple(
            Ruling(
                task_id=task.id,
                domain=task.domain,
                family=task.family,
                kept=not found[task.id],
                cluster=clusters.get(task.id),
                overlaps=found[task.id],
            )
            for task in tasks
        ),
        settings=settings,
        benchmark_source=benchmark.source,
        benchmark_hash=benchmark.content_hash,
        benchmark_is_stand_in=benchmark.is_stand_in,
        benchmark_counts=benchmark.counts(),
        ours=ours,
        theirs=public.side,
        earlier_tasks=len(earlier),
        benchmark_sources=benchmark.sources,
        benchmark_sides=public.sides,
    )
    counts = result.counts()
    dropped = ", ".join(f"{counts[rule]} {rule}" for rule in RULES)
    logger.info("kept %d of %d: %s", counts["kept"], counts["input"], dropped)
    return result


def _refuse_empty(name: str, side: Side) -> None:
    missing = [part for part in ("tasks", "passages", "ngrams", "names") if getattr(side, part) == 0]
    if missing:
        raise ValueError(
            f"compared nothing: {name} have no {' and no '.join(missing)}; "
            "check that the right file was read and that its rows hold text"
        )


class _PublicSide:
    """The benchmark, indexed."""

    def __init__(self, benchmark: Benchmark, settings: DecontaminationSettings) -> None:
        self._tasks = benchmark.tasks
        self._size = settings.shingle_words
        readings = [read(passages_of_benchmark_task(task)) for task in benchmark.tasks]
        everything = joined(readings)
        self._owners = [number for number, reading in enumerate(readings) for _ in reading.passages]
        self._ngrams = NgramIndex(everything, settings.ngram_words)
        companies = companies_in(everything)
        self._names = NameIndex(everything, companies)
        self._wholes = SimilarityIndex(settings.benchmark_jaccard, self._shingles)
        self._prompts = SimilarityIndex(settings.benchmark_jaccard, self._shingles)
        for number, task in enumerate(benchmark.tasks):
            text = sketch(self._shingles(number))
            if text is not None:
                (self._wholes if task.initial_state else self._prompts).add(number, text)
        self.side = Side(
            tasks=len(benchmark.tasks),
            passages=len(everything.passages),
            words=everything.word_count(),
            ngrams=len(self._ngrams),
            names=len(companies),
        )
        _refuse_empty(f"the benchmark tasks of {benchmark.source}", self.side)
        self.sides = _sides(benchmark.tasks, readings, settings.ngram_words)

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
            other=self._tasks[self._owners[longest.other_number]].name,
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
            other=self._tasks[self._owners[theirs.number]].name,
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
        task = self._tasks[number]
        return _likeness("like_benchmark", reading, task.name, self._read(task), similarity, self._size)

    def _shingles(self, number: int) -> Codes:
        return shingles_of(self._read(self._tasks[number]), self._size)

    def _read(self, task: BenchmarkTask) -> Reading:
        return read(seen_by_the_agent(passages_of_benchmark_task(task)))


def _sides(tasks: Sequence[BenchmarkTask], readings: Sequence[Reading], size: int) -> dict[str, Side]:
    """How much text each benchmark brought, by its name."""
    members: dict[str, list[Reading]] = {}
    for task, reading in zip(tasks, readings, strict=True):
        members.setdefault(task.benchmark, []).append(reading)
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


class _FormerSide:
    """The tasks of earlier generations, indexed."""

    def __init__(self, tasks: Sequence[Task], settings: DecontaminationSettings) -> None:
        self._tasks = tasks
        self._size = settings.shingle_words
        self._index = SimilarityIndex(settings.earlier_jaccard, self._shingles)
        for number in range(len(tasks)):
            text = sketch(self._shingles(number))
            if text is not None:
                self._index.add(number, text)

    def overlaps(self, reading: Reading, whole: Sketch | None) -> tuple[Overlap, ...]:
        """The earlier task that this one is most like, if any reaches the limit."""
        found = self._index.similar(whole) if whole is not None else []
        if not found:
            return ()
        number, similarity = found[0]
        task = self._tasks[number]
        return (_likeness("like_earlier", reading, task.id, read(passages_of_task(task)), similarity, self._size),)

    def _shingles(self, number: int) -> Codes:
        return shingles_of(read(passages_of_task(self._tasks[number])), self._size)


class _OwnSide:
    """The tasks of this set found clean so far, in clusters of near-duplicates."""

    def __init__(self, tasks: Sequence[Task], settings: DecontaminationSettings) -> None:
        self._tasks = tasks
        self._size = settings.shingle_words
        self._limit, self._duplicate = settings.cluster_jaccard, settings.duplicate_jaccard
        self._index = SimilarityIndex(settings.cluster_jaccard, self._shingles)
        self._leader: dict[int, int] = {}

    def overlaps_or_kept(self, number: int, reading: Reading, whole: Sketch | None) -> tuple[Overlap, ...]:
        """The task before this one that it copies; when there is none, this one is kept and joins a cluster."""
        roots: set[int] = set()
        if whole is not None:
            copied: list[tuple[float, int]] = []
            for member, estimate in self._index.likely(whole):
                # One pair links a whole cluster; the other members matter only if they may be copied.
                if self._root(member) in roots and estimate < self._duplicate - slack(self._duplicate):
                    continue
                similarity = self._index.jaccard(whole, member)
                if similarity >= self._duplicate:
                    copied.append((similarity, -member))
                elif similarity >= self._limit:
                    roots.add(self._root(member))
            if copied:
                similarity, member = max(copied)
                other = self._tasks[-member]
                theirs = read(passages_of_task(other))
                return (_likeness("copy_in_set", reading, other.id, theirs, similarity, self._size),)
            self._index.add(number, whole)
        self._leader |= dict.fromkeys([number, *roots], min([number, *roots]))
        return ()

    def clusters(self) -> dict[str, str]:
        """Id of the first task of each kept task's cluster, by the task's id."""
        return {self._tasks[number].id: self._tasks[self._root(number)].id for number in self._leader}

    def _root(self, number: int) -> int:
        while self._leader[number] != number:
            self._leader[number] = self._leader[self._leader[number]]
            number = self._leader[number]
        return number

    def _shingles(self, number: int) -> Codes:
        return shingles_of(read(passages_of_task(self._tasks[number])), self._size)


def _likeness(rule: Rule, ours: Reading, name: str, theirs: Reading, similarity: float, size: int) -> Overlap:
    """The pair of passages that shares most shingles, as the example of what makes two texts alike."""
    our_codes, our_positions = window_codes(ours, size)
    their_codes, their_positions = window_codes(theirs, size)
    shared = our_positions[np.isin(our_codes, their_codes)].tolist()
    number, our_shared = _fullest(ours, shared)
    wanted = our_codes[np.isin(our_positions, our_shared)]
    other_number, their_shared = _fullest(theirs, their_positions[np.isin(their_codes, wanted)].tolist())
    return Overlap(
        rule=rule,
        path=ours.passages[number].path,
        text=ours.passages[number].text,
        other=name,
        other_path=theirs.passages[other_number].path,
        other_text=theirs.passages[other_number].text,
        shared=_covered(ours, our_shared, size),
        other_shared=_covered(theirs, their_shared, size),
        similarity=similarity,
    )


def _fullest(reading: Reading, positions: list[int]) -> tuple[int, list[int]]:
    """The passage that holds most of the positions, with them; the first passage when there are none."""
    held: dict[int, list[int]] = {0: []}
    for position in positions:
        held.setdefault(reading.passage_at(position), []).append(position)
    return max(held.items(), key=lambda item: (len(item[1]), -item[0]))


def _covered(reading: Reading, positions: list[int], size: int) -> tuple[str, ...]:
    """The words under windows of `size` words at `positions`, each once, in order."""
    places = sorted({position + offset for position in positions for offset in range(size)})
    return tuple(reading.words[place] for place in places)
