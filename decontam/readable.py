"""A readable text is what a person would see of a stored string: encodings undone, markup and marks dropped.

A string may have several, because what was meant can't always be told: "=20" may be a blank in quoted-printable or
part of an address. Each is compared, so that no reading hides what another shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple

from decontam.drawn_tables import drawn_columns
from decontam.encodings import (
    base64_blocks,
    decoded_base64,
    decoded_percent,
    decoded_quoted_printable,
    mail_texts,
    without_escapes,
)
from decontam.keys import has_letters
from decontam.marks import without_marks
from decontam.markup import shown
from decontam.words import words_of

_DEEPEST = 5
"""Encodings inside one another that are undone; more of them are no text that anybody sends."""

_DEEPEST_JSON = 100


class Readable(NamedTuple):
    """One reading of a string."""

    suffix: str
    """How it came about, such as `|base64|mail.subject`; "" for the string as it stands."""
    text: str
    field: str = ""
    """What part of the string it is, such as `.subject`; "" for all of it."""
    data: Any = None
    """The object or list that the text spells as JSON; None when it spells none."""


def is_plain(text: str) -> bool:
    """Whether a text that isn't empty has nothing that `readable_texts` would read differently."""
    if "\n" in text or "&" in text or "=" in text or "[" in text or text[0] == "{" or ("6" in text and "ase64" in text):
        return False
    if "\\" in text or "%" in text or "*" in text:
        return False
    return "<" not in text or _is_mailbox(text)


def _is_mailbox(text: str) -> bool:
    """Whether it is a mail address after a name, which looks like markup: Ada Birk <ada@birk.test>."""
    address = text.partition("<")[2]
    return address[-1:] == ">" and "@" in address and " " not in address and "<" not in address


def readable_texts(text: str, suffix: str = "", field: str = "") -> Iterator[Readable]:
    """Readings of `text` as a person sees it, every one with its words."""
    is_nested = suffix.count("|") >= _DEEPEST
    if text[:1] in ("{", "[", " ", "\n") and (data := _json_inside(text)) is not None:
        if has_letters(text):  # elsewhere it may stand in the middle of a text
            yield Readable(suffix, text, field)
        yield Readable(suffix, text, field, data)
        return
    if not is_nested and " " not in text and (decoded := decoded_base64(text)) is not None:
        yield from readable_texts(decoded, f"{suffix}|base64", field)
        return
    if not is_nested and "\n" in text and ":" in text and (parts := mail_texts(text)):
        for name, part in parts.items():
            yield from readable_texts(part, f"{suffix}|mail.{name}", f"{field}.{name}")
        yield Readable(suffix, text, field)  # with heads that mail programs don't show
        return
    if not is_nested and ("\n" in text or "6" in text):
        for decoded in base64_blocks(text):
            yield from readable_texts(decoded, f"{suffix}|base64", field)
    if not is_nested and "=" in text and (decoded := decoded_quoted_printable(text)) is not None:
        yield from readable_texts(decoded, f"{suffix}|quoted-printable", field)
    if not is_nested and "%" in text and (decoded := decoded_percent(text)) is not None:
        yield from readable_texts(decoded, f"{suffix}|percent", field)
    if not is_nested and "\\" in text and (decoded := without_escapes(text)) is not None:
        yield from readable_texts(decoded, f"{suffix}|unescaped", field)
    if "<" in text or "&" in text:
        seen = shown(text)
        text = seen.text
        if seen.links:
            yield Readable(f"{suffix}|links", "\n".join(seen.links), f"{field}.links")
        yield from (Readable(f"{suffix}|column[{n}]", column, field) for n, column in enumerate(seen.columns))
        yield from (Readable(f"{suffix}|unseen[{n}]", unseen, field) for n, unseen in enumerate(seen.unseen))
    yield Readable(suffix, text, field)
    yield from _unmarked(text, suffix, field)


def _unmarked(text: str, suffix: str, field: str) -> Iterator[Readable]:
    """The reading without marks where it has other words, the heads that it leaves out, and columns of its tables."""
    bare = without_marks(text)
    if bare.text != text and words_of(bare.text) != words_of(text):
        yield Readable(f"{suffix}|unmarked", bare.text, field)
        yield from (Readable(f"{suffix}|head[{n}]", head, field) for n, head in enumerate(bare.headers))
    if "\n" in text:
        yield from (Readable(f"{suffix}|column[{n}]", column, field) for n, column in enumerate(drawn_columns(text)))


def _json_inside(text: str) -> Any:
    """The object or list that `text` spells, None when it spells none or one too deep to be anybody's text."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, (dict, list)) or text.count("{") + text.count("[") > _DEEPEST_JSON < _depth(text):
        return None
    return data


def _depth(text: str) -> int:
    """How many brackets are open at once, at most; those inside strings count too."""
    return max(accumulate(1 if sign in "{[" else -1 for sign in text if sign in "{[]}"), default=0)
