"""A context is a run of tokens that a model has read, with their keys and values in every layer."""

from __future__ import annotations

import torch

_SPARE = 64
"""Tokens for which room is made beyond what is needed now."""


class Context:
    """Tokens after those of a trunk; many contexts may stand on one trunk, whose tokens are read and kept once."""

    def __init__(self, trunk: Context | None = None) -> None:
        """`trunk` is None where the context begins with its own first token."""
        self.trunk = trunk
        self.ids: list[int] = []
        """Its own tokens, without the trunk's."""
        self._layers: list[torch.Tensor] = []
        """Of each layer, keys and values: (2, heads, room, head size)."""

    @property
    def start(self) -> int:
        """Position of its first own token."""
        return len(self.trunk.ids) if self.trunk else 0

    def layer(self, number: int) -> torch.Tensor:
        """Keys and values of its own tokens in one layer, (2, heads, T, head size)."""
        return self._layers[number][:, :, : len(self.ids)]

    def write(self, number: int, new: torch.Tensor) -> torch.Tensor:
        """Note keys and values of tokens that are being read in one layer, (2, heads, S, head size).

        Returns them with those before, (2, heads, T + S, head size). The tokens count as read when they are in `ids`.
        """
        old, size = len(self.ids), len(self.ids) + new.shape[2]
        if number == len(self._layers):
            self._layers.append(new.new_empty(*new.shape[:2], size + _SPARE, new.shape[3]))
        if size > self._layers[number].shape[2]:
            self._layers[number] = _copied(self._layers[number], old, size + _SPARE)
        room = self._layers[number]
        room[:, :, old:size] = new
        return room[:, :, :size]

    def first(self, count: int) -> Context:
        """A copy of its first `count` own tokens, to be continued otherwise."""
        copy = Context(self.trunk)
        copy.ids = self.ids[:count]
        copy._layers = [_copied(layer, count, count + _SPARE) for layer in self._layers]
        return copy


def _copied(layer: torch.Tensor, count: int, room: int) -> torch.Tensor:
    copy = layer.new_empty(*layer.shape[:2], room, layer.shape[3])
    copy[:, :, :count] = layer[:, :, :count]
    return copy
