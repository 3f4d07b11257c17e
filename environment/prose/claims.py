"""A claim is made when its facts share a segment, or a later segment goes on about the same subject.

None of them may be negated, put off ("will be applied"), set aside ("instead of 20417", "20417 is void"), told as what
was before ("9 March, moved from 2 March") or asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from environment.contract import Fact
from environment.prose.clauses import SEPARATOR, SUBORDINATE, find_clauses, find_segments
from environment.prose.facts import Facts, find_fact, find_rivals, overlap
from environment.prose.former import is_activity, is_dismissed, is_former
from environment.prose.lines import read_lines
from environment.prose.negation import CONDITION, DENIED, HEDGE, INSTEAD_OF, find_negations
from environment.prose.statements import link_runs
from environment.spellings import Span, find_money


def makes_no_claim(claims: Sequence[Facts], value: Any) -> bool:
    """Whether the prose makes none of the claims."""
    clauses = [line[start:end] for line in read_lines(value) for start, end in find_clauses(line)]
    for clause in clauses:
        if clause.rstrip(" \"')").endswith("?"):
            continue
        for facts in claims:
            if not find_fact(facts[0], clause):
                continue
            if all(find_fact(fact, clause) for fact in facts[1:]) and _claims(facts, claims, clause):
                return False
    return True


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
_RESPECTIVELY = re.compile(r"\brespectively\b", re.I)
_ID = re.compile(r"(?<!\w)(?:[A-Za-z]+[-_]|#)?\d[\w-]*")


@dataclass(slots=True)
class _Part:
    """A segment of a clause, or several that only list things for one predicate."""

    start: int
    end: int
    aside: bool
    """It stands in brackets or is a relative clause: what follows goes on about the subject before it."""


def _claims(facts: Facts, claims: Sequence[Facts], clause: str) -> bool:
    """Whether a clause that has all the facts, and is no question, makes a claim of them."""
    if len(facts) > 1 and CONDITION.search(clause.strip()):
        return False
    if len(facts) == 1:
        segments = find_segments(clause, SEPARATOR, SUBORDINATE)
        parts = [_Part(start, end, False) for start, end in segments]
        own = find_fact(facts[0], clause)
        rivals = [span for span in _alike(facts[0], clause) if not any(overlap(span, one) for one in own)]
        return any(not (_unclaimed(span, clause, parts) or is_former(span, rivals, clause)) for span in own)
    kinds = [
        find_rivals(fact, [other[n] for other in claims if len(other) == len(facts)], clause)
        for n, fact in enumerate(facts)
    ]
    parts = _parts(clause, [span for kind in kinds[:1] for span in kind])
    places = [[span for span in find_fact(fact, clause) if not _unclaimed(span, clause, parts)] for fact in facts]
    for n, fact in enumerate(facts[1:], start=1):
        rivals = [span for span in kinds[n] if span not in places[n]]
        places[n] = [
            span for span in places[n] if not (is_former(span, rivals, clause) or is_activity(span, fact, clause))
        ]
    return any(
        all(
            any(_same_claim(head, place, clause, parts, kinds[0], kinds[n]) for place in places[n])
            for n in range(1, len(facts))
        )
        for head in places[0]
    )


def _alike(fact: Fact, clause: str) -> list[Span]:
    """Where a clause has something of the kind of a number, a day or a telephone number that stands alone."""
    if fact.read_as == "text" and any(character.isdigit() for spelling in fact.spellings for character in spelling):
        return [span for span, _ in find_money(clause)]
    return find_rivals(fact, (), clause)


def _parts(clause: str, subjects: Sequence[Span]) -> list[_Part]:
    """The segments of a clause, each bare list of subjects joined to the segment that says something about it."""
    segments = find_segments(clause, SEPARATOR, SUBORDINATE)
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
    if (
        DENIED.match(clause, span[1])
        or is_dismissed(span, clause)
        or any(True for _ in find_negations(before))
        or HEDGE.search(before)
    ):
        return True
    return any(len(before[match.end() :].split()) <= 3 for match in INSTEAD_OF.finditer(before))


def _has(part: _Part, spans: Sequence[Span]) -> bool:
    return any(part.start <= span[0] < part.end for span in spans)


def _same_claim(
    head: Span, place: Span, clause: str, parts: Sequence[_Part], heads: Sequence[Span], tails: Sequence[Span]
) -> bool:
    first, second = sorted((head, place))
    if is_dismissed(second, clause):
        return False
    if _RESPECTIVELY.search(clause) and len(heads) == len(tails):
        return (head, place) in zip(heads, tails, strict=True)
    kind = heads if first == head else tails
    first_part = next((n for n, part in enumerate(parts) if part.start <= first[0] < part.end), 0)
    second_part = next((n for n, part in enumerate(parts) if part.start <= second[0] < part.end), 0)
    if first_part == second_part:
        inner_heads = [span for span in heads if parts[first_part].start <= span[0] < parts[first_part].end]
        inner_tails = [span for span in tails if parts[first_part].start <= span[0] < parts[first_part].end]
        if len(inner_heads) > 1 and len(inner_tails) > 1:
            return (head, place) in link_runs(inner_heads, [span for span in inner_tails if span not in inner_heads])
        return True
    if _has(parts[second_part], tails if first == place else heads) and _has(
        parts[first_part], heads if first == place else tails
    ):
        return False
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
