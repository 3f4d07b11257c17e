"""Prose is judged by what it states: facts that stand together in a clause or line, and claims that it must not make.

A line is cut into clauses (sentences, semicolons) and clauses into segments (commas, conjunctions, brackets). Facts of
one tuple belong together when nothing of their own kind stands nearer: in "B-7711 EUR 5, B-7719 GBP 6" the bill B-7711
goes with EUR 5 only. A claim is made when its facts share a segment, or a later segment goes on about the same subject,
and none of them is negated, hedged or asked.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from textwrap import wrap
from typing import Any

from environment.contract import Fact
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

Claim = Sequence[Fact]


def states_all(tuples: Sequence[Claim], value: Any) -> bool:
    """Whether the prose states every tuple of facts, those of one tuple in one clause or line."""
    lines = read_lines(value)
    return all(_states(facts, tuples, lines) for facts in tuples)


def makes_no_claim(claims: Sequence[Claim], value: Any) -> bool:
    """Whether the prose makes none of the claims."""
    clauses = [line[start:end] for line in read_lines(value) for start, end in _clauses(line)]
    return not any(_claims(facts, claims, clause) for facts in claims for clause in clauses)


def read_lines(value: Any) -> tuple[str, ...]:
    """The lines of a text, HTML or rich-text value without its markup; an empty line where a paragraph ends."""
    return _lines(_plain(value))


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


# Reading ---------------------------------------------------------------------------------------------------------

_LONGEST_LINE = 1500
"""Characters; a longer line is read in pieces, so that no text takes long to judge."""
_BLOCK = re.compile(r"</?(?:p|div|br|li|ul|ol|tr|table|thead|tbody|h[1-6]|blockquote|pre|section|hr)\b[^<>]*>", re.I)
_HIDDEN = re.compile(r"<(script|style|del|s|strike)\b[^<>]*>.*?</\1\s*>|<!--.*?-->", re.I | re.S)
_CELL = re.compile(r"</(?:td|th)\s*>", re.I)
_TAG = re.compile(r"</?(?:[a-z][a-z0-9]*|ac:[\w-]+|ri:[\w-]+)(?:\s[^<>]*)?/?>", re.I)
_LABELLED_LINK = re.compile(r"<([^<>|\s]+)\|([^<>|]+)>")
_STRUCK = re.compile(r"~~[^~\n]+~~|(?<![\w~])~(?=\S)[^~\n]+(?<=\S)~(?![\w~])")
_QUOTED_MAIL = re.compile(r"^On [^\n]{5,200} wrote:\s*\n(?:[ \t]*>[^\n]*\n?|[ \t]*\n)+", re.M)
_BULLET = re.compile(r"^\s*(?:>\s*)*(?:[-*+•◦▪·–—]\s+|\(?\d{1,2}[.)]\s+|#{1,6}\s+)?")
_QUOTES = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "′": "'", "`": "", "*": ""}
)
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"))
_ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        if isinstance(text := value.get("plain_text", value.get("text")), str):
            return text
        return "\n".join(filter(None, (_plain(part) for part in value.values() if isinstance(part, list | Mapping))))
    if isinstance(value, list | tuple):
        inline = bool(value) and all(
            isinstance(part, Mapping) and ("text" in part or "plain_text" in part) for part in value
        )
        return ("" if inline else "\n").join(_plain(part) for part in value)
    return "" if value is None else str(value)


@lru_cache(maxsize=512)
def _lines(text: str) -> tuple[str, ...]:
    text = _LABELLED_LINK.sub(r"\2 (\1)", text)
    if "<" in text:
        text = _CELL.sub(" | ", _BLOCK.sub("\n", _HIDDEN.sub(" ", text)))
        text = _TAG.sub("", text)
    text = unicodedata.normalize("NFKC", html.unescape(text)).translate(_ZERO_WIDTH)
    text = _STRUCK.sub(" ", _QUOTED_MAIL.sub("\n", text))
    lines = (_tidy(_BULLET.sub("", line, count=1)) for line in text.splitlines())
    return tuple(piece for line in lines for piece in _pieces(line))


def _pieces(line: str) -> list[str]:
    return [line] if len(line) <= _LONGEST_LINE else wrap(line, _LONGEST_LINE, break_on_hyphens=False)


def _tidy(text: str) -> str:
    text = text.translate(_QUOTES).translate(_DASHES)
    text = re.sub(r"(?<!\w)_+|_+(?!\w)", "", text)
    return " ".join(text.split())


# Clauses and segments --------------------------------------------------------------------------------------------

_ABBREVIATIONS = frozenset(
    "inc ltd co corp mr mrs ms dr st vs e.g i.e eg ie etc approx jan feb mar apr jun jul aug sep sept oct nov dec mon "
    "tue tues wed thu thur thurs fri sat sun a.m p.m dept ref acct inv nr tel ext sr jr u.s u.k gmbh bros est art fig "
    "cf incl excl qty min max avg".split()
)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|;\s*")
_SEGMENT = re.compile(
    r",(?!\d)\s*|\s-\s|[()\[\]|]|[.!?](?=\s)|;|\s?(?:->|=>|→)\s?"
    r"|\b(?:and|but|while|whereas|although|though|because|since|so|however|then|plus)\b",
    re.I,
)
_SUBORDINATE = re.compile(r"\b(?=(?:which|who|whose|that|as|after|before)\b)", re.I)


@lru_cache(maxsize=4096)
def _clauses(line: str) -> tuple[Span, ...]:
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


def _segments(text: str, *patterns: re.Pattern[str]) -> list[Span]:
    cuts = sorted({edge for pattern in patterns for match in pattern.finditer(text) for edge in match.span()})
    edges = [0, *cuts, len(text)]
    spans = [(first, last) for first, last in pairwise(edges) if text[first:last].strip(" ,-()[]|.;")]
    return [span for span in spans if not _SEGMENT.fullmatch(text[span[0] : span[1]].strip())]


# Occurrences -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _amount(spelling: str) -> tuple[Decimal, str | None]:
    amount = read_money(spelling)
    if amount is None:
        raise ValueError(f"{spelling!r} is no amount; write it like 'GBP 930.00' or '930.00'")
    return amount.number, next(iter(amount.currencies)) if len(amount.currencies) == 1 else None


def _find_words(spelling: str, text: str) -> Iterator[Span]:
    """Where a wording stands between word boundaries; one with digits is no part of a longer number or id."""
    words, low = _wording(spelling), text.lower()
    if "  " in text or "\n" in text or len(low) != len(text):
        pattern = re.compile(r"\s+".join(map(re.escape, words.split())), re.I)
        low = text
        spans: Iterable[Span] = (match.span() for match in pattern.finditer(text))
    else:
        spans = _find_all(words, low)
    digits = any(character.isdigit() for character in words)
    for start, end in spans:
        if words[0].isalnum() and _goes_on_left(low, start):
            continue
        if not (words[-1].isalnum() and _goes_on_right(low, end, digits)):
            yield start, end


@lru_cache(maxsize=4096)
def _wording(spelling: str) -> str:
    words = _tidy(unicodedata.normalize("NFKC", spelling)).lower()
    if not words:
        raise ValueError(f"{spelling!r} is no wording; a fact needs at least one letter, digit or sign")
    return words


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


def _rivals(fact: Fact, others: Iterable[Fact], text: str) -> list[Span]:
    """Where something of the same kind as the fact, itself included, stands in a text."""
    own = find_fact(fact, text)
    spans = set(own)
    for other in others:
        if other != fact:
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


# Mentions --------------------------------------------------------------------------------------------------------


def _states(facts: Claim, tuples: Sequence[Claim], lines: Sequence[str]) -> bool:
    if not all(any(find_fact(fact, line) for line in lines) for fact in facts):
        return False
    for line in lines:
        if len(facts) == 1:
            if any(not _negated(facts[0], span, line) for span in find_fact(facts[0], line)):
                return True
        elif any(_stand_together(facts, tuples, line[start:end]) for start, end in _clauses(line)) or _stand_together(
            facts, tuples, line
        ):
            return True
    return len(facts) > 1 and any(_head_section(facts, tuples, lines, index) for index in range(len(lines) - 1))


def _stand_together(facts: Claim, tuples: Sequence[Claim], text: str) -> bool:
    """Whether the facts stand in the text, none negated, and each with the first rather than with a rival of either."""
    if not all(find_fact(fact, text) for fact in facts):
        return False
    places = [[span for span in find_fact(fact, text) if not _negated(fact, span, text)] for fact in facts]
    if not all(places):
        return False
    segments = _segments(text, _SEGMENT)
    heads = _of_kind(facts, 0, tuples, text)
    for head in places[0]:
        if all(
            any(
                (head, place) in _links(*_apart(heads, _of_kind(facts, number, tuples, text), place), segments)
                for place in places[number]
            )
            for number in range(1, len(facts))
        ):
            return True
    return False


def _of_kind(facts: Claim, number: int, tuples: Sequence[Claim], text: str) -> list[Span]:
    """Where things of the kind of one of the facts stand, without those that are another fact of the same tuple."""
    others = [other[number] for other in tuples if len(other) == len(facts)]
    spans = _rivals(facts[number], others, text)
    siblings = [span for index, fact in enumerate(facts) if index != number for span in find_fact(fact, text)]
    own = find_fact(facts[number], text)
    return [span for span in spans if span in own or not any(_overlap(span, sibling) for sibling in siblings)]


def _apart(heads: Sequence[Span], tails: Sequence[Span], place: Span) -> tuple[list[Span], list[Span]]:
    """Both kinds without what is of both: two amounts of one pair are no rivals of each other."""
    both = [span for span in tails if any(_overlap(span, head) for head in heads)]
    kept_tails = [span for span in tails if span == place or span not in both]
    return [head for head in heads if not _overlap(head, place)], kept_tails


def _links(heads: Sequence[Span], tails: Sequence[Span], segments: Sequence[Span]) -> set[tuple[Span, Span]]:
    """Which heads and tails belong together."""
    if len(heads) == len(tails) > 1 and (heads[-1] < tails[0] or tails[-1] < heads[0]):
        return set(zip(heads, tails, strict=True))
    linked: set[tuple[Span, Span]] = set()
    loose_heads, loose_tails = list(heads), list(tails)
    for start, end in segments:
        inner_heads = [span for span in heads if start <= span[0] < end]
        inner_tails = [span for span in tails if start <= span[0] < end]
        if inner_heads and inner_tails:
            linked |= _link_runs(inner_heads, inner_tails)
            loose_heads = [span for span in loose_heads if span not in inner_heads]
            loose_tails = [span for span in loose_tails if span not in inner_tails]
    if loose_heads and loose_tails:
        linked |= _link_runs(loose_heads, loose_tails)
    else:
        for tail in loose_tails:
            nearest = max((head for head in heads if head < tail), default=min(heads, default=None))
            if nearest:
                linked.add((nearest, tail))
    return linked


def _link_runs(heads: Sequence[Span], tails: Sequence[Span]) -> set[tuple[Span, Span]]:
    """Links of neighbouring runs of heads and tails, in the order in which the text brings them."""
    runs: list[tuple[bool, list[Span]]] = []
    for span, is_head in sorted([(span, True) for span in heads] + [(span, False) for span in tails]):
        if not runs or runs[-1][0] != is_head:
            runs.append((is_head, []))
        runs[-1][1].append(span)
    pairs = [(runs[index], runs[index + 1]) for index in range(0, len(runs) - 1, 2)]
    if len(runs) % 2 and len(runs) > 1:
        pairs.append((runs[-2], runs[-1]))
    linked: set[tuple[Span, Span]] = set()
    for (first_is_head, first), (_, second) in pairs:
        one_by_one = len(first) == len(second)
        matched = zip(first, second, strict=True) if one_by_one else ((a, b) for a in first for b in second)
        linked.update((a, b) if first_is_head else (b, a) for a, b in matched)
    return linked


def _head_section(facts: Claim, tuples: Sequence[Claim], lines: Sequence[str], index: int) -> bool:
    """Whether a line names the first fact as a heading and the lines under it, up to the next such, the others."""
    heading = lines[index]
    places = [span for span in find_fact(facts[0], heading) if not _negated(facts[0], span, heading)]
    if not places or len(_of_kind(facts, 0, tuples, heading)) != 1:
        return False
    if any(_of_kind(facts, number, tuples, heading) for number in range(1, len(facts))):
        return False
    below = []
    for line in lines[index + 1 :]:
        if not line or _of_kind(facts, 0, tuples, line):
            break
        below.append(line)
    return all(
        any(not _negated(fact, span, line) for line in below for span in find_fact(fact, line)) for fact in facts[1:]
    )


# Negation --------------------------------------------------------------------------------------------------------

_NOT = re.compile(
    r"\b(?:not|never|cannot|cant|wont|isnt|wasnt|dont|didnt|doesnt|hasnt|havent|[a-z]+n't|no|none|neither|nor|without"
    r"|fail(?:s|ed)? to|unable to|refuse[sd]? to|decline[sd]? to|yet to)\b",
    re.I,
)
_NO_NEGATION = re.compile(
    r"(?:not|n't) (?:only|just|merely|simply|to mention|later than|until|before|more than|less than)\b"
    r"|no (?:later|earlier|more|less|fewer|sooner) than\b|no (?:doubt|problem|worries|issues?)\b|no\.? ?#?\d"
    r"|whether or not\b|why not\b",
    re.I,
)
_DENIED = re.compile(r"\s*[:=?|-]\s*(?:no|false)\s*(?:$|[.,;)|\]])|\s*[:=|-]?\s*[❌✗✘]", re.I)
_INSTEAD_OF = re.compile(
    r"\b(?:instead of|rather than|in place of|in lieu of|replac(?:e|es|ed|ing)|supersed(?:e|es|ed|ing)|except(?: for)?"
    r"|excluding|other than|apart from|void|voided|superseded|cancelled|canceled|withdrawn|retracted|invalid"
    r"|obsolete)\b",
    re.I,
)
_HEDGE = re.compile(
    r"\b(?:will|would|should|could|may|might|can|shall|to be|pending|await|awaiting|awaits|waiting|hold|held|holding"
    r"|wait|please|needs?|must|ready|'ll)\b",
    re.I,
)
_CONDITION = re.compile(r"\b(?:if|once|unless|until|as soon as)\b|^(?:when|before|after)\b", re.I)


def _cues(text: str) -> Iterator[Span]:
    quiet = [match.span() for match in _NO_NEGATION.finditer(text)]
    for match in _NOT.finditer(text):
        if not any(start <= match.end() - 1 < end for start, end in quiet):
            yield match.span()


def _negated(fact: Fact, span: Span, text: str) -> bool:
    """Whether a negation reaches this occurrence: up to four words further, one for a number or an id."""
    if _DENIED.match(text, span[1]):
        return True
    has_digits = any(character.isdigit() for character in text[slice(*span)])
    for _, end in _cues(text[: span[0]]):
        gap = text[end : span[0]]
        if re.search(r"[,;:()\[\]|!?]|[.]\s|\b(?:and|but|while|whereas|because|so)\b", gap, re.I):
            continue
        if len(gap.split()) <= (1 if has_digits else 4):
            return True
    return False


# Claims ----------------------------------------------------------------------------------------------------------

_FILLER = re.compile(
    r"\b(?:and|or|the|a|an|credit|notes?|invoices?|bills?|orders?|tickets?|nor|also|both|too|as well|none of|neither|of"
    r"|for|numbers?|no\.|memos?|either|plus)\b|[\s,.:;()#&/|-]",
    re.I,
)
_GOES_ON = re.compile(
    r"(?:\b(?:and|but|so|then|which|who|that|is|was|were|are|has|have|had|been|be|being|now|already|also|thus|just|both"
    r"|still|duly|fully|since|again|it|they|all|successfully|[a-z]+ly|got|get|did|does|as)\b|[\s,:'-])*",
    re.I,
)
_ASIDE = re.compile(
    r"\s*(?:which|who|whose|that|replacing|superseding|instead|formerly|not|rather|as|per|after|before)\b", re.I
)
_ID = re.compile(r"(?<!\w)(?:[A-Za-z]+[-_]|#)?\d[\w-]*")


@dataclass(slots=True)
class _Part:
    """A segment of a clause, or several that only list things for one predicate."""

    start: int
    end: int
    aside: bool
    """It stands in brackets or is a relative clause: what follows goes on about the subject before it."""


def _claims(facts: Claim, claims: Sequence[Claim], clause: str) -> bool:
    if clause.rstrip(" \"')").endswith("?") or not all(find_fact(fact, clause) for fact in facts):
        return False
    if len(facts) > 1 and _CONDITION.search(clause.strip()):
        return False
    if len(facts) == 1:
        segments = _segments(clause, _SEGMENT, _SUBORDINATE)
        parts = [_Part(start, end, False) for start, end in segments]
        return any(not _unclaimed(span, clause, parts) for span in find_fact(facts[0], clause))
    kinds = [
        _rivals(fact, [other[n] for other in claims if len(other) == len(facts)], clause)
        for n, fact in enumerate(facts)
    ]
    parts = _parts(clause, [span for kind in kinds[:1] for span in kind])
    places = [[span for span in find_fact(fact, clause) if not _unclaimed(span, clause, parts)] for fact in facts]
    return any(
        all(
            any(_same_claim(head, place, clause, parts, kinds[0], kinds[n]) for place in places[n])
            for n in range(1, len(facts))
        )
        for head in places[0]
    )


def _parts(clause: str, subjects: Sequence[Span]) -> list[_Part]:
    """The segments of a clause, each bare list of subjects joined to the segment that says something about it."""
    segments = _segments(clause, _SEGMENT, _SUBORDINATE)
    bare = [_is_bare(clause, span, subjects) for span in segments]
    aside = [_is_aside(clause, span) for span in segments]
    parts: list[_Part] = []
    pending: int | None = None
    for index, (start, end) in enumerate(segments):
        if bare[index] and not aside[index]:
            last = index + 1 == len(segments)
            if not last and not aside[index + 1] and (not parts or _leads(segments[index + 1], subjects)):
                pending = start if pending is None else pending
                continue
            if parts and pending is None and not parts[-1].aside:
                parts[-1].end = end
                continue
        parts.append(_Part(start if pending is None else pending, end, aside[index]))
        pending = None
    return parts


def _leads(segment: Span, subjects: Sequence[Span]) -> bool:
    return any(segment[0] <= subject[0] < segment[0] + 12 for subject in subjects)


def _is_aside(clause: str, span: Span) -> bool:
    before = clause[: span[0]]
    bracketed = before.count("(") + before.count("[") > before.count(")") + before.count("]")
    return bracketed or bool(_ASIDE.match(clause[span[0] : span[1]]))


def _is_bare(clause: str, span: Span, subjects: Sequence[Span]) -> bool:
    inside = [subject for subject in subjects if span[0] <= subject[0] < span[1]]
    if not inside:
        return False
    rest = clause[span[0] : span[1]]
    for start, end in reversed(inside):
        # "20417" may be all that the contract names of "CN-20417"
        prefix = re.search(r"[\w-]*$", rest[: start - span[0]])
        rest = rest[: prefix.start() if prefix else start - span[0]] + rest[end - span[0] :]
    for (start, end), _ in reversed(find_money(rest)):
        rest = rest[:start] + rest[end:]
    return not _FILLER.sub("", _ID.sub("", rest))


def _unclaimed(span: Span, clause: str, parts: Sequence[_Part]) -> bool:
    """Whether an occurrence is negated, set aside or only hoped for within its part of the clause."""
    part = next((part for part in parts if part.start <= span[0] < part.end), _Part(0, len(clause), False))
    before = clause[part.start : span[0]]
    before = before[before.rfind(":") + 1 :]
    if _DENIED.match(clause, span[1]) or any(True for _ in _cues(before)) or _HEDGE.search(before):
        return True
    return any(len(before[match.end() :].split()) <= 3 for match in _INSTEAD_OF.finditer(before))


def _same_claim(
    head: Span, place: Span, clause: str, parts: Sequence[_Part], heads: Sequence[Span], tails: Sequence[Span]
) -> bool:
    first, second = sorted((head, place))
    kind = heads if first == head else tails
    first_part = next((n for n, part in enumerate(parts) if part.start <= first[0] < part.end), 0)
    second_part = next((n for n, part in enumerate(parts) if part.start <= second[0] < part.end), 0)
    if first_part == second_part:
        inner_heads = [span for span in heads if parts[first_part].start <= span[0] < parts[first_part].end]
        inner_tails = [span for span in tails if parts[first_part].start <= span[0] < parts[first_part].end]
        if len(inner_heads) > 1 and len(inner_tails) > 1:
            return (head, place) in _link_runs(inner_heads, [span for span in inner_tails if span not in inner_heads])
        return True
    goes_on = clause[parts[second_part].start : second[0]]
    if not _GOES_ON.fullmatch(goes_on):
        return False
    if any(not part.aside for part in parts[first_part + 1 : second_part]):
        return False
    if parts[first_part].aside:
        return False
    subjects = [span for span in kind if parts[first_part].start <= span[0] < parts[first_part].end]
    relative = re.match(r"\s*(?:which|who|that)\b", goes_on, re.I)
    return first == (subjects[-1] if relative and second_part == first_part + 1 else subjects[0])


def _overlap(left: Span, right: Span) -> bool:
    return left[0] < right[1] and right[0] < left[1]
