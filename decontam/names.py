"""A company name is what a task's typed fields, domains and prose call an organisation, compared by its key.

The key forgets case, accents, punctuation, blanks and legal suffixes: "Quantum Labs, Inc." and quantum-labs.com are
both quantumlabs. A single word found in prose by way of a key must be capitalised there; a longer name need not be.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from decontam.domains import APPLICATION_NAMES, company_label, exemption_of
from decontam.lexicon import (
    BOOKS,
    COMPANY_COLLECTIONS,
    COMPANY_FIELDS,
    DESIGNATORS,
    DOMAIN_FIELDS,
    GENERIC_NAMES,
    GLUED_SUFFIXES,
    LEDGERS,
    LEGAL_IN_PROSE,
    LEGAL_SUFFIXES,
    NAME_FIELDS,
    OPENERS,
    TRADE_PARTNERS,
    WRAPPERS,
)
from decontam.passages import Passage
from decontam.reading import Reading, Sieve, codes_of
from decontam.words import words_of

_CAPITALISED = r"[A-Z0-9][\w&.’'-]*"
_ORGANISATION = re.compile(
    rf"((?:{_CAPITALISED}[ \u00a0]+(?:(?:&|and|of)[ \u00a0]+)?){{0,4}}{_CAPITALISED}),?[ \u00a0]+"
    rf"({'|'.join(sorted([*LEGAL_IN_PROSE, *DESIGNATORS], key=len, reverse=True))})\b"
)
_DOMAIN = re.compile(r"(?:@|://(?:[^\s/@]*@)?|\bwww\.)((?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,})")
_BARE_DOMAIN = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}")

_LONGEST = 6
_SHORTEST_KEY = 3


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


@lru_cache(maxsize=262144)
def name_key(name: str) -> str:
    """The key of a company's name, "" when it is too short, generic or an application's name to stand for a company."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    words = words_of(plain.replace(".", "").replace("&", " and "))
    if words[:1] == ["the"]:
        words = words[1:]
    while len(words) > 1 and words[-1] in LEGAL_SUFFIXES:
        words.pop()
    return _accepted("".join(words)) if len(words) <= _LONGEST and not GENERIC_NAMES.issuperset(words) else ""


@lru_cache(maxsize=65536)
def domain_keys(domain: str) -> tuple[str, ...]:
    """Keys of the company that owns `domain`, with and without a legal suffix glued to it; empty for exempt domains."""
    if exemption_of(domain) is not None:
        return ()
    label = name_key(company_label(domain).replace("-", " "))
    glued = next((end for end in GLUED_SUFFIXES if label.endswith(end) and len(label) - len(end) >= 4), "")
    return tuple(key for key in (label, _accepted(label.removesuffix(glued)) if glued else "") if key)


_ENDINGS = Sieve(word.lower() for word in [*LEGAL_IN_PROSE, *DESIGNATORS])


def companies_in(reading: Reading) -> dict[str, CompanyName]:
    """Companies by key: named by typed field, by domain, or in prose by a company's suffix after capitals."""
    found: dict[str, CompanyName] = {}
    for number, passage in enumerate(reading.passages):
        text, kind = passage.text, _kind_of_field(passage.field)
        if kind == "company":
            _note(found, text.strip(), passage, number)
        elif kind == "column" and _heads_companies(text):
            for name in text.split("\n")[1:]:
                _note(found, name, passage, number)
        elif kind == "domain" and _BARE_DOMAIN.fullmatch(text.strip()):
            _note_domain(found, text.strip(), passage, number)
        if "@" in text or "://" in text or "www." in text:
            for domain in _DOMAIN.findall(text):
                _note_domain(found, domain, passage, number)
    for number in dict.fromkeys(reading.passage_at(position) for position in _ENDINGS.positions(reading)):
        passage = reading.passages[number]
        for stem, suffix in _ORGANISATION.findall(passage.text):
            words = stem.split()
            while words and words[0] in OPENERS:
                words = words[1:]
            if not GENERIC_NAMES.issuperset(words_of(" ".join(words))):
                _note(found, " ".join([*words, suffix]), passage, number, is_certain=False)
    return found


@dataclass(frozen=True, slots=True)
class SharedName:
    """One company named on both sides."""

    ours: CompanyName
    theirs: CompanyName


class NameIndex:
    """The companies of one reading, to be compared with those of another."""

    def __init__(self, reading: Reading, companies: Mapping[str, CompanyName]) -> None:
        """`companies` are those of the same reading, by key; the rest of its words is searched for foreign names."""
        self._reading = reading
        self._companies = companies
        self._prefixes = frozenset(key[:end] for key in companies for end in range(2, len(key) + 1))
        self._sieve = Sieve(self._prefixes)
        self._words = frozenset(reading.words)
        self._order = np.argsort(reading.codes, kind="stable")
        self._sorted = reading.codes[self._order]
        self._asked: dict[str, CompanyName | None] = {}

    def shared(self, reading: Reading, companies: Mapping[str, CompanyName]) -> tuple[SharedName, ...]:
        """Companies of `reading` (its own `companies` and whatever else its prose names) that the index names too."""
        pairs: dict[str, SharedName] = {}
        for key, ours in companies.items():
            theirs = self._companies[key] if key in self._companies else self._in_prose(key)
            if theirs is not None:
                pairs[key] = SharedName(ours, theirs)
        for position, width, key in self._mentions(reading):
            if key in pairs or _within_longer(reading, position, width, companies):
                continue
            written = _written(reading, position, width)
            if written is not None:
                pairs[key] = SharedName(_named(reading, position, key, written), self._companies[key])
        return tuple(pairs[key] for key in sorted(pairs))

    def _mentions(self, reading: Reading) -> Iterable[tuple[int, int, str]]:
        """Runs of words that spell an indexed key, the longest at each position: position, words, key."""
        for position in self._sieve.positions(reading):
            spelled, longest = "", None
            for width in range(1, min(_LONGEST, int(reading.left[position])) + 1):
                spelled += reading.words[position + width - 1]
                if spelled not in self._prefixes:
                    break
                if spelled in self._companies:
                    longest = (position, width, spelled)
            if longest is not None:
                yield longest

    def _in_prose(self, key: str) -> CompanyName | None:
        """Where the indexed reading names a company that it has no typed field for."""
        if key not in self._asked:
            self._asked[key] = next(
                (
                    _named(self._reading, start, key, written)
                    for start, width in self._spellings(key)
                    if not _within_longer(self._reading, start, width, self._companies)
                    and (written := _written(self._reading, start, width)) is not None
                ),
                None,
            )
        return self._asked[key]

    def _spellings(self, key: str) -> Iterable[tuple[int, int]]:
        """Position and number of words of every run that spells `key`, shortest first."""
        open_runs = [(key, np.zeros(0, dtype=np.int64), 0)]
        while open_runs:
            rest, at, width = open_runs.pop(0)
            for end in range(2 if width == 0 else 1, len(rest) + 1):
                if rest[:end] not in self._words:
                    continue
                code = codes_of([rest[:end]])[0]
                if width == 0:
                    low, high = (
                        np.searchsorted(self._sorted, code, "left"),
                        np.searchsorted(self._sorted, code, "right"),
                    )
                    starts = np.sort(self._order[low:high])
                else:
                    inside = at[self._reading.left[at] > width]
                    starts = inside[self._reading.codes[inside + width] == code]
                if not len(starts):
                    continue
                if end == len(rest):
                    yield from ((int(start), width + 1) for start in starts)
                elif width + 1 < _LONGEST:
                    open_runs.append((rest[end:], starts, width + 1))


def _named(reading: Reading, position: int, key: str, written: str) -> CompanyName:
    number = reading.passage_at(position)
    return CompanyName(key, written, reading.passages[number], number, is_certain=False)


def _note(found: dict[str, CompanyName], name: str, passage: Passage, number: int, is_certain: bool = True) -> None:
    key = name_key(name) if len(name) <= 80 and "\n" not in name else ""
    if key and key not in found:
        found[key] = CompanyName(key, name, passage, number, is_certain)


def _note_domain(found: dict[str, CompanyName], domain: str, passage: Passage, number: int) -> None:
    for key in domain_keys(domain):
        if key not in found:
            found[key] = CompanyName(key, domain, passage, number, is_certain=True)


_APPLICATION_KEYS = frozenset("".join(words_of(name)) for name in APPLICATION_NAMES)


def _accepted(key: str) -> str:
    usable = (
        len(key) >= _SHORTEST_KEY and not key.isdigit() and key not in GENERIC_NAMES and key not in _APPLICATION_KEYS
    )
    return key if usable else ""


@lru_cache(maxsize=65536)
def _kind_of_field(field: str) -> str:
    """What the field of a passage is typed to hold: company, domain, column (its first line tells) or prose."""
    parts = field.split(".")
    name, parents = _flat(parts[-1]), [_flat(part) for part in parts[:-1]]
    if parts[-1] == "column":
        return "column"
    is_ledger = any(part in LEDGERS for part in parts[:3])
    if name in COMPANY_FIELDS:
        return "prose" if is_ledger and name == "accountname" else "company"
    while parents and parents[-1] in WRAPPERS:
        parents.pop()
    holder = parents[-1] if parents else ""
    if name in NAME_FIELDS and holder in TRADE_PARTNERS and any(part in BOOKS for part in parts[:3]):
        return "company"
    if name in NAME_FIELDS and holder in COMPANY_COLLECTIONS and not (is_ledger and holder in ("account", "accounts")):
        return "company"
    return "domain" if name in DOMAIN_FIELDS else "prose"


def _heads_companies(column: str) -> bool:
    """Whether the first line of a sheet's column says that the cells below are companies."""
    return _flat(column.partition("\n")[0]) in COMPANY_FIELDS


def _flat(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _within_longer(reading: Reading, position: int, width: int, companies: Mapping[str, CompanyName]) -> bool:
    """Whether the words belong to a longer name: the Meridian of Meridian Logistics is another company."""
    start = reading.starts[reading.passage_at(position)]
    stop = position + int(reading.left[position])
    for low in range(max(start, position - _LONGEST), position + 1):
        for high in range(position + width, min(low + _LONGEST, stop) + 1):
            longer = companies.get("".join(reading.words[low:high])) if high - low > width else None
            if longer is not None and longer.is_certain:
                return True
    return False


def _written(reading: Reading, position: int, width: int) -> str | None:
    """The name as the passage spells it, None when a single word is nowhere capitalised and so is no name."""
    text = unicodedata.normalize("NFKC", reading.passages[reading.passage_at(position)].text)
    words: Sequence[str] = reading.words[position : position + width]
    pattern = r"[\W_]*".join("['’]?".join(map(re.escape, word)) for word in words)
    spelled = [match.group() for match in re.finditer(rf"(?<![^\W_]){pattern}(?![^\W_])", text, re.IGNORECASE)]
    if width > 1:
        return spelled[0] if spelled else " ".join(words)
    return next((name for name in spelled if not name[0].islower()), None)
