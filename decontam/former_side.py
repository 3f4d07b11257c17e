"""The former side of the comparison is the tasks of earlier generations, of which none is delivered twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from decontam.codes import Codes
from decontam.likeness import likeness
from decontam.minhash import SimilarityIndex, Sketch
from decontam.passages import passages_of_task
from decontam.reading import read, shingles_of
from decontam.settings import DecontaminationSettings
from decontam.verdicts import Overlap
from environment.task import Task


class FormerSide:
    """The tasks of earlier generations, indexed by their whole text."""

    def __init__(
        self, tasks: Sequence[Task], sketches: Iterable[Sketch | None], settings: DecontaminationSettings
    ) -> None:
        """`sketches` are those of `tasks`, in order."""
        self._tasks = tasks
        self._size = settings.shingle_words
        self._index = SimilarityIndex(settings.earlier_jaccard, self._shingles)
        for number, text in enumerate(sketches):
            if text is not None:
                self._index.add(number, text)

    def overlaps(self, task: Task, whole: Sketch | None) -> tuple[Overlap, ...]:
        """The earlier task that `task` is most like, if any reaches the limit."""
        found = self._index.similar(whole) if whole is not None else []
        if not found:
            return ()
        number, similarity = found[0]
        ours, theirs = read(passages_of_task(task)), read(passages_of_task(self._tasks[number]))
        return (likeness("like_earlier", ours, self._tasks[number].id, theirs, similarity, self._size),)

    def _shingles(self, number: int) -> Codes:
        return shingles_of(read(passages_of_task(self._tasks[number])), self._size)
