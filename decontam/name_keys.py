"""A name's key is what all spellings of one company's name have in common.

It forgets case, accents, punctuation, blanks and legal suffixes: "Quantum Labs, Inc." and quantum-labs.com are both
quantumlabs. Where spellings leave a choice (ü is written u or ue, "&" is written or not) a name has several keys.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from decontam.domains import APPLICATION_NAMES, company_label
from decontam.lexicon import (
    GENERIC_NAMES,
    GLUED_AFFIXES,
    GLUED_SUFFIXES,
    LEGAL_PREFIXES,
    LEGAL_SUFFIXES,
)
from decontam.words import words_of

LONGEST = 10
"""Words of the longest name."""
_SHORTEST_KEY = 3
_SHORTEST_CORE = 4
"""Letters that must be left of a domain's label when a legal suffix glued to it is dropped."""

_LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŧ": "t"}
)
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_AMONG_SINGLE_LETTERS = re.compile(r"\b(\w)/(?=\w\b)")
_CONJUNCTIONS = ("and", "und", "et")
_AND = re.compile(rf"[&+]|\b(?:{'|'.join(_CONJUNCTIONS)})\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s(?=\s*$)", re.IGNORECASE)


def name_key(name: str) -> str:
    """The first of a company name's keys, "" when it can't stand for a company."""
    return next(iter(name_keys(name)), "")


@lru_cache(maxsize=262144)
def name_keys(name: str) -> tuple[str, ...]:
    """The keys of a company's name; none when it is too short, generic or an application's name."""
    if name.isascii() and not _has_choice(name):
        return tuple(filter(None, (_key(name),)))
    composed = unicodedata.normalize("NFKC", name)
    spellings = [composed, composed.casefold().translate(_SPELLED_OUT)]
    spellings += [_POSSESSIVE.sub("", spelling) for spelling in spellings if _POSSESSIVE.search(spelling)]
    spellings += [_ASIDE.sub(" ", spelling) for spelling in spellings if "(" in spelling]
    spellings += [_AND.sub(" ", spelling) for spelling in spellings]
    return tuple(dict.fromkeys(filter(None, map(_key, spellings))))


_GLUED_SUFFIXES = tuple(GLUED_SUFFIXES)
_GLUED_STARTS = tuple(start for start, _ in GLUED_AFFIXES if start)
_GLUED_ENDS = tuple(end for _, end in GLUED_AFFIXES if end)


@lru_cache(maxsize=65536)
def domain_keys(domain: str) -> tuple[str, ...]:
    """Keys of the company that owns `domain`, with and without what is glued to its name; none for exempt domains."""
    keys: list[str] = []
    for label in _label_keys(company_label(domain)):
        keys.append(label)
        for end in GLUED_SUFFIXES if label.endswith(_GLUED_SUFFIXES) else ():
            if label.endswith(end) and len(label) - len(end) >= _SHORTEST_CORE:
                keys.append(label.removesuffix(end))
                break
        if not label.startswith(_GLUED_STARTS) and not label.endswith(_GLUED_ENDS):
            continue
        for start, end in GLUED_AFFIXES:
            core = label.removeprefix(start).removesuffix(end)
            if len(core) == len(label) - len(start) - len(end) and len(core) > _SHORTEST_CORE:
                keys.append(core)
    return tuple(dict.fromkeys(filter(None, map(_accepted, keys))))


def _label_keys(label: str) -> tuple[str, ...]:
    """`name_keys` of a domain's label; most are one plain word."""
    if label.isascii() and label.isalnum() and label not in _CONJUNCTIONS:
        return tuple(filter(None, (_accepted(label),)))
    return name_keys(label.replace("-", " "))


def folded(word: str) -> str:
    """A normalised word without accents, as keys spell it."""
    return word if word.isascii() else _plain(word)


def _has_choice(name: str) -> bool:
    return "(" in name or "'" in name or _AND.search(name) is not None


def _key(name: str) -> str:
    text = name.replace(".", "").replace("&", " and ").replace("+", " and ")
    plain = _plain(text)
    words = words_of(_AMONG_SINGLE_LETTERS.sub(r"\1", plain) if "/" in plain else plain)
    if words[:1] == ["the"]:
        words = words[1:]
    if len(words) > 1 and words[0] in LEGAL_PREFIXES:
        words = words[1:]
    bare = _without_legal_end(words)
    if len(text.split()) > LONGEST + len(words) - len(bare):
        return ""
    key = "".join(bare)
    if len(bare) < len(words) and (GENERIC_NAMES.issuperset(bare) or len(key) < _SHORTEST_KEY):
        # "Research" is a department, "Research Ltd" a company: only so is it told.
        return _accepted("".join(words)) if key not in _APPLICATION_KEYS else ""
    return _accepted(key) if not GENERIC_NAMES.issuperset(bare) else ""


def _without_legal_end(words: list[str]) -> list[str]:
    while len(words) > 1 and words[-1] in _LAST_LEGAL_WORDS:
        end = next((end for end in _LEGAL_ENDS if len(words) > len(end) and words[-len(end) :] == end), None)
        if end is None:
            return words
        words = words[: -len(end)]
        if len(words) > 1 and words[-1] in ("and", "et", "und", "y"):
            words = words[:-1]
    return words


_LEGAL_ENDS = [suffix.split() for suffix in LEGAL_SUFFIXES]
_LEGAL_ENDS.sort(key=lambda words: (-len(words), words))
_LAST_LEGAL_WORDS = frozenset(words[-1] for words in _LEGAL_ENDS)


def _plain(text: str) -> str:
    if text.isascii():
        return text
    folded_text = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(letter for letter in folded_text if not unicodedata.combining(letter))


def _keys_of_applications(names: Iterable[str]) -> frozenset[str]:
    return frozenset("".join(words_of(name)) for name in names)


_APPLICATION_KEYS = _keys_of_applications(APPLICATION_NAMES)


def _accepted(key: str) -> str:
    usable = (
        len(key) >= _SHORTEST_KEY and not key.isdigit() and key not in GENERIC_NAMES and key not in _APPLICATION_KEYS
    )
    return key if usable else ""
