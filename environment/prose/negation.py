"""A negation takes back what follows it in its segment; hedges and conditions only put it off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from environment.spellings import Span

_NOT = re.compile(
    r"\b(?:not(?!-)|never|cannot|cant|wont|isnt|wasnt|dont|didnt|doesnt|hasnt|havent|[a-z]+n't|no(?!-)|none|neither|nor|without"
    r"|fail(?:s|ed)? to|unable to|refuse[sd]? to|decline[sd]? to|yet to)\b",
    re.I,
)
_BREAK = re.compile(r"[,;:()\[\]|!?]|[.]\s|\b(?:and|but|while|whereas|because|so)\b", re.I)
_WHOM = frozenset({"for", "with", "from", "of", "by", "against"})
_NO_NEGATION = re.compile(
    r"(?:not|n't) (?:only|just|merely|simply|to mention|forget|hesitate|worry|until|before)\b"
    r"|(?:not|n't) (?:later|more|less) than\b"
    r"|no (?:later|earlier|more|less|fewer|sooner) than\b|no (?:doubt|problem|worries|issues?)\b|no\.? ?#?\d"
    r"|whether or not\b|why not\b",
    re.I,
)
DENIED = re.compile(r"\s*[:=?|-]\s*(?:no|false)\s*(?:$|[.,;)|\]])|\s*[:=|-]?\s*[❌✗✘]", re.I)
"""Comes after what is answered with no."""
INSTEAD_OF = re.compile(
    r"\b(?:instead of|rather than|in place of|in lieu of|replac(?:e|es|ed|ing)|supersed(?:e|es|ed|ing)|except(?: for)?"
    r"|excluding|other than|apart from|void|voided|superseded|cancelled|canceled|withdrawn|retracted|invalid"
    r"|obsolete)\b",
    re.I,
)
"""Sets aside what follows within three words."""
HEDGE = re.compile(
    r"\b(?:will|would|should|could|may|might|can|shall|to be|pending|await|awaiting|awaits|waiting|hold|held|holding"
    r"|wait|please|needs?|must|ready|'ll)\b",
    re.I,
)
"""What follows has not happened."""
CONDITION = re.compile(r"\b(?:if|once|unless|until|as soon as)\b|^(?:when|before|after)\b", re.I)
"""Somewhere in a clause: nothing in it is said to have happened."""


def find_negations(text: str) -> Iterator[Span]:
    """Where a text says no; "not only", "no later than" and the like say nothing of the kind."""
    found = list(_NOT.finditer(text))
    quiet = [match.span() for match in _NO_NEGATION.finditer(text)] if found else []
    for match in found:
        if not any(start <= match.end() - 1 < end for start, end in quiet):
            yield match.span()


@lru_cache(maxsize=8192)
def is_negated(span: Span, text: str) -> bool:
    """Whether a negation reaches what stands at `span`: up to four words further, one for a number or an id.

    It doesn't reach whom something is for: "no change for Larkfield Optics" still speaks of Larkfield Optics.
    """
    if DENIED.match(text, span[1]):
        return True
    has_digits = any(character.isdigit() for character in text[slice(*span)])
    for _, end in find_negations(text[: span[0]]):
        gap = text[end : span[0]]
        words = gap.split()
        if _BREAK.search(gap) or (len(words) > 1 and words[-1].lower() in _WHOM):
            continue
        if len(words) <= (1 if has_digits else 4):
            return True
    return False
