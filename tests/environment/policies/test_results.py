"""What is a result and what is infrastructure, row by row, with a real endpoint and a real episode."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from environment.attempt import Attempt
from environment.policies.chat import ChatPolicy
from environment.policies.policy import ConfigurationError
from environment.rollout import Request, attempt
from tests.environment.policies.stub_endpoint import RESET, Reply, chat_reply, pieces_reply, refusal, serve
from tests.environment.policies.test_chat import HERE, HTML, NO_CHOICES, endpoint
from tests.environment.small_task import CALL_MESSAGE, make_small_task

RIGHT = CALL_MESSAGE["tool_calls"][0]["function"]
POSTED = chat_reply(None, [RIGHT], "tool_calls")
WRONG = {"name": RIGHT["name"], "arguments": json.dumps({"channel": "#ap-run", "text": "Nothing is posted."})}
DONE = chat_reply("Done.")


def made(replies: Sequence[Reply], **changes: Any) -> Attempt:
    given = {"tries": 2, "first_token_s": 0.5, "stall_s": 0.5, **changes}
    with serve(*replies) as stub:
        policy = ChatPolicy(endpoint(stub.url, **given))
        return asyncio.run(attempt(Request(make_small_task(), 0, 1, "calibration"), policy, 6))


def called(arguments: str, name: str = RIGHT["name"]) -> Reply:
    return chat_reply(None, [{"name": name, "arguments": arguments}], "tool_calls")


SCORED = {
    "a right final answer": ([POSTED, DONE], "answered", True),
    "a wrong one": ([chat_reply(None, [WRONG], "tool_calls"), DONE], "answered", False),
    "a refusal": ([chat_reply("I won't do that.")], "answered", False),
    "a refusal by a filter": ([chat_reply(None, finish="content_filter")], "answered", False),
    "an empty final message": ([chat_reply("")], "answered", False),
    "an empty final message after calls": ([POSTED, chat_reply(None)], "answered", True),
    "the turn limit": ([called("{}")], "turn_limit", False),
    "the token limit": ([POSTED, chat_reply("I have now", finish="length")], "token_limit", True),
    "the context limit": ([POSTED, refusal(400, "maximum context length is 4096 tokens")], "context_overflow", True),
    "a malformed call": ([called('{"channel": '), POSTED, DONE], "answered", True),
    "a doubly encoded call": ([called(json.dumps(RIGHT["arguments"])), DONE], "answered", True),
    "an unknown tool": ([called("{}", "send_fax"), POSTED, DONE], "answered", True),
    "a call left in the text": ([chat_reply("<tool_call>{")], "malformed", False),
}


@pytest.mark.parametrize("name", SCORED)
def test_what_the_model_did_is_scored_and_its_end_named(name: str) -> None:
    replies, end, strict = SCORED[name]
    one = made(replies)
    assert one.verdict is not None, one.error
    assert (one.end, one.verdict.strict, one.failure) == (end, strict, None)


@pytest.mark.parametrize("name", ["a malformed call", "an unknown tool"])
def test_a_call_that_cannot_be_made_is_answered_with_an_error_of_the_tool(name: str) -> None:
    transcript = made(SCORED[name][0]).transcript
    assert transcript is not None
    assert "error" in json.loads(transcript.messages[3]["content"])


INFRASTRUCTURE = {
    "no choices": (NO_CHOICES, "no_choices"),
    "half-written JSON": (Reply('{"id": "x", "choices": [{"mess'), "malformed_response"),
    "a connection reset": (RESET, "connection"),
    "a timeout": (Reply("{}", delay_s=0.8), "timeout"),
    "a stall": (pieces_reply(HERE, done=False, stall_s=30), "stalled"),
    "408": (refusal(408, "later"), "timeout"),
    "409": (refusal(409, "later"), "server_error"),
    "429": (refusal(429, "later"), "rate_limited"),
    "500": (refusal(500, "later"), "server_error"),
    "503": (refusal(503, "later"), "server_error"),
    "HTML": (HTML, "malformed_response"),
}


@pytest.mark.parametrize("name", INFRASTRUCTURE)
def test_a_failure_of_the_endpoint_is_retried_and_changes_no_verdict(name: str) -> None:
    failing, _ = INFRASTRUCTURE[name]
    changes = {"stream": False, "timeout_s": 0.5} if name == "a timeout" else {}
    one = made([POSTED, failing, DONE], **changes)
    assert one.verdict is not None, one.error
    assert (one.end, one.verdict.strict, one.calls) == ("answered", True, 1)


@pytest.mark.parametrize("name", INFRASTRUCTURE)
def test_a_failure_that_lasts_leaves_the_attempt_unscored_whatever_was_done_before(name: str) -> None:
    failing, kind = INFRASTRUCTURE[name]
    changes = {"stream": False, "timeout_s": 0.5} if name == "a timeout" else {}
    one = made([POSTED, failing], **changes)
    assert (one.verdict, one.end, one.failure) == (None, None, kind)
    assert one.error is not None and "failed 2 times" in one.error


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (400, "mend the endpoint's settings"),
        (401, "check the key"),
        (403, "check what the key may do"),
        (404, "check base_url and model"),
    ],
)
def test_a_refusal_for_good_stops_the_run_with_the_remedy(status: int, remedy: str) -> None:
    with pytest.raises(ConfigurationError, match=remedy):
        made([POSTED, refusal(status, "no")])


def test_a_wrong_key_is_named_by_its_variable_and_a_missing_one_told_as_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ACME_KEY", "wrong")
    with pytest.raises(ConfigurationError, match=r"with 401 \(no\); check the key in ACME_KEY$"):
        made([refusal(401, "no")], api_key_variable="ACME_KEY")
    with pytest.raises(ConfigurationError, match=r"none was sent; name its variable in api_key_variable$"):
        made([refusal(401, "no")])
