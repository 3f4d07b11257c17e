"""A term is a word as the index of endpoints holds it: lower case, its ending removed.

Stems follow Harman's S-stemmer ("How effective is suffixing?", JASIS 42, 1991) for plurals; then -ing, -ed, a final e
and a doubled last letter go, so that archive, archives, archived and archiving are one term.
"""

from __future__ import annotations

import re
from functools import lru_cache

_LONGEST = 40
"""Letters of a word; nothing that endpoints are described with is longer."""

_STOP_WORDS = frozenset(
    "a about after all also am an and any anyone anything are as at be been before but by can could did do does don "
    "else every everything for from had has have he her here him his how i if in into is it its just let like may me "
    "might must my need new no not now of off on one only onto or our out over please s same shall she should so some "
    "somebody someone something still t than that the their them then there these they thing things this those to "
    "today tomorrow too up us use used using want was we were what when where whether which while who whose why will "
    "with would yet you your yesterday".split()
)

_PHRASES = (
    ("call off", "cancel"),
    ("follow up", "followup"),
    ("fill in", "fill"),
    ("get rid of", "delete"),
    ("hand over", "assign"),
    ("look for", "find"),
    ("look up", "find"),
    ("push back", "reschedule"),
    ("put off", "reschedule"),
    ("set up", "create"),
    ("take away", "remove"),
    ("take off", "remove"),
    ("write down", "record"),
    ("next page", "more"),
    ("who is in", "list members"),
    ("who am i", "me myself identity"),
    ("due date", "duedate"),
)
"""Two or three words that mean something else together, and what they mean; tried in this order."""

_SAME = (
    "find search look locate lookup query",
    "get read open view fetch retrieve",
    "list which enumerate",
    "see show get list read history",
    "create add new make insert open start",
    "write update set create",
    "file raise log record create add",
    "issue raise create",
    "update change edit modify alter adjust patch set correct fix",
    "rename change update",
    "delete remove erase drop trash discard",
    "cancel delete void",
    "clear empty wipe blank",
    "send deliver",
    "post send write announce publish",
    "answer reply respond reply send",
    "reschedule move postpone shift update change",
    "close solve resolve finish complete done status update",
    "reopen status update",
    "mark set status update modify transition",
    "mail email message letter",
    "invite add guest attendee",
    "attach link",
    "combine merge join",
    "assign give owner assignee",
    "accept decline answer attendee",
    "reserve book schedule create insert",
    "arrange schedule book create insert",
    "convert turn transform",
    "react reaction emoji",
    "chat conversation message talk",
    "said message history",
    "private direct",
    "privately direct dm",
    "dm direct",
    "colleague user person member",
    "person people user contact member",
    "somebody user person",
    "customer client contact account requester user buyer",
    "client customer contact",
    "supplier vendor contact",
    "vendor supplier contact",
    "company organization account business organisation",
    "organisation organization company",
    "firm company organization account",
    "deal opportunity",
    "prospect lead",
    "request ticket",
    "case ticket",
    "ticket issue case",
    "bug issue",
    "task issue",
    "story issue",
    "folder label",
    "bin trash",
    "rubbish trash",
    "room channel calendar",
    "team group",
    "meeting event appointment call",
    "appointment event meeting",
    "call event meeting",
    "invitation event attendee guest",
    "occurrence instance",
    "available busy free",
    "free busy availability",
    "workbook spreadsheet",
    "sheet spreadsheet tab",
    "tab sheet",
    "table spreadsheet sheet",
    "column cell range values",
    "cell range values",
    "row values range",
    "append add bottom end",
    "bill invoice",
    "paid payment",
    "pay payment",
    "settle payment allocate",
    "refund credit",
    "spend bank transaction",
    "spent spend bank transaction",
    "product item",
    "estimate quote",
    "template macro",
    "canned macro",
    "hour time worklog",
    "work worklog",
    "option picklist value",
    "value picklist",
    "field column property",
    "developer user assignee",
    "note comment history",
    "comment note",
    "release version",
    "block link",
    "many several bulk batch",
    "several many batch",
    "bulk batch many",
    "once batch many",
)
"""First a word that people say, then words that endpoints may be described with instead; stems, like everything."""


def terms(text: str) -> list[str]:
    """The terms of a description, in its order; stop words are left out."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    return [_stem(word) for word in _WORD.findall(spaced.lower()) if word not in _STOP_WORDS and len(word) <= _LONGEST]


def meant(text: str, other_word: float) -> dict[str, float]:
    """Term -> weight of what a question asks for: its own words weigh 1, words that say the same `other_word`."""
    spaced = " ".join(_WORD.findall(text.lower()))
    for phrase, meaning in _PHRASES_KNOWN:
        spaced = phrase.sub(meaning, spaced)
    own = dict.fromkeys(terms(spaced), 1.0)
    others = (other for term in own for other in _OTHERS.get(term, ()))
    return {**dict.fromkeys(others, other_word), **own}


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "uses", "xes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us")) and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


_WORD = re.compile(r"[a-z0-9]+")
_PHRASES_KNOWN = tuple((re.compile(rf"\b{phrase}\b"), meaning) for phrase, meaning in _PHRASES)
_OTHERS: dict[str, tuple[str, ...]] = {}
for _line in _SAME:
    _said, *_instead = map(_stem, _line.split())
    _OTHERS[_said] = (*_OTHERS.get(_said, ()), *_instead)
