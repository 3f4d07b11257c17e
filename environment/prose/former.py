"""What was before is told beside what holds now; an activity is told in the word of a status ("they paid 110").

Neither claims anything: "9 March, moved from 2 March" is about 9 March, and "Partial, paid 110" about Partial.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from environment.contract import Fact
from environment.spellings import Span, find_money

_BEFORE = re.compile(
    r"\b(?:was|were|had been|previously|formerly|originally|initially|earlier|first|before|old|so far|until now"
    r"|reported|(?:moved|changed|corrected|shifted|postponed|rescheduled|brought forward|reduced|lowered|raised|updated"
    r"|revised|went|up|down) from)(?: (?!to\b|is\b|now\b)[\w']+){0,2}[\s:(]*$",
    re.I,
)
"""Stands before what no longer holds."""
_THEN = re.compile(r"[\s)\]]*(?:->|=>|→|>|to|became|becomes|is now|now|changed to|corrected to)[\s(]*", re.I)
"""Stands between what was and what is."""
_DISMISSED = re.compile(
    r"[\s)\],:(-]*(?:(?:is|was|were|are|been|being|has|have|had|which|that|it|this|now|and|so|since)\b[\s,]*)*"
    r"(?:void(?:ed)?|withdrawn|superseded|replaced|obsolete|invalid|ignored|disregarded|outdated|retracted|mistyped|wrong"
    r"|no longer (?:valid|counts?|applies|current|in force)|(?:does not|doesn't|did not|didn't) count)\b",
    re.I,
)
"""Comes after what does not count."""
_PARTLY = re.compile(r"\b(?:partly|partially|part|half|only|they|we|customer|he|she|who)[\s-]*$", re.I)
_OBJECT = re.compile(r" (?:only |just |us |in |about )?")


def is_former(span: Span, rivals: Sequence[Span], clause: str) -> bool:
    """Whether something is told as what was before, beside one of its rivals that is told as what holds."""
    if not rivals:
        return False
    if _BEFORE.search(clause[: span[0]]):
        return True
    then = _THEN.match(clause, span[1])
    return then is not None and any(rival[0] == then.end() for rival in rivals)


def is_dismissed(span: Span, clause: str) -> bool:
    """Whether a number, an id or a date is said not to count."""
    return any(character.isdigit() for character in clause[slice(*span)]) and bool(_DISMISSED.match(clause, span[1]))


def is_activity(span: Span, fact: Fact, clause: str) -> bool:
    """Whether a status that is written with a capital letter stands in a small one beside an amount or who did it."""
    word = clause[slice(*span)]
    if fact.read_as != "text" or word[:1].isupper() or not any(one[:1].isupper() for one in fact.spellings):
        return False
    before = clause[: span[0]].rstrip()
    amounts = [place for place, _ in find_money(clause)]
    if any(place[1] == len(before) for place in amounts) or _PARTLY.search(before):
        return True
    gap = _OBJECT.match(clause, span[1])
    return gap is not None and any(place[0] == gap.end() for place in amounts)
