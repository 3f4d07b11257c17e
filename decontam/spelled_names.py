"""A spelled name is a run of words that spells a company's key, judged where it stands: is that company meant there?

A single word must be capitalised, and be neither half of a person's name, nor a room or street, nor a word that only
begins a sentence; a longer name need not be capitalised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain

import numpy as np

from decontam.codes import codes_of
from decontam.companies import CompanyName
from decontam.company_fields import kind_of_field
from decontam.lexicon import GENERIC_NAMES, LEGAL_SUFFIXES, OPENERS, PLAIN_WORDS, STREETS
from decontam.name_keys import LONGEST, folded
from decontam.people import GIVEN_NAMES
from decontam.reading import Reading
from decontam.words import unaccented, words_of


def is_within_longer(reading: Reading, position: int, width: int, companies: Mapping[str, CompanyName]) -> bool:
    """Whether the words belong to a longer name: the Meridian of Meridian Logistics is another company."""
    start = reading.starts[reading.passage_at(position)]
    stop = position + int(reading.left[position])
    for low in range(max(start, position - LONGEST), position + 1):
        for high in range(position + width, min(low + LONGEST, stop) + 1):
            longer = companies.get("".join(reading.words[low:high])) if high - low > width else None
            # Where a name in prose begins is a guess, where it ends is not.
            if longer is not None and (longer.is_certain or high > position + width):
                return True
    return False


_BETWEEN_WORDS = r"[\W_]*"


def is_compound(name: str, key: str) -> bool:
    """Whether a name that is one word in its key is written as several, or in CamelCase: that is no ordinary word."""
    return key not in words_of(name) or _INNER_CAPITAL.search(name) is not None


_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")


def written_name(reading: Reading, position: int, width: int, key: str, compound: bool) -> str | None:
    """The name as the passage spells it, None where the words are no name; that of a `compound` may be a handle."""
    passage = reading.passages[reading.passage_at(position)]
    text = unaccented(passage.text)
    words = reading.words[position : position + width]
    parts = ["['\u2019]?".join(map(re.escape, word)) for word in words]
    is_possessive = folded("".join(words)) != key
    if is_possessive:
        parts[-1] = f"{re.escape(words[-1][:-1])}['\u2019]s"
    run = _BETWEEN_WORDS.join(parts)
    spelled = list(re.finditer(rf"(?<![^\W_]){run}(?![^\W_])", text, re.IGNORECASE))
    if width > 1:
        if not spelled:
            return None if is_possessive else " ".join(words)
        return spelled[0].group()
    if kind_of_field(passage.field) == "person":
        return None
    is_ordinary = partial(_is_ordinary, reading, words[0])
    named = (match for match in spelled if _is_name_here(text, match, is_ordinary))
    handles = (match for match in spelled if compound and _is_in_handle(text, match))
    return next((match.group() for match in chain(named, handles)), None)


def _is_in_handle(text: str, match: re.Match[str]) -> bool:
    """Whether it is part of a handle, an address or a file's name: @quantumlabs, quantumlabs_q3.pdf."""
    return text[match.start() - 1 : match.start()] in _JOINTS or (
        text[match.end() : match.end() + 1] in _JOINTS and text[match.end() + 1 : match.end() + 2].isalnum()
    )


_JOINTS = frozenset("@#_-/.")


_WORD_BEFORE = re.compile(r"([^\W_][\w'\u2019-]*\.?)[ \t]$")
_WORD_AFTER = re.compile(r",? ([^\W\d_][\w.]*)")


def _is_name_here(text: str, match: re.Match[str], is_ordinary: Callable[[], bool]) -> bool:
    """Whether one capitalised word is a company's name: no half of a person's, no first word of a sentence."""
    word = match.group().lower()
    if match.group()[0].islower() and match.group().islower():
        return False
    after = _WORD_AFTER.match(text, match.end())
    following = after.group(1).replace(".", "").lower() if after is not None else ""
    if following in LEGAL_SUFFIXES:
        return True
    if word in GIVEN_NAMES or following in STREETS:
        return False
    before = _WORD_BEFORE.search(text, max(0, match.start() - 30), match.start())
    if before is None:
        return not (_begins_sentence(text, match.start()) and is_ordinary())
    other = before.group(1)
    if not other[0].isupper() or other in OPENERS or other.lower() in GENERIC_NAMES | PLAIN_WORDS:
        return True
    # "Ring Acme" begins with no name, "Tobin Acme" does; in the middle of a sentence both words are one name.
    is_initial = len(other.rstrip(".")) == 1
    address = rf"(?<!\w){re.escape(other)}[._-]?{re.escape(word)}@"
    is_person = is_initial or other.lower() in GIVEN_NAMES or re.search(address, text, re.IGNORECASE) is not None
    return _begins_sentence(text, before.start(1)) and not is_person


def _begins_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t\"'\u201c\u2018(*-\u2022>#")
    return not before or before[-1] in ".!?:;\n"


def _is_ordinary(reading: Reading, word: str) -> bool:
    """Whether the reading also writes the word in small letters, outside of addresses."""
    small = re.compile(rf"(?<![\w@./-]){re.escape(word)}(?![\w@-]|\.\w)")
    places = np.flatnonzero(reading.codes == codes_of([word])[0]).tolist()
    numbers = dict.fromkeys(reading.passage_at(place) for place in places)
    return any(small.search(reading.passages[number].text) is not None for number in numbers)
