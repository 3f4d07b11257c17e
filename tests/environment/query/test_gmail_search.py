"""The search box's language, on a mailbox of seven mails."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environment.apps.gmail import Message
from environment.query.gmail_search import Account, label_slug, parse_search

_NOW = datetime.fromisoformat("2026-03-04T09:20:00+01:00")
_ACCOUNT = Account(_NOW, "pat@tarnwick.example", {"work-invoices": "Label_1", "later": "Label_2"})


def _mail(key: str, sender: str, subject: str, body: str, date: str, **more: object) -> Message:
    row = {"id": key, "threadId": key, "from": sender, "to": ["pat@tarnwick.example"], "subject": subject}
    return Message.model_validate({**row, "body": body, "date": date, **more})


_MAILS = (
    _mail(
        "1",
        "Ann Lee <ann@larkfield.example>",
        "Credit note CN-20417",
        "GBP 1,240.00 for RMA-553",
        "2026-02-20T10:00:00Z",
    ),
    _mail(
        "2", "ann@larkfield.example", "Re: Credit note CN-20417", "20417 is void", "2026-02-26T10:00:00Z", unread=True
    ),
    _mail(
        "3",
        "ap@larkfield-optical.example",
        "Invoices",
        "two invoices attached",
        "2026-03-01T08:00:00Z",
        attachments=["march.pdf"],
    ),
    _mail(
        "4",
        "Bo Ek <bo@tarnwick.example>",
        "Dinner and movie",
        "tonight?",
        "2026-03-03T23:30:00Z",
        labels=["INBOX", "STARRED", "Label_1"],
        cc=["ann@larkfield.example"],
    ),
    _mail(
        "5",
        "Pat <pat@tarnwick.example>",
        "Movie",
        "dinner was good",
        "2026-03-04T07:00:00Z",
        to=["bo@tarnwick.example"],
        labels=["SENT"],
    ),
    _mail("6", "shop@ads.example", "Sale", "credit", "2026-03-04T08:00:00Z", labels=["SPAM"]),
    _mail("7", "Zoë <zoe@x.example>", "Grüße aus Köln", "Straße 5", "2025-02-01T08:00:00Z", labels=["Label_2"]),
)


def _found(text: str) -> str:
    search = parse_search(text)
    return "".join(mail.id for mail in _MAILS if search.test(mail, _ACCOUNT))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1234567"),
        ("credit", "126"),
        ("credit note", "12"),
        ('"note credit"', ""),
        ("CN-20417", "12"),
        ("cn-2041", ""),
        ("invoice", "3"),
        ("+invoice", ""),
        ('"invoices attached"', "3"),
        ("from:ann", "12"),
        ("from:ann@larkfield.example", "12"),
        ("from:larkfield.example", "12"),
        ("from:larkfield-optical.example", "3"),
        ("from:me", "5"),
        ("to:me", "123467"),
        ("to:bo", "5"),
        ("cc:ann", "4"),
        ("to:ann", "4"),
        ("subject:(dinner movie)", "4"),
        ('subject:"dinner and movie"', "4"),
        ("subject:dinner", "4"),
        ("dinner -subject:dinner", "5"),
        ("-(credit OR dinner)", "37"),
        ("{from:ann from:bo}", "124"),
        ("from:ann OR from:bo", "124"),
        ("from:ann or from:bo", ""),
        ("movie from:bo OR from:me", "45"),
        ("OR from:bo", "4"),
        ("from:bo OR", "4"),
        ("from:ann AND void", "2"),
        ("has:attachment", "3"),
        ("filename:pdf", "3"),
        ("filename:march.pdf", "3"),
        ("filename:april.pdf", ""),
        ("is:unread", "2"),
        ("is:read from:ann", "1"),
        ("is:starred", "4"),
        ("in:inbox", "1234"),
        ("in:sent", "5"),
        ("in:spam", "6"),
        ("in:anywhere credit", "126"),
        ("label:work-invoices", "4"),
        ("label:Work/Invoices", "4"),
        ("label:unknown", ""),
        ("has:userlabels", "47"),
        ("newer_than:2d", "456"),
        ("older_than:1y", "7"),
        ("newer_than:2h", "56"),
        ("after:2026/03/04", "456"),
        ("before:2026-02-21", "17"),
        ("after:3/1/2026 before:3/4/2026", "3"),
        ("after:1772532000", "456"),
        ("köln", "7"),
        ("STRASSE", "7"),
        ("rfc822msgid:<1@mail.gmail.com>", "1"),
        ("credit - note", "12"),
        ("after:soon", ""),
        ("(credit", "126"),
        ("credit)", "126"),
        ('"credit note', "12"),
        ("()", "1234567"),
        ("color:red", ""),
    ],
)
def test_search_finds(text: str, expected: str) -> None:
    assert _found(text) == expected


@pytest.mark.parametrize(("text", "everywhere"), [("in:trash x", True), ("label:spam", True), ("x", False)])
def test_only_a_named_place_opens_spam_and_trash(text: str, everywhere: bool) -> None:
    assert parse_search(text).everywhere is everywhere


def test_label_names_are_written_with_hyphens() -> None:
    assert label_slug("Work/Big Invoices (2026)") == "work-big-invoices-2026-"


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(['"', "(", ")", "{", "}", "-", "OR ", "from:", "after:", "in:", "2026/2/31", "1y", "é ", "a "])
    )
)
def test_any_text_is_a_search(pieces: list[str]) -> None:
    assert set(_found("".join(pieces))) <= set("1234567")


def test_hostile_lengths_and_depths_are_searched_quickly() -> None:
    for text in ("(" * 100_000, "-(" * 5_000 + "a", '"' * 100_000, "a OR " * 50_000, "{" * 99 + "ann" + "}" * 99):
        assert set(_found(text)) <= set("1234567")
