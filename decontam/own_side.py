"""The own side of the comparison is the tasks of this set found clean so far, in clusters of near-duplicates."""

from __future__ import annotations

from collections.abc import Sequence

from decontam.codes import Codes
from decontam.likeness import likeness
from decontam.minhash import SimilarityIndex, Sketch, slack
from decontam.passages import passages_of_task
from decontam.reading import read, shingles_of
from decontam.settings import DecontaminationSettings
from decontam.verdicts import Overlap
from environment.task import Task


class OwnSide:
    """The tasks kept so far, indexed by their whole text."""

    def __init__(self, tasks: Sequence[Task], settings: DecontaminationSettings) -> None:
        """`tasks` are all that will be judged, in the order of judgement."""
        self._tasks = tasks
        self._size = settings.shingle_words
        self._limit, self._duplicate = settings.cluster_jaccard, settings.duplicate_jaccard
        self._index = SimilarityIndex(settings.cluster_jaccard, self._shingles)
        self._leader: dict[int, int] = {}

    def overlaps_or_kept(self, number: int, whole: Sketch | None) -> tuple[Overlap, ...]:
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
                ours, other = self._tasks[number], self._tasks[-member]
                theirs = read(passages_of_task(other))
                shown = read(passages_of_task(ours))
                return (likeness("copy_in_set", shown, other.id, theirs, similarity, self._size),)
            self._index.add(number, whole)
            self._index.hold(number, whole)
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
