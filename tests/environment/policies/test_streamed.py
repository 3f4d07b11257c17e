from __future__ import annotations

import json
from typing import Any

import pytest

from environment.policies.failures import CallFailed, ContextOverflow
from environment.policies.streamed import EventReader, StreamedAnswer
from tests.environment.policies.stub_endpoint import piece


def put_together(*pieces: Any, done: bool = True) -> dict[str, Any]:
    answer = StreamedAnswer()
    for one in pieces:
        answer.add(json.dumps(one).encode())
    if done:
        answer.add(b"[DONE]")
    return dict(answer.answer().completion(1.0).message)


def call_piece(**call: Any) -> dict[str, Any]:
    return piece(tool_calls=[call])


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_found_wherever_the_bytes_are_cut(size: int) -> None:
    sent = (
        b': hello\n\ndata: {"a": 1}\n\nevent: x\r\nid: 4\r\ndata:first\r\ndata: second\r\n\r\n\n\n'
        + "data: naïve\n\ndata: [DONE]\n\ndata: unfinished\n".encode()
    )
    reader = EventReader()
    events = [event for start in range(0, len(sent), size) for event in reader.feed(sent[start : start + size])]
    assert events == [b'{"a": 1}', b"first\nsecond", "naïve".encode(), b"[DONE]"]


@pytest.mark.parametrize(
    "pieces",
    [
        [{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x": 1}'}}],
        [
            {"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}},
            {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x"'}},
            {"index": 0, "id": None, "function": {"name": None, "arguments": ": 1}"}},
        ],
        [{"id": "a", "function": {"name": "f"}}, {"function": {"arguments": '{"x": 1}'}}],
        [{"id": "a", "function": {"name": "f", "arguments": '{"x": '}}, {"id": "a", "function": {"arguments": "1}"}}],
        [{"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": 1}}}],
    ],
)
def test_a_call_is_put_together_in_the_ways_in_which_servers_cut_it(pieces: list[dict[str, Any]]) -> None:
    message = put_together(*(call_piece(**one) for one in pieces), piece("tool_calls"))
    assert message["tool_calls"] == [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    ]


def test_calls_without_index_are_told_apart_by_their_ids() -> None:
    calls = [call_piece(id=name, function={"name": "f", "arguments": "{}"}) for name in ("a", "b")]
    assert [call["id"] for call in put_together(*calls, piece("stop"))["tool_calls"]] == ["a", "b"]


def test_pieces_of_other_choices_are_passed_over() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "not me"}, "finish_reason": "stop"}]}
    assert put_together(other, piece(content="me"), other, piece("stop"))["content"] == "me"


def test_an_answer_is_whole_when_it_says_why_it_ends_or_that_it_is_done() -> None:
    assert put_together(piece(content="Hi"), piece("stop"), done=False)["content"] == "Hi"
    assert put_together(piece(content="Hi"))["content"] == "Hi"
    with pytest.raises(CallFailed, match="cut off"):
        put_together(piece(content="Hi"), done=False)


def test_only_pieces_of_the_message_count_as_progress() -> None:
    answer = StreamedAnswer()
    pieces = [
        piece(role="assistant", content=""),
        piece(),
        piece(reasoning_content="h"),
        {"choices": []},
        piece("stop"),
    ]
    assert [answer.add(json.dumps(one).encode()) for one in pieces] == [False, False, True, False, True]


def test_an_error_that_names_the_context_length_is_no_failure_of_the_server() -> None:
    with pytest.raises(ContextOverflow):
        put_together({"error": {"message": "maximum context length is 4096 tokens", "code": 400}}, done=False)
