"""A code is the 64-bit number of a word, the same in every process; codes of many words are computed at once.

A word's code is a polynomial in the numbers of its bytes, mixed so that every bit of it depends on every byte. Sums of
the terms up to each byte of a text give the code of any part of it by one subtraction, so no word is looked at alone.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint64]
Offsets = NDArray[np.int64]
"""Places of bytes."""

_BASE = 0x9E3779B97F4A7C15
_WORDS_AT_ONCE = 1 << 14


class SpelledCodes:
    """The codes of parts of one text in UTF-8, given by where each begins and ends."""

    def __init__(self, text: bytes) -> None:
        letters = np.frombuffer(text, dtype=np.uint8)
        self._powers = _powers.of(len(letters))
        terms = _NUMBERS[letters]
        terms *= self._powers.up[: len(letters)]
        self._sums = np.zeros(len(letters) + 1, dtype=np.uint64)
        np.cumsum(terms, out=self._sums[1:])

    def of(self, starts: Offsets, ends: Offsets) -> Codes:
        """The code of each part."""
        return _mixed((self._sums[ends] - self._sums[starts]) * self._powers.down[starts])

    def without(self, places: Offsets, starts: Offsets, ends: Offsets) -> Codes:
        """The code that each part has without its byte at a place."""
        after = (self._sums[ends] - self._sums[places + 1]) * self._powers.down[1]
        return _mixed((self._sums[places] - self._sums[starts] + after) * self._powers.down[starts])


class _Powers:
    """Powers of the base and of its inverse, of which there are as many as the longest text so far has bytes."""

    def __init__(self) -> None:
        self.up = self.down = np.ones(0, dtype=np.uint64)

    def of(self, count: int) -> _Powers:
        """Itself, with at least so many powers and one."""
        if len(self.up) <= count:
            length = 1 << (count + 1).bit_length()
            self.up, self.down = (_running_powers(base, length) for base in (_BASE, pow(_BASE, -1, 1 << 64)))
        return self


def _running_powers(base: int, length: int) -> Codes:
    powers = np.full(length, base, dtype=np.uint64)
    powers[0] = 1
    return np.multiply.accumulate(powers)


def _mixed(values: Codes) -> Codes:
    """The finalizer of splitmix64 (doi:10.1145/2660193.2660195)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


_powers = _Powers()
_NUMBERS = _mixed(np.arange(1, 257, dtype=np.uint64) * np.uint64(_BASE))
"""A number of 64 bits for each value of a byte."""


def codes_between_blanks(text: bytes) -> tuple[Codes, Offsets, Offsets]:
    """The codes of the words of `text`, in UTF-8 and set apart by blanks, with where each begins and ends."""
    is_letter = np.zeros(len(text) + 2, dtype=np.int8)
    is_letter[1:-1] = np.frombuffer(text, dtype=np.uint8) != ord(" ")
    edges = np.flatnonzero(is_letter[1:] != is_letter[:-1])
    starts, ends = edges[::2], edges[1::2]
    blocks = [np.zeros(0, dtype=np.uint64)]
    for first in range(0, len(starts), _WORDS_AT_ONCE):
        inside = slice(first, first + _WORDS_AT_ONCE)
        low, high = int(starts[first]), int(ends[inside][-1])
        blocks.append(SpelledCodes(text[low:high]).of(starts[inside] - low, ends[inside] - low))
    return blocks[-1] if len(blocks) < 3 else np.concatenate(blocks), starts, ends


def codes_of(words: Iterable[str]) -> Codes:
    """The code of each word; no word is empty or holds a blank."""
    codes, _, _ = codes_between_blanks(" ".join(words).encode("utf-8", "surrogatepass"))
    return codes


def numbers_of_ranges(starts: Offsets, stops: Offsets) -> tuple[Offsets, Offsets]:
    """Every number of each range, after which of the ranges it is of."""
    sizes = stops - starts
    ranges = np.repeat(np.arange(len(sizes)), sizes)
    return ranges, np.arange(len(ranges)) - np.repeat(np.cumsum(sizes) - sizes - starts, sizes)
