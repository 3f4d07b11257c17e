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
    "a about after all also am an and another any anyone anything are as at be been before but by can could did do "
    "does don else every everything for from had has have he her here him his how i if in into is it its just let "
    "like may me might must my need no not now of off on one only onto or our out over please s same shall she should "
    "so some somebody someone something still t than that the their them then there these they thing things this "
    "those to today tomorrow too up us use used using want was we were what when where whether which while who whose "
    "why will with would yesterday yet you your".split()
)

_PHRASES = (
    ("call off", "cancel"),
    ("close down", "archive"),
    ("follow up", "followup"),
    ("fill in", "fill"),
    ("get rid of", "delete"),
    ("hand over", "assign"),
    ("how many", "count"),
    ("look for", "find"),
    ("look up", "find"),
    ("pull up", "find"),
    ("push back", "reschedule"),
    ("put off", "reschedule"),
    ("say yes", "accept"),
    ("say no", "decline"),
    ("set up", "create"),
    ("take back", "delete"),
    ("throw away", "delete"),
    ("take away", "remove"),
    ("take off", "remove"),
    ("write down", "record"),
    ("next page", "more"),
    ("who is in", "list members"),
    ("who am i", "me myself identity"),
    ("due date", "duedate"),
)
"""Two or three words that mean something else together, and what they mean; tried in this order."""

_OTHER_WORD = 0.5
"""What a word that says the same as one of the question weighs beside it."""
_STATE_WORD = 0.2
"""What `open` weighs where a question doesn't begin with it: there it mostly says how something is, not what to do."""

_FIRST = {
    "comment": "add comment",
    "email": "send email",
    "invoice": "create invoice",
    "label": "add label",
    "mail": "send email",
    "message": "send message",
    "note": "add note",
    "quote": "create quote",
    "tag": "add tag",
}
"""Nouns that say what to do where a question begins with them, and what they mean there."""

_ALIKE = (
    "create add new make insert open start raise log file enter register record write",
    "update change edit modify alter adjust set patch fix correct amend write",
    "delete remove erase drop discard trash bin",
    "find search look locate lookup query list",
    "get read view fetch retrieve show see list",
    "clear empty wipe blank",
    "send deliver post",
    "answer reply respond",
    "merge combine join duplicate",
    "reserve book schedule arrange",
    "convert turn transform",
    "mail email",
    "customer client buyer",
    "supplier vendor",
    "company organization organisation firm business",
    "colleague person people user member",
    "meeting appointment event",
    "available free busy availability",
    "workbook spreadsheet",
    "sheet tab",
    "pay paid payment",
    "note comment",
    "owe owed due unpaid overdue outstanding",
    "tell inform notify",
    "many several bulk batch once",
)
"""Words of which each may stand for the others."""

_INSTEAD = (
    "open get read",
    "move update change transition",
    "reschedule update change move",
    "postpone update change move",
    "shift update change move",
    "cancel delete void",
    "close update change status done solve resolve",
    "solve update status",
    "resolve update status",
    "finish update status done",
    "reopen update change status",
    "mark update change modify set status transition",
    "accept update answer attendee",
    "decline update answer attendee",
    "invite add update attendee guest",
    "react add reaction emoji",
    "rename update change",
    "tell message post send",
    "undo delete void cancel",
    "announce post send",
    "answer send update",
    "reply send post update",
    "book create insert",
    "schedule create insert",
    "append add bottom end",
    "assign owner assignee",
    "give assign",
    "chat message conversation",
    "said message history comment",
    "written message history comment",
    "hand assign give",
    "shorten update change",
    "extend update change",
    "increase update change",
    "reduce update change",
    "private direct",
    "privately direct",
    "customer contact account user",
    "supplier contact",
    "company account",
    "person contact",
    "folder label",
    "settle allocate payment",
    "option picklist value",
    "value picklist",
    "field column property",
    "history comment note",
)
"""First a word that people say, then words that endpoints may be described with instead."""

_READING = frozenset(
    "any anyone are check compare count did do does download fetch find get has have how is list look lookup query "
    "read search see show view what when where which who".split()
)
_WRITING = frozenset(
    "add allocate announce answer append apply archive arrange ask assign attach book call cancel change clear close "
    "convert copy correct create decline delete draft edit empty enter extend file forward give hand increase invite "
    "issue join leave let link log make mark merge message modify move notify pay pin plan post postpone prepare push "
    "put raise react record reduce register remove rename reopen replace reply report reschedule reserve say schedule "
    "send set share shorten solve sort start submit tag tell turn unarchive undo update upload use void write".split()
)
"""What questions that ask to look something up, or to change something, begin with."""


def reworded(text: str) -> str:
    """The question with phrases in other words."""
    text = _CHANNEL.sub("channel ", text)
    for phrase, meaning in _PHRASES_KNOWN:
        text = phrase.sub(meaning, text)
    first, blank, rest = text.strip().partition(" ")
    return _FIRST.get(first.lower(), first) + blank + rest


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


def meant(text: str) -> list[dict[str, float]]:
    """For each word of a question, terms -> weights: itself 1, words that say the same less."""
    found = []
    for place, term in enumerate(dict.fromkeys(terms(text))):
        weight = _STATE_WORD if place and term == "open" else 1.0
        found.append({term: weight, **dict.fromkeys(_OTHERS.get(term, ()), weight * _OTHER_WORD)})
    return found


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


def _each_first(line: str) -> list[str]:
    words = line.split()
    return [" ".join([word, *(other for other in words if other != word)]) for word in words]


_NAME = re.compile(r"[A-Za-z0-9]+(?:[._][A-Za-z0-9]+)*")
_CHANNEL = re.compile(r"(?<!\w)#(?=[a-z])")
"""A name such as #sales is that of a channel, whatever the application."""
_HUMP = re.compile(r"([a-z0-9])([A-Z])")
_WORD = re.compile(r"[a-z0-9]+")
_PHRASES_KNOWN = tuple(
    (re.compile(rf"\b{phrase}\b".replace(" ", "[ -]+"), re.IGNORECASE), meaning) for phrase, meaning in _PHRASES
)
_OTHERS: dict[str, tuple[str, ...]] = {}
for _line in [*(_turned for _alike in _ALIKE for _turned in _each_first(_alike)), *_INSTEAD]:
    _said, *_words = map(_stem, _line.split())
    _OTHERS[_said] = (*_OTHERS.get(_said, ()), *(_word for _word in _words if _word != _said))
