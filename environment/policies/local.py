"""The local policy is a causal language model in this process, batched over the episodes that wait for it."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from environment.apps import APPS
from environment.attempt import PolicyFingerprint
from environment.episode import SYSTEM_PROMPT
from environment.policies.hermes import UnreadableCall, parse_message
from environment.policies.policy import Completion
from environment.policies.prefix_cache import PrefixCache
from environment.record import content_hash
from environment.tools import toolset_hash

_GATHER_S = 0.002
"""How long the first waiting episode waits for others to share its batch."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    ids: list[int]
    seed: int
    answer: asyncio.Future[Completion]


class LocalPolicy:
    """A model folder, with or without a LoRA adapter, sampled at one temperature.

    A response depends on the chat and the seed, not on which other episodes shared its batch (up to rounding).
    """

    def __init__(
        self,
        model: Path,
        *,
        adapter: Path | None = None,
        temperature: float,
        max_tokens: int,
        max_context: int,
        batch: int = 64,
    ) -> None:
        """`temperature` 0 is greedy; `max_tokens` bounds a response, `max_context` prompt and response together.

        Raises ValueError when `model` is no folder with a model.
        """
        if not (model / "config.json").is_file():
            raise ValueError(f"there is no model in {str(model)!r}; give a folder with config.json and weights")
        self._tokenizer = AutoTokenizer.from_pretrained(model)
        self._model = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
        if adapter is not None:
            from peft import PeftModel  # costs seconds to import and is needed for adapters only

            self._model = PeftModel.from_pretrained(self._model, adapter).merge_and_unload()
        self._model.eval()
        self._temperature, self._max_tokens, self._max_context = temperature, max_tokens, max_context
        self._batch = batch
        self._waiting: list[_Waiting] = []
        self._prefixes = PrefixCache(self._model.config)
        self._fingerprint = PolicyFingerprint(
            model=model.name,
            revision=_weights_hash(model),
            adapter=_weights_hash(adapter) if adapter else None,
            sampling={"temperature": temperature, "max_tokens": max_tokens, "max_context": max_context},
            prompt_hash=content_hash([SYSTEM_PROMPT, self._tokenizer.chat_template])[:16],
            toolset_hash=toolset_hash(APPS)[:16],
        )

    @property
    def fingerprint(self) -> PolicyFingerprint:
        return self._fingerprint

    def prompt_ids(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> list[int]:
        """Token ids of the chat as the model is asked to go on with it."""
        chat: Any = list(messages)
        specs: Any = list(tools)
        ids: Any = self._tokenizer.apply_chat_template(chat, tools=specs, add_generation_prompt=True, return_dict=False)
        return ids

    async def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], seed: int
    ) -> Completion:
        ids = self.prompt_ids(messages, tools)
        if len(ids) >= self._max_context:
            return Completion({"role": "assistant", "content": ""}, "context", len(ids), 0, 0.0)
        loop = asyncio.get_running_loop()
        waiting = _Waiting(ids, seed, loop.create_future())
        self._waiting.append(waiting)
        if len(self._waiting) == 1:
            loop.call_later(_GATHER_S, self._answer_all)
        return await waiting.answer

    def _answer_all(self) -> None:
        waiting = sorted(self._waiting, key=lambda one: len(one.ids))
        self._waiting = []
        for start in range(0, len(waiting), self._batch):
            group = [one for one in waiting[start : start + self._batch] if not one.answer.done()]
            if not group:
                continue
            started = time.perf_counter()
            responses = self._sample([one.ids for one in group], [one.seed for one in group])
            seconds = (time.perf_counter() - started) / len(group)
            for one, response in zip(group, responses, strict=True):
                one.answer.set_result(self._completion(one.ids, response, seconds))

    def _completion(self, prompt: list[int], response: list[int], seconds: float) -> Completion:
        ended = bool(response) and response[-1] == self._tokenizer.eos_token_id
        text = str(self._tokenizer.decode(response[:-1] if ended else response, skip_special_tokens=False))
        text = text.removeprefix("<think>\n\n</think>\n\n")
        cost = (len(prompt), len(response), seconds)
        if not ended:
            return Completion({"role": "assistant", "content": text}, "length", *cost)
        try:
            message = parse_message(text)
        except UnreadableCall:
            return Completion({"role": "assistant", "content": text}, "malformed", *cost)
        return Completion(message, "tool_calls" if "tool_calls" in message else "stop", *cost)

    @torch.inference_mode()
    def _sample(self, prompts: list[list[int]], seeds: list[int]) -> list[list[int]]:
        """One response a prompt, each ending with the end token unless it met a limit."""
        cache, old_mask, lengths = self._prefixes.join(prompts)  # mask (B, P)
        fresh = [prompt[length:] for prompt, length in zip(prompts, lengths, strict=True)]
        width = max(map(len, fresh))
        pad = self._tokenizer.pad_token_id
        ids = torch.tensor([[pad] * (width - len(part)) + part for part in fresh])  # (B, T)
        new_mask = torch.tensor([[0] * (width - len(part)) + [1] * len(part) for part in fresh])  # (B, T)
        mask = torch.cat([old_mask, new_mask], 1)  # (B, P + T)
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -width:]
        rooms = [min(self._max_tokens, self._max_context - len(prompt)) for prompt in prompts]
        draws = [np.random.Generator(np.random.Philox(seed)) for seed in seeds]
        responses: list[list[int]] = [[] for _ in prompts]
        live = list(range(len(prompts)))
        while live:
            output = self._model(
                input_ids=ids,
                attention_mask=mask,
                position_ids=positions,
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            chosen = self._choose(output.logits[:, -1], [draws[i] for i in live])
            keep = []
            for place, (index, token) in enumerate(zip(live, chosen, strict=True)):
                responses[index].append(token)
                if token != self._tokenizer.eos_token_id and len(responses[index]) < rooms[index]:
                    keep.append(place)
                else:
                    self._prefixes.keep(prompts[index] + responses[index][:-1], cache, mask[place], place)
            if len(keep) < len(live):
                cache.batch_select_indices(torch.tensor(keep, dtype=torch.long))
                mask, positions = mask[keep], positions[keep]
                chosen = [chosen[place] for place in keep]
                live = [live[place] for place in keep]
            ids = torch.tensor(chosen)[:, None]  # (B, 1)
            mask = torch.cat([mask, torch.ones(len(live), 1, dtype=mask.dtype)], 1)
            positions = positions[:, -1:] + 1
        return responses

    def _choose(self, logits: torch.Tensor, draws: list[np.random.Generator]) -> list[int]:
        """A token a row by inverting its cumulative distribution at that row's own uniform draw."""
        if self._temperature == 0:
            return logits.argmax(-1).tolist()
        cumulative = (logits.double() / self._temperature).softmax(-1).cumsum(-1)  # (B, V)
        uniform = torch.tensor([[draw.random()] for draw in draws], dtype=torch.float64)
        return torch.searchsorted(cumulative, uniform * cumulative[:, -1:]).squeeze(1).tolist()


def _weights_hash(folder: Path) -> str:
    """Sixteen hexadecimal digits over every weights file of a model or adapter folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.safetensors")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
