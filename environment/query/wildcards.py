"""A wildcard pattern is the right side of LIKE: % stands for any text, _ for one character, a backslash for neither."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache

_SYMBOL = re.compile(r"\\.|[^\\]", re.DOTALL)


@lru_cache(maxsize=1024)
def like(pattern: str) -> Callable[[str], bool]:
    """Whether a text matches the pattern, in any case; takes time in proportion to the length of the text."""
    symbols = [match.group() for match in _SYMBOL.finditer(pattern.lower())]
    if "_" in symbols:
        return _automaton(symbols)
    pieces: list[list[str]] = [[]]
    for symbol in symbols:
        if symbol == "%":
            pieces.append([])
        else:
            pieces[-1].append(symbol[-1])
    first, *middle = ("".join(piece) for piece in pieces)
    if not middle:
        return lambda text: text.lower() == first
    last = middle.pop()
    if len(middle) == 1 and not first and not last:
        part = middle[0]
        return lambda text: part in text.lower()
    return lambda text: _holds(text.lower(), first, middle, last)


def _holds(text: str, first: str, middle: list[str], last: str) -> bool:
    """Whether the text begins and ends so, with the middle pieces in order between, none overlapping."""
    if not text.startswith(first):
        return False
    at = len(first)
    for piece in middle:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return len(text) - at >= len(last) and text.endswith(last)


def _automaton(symbols: list[str]) -> Callable[[str], bool]:
    """Bit i of `reached` says that the first i characters of the pattern match the text so far (Shift-And).

    Baeza-Yates and Gonnet, "A new approach to text searching" (1992); a % lets the automaton stay where it is.
    """
    length = stay = any_one = 0
    letters: defaultdict[str, int] = defaultdict(int)
    for symbol in symbols:
        if symbol == "%":
            stay |= 1 << length
            continue
        if symbol == "_":
            any_one |= 1 << length
        else:
            letters[symbol[-1]] |= 1 << length
        length += 1
    steps = {letter: bits | any_one for letter, bits in letters.items()}

    def matches(text: str) -> bool:
        text = text.lower()
        if len(text) < length:
            return False
        reached = 1
        for letter in text:
            reached = (reached & steps.get(letter, any_one)) << 1 | reached & stay
        return reached >> length == 1

    return matches
