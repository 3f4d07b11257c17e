"""A joint reading is many readings as one; what is looked at only where something was found is packed.

Of a benchmark of millions of words, the codes lie open, in arrays; each word is a number into a vocabulary, and the
passages of each reading are compressed. A process with such an index needs a third less memory.
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

_OPEN = 4
"""Readings whose passages are kept unpacked: those looked at last."""


def joined(readings: Iterable[Reading]) -> Reading:
    """One reading of all the passages of `readings`, in order; each may be forgotten when the next is made."""
    passages, words = _Passages(), _Words()
    starts, codes, left = array("i"), array("Q"), array("i")
    for reading in readings:
        starts.extend([len(words) + start for start in reading.starts])
        passages.add(reading.passages)
        words.add(reading.words)
        codes.frombytes(reading.codes.tobytes())
        left.frombytes(reading.left.tobytes())
    return Reading(passages, words, np.array(codes, copy=False), starts, np.array(left, copy=False))


class _Words(Sequence[str]):
    """Words as numbers into the list of different ones."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._vocabulary: list[str] = []
        self._places = array("I")

    def add(self, words: Sequence[str]) -> None:
        self._places.extend(map(self._numbers.__getitem__, words))
        self._vocabulary = list(self._numbers) if len(self._numbers) > len(self._vocabulary) else self._vocabulary

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self._vocabulary[number] for number in self._places[place]]
        return self._vocabulary[self._places[place]]

    def __iter__(self) -> Iterator[str]:
        return map(self._vocabulary.__getitem__, self._places)


class _Numbers(dict[str, int]):
    """Number of each word, in the order in which they came."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


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
