"""An answer is what is read of a chat-completions response; whatever lacks a part of it is no answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from environment.policies.policy import Completion

_UNPARSED = ("<tool_call>", "<function=")
"""How a tool call begins that a server left in the text, in the forms of the Qwen families."""


class _Part(BaseModel):
    """Servers add fields of their own, which are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _Function(_Part):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class _Call(_Part):
    id: str | None = None
    function: _Function


class _Message(_Part):
    content: str | None = None
    tool_calls: tuple[_Call, ...] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    """The same under the name that newer servers give it."""


class _Choice(_Part):
    message: _Message
    finish_reason: str | None = None


class _Usage(_Part):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Answer(_Part):
    """A chat-completions response; validating one that is half-written or has no choices raises ValidationError."""

    choices: tuple[_Choice, ...] = Field(min_length=1)
    usage: _Usage | None = None

    def completion(self, seconds: float) -> Completion:
        """The first choice. Arguments stay the text that the model wrote; the toolset answers unreadable ones."""
        choice, usage = self.choices[0], self.usage or _Usage()
        cost = (usage.prompt_tokens or 0, usage.completion_tokens or 0, seconds)
        message = choice.message
        sent: dict[str, Any] = {"role": "assistant", "content": message.content or ""}
        for name in ("reasoning_content", "reasoning"):
            if thought := getattr(message, name):
                sent[name] = thought
        if message.tool_calls:
            sent["tool_calls"] = [_call(call, place) for place, call in enumerate(message.tool_calls)]
        if choice.finish_reason == "length":
            return Completion(sent, "length", *cost)
        if message.tool_calls:
            return Completion(sent, "tool_calls", *cost)
        return Completion(sent, "malformed" if self.has_unparsed_call else "stop", *cost)

    @property
    def has_unparsed_call(self) -> bool:
        """A tool call was begun in the text, and the server made nothing of it."""
        message = self.choices[0].message
        return not message.tool_calls and any(mark in (message.content or "") for mark in _UNPARSED)


def _call(call: _Call, place: int) -> Mapping[str, Any]:
    arguments = call.function.arguments
    text = json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, dict) else arguments or "{}"
    return {
        "id": call.id or f"call_{place}",
        "type": "function",
        "function": {"name": call.function.name or "", "arguments": text},
    }
