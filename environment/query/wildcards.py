"""A wildcard pattern is the right side of LIKE: % stands for any text, _ for one character, a backslash for neither."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

ANY, ONE = True, None
"""The symbols of % and _ in a pattern; every other symbol is the character itself."""
Symbols = tuple[str | bool | None, ...]


@lru_cache(maxsize=1024)
def like(pattern: str) -> Callable[[str], bool]:
    """Whether a text matches the pattern, in any case; takes time in proportion to the lengths' product at worst."""
    symbols = _symbols(pattern.lower())
    if ONE in symbols:
        return lambda text: _matches(text.lower(), symbols)
    letters: list[list[str]] = [[]]
    for symbol in symbols:
        if symbol is ANY:
            letters.append([])
        else:
            letters[-1].append(str(symbol))
    first, *middle = ("".join(piece) for piece in letters)
    if not middle:
        return lambda text: text.lower() == first
    last = middle.pop()
    return lambda text: _holds(text.lower(), first, middle, last)


def _symbols(pattern: str) -> Symbols:
    symbols: list[str | bool | None] = []
    escaped = False
    for letter in pattern:
        if escaped or letter not in "\\%_":
            symbols.append(letter)
            escaped = False
        elif letter == "\\":
            escaped = True
        else:
            symbols.append(ANY if letter == "%" else ONE)
    return tuple(symbols)


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


def _matches(text: str, symbols: Symbols) -> bool:
    """Only the last % passed ever needs to be tried again, so there is no blow-up."""
    at = position = 0
    star, mark = -1, 0
    while at < len(text):
        symbol = symbols[position] if position < len(symbols) else ""
        if symbol is ONE or symbol == text[at]:
            at, position = at + 1, position + 1
        elif symbol is ANY:
            star, mark, position = position, at, position + 1
        elif star >= 0:
            mark += 1
            at, position = mark, star + 1
        else:
            return False
    return all(symbol is ANY for symbol in symbols[position:])
