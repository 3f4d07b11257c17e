"""Words are what text search compares: without case or endings, so that `invoices` finds `invoice`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True, slots=True)
class Wanted:
    """Words that must follow each other; with `prefix`, the last of them may go on."""

    words: tuple[str, ...]
    prefix: bool


@lru_cache(maxsize=1024)
def wanted(query: str) -> tuple[Wanted, ...]:
    """The parts of a text query: each word, each part in quotes, each run of words joined by signs such as CN-20417."""
    parts = []
    for quoted, piece in _PIECE.findall(query):
        text = quoted or piece
        prefix = piece.endswith("*") and not quoted
        words = _WORD.findall(text.casefold())
        if words:
            parts.append(Wanted((*map(stem, words[:-1]), words[-1] if prefix else stem(words[-1])), prefix))
    return tuple(dict.fromkeys(parts))


def holds(text: str, parts: tuple[Wanted, ...]) -> bool:
    """Whether every part stands in the text; nothing is found by no words."""
    words, known = _read(text)
    for part in parts:
        if not _stands(part, words, known):
            return False
    return bool(parts)


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The word without an English ending: invoices, invoiced and invoicing all become invoic."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            rest = word[: -len(ending)]
            doubled = len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "aeiouls"
            return rest[:-1] if doubled else rest
    return word


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    words = tuple(map(stem, _WORD.findall(text.casefold())))
    return words, frozenset(words)


def _stands(part: Wanted, words: tuple[str, ...], known: frozenset[str]) -> bool:
    if len(part.words) == 1 and not part.prefix:
        return part.words[0] in known
    *firsts, last = part.words
    if part.prefix:
        lasts = [word for word in known if word.startswith(last) or (last.startswith(word) and stem(last) == word)]
    else:
        lasts = [last] if last in known else []
    if not lasts or len(part.words) > len(words) or any(word not in known for word in firsts):
        return False
    if not firsts:
        return True
    length = len(part.words)
    return any(
        words[at : at + length - 1] == part.words[:-1] and words[at + length - 1] in lasts
        for at in range(len(words) - length + 1)
    )
