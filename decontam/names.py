"""A name index holds the companies of one reading, to find which of them another reading names too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from decontam.codes import codes_of
from decontam.companies import CompanyName
from decontam.name_keys import LONGEST, folded
from decontam.name_openings import CODE_MASK, TABLE_BITS, NameOpenings, pair_codes
from decontam.near_keys import NearKeys
from decontam.reading import Reading, WordPlaces
from decontam.spelled_names import is_compound, is_within_longer, written_name

NEAR_LENGTH = 8
"""Letters from which on two names that differ in one are shown to a person."""


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
        self._longest = max(map(len, companies), default=0) + 1
        self._openings = NameOpenings(companies)
        self._words = frozenset(reading.words)
        self._pairs = np.zeros(1 << TABLE_BITS, dtype=bool)
        self._pairs[pair_codes(reading.codes) & CODE_MASK] = True
        self._places = WordPlaces(reading)
        self._asked: dict[tuple[str, bool], CompanyName | None] = {}
        self._near = NearKeys(key for key in companies if len(key) >= NEAR_LENGTH)

    def shared(self, reading: Reading, companies: Mapping[str, CompanyName]) -> tuple[SharedName, ...]:
        """Companies of `reading` (its own `companies` and whatever else its prose names) that the index names too."""
        pairs: dict[str, SharedName] = {}
        for key, ours in companies.items():
            theirs = self._companies[key] if key in self._companies else self._in_prose(key, ours)
            if theirs is not None:
                pairs.setdefault(ours.key, SharedName(ours, theirs))
        for position, width, key in self._mentions(reading):
            theirs = self._companies[key]
            if theirs.key in pairs or key in pairs or is_within_longer(reading, position, width, companies):
                continue
            written = written_name(reading, position, width, key, is_compound(theirs.name, key))
            if written is not None:
                pairs[key] = SharedName(_named(reading, position, key, written), theirs)
        return tuple(pairs[key] for key in sorted(pairs))

    def near(self, companies: Mapping[str, CompanyName]) -> tuple[SharedName, ...]:
        """Companies whose name is one letter more, less or other than an indexed one's."""
        pairs: dict[tuple[str, str], SharedName] = {}
        for key, ours in companies.items():
            if len(key) < NEAR_LENGTH or key in self._companies:
                continue
            for other in self._near.of(key):
                theirs = self._companies[other]
                pairs.setdefault((ours.key, theirs.key), SharedName(ours, theirs))
        return tuple(pairs[keys] for keys in sorted(pairs))

    def _mentions(self, reading: Reading) -> Iterator[tuple[int, int, str]]:
        """Runs of words that spell an indexed key, the longest at each position: position, words, key."""
        if not self._companies:
            return
        for position in self._openings.positions(reading):
            spelled, longest = "", None
            for width in range(1, min(LONGEST, int(reading.left[position])) + 1):
                spelled += folded(reading.words[position + width - 1])
                # "Larkfield's" is read as larkfields.
                owner = spelled[:-1] if spelled.endswith("s") and spelled not in self._companies else spelled
                if owner in self._companies:
                    longest = (position, width, owner)
                if len(spelled) > self._longest:
                    break
            if longest is not None:
                yield longest

    def _in_prose(self, key: str, ours: CompanyName) -> CompanyName | None:
        """Where the indexed reading names a company that it has no typed field for."""
        asked = key, is_compound(ours.name, key)
        if asked not in self._asked:
            self._asked[asked] = next(
                (
                    _named(self._reading, start, key, written)
                    for spelling in (key, f"{key}s")
                    for start, width in self._spellings(spelling)
                    if not is_within_longer(self._reading, start, width, self._companies)
                    and (written := written_name(self._reading, start, width, *asked)) is not None
                ),
                None,
            )
        return self._asked[asked]

    def _spellings(self, key: str) -> Iterator[tuple[int, int]]:
        """Position and number of words of every run that spells `key`, shortest first."""
        if key in self._words:
            yield from ((start, 1) for start in self._places.of(key).tolist())
        if not self._may_be_several_words(key):
            return
        open_runs = [
            (key[end:], self._places.of(key[:end]), 1) for end in range(1, len(key)) if key[:end] in self._words
        ]
        while open_runs:
            rest, at, width = open_runs.pop(0)
            for end in range(1, len(rest) + 1):
                if rest[:end] not in self._words:
                    continue
                inside = at[self._reading.left[at] > width]
                starts = inside[self._reading.codes[inside + width] == codes_of([rest[:end]])[0]]
                if not len(starts):
                    continue
                if end == len(rest):
                    yield from ((int(start), width + 1) for start in starts)
                elif width + 1 < LONGEST:
                    open_runs.append((rest[end:], starts, width + 1))

    def _may_be_several_words(self, key: str) -> bool:
        """Whether two words that follow each other in the reading begin `key`; nearly always this spares a search."""
        for end in range(1, len(key)):
            if key[:end] not in self._words:
                continue
            for stop in range(end + 1, len(key) + 1):
                if key[end:stop] in self._words:
                    pair = pair_codes(codes_of([key[:end], key[end:stop]]))
                    if self._pairs[pair[0] & CODE_MASK]:
                        return True
        return False


def _named(reading: Reading, position: int, key: str, written: str) -> CompanyName:
    number = reading.passage_at(position)
    return CompanyName(key, written, reading.passages[number], number, is_certain=False)
