"""A name's opening is where it may begin among the words of a reading, told without spelling any name out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import xxhash
from numpy.typing import NDArray

from decontam.name_keys import folded
from decontam.reading import Codes, Reading, codes_of

TABLE_BITS = 22
CODE_MASK = np.uint64((1 << TABLE_BITS) - 1)
_BIT_AT, _BIT_MASK = np.uint64(TABLE_BITS), np.uint64(7)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_AT_A_TIME = 256


class NameOpenings:
    """How keys may begin in words, as one word or as two words in a row; true where the code of such words may be."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._singles, self._pairs = _CodeFilter(), _CodeFilter()
        by_length: dict[int, list[str]] = {}
        for key in keys:
            by_length.setdefault(len(key), []).append(key)
        for length, group in by_length.items():
            for start in range(0, len(group), _AT_A_TIME):
                self._take_in(group[start : start + _AT_A_TIME], length)

    def _take_in(self, keys: list[str], length: int) -> None:
        """Takes in several keys of one length, which have their parts in the same places."""
        self._singles.add(_unremembered(word for key in keys for word in (key, f"{key}s")))
        ends = range(1, length)
        heads = _unremembered(key[:end] for key in keys for end in ends).reshape(len(keys), -1)
        rests = _unremembered(
            rest
            for key in keys
            for end in ends
            for rest in (*(key[end:stop] for stop in range(end + 1, length + 1)), f"{key[end:]}s")
        ).reshape(len(keys), -1)
        head_of_rest = [end - 1 for end in ends for _ in range(end, length + 1)]
        self._pairs.add((heads[:, head_of_rest] * _FACTOR + rests).ravel())

    def positions(self, reading: Reading) -> list[int]:
        """Where a name may begin."""
        codes = _folded_codes(reading)
        likely = np.concatenate([self._singles.places(codes), self._pairs.places(pair_codes(codes))])
        return np.unique(likely[reading.left[likely] > 0]).tolist()


class _CodeFilter:
    """Codes of which nearly all others can be told: a Bloom filter with two bits a code, in a byte each."""

    def __init__(self) -> None:
        self._table = np.zeros(1 << TABLE_BITS, dtype=np.uint8)

    def add(self, codes: Codes) -> None:
        """Takes them in."""
        bits = np.left_shift(1, (codes >> _BIT_AT) & _BIT_MASK).astype(np.uint8)
        np.bitwise_or.at(self._table, codes & CODE_MASK, bits)  # plain indexing would lose one of two bits of one byte

    def places(self, codes: Codes) -> NDArray[np.int64]:
        """Where among `codes` one may have been taken in."""
        held = self._table[codes & CODE_MASK]
        places = np.flatnonzero(held)
        bits = (codes[places] >> _BIT_AT) & _BIT_MASK
        return places[(held[places] >> bits.astype(np.uint8)) & 1 > 0]


def _unremembered(words: Iterable[str]) -> Codes:
    """`codes_of` without its memory, which parts of names would fill for nothing."""
    digests = b"".join(xxhash.xxh3_64_digest(word.encode("utf-8", "surrogatepass")) for word in words)
    return np.frombuffer(digests, dtype=">u8").astype(np.uint64)


def pair_codes(codes: Codes) -> Codes:
    """The code of each word with the one after it."""
    return codes[:-1] * _FACTOR + codes[1:]


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
