from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from environment.policies.chat import ChatPolicy
from environment.policies.wire import wire_messages
from environment.rollout import Request, attempt
from tests.environment.policies.stub_endpoint import chat_reply, serve
from tests.environment.policies.test_chat import endpoint
from tests.environment.small_task import POST, READ, make_small_task


def called(*arguments: str, **more: Any) -> dict[str, Any]:
    calls = [
        {"id": f"c{place}", "type": "function", "function": {"name": "look_up", "arguments": text}}
        for place, text in enumerate(arguments)
    ]
    return {"role": "assistant", "content": "", "tool_calls": calls, **more}


def test_a_miswritten_call_goes_back_as_an_object_that_every_server_can_read() -> None:
    given = called('{"id": ', '{"id":  1}', '"{}"')
    [sent] = wire_messages([given], "as_given")
    texts = [call["function"]["arguments"] for call in sent["tool_calls"]]
    assert [json.loads(text) for text in texts] == [{"arguments": '{"id": '}, {"id": 1}, {"arguments": '"{}"'}]
    assert texts[1] == '{"id":  1}'
    assert given == called('{"id": ', '{"id":  1}', '"{}"')


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("setting", ["as_given", "reasoning_content", "reasoning", "dropped"])
def test_reasoning_goes_back_under_the_name_that_is_set(field: str, setting: str) -> None:
    [sent] = wire_messages([called("{}", **{field: "It is A-1."})], setting)
    names = {name: sent[name] for name in ("reasoning_content", "reasoning") if name in sent}
    assert names == ({} if setting == "dropped" else {field if setting == "as_given" else setting: "It is A-1."})


def test_every_turn_begins_with_the_bytes_of_the_one_before() -> None:
    """So the endpoint's prompt cache has all but what is new."""
    functions = [{"name": call.tool, "arguments": json.dumps(dict(call.arguments))} for call in (READ, POST)]
    broken = {"name": READ.tool, "arguments": '{"channel": '}
    replies = [
        chat_reply(None, [functions[0], broken], "tool_calls", reasoning="Read first."),
        chat_reply("", [functions[0]], "tool_calls", reasoning_content="Naïve: read again."),
        chat_reply(None, [functions[1]], "tool_calls"),
        chat_reply("Done."),
    ]
    with serve(*replies) as stub:
        policy = ChatPolicy(endpoint(stub.url))
        made = asyncio.run(attempt(Request(make_small_task(), 0, 1, "calibration"), policy, 8))
    assert made.verdict is not None and made.verdict.strict
    assert len(stub.bodies) == 4
    for earlier, later in zip(stub.bodies, stub.bodies[1:], strict=False):
        start = earlier.index(b'"messages":[')
        end = start + len(_array(earlier[start:])) - 1
        assert later[:end] == earlier[:end] and later[end:].startswith(b',{"role":"assistant"')
        assert _array(earlier[earlier.index(b'"tools":[') :]) == _array(later[later.index(b'"tools":[') :])


def _array(text: bytes) -> bytes:
    """A member of an object, up to the end of the array that it holds."""
    name, _, value = text.decode().partition(":")
    _, length = json.JSONDecoder().raw_decode(value)
    return f"{name}:{value[:length]}".encode()
