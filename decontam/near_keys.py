"""Near keys are keys of companies' names that are one edit apart: one letter more, less or other."""

from __future__ import annotations

from collections.abc import Iterable


class NearKeys:
    """Keys to be found again from one that is an edit away: two thirds of theirs are then the same."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._by_length: dict[int, dict[tuple[str, str], list[str]]] = {}
        for key in keys:
            thirds = self._by_length.setdefault(len(key), {})
            for pair in _two_thirds(key, len(key)):
                thirds.setdefault(pair, []).append(key)

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


def _is_one_edit(one: str, other: str) -> bool:
    if one == other:
        return False
    shorter, longer = sorted((one, other), key=len)
    same = next((place for place, letter in enumerate(shorter) if letter != longer[place]), len(shorter))
    return shorter[same + (len(one) == len(other)) :] == longer[same + 1 :]
