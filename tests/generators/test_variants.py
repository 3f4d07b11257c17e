"""Tests of variants: every wrong value is rejected and every other spelling accepted, by the matchers themselves."""

from __future__ import annotations

import pytest

from environment.contract import (
    Date,
    Enum,
    Equals,
    Fact,
    Instant,
    Mentions,
    Money,
    Omits,
    Phone,
    Ref,
    SetOf,
    Url,
)
from environment.matchers import accepts
from generators.variants import other_spellings, wrong_values

REFS = {"invoice": "I7"}
PAIRS = Mentions(
    facts=(
        (Fact(spellings=("B-7711",)), Fact(read_as="money", spellings=("GBP 612.40",))),
        (Fact(spellings=("B-7719",)), Fact(read_as="money", spellings=("EUR 1480.00",))),
        (Fact(read_as="date", spellings=("2026-03-05",)),),
        (Fact(read_as="phone", spellings=("555-0142",)),),
        (Fact(spellings=("Anna Lee", "A. Lee")), Fact(spellings=("Approved",))),
    )
)
PROSE = "Left: B-7711 GBP 612.40, B-7719 EUR 1,480.00.\nCall 555-0142 by 5 March 2026.\nAnna Lee: Approved"
VOID = Omits(claims=((Fact(spellings=("20417",)), Fact(spellings=("applied",))),))

CASES = [
    (Equals(value="Credited"), "Credited", True),
    (Equals(value=3), 3, False),
    (Equals(value=True), True, False),
    (Equals(value=None), None, False),
    (Equals(value=""), "", False),
    (Equals(value=["a"]), ["a"], False),
    (Money(amount="930.00", currency="GBP"), "GBP 930.00", True),
    (Money(amount="930.00"), 930, True),
    (Money(amount="0.00"), 0, True),
    (Money(amount="1111.11"), "1,111.11", True),
    (Phone(number="555-0142"), "555-0142", True),
    (Phone(number="+14155550142"), "+14155550142", True),
    (Phone(number="+442079460018"), "+442079460018", True),
    (Phone(number="555-5555"), "555-5555", True),
    (Instant(at="2026-03-04T09:20:00+01:00"), "2026-03-04T09:20:00+01:00", True),
    (Instant(at="2026-03-04T09:20:00+01:00"), 1772612400, False),
    (Date(day="2026-03-04"), "2026-03-04", True),
    (Enum(value="In Progress", also=("Started",)), "In Progress", True),
    (SetOf(members=("a", "b")), ["a", "b"], True),
    (SetOf(members=()), [], False),
    (SetOf(members=("a", "b")), "a, b", True),
    (Url(address="https://tarnwick.example/a"), "https://tarnwick.example/a", True),
    (Ref(label="invoice"), "I7", False),
    (PAIRS, PROSE, True),
    (PAIRS, PROSE.replace("\n", " "), True),
    (PAIRS, "<p>" + PROSE.replace("\n", "</p><p>") + "</p>", True),
    (VOID, "20417 is void and was not applied", True),
    (VOID, "", True),
]


@pytest.mark.parametrize(("matcher", "value", "varied"), CASES)
def test_wrong_values_are_rejected_and_other_spellings_accepted(matcher, value, varied):
    assert accepts(matcher, value, REFS)
    wrong = wrong_values(matcher, value)
    assert wrong
    for other in wrong:
        assert not accepts(matcher, other, REFS), other
    spellings = other_spellings(matcher, value)
    assert bool(spellings) is varied
    for other in spellings:
        assert accepts(matcher, other, REFS), other


def test_wrong_prose_covers_every_fact_thrice_and_every_neighbouring_pair():
    # eight facts, each altered, missing and negated; the empty text; pairs one and two, two and three swapped
    assert len(wrong_values(PAIRS, PROSE)) == 1 + 3 * 8 + 2


def test_swapped_pair_is_among_the_wrong_prose():
    assert "B-7711 EUR 1,480.00, B-7719 GBP 612.40" in " ".join(wrong_values(PAIRS, PROSE))
