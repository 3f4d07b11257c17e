"""Lines are what a text consists of once markup, struck-out words and quoted mail are taken away."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from textwrap import wrap
from typing import Any

from environment.spellings import DASHES

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
_ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))


def read_lines(value: Any) -> tuple[str, ...]:
    """The lines of a text, HTML or rich-text value without its markup; an empty line where a paragraph ends."""
    return _lines(_plain(value))


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
    lines = (tidy(_BULLET.sub("", line, count=1)) for line in text.splitlines())
    return tuple(piece for line in lines for piece in _pieces(line))


def _pieces(line: str) -> list[str]:
    return [line] if len(line) <= _LONGEST_LINE else wrap(line, _LONGEST_LINE, break_on_hyphens=False)


def tidy(text: str) -> str:
    text = text.translate(_QUOTES).translate(DASHES)
    text = re.sub(r"(?<!\w)_+|_+(?!\w)", "", text)
    return " ".join(text.split())
