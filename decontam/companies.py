"""A company is an organisation that a text names: in a typed field, by a domain, or in prose by the shape of its name.

Shapes are capitalised words before a legal suffix or a designator (Quantum Labs) and a word in CamelCase after a
preposition (at GlobalTech). Names of other shapes are found in prose by way of a typed field or domain anywhere on
either side: see `names.NameIndex`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from decontam.company_fields import FieldKind, kind_of_field, kind_of_heading
from decontam.lexicon import CAMEL_PLAIN, CUES, DESIGNATORS, GENERIC_NAMES, LEGAL_IN_PROSE, OPENERS, PLAIN_WORDS
from decontam.name_keys import domain_keys, name_keys
from decontam.passages import Passage
from decontam.people import is_person
from decontam.reading import Reading, Sieve
from decontam.words import words_of

Letters = NDArray[np.uint8]
"""A text as bytes, one a letter; those beyond Latin-1 are question marks."""


@dataclass(frozen=True, slots=True)
class CompanyName:
    """A company and where it is named."""

    key: str
    name: str
    """As it is written there."""
    passage: Passage
    number: int
    """Number of the passage in its reading."""
    is_certain: bool
    """From a typed field or a domain; a name that prose seems to begin may begin with the word before it."""


def companies_in(reading: Reading) -> dict[str, CompanyName]:
    """Companies by key; one of several spellings stands under each of its keys."""
    found = CompaniesFound()
    found.add(reading)
    return found.by_key()


class CompaniesFound:
    """The companies of several readings as if they were one, found as each is added."""

    def __init__(self) -> None:
        self._passages = 0
        self._ways: dict[str, dict[str, CompanyName]] = {way: {} for way in _WAYS}

    def add(self, reading: Reading) -> None:
        """Finds those of one more reading."""
        for way, keys, name, number, is_certain in _named_in(reading):
            found = self._ways[way]
            for key in keys:
                if key not in found:
                    passage = reading.passages[number]
                    found[key] = CompanyName(keys[0], name, passage, self._passages + number, is_certain)
        self._passages += len(reading.passages)

    def by_key(self) -> dict[str, CompanyName]:
        """The companies by key: of several places that name one, the first of the surest way to tell."""
        companies: dict[str, CompanyName] = {}
        for found in self._ways.values():
            for key, company in found.items():
                companies.setdefault(key, company)
        return companies


class _Named(NamedTuple):
    """A company named in a passage."""

    way: str
    """One of _WAYS."""
    keys: tuple[str, ...]
    name: str
    number: int
    """Of the passage."""
    is_certain: bool


def _named_in(reading: Reading) -> Iterator[_Named]:
    """The companies that a reading names, as often as it does."""
    texts = [passage.text for passage in reading.passages]
    for number, passage in enumerate(reading.passages):
        kind = kind_of_field(passage.field)
        if kind == "column":
            heading, *cells = texts[number].split("\n")
            for cell in cells if (kind := kind_of_heading(heading)) != "prose" else ():
                yield _Named("typed", _typed_keys(kind, cell), cell, number, True)
        elif kind != "prose":
            text = texts[number].strip()
            yield _Named("typed", _typed_keys(kind, text), text, number, True)
    everything = "\n".join(texts)
    ends = (np.cumsum(list(map(len, texts))) + np.arange(1, len(texts) + 1)).tolist()
    for way, offset, domain in _domains(everything):
        yield _Named(way, domain_keys(domain), domain, bisect_right(ends, offset), True)
    letters = np.frombuffer(everything.encode("latin-1", "replace"), dtype=np.uint8)
    for number, name in _shaped_names(reading, texts, _may_have_endings(letters, ends)):
        yield _Named("shaped", name_keys(name), name, number, False)
    for number, name in _camel_names(everything, letters, ends):
        yield _Named("camel case", name_keys(name), name, number, False)


def _typed_keys(kind: FieldKind, text: str) -> tuple[str, ...]:
    """The keys of what stands in a typed field, none where that is no company."""
    if kind == "domain":
        return domain_keys(text) if _BARE_DOMAIN.fullmatch(text) else ()
    is_name = (
        kind in ("company", "mixed")
        and len(text) <= _LONGEST_NAME
        and "\n" not in text
        and "@" not in text
        and not _IDENTIFIER.fullmatch(text)
        and not (kind == "mixed" and (is_person(text) or text.islower()))
    )
    return name_keys(text) if is_name else ()


_LONGEST_NAME = 80
# "Motel 6" is a company, "ACC 104" a number.
_IDENTIFIER = re.compile(r"\S*_\S*|[A-Za-z]{1,5}(?:[-#]?|(?<![a-z])[ ])\d+|\d[\d\s.,:/-]*")
_BARE_DOMAIN = re.compile(r"(?:[^\W_](?:[\w-]*[^\W_])?\.)+[^\W\d_]{2,}|(?:[^\W_](?:[\w-]*[^\W_])?\.)+xn--[a-z0-9-]+")
_AFTER_SCHEME = re.compile(rf"(?:[^\s/@]*@)?({_BARE_DOMAIN.pattern})")
_MARKS = ("@", "://", "www.")
_USUAL_ENDS = (".ai", ".app", ".biz", ".co", ".com", ".de", ".dev", ".eu", ".fr", ".io", ".net", ".org", ".uk")
_USUAL_END = re.compile(rf"(?:{'|'.join(map(re.escape, _USUAL_ENDS))})(?![\w@-])")
_BEFORE_END = re.compile(r"(?<![\w@/.-])(?:[^\W_][\w-]*\.)*[^\W_][\w-]*$")
_LONGEST_DOMAIN = 64


_WAYS = ("typed", *_USUAL_ENDS, *_MARKS, "shaped", "camel case")
"""How a company is told, the surest way first: of domains, by an end or a mark."""


def _domains(text: str) -> Iterator[tuple[str, int, str]]:
    """Domains of e-mail and web addresses, with where they stand; bare ones in prose by their usual ends."""
    ended = sorted(_USUAL_END.finditer(text), key=lambda end: end[0])
    for end in ended:
        if not _is_after_at_sign(text, end.start()):
            before = _BEFORE_END.search(text, max(0, end.start() - _LONGEST_DOMAIN), end.start())
            if before is not None:
                yield end[0], before.start(), text[before.start() : end.end()]
    for mark in _MARKS:
        at = text.find(mark)
        while at >= 0:
            start = at + len(mark)
            found = _BARE_DOMAIN.match(text, start) if mark == "@" else _AFTER_SCHEME.match(text, start)
            if found is not None:
                yield mark, at, found.group() if mark == "@" else found.group(1)
            at = text.find(mark, start)


def _is_after_at_sign(text: str, end: int) -> bool:
    """Whether what ends there is the domain of a mail address, as most are: that is seen sooner than matched."""
    sign = text.rfind("@", max(0, end - _LONGEST_DOMAIN), end)
    return sign >= 0 and text[sign + 1 : end].replace(".", "").replace("-", "").replace("_", "").isalnum()


_ENDINGS = {
    form.lower(): tuple(dict.fromkeys([form, form.upper(), form.capitalize()]))
    for form in [*LEGAL_IN_PROSE, *DESIGNATORS]
}
_ENDING_SIEVE = Sieve(_ENDINGS)
_IS_GAP = np.isin(np.arange(256), [ord(sign) for sign in " \n\u00a0"])
_BEGINS_ENDING = np.zeros((256, 256), dtype=bool)
for _form in chain.from_iterable(_ENDINGS.values()):
    _BEGINS_ENDING[tuple(_form[:2].encode("latin-1"))] = True
_LEGAL = frozenset(form.lower() for form in LEGAL_IN_PROSE)
_CAPITALISED = r"(?:[A-Z0-9\u00c0-\u00de][\w.’'-]*|&)"
_STEM = re.compile(rf"({_CAPITALISED}(?: +(?:and +)?{_CAPITALISED}){{0,4}}),? +$")
_REACH = 100
"""Characters before a suffix among which the rest of the name is looked for."""


def _may_have_endings(letters: Letters, ends: list[int]) -> frozenset[int]:
    """Numbers of the passages in which a word begins like a suffix or a designator, written as in names."""
    gaps = np.flatnonzero(_IS_GAP[letters[:-2]])
    begun = gaps[_BEGINS_ENDING[letters[gaps + 1], letters[gaps + 2]]]
    return frozenset(np.searchsorted(ends, begun, side="right").tolist())


def _shaped_names(reading: Reading, texts: list[str], chosen: frozenset[int]) -> Iterator[tuple[int, str]]:
    """Names in prose that end in a legal suffix or a designator, with the number of their passage."""
    wanted = dict.fromkeys(
        (number, reading.words[position])
        for position in _ENDING_SIEVE.positions(reading)
        if (number := reading.passage_at(position)) in chosen
    )
    for number, word in wanted:
        kind = kind_of_field(reading.passages[number].field)
        if kind in ("company", "domain", "person"):
            continue
        text = texts[number].replace("\u00a0", " ")
        if kind != "column":
            text = text.replace("\n", " ")
        for form in _ENDINGS[word]:
            at = text.find(f" {form}")
            while at >= 0:
                end = at + 1 + len(form)
                if not text[end : end + 1].isalnum():
                    stem = _STEM.search(text, max(0, at - _REACH), at + 1)
                    if stem is not None:
                        before = text[max(0, stem.start() - 2) : stem.start()]
                        yield from ((number, name) for name in _stems(stem.group(1), form, word, before))
                at = text.find(f" {form}", end)


def _stems(stem: str, form: str, word: str, before: str) -> Iterator[str]:
    """The name, and the name without a first word that may only be capitalised because a sentence begins there."""
    words = stem.split()
    while words and (words[0] in OPENERS or words[0] == "&" or words[0].endswith(".")):
        words = words[1:]
        before = ""
    plain = GENERIC_NAMES if word in _LEGAL else GENERIC_NAMES | PLAIN_WORDS
    while (other := _end_of_other(words)) > 0:
        words = words[other:]
        before = "and"
    starts = [0, *(place + 1 for place, name in enumerate(words) if name == "and")]
    if not before.strip()[-1:].isalnum():
        starts.append(1)
    shortest = 2 if word in _LEGAL else 1
    for start in dict.fromkeys(starts):
        name = words[start:]
        if (start == 0 or len(name) >= shortest) and not plain.issuperset(words_of(" ".join(name))):
            yield " ".join([*name, form])


def _end_of_other(words: list[str]) -> int:
    """Where the name after a company or a person that is named before it begins, 0 when there is none."""
    for place, name in enumerate(words[1:], 1):
        if name.strip(".,").lower() in _LEGAL or (name == "and" and is_person(" ".join(words[:place]))):
            return place + 1 + (words[place + 1 : place + 2] == ["and"])
    return 0


_CAMEL = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)+(?![\w@])")
_CAMEL_PART = re.compile(r"[A-Z][a-z]+")
_SURNAME_PREFIXES = frozenset("Mc Mac De Di Du La Le Da Van Von Fitz Del".split())
_CAMEL_LENGTHS = range(6, 31)


def _camel_names(everything: str, letters: Letters, ends: list[int]) -> Iterator[tuple[int, str]]:
    """Words in CamelCase that a preposition makes a party of, with the number of their passage."""
    is_lower = (letters >= ord("a")) & (letters <= ord("z"))
    is_upper = (letters >= ord("A")) & (letters <= ord("Z"))
    covered = 0
    for at in np.flatnonzero(is_lower[:-1] & is_upper[1:]).tolist():
        if at < covered:
            continue
        start = everything.rfind(" ", max(0, at - _CAMEL_LENGTHS.stop), at) + 1
        found = _CAMEL.match(everything, start) if start else None
        covered = found.end() if found is not None else at + 1
        if found is None or len(found.group()) not in _CAMEL_LENGTHS:
            continue
        parts = _CAMEL_PART.findall(found.group())
        cue = everything[max(0, start - 12) : start - 1].split()[-1:]
        is_named = parts[0] not in _SURNAME_PREFIXES and CAMEL_PLAIN.isdisjoint(part.lower() for part in parts)
        if is_named and cue and cue[0].lower() in CUES:
            yield bisect_right(ends, start), found.group()
