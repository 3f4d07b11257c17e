"""A mark is a sign of plain text that says how to read it: of a list, a quotation, a link, a word broken in two.

Marks that are no letters or digits vanish with all punctuation. Those that are would stand between the words of a text
and hide that two texts are the same; whether a sign is one is a guess at times ("4." may begin a line by chance), so
that texts are read as they stand too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LABELLED = re.compile(
    r"!?\[(?P<markdown>[^\[\]]{1,400})\]\([^()\s]{1,2000}(?:\s+\"[^\"\n]*\")?\)"
    r"|<(?:https?://|mailto:|[#@!])[^<>|\s]{0,2000}(?:\|(?P<chat>[^<>|]{0,400}))?>"
    r"|\[(?P<wiki>[^\[\]|]{1,400})\|[^\[\]|\s]{1,2000}\]"
    r"|\[\d{1,3}\]|\[\^[^\[\]\s]{1,40}\]"
)
_MAY_BE_LABELLED = re.compile(r"<(?:https?:|mailto:|[#@!])|\]\(")
_NOTE = re.compile(r"\[(?:\d{1,3}|\^[^\[\]\s]{1,40})\]")
_STRESS_IN_WORD = re.compile(r"(?<=[^\W_])\*{1,3}(?=[^\W_])")
_MAY_BE_BROKEN = re.compile(r"-[ \t]*[\r\n]")
_BROKEN = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad][ \t]*\r?\n[>| \t]*(?=[^\W\d_])")

_QUOTED = re.compile(r"[ \t]*(?:[A-Z]{1,4}>|[>|])[>| \t]*")
_LEAD = r"[ \t>|*\u2022\u25e6\u25aa\u2013+-]*"
_SIGN = r"(?:[\u2460-\u2473\u2776-\u277f]|\d\ufe0f?\u20e3)"
_LIST_MARK = re.compile(
    rf"{_LEAD}(?:\[[xX \u2713\u2714-]?\]|[(\[]?(?P<item>\d{{1,3}}|[a-zA-Z]|[ivx]{{1,4}})[.):\]]|{_SIGN})[ \t]+"
)
_MAY_BE_LIST = re.compile(rf"\n{_LEAD}(?:[(\[\d\u2460-\u277f]|[a-zA-Z][.):\]]|[ivx]{{2,4}}[.):\]])")
_ROMAN = {word: number for number, word in enumerate("i ii iii iv v vi vii viii ix x xi xii xiii".split(), 1)}

_WROTE = re.compile(
    r"(?:On|Am|Le|El|Op|Il|Em)\b[^\n]{5,200}(?:\n[>| \t]*[^\n]{1,200})?"
    r"(?:wrote|schrieb[^\n:]{0,80}|a \u00e9crit|escribi\u00f3|schreef[^\n:]{0,80}|ha scritto|escreveu) ?:[ \t]*$"
)
_DIVIDER = re.compile(
    r"[-_=\u2014* ]{0,40}(?:original message|forwarded message|begin forwarded message|urspr\u00fcngliche nachricht|"
    r"message d'origine|mensaje original)[-_=\u2014*: ]{0,40}$",
    re.IGNORECASE,
)
_HEADER_START = (
    r"[* ]{0,3}(?:From|Sent|Date|To|Cc|Bcc|Subject|Reply-To|Importance|Attachments|Von|Gesendet|An|Betreff|De|"
    r"Envoy\u00e9|\u00c0|Objet|Para|Enviado|Asunto)[* ]{0,3}:[* \t]"
)
_HEADER = re.compile(_HEADER_START)
_MAY_BE_QUOTING = re.compile(
    rf"\n(?:[ \t]*(?:[A-Z]{{0,4}}>|\|)|(?:On|Am|Le|El|Op|Il|Em) |[-_=\u2014*]|"
    rf"(?i:begin forwarded|original|forwarded|urspr|message|mensaje)|{_HEADER_START})"
)
_SPEAKS_OF_MESSAGES = ("essage", "ESSAGE", "achricht", "ensaje")
_SPEAKS_OF_QUOTES = ("wrote", "schrieb", "crit", "escribi", "schreef", "scritto", "escreveu")


@dataclass(frozen=True, slots=True)
class Unmarked:
    """A text without its marks."""

    text: str
    headers: tuple[str, ...]
    """The heads of the mails that it quotes, which stand between its words and theirs."""


def without_marks(text: str) -> Unmarked:
    """`text` with the labels of its links for the links, quoted mails without their heads, lists without their
    numbers, and words whole that a line's end breaks."""
    # Single signs are looked for first: that takes a tenth of the time.
    is_labelled = ("<" in text or "[" in text) and (
        "|" in text or _MAY_BE_LABELLED.search(text) is not None or _NOTE.search(text) is not None
    )
    if is_labelled:
        text = _LABELLED.sub(lambda link: link["markdown"] or link["chat"] or link["wiki"] or " ", text)
    if "*" in text:
        text = _STRESS_IN_WORD.sub("", text)
    if "\n" not in text:
        return Unmarked(text, ())
    headers: tuple[str, ...] = ()
    if _MAY_BE_QUOTING.search("\n" + text) is not None:
        text, headers = _without_quoting(text)
    if _MAY_BE_LIST.search("\n" + text) is not None:
        text = _without_list_marks(text)
    if not text.isascii() or _MAY_BE_BROKEN.search(text) is not None:
        text = _BROKEN.sub("", text)
    return Unmarked(text, headers)


def _without_quoting(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` without the signs before quoted lines, and the heads of quoted mails by themselves."""
    lines = text.split("\n")
    if ">" in text:
        lines = [line[mark.end() :] if (mark := _QUOTED.match(line)) is not None else line for line in lines]
    is_head = [False] * len(lines)
    speaks = any(map(text.__contains__, _SPEAKS_OF_QUOTES))
    start = 0
    while start < len(lines):
        line = lines[start].rstrip()
        stop = start + 1
        if speaks and line[:2] in ("On", "Am", "Le", "El", "Op", "Il", "Em"):
            two = "\n".join(lines[start : start + 2]).rstrip()
            if _WROTE.match(line) is not None:
                is_head[start] = True
            elif _WROTE.match(two) is not None:
                stop = start + 2
                is_head[start:stop] = [True, True]
        elif any(map(line.__contains__, _SPEAKS_OF_MESSAGES)):
            is_head[start] = _DIVIDER.match(line) is not None
        elif ":" in line[:20] and _HEADER.match(line) is not None:
            while stop < len(lines) and _HEADER.match(lines[stop]) is not None:
                stop += 1
            # One such line alone may be a line of the text.
            is_head[start:stop] = [stop - start > 1] * (stop - start)
        start = stop
    kept = "\n".join(line for line, head in zip(lines, is_head, strict=True) if not head)
    return kept, tuple(_blocks(lines, is_head))


def _blocks(lines: list[str], chosen: list[bool]) -> list[str]:
    """Neighbouring lines that are chosen, together."""
    blocks: list[list[str]] = []
    for number, line in enumerate(lines):
        if chosen[number]:
            if number == 0 or not chosen[number - 1]:
                blocks.append([])
            blocks[-1].append(line)
    return ["\n".join(block) for block in blocks]


def _without_list_marks(text: str) -> str:
    """`text` without numbers and letters of lists: those that begin a line and have a neighbour or are the first."""
    lines = text.split("\n")
    marks = [_LIST_MARK.match(line) for line in lines]
    places = [_places(mark["item"]) if mark is not None and mark["item"] else frozenset() for mark in marks]
    known = frozenset().union(*places)
    for number, mark in enumerate(marks):
        if mark is None:
            continue
        is_list = not mark["item"] or any(
            place == 1 or (kind, place - 1) in known or (kind, place + 1) in known for kind, place in places[number]
        )
        if is_list:
            lines[number] = lines[number][mark.end() :]
    return "\n".join(lines)


def _places(item: str) -> frozenset[tuple[str, int]]:
    """What the number or letter of a list's item may count: (kind of counting, place)."""
    if item.isdigit():
        return frozenset({("digits", int(item))})
    lower = item.lower()
    places = {("roman", _ROMAN[lower])} if lower in _ROMAN else set()
    if len(item) == 1:
        places.add(("letters", ord(lower) - ord("a") + 1))
    return frozenset(places)
