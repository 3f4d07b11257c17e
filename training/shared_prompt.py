"""Attention in which the attempts of a group share one copy of their prompt's keys and values.

The eight attempts on a task begin with the same few hundred tokens. Computing them once, forward and backward, is what
makes training on one core bearable; the numbers are those of ordinary causal attention.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from transformers import AttentionInterface

SHARED_PROMPT = "shared_prompt"
NO_MASK = {"full_attention": None}
"""Pass as `attention_mask`: what may be seen follows from the layout."""


class Packed:
    """One sequence: a prompt, then the continuations of its group, each padded at its end to the same length."""

    def __init__(self, prompt: int, rows: int) -> None:
        """`prompt` is the number of its tokens, `rows` that of continuations."""
        self._prompt, self._rows = prompt, rows

    def attend(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float) -> torch.Tensor:
        """Attention output; all of shape (1, heads, P + rows * S, D)."""
        p = self._prompt
        prompt = F.scaled_dot_product_attention(
            query[:, :, :p], key[:, :, :p], value[:, :, :p], is_causal=True, scale=scaling
        )
        q, k, v = map(self._unpack, (query, key, value))  # (rows, heads, S, D)
        k = torch.cat([key[:, :, :p].expand(self._rows, -1, -1, -1), k], 2)  # (rows, heads, P + S, D)
        v = torch.cat([value[:, :, :p].expand(self._rows, -1, -1, -1), v], 2)
        seen = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(p)
        rest = F.scaled_dot_product_attention(q, k, v, attn_mask=seen, scale=scaling)
        return torch.cat([prompt, rest.transpose(0, 1).flatten(1, 2)[None]], 2)

    def _unpack(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor[0, :, self._prompt :].unflatten(1, (self._rows, -1)).transpose(0, 1)


def _shared_prompt_attention(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: None,
    scaling: float,
    layout: Packed,
    **_: object,
) -> tuple[torch.Tensor, None]:
    groups = module.num_key_value_groups
    if groups > 1:
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    return layout.attend(query, key, value, scaling).transpose(1, 2), None


AttentionInterface.register(SHARED_PROMPT, _shared_prompt_attention)
