"""The prefix cache holds keys and values of chats that were sampled before, so that only what is new is computed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import torch
from transformers import DynamicCache, PreTrainedConfig

_ENTRIES = 160
"""Chats kept, the least recently used going first; one of 700 tokens of the reference policy takes 4 MB."""
_STRIDE = 32
"""Prefixes are found by their first multiples of this many tokens."""


@dataclass(frozen=True, slots=True)
class _Entry:
    ids: np.ndarray
    """(P,) token ids."""
    layers: tuple[tuple[torch.Tensor, torch.Tensor], ...]
    """Keys and values of every layer, (heads, P, head size)."""


class PrefixCache:
    """Keys and values of sampled chats, found by the tokens that a new prompt shares with them."""

    def __init__(self, config: PreTrainedConfig) -> None:
        self._config = config
        self._entries: OrderedDict[bytes, _Entry] = OrderedDict()
        self._starts: dict[bytes, bytes] = {}
        """Tokens of a prefix, cut to a multiple of the stride -> key of an entry that begins with them."""

    def join(self, prompts: list[list[int]]) -> tuple[DynamicCache, torch.Tensor, list[int]]:
        """A batch cache of the longest known prefix of every prompt, padded on the left.

        Returns it with its mask (B, P) and the prefixes' lengths; at least one token of each prompt is left over.
        """
        found = [self._longest(np.asarray(prompt, dtype=np.int32)) for prompt in prompts]
        lengths = [length for _, length in found]
        widest = max(lengths)
        cache = DynamicCache(config=self._config)
        mask = torch.zeros(len(prompts), widest, dtype=torch.long)
        for row, length in enumerate(lengths):
            mask[row, widest - length :] = 1
        if widest:
            some = next(entry for entry, _ in found if entry is not None)
            for layer, (like, _) in enumerate(some.layers):
                batch = [like.new_zeros(len(prompts), like.shape[0], widest, like.shape[2]) for _ in range(2)]
                for row, (entry, length) in enumerate(found):
                    if entry is not None and length:
                        for side in range(2):
                            batch[side][row, :, widest - length :] = entry.layers[layer][side][:, :length]
                cache.update(batch[0], batch[1], layer)
        return cache, mask, lengths

    def keep(self, ids: list[int], cache: DynamicCache, mask: torch.Tensor, row: int) -> None:
        """Remember one row of a batch cache, whose columns with `mask` 1 hold the keys and values of `ids`."""
        tokens = np.asarray(ids, dtype=np.int32)
        columns = mask.nonzero().squeeze(1)  # (P,)
        layers = tuple(
            (layer.keys[row].index_select(1, columns), layer.values[row].index_select(1, columns))
            for layer in cache.layers
        )
        key = tokens.tobytes()
        self._entries[key] = _Entry(tokens, layers)
        self._entries.move_to_end(key)
        for length in range(_STRIDE, len(tokens) + 1, _STRIDE):
            self._starts[tokens[:length].tobytes()] = key
        while len(self._entries) > _ENTRIES:
            gone, entry = self._entries.popitem(last=False)
            for length in range(_STRIDE, len(entry.ids) + 1, _STRIDE):
                start = entry.ids[:length].tobytes()
                if self._starts.get(start) == gone:
                    del self._starts[start]

    def _longest(self, prompt: np.ndarray) -> tuple[_Entry | None, int]:
        for length in range(len(prompt) // _STRIDE * _STRIDE, 0, -_STRIDE):
            key = self._starts.get(prompt[:length].tobytes())
            if key is not None:
                entry = self._entries[key]
                self._entries.move_to_end(key)
                return entry, _shared(entry.ids, prompt)
        return None, 0


def _shared(known: np.ndarray, prompt: np.ndarray) -> int:
    """How many first tokens are the same; the prompt's last token is never counted."""
    room = min(len(known), len(prompt) - 1)
    differing = np.nonzero(known[:room] != prompt[:room])[0]
    return int(differing[0]) if len(differing) else room
