"""A term is a word as the index of endpoints holds it: lower case, its ending removed.

Stems follow Harman's S-stemmer ("How effective is suffixing?", JASIS 42, 1991) for plurals; then -ing, -ed, a final e
and a doubled last letter go, so that archive, archives, archived and archiving are one term.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Access = Literal["read", "write"]

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
    "folder label",
    "bin trash",
    "rubbish trash",
    "team group",
    "meeting event appointment call",
    "appointment event meeting",
    "available busy free",
    "free busy availability",
    "workbook spreadsheet",
    "sheet spreadsheet tab",
    "tab sheet",
    "append add bottom end",
    "paid payment",
    "pay payment",
    "settle payment allocate",
    "option picklist value",
    "value picklist",
    "field column property",
    "note comment history",
    "comment note",
    "many several bulk batch",
    "several many batch",
    "bulk batch many",
    "once batch many",
)
"""First a word that people say, then words that endpoints may be described with instead; stems, like everything."""


_READING = frozenset(
    "check compare count download fetch find get how list look lookup query read search see show view "
    "what when where which who".split()
)
_WRITING = frozenset(
    "add allocate announce answer append apply archive arrange ask assign attach book call cancel change clear close "
    "convert copy correct create decline delete draft edit empty enter file forward give invite issue join leave let "
    "link log make mark merge message modify move notify pay pin plan post postpone prepare push put raise react "
    "record register remove rename reopen replace reply report reschedule reserve say schedule send set share solve sort "
    "start submit tag tell turn unarchive undo update upload use void write".split()
)
"""What questions that ask to look something up, or to change something, begin with."""


def aim(text: str) -> Access | None:
    """Whether what is asked for reads or writes, by the first of its words that tells; None when none of them does."""
    for word in _WORD.findall(text[:80].lower())[:4]:
        if word in _WRITING:
            return "write"
        if word in _READING:
            return "read"
    return None


def terms(text: str) -> list[str]:
    """The terms of a description, in its order, without stop words.

    A name made of several words, such as chat.postMessage or list_events, is a term besides its words.
    """
    found = []
    for name in _NAME.findall(text):
        words = _HUMP.sub(r"\1 \2", name).lower()
        parts = [word for word in _WORD.findall(words) if len(word) <= _LONGEST]
        found += [_stem(word) for word in parts if word not in _STOP_WORDS]
        if len(parts) > 1:
            found.append("".join(parts))
    return found


def meant(text: str, other_word: float) -> dict[str, float]:
    """Term -> weight of what a question asks for: its own words weigh 1, words that say the same `other_word`."""
    for phrase, meaning in _PHRASES_KNOWN:
        text = phrase.sub(meaning, text)
    own = dict.fromkeys(terms(text), 1.0)
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


_NAME = re.compile(r"[A-Za-z0-9]+(?:[._][A-Za-z0-9]+)*")
_HUMP = re.compile(r"([a-z0-9])([A-Z])")
_WORD = re.compile(r"[a-z0-9]+")
_PHRASES_KNOWN = tuple(
    (re.compile(rf"\b{phrase}\b".replace(" ", "[ -]+"), re.IGNORECASE), meaning) for phrase, meaning in _PHRASES
)
_OTHERS: dict[str, tuple[str, ...]] = {}
for _line in _SAME:
    _said, *_instead = map(_stem, _line.split())
    _OTHERS[_said] = (*_OTHERS.get(_said, ()), *_instead)
