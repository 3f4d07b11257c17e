"""Causal attention for training on one core: plain bfloat16 products over blocks of queries.

On CPUs, PyTorch's fused kernel spends 2.5 times as long at heads of 32: its inner products are too
small for the bfloat16 matrix kernels. Weights trained with it run under any implementation.
"""

import torch
import torch.nn.functional as F
from torch import nn
from transformers import AttentionInterface

BLOCKED = "blocked_causal"
_BLOCK = 128

NO_MASK = {"full_attention": None}
"""Pass as `attention_mask`: causality comes from positions, and rows are padded at the right only."""


def blocked_causal_attention(
    module: nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: None,
    scaling: float,
    **_: object,
) -> tuple[torch.Tensor, None]:
    """Attention output of shape (B, S, heads, D); query (B, heads, S, D), key and value (B, heads, P + S, D).

    The first P keys come from a cached prefix that every query sees.
    """
    dtype = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else query.dtype
    # Autocast would run the softmax in float32, which costs more than the rest.
    with torch.autocast("cpu", enabled=False):
        query, key, value = (t.to(dtype) for t in (query * scaling, key, value))
        length = query.shape[2]
        prefix = key.shape[2] - length
        future = torch.full((_BLOCK, _BLOCK), float("-inf"), dtype=dtype).triu(1)
        blocks = []
        for start in range(0, length, _BLOCK):
            end = min(length, start + _BLOCK)
            scores = query[:, :, start:end] @ key[:, :, : prefix + end].transpose(-1, -2)  # (B, heads, block, P + end)
            scores = scores + F.pad(future[: end - start, : end - start], (prefix + start, 0))
            blocks.append(scores.softmax(-1) @ value[:, :, : prefix + end])
        return torch.cat(blocks, dim=2).transpose(1, 2), None


AttentionInterface.register(BLOCKED, blocked_causal_attention)
