"""Codes of words, and what is told by them of keys that are nearly or partly the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from decontam.codes import SpelledCodes, codes_between_blanks, codes_of
from decontam.companies import CompaniesFound, companies_in
from decontam.joint_reading import joined
from decontam.near_keys import NearKeys
from decontam.passages import Passage
from decontam.reading import WordPlaces, read
from decontam.spelled_in_prose import SpelledInProse

WORDS = st.text(alphabet="abs\u00e9\u0436", min_size=1, max_size=9)
KEYS = st.text(alphabet="ab", min_size=8, max_size=10)


@given(st.lists(WORDS, max_size=30))
def test_equal_words_have_equal_codes_wherever_they_stand_and_others_have_others(words: list[str]) -> None:
    codes = codes_of(words)
    assert len(codes) == len(words)
    assert len(set(codes.tolist())) == len(set(words))
    assert [codes_of([word])[0] for word in words] == codes.tolist()


def test_a_text_of_many_blocks_has_the_codes_of_its_words() -> None:
    words = [f"w{number % 700}" for number in range(40_000)]
    codes, starts, ends = codes_between_blanks("  ".join(words).encode())
    assert np.array_equal(codes, codes_of(words[:700])[np.arange(40_000) % 700])
    assert (int(starts[1]), int(ends[1])) == (4, 6)


@given(WORDS.filter(str.isascii), st.data())
def test_a_part_of_a_text_and_a_text_without_a_letter_have_their_words_codes(word: str, data: st.DataObject) -> None:
    text, place = f"xy{word}z", data.draw(st.integers(2, 1 + len(word)))
    codes, starts, ends = SpelledCodes(text.encode()), np.array([2]), np.array([2 + len(word)])
    assert codes.of(starts, ends)[0] == codes_of([word])[0]
    if len(word) > 1:
        shorter = text[2:place] + text[place + 1 : -1]
        assert codes.without(np.array([place]), starts, ends)[0] == codes_of([shorter])[0]


@given(st.lists(KEYS, max_size=20), st.lists(KEYS, max_size=20, unique=True))
def test_every_key_that_is_an_edit_away_is_likely(known: list[str], keys: list[str]) -> None:
    near = NearKeys(known)
    likely = near.likely(keys)
    assert likely == [key for key in keys if key in likely]
    assert {key for key in keys if near.of(key)} <= set(likely)


def test_keys_that_are_two_edits_away_are_not_looked_at_further() -> None:
    assert NearKeys(["tarnwickfoods"]).likely(["tarmwikfoods", "larkfieldpumps"]) == []


def test_keys_are_likely_in_prose_as_a_word_as_words_in_a_row_and_with_an_s() -> None:
    reading = read([Passage("a", "Larkfield and Birk Wold Pumps met Tarnwicks, not Osprey's", "a")])
    prose = SpelledInProse(reading.codes, WordPlaces(reading))
    keys = ["larkfield", "birkwoldpumps", "tarnwick", "osprey", "larkpumps", "woldbirk", "met"]
    assert prose.likely(keys) == {"larkfield", "birkwoldpumps", "tarnwick", "osprey", "met"}
    assert prose.likely([]) == frozenset()


def test_companies_of_readings_one_by_one_are_those_of_all_in_one() -> None:
    texts = [
        "Write to a@tarnwick.com",
        "See larkfield.de, Osprey Labs and tarnwick.de",
        "from GlobalPumps, Larkfield Inc",
    ]
    readings = [
        read([Passage(f"p{n}", text, "body"), Passage(f"c{n}", f"Birk {n % 2}x", "company")])
        for n, text in enumerate(texts)
    ]
    found = CompaniesFound()
    for reading in readings:
        found.add(reading)
    together = companies_in(joined(readings))
    assert found.by_key() == together
    assert list(found.by_key()) == list(together)
    assert together["tarnwick"].passage.path == "p1"
