"""A sampler writes the responses of one update's attempts in this process, a turn of all of them at a time.

It keeps the keys and values of what it has read: a group's prompt once, and of each attempt what follows the prompt.
So a later turn reads only the new tool results, where `generate` would read every conversation again from its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import torch
from peft import PeftModel
from peft.tuners.lora import Linear
from transformers import AutoModelForCausalLM

from environment.rng import derive_seed
from training.shared_prompt import NO_MASK, SHARED_PROMPT, causal_attention

_CROWD = 0.75
"""A batch is narrowed when no more than this share of its rows is still being written."""

KeysValues = list[tuple[torch.Tensor, torch.Tensor]]
"""Of each layer, shape (heads, T, D) each."""


class Sampler:
    """Samples from a base with its LoRA adapter merged into a copy of the weights.

    A response depends on the conversation, the seed, the update and the attempt's place, not on the others in the
    batch (up to rounding), so an update that is made again after an interruption is the same.
    """

    def __init__(
        self, model: PeftModel, eos: int, *, temperature: float, max_response_tokens: int, max_context: int, seed: str
    ) -> None:
        self._adapted = model
        base = model.get_base_model()
        self._merged = AutoModelForCausalLM.from_config(base.config, dtype=torch.float32).eval()
        self._merged.set_attn_implementation(SHARED_PROMPT)
        weights = {_plain(name): tensor for name, tensor in base.state_dict().items() if ".lora_" not in name}
        self._merged.load_state_dict(weights)
        self._eos, self._temperature, self._seed = eos, temperature, seed
        self._max_response_tokens, self._max_context = max_response_tokens, max_context
        self._attempts: list[_Attempt] = []

    @torch.inference_mode()
    def begin(self, prompts: Sequence[list[int]], update: int) -> list[list[int]]:
        """The first response of every attempt of an update, by the adapter as it is now."""
        self._merge()
        read: dict[tuple[int, ...], _Prompt] = {}
        self._attempts = []
        for place, ids in enumerate(prompts):
            if tuple(ids) not in read:
                read[tuple(ids)] = self._read_prompt(ids)
            draw = np.random.Generator(np.random.Philox(derive_seed("responses", self._seed, update, place)))
            self._attempts.append(_Attempt(place, read[tuple(ids)], draw))
        return self._write(self._attempts, [[] for _ in prompts])

    @torch.inference_mode()
    def resume(self, conversations: Sequence[list[int]]) -> list[list[int]]:
        """The next response of those attempts that go on, given their whole conversations."""
        waiting = list(self._attempts)
        found = [_take(waiting, ids) for ids in conversations]
        unread = [ids[attempt.read :] for attempt, ids in zip(found, conversations, strict=True)]
        return self._write(found, unread)

    def _merge(self) -> None:
        for name, layer in self._adapted.get_base_model().named_modules():
            if isinstance(layer, Linear):
                base: Any = layer.get_base_layer()
                self._merged.get_parameter(f"{name}.weight").copy_(base.weight + layer.get_delta_weight("default"))

    def _read_prompt(self, ids: list[int]) -> _Prompt:
        layout = _PromptLayout()
        hidden = self._merged.model(
            input_ids=torch.tensor([ids]), attention_mask=NO_MASK, use_cache=False, layout=layout
        ).last_hidden_state
        return _Prompt(ids, layout.cache, self._merged.lm_head(hidden[0, -1]))

    def _write(self, attempts: list[_Attempt], unread: list[list[int]]) -> list[list[int]]:
        """One response an attempt, each ending with the end token unless it met a limit."""
        for attempt, new in zip(attempts, unread, strict=True):
            attempt.response = []
            attempt.room = min(self._max_response_tokens, self._max_context - attempt.read - len(new))
        batch = _Batch(attempts, max(map(len, unread)) + self._max_response_tokens)
        logits = self._read(batch, unread) if any(unread) else torch.stack([one.prompt.logits for one in attempts])
        going = list(range(len(attempts)))
        while True:
            tokens = self._choose(logits, [batch.attempts[row].draw for row in going])
            for row, token in zip(going, tokens, strict=True):
                batch.attempts[row].response.append(token)
            going = [row for row in going if not self._ended(batch.attempts[row])]
            if len(going) <= _CROWD * len(batch.attempts):
                batch.put_back()
                if not going:
                    return [attempt.response for attempt in attempts]
                batch = _Batch([batch.attempts[row] for row in going], self._max_response_tokens)
                going = list(range(len(going)))
            waiting = set(going)
            last = [one.response[-1:] if row in waiting else [] for row, one in enumerate(batch.attempts)]
            logits = self._read(batch, last)[going]

    def _ended(self, attempt: _Attempt) -> bool:
        return attempt.response[-1] == self._eos or len(attempt.response) >= attempt.room

    def _read(self, batch: _Batch, new: list[list[int]]) -> torch.Tensor:
        """Logits after each attempt's new tokens, (B, V), which the batch then holds; of none they are meaningless."""
        width = max(map(len, new))
        ids = torch.tensor([one + [self._eos] * (width - len(one)) for one in new])  # (B, S)
        hidden = self._merged.model(
            input_ids=ids, position_ids=batch.place(width), attention_mask=NO_MASK, use_cache=False, layout=batch
        ).last_hidden_state
        batch.keep(new)
        ends = torch.tensor([max(1, len(one)) - 1 for one in new])
        return self._merged.lm_head(hidden[torch.arange(len(new)), ends])

    def _choose(self, logits: torch.Tensor, draws: list[np.random.Generator]) -> list[int]:
        """A token a row by inverting its cumulative distribution at that row's own uniform draw."""
        cumulative = (logits.double() / self._temperature).softmax(-1).cumsum(-1)  # (B, V)
        uniform = torch.tensor([[draw.random()] for draw in draws], dtype=torch.float64)
        return torch.searchsorted(cumulative, uniform * cumulative[:, -1:]).squeeze(1).tolist()


@dataclass(eq=False)
class _Prompt:
    """A group's prompt, read once."""

    ids: list[int]
    cache: KeysValues
    logits: torch.Tensor
    """Of the token after it, shape (V,)."""


@dataclass(eq=False)
class _Attempt:
    """One conversation as far as it has been read."""

    place: int
    prompt: _Prompt
    draw: np.random.Generator
    own: list[int] = field(default_factory=list)
    """Tokens after the prompt that have been read."""
    cache: KeysValues = field(default_factory=list)
    """Of `own`."""
    response: list[int] = field(default_factory=list)
    room: int = 0
    """Tokens that the response may have."""

    @property
    def read(self) -> int:
        return len(self.prompt.ids) + len(self.own)


class _PromptLayout:
    """A prompt alone; its keys and values are kept."""

    def __init__(self) -> None:
        self.cache: KeysValues = []

    def attend(
        self, layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float
    ) -> torch.Tensor:
        self.cache.append((key[0], value[0]))
        return causal_attention(query, key, value, scaling)


class _Batch:
    """Attempts that are written together, groups side by side, with room in their cache for what will be read."""

    def __init__(self, attempts: list[_Attempt], room: int) -> None:
        self.attempts = attempts
        self._lengths = torch.tensor([len(one.own) for one in attempts])  # (B,)
        self._groups: list[tuple[slice, _Prompt]] = []
        start = 0
        for _, group in groupby(attempts, key=lambda one: id(one.prompt)):
            members = list(group)
            self._groups.append((slice(start, start + len(members)), members[0].prompt))
            start += len(members)
        capacity = max(len(one.own) for one in attempts) + room + 1
        self._cache = [
            tuple(
                _stack([one.cache[layer][kind] if one.cache else None for one in attempts], like, capacity)
                for kind, like in enumerate(shared)
            )
            for layer, shared in enumerate(attempts[0].prompt.cache)
        ]

    def place(self, width: int) -> torch.Tensor:
        """Positions (B, S) of the next `width` tokens of every attempt."""
        self._columns = self._lengths[:, None] + torch.arange(width)  # (B, S)
        self._reach = int(self._lengths.max()) + width
        unseen = torch.arange(self._reach) > self._columns[:, :, None]  # (B, S, T)
        self._bias = torch.zeros(unseen.shape).masked_fill(unseen, float("-inf"))[:, None]  # (B, 1, S, T)
        return self._columns + torch.tensor([[len(one.prompt.ids)] for one in self.attempts])

    def attend(
        self, layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float
    ) -> torch.Tensor:
        keys, values = self._cache[layer]  # (B, heads, capacity, D)
        rows = torch.arange(len(query))[:, None]
        keys[rows, :, self._columns] = key.transpose(1, 2)
        values[rows, :, self._columns] = value.transpose(1, 2)
        query = query * scaling
        out = torch.empty_like(query)
        for members, prompt in self._groups:
            prompt_keys, prompt_values = prompt.cache[layer]  # (heads, P, D)
            q = query[members]  # (n, heads, S, D)
            together = q.transpose(0, 1).flatten(1, 2)  # (heads, n * S, D)
            shared = (together @ prompt_keys.transpose(1, 2)).unflatten(1, (len(q), -1)).transpose(0, 1)
            own = q @ keys[members, :, : self._reach].transpose(2, 3) + self._bias[members]  # (n, heads, S, T)
            weights = torch.cat([shared, own], -1).softmax(-1)  # (n, heads, S, P + T)
            p = prompt_keys.shape[1]
            of_prompt = weights[..., :p].transpose(0, 1).flatten(1, 2) @ prompt_values  # (heads, n * S, D)
            of_own = weights[..., p:] @ values[members, :, : self._reach]
            out[members] = of_prompt.unflatten(1, (len(q), -1)).transpose(0, 1) + of_own
        return out

    def keep(self, new: list[list[int]]) -> None:
        """These tokens have been read."""
        for attempt, ids in zip(self.attempts, new, strict=True):
            attempt.own.extend(ids)
        self._lengths += torch.tensor([len(ids) for ids in new])

    def put_back(self) -> None:
        """Give every attempt its part of the cache."""
        for row, attempt in enumerate(self.attempts):
            length = len(attempt.own)
            attempt.cache = [(k[row, :, :length].clone(), v[row, :, :length].clone()) for k, v in self._cache]


def _take(waiting: list[_Attempt], ids: list[int]) -> _Attempt:
    """The attempt that this conversation continues: the longest that it begins with, of equal ones the first."""
    found = [one for one in waiting if ids[: one.read] == one.prompt.ids + one.own]
    if not found:
        raise ValueError("a conversation continues none of this update's attempts; begin the update first")
    longest = max(found, key=lambda one: one.read)
    waiting.remove(longest)
    return longest


def _stack(parts: list[torch.Tensor | None], like: torch.Tensor, capacity: int) -> torch.Tensor:
    """Parts of shape (heads, T, D), None for an empty one, as (B, heads, capacity, D)."""
    heads, _, dim = like.shape
    stacked = like.new_zeros(len(parts), heads, capacity, dim)
    for row, part in enumerate(parts):
        if part is not None:
            stacked[row, :, : part.shape[1]] = part
    return stacked


def _plain(name: str) -> str:
    return name.replace(".base_layer.", ".")
