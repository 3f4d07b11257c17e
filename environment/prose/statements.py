"""A statement is a tuple of facts that a text puts together in one clause or line, none of them negated.

Facts belong together when nothing of their own kind stands nearer: in "B-7711 EUR 5, B-7719 GBP 6" the bill B-7711 goes
with EUR 5 only. A line that names the first fact may also be a heading for the lines under it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from environment.prose.clauses import SEPARATOR, find_clauses, find_segments
from environment.prose.facts import Facts, find_fact, find_rivals, overlap
from environment.prose.lines import read_lines
from environment.prose.negation import is_negated
from environment.spellings import Span


def states_all(tuples: Sequence[Facts], value: Any) -> bool:
    """Whether the prose states every tuple of facts, those of one tuple in one clause or line."""
    lines = read_lines(value)
    return all(_states(facts, tuples, lines) for facts in tuples)


def _states(facts: Facts, tuples: Sequence[Facts], lines: Sequence[str]) -> bool:
    if not all(any(find_fact(fact, line) for line in lines) for fact in facts):
        return False
    for line in lines:
        if len(facts) == 1:
            if any(not is_negated(span, line) for span in find_fact(facts[0], line)):
                return True
        elif any(_stand_together(facts, tuples, text) for text in _clauses_and_line(line)):
            return True
    return len(facts) > 1 and any(_head_section(facts, tuples, lines, index) for index in range(len(lines) - 1))


def _clauses_and_line(line: str) -> list[str]:
    clauses = [line[start:end] for start, end in find_clauses(line)]
    return clauses if clauses == [line] else [*clauses, line]


def _stand_together(facts: Facts, tuples: Sequence[Facts], text: str) -> bool:
    """Whether the facts stand in the text, none negated, and each with the first rather than with a rival of either."""
    for fact in facts:  # a loop, because most texts lack the first already
        if not find_fact(fact, text):
            return False
    places = [[span for span in find_fact(fact, text) if not is_negated(span, text)] for fact in facts]
    if not all(places):
        return False
    segments = find_segments(text, SEPARATOR)
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


def _of_kind(facts: Facts, number: int, tuples: Sequence[Facts], text: str) -> list[Span]:
    """Where things of the kind of one of the facts stand, without those that are another fact of the same tuple."""
    others = [other[number] for other in tuples if len(other) == len(facts)]
    spans = find_rivals(facts[number], others, text)
    siblings = [span for index, fact in enumerate(facts) if index != number for span in find_fact(fact, text)]
    own = find_fact(facts[number], text)
    return [span for span in spans if span in own or not any(overlap(span, sibling) for sibling in siblings)]


def _apart(heads: Sequence[Span], tails: Sequence[Span], place: Span) -> tuple[list[Span], list[Span]]:
    """Both kinds without what is of both: two amounts of one pair are no rivals of each other."""
    both = [span for span in tails if any(overlap(span, head) for head in heads)]
    kept_tails = [span for span in tails if span == place or span not in both]
    return [head for head in heads if not overlap(head, place)], kept_tails


def _links(heads: Sequence[Span], tails: Sequence[Span], segments: Sequence[Span]) -> set[tuple[Span, Span]]:
    """Which heads and tails belong together."""
    if len(heads) == len(tails) == 1:
        return {(heads[0], tails[0])}
    if len(heads) == len(tails) > 1 and (heads[-1] < tails[0] or tails[-1] < heads[0]):
        return set(zip(heads, tails, strict=True))
    linked: set[tuple[Span, Span]] = set()
    loose_heads, loose_tails = list(heads), list(tails)
    for start, end in segments:
        inner_heads = [span for span in heads if start <= span[0] < end]
        inner_tails = [span for span in tails if start <= span[0] < end]
        if inner_heads and inner_tails:
            linked |= link_runs(inner_heads, inner_tails)
            loose_heads = [span for span in loose_heads if span not in inner_heads]
            loose_tails = [span for span in loose_tails if span not in inner_tails]
    if loose_heads and loose_tails:
        linked |= link_runs(loose_heads, loose_tails)
    else:
        for tail in loose_tails:
            nearest = max((head for head in heads if head < tail), default=min(heads, default=None))
            if nearest:
                linked.add((nearest, tail))
    return linked


def link_runs(heads: Sequence[Span], tails: Sequence[Span]) -> set[tuple[Span, Span]]:
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


def _head_section(facts: Facts, tuples: Sequence[Facts], lines: Sequence[str], index: int) -> bool:
    """Whether a line names the first fact as a heading and the lines under it, up to the next such, the others."""
    heading = lines[index]
    places = [span for span in find_fact(facts[0], heading) if not is_negated(span, heading)]
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
        any(not is_negated(span, line) for line in below for span in find_fact(fact, line)) for fact in facts[1:]
    )
