from __future__ import annotations

import asyncio
import gc
import json
import socket
from typing import Any

import pytest

from environment.policies.chat import ChatPolicy
from environment.policies.endpoint import Endpoint
from environment.policies.policy import Completion, ConfigurationError, InfraError
from environment.rng import derive_rng
from environment.rollout import Request, attempt
from tests.environment.policies.stub_endpoint import RESET, Reply, Stub, chat_reply, refusal, serve
from tests.environment.small_task import CALL_MESSAGE, make_small_task

CHAT = [{"role": "system", "content": "Work."}, {"role": "user", "content": "Look it up."}]
TOOLS = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}}}]
CALL = {"name": "look_up", "arguments": '{"id": "A-1"}'}


def endpoint(url: str, **changes: Any) -> Endpoint:
    given = {"temperature": 0.5, "max_tokens": 64, "timeout_s": 5, "tries": 3, "backoff_s": 0.001, **changes}
    return Endpoint(base_url=url, model="m", revision="r1", **given)


def ask(stub: Stub, messages: Any = CHAT, **changes: Any) -> Completion:
    return asyncio.run(ChatPolicy(endpoint(stub.url, **changes)).complete(messages, TOOLS, seed=2**40 + 5))


def probe(url: str, **changes: Any) -> str:
    with pytest.raises(ConfigurationError) as refused:
        asyncio.run(ChatPolicy(endpoint(url, **changes)).probe())
    return str(refused.value)


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


def test_a_miswritten_call_goes_back_to_the_server_as_an_object_that_it_can_read() -> None:
    def message(*arguments: str) -> dict[str, Any]:
        calls = [
            {"id": f"c{place}", "type": "function", "function": {"name": "look_up", "arguments": text}}
            for place, text in enumerate(arguments)
        ]
        return {"role": "assistant", "content": "", "tool_calls": calls}

    chat = [*CHAT, message('{"id": ', '{"id":  1}', '"{}"'), {"role": "tool", "tool_call_id": "c0", "content": "no"}]
    with serve(chat_reply()) as stub:
        ask(stub, chat)
    sent = [call["function"]["arguments"] for call in stub.requests[0]["messages"][2]["tool_calls"]]
    assert [json.loads(text) for text in sent] == [{"arguments": '{"id": '}, {"id": 1}, {"arguments": '"{}"'}]
    assert sent[1] == '{"id":  1}'
    assert chat[2] == message('{"id": ', '{"id":  1}', '"{}"')


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_carried_back_under_the_name_that_the_server_gave_it(field: str) -> None:
    with serve(chat_reply("", [CALL], "tool_calls", **{field: "It is A-1."}), chat_reply()) as stub:
        first = ask(stub)
        ask(stub, [*CHAT, first.message, {"role": "tool", "tool_call_id": "c0", "content": "{}"}])
    assert first.message[field] == "It is A-1."
    assert stub.requests[1]["messages"][2][field] == "It is A-1."


NO_CHOICES = Reply('{"id": "x", "object": "chat.completion", "choices": []}')
FAILURES = {
    "no choices": NO_CHOICES,
    "choices are null": Reply('{"error": {"message": "overloaded"}, "choices": null}'),
    "no message": Reply('{"choices": [{"index": 0, "finish_reason": "error", "message": null}]}'),
    "half-written JSON": Reply('{"id": "x", "choices": [{"mess'),
    "cut in mid-body": Reply('{"id": "x", ', missing_bytes=100),
    "connection reset": RESET,
    "timeout": Reply("{}", delay_s=0.6),
    "HTML": Reply("<html>Bad gateway</html>", headers={"content-type": "text/html"}),
    **{str(status): refusal(status, "later") for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)},
}


@pytest.mark.parametrize("name", FAILURES)
def test_an_infrastructure_failure_is_retried(name: str) -> None:
    with serve(FAILURES[name], FAILURES[name], chat_reply("Here.")) as stub:
        completion = ask(stub, timeout_s=0.3)
    assert completion.message["content"] == "Here."
    assert len(stub.requests) == 3
    assert stub.requests[0] == stub.requests[2]


@pytest.mark.parametrize("name", FAILURES)
def test_an_infrastructure_failure_that_lasts_is_no_fault_of_the_model(name: str) -> None:
    with serve(FAILURES[name]) as stub, pytest.raises(InfraError, match="failed 2 times, at last with"):
        ask(stub, tries=2, timeout_s=0.3)
    assert len(stub.requests) == 2


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
    assert [record.message for record in caplog.records if "circuit" in record.name] == [
        f"{stub.url} failed 50 of 50 calls: calls are held back",
        f"{stub.url} answers again",
    ]


def test_retry_after_is_honoured() -> None:
    with serve(refusal(429, "slow down", **{"retry-after": "0.4"}), chat_reply()) as stub:
        ask(stub)
    assert stub.moments[1] - stub.moments[0] >= 0.4


def test_a_retry_after_that_is_no_number_is_passed_over() -> None:
    with serve(refusal(429, "slow down", **{"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}), chat_reply()) as stub:
        assert ask(stub).finish == "stop"


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
        )
    ]
    keys = [ChatPolicy(one).fingerprint.key() for one in (base, *others)]
    assert len(set(keys)) == len(keys)
    elsewhere = base.model_copy(update={"base_url": "http://127.0.0.1:2/v1", "tries": 9, "timeout_s": 1})
    assert ChatPolicy(elsewhere).fingerprint.key() == keys[0]


def test_a_probe_passes_where_the_models_own_call_comes_back_parsed() -> None:
    with serve(chat_reply(None, [CALL], "tool_calls")) as stub:
        asyncio.run(ChatPolicy(endpoint(stub.url)).probe())
    [request] = stub.requests
    assert "tool_choice" not in request
    assert request["tools"][0]["function"]["name"] == "google_sheets_find_rows"


def test_a_model_that_would_rather_talk_is_made_to_call() -> None:
    with serve(chat_reply("Which one?"), chat_reply(None, [CALL], "tool_calls")) as stub:
        asyncio.run(ChatPolicy(endpoint(stub.url)).probe())
    assert stub.requests[1]["tool_choice"] == {"type": "function", "function": {"name": "google_sheets_find_rows"}}


def test_a_probe_names_a_wrong_tool_parser() -> None:
    text = '<tool_call>\n{"name": "google_sheets_find_rows", "arguments": {}}\n</tool_call>'
    with serve(chat_reply(text), chat_reply(None, [CALL], "tool_calls")) as stub:
        sentence = probe(stub.url)
    assert "no parsed tool call" in sentence and "tool parser" in sentence
    assert len(stub.requests) == 1


def test_a_probe_names_a_model_without_tool_calls() -> None:
    with serve(chat_reply("I can't.")) as stub:
        assert "no parsed tool call" in probe(stub.url)
    assert len(stub.requests) == 2


def test_a_probe_of_a_dead_endpoint_says_that_nothing_answers() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    sentence = probe(url)
    assert sentence.startswith(f"nothing answers at {url}") and "start the server or mend base_url" in sentence


def test_a_probe_of_a_web_page_says_that_it_is_no_such_endpoint() -> None:
    with serve(FAILURES["HTML"]) as stub:
        assert probe(stub.url).startswith(f"{stub.url} does not answer like an OpenAI endpoint")


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (refusal(401, "no such key"), "check the key"),
        (refusal(404, "no such model"), "check base_url and model"),
        (refusal(503, "loading"), "answers 503; wait until it is ready"),
        (refusal(400, "max_tokens is too large: this model's maximum context length is 64"), "lower max_tokens"),
    ],
)
def test_a_refused_probe_names_the_remedy(reply: Reply, sentence: str) -> None:
    with serve(reply) as stub:
        assert sentence in probe(stub.url)


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
