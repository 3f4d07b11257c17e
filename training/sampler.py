"""A sampler writes the responses of a batch of attempts in this process, a turn of all of them at a time.

It keeps what it has read: a group's prompt once, and of each attempt what follows the prompt. So a later turn reads
only the new tool results, where `generate` would read every conversation again from its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from peft import PeftModel
from peft.tuners.lora import Linear
from transformers import AutoModelForCausalLM

from environment.policies.context import Context
from environment.policies.decoder import Decoder, Response
from environment.rng import derive_seed


class Sampler:
    """Samples from a base with its LoRA adapter merged into a copy of the weights.

    A response depends on the conversation, the seed, the batch's purpose and the attempt's place, not on the others in
    the batch (up to rounding), so an update that is made again after an interruption is the same.
    """

    def __init__(
        self,
        model: PeftModel,
        ends: frozenset[int],
        *,
        temperature: float,
        max_response_tokens: int,
        max_context: int,
        seed: str,
    ) -> None:
        """`ends` are the tokens that end a response."""
        self._adapted = model
        base = model.get_base_model()
        # A copy, because the decoder sets its own attention in it.
        self._merged = AutoModelForCausalLM.from_config(deepcopy(base.config), dtype=torch.float32).eval()
        weights = base.state_dict()
        self._merged.load_state_dict({_plain(name): weights[name] for name in weights if ".lora_" not in name})
        self._decoder = Decoder(self._merged, temperature)
        self._ends, self._seed = ends, seed
        self._max_response_tokens, self._max_context = max_response_tokens, max_context
        self._attempts: list[_Attempt] = []

    def begin(self, prompts: Sequence[list[int]], purpose: str) -> list[list[int]]:
        """The first response of every attempt of a batch, by the adapter as it is now; `purpose` seeds the draws."""
        self._merge()
        trunks: dict[tuple[int, ...], Context] = {}
        self._attempts = []
        for place, ids in enumerate(prompts):
            key = tuple(ids[:-1])
            if key not in trunks:
                trunks[key] = self._decoder.read(key)
            draw = np.random.Generator(np.random.Philox(derive_seed("responses", self._seed, purpose, place)))
            self._attempts.append(_Attempt(Context(trunks[key]), draw))
        return self._write(self._attempts, prompts)

    def resume(self, conversations: Sequence[list[int]]) -> list[list[int]]:
        """The next response of those attempts that go on, given their whole conversations."""
        waiting = list(self._attempts)
        return self._write([_take(waiting, ids) for ids in conversations], conversations)

    @torch.no_grad()
    def _merge(self) -> None:
        for name, layer in self._adapted.get_base_model().named_modules():
            if isinstance(layer, Linear):
                base: Any = layer.get_base_layer()
                self._merged.get_parameter(f"{name}.weight").copy_(base.weight + layer.get_delta_weight("default"))

    def _write(self, attempts: Sequence[_Attempt], conversations: Sequence[list[int]]) -> list[list[int]]:
        """One response an attempt, each ending with an end token unless it met a limit."""
        responses = [
            Response(one.context, ids[one.length :], self._room(ids), one.draw)
            for one, ids in zip(attempts, conversations, strict=True)
        ]
        going = responses
        while going:
            self._decoder.step(going)
            going = [one for one in going if one.written[-1] not in self._ends and len(one.written) < one.room]
        return [one.written for one in responses]

    def _room(self, conversation: list[int]) -> int:
        return min(self._max_response_tokens, self._max_context - len(conversation))


@dataclass(frozen=True, slots=True, eq=False)
class _Attempt:
    """One conversation as far as it has been read, which is all but its last token."""

    context: Context
    draw: np.random.Generator

    @property
    def ids(self) -> list[int]:
        return [*(self.context.trunk.ids if self.context.trunk else ()), *self.context.ids]

    @property
    def length(self) -> int:
        return self.context.start + len(self.context.ids)


def _take(waiting: list[_Attempt], conversation: list[int]) -> _Attempt:
    """The attempt that this conversation continues: the longest that it begins with, of equal ones the first."""
    found = [one for one in waiting if conversation[: one.length] == one.ids]
    if not found:
        raise ValueError("a conversation continues none of this batch's attempts; begin the batch first")
    longest = max(found, key=lambda one: one.length)
    waiting.remove(longest)
    return longest


def _plain(name: str) -> str:
    return name.replace(".base_layer.", ".")
