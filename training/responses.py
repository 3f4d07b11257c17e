"""A response is what the model wrote in one turn, read from its token ids by the rules that every policy obeys."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from transformers import GenerationConfig, PreTrainedTokenizerBase

from environment.attempt import End
from environment.policies.hermes import UnreadableCall, parse_message

_EMPTY_THOUGHT = "<think>\n\n</think>\n\n"


@dataclass(frozen=True, slots=True)
class Ending:
    """How an attempt ended, derived from its token ids."""

    end: End
    lengths: tuple[int, ...]
    """Tokens of each response, end token included."""
    unanswered: tuple[Mapping[str, Any], ...]
    """Calls (name and arguments) of the last response that the turn limit left without an answer."""


class ResponseReader:
    """Reads responses and whole completions (responses and tool results in turn) of one chat template."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        ends: frozenset[int],
        max_turns: int,
        template_arguments: Mapping[str, Any],
    ) -> None:
        """`ends` are the tokens that end a response; tool results end with the tokenizer's own.

        Raises ValueError when the template writes calls neither as Hermes does nor in a form that TRL can read.
        """
        self._tokenizer, self._ends, self._max_turns = tokenizer, ends, max_turns
        self._opening = tokenizer.apply_chat_template(
            [{"role": "user", "content": "?"}], add_generation_prompt=True, return_dict=False, **template_arguments
        )
        self._header = self._opening[self._opening.index(tokenizer.eos_token_id) + 1 :]
        self._parse_natively = None if _writes_hermes(tokenizer) else _native_parser(tokenizer)

    def parse_response(self, ids: Sequence[int], prefix: Any = None, tools: Any = None) -> dict[str, Any]:
        """The message that TRL acts upon; it takes the place of the tokenizer's own `parse_response`.

        TRL's reading would answer the calls of a response that was cut, and turn "7" into 7 where the schema says so:
        the same attempt would go on elsewhere. An unreadable call is text, so it ends the attempt.
        """
        text, ended = self._text(list(ids))
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if not ended:
            return message
        try:
            calls = self._calls(list(ids), text, tools)
        except UnreadableCall:
            return message
        if calls:
            message["tool_calls"] = [{"type": "function", "function": call} for call in calls]
        return message

    def ending(self, completion: Sequence[int], tools: Sequence[Mapping[str, Any]]) -> Ending:
        """How an attempt with these responses and tool results ended."""
        responses = self._responses(list(completion))
        text, ended = self._text(responses[-1])
        lengths = tuple(map(len, responses))
        if not ended:
            return Ending("token_limit", lengths, ())
        try:
            calls = self._calls(responses[-1], text, tools)
        except UnreadableCall:
            return Ending("malformed", lengths, ())
        if not calls:
            return Ending("answered", lengths, ())
        if len(responses) < self._max_turns:
            return Ending("context_overflow", lengths, ())
        return Ending("turn_limit", lengths, tuple(calls))

    def _text(self, ids: list[int]) -> tuple[str, bool]:
        """Text of one response, and whether the model ended it."""
        ended = bool(ids) and ids[-1] in self._ends
        text = str(self._tokenizer.decode(ids[:-1] if ended else ids, skip_special_tokens=False))
        return text.removeprefix(_EMPTY_THOUGHT), ended

    def _calls(self, ids: list[int], text: str, tools: Any) -> list[dict[str, Any]]:
        """Name and arguments of every call. Raises UnreadableCall when one was begun and cannot be read."""
        if self._parse_natively is None:
            calls = [call["function"] for call in parse_message(text).get("tool_calls", ())]
            return [{"name": call["name"], "arguments": _object(call["arguments"])} for call in calls]
        try:
            parsed = self._parse_natively(ids, prefix=self._opening, tools=tools)
        except (ValueError, TypeError) as error:
            raise UnreadableCall(str(error)) from None
        calls = [call["function"] for call in parsed.get("tool_calls") or ()]
        said = text.rpartition("</think>")[2]
        begun = said.count("<tool_call>")
        if begun != said.count("</tool_call>") or (begun and not calls):
            raise UnreadableCall("a tool call was begun and not ended as the template does")
        return [{"name": call["name"], "arguments": dict(call["arguments"])} for call in calls]

    def _responses(self, completion: list[int]) -> list[list[int]]:
        """The responses of a completion: up to an end token; then the tool results, up to an end token; and so on."""
        responses = []
        start = 0
        while True:
            end = _after(completion, start, self._ends)
            responses.append(completion[start:end])
            results = _after(completion, end, {self._tokenizer.eos_token_id})
            start = results + len(self._header)
            if end == len(completion) or start > len(completion):
                return responses


def end_tokens(tokenizer: PreTrainedTokenizerBase, generation: GenerationConfig | None) -> frozenset[int]:
    """Tokens that end a response: the tokenizer's, and those that the model was published with."""
    published = generation.eos_token_id if generation else None
    ends = published if isinstance(published, list) else [published]
    return frozenset(token for token in (*ends, tokenizer.eos_token_id) if token is not None)


def _writes_hermes(tokenizer: PreTrainedTokenizerBase) -> bool:
    """Whether the chat template writes a call as JSON between tags."""
    call = {"type": "function", "function": {"name": "look_up", "arguments": {"word": "x"}}}
    chat: list[Any] = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    text = str(tokenizer.apply_chat_template(chat, tokenize=False))
    try:
        (read,) = parse_message(text)["tool_calls"]
    except (UnreadableCall, KeyError):
        return False
    return read["function"]["name"] == "look_up"


def _native_parser(tokenizer: PreTrainedTokenizerBase) -> Any:
    from trl.chat_template_utils import add_response_schema  # costs seconds and is needed for some templates only

    return add_response_schema(tokenizer).parse_response


def _after(ids: list[int], start: int, ends: Container[int]) -> int:
    """The place after the first of these tokens, or the end."""
    return next((place + 1 for place in range(start, len(ids)) if ids[place] in ends), len(ids))


def _object(arguments: str) -> dict[str, Any]:
    """The arguments as an object; anything else is passed on under a name that no tool has and so is refused."""
    try:
        given = json.loads(arguments or "{}")
    except ValueError:
        return {"arguments": arguments}
    if given is None:
        return {}
    return given if isinstance(given, dict) else {"arguments": arguments}
