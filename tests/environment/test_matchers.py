"""Tests of typed demands on values, and of paths into rows."""

from __future__ import annotations

import pytest

from environment.contract import Date, Enum, Equals, Instant, Money, Phone, Ref, SetOf, Url
from environment.matchers import accepts, parse_path, read_fields

ACCEPTED = [
    (Equals(value=3), 3.0), (Equals(value="Credited"), " Credited "),
    (Equals(value=None), None), (Equals(value=""), None),
    (Equals(value=["a", 1]), ["a", 1.0]), (Equals(value={"a": 1}), {"a": 1, "b": None}),
    (Equals(value=True), True),
    (Money(amount="930.00"), 930), (Money(amount="930.00"), 930.0), (Money(amount="930.00"), "930"),
    (Money(amount="930.00", currency="GBP"), "£930.00"),
    (Money(amount="930.00", currency="GBP"), "930 GBP"),
    (Money(amount="930.00", currency="USD"), "$930"),
    (Money(amount="930.00", currency="CAD"), "$930"),
    (Money(amount="930.00", currency="USD"), "US$930"),
    (Money(amount="930.00", currency="USD"), "$930.00 USD"),
    (Money(amount="1240.00"), "1,240"), (Money(amount="1240.00"), "1.240,00"),
    (Money(amount="1240"), "1 240.00"),
    (Money(amount="0.30"), 0.1 + 0.2), (Money(amount="-5.00"), "(5.00)"),
    (Money(amount="-5.00"), "-£5"),
    (Money(amount="1234567.89"), "1,234,567.89"), (Money(amount="930.00"), "EUR 930.00"),
    (Phone(number="555-0142"), "5550142"), (Phone(number="555-0142"), "555 0142"),
    (Phone(number="+14155550142"), "(415) 555-0142"),
    (Phone(number="415-555-0142"), "+1 415.555.0142"),
    (Phone(number="+442079460018"), "+44 (0)20 7946 0018"),
    (Phone(number="+442079460018"), "0044 20 7946 0018"),
    (Phone(number="4155550142"), 4155550142),
    (Instant(at="2026-03-04T09:20:00+01:00"), "2026-03-04T08:20:00Z"),
    (Instant(at="2026-03-04T09:20:00+01:00"), "2026-03-04T08:20:00.000+00:00"),
    (Instant(at="2026-03-04T09:20:00Z"), "Wed, 04 Mar 2026 10:20:00 +0100"),
    (Instant(at="2026-03-04T09:20:00Z"), 1772616000),
    (Instant(at="2026-03-04T09:20:00Z"), 1772616000000),
    (Instant(at="2026-03-04T09:20:00Z"), "1772616000"),
    (Date(day="2026-03-04"), "2026-03-04"), (Date(day="2026-03-04"), "4 March 2026"),
    (Date(day="2026-03-04"), "Mar 4, 2026"),
    (Date(day="2026-03-04"), "3/4/2026"), (Date(day="2026-03-04"), "2026-03-04T00:00:00"),
    (Date(day="2026-03-25"), "25/3/2026"),
    (Date(day="2026-03-04"), "/Date(1772582400000+0000)/"), (Date(day="2026-03-04"), 1772582400000),
    (Date(day="2026-03-04"), "20260304"), (Date(day="2026-03-04"), "Wednesday, 4 March 2026"),
    (Enum(value="In Progress"), "in_progress"), (Enum(value="high", also=("urgent",)), "Urgent"),
    (Enum(value="2"), 2),
    (Enum(value="true"), True),
    (SetOf(members=("a", "b")), ["b", "a"]), (SetOf(members=("a", "b")), "B; a"),
    (SetOf(members=()), None),
    (SetOf(members=("vip",)), "VIP"), (SetOf(members=("1", "2")), [2, 1]),
    (Url(address="https://tarnwick.example/a"), "HTTPS://Tarnwick.example/a/"),
    (Url(address="https://tarnwick.example"), "https://tarnwick.example:443/"),
    (Ref(label="invoice"), "INV-9"),
]  # fmt: skip

REJECTED = [
    (Equals(value=3), "3"), (Equals(value=1), True),
    (Equals(value="Approved"), "Not Approved"), (Equals(value=None), "x"),
    (Equals(value="Approved"), "approved"), (Equals(value=["a"]), ["a", "b"]),
    (Equals(value=0), None), (Equals(value=0), False),
    (Money(amount="930.00"), 930.01), (Money(amount="930.00"), "93"),
    (Money(amount="930.00"), True), (Money(amount="930.00"), None),
    (Money(amount="930.00", currency="GBP"), "EUR 930.00"),
    (Money(amount="930.00", currency="GBP"), "$930"),
    (Money(amount="930.00"), "930.00 or so"), (Money(amount="930.00"), "-930"),
    (Money(amount="1240.00"), "1.240"),
    (Money(amount="930.00"), "about 930"), (Money(amount="12.00"), "1,2"),
    (Money(amount="930.00"), [930]),
    (Phone(number="555-0142"), "555-0124"), (Phone(number="+14155550142"), "555-0142"),
    (Phone(number="555-0142"), "call 555-0142"),
    (Phone(number="+442079460018"), "+1 20 7946 0018"), (Phone(number="555-0142"), None),
    (Instant(at="2026-03-04T09:20:00+01:00"), "2026-03-04T09:20:00Z"),
    (Instant(at="2026-03-04T09:20:00Z"), "2026-03-04T09:20:00"),
    (Instant(at="2026-03-04T09:20:00Z"), "2026-03-04"),
    (Instant(at="2026-03-04T09:20:00Z"), "tomorrow"),
    (Date(day="2026-03-04"), "2026-03-05"), (Date(day="2026-03-04"), "4 March"),
    (Date(day="2026-03-04"), "4/3/2026"),
    (Date(day="2026-03-04"), "2026-03-04T09:20:00Z"), (Date(day="2026-03-04"), "2026-13-04"),
    (Date(day="2026-03-04"), None),
    (Enum(value="Approved"), "Not Approved"), (Enum(value="open"), None),
    (Enum(value="open"), "opened"), (Enum(value="open"), ["open"]),
    (SetOf(members=("a", "b")), ["a"]), (SetOf(members=("a",)), ["a", "b"]),
    (SetOf(members=("a",)), [{"name": "a"}]),
    (Url(address="https://tarnwick.example/a"), "https://tarnwick.example/A"),
    (Url(address="https://tarnwick.example/a"), "https://tarnwick.example/a?x=1"),
    (Url(address="https://a.example"), None),
    (Ref(label="invoice"), "INV-90"), (Ref(label="other"), "INV-9"), (Ref(label="other"), None),
]  # fmt: skip


@pytest.mark.parametrize(("matcher", "value"), ACCEPTED)
def test_usual_spelling_is_accepted(matcher, value):
    assert accepts(matcher, value, {"invoice": "INV-9"})


@pytest.mark.parametrize(("matcher", "value"), REJECTED)
def test_other_value_is_rejected(matcher, value):
    assert not accepts(matcher, value, {"invoice": "INV-9"})


ROW = {
    "a": {"b": 1},
    "cells": ["x", "y"],
    "Line": [{"Amount": 10, "Account": "315"}, {"Amount": 20, "Account": "400", "Linked": [{"Id": "1"}, {"Id": "2"}]}],
    "tags": ["one", "two"],
}


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"a.b": Equals(value=1)}, ()),
        ({"a.c": Equals(value=1)}, ("a.c",)),
        ({"cells[1]": Equals(value="y")}, ()),
        ({"cells[2]": Equals(value="")}, ()),
        ({"cells[2]": Equals(value="z")}, ("cells[2]",)),
        ({"Line[*].Amount": Money(amount="20")}, ()),
        ({"Line[*].Amount": Money(amount="30")}, ("Line[*].Amount",)),
        ({"Line[*].Linked[*].Id": Equals(value="2")}, ()),
        ({"tags[*]": Equals(value="two")}, ()),
        ({"tags[*]": SetOf(members=("two", "one"))}, ()),
        ({"Line[*].Account": SetOf(members=("315",))}, ("Line[*].Account",)),
        ({"none[*].x": Equals(value=1)}, ("none[*].x",)),
        ({"Line[*].Amount": Money(amount="10"), "Line[*].Account": Equals(value="315")}, ()),
        ({"Line[*].Amount": Money(amount="10"), "Line[*].Account": Equals(value="400")}, ("Line[*].Account",)),
        ({"Line[*a].Amount": Money(amount="20"), "Line[*b].Amount": Money(amount="10")}, ()),
        ({"Line[*a].Amount": Money(amount="20"), "Line[*b].Amount": Money(amount="20")}, ("Line[*b].Amount",)),
    ],
)
def test_paths_reach_into_rows(fields, wrong):
    assert read_fields(ROW, {path: (matcher,) for path, matcher in fields.items()}, {}).wrong == wrong


def test_all_matchers_of_one_path_hold_on_one_element():
    both = {"tags[*]": (Equals(value="one"), Equals(value="two"))}
    assert read_fields(ROW, both, {}).wrong == ("tags[*]",)


@pytest.mark.parametrize("path", ["", "a[", "a[x]", "a]"])
def test_unreadable_path_is_refused(path):
    with pytest.raises(ValueError, match="path"):
        parse_path(path)


ODD_VALUES = [
    float("nan"), float("inf"), 10**400, -1, {}, [[]], [{}], [None], {"text": {"text": [1]}}, "http://[::1", "\ud800",
    "/Date(999999999999999999999)/", "99999999999999", "2026-02-30T00:00:00Z", "9999-12-31T23:59:59-14:00",
    "99/99/9999", "²",
]  # fmt: skip
MATCHERS = [
    Equals(value="x"), Money(amount="5.00"), Phone(number="555-0142"), Instant(at="2026-03-04T09:20:00Z"),
    Enum(value="a"), Date(day="2026-03-04"), SetOf(members=("a",)), Url(address="https://a.example"),
    Ref(label="invoice"),
]  # fmt: skip


@pytest.mark.parametrize("matcher", MATCHERS)
def test_odd_values_are_rejected_without_raising(matcher):
    for value in ODD_VALUES:
        assert not accepts(matcher, value, {"invoice": "INV-9"})
