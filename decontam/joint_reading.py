"""A joint reading is many readings as one; what is looked at only where something was found is packed.

Of a benchmark of millions of words, the codes lie open, in arrays; the passages of each reading are compressed, and
words are read again from them where they are asked for.
"""

from __future__ import annotations

import marshal
import zlib
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import overload

import numpy as np

from decontam.passages import Passage
from decontam.reading import Reading
from decontam.words import BREAK, spelled_words, words_of_spelled

_OPEN = 4
"""Readings whose passages are kept unpacked: those looked at last."""


def joined(readings: Iterable[Reading]) -> Reading:
    """One reading of all the passages of `readings`, in order; each may be forgotten when the next is made."""
    passages, starts = _Passages(), array("i")
    codes, left = array("Q"), array("i")
    for reading in readings:
        starts.extend([len(codes) + start for start in reading.starts])
        passages.add(reading.passages)
        codes.frombytes(reading.codes.tobytes())
        left.frombytes(reading.left.tobytes())
    words = _Words(passages, starts, len(codes))
    return Reading(passages, words, np.array(codes, copy=False), starts, np.array(left, copy=False))


class _Words(Sequence[str]):
    """Words read again from the passages that hold them, where they are looked at."""

    def __init__(self, passages: _Passages, starts: Sequence[int], count: int) -> None:
        self._passages, self._starts, self._count = passages, starts, count
        self._read: tuple[int, list[str]] = (-1, [])

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(self._count))]
        if not 0 <= place < self._count:
            raise IndexError(f"there are {self._count} words, none has the number {place}")
        number = bisect_right(self._starts, place) - 1
        if number < 0:
            return BREAK
        if number != self._read[0]:
            self._read = number, words_of_spelled(spelled_words([self._passages[number].text]))
        words = self._read[1]
        return words[min(place - self._starts[number], len(words) - 1)]


class _Passages(Sequence[Passage]):
    """Passages, those of one reading packed together."""

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        self._firsts = array("i", [0])
        self._open: OrderedDict[int, list[Passage]] = OrderedDict()

    def add(self, passages: Sequence[Passage]) -> None:
        self._packed.append(zlib.compress(marshal.dumps([tuple(passage) for passage in passages]), 1))
        self._firsts.append(self._firsts[-1] + len(passages))

    def __len__(self) -> int:
        return self._firsts[-1]

    @overload
    def __getitem__(self, place: int) -> Passage: ...
    @overload
    def __getitem__(self, place: slice) -> list[Passage]: ...
    def __getitem__(self, place: int | slice) -> Passage | list[Passage]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(f"there are {len(self)} passages, none has the number {place}")
        number = bisect_right(self._firsts, place) - 1
        return self._unpacked(number)[place - self._firsts[number]]

    def __iter__(self) -> Iterator[Passage]:
        return chain.from_iterable(map(self._unpacked, range(len(self._packed))))

    def _unpacked(self, number: int) -> list[Passage]:
        found = self._open.pop(number, None)
        if found is None:
            found = [Passage(*parts) for parts in marshal.loads(zlib.decompress(self._packed[number]))]
        self._open[number] = found
        if len(self._open) > _OPEN:
            self._open.popitem(last=False)
        return found
