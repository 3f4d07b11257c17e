"""A name index holds the companies of one reading, to find which of them another reading names too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from decontam.codes import codes_of
from decontam.companies import CompanyName
from decontam.name_keys import LONGEST, folded
from decontam.name_openings import NameOpenings
from decontam.near_keys import NearKeys
from decontam.reading import Reading, WordPlaces
from decontam.spelled_in_prose import SpelledInProse
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
        self._places = WordPlaces(reading)
        self._prose = SpelledInProse(reading.codes, self._places)
        self._asked: dict[tuple[str, bool], CompanyName | None] = {}
        self._near = NearKeys(key for key in companies if len(key) >= NEAR_LENGTH)

    def shared(self, reading: Reading, companies: Mapping[str, CompanyName]) -> tuple[SharedName, ...]:
        """Companies of `reading` (its own `companies` and whatever else its prose names) that the index names too."""
        pairs: dict[str, SharedName] = {}
        in_prose = self._prose.likely([key for key in companies if key not in self._companies])
        for key, ours in companies.items():
            theirs = self._companies.get(key)
            if key in in_prose:
                theirs = self._in_prose(key, ours)
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
        unlike = [key for key in companies if len(key) >= NEAR_LENGTH and key not in self._companies]
        for key in self._near.likely(unlike):
            ours = companies[key]
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
        yield from ((start, 1) for start in self._places.of(key).tolist())
        open_runs = [(key[end:], places, 1) for end in range(1, len(key)) if len(places := self._places.of(key[:end]))]
        while open_runs:
            rest, at, width = open_runs.pop(0)
            for end in range(1, len(rest) + 1):
                if not len(self._places.of(rest[:end])):
                    continue
                inside = at[self._reading.left[at] > width]
                starts = inside[self._reading.codes[inside + width] == codes_of([rest[:end]])[0]]
                if not len(starts):
                    continue
                if end == len(rest):
                    yield from ((int(start), width + 1) for start in starts)
                elif width + 1 < LONGEST:
                    open_runs.append((rest[end:], starts, width + 1))


def _named(reading: Reading, position: int, key: str, written: str) -> CompanyName:
    number = reading.passage_at(position)
    return CompanyName(key, written, reading.passages[number], number, is_certain=False)
