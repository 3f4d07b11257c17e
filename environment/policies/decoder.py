"""A decoder lets a causal language model read and write many contexts in one forward pass.

The pass has no padding and no masks: the new tokens of all contexts lie in one row, and attention alone takes them
apart. What the contexts of one trunk see of it is computed together, what each sees of its own tokens by itself, and
the two parts are joined by their log-sum-exp (as in FlashAttention, arXiv:2205.14135, section 3.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import torch
from transformers import AttentionInterface, PreTrainedModel

from environment.policies.context import Context

_ATTENTION = "contexts"


@dataclass(eq=False, slots=True)
class Response:
    """What is being written after a context."""

    context: Context
    unread: list[int]
    """Tokens that the model must read before it can write the next one; at least one."""
    room: int
    """Tokens that the response may have."""
    draw: np.random.Generator
    """Where its choices come from: one number in [0, 1) a token."""
    written: list[int] = field(default_factory=list)


class Decoder:
    """One model, sampled at one temperature (0 is greedy)."""

    def __init__(self, model: PreTrainedModel, temperature: float) -> None:
        """Raises ValueError for a model whose attention is not causal over everything before."""
        if set(getattr(model.config, "layer_types", None) or ()) - {"full_attention"}:
            raise ValueError(
                f"{model.config.model_type} has layers without full attention; serve it and use a chat policy"
            )
        self._model, self._temperature = model, temperature
        model.set_attn_implementation(_ATTENTION)

    @torch.inference_mode()
    def read(self, ids: Sequence[int]) -> Context:
        """A context of these tokens that others may stand on."""
        context = Context()
        self._forward(_Pass([(context, ids)]))
        return context

    @torch.inference_mode()
    def step(self, responses: Sequence[Response]) -> None:
        """Every response reads what is unread and writes one token, which is unread then."""
        ordered = [one for members in _by_trunk(responses) for one in members]
        logits = self._forward(_Pass([(one.context, one.unread) for one in ordered]))
        for one, token in zip(ordered, self._choose(logits, [one.draw for one in ordered]), strict=True):
            one.unread = [token]
            one.written.append(token)

    def _forward(self, reading: _Pass) -> torch.Tensor:
        """Logits after the last new token of every context, (B, V)."""
        output = self._model(
            input_ids=torch.tensor([reading.ids]),  # (1, N)
            position_ids=torch.tensor([reading.positions]),
            use_cache=False,
            logits_to_keep=torch.tensor(reading.ends),
            reading=reading,
        )
        reading.finish()
        logits: torch.Tensor = output.logits[0]
        return logits

    def _choose(self, logits: torch.Tensor, draws: list[np.random.Generator]) -> list[int]:
        """A token a row by inverting its cumulative distribution at that row's own number."""
        if self._temperature == 0:
            return logits.argmax(-1).tolist()
        cumulative = (logits / self._temperature).softmax(-1).cumsum(-1)  # (B, V)
        # In (0, 1], so that a token without any probability is never met.
        numbers = torch.tensor([[1 - draw.random(dtype=np.float32)] for draw in draws])
        return torch.searchsorted(cumulative, numbers * cumulative[:, -1:]).squeeze(1).tolist()


class _Pass:
    """One forward pass: which tokens it reads and what each may see."""

    def __init__(self, parts: list[tuple[Context, Sequence[int]]]) -> None:
        """Contexts of one trunk stand side by side."""
        self._parts = parts
        self.ids = [token for _, new in parts for token in new]
        self.positions: list[int] = []
        self.ends: list[int] = []
        self._own: list[tuple[Context, int, int, torch.Tensor | None]] = []
        for context, new in parts:
            begin, seen = len(self.positions), len(context.ids)
            self.positions += range(context.start + seen, context.start + seen + len(new))
            end = len(self.positions)
            self.ends.append(end - 1)
            future = None
            if len(new) > 1:
                future = torch.full((len(new), seen + len(new)), float("-inf")).triu(seen + 1)
            self._own.append((context, begin, end, future))
        self._trunks: list[tuple[Context, int, int]] = []
        for _, members in groupby(self._own, key=lambda part: id(part[0].trunk)):
            side_by_side = list(members)
            trunk = side_by_side[0][0].trunk
            if trunk is not None:
                self._trunks.append((trunk, side_by_side[0][1], side_by_side[-1][2]))

    def attend(
        self, number: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float
    ) -> torch.Tensor:
        """Attention output of one layer; all of shape (1, heads, N, head size)."""
        new = torch.cat([key, value])  # (2, heads, N, head size)
        own = []
        for context, begin, end, future in self._own:
            seen = context.write(number, new[:, :, begin:end])
            own.append(_attention(query[:, :, begin:end], seen, future, scaling))
        out = torch.cat([part for part, _ in own], 2)
        mass = torch.cat([part for _, part in own], 2)  # (1, heads, N)
        for trunk, begin, end in self._trunks:
            of_trunk, its_mass = _attention(query[:, :, begin:end], trunk.layer(number), None, scaling)
            share = torch.sigmoid(its_mass - mass[:, :, begin:end])[..., None]
            out[:, :, begin:end].lerp_(of_trunk, share)
        return out

    def finish(self) -> None:
        """The new tokens have been read."""
        for context, new in self._parts:
            context.ids.extend(new)


def _by_trunk(responses: Sequence[Response]) -> Iterator[list[Response]]:
    """Responses on one trunk together, in order of their first."""
    groups: dict[int, list[Response]] = {}
    for one in responses:
        groups.setdefault(id(one.context.trunk), []).append(one)
    yield from groups.values()


def _attention(
    query: torch.Tensor, seen: torch.Tensor, future: torch.Tensor | None, scaling: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention output (1, heads, S, head size) with the log-sum-exp of its scores (1, heads, S)."""
    # What F.scaled_dot_product_attention runs on a CPU; it keeps the log-sum-exp to itself.
    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        query, seen[:1], seen[1:], attn_mask=future, scale=scaling
    )


def _attend(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: None,
    scaling: float,
    reading: _Pass,
    **_: object,
) -> tuple[torch.Tensor, None]:
    groups = getattr(module, "num_key_value_groups", 1)
    if groups > 1:
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    return reading.attend(module.layer_idx, query, key, value, scaling).transpose(1, 2), None


AttentionInterface.register(_ATTENTION, _attend)
