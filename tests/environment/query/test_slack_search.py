"""What the text of Slack's search box means."""

from __future__ import annotations

import pytest

from environment.query.slack_search import MAX_TERMS, Term, parse_slack_search


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        (" \x1f\n", []),
        ("credit note", [Term(False, "", "credit"), Term(False, "", "note")]),
        ('"credit note"', [Term(False, "", "credit note")]),
        ('"credit note', [Term(False, "", "credit"), Term(False, "", "note")]),
        ("-in:#general", [Term(True, "in", "#general")]),
        ('FROM:"Ann Lee"', [Term(False, "from", "Ann Lee")]),
        ("has::eyes:", [Term(False, "has", ":eyes:")]),
        ("--x", [Term(True, "", "-x")]),
        ("- x", [Term(False, "", "-"), Term(False, "", "x")]),
        ("in: x", [Term(False, "", "in:"), Term(False, "", "x")]),
        ("color:red", [Term(False, "", "color:red")]),
        ("(" * 99, [Term(False, "", "(" * 99)]),
    ],
)
def test_text_is_read_as_terms(text: str, terms: list[Term]) -> None:
    assert list(parse_slack_search(text)) == terms


def test_only_the_first_terms_count() -> None:
    assert len(parse_slack_search("( " * 60)) == len(parse_slack_search("a " * 500_000)) == MAX_TERMS
