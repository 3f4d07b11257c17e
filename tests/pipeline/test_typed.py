"""A typed line becomes a tool call, a command of the desk's own, or a sentence that says what is wrong with it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.desk import Desk
from pipeline.typed import ToolLine, UnclearLine, WordLine, read_line
from tests.pipeline.contact_task import contact_task

SPECS = Desk(contact_task()).specs
TYPED = {
    "type": "function",
    "function": {
        "name": "make_it",
        "description": "Makes it.",
        "parameters": {
            "type": "object",
            "properties": {
                "count": {"type": "integer"},
                "who": {"type": "array", "items": {"type": "string"}},
                "sure": {"type": "boolean"},
                "note": {"type": "string"},
            },
        },
    },
}


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("make_it", {}),
        ("make_it count=3 sure=true", {"count": 3, "sure": True}),
        ("make_it note=3", {"note": "3"}),
        ('make_it note="two words" count=many', {"note": "two words", "count": "many"}),
        ("make_it who=ann", {"who": ["ann"]}),
        ("make_it who=ann who=bo", {"who": ["ann", "bo"]}),
        ('make_it who=\'["ann", "bo"]\'', {"who": ["ann", "bo"]}),
        ("make_it note=a=b other=#x", {"note": "a=b", "other": "#x"}),
        ('make_it {"note": "a\\nb"}', {"note": "a\nb"}),
        ("make_it note=", {"note": ""}),
    ],
)
def test_arguments_are_read_as_the_tool_wants_them(text: str, arguments: dict[str, Any]) -> None:
    line = read_line(text, [TYPED])
    assert isinstance(line, ToolLine)
    assert (line.tool, json.loads(line.arguments)) == ("make_it", arguments)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("GET https://x.io/a?b=c d", {"method": "GET", "url": "https://x.io/a?b=c d"}),
        ('get https://x.io/a {"q": 1}', {"method": "GET", "url": "https://x.io/a", "params": '{"q": 1}'}),
        ('DELETE https://x.io/a {"q": 1}', {"method": "DELETE", "url": "https://x.io/a", "params": '{"q": 1}'}),
        ("PATCH 'https://x.io/a'   {broken", {"method": "PATCH", "url": "https://x.io/a", "body": "{broken"}),
        ('POST https://x.io/a "To=1&Body=x"', {"method": "POST", "url": "https://x.io/a", "body": '"To=1&Body=x"'}),
    ],
)
def test_a_method_and_a_url_are_a_request(text: str, arguments: dict[str, Any]) -> None:
    line = read_line(text, [])
    assert isinstance(line, ToolLine)
    assert (line.tool, json.loads(line.arguments)) == ("api_fetch", arguments)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("GET", "GET needs a URL"),
        ("salesforce_find_contacts name='x", "no closing quotation"),
        ("salesforce_find_contacts Haddad", "'Haddad' is no name=value"),
        ("chages", "did you mean changes?"),
        ("xyzzy", "there is no command 'xyzzy'; see help"),
    ],
)
def test_what_is_unclear_is_answered_with_a_sentence(text: str, sentence: str) -> None:
    line = read_line(text, SPECS)
    assert isinstance(line, UnclearLine)
    assert sentence in line.sentence


def test_words_and_searches_are_told_apart_from_tools() -> None:
    assert read_line("search create an issue", SPECS) == ToolLine("api_search", '{"query": "create an issue"}')
    assert read_line("  finish All done. ", SPECS) == WordLine("finish", "All done.")
    assert read_line("exit", SPECS) == WordLine("quit", "")
    assert read_line("no_such_tool a=1", SPECS) == ToolLine("no_such_tool", '{"a": "1"}')
    assert read_line("# a remark", SPECS) is None
    assert read_line("   ", SPECS) is None


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.text().map(lambda text: f"salesforce_find_contacts {text}")))
def test_whatever_is_typed_is_read_and_whatever_is_called_is_answered(text: str) -> None:
    line = read_line(text, SPECS)
    if isinstance(line, ToolLine):
        json.loads(Desk(contact_task()).call(line.tool, line.arguments))
