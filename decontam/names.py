"""A name index holds the companies of one reading, to find which of them another reading names too.

A single word found in prose by way of a key must be capitalised there, and be neither a person's name nor a word that
only begins a sentence; a longer name need not be capitalised.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import xxhash
from numpy.typing import NDArray

from decontam.companies import CompanyName
from decontam.company_fields import kind_of_field
from decontam.lexicon import GENERIC_NAMES, LEGAL_SUFFIXES, OPENERS, PLAIN_WORDS, STREETS
from decontam.name_keys import LONGEST, folded
from decontam.people import GIVEN_NAMES
from decontam.reading import Codes, Reading, WordPlaces, codes_of

NEAR_LENGTH = 8
"""Letters from which on two names that differ in one are shown to a person."""
_TABLE_BITS = 22
_MASK = np.uint64((1 << _TABLE_BITS) - 1)
_AT_A_TIME = 256
_BIT_AT, _BIT_MASK = np.uint64(_TABLE_BITS), np.uint64(7)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


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
        self._openings = _Openings(companies)
        self._words = frozenset(reading.words)
        self._pairs = np.zeros(1 << _TABLE_BITS, dtype=bool)
        self._pairs[_pair_codes(reading.codes) & _MASK] = True
        self._places = WordPlaces(reading)
        self._asked: dict[str, CompanyName | None] = {}
        self._near = _Neighbours(key for key in companies if len(key) >= NEAR_LENGTH)

    def shared(self, reading: Reading, companies: Mapping[str, CompanyName]) -> tuple[SharedName, ...]:
        """Companies of `reading` (its own `companies` and whatever else its prose names) that the index names too."""
        pairs: dict[str, SharedName] = {}
        for key, ours in companies.items():
            theirs = self._companies[key] if key in self._companies else self._in_prose(key)
            if theirs is not None:
                pairs.setdefault(ours.key, SharedName(ours, theirs))
        for position, width, key in self._mentions(reading):
            theirs = self._companies[key]
            if theirs.key in pairs or key in pairs or _within_longer(reading, position, width, companies):
                continue
            written = _written(reading, position, width, key)
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

    def _in_prose(self, key: str) -> CompanyName | None:
        """Where the indexed reading names a company that it has no typed field for."""
        if key not in self._asked:
            self._asked[key] = next(
                (
                    _named(self._reading, start, key, written)
                    for spelling in (key, f"{key}s")
                    for start, width in self._spellings(spelling)
                    if not _within_longer(self._reading, start, width, self._companies)
                    and (written := _written(self._reading, start, width, key)) is not None
                ),
                None,
            )
        return self._asked[key]

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
                    pair = _pair_codes(codes_of([key[:end], key[end:stop]]))
                    if self._pairs[pair[0] & _MASK]:
                        return True
        return False


# Which few positions of a reading may begin a name


class _Openings:
    """How keys may begin in words, as one word or as two words in a row; true where the code of such words may be."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._singles, self._pairs = _Filter(), _Filter()
        by_length: dict[int, list[str]] = {}
        for key in keys:
            by_length.setdefault(len(key), []).append(key)
        for length, group in by_length.items():
            for start in range(0, len(group), _AT_A_TIME):
                self._take_in(group[start : start + _AT_A_TIME], length)

    def _take_in(self, keys: list[str], length: int) -> None:
        """Takes in several keys of one length, which have their parts in the same places."""
        self._singles.add(_unremembered(word for key in keys for word in (key, f"{key}s")))
        ends = range(1, length)
        heads = _unremembered(key[:end] for key in keys for end in ends).reshape(len(keys), -1)
        rests = _unremembered(
            rest
            for key in keys
            for end in ends
            for rest in (*(key[end:stop] for stop in range(end + 1, length + 1)), f"{key[end:]}s")
        ).reshape(len(keys), -1)
        head_of_rest = [end - 1 for end in ends for _ in range(end, length + 1)]
        self._pairs.add((heads[:, head_of_rest] * _FACTOR + rests).ravel())

    def positions(self, reading: Reading) -> list[int]:
        """Where a name may begin."""
        codes = _folded_codes(reading)
        likely = np.concatenate([self._singles.places(codes), self._pairs.places(_pair_codes(codes))])
        return np.unique(likely[reading.left[likely] > 0]).tolist()


class _Filter:
    """Codes of which nearly all others can be told: a Bloom filter with two bits a code, in a byte each."""

    def __init__(self) -> None:
        self._table = np.zeros(1 << _TABLE_BITS, dtype=np.uint8)

    def add(self, codes: Codes) -> None:
        """Takes them in."""
        bits = np.left_shift(1, (codes >> _BIT_AT) & _BIT_MASK).astype(np.uint8)
        np.bitwise_or.at(self._table, codes & _MASK, bits)  # plain indexing would lose one of two bits of one byte

    def places(self, codes: Codes) -> NDArray[np.int64]:
        """Where among `codes` one may have been taken in."""
        held = self._table[codes & _MASK]
        places = np.flatnonzero(held)
        bits = (codes[places] >> _BIT_AT) & _BIT_MASK
        return places[(held[places] >> bits.astype(np.uint8)) & 1 > 0]


def _unremembered(words: Iterable[str]) -> Codes:
    """`codes_of` without its memory, which parts of names would fill for nothing."""
    digests = b"".join(xxhash.xxh3_64_digest(word.encode("utf-8", "surrogatepass")) for word in words)
    return np.frombuffer(digests, dtype=">u8").astype(np.uint64)


def _pair_codes(codes: Codes) -> Codes:
    return codes[:-1] * _FACTOR + codes[1:]


def _folded_codes(reading: Reading) -> Codes:
    """The reading's codes with those of words beyond ASCII taken without their accents, as keys are."""
    codes = reading.codes
    for number, passage in enumerate(reading.passages):
        if passage.text.isascii():
            continue
        start = reading.starts[number]
        for position in range(start, start + int(reading.left[start])):
            if not reading.words[position].isascii():
                if codes is reading.codes:
                    codes = codes.copy()
                codes[position] = codes_of([folded(reading.words[position])])[0]
    return codes


# Whether words that spell a key are a company's name where they stand


def _named(reading: Reading, position: int, key: str, written: str) -> CompanyName:
    number = reading.passage_at(position)
    return CompanyName(key, written, reading.passages[number], number, is_certain=False)


def _within_longer(reading: Reading, position: int, width: int, companies: Mapping[str, CompanyName]) -> bool:
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


def _written(reading: Reading, position: int, width: int, key: str) -> str | None:
    """The name as the passage spells it, None where the words are no name."""
    passage = reading.passages[reading.passage_at(position)]
    text = unicodedata.normalize("NFKC", passage.text)
    words = reading.words[position : position + width]
    parts = ["['\u2019]?".join(map(re.escape, word)) for word in words]
    if folded("".join(words)) != key:
        parts[-1] = f"{re.escape(words[-1][:-1])}['\u2019]s"
    run = _BETWEEN_WORDS.join(parts)
    spelled = list(re.finditer(rf"(?<![^\W_]){run}(?![^\W_])", text, re.IGNORECASE))
    if width > 1:
        return spelled[0].group() if spelled else (" ".join(words) if parts[-1][-2:] != "]s" else None)
    if kind_of_field(passage.field) == "person":
        return None
    is_ordinary = partial(_is_ordinary, reading, words[0])
    return next((match.group() for match in spelled if _is_name_here(text, match, is_ordinary)), None)


_WORD_BEFORE = re.compile(r"([^\W_][\w'\u2019-]*\.?)[ \t]$")
_WORD_AFTER = re.compile(r",? ([^\W\d_][\w.]*)")


def _is_name_here(text: str, match: re.Match[str], is_ordinary: Callable[[], bool]) -> bool:
    """Whether one capitalised word is a company's name: no half of a person's, no first word of a sentence."""
    word = match.group().lower()
    if match.group()[0].islower():
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


# Names that differ in one letter


class _Neighbours:
    """Keys to be found again from one that is an edit away: two thirds of theirs are then the same."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._by_length: dict[int, dict[tuple[str, str], list[str]]] = {}
        for key in keys:
            thirds = self._by_length.setdefault(len(key), {})
            for pair in _two_thirds(key, len(key)):
                thirds.setdefault(pair, []).append(key)

    def of(self, key: str) -> list[str]:
        """Those of the keys that are one letter more, less or other than `key`."""
        likely: list[str] = []
        for length in (len(key) - 1, len(key), len(key) + 1):
            thirds = self._by_length.get(length)
            if thirds is not None:
                for pair in _two_thirds(key, length):
                    likely += thirds.get(pair, ())
        return [other for other in dict.fromkeys(likely) if _is_one_edit(key, other)]


def _two_thirds(key: str, length: int) -> tuple[tuple[str, str], tuple[str, str], tuple[str, str]]:
    """What `key` has where a key of this length has two of its thirds: those after an edit count from the end."""
    first, second = length // 3, 2 * length // 3
    moved = len(key) - length
    head, tail = key[:first], key[second + moved :]
    return (head, key[first:second]), (head, tail), (key[first + moved : second + moved], tail)


def _is_one_edit(one: str, other: str) -> bool:
    if one == other:
        return False
    shorter, longer = sorted((one, other), key=len)
    same = next((place for place, letter in enumerate(shorter) if letter != longer[place]), len(shorter))
    return shorter[same + (len(one) == len(other)) :] == longer[same + 1 :]
