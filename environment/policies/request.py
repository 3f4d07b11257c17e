"""A request is what an endpoint is asked, and its refusal what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from environment.policies.endpoint import Endpoint
from environment.policies.failures import names_context_length, said
from environment.policies.wire import wire_messages

_REMEDIES = {401: "check the key", 403: "check what the key may do", 404: "check base_url and model"}


def request_body(
    endpoint: Endpoint, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], seed: int
) -> dict[str, Any]:
    """The next message of a chat, asked for as the endpoint's settings say."""
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": wire_messages(messages, endpoint.reasoning),
        "temperature": endpoint.temperature,
        "max_tokens": endpoint.max_tokens,
        "seed": seed % 2**31,
    }
    if tools:
        body["tools"] = list(tools)
    if endpoint.stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    if endpoint.extra_body:
        body["extra_body"] = dict(endpoint.extra_body)
    return body


def refusal(endpoint: Endpoint, url: str, status: int, message: str) -> str:
    """A sentence for a request that is refused for good, with the remedy."""
    remedy = _REMEDIES.get(status, "mend the endpoint's settings")
    if status == 401:
        variable = endpoint.api_key_variable
        remedy += f" in {variable}" if variable else ": none was sent; name its variable in api_key_variable"
    if status == 400 and names_context_length(message):
        remedy = "lower max_tokens or serve a longer context"
    elif "stream" in message.lower() and endpoint.stream:
        remedy = "set stream: false, or mend the endpoint's settings"
    return f"{url} refused model {endpoint.model} with {status} ({said(status, message)}); {remedy}"
