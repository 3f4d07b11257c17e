"""A clause is a sentence or a part of one between semicolons; separators cut it further into segments."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from environment.spellings import Span

_ABBREVIATIONS = frozenset(
    "inc ltd co corp mr mrs ms dr st vs e.g i.e eg ie etc approx jan feb mar apr jun jul aug sep sept oct nov dec mon "
    "tue tues wed thu thur thurs fri sat sun a.m p.m dept ref acct inv nr tel ext sr jr u.s u.k gmbh bros est art fig "
    "cf incl excl qty min max avg".split()
)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|;\s*")
SEPARATOR = re.compile(
    r",(?!\d)\s*|\s-\s|[()\[\]|]|[.!?](?=\s)|;|\s?(?:->|=>|→)\s?"
    r"|\b(?:and|but|while|whereas|although|though|because|since|so|however|then|plus)\b",
    re.I,
)
"""What stands between segments."""
SUBORDINATE = re.compile(r"\b(?=(?:which|who|whose|that|as|after|before)\b)", re.I)
"""Where a subordinate clause begins."""


@lru_cache(maxsize=4096)
def find_clauses(line: str) -> tuple[Span, ...]:
    """Where a line's sentences and their parts between semicolons stand; abbreviations and decimals end none."""
    spans: list[Span] = []
    start = 0
    for match in _SENTENCE_END.finditer(line):
        if not match[0].startswith(";") and _is_abbreviation(line[start : match.start()], line[match.end() :]):
            continue
        spans.append((start, match.end()))
        start = match.end()
    spans.append((start, len(line)))
    return tuple((first, last) for first, last in spans if line[first:last].strip())


def _is_abbreviation(before: str, after: str) -> bool:
    found = re.search(r"([\w.]*\w)\.$", before)
    if not found:
        return False
    word = found[1].casefold()
    if word == "no":
        return after[:1].isdigit()
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and found[1].isupper())


@lru_cache(maxsize=4096)
def find_segments(text: str, *patterns: re.Pattern[str]) -> tuple[Span, ...]:
    """Where the pieces between what the patterns match stand."""
    cuts = sorted({edge for pattern in patterns for match in pattern.finditer(text) for edge in match.span()})
    edges = [0, *cuts, len(text)]
    spans = [(first, last) for first, last in pairwise(edges) if text[first:last].strip(" ,-()[]|.;")]
    return tuple(span for span in spans if not SEPARATOR.fullmatch(text[span[0] : span[1]].strip()))
