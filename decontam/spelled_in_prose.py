"""Spelled in prose are keys that one word of a reading is, or that two words in a row begin: told without a search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from decontam.codes import Codes, SpelledCodes, numbers_of_ranges
from decontam.name_openings import pair_codes, pair_codes_of
from decontam.reading import WordPlaces

_WORD_BITS, _PAIR_BITS = 22, 24


class SpelledInProse:
    """Which words a reading has, and which pairs of neighbours; true where one with such a code may be."""

    def __init__(self, codes: Codes, places: WordPlaces) -> None:
        """`codes` are those of the reading's words, in order, `places` where each stands."""
        self._places = places
        self._words = np.zeros(1 << _WORD_BITS, dtype=bool)
        self._words[codes & _mask(_WORD_BITS)] = True
        self._pairs = np.zeros(1 << _PAIR_BITS, dtype=bool)
        self._pairs[pair_codes(codes) & _mask(_PAIR_BITS)] = True

    def likely(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of `keys` that the reading may spell, with an s behind or without, in one word or in several."""
        if not keys:
            return frozenset()
        spelled = [f"{key}s".encode("utf-8", "surrogatepass") for key in keys]
        codes = SpelledCodes(b"".join(spelled))
        sizes = np.array(list(map(len, spelled)))
        stops = np.cumsum(sizes)
        number, ends = numbers_of_ranges(stops - sizes + 1, stops + 1)
        heads = codes.of((stops - sizes)[number], ends)
        known = self._are_known(heads)
        number, ends, heads = number[known], ends[known], heads[known]
        likely = np.zeros(len(keys), dtype=bool)
        likely[number[ends >= stops[number] - 1]] = True
        head, rest_ends = numbers_of_ranges(ends + 1, stops[number] + 1)
        rests = codes.of(ends[head], rest_ends)
        known = self._are_known(rests)
        head, rests = head[known], rests[known]
        follows = self._pairs[pair_codes_of(heads[head], rests) & _mask(_PAIR_BITS)]
        likely[number[head[follows]]] = True
        return frozenset(keys[place] for place in np.flatnonzero(likely).tolist())

    def _are_known(self, codes: Codes) -> NDArray[np.bool_]:
        known = self._words[codes & _mask(_WORD_BITS)]
        known[known] = self._places.have(codes[known])
        return known


def _mask(bits: int) -> np.uint64:
    return np.uint64((1 << bits) - 1)
