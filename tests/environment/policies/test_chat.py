from __future__ import annotations

import asyncio
import gc
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from environment.policies.chat import ChatPolicy
from environment.policies.endpoint import Endpoint
from environment.policies.policy import Completion, ConfigurationError, InfraError
from environment.rng import derive_rng
from environment.rollout import Request, attempt
from tests.environment.policies.stub_endpoint import (
    RESET,
    Reply,
    Stub,
    chat_reply,
    piece,
    pieces_reply,
    refusal,
    serve,
)
from tests.environment.small_task import CALL_MESSAGE, make_small_task

CHAT = [{"role": "system", "content": "Work."}, {"role": "user", "content": "Look it up."}]
TOOLS = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}}}]
CALL = {"name": "look_up", "arguments": '{"id": "A-1"}'}


def endpoint(url: str, **changes: Any) -> Endpoint:
    given = {"temperature": 0.5, "max_tokens": 64, "timeout_s": 5, "tries": 3, "backoff_s": 0.001, **changes}
    return Endpoint(base_url=url, model="m", revision="r1", **given)


def ask(stub: Stub, messages: Any = CHAT, **changes: Any) -> Completion:
    return asyncio.run(ChatPolicy(endpoint(stub.url, **changes)).complete(messages, TOOLS, seed=2**40 + 5))


def test_a_final_answer_comes_back_with_its_costs() -> None:
    with serve(chat_reply("All done.")) as stub:
        completion = ask(stub, extra_body={"reasoning_effort": "medium"})
    assert completion.message == {"role": "assistant", "content": "All done."}
    assert (completion.finish, completion.tokens_in, completion.tokens_out) == ("stop", 11, 3)
    assert 0 < completion.seconds < 5
    [request] = stub.requests
    assert (request["model"], request["temperature"], request["max_tokens"]) == ("m", 0.5, 64)
    assert request["seed"] == (2**40 + 5) % 2**31
    assert request["reasoning_effort"] == "medium"
    assert request["messages"] == CHAT and request["tools"] == TOOLS


def test_parallel_tool_calls_come_back_in_order() -> None:
    other = {"name": "look_up", "arguments": '{"id": "B-2"}'}
    with serve(chat_reply(None, [CALL, other], finish="tool_calls")) as stub:
        completion = ask(stub)
    assert completion.finish == "tool_calls"
    assert completion.message["content"] == ""
    assert completion.message["tool_calls"] == [
        {"id": "c0", "type": "function", "function": CALL},
        {"id": "c1", "type": "function", "function": other},
    ]


STREAMED_CALLS = (
    piece(role="assistant", content=None),
    piece(reasoning="Two rows. "),
    piece(reasoning="Both."),
    piece(tool_calls=[{"index": 0, "id": "a", "type": "function", "function": {"name": "look_up", "arguments": ""}}]),
    piece(tool_calls=[{"index": 0, "function": {"arguments": '{"id": '}}]),
    piece(tool_calls=[{"index": 1, "id": "b", "type": "function", "function": {"name": "look_up"}}]),
    piece(tool_calls=[{"index": 0, "function": {"arguments": '"A-1"}'}}]),
    piece(tool_calls=[{"index": 1, "function": {"arguments": '{"id": "B-2"}'}}]),
    piece("tool_calls"),
    {"choices": [], "usage": {"prompt_tokens": 90, "completion_tokens": 8, "prompt_tokens_details": None}},
)


def test_a_streamed_answer_is_put_together() -> None:
    with serve(pieces_reply(*STREAMED_CALLS)) as stub:
        completion = ask(stub)
    calls = [
        {"id": name, "type": "function", "function": {"name": "look_up", "arguments": f'{{"id": "{row}"}}'}}
        for name, row in (("a", "A-1"), ("b", "B-2"))
    ]
    assert completion.message == {
        "role": "assistant",
        "content": "",
        "reasoning": "Two rows. Both.",
        "tool_calls": calls,
    }
    assert (completion.finish, completion.tokens_in, completion.tokens_out) == ("tool_calls", 90, 8)
    assert stub.requests[0]["stream"] is True and stub.requests[0]["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("stream", [True, False])
def test_half_a_character_in_an_answer_is_no_failure(stream: bool) -> None:
    call = {"name": "look_up", "arguments": '{"id": "\ud83d A-1"}'}
    pieces = piece("tool_calls", content="Na\ud800", tool_calls=[{"index": 0, "id": "c0", "function": call}])
    with serve(pieces_reply(pieces) if stream else chat_reply("Na\ud800", [call], "tool_calls")) as stub:
        message = ask(stub, tries=1).message
    assert message["content"] == "Na?"
    assert message["tool_calls"][0]["function"]["arguments"] == '{"id": "? A-1"}'


def test_an_answer_that_is_slower_than_a_stall_is_waited_for_as_long_as_it_goes_on() -> None:
    pieces = [piece(content=word) for word in ("one ", "two ", "three ", "four")]
    with serve(pieces_reply(*pieces, piece("stop"), pause_s=0.15)) as stub:
        assert ask(stub, stall_s=0.4, tries=1).message["content"] == "one two three four"


def test_an_endpoint_that_does_not_stream_is_asked_for_whole_answers() -> None:
    with serve(chat_reply("Here.")) as stub:
        assert ask(stub, stream=False).message["content"] == "Here."
    assert not {"stream", "stream_options"} & set(stub.requests[0])


@pytest.mark.parametrize(
    "usage", [{"prompt_tokens_details": {"cached_tokens": 60}}, {"prompt_cache_hit_tokens": 60}, {"other": 1}]
)
@pytest.mark.parametrize("stream", [True, False])
def test_cached_prompt_tokens_are_counted_where_the_server_says(usage: dict[str, Any], stream: bool) -> None:
    counted = {"prompt_tokens": 90, "completion_tokens": 8, **usage}
    whole = {"choices": [{"message": {"content": "Here."}, "finish_reason": "stop"}], "usage": counted}
    pieces = pieces_reply(piece("stop", content="Here."), {"choices": [], "usage": counted})
    with serve(pieces if stream else Reply(json.dumps(whole))) as stub:
        completion = ask(stub)
    assert (completion.tokens_in, completion.tokens_cached) == (90, 0 if "other" in usage else 60)


@pytest.mark.parametrize(
    ("finish", "calls", "outcome"),
    [
        ("stop", [CALL], "tool_calls"),
        (None, [CALL], "tool_calls"),
        ("tool_calls", [], "stop"),
        ("content_filter", [], "stop"),
        (None, [], "stop"),
        ("length", [CALL], "length"),
    ],
)
def test_a_wrong_finish_reason_changes_nothing_but_that_length_is_believed(
    finish: Any, calls: list[Any], outcome: str
) -> None:
    with serve(chat_reply("", calls, finish)) as stub:
        assert ask(stub).finish == outcome


def test_an_empty_answer_is_an_answer() -> None:
    with serve(chat_reply(None)) as stub:
        completion = ask(stub)
    assert (completion.message, completion.finish) == ({"role": "assistant", "content": ""}, "stop")


def test_a_cut_response_is_never_taken_for_a_call() -> None:
    with serve(chat_reply(None, [{"name": "look_up", "arguments": '{"id": "A'}], finish="length")) as stub:
        assert ask(stub).finish == "length"


def test_a_call_that_the_server_left_in_the_text_is_malformed() -> None:
    with serve(chat_reply('<tool_call>{"name": "look_up", }</tool_call>')) as stub:
        assert ask(stub).finish == "malformed"


@pytest.mark.parametrize(
    ("written", "passed_on"),
    [('{"id": ', '{"id": '), ("[1]", "[1]"), ("", "{}"), (None, "{}"), ({"id": "A-1"}, '{"id": "A-1"}')],
)
def test_unreadable_arguments_are_passed_on_as_the_text_they_are(written: Any, passed_on: str) -> None:
    with serve(chat_reply(None, [{"name": "look_up", "arguments": written}], finish="tool_calls")) as stub:
        completion = ask(stub)
    assert completion.message["tool_calls"][0]["function"]["arguments"] == passed_on


HERE = piece(role="assistant", content="Here")
HTML = Reply("<html>Bad gateway</html>", headers={"content-type": "text/html"})
NO_CHOICES = Reply('{"id": "x", "object": "chat.completion", "choices": []}')
FAILURES: dict[str, tuple[Reply, str]] = {
    "no choices": (NO_CHOICES, "no_choices"),
    "choices are null": (Reply('{"choices": null}'), "no_choices"),
    "an error in an answer": (Reply('{"error": {"message": "overloaded"}, "choices": null}'), "server_error"),
    "broken off": (chat_reply("Her", finish="abort"), "server_error"),
    "no message": (Reply('{"choices": [{"index": 0, "message": null}]}'), "malformed_response"),
    "half-written JSON": (Reply('{"id": "x", "choices": [{"mess'), "malformed_response"),
    "cut in mid-body": (Reply('{"id": "x", ', missing_bytes=100), "connection"),
    "connection reset": (RESET, "connection"),
    "nothing": (Reply("{}", delay_s=0.9), "stalled"),
    "HTML": (HTML, "malformed_response"),
    "HTML with a status": (replace(HTML, status=502), "server_error"),
    "streamed: reset in mid-answer": (pieces_reply(HERE, done=False, stall_s=0.01), "connection"),
    "streamed: stalled": (pieces_reply(HERE, done=False, stall_s=30), "stalled"),
    "streamed: kept alive and stalled": (pieces_reply(HERE, ": ping\n\n" * 9, done=False, stall_s=30), "stalled"),
    "streamed: never begun": (pieces_reply(piece(role="assistant"), done=False, stall_s=30), "stalled"),
    "streamed: no word of it": (pieces_reply(HERE, delay_s=30), "stalled"),
    "streamed: half-written JSON": (pieces_reply(HERE, 'data: {"choices": [{"del\n\n'), "malformed_response"),
    "streamed: no choices": (pieces_reply({"choices": [], "usage": {"prompt_tokens": 3}}), "no_choices"),
    "streamed: nothing": (pieces_reply(), "no_choices"),
    "streamed: an error": (pieces_reply(HERE, {"error": {"message": "engine died"}}, done=False), "server_error"),
    "streamed: an error as text": (pieces_reply({"error": "out of memory"}, done=False), "server_error"),
    "408": (refusal(408, "later"), "timeout"),
    "429": (refusal(429, "later"), "rate_limited"),
    **{str(status): (refusal(status, "later"), "server_error") for status in (409, 425, 500, 502, 503, 504, 529)},
}
QUICK = {"timeout_s": 2.0, "first_token_s": 0.5, "stall_s": 0.5}


@pytest.mark.parametrize("name", FAILURES)
def test_an_infrastructure_failure_is_retried(name: str) -> None:
    with serve(FAILURES[name][0], FAILURES[name][0], chat_reply("Here.")) as stub:
        completion = ask(stub, **QUICK)
    assert completion.message["content"] == "Here."
    assert len(stub.requests) == 3
    assert stub.requests[0] == stub.requests[2]


@pytest.mark.parametrize("name", FAILURES)
def test_an_infrastructure_failure_that_lasts_is_no_fault_of_the_model(name: str) -> None:
    reply, kind = FAILURES[name]
    with (
        serve(reply) as stub,
        pytest.raises(InfraError, match=rf"failed 2 times, at last with .*\(2 {kind}\)") as failed,
    ):
        ask(stub, tries=2, **QUICK)
    assert len(stub.requests) == 2 and failed.value.kind == kind


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
        "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
        "the request exceeds the available context size",
        "prompt is too long: 210000 tokens > 200000 maximum",
    ],
)
def test_a_refusal_that_names_the_context_length_is_a_context_overflow(message: str) -> None:
    with serve(refusal(400, message)) as stub:
        completion = ask(stub)
    assert (completion.finish, completion.message["content"], len(stub.requests)) == ("context", "", 1)


@pytest.mark.parametrize(
    ("status", "message", "remedy"),
    [
        (400, "temperature must be at most 2", "mend the endpoint's settings"),
        (401, "no such key", "check the key"),
        (403, "not for you", "check what the key may do"),
        (404, "the model m does not exist", "check base_url and model"),
        (404, "context length", "check base_url and model"),
        (422, "unprocessable", "mend the endpoint's settings"),
    ],
)
def test_a_refusal_of_everybody_is_a_configuration_error_with_the_remedy(
    status: int, message: str, remedy: str
) -> None:
    with serve(refusal(status, message)) as stub, pytest.raises(ConfigurationError) as refused:
        ask(stub)
    assert len(stub.requests) == 1
    assert str(status) in str(refused.value) and message in str(refused.value) and remedy in str(refused.value)


def test_a_whole_answer_that_does_not_come_in_time_is_a_timeout() -> None:
    slow = Reply(chat_reply().body, delay_s=0.5)
    late = pieces_reply(*[piece(content="more ")] * 9, piece("stop"), pause_s=0.1)
    for reply, stream in ((slow, False), (late, True)):
        with serve(reply) as stub, pytest.raises(InfraError, match=r"no whole answer within 0\.3 s") as failed:
            ask(stub, tries=1, timeout_s=0.3, stream=stream)
        assert failed.value.kind == "timeout"


def test_a_response_that_is_whole_but_does_not_end_is_taken() -> None:
    with serve(pieces_reply(HERE, piece("stop"), stall_s=30)) as stub:
        assert ask(stub, tries=1).message["content"] == "Here"


def test_pauses_double_with_a_jitter_drawn_for_the_seed() -> None:
    with serve(*[refusal(503, "later")] * 4, chat_reply()) as stub:
        ask(stub, tries=5, backoff_s=0.04)
    jitter = derive_rng("backoff", 2**40 + 5)
    for place in range(4):
        least = 0.04 * 2**place * (0.5 + jitter.random())
        assert stub.moments[place + 1] - stub.moments[place] >= least


def test_an_endpoint_that_mostly_fails_is_spared_until_it_answers_again(caplog: pytest.LogCaptureFixture) -> None:
    async def ask_all(policy: ChatPolicy) -> list[Completion]:
        return await asyncio.gather(*(policy.complete(CHAT, TOOLS, seed) for seed in range(40)))

    with serve(*[refusal(503, "later")] * 60, chat_reply("Here.")) as stub:
        completions = asyncio.run(ask_all(ChatPolicy(endpoint(stub.url, tries=6))))
    assert [one.message["content"] for one in completions] == ["Here."] * 40
    assert [
        record.message for record in caplog.records if record.levelname == "WARNING" and "circuit" in record.name
    ] == [
        f"{stub.url} failed 50 of its last 50 calls (503: later): calls wait until it answers again",
        f"{stub.url} answers again",
    ]


def test_retry_after_is_honoured() -> None:
    with serve(refusal(429, "slow down", **{"retry-after": "0.4"}), chat_reply()) as stub:
        ask(stub)
    assert stub.moments[1] - stub.moments[0] >= 0.4


def test_a_retry_after_that_is_a_date_is_honoured() -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    later = format_datetime(now + timedelta(seconds=2), usegmt=True)
    with serve(refusal(429, "slow down", **{"retry-after": later}), chat_reply()) as stub:
        ask(stub)
    assert stub.moments[1] - stub.moments[0] >= 0.9


def test_an_address_without_a_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match="is no web address; write it like"):
        endpoint("127.0.0.1:8000/v1")


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STUB_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="set STUB_KEY"):
        ChatPolicy(endpoint("http://127.0.0.1:1/v1", api_key_variable="STUB_KEY"))


def test_attempts_of_another_revision_adapter_or_setting_have_another_fingerprint() -> None:
    base = endpoint("http://127.0.0.1:1/v1")
    others = [
        base.model_copy(update=change)
        for change in (
            {"revision": "r2"},
            {"adapter": "a1"},
            {"temperature": 0.6},
            {"max_tokens": 65},
            {"extra_body": {"top_p": 0.9}},
            {"reasoning": "dropped"},
        )
    ]
    keys = [ChatPolicy(one).fingerprint.key() for one in (base, *others)]
    assert len(set(keys)) == len(keys)
    elsewhere = base.model_copy(update={"base_url": "http://127.0.0.1:2/v1", "tries": 9, "timeout_s": 1})
    assert ChatPolicy(elsewhere).fingerprint.key() == keys[0]


def test_a_miswritten_call_is_answered_and_the_attempt_goes_on() -> None:
    right = CALL_MESSAGE["tool_calls"][0]["function"]
    with serve(
        chat_reply(None, [{"name": right["name"], "arguments": '{"channel": '}], "tool_calls"),
        chat_reply(None, [right], "tool_calls"),
        chat_reply("Done."),
    ) as stub:
        policy = ChatPolicy(endpoint(stub.url))
        made = asyncio.run(attempt(Request(make_small_task(), 0, 1, "calibration"), policy, 8))
    assert made.transcript is not None and made.verdict is not None
    assert "error" in json.loads(made.transcript.messages[3]["content"])
    assert (made.end, made.verdict.strict, made.calls) == ("answered", True, 2)
    assert (made.tokens_in, made.tokens_out) == (33, 9)


def test_a_policy_serves_one_event_loop_after_another_and_leaves_no_connection_open() -> None:
    with serve(chat_reply("Here.")) as stub:
        policy = ChatPolicy(endpoint(stub.url))
        for _ in range(3):
            assert asyncio.run(policy.complete(CHAT, TOOLS, 1)).message["content"] == "Here."
    gc.collect()  # an unclosed connection warns here, and warnings are errors
