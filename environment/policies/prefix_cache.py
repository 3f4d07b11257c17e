"""The prefix cache holds contexts that were read before, so that only what is new in a prompt is computed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np

from environment.policies.context import Context

_TRUNKS = 32
"""Tool sets that are kept; one of the reference policy takes 3 MB."""


class PrefixCache:
    """Contexts of chats, found by the tokens that a new prompt shares with them; they stand on common trunks."""

    def __init__(self, read: Callable[[Sequence[int]], Context], chats: int) -> None:
        """`read` computes the context of a trunk; the `chats` used last are kept, 2 MB each of the reference policy."""
        self._read, self._room = read, chats
        self._trunks: OrderedDict[tuple[int, ...], Context] = OrderedDict()
        self._chats: list[tuple[np.ndarray, Context]] = []
        """Tokens with their context, the least recently used first."""

    def take(self, prompt: Sequence[int], trunk_length: int) -> tuple[Context, list[int]]:
        """A context of as much of the prompt as is known, to be written on, with the tokens left to read.

        The prompt's first `trunk_length` tokens are those that it has in common with many others. At least one token
        is left to read. A context that the prompt continues as a whole is taken out, of another one the shared part
        is copied.
        """
        trunk = self._trunk(tuple(prompt[:trunk_length]))
        own = np.asarray(prompt[trunk_length:], dtype=np.int64)
        best, shared = None, 0
        for place, (tokens, context) in enumerate(self._chats):
            if context.trunk is trunk and (length := _shared(tokens, own)) > shared:
                best, shared = place, length
        if best is None:
            return Context(trunk), own.tolist()
        tokens, context = self._chats.pop(best)
        if shared == len(tokens):
            return context, own[shared:].tolist()
        self._chats.append((tokens, context))
        return context.first(shared), own[shared:].tolist()

    def keep(self, context: Context) -> None:
        """Remember a context that nobody writes on any more."""
        self._chats.append((np.asarray(context.ids, dtype=np.int64), context))
        del self._chats[: -self._room]

    def _trunk(self, ids: tuple[int, ...]) -> Context | None:
        if not ids:
            return None
        if ids not in self._trunks:
            self._trunks[ids] = self._read(ids)
        self._trunks.move_to_end(ids)
        if len(self._trunks) > _TRUNKS:
            self._trunks.popitem(last=False)
        return self._trunks[ids]


def _shared(known: np.ndarray, prompt: np.ndarray) -> int:
    """How many first tokens are the same; the prompt's last token is never counted."""
    room = min(len(known), len(prompt) - 1)
    differing = np.nonzero(known[:room] != prompt[:room])[0]
    return int(differing[0]) if len(differing) else room
