"""An answer is what is read of a chat-completions response; whatever lacks a part of it is no answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from environment.policies.failures import CallFailed, ContextOverflow, names_context_length
from environment.policies.policy import Completion

REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Names under which servers give a model's reasoning, the second one newer."""
_UNPARSED = ("<tool_call>", "<function=")
"""How a tool call begins that a server left in the text, in the forms of the Qwen families."""
_BROKEN_OFF = ("error", "abort")
"""Finish reasons of a server that gave up."""


class Part(BaseModel):
    """Servers add fields of their own, which are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)


PartT = TypeVar("PartT", bound=Part)


class Function(Part):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class Call(Part):
    id: str | None = None
    function: Function


class Message(Part):
    content: str | None = None
    tool_calls: tuple[Call, ...] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class Choice(Part):
    message: Message
    finish_reason: str | None = None


class _CachedTokens(Part):
    cached_tokens: int | None = None


class Usage(Part):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _CachedTokens | None = None
    prompt_cache_hit_tokens: int | None = None
    """The cached ones, as some servers spell it."""

    @property
    def cached(self) -> int | None:
        """Prompt tokens read from a cache, None where the server doesn't say."""
        if self.prompt_tokens_details is not None and self.prompt_tokens_details.cached_tokens is not None:
            return self.prompt_tokens_details.cached_tokens
        return self.prompt_cache_hit_tokens


class Answer(Part):
    """A response with at least one choice."""

    choices: tuple[Choice, ...]
    usage: Usage | None = None
    was_streamed: bool = False

    def completion(self, seconds: float) -> Completion:
        """The first choice. Arguments stay the text that the model wrote; the toolset answers unreadable ones."""
        choice, usage = self.choices[0], self.usage or Usage()
        message = choice.message
        sent: dict[str, Any] = {"role": "assistant", "content": message.content or ""}
        for name in REASONING_FIELDS:
            if thought := getattr(message, name):
                sent[name] = thought
        if message.tool_calls:
            sent["tool_calls"] = [_call(call, place) for place, call in enumerate(message.tool_calls)]
        cost = (usage.prompt_tokens or 0, usage.completion_tokens or 0, seconds, usage.cached or 0)
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


class _Body(Part):
    """Any response, with a choice or without."""

    choices: tuple[Choice, ...] | None = None
    usage: Usage | None = None
    error: Any = None


def read_answer(body: bytes) -> Answer:
    """The answer that a whole response holds. Raises CallFailed when there is none in it."""
    read = read_part(_Body, body)
    return answer_of(read.choices or (), read.usage, read.error)


def answer_of(choices: tuple[Choice, ...], usage: Usage | None, error: Any, was_streamed: bool = False) -> Answer:
    """The answer made of these parts; `error` is what the server says went wrong, if anything.

    Raises CallFailed when that is no answer, ContextOverflow when the server says that the prompt is too long.
    """
    if error:
        if names_context_length(str(error)):
            raise ContextOverflow(str(error)[:300])
        raise CallFailed(f"an error in an answer ({str(error)[:300]})", "server_error")
    if not choices:
        raise CallFailed("an answer without choices", "no_choices")
    if choices[0].finish_reason in _BROKEN_OFF:
        raise CallFailed(f"an answer that the server broke off ({choices[0].finish_reason})", "server_error")
    return Answer(choices=choices, usage=usage, was_streamed=was_streamed)


def read_part(kind: type[PartT], data: bytes) -> PartT:
    """The part of a response that this JSON text is. Raises CallFailed when it is none.

    Halves of surrogate pairs, which JSON can spell and no file can hold, become question marks.
    """
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        failure = CallFailed(f"an answer that is no chat completion ({error.errors()[0]['msg']})", "malformed_response")
        failure.__cause__ = error
    if b"\\ud" not in data.lower():
        raise failure
    try:
        text = json.dumps(json.loads(data), ensure_ascii=False)
        return kind.model_validate_json(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise failure from None


def _call(call: Call, place: int) -> Mapping[str, Any]:
    arguments = call.function.arguments
    text = json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, dict) else arguments or "{}"
    return {
        "id": call.id or f"call_{place}",
        "type": "function",
        "function": {"name": call.function.name or "", "arguments": text},
    }
