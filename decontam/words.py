"""Words are what is left of a text when case, punctuation, markup signs and invisible characters don't count."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_APOSTROPHES = "'`\u2018\u2019\u201b\u02bc\u02b9\u00b4\u2032\uff07"
# Nothing is seen of them, and the others are blanks.
_CONTROLS = "".join(map(chr, [*range(9), *range(14, 28), *range(127, 133), *range(134, 160)]))
_UNSAID = _APOSTROPHES + "\u2122\u2120\u00ae\u00a9" + _CONTROLS
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
_ACCENTS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(f"[{_IDEOGRAPHS}]|[^\\W_{_IDEOGRAPHS}]+")
_DROP_CONTROLS = dict.fromkeys(map(ord, _CONTROLS))
_DROP_UNSAID = dict.fromkeys(map(ord, _UNSAID))
# Letters that have no accent to lose and are written without all the same.
_PLAIN_LETTERS = str.maketrans(
    {"\u00f8": "o", "\u0142": "l", "\u0111": "d", "\u00f0": "d", "\u0131": "i", "\u00e6": "ae", "\u0153": "oe"}
)
BREAK = "\x01"
"""Stands for the end of a text among words; no text has it as a word."""
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)} | {
    ord(sign): None for sign in _UNSAID if sign.isascii()
}

_BETWEEN_TEXTS = f" {BREAK} "
_UNSAID_BYTES = "".join(filter(str.isascii, _UNSAID)).replace(BREAK, "").encode()
_ASCII_BYTES = bytes(code if code >= 128 or code == ord(BREAK) else ord(_ASCII[code] or " ") for code in range(256))
_REMEMBERED = 1 << 16


class _FoldedChunks(dict[str, str]):
    """What a run of characters without blanks is when case, accents and invisible signs don't count.

    The first few thousand different ones are remembered: texts repeat their dashes and names.
    """

    def __missing__(self, chunk: str) -> str:
        visible = _INVISIBLE.sub("", chunk).translate(_DROP_UNSAID)
        folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", visible).casefold())
        # Taken apart for their accents, Hangul and Kana are put together again.
        plain = unicodedata.normalize("NFKC", _ACCENTS.sub("", folded).translate(_PLAIN_LETTERS))
        plain = plain.translate(_DROP_UNSAID)
        if len(self) < _REMEMBERED:
            self[chunk] = plain
        return plain


_folded_chunks = _FoldedChunks()


def words_of(text: str) -> list[str]:
    """The words of `text`: NFKC, case-folded, runs of letters and digits; "Don\u2019t STOP" gives dont, stop.

    Apostrophes, accents, trade marks and zero-width characters vanish, everything else that is no letter or digit
    (underscore included) separates. Scripts written without blanks (Han, Kana) give one word a character.
    """
    folded = text if text.isascii() else _folded(text)
    if folded.isascii():
        return folded.translate(_ASCII).split()
    return _WORD.findall(folded.lower().translate(_DROP_UNSAID))


def _folded(text: str) -> str:
    """`text` with its chunks that aren't plain ASCII folded."""
    return " ".join([chunk if chunk.isascii() else _folded_chunks[chunk] for chunk in text.split()])


def spelled_words(texts: Sequence[str]) -> bytes:
    """The words of each text followed by BREAK, all set apart by blanks, in UTF-8: many times faster than as words."""
    plain = [text if text.isascii() else _spelled(text) for text in texts]
    joined = _BETWEEN_TEXTS.join([*plain, ""])
    if joined.count(BREAK) > len(texts):
        joined = _BETWEEN_TEXTS.join([*(text.replace(BREAK, "") for text in plain), ""])
    return joined.encode("utf-8", "surrogatepass").translate(_ASCII_BYTES, _UNSAID_BYTES)


def words_of_spelled(text: bytes) -> list[str]:
    """The words that `spelled_words` set apart."""
    return text.decode("utf-8", "surrogatepass").split()


def _spelled(text: str) -> str:
    """`text`, or what is left of one that does not fold to ASCII, so that what is done with ASCII suffices."""
    folded = _folded(text)
    return folded if folded.isascii() else " ".join(words_of(folded))


class Span(NamedTuple):
    """One word and the characters of the text that hold it, to the nearest blanks."""

    word: str
    start: int
    end: int


def spans_of(text: str) -> list[Span]:
    """The words of `text` with where they stand; words inside one run without blanks share its place."""
    return [
        Span(word, chunk.start(), chunk.end())
        for chunk in re.finditer(r"\S+", text)
        for word in words_of(chunk.group())
    ]


def run_position(words: list[str], run: tuple[str, ...]) -> int | None:
    """Where `run` begins among `words`, None when it doesn't occur or is empty."""
    if not run:
        return None
    for start in range(len(words) - len(run) + 1):
        if words[start] == run[0] and tuple(words[start : start + len(run)]) == run:
            return start
    return None


_CASED = _PLAIN_LETTERS | {ord(chr(code).upper()): plain.capitalize() for code, plain in _PLAIN_LETTERS.items()}
_CASED |= {ord("\u00df"): "ss"}


def unaccented(text: str) -> str:
    """`text` in its own case without accents and invisible signs."""
    if text.isascii():
        return text if text.isprintable() else text.translate(_DROP_CONTROLS)
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text.translate(_DROP_CONTROLS)))
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", visible))
    return unicodedata.normalize("NFKC", bare.translate(_CASED))
