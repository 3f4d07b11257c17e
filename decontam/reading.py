"""A reading is the words of some passages in one sequence, coded as numbers so that windows of them compare fast."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import overload

import numpy as np
from numpy.typing import NDArray

from decontam.codes import Codes, Offsets, codes_between_blanks, codes_of
from decontam.passages import Passage
from decontam.words import BREAK, spelled_words, words_of_spelled

Places = NDArray[np.int32]
"""Positions or numbers of words: a reading has less than two thousand million."""

_FACTOR = 0x9E3779B97F4A7C15
_SIEVE_BITS = 20
_BLOCK = 1 << 18
"""Windows coded at once: of a whole benchmark, intermediate sums would take as much memory as its index."""


_BREAK = codes_of([BREAK])[0]


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of `passages`, one passage after the other, each followed by BREAK."""

    passages: Sequence[Passage]
    """Those that hold a word."""
    words: Sequence[str]
    codes: Codes
    """Code of each word."""
    starts: Sequence[int]
    """Position of each passage's first word."""
    left: Places
    """For each position, how many words of its passage begin there or later; 0 at a BREAK."""

    def passage_at(self, position: int) -> int:
        """Number of the passage that holds the word at `position`."""
        return bisect_right(self.starts, position) - 1

    def word_count(self) -> int:
        """Words of all passages."""
        return int(np.count_nonzero(self.left))


class _Words(Sequence[str]):
    """Words cut out of a text when they are looked at, which most never are."""

    def __init__(self, text: bytes, starts: Offsets, ends: Offsets) -> None:
        self._text, self._starts, self._ends = text, starts, ends

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        return self._text[self._starts[place] : self._ends[place]].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return iter(words_of_spelled(self._text))


def read(passages: Iterable[Passage]) -> Reading:
    """The reading of those of `passages` that hold a word."""
    given = list(passages)
    text = spelled_words([passage.text for passage in given])
    codes, begins, ends = codes_between_blanks(text)
    breaks = np.flatnonzero(codes == _BREAK)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), breaks[:-1] + 1]) if len(given) else breaks
    left = (np.repeat(breaks, breaks - starts + 1) - np.arange(len(codes))).astype(np.int32)
    held = starts < breaks
    return Reading(list(compress(given, held.tolist())), _Words(text, begins, ends), codes, starts[held].tolist(), left)


def window_codes(reading: Reading, size: int) -> tuple[Codes, Places]:
    """Codes of all windows of `size` words inside one passage, with their positions."""
    count = max(0, len(reading.words) - size + 1)
    blocks = [_window_block(reading, size, start, min(start + _BLOCK, count)) for start in range(0, count, _BLOCK)]
    if len(blocks) == 1:
        return blocks[0]
    codes = [np.zeros(0, dtype=np.uint64), *(codes for codes, _ in blocks)]
    return np.concatenate(codes), np.concatenate([np.zeros(0, dtype=np.int32), *(places for _, places in blocks)])


def _window_block(reading: Reading, size: int, start: int, stop: int) -> tuple[Codes, Places]:
    sums = np.zeros(stop - start, dtype=np.uint64)
    for offset in range(size):
        sums += reading.codes[start + offset : stop + offset] * _factor(offset)
    inside = np.flatnonzero(reading.left[start:stop] >= size).astype(np.int32)
    return sums[inside], inside + np.int32(start)


def shingles_of(reading: Reading, size: int) -> Codes:
    """Codes of all windows of `size` words, and of each shorter passage as a whole; not sorted, may repeat."""
    windows, _ = window_codes(reading, size)
    starts = np.array(reading.starts, dtype=np.int64)
    short = starts[reading.left[starts] < size] if len(starts) else starts
    if not len(short):
        return windows
    lengths = reading.left[short]
    sums = lengths.astype(np.uint64) * _factor(size)
    for offset in range(size - 1):
        longer = lengths > offset
        sums[longer] += reading.codes[short[longer] + offset] * _factor(offset)
    return np.concatenate([windows, sums])


def _factor(offset: int) -> np.uint64:
    return np.uint64(pow(_FACTOR, offset + 1, 1 << 64))


class WordPlaces:
    """Where each word of a reading stands."""

    def __init__(self, reading: Reading) -> None:
        order = np.argsort(reading.codes, kind="stable").astype(np.int32)
        ordered = reading.codes[order]
        firsts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)])
        self._codes, self._order = ordered[firsts], order
        self._bounds = array("i", [*firsts.tolist(), len(order)])

    def have(self, codes: Codes) -> NDArray[np.bool_]:
        """Whether each is the code of a word that stands somewhere."""
        places = np.searchsorted(self._codes, codes)
        return self._codes[np.minimum(places, len(self._codes) - 1)] == codes

    def of(self, word: str) -> Places:
        """Positions of `word`, in order."""
        code = codes_of([word])[0]
        place = int(np.searchsorted(self._codes, code))
        if place == len(self._codes) or self._codes[place] != code:
            return self._order[:0]
        return self._order[self._bounds[place] : self._bounds[place + 1]]


class Sieve:
    """A set of words that finds its few possible places in a long reading without looking at every word in Python."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._table = np.zeros(1 << _SIEVE_BITS, dtype=bool)
        self._table[codes_of(self._words) & _SIEVE_MASK] = True

    def positions(self, reading: Reading) -> list[int]:
        """Positions whose word is in the set, in order."""
        places = np.flatnonzero(self._table[reading.codes & _SIEVE_MASK]).tolist()
        return [place for place in places if reading.words[place] in self._words]


_SIEVE_MASK = np.uint64((1 << _SIEVE_BITS) - 1)
