"""Near keys are keys of companies' names that are one edit apart: one letter more, less or other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from decontam.codes import Codes, SpelledCodes, numbers_of_ranges

_TABLE_BITS = 24
_MASK = np.uint64((1 << _TABLE_BITS) - 1)
_AT_A_TIME = 1024


class NearKeys:
    """Keys to be found again from one that is an edit away: two thirds of theirs are then the same."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._by_length: dict[int, dict[tuple[str, str], list[str]]] = {}
        self._table = np.zeros(1 << _TABLE_BITS, dtype=bool)
        known = list(keys)
        for key in known:
            thirds = self._by_length.setdefault(len(key), {})
            for pair in _two_thirds(key, len(key)):
                thirds.setdefault(pair, []).append(key)
        for start in range(0, len(known), _AT_A_TIME):
            self._table[_shortened(known[start : start + _AT_A_TIME])[1] & _MASK] = True

    def likely(self, keys: Sequence[str]) -> list[str]:
        """Those of `keys` that may be one letter more, less or other than one of these; hardly any other."""
        if not keys:
            return []
        number, codes = _shortened(keys)
        return [keys[place] for place in np.unique(number[self._table[codes & _MASK]]).tolist()]

    def of(self, key: str) -> list[str]:
        """Those of the keys that are one letter more, less or other than `key`."""
        likely: list[str] = []
        for length in (len(key) - 1, len(key), len(key) + 1):
            thirds = self._by_length.get(length)
            if thirds is not None:
                for pair in _two_thirds(key, length):
                    likely += thirds.get(pair, ())
        return [other for other in dict.fromkeys(likely) if _is_one_edit(key, other)]


def _two_thirds(key: str, length: int) -> tuple[tuple[str, str], tuple[str, str], tuple[str, str]]:
    """What `key` has where a key of this length has two of its thirds: those after an edit count from the end."""
    first, second = length // 3, 2 * length // 3
    moved = len(key) - length
    head, tail = key[:first], key[second + moved :]
    return (head, key[first:second]), (head, tail), (key[first + moved : second + moved], tail)


def _shortened(keys: Sequence[str]) -> tuple[NDArray[np.int64], Codes]:
    """Codes of each key and of what each is without one of its letters, after the number of the key.

    Of two keys that are one edit apart, some of these are the same.
    """
    # A byte a letter: letters that have none are all alike, which hides no edit but makes some.
    codes = SpelledCodes("".join(keys).encode("latin-1", "replace"))
    sizes = np.array(list(map(len, keys)))
    stops = np.cumsum(sizes)
    starts = stops - sizes
    number, places = numbers_of_ranges(starts, stops)
    shorter = codes.without(places, starts[number], stops[number])
    return np.concatenate([np.arange(len(keys)), number]), np.concatenate([codes.of(starts, stops), shorter])


def _is_one_edit(one: str, other: str) -> bool:
    if one == other:
        return False
    shorter, longer = sorted((one, other), key=len)
    same = next((place for place, letter in enumerate(shorter) if letter != longer[place]), len(shorter))
    return shorter[same + (len(one) == len(other)) :] == longer[same + 1 :]
