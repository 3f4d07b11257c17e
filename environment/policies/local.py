"""The local policy is a causal language model in this process, batched over the episodes that wait for it."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from environment.apps import APPS
from environment.attempt import PolicyFingerprint
from environment.episode import SYSTEM_PROMPT
from environment.policies.decoder import Decoder, Response
from environment.policies.hermes import UnreadableCall, parse_message
from environment.policies.policy import Completion
from environment.policies.prefix_cache import PrefixCache
from environment.record import canonical_json, content_hash
from environment.tools import toolset_hash

_THOUGHTLESS = "<think>\n\n</think>\n\n"
"""How a model with thinking switched off begins its answer."""
_MIN_TRUNK = 64
"""A shorter beginning that chats have in common is not worth treating apart."""


@dataclass(eq=False, slots=True)
class _Asked:
    """A chat that waits for its answer."""

    prompt: list[int]
    trunk_length: int
    seed: int
    answer: asyncio.Future[Completion]
    response: Response | None = None
    seconds: float = 0.0


class LocalPolicy:
    """A model folder, with or without a LoRA adapter, sampled at one temperature.

    A response depends on the chat and the seed, not on what else is asked at the time or was before (up to rounding).
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

        `batch` responses are written at once. Raises ValueError when `model` or `adapter` is no folder with weights.
        """
        if not (model / "config.json").is_file():
            raise ValueError(f"there is no model in {str(model)!r}; give a folder with config.json and weights")
        if adapter is not None and not (adapter / "adapter_config.json").is_file():
            raise ValueError(f"there is no adapter in {str(adapter)!r}; give a folder with adapter_config.json")
        self._tokenizer = AutoTokenizer.from_pretrained(model)
        loaded = _load(model, adapter)
        self._ends = _end_tokens(loaded, self._tokenizer)
        self._max_tokens, self._max_context, self._batch = max_tokens, max_context, batch
        self._decoder = Decoder(loaded, temperature)
        self._prefixes = PrefixCache(self._decoder.read, batch)
        self._trunk_lengths: dict[str, int] = {}
        self._waiting: deque[_Asked] = deque()
        self._writing: list[_Asked] = []
        self._worker: asyncio.Task[None] | None = None
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
        prompt = self.prompt_ids(messages, tools)
        if len(prompt) >= self._max_context:
            return Completion({"role": "assistant", "content": ""}, "context", len(prompt), 0, 0.0)
        loop = asyncio.get_running_loop()
        asked = _Asked(prompt, self._trunk_length(messages, tools), seed, loop.create_future())
        self._waiting.append(asked)
        if self._worker is None or self._worker.done():
            self._worker = loop.create_task(self._work())
        return await asked.answer

    async def _work(self) -> None:
        """Write until nobody waits; a failure reaches everybody who does."""
        try:
            while self._waiting or self._writing:
                self._step()
                await asyncio.sleep(0)  # the answered go on, and may ask again before the next step
        except Exception as error:
            for asked in (*self._writing, *self._waiting):
                if not asked.answer.done():
                    asked.answer.set_exception(error)
            self._writing.clear()
            self._waiting.clear()

    def _step(self) -> None:
        """One more token for every chat that is being answered; others are let in where there is room."""
        started = time.perf_counter()
        self._writing = [asked for asked in self._writing if not asked.answer.done()]  # done here means cancelled
        while self._waiting and len(self._writing) < self._batch:
            asked = self._waiting.popleft()
            if not asked.answer.done():
                self._writing.append(asked)
                asked.response = self._begin(asked)
        responses = [asked.response for asked in self._writing if asked.response]
        if not responses:
            return
        self._decoder.step(responses)
        seconds = (time.perf_counter() - started) / len(responses)
        for asked, response in zip(self._writing, responses, strict=True):
            asked.seconds += seconds
            if response.written[-1] in self._ends or len(response.written) == response.room:
                self._prefixes.keep(response.context)
                asked.answer.set_result(self._completion(asked, response.written))
        self._writing = [asked for asked in self._writing if not asked.answer.done()]

    def _begin(self, asked: _Asked) -> Response:
        context, unread = self._prefixes.take(asked.prompt, asked.trunk_length)
        room = min(self._max_tokens, self._max_context - len(asked.prompt))
        return Response(context, unread, room, np.random.Generator(np.random.Philox(asked.seed)))

    def _completion(self, asked: _Asked, written: list[int]) -> Completion:
        ended = written[-1] in self._ends
        text = str(self._tokenizer.decode(written[:-1] if ended else written, skip_special_tokens=False))
        text = text.removeprefix(_THOUGHTLESS)
        cost = (len(asked.prompt), len(written), asked.seconds)
        if not ended:
            return Completion({"role": "assistant", "content": text}, "length", *cost)
        try:
            message = parse_message(text)
        except UnreadableCall:
            return Completion({"role": "assistant", "content": text}, "malformed", *cost)
        return Completion(message, "tool_calls" if "tool_calls" in message else "stop", *cost)

    def _trunk_length(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> int:
        """How many first tokens every chat with this system prompt and these tools has in common."""
        system = [message for message in messages[:1] if message["role"] == "system"]
        key = canonical_json([system, list(tools)])
        if key not in self._trunk_lengths:
            one, other = (self.prompt_ids([*system, {"role": "user", "content": word}], tools) for word in ("a", "7"))
            length = next(place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
            self._trunk_lengths[key] = length if length >= _MIN_TRUNK else 0
        return self._trunk_lengths[key]


def _load(model: Path, adapter: Path | None) -> PreTrainedModel:
    loaded = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    if adapter is not None:
        from peft import PeftModel  # costs seconds to import and is needed for adapters only

        loaded = PeftModel.from_pretrained(loaded, adapter).merge_and_unload()
    return loaded.eval()


def _end_tokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """Tokens that end a response: the tokenizer's, and those that the model was published with."""
    published = model.generation_config.eos_token_id if model.generation_config else None
    ends = published if isinstance(published, list) else [published]
    return frozenset(token for token in (*ends, tokenizer.eos_token_id) if token is not None)


def _weights_hash(folder: Path) -> str:
    """Sixteen hexadecimal digits over every weights file of a model or adapter folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.safetensors")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
