"""Requests: which applications they name and what they ask to change."""

from __future__ import annotations

import pytest

from decontam.request import applications_named, changes_asked


@pytest.mark.parametrize(
    ("prompt", "apps"),
    [
        ("Tell #ops once the ticket is in Zendesk", ("slack", "zendesk")),
        ("Mail the sheet to ops@slack.example.com", ("gmail", "google_sheets")),
        ("The wavelength, the buffered sheetrock and the jirafe", ()),
        ("Book it on Monday at noon", ("google_calendar",)),
        ("Sync it to Monday and Help Scout", ("helpscout", "monday")),
    ],
)
def test_applications_are_named_by_the_words_people_use_for_them(prompt: str, apps: tuple[str, ...]) -> None:
    assert applications_named(prompt) == apps


@pytest.mark.parametrize(
    ("prompt", "changes"),
    [
        ("Add them to HubSpot, then email a summary to Mira.", [("hubspot", "create"), ("gmail", "create")]),
        ("Check the latest email. Can you update the sheet?", [("google_sheets", "update")]),
        ("Mira needs her number updated in Salesforce", [("salesforce", "update")]),
        ("Find the card in Trello and move it. Let Otto know in Slack.", [("trello", "update"), ("slack", "create")]),
        ("Remove the event from the calendar", [("google_calendar", "delete")]),
        ("Look at the sheet and tell nobody", [("google_sheets", "create")]),
        ("What does the sheet say about the order?", []),
        ("Update it", []),
    ],
)
def test_clauses_that_begin_with_a_verb_of_writing_ask_for_a_change(
    prompt: str, changes: list[tuple[str, str]]
) -> None:
    assert list(changes_asked(prompt)) == changes
