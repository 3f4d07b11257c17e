"""A fact stands in a text wherever one of its spellings does; its rivals are other things of its kind there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache

from environment.contract import Fact
from environment.prose.lines import tidy
from environment.spellings import (
    Span,
    find_days,
    find_money,
    find_phone,
    find_phones,
    looks_like_money,
    read_money,
    same_amount,
    same_day,
)

Facts = Sequence[Fact]
"""Facts that belong together: those of a pair to be stated, or of a claim."""


def find_fact(fact: Fact, text: str) -> tuple[Span, ...]:
    """Where a fact stands in a text, in any of its spellings, negated or not."""
    return _find(fact.read_as, fact.spellings, text)


@lru_cache(maxsize=16384)
def _find(read_as: str, spellings: tuple[str, ...], text: str) -> tuple[Span, ...]:
    spans: set[Span] = set()
    for spelling in spellings:
        if read_as == "money":
            wanted = _amount(spelling)
            spans.update(span for span, amount in find_money(text) if same_amount(amount, *wanted))
        elif read_as == "date":
            day = date.fromisoformat(spelling)
            spans.update(span for span, written in find_days(text) if same_day(written, day))
        elif read_as == "phone":
            spans.update(find_phone(text, spelling))
        else:
            spans.update(_find_words(spelling, text))
    return tuple(sorted(spans))


@lru_cache(maxsize=4096)
def _amount(spelling: str) -> tuple[Decimal, str | None]:
    amount = read_money(spelling)
    if amount is None:
        raise ValueError(f"{spelling!r} is no amount; write it like 'GBP 930.00' or '930.00'")
    return amount.number, next(iter(amount.currencies)) if len(amount.currencies) == 1 else None


def _find_words(spelling: str, text: str) -> Iterator[Span]:
    """Where a wording stands between word boundaries; one with digits is no part of a longer number or id."""
    (words, digits), (low, is_plain) = _wording(spelling), _lowered(text)
    if is_plain and words not in low:
        return
    if not is_plain:
        pattern = re.compile(r"\s+".join(map(re.escape, words.split())), re.I)
        low = text
        spans: Iterable[Span] = (match.span() for match in pattern.finditer(text))
    else:
        spans = _find_all(words, low)
    for start, end in spans:
        if words[0].isalnum() and _goes_on_left(low, start):
            continue
        if not (words[-1].isalnum() and _goes_on_right(low, end, digits)):
            yield start, end


@lru_cache(maxsize=4096)
def _lowered(text: str) -> tuple[str, bool]:
    """The text in small letters, and whether a wording stands there just as it is spelled, letter by letter."""
    low = text.lower()
    return low, not ("  " in text or "\n" in text or len(low) != len(text))


@lru_cache(maxsize=4096)
def _wording(spelling: str) -> tuple[str, bool]:
    """The words, and whether digits are among them."""
    words = tidy(unicodedata.normalize("NFKC", spelling)).lower()
    if not words:
        raise ValueError(f"{spelling!r} is no wording; a fact needs at least one letter, digit or sign")
    return words, any(character.isdigit() for character in words)


def _find_all(words: str, text: str) -> Iterator[Span]:
    start = text.find(words)
    while start >= 0:
        yield start, start + len(words)
        start = text.find(words, start + 1)


def _goes_on_left(text: str, start: int) -> bool:
    before = text[max(start - 5, 0) : start]
    if before[-1:].isalnum() or before.endswith("_"):
        return True
    if text[start].isdigit():
        return before[-1:] in tuple(".,/:-") and before[-2:-1].isdigit()
    return bool(re.search(r"(?<!\w)(?:un|non|not|pre)-$", before))


def _goes_on_right(text: str, end: int, digits: bool) -> bool:
    after = text[end : end + 2]
    if after[:1].isalnum() or after.startswith("_"):
        return True
    if not digits or len(after) < 2:
        return False
    return (after[0] == "-" and after[1].isalnum()) or (after[0] in ".,/:" and after[1].isdigit())


def find_rivals(fact: Fact, others: Iterable[Fact], text: str) -> list[Span]:
    """Where something of the same kind as the fact, itself included, stands in a text."""
    own = find_fact(fact, text)
    spans = set(own)
    for other in others:
        spans.update(find_fact(other, text))
    if fact.read_as == "money":
        spans.update(span for span, _ in find_money(text) if looks_like_money(text[slice(*span)]))
    elif fact.read_as == "date":
        spans.update(span for span, _ in find_days(text))
    elif fact.read_as == "phone":
        spans.update(find_phones(text))
    else:
        for spelling in fact.spellings:
            if shape := _shape(spelling):
                spans.update(match.span() for match in shape.finditer(text))
    return _outermost(own, spans)


@lru_cache(maxsize=4096)
def _shape(spelling: str) -> re.Pattern[str] | None:
    """Pattern of ids that look like this one; None for a wording that is no id."""
    if re.fullmatch(r"#?\d{3,}", spelling):
        return re.compile(rf"(?<![\w.,/])(?:[A-Za-z]+-|#)?\d{{{len(spelling.lstrip('#'))}}}(?![\w%]|-\w|[.,/]\d)")
    if found := re.fullmatch(r"([A-Za-z#]+[-_ ]?)\d+(?:[-_]\d+)*", spelling):
        return re.compile(rf"(?<!\w){re.escape(found[1])}\d+(?:[-_]\d+)*(?!\w|-\w)", re.I)
    return None


def _outermost(own: Sequence[Span], spans: Iterable[Span]) -> list[Span]:
    chosen = list(own)
    for span in sorted(spans):
        if not any(span[0] < end and start < span[1] for start, end in chosen):
            chosen.append(span)
    return sorted(chosen)


def overlap(left: Span, right: Span) -> bool:
    return left[0] < right[1] and right[0] < left[1]
