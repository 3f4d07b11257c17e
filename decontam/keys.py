"""A key is a string that a machine wrote for machines: the name of a row, a time, an amount. It is no text.

Keys differ between two copies of one problem and would hide how alike they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

_LETTERS_BESIDE_A_TIME = re.compile(r"[^\W\d_TZtz]")
_KEY_NAME = re.compile(r"_ids?$|[a-z](?:Id|ID|Ids)$")
_NUMBERED = re.compile(r"[A-Z]{1,4}-\d+|[A-Z]{5,8}-\d{3,}|[A-Z]\d{5,}")
_DIGITS_OF_A_CODE = 5


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
    return digits >= _DIGITS_OF_A_CODE and digits > sum(map(str.isalpha, text))
