from __future__ import annotations

import json

import pytest

from environment.policies.hermes import UnreadableCall, parse_message


def arguments_of(text: str) -> list[tuple[str, str]]:
    return [(c["function"]["name"], c["function"]["arguments"]) for c in parse_message(text).get("tool_calls", ())]


def test_text_without_a_call_is_an_answer() -> None:
    assert parse_message(" All done.\n") == {"role": "assistant", "content": "All done."}


def test_calls_are_taken_out_of_the_text_around_them() -> None:
    one, other = '{"name": "a", "arguments": {"x": 1}}', '{"name": "b", "arguments": {}}'
    text = f"First.\n<tool_call>\n{one}\n</tool_call>\n<tool_call>{other}</tool_call>"
    message = parse_message(text)
    assert message["content"] == "First."
    assert arguments_of(text) == [("a", '{"x": 1}'), ("b", "{}")]
    assert [call["id"] for call in message["tool_calls"]] == ["call_0", "call_1"]


def test_arguments_written_as_text_stay_the_text() -> None:
    inner = json.dumps('{"x": 1}')
    assert arguments_of(f'<tool_call>{{"name": "a", "arguments": {inner}}}</tool_call>') == [("a", '{"x": 1}')]


def test_arguments_that_are_no_object_are_left_to_the_toolset() -> None:
    assert arguments_of('<tool_call>{"name": "a", "arguments": [1, "é"]}</tool_call>') == [("a", '[1, "é"]')]


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    text = r'<tool_call>{"name": "a\ud800", "arguments": {"x": "\ud83d\ude00 \udc00"}}</tool_call>'
    assert arguments_of(text) == [("a?", '{"x": "\U0001f600 ?"}')]
    arguments_of(r'<tool_call>{"name": "a", "arguments": "\ud800"}</tool_call>')[0][1].encode()


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "a", "arguments": {}}',
        "<tool_call>not JSON</tool_call>",
        '<tool_call>{"name": "a"}</tool_call>',
        '<tool_call>{"name": 7, "arguments": {}}</tool_call>',
        '<tool_call>["a"]</tool_call>',
        "<tool_call>" + "[" * 100_000 + "</tool_call>",
        '<tool_call>{"name": "a", "arguments": {}}</tool_call><tool_call>',
    ],
)
def test_a_call_that_was_begun_and_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(UnreadableCall):
        parse_message(text)
