"""Attention in which the attempts of a group share one copy of their prompt's keys and values.

The eight attempts on a task begin with the same few hundred tokens. Computing and reading them once is what makes
training on one core bearable; the numbers are those of ordinary causal attention.
"""

from __future__ import annotations

from typing import Any, Protocol

import torch
import torch.nn.functional as F
from transformers import AttentionInterface

SHARED_PROMPT = "shared_prompt"
NO_MASK = {"full_attention": None}
"""Pass as `attention_mask`: what may be seen follows from the layout."""


class Layout(Protocol):
    """How the tokens of one forward pass lie, passed to the model as `layout`."""

    def attend(
        self, layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float
    ) -> torch.Tensor:
        """Attention output; all of shape (B, heads, S, D)."""
        ...


class Packed:
    """One sequence: a prompt, then the continuations of its group, each padded at its end to the same length."""

    def __init__(self, prompt: int, rows: int) -> None:
        """`prompt` is the number of its tokens, `rows` that of continuations."""
        self._prompt, self._rows = prompt, rows

    def attend(
        self, layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float
    ) -> torch.Tensor:
        p = self._prompt
        prompt = causal_attention(query[:, :, :p], key[:, :, :p], value[:, :, :p], scaling)
        q, k, v = map(self._unpack, (query, key, value))  # (rows, heads, S, D)
        k = torch.cat([key[:, :, :p].expand(self._rows, -1, -1, -1), k], 2)  # (rows, heads, P + S, D)
        v = torch.cat([value[:, :, :p].expand(self._rows, -1, -1, -1), v], 2)
        seen = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(p)
        rest = F.scaled_dot_product_attention(q, k, v, attn_mask=seen, scale=scaling)
        return torch.cat([prompt, rest.transpose(0, 1).flatten(1, 2)[None]], 2)

    def _unpack(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor[0, :, self._prompt :].unflatten(1, (self._rows, -1)).transpose(0, 1)


def causal_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float) -> torch.Tensor:
    """Each position sees itself and what stands before it."""
    return F.scaled_dot_product_attention(query, key, value, is_causal=True, scale=scaling)


def _shared_prompt_attention(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: None,
    scaling: float,
    layout: Layout,
    **_: object,
) -> tuple[torch.Tensor, None]:
    groups = module.num_key_value_groups
    if groups > 1:
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    return layout.attend(module.layer_idx, query, key, value, scaling).transpose(1, 2), None


AttentionInterface.register(SHARED_PROMPT, _shared_prompt_attention)
