"""A name's opening is where it may begin among the words of a reading, told without spelling any name out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from decontam.codes import Codes, SpelledCodes, codes_of
from decontam.name_keys import folded
from decontam.reading import Reading

TABLE_BITS = 22
CODE_MASK = np.uint64((1 << TABLE_BITS) - 1)
_BIT_AT, _BIT_MASK = np.uint64(3), np.uint64(7)
_SHIFTS = (np.uint64(0), np.uint64(32))
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_AT_A_TIME = 256


class NameOpenings:
    """How keys may begin in words, as one word or as two words in a row; true where the code of such words may be."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._singles, self._pairs = _CodeFilter(), _CodeFilter()
        by_length: dict[int, list[bytes]] = {}
        for key in keys:
            spelled = key.encode("utf-8", "surrogatepass")
            by_length.setdefault(len(spelled), []).append(spelled)
        for length, group in by_length.items():
            for start in range(0, len(group), _AT_A_TIME):
                self._take_in(group[start : start + _AT_A_TIME], length)

    def _take_in(self, keys: list[bytes], length: int) -> None:
        """Takes in several keys of one length, which have their parts in the same places."""
        codes = SpelledCodes(b"".join([key + b"s" for key in keys]))
        first = np.arange(len(keys))[:, np.newaxis] * (length + 1)
        self._singles.add(codes.of(first, first + np.array([length, length + 1])).ravel())
        parts = np.array([(end, stop) for end in range(1, length) for stop in range(end + 1, length + 2)])
        if len(parts):
            ends, stops = parts.T
            heads, rests = codes.of(first, first + ends), codes.of(first + ends, first + stops)
            self._pairs.add(pair_codes_of(heads, rests).ravel())

    def positions(self, reading: Reading) -> list[int]:
        """Where a name may begin."""
        codes = _folded_codes(reading)
        likely = np.concatenate([self._singles.places(codes), self._pairs.places(pair_codes(codes))])
        return np.unique(likely[reading.left[likely] > 0]).tolist()


class _CodeFilter:
    """Codes of which nearly all others can be told: a Bloom filter with two bits a code."""

    def __init__(self) -> None:
        self._table = np.zeros(1 << TABLE_BITS, dtype=np.uint8)

    def add(self, codes: Codes) -> None:
        """Takes them in."""
        for shift in _SHIFTS:
            bits = np.left_shift(1, (codes >> shift) & _BIT_MASK).astype(np.uint8)
            # Plain indexing would lose one of two bits of one byte.
            np.bitwise_or.at(self._table, (codes >> shift >> _BIT_AT) & CODE_MASK, bits)

    def places(self, codes: Codes) -> NDArray[np.int64]:
        """Where among `codes` one may have been taken in."""
        places = np.arange(len(codes))
        for shift in _SHIFTS:
            shifted = codes[places] >> shift
            held = self._table[(shifted >> _BIT_AT) & CODE_MASK] >> (shifted & _BIT_MASK).astype(np.uint8)
            places = places[held & 1 > 0]
        return places


def pair_codes(codes: Codes) -> Codes:
    """The code of each word with the one after it."""
    return pair_codes_of(codes[:-1], codes[1:])


def pair_codes_of(words: Codes, following: Codes) -> Codes:
    """The code of each of `words` with the one that follows it."""
    return words * _FACTOR + following


def _folded_codes(reading: Reading) -> Codes:
    """The reading's codes with those of words beyond ASCII taken without their accents, as keys are."""
    codes = reading.codes
    for number, passage in enumerate(reading.passages):
        if passage.text.isascii():
            continue
        start = reading.starts[number]
        for position in range(start, start + int(reading.left[start])):
            if not reading.words[position].isascii():
                if codes is reading.codes:
                    codes = codes.copy()
                codes[position] = codes_of([folded(reading.words[position])])[0]
    return codes
