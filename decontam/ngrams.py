"""An n-gram index finds passages that share a run of n words with a benchmark, exactly.

n = 13 as in arXiv:2005.14165, appendix C. Unlike there, nothing frequent is exempted: a boilerplate sentence of the
benchmark counts as much as any other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from decontam.codes import Codes
from decontam.passages import Passage
from decontam.reading import Reading, window_codes

_TABLE_BITS = 26


@dataclass(frozen=True, slots=True)
class SharedRun:
    """A run of words that a passage shares with one of the benchmark, as long as it goes."""

    passage: Passage
    other: Passage
    other_number: int
    """Number of the other passage in the indexed reading's passages."""
    words: tuple[str, ...]


class NgramIndex:
    """All windows of `size` words of one reading."""

    def __init__(self, reading: Reading, size: int) -> None:
        self.size = size
        self._reading = reading
        codes, positions = window_codes(reading, size)
        order = np.argsort(codes, kind="stable")
        self._codes, self._positions = codes[order], positions[order]
        self._count = int(np.count_nonzero(np.diff(self._codes))) + 1 if len(codes) else 0
        self._table = _bits_of(self._codes)

    def __len__(self) -> int:
        """Different windows indexed."""
        return self._count

    def shared_runs(self, reading: Reading) -> tuple[SharedRun, ...]:
        """Runs of at least `size` words shared by `reading` and the index, in order, with the first place of each."""
        codes, positions = window_codes(reading, self.size)
        # One byte looked up here spares a binary search for nearly every window that is not shared.
        likely = np.flatnonzero(self._table[(codes & _MASK) >> np.uint64(3)] & _BIT[codes & np.uint64(7)])
        if not len(likely):
            return ()
        lows = np.searchsorted(self._codes, codes[likely], side="left")
        likely = likely[self._codes[np.minimum(lows, len(self._codes) - 1)] == codes[likely]]
        lows = np.searchsorted(self._codes, codes[likely], side="left")
        highs = np.searchsorted(self._codes, codes[likely], side="right")
        runs: list[SharedRun] = []
        covered = 0
        for hit, place in enumerate(likely.tolist()):
            position = int(positions[place])
            if position + self.size <= covered:
                continue
            run = self._run(reading, position, self._positions[lows[hit] : highs[hit]].tolist())
            if run is not None:
                runs.append(run)
                covered = position + len(run.words)
        return tuple(runs)

    def _run(self, reading: Reading, position: int, places: list[int]) -> SharedRun | None:
        """The run from `position` on at the first of `places` whose words, not only their code, are the same."""
        window = reading.words[position : position + self.size]
        ours, theirs = reading.words, self._reading.words
        for place in places:
            if theirs[place : place + self.size] != window:
                continue
            limit = int(min(reading.left[position], self._reading.left[place]))
            length = self.size
            while length < limit and ours[position + length] == theirs[place + length]:
                length += 1
            number = self._reading.passage_at(place)
            passage = reading.passages[reading.passage_at(position)]
            words = tuple(ours[position : position + length])
            return SharedRun(passage, self._reading.passages[number], number, words)
        return None


_MASK = np.uint64((1 << _TABLE_BITS) - 1)
_BIT = np.left_shift(np.uint8(1), np.arange(8, dtype=np.uint8))


def _bits_of(codes: Codes) -> NDArray[np.uint8]:
    """A bit for the lower digits of every code, eight in a byte."""
    table = np.zeros(1 << (_TABLE_BITS - 3), dtype=np.uint8)
    np.bitwise_or.at(table, (codes & _MASK) >> np.uint64(3), _BIT[codes & np.uint64(7)])
    return table
