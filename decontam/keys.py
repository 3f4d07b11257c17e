"""A key is a string that a machine wrote for machines: the name of a row, a time, an amount. It is no text.

Keys differ between two copies of one problem and would hide how alike they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

from decontam.words import words_of

_LETTERS_BESIDE_A_TIME = re.compile(r"[^\W\d_TZtz]")
_KEY_NAME = re.compile(r"_ids?$|[a-z](?:Id|ID|Ids)$")
_NUMBERED = re.compile(r"[A-Z]{1,4}-\d+|[A-Z]{5,8}-\d{3,}|[A-Z]\d{5,}")
_DIGITS_OF_A_CODE = 5
_SPELLED_OUT = re.compile(r"[^\W\d_]{4,}")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+")
_FIELD_NAME = re.compile(r"[\w$-]+")
_WORDS_OF_A_KEY = 5
"""The groups of a UUID; what has more of them is a sentence."""


def has_letters(text: str) -> bool:
    """Whether it has letters beside those of a time such as 2026-03-04T09:20:00Z."""
    return _LETTERS_BESIDE_A_TIME.search(text) is not None


@lru_cache(maxsize=65536)
def is_key(field: str) -> bool:
    """Whether a field holds keys, by its name."""
    name = field.rpartition(".")[2]
    return name.lower() in ("id", "ids", "gid", "uuid", "etag", "key") or _KEY_NAME.search(name) is not None


def is_code(text: str) -> bool:
    """Whether a string without blanks is a key by its look: U0000000940, MNT-471, 5b10ac8d82e05b2200001268."""
    if text.isalpha() or "@" in text:
        return False
    if _NUMBERED.fullmatch(text) is not None:
        return True
    digits = sum(map(str.isdigit, text))
    if digits < _DIGITS_OF_A_CODE or digits <= sum(map(str.isalpha, text)):
        return False
    # "Zinc-20260304093000.pdf" and "www.zinc.io/00123456789123" are about somebody.
    return all(_HEXADECIMAL.fullmatch(run) is not None for run in _SPELLED_OUT.findall(text))


def is_machine_key(text: str) -> bool:
    """Whether what stands in a field for keys is one: a person's words may stand there too."""
    if text.isascii() and text.isalnum():
        return True
    if text.isascii() and text.isalnum():
        return True
    if " " in text:
        return False
    words = words_of(text)
    return len(words) <= _WORDS_OF_A_KEY and (len(words) < 2 or any(map(str.isdigit, text)))


@lru_cache(maxsize=65536)
def is_given_name(name: str) -> bool:
    """Whether a field has a name that a person gave it, or an address; not one such as `subject` or `content-type`."""
    if _FIELD_NAME.fullmatch(name) is not None:
        return len(words_of(name)) > _WORDS_OF_A_KEY and not is_code(name)
    return has_letters(name)
