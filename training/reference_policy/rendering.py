"""An episode as token ids: a conversation rendered with the chat template, each token marked with its part.

Training renders through the same `apply_chat_template` as sampling does. Every assistant turn starts
right after `<|im_start|>assistant` and a newline (there is no thinking block) and ends with `<|im_end|>`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from transformers import PreTrainedTokenizerBase

Message = Mapping[str, Any]
ToolSpec = Mapping[str, Any]


class Part(IntEnum):
    """What a token belongs to."""

    PREFIX = 0
    """System prompt and tool schemas: the same for every task with these tools."""
    CONTEXT = 1
    """User text, tool results and turn headers: not written by the policy."""
    ASSISTANT = 2
    """Written by the policy, `<|im_end|>` included."""
    ARGUMENTS = 3
    """Written by the policy, inside a call's arguments."""


@dataclass(frozen=True, slots=True)
class Episode:
    """A rendered conversation; `ids` and `parts` have shape (T,)."""

    ids: np.ndarray
    parts: np.ndarray
    family: str
    care: str

    @property
    def prefix_count(self) -> int:
        return int((self.parts == Part.PREFIX).sum())


def render_episode(
    tokenizer: PreTrainedTokenizerBase,
    messages: Sequence[Message],
    tools: Sequence[ToolSpec],
    family: str = "",
    care: str = "",
) -> Episode:
    """The whole conversation as the policy would have produced it, without the newline after the last turn."""
    text = render_text(tokenizer, messages, tools)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    last_turn_end = len(ids) - 1 - ids[::-1].index(tokenizer.eos_token_id)
    ids = ids[: last_turn_end + 1]
    return Episode(np.array(ids, dtype=np.int64), _mark_parts(tokenizer, ids), family, care)


def render_prompt(
    tokenizer: PreTrainedTokenizerBase, messages: Sequence[Message], tools: Sequence[ToolSpec]
) -> list[int]:
    """The ids after which the policy writes its next turn."""
    text = render_text(tokenizer, messages, tools, add_generation_prompt=True)
    return tokenizer(text, add_special_tokens=False)["input_ids"]


def render_text(
    tokenizer: PreTrainedTokenizerBase,
    messages: Sequence[Message],
    tools: Sequence[ToolSpec],
    *,
    add_generation_prompt: bool = False,
) -> str:
    """The chat template's text for OpenAI-style messages and function specs."""
    text = tokenizer.apply_chat_template(
        [_normalise(message) for message in messages],
        tools=[dict(tool) for tool in tools] or None,
        tokenize=False,
        add_generation_prompt=add_generation_prompt,
    )
    return str(text)


def _normalise(message: Message) -> dict[str, Any]:
    """The message as TRL holds it: text content, call arguments as objects, nothing else."""
    plain: dict[str, Any] = {"role": message["role"], "content": message.get("content") or ""}
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    if calls:
        plain["tool_calls"] = [
            {
                "type": "function",
                "function": {
                    "name": call["name"],
                    "arguments": json.loads(call["arguments"])
                    if isinstance(call["arguments"], str)
                    else call["arguments"],
                },
            }
            for call in calls
        ]
    return plain


def _mark_parts(tokenizer: PreTrainedTokenizerBase, ids: list[int]) -> np.ndarray:
    start_id, open_id, close_id = map(tokenizer.convert_tokens_to_ids, ("<|im_start|>", "<tool_call>", "</tool_call>"))
    header = tokenizer("assistant\n", add_special_tokens=False)["input_ids"]
    arguments = tokenizer("arguments", add_special_tokens=False)["input_ids"]
    parts = np.full(len(ids), Part.CONTEXT, dtype=np.uint8)
    starts = [i for i, token in enumerate(ids) if token == start_id]
    if len(starts) > 1 and ids[1 : 1 + len(header)] != header:
        parts[: starts[1]] = Part.PREFIX
    for start in starts:
        first = start + 1 + len(header)
        if ids[start + 1 : first] != header:
            continue
        end = ids.index(tokenizer.eos_token_id, first)
        parts[first : end + 1] = Part.ASSISTANT
        at = first
        while open_id in ids[at:end]:
            opened = ids.index(open_id, at)
            closed = ids.index(close_id, opened) if close_id in ids[opened:end] else end
            for i in range(opened, closed):
                if ids[i : i + len(arguments)] == arguments:
                    parts[i + len(arguments) : closed] = Part.ARGUMENTS
                    break
            at = closed
    return parts
