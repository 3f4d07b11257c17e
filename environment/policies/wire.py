"""Wire messages are a chat as an endpoint reads it: every argument an object, reasoning under the name it goes by.

What is sent of a message doesn't depend on what comes after it, so each turn's request begins as the one before and is
read from the endpoint's prompt cache.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from environment.policies.answer import REASONING_FIELDS


def wire_messages(messages: Sequence[Mapping[str, Any]], reasoning: str) -> list[Mapping[str, Any]]:
    """The messages to be sent; `reasoning` is the endpoint's setting of that name."""
    return [_wire(message, reasoning) if message["role"] == "assistant" else message for message in messages]


def _wire(message: Mapping[str, Any], reasoning: str) -> Mapping[str, Any]:
    sent = dict(message)
    if reasoning != "as_given":
        thoughts = [sent.pop(name) for name in REASONING_FIELDS if name in sent]
        if thoughts and reasoning != "dropped":
            sent[reasoning] = thoughts[0]
    if message.get("tool_calls"):
        sent["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": _object_text(call["function"]["arguments"])}}
            for call in message["tool_calls"]
        ]
    return sent


def _object_text(arguments: str) -> str:
    """Arguments that every server can read: text that is no JSON object is wrapped in one.

    Servers refuse a whole chat (400) for one earlier call that the model miswrote.
    """
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        given = None
    return arguments if isinstance(given, dict) else json.dumps({"arguments": arguments}, ensure_ascii=False)
