"""Meaning is compared by the angle between the vectors of two prompts: a request told in other words is near.

Prompts alone are compared: they say what is to be done, while two worlds of one trade are near in meaning anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts -> vectors of length 1, one a row."""
_DIGITS = 4
"""Of a cosine; beyond them processors differ."""


class Near(NamedTuple):
    """The text of an index that is nearest in meaning."""

    number: int
    cosine: float


class MeaningIndex:
    """The vectors of a benchmark's prompts."""

    def __init__(self, prompts: Sequence[str], embed: Embed) -> None:
        self._embed = embed
        self._numbers = [number for number, prompt in enumerate(prompts) if prompt.strip()]
        self._vectors = embed([prompts[number] for number in self._numbers]) if self._numbers else None
        self._asked: dict[str, Near | None] = {}

    def nearest(self, prompt: str) -> Near | None:
        """The prompt that is nearest, the first of several; None when either side has no text."""
        if prompt not in self._asked:
            self._asked[prompt] = self._found(prompt)
        return self._asked[prompt]

    def _found(self, prompt: str) -> Near | None:
        if self._vectors is None or not prompt.strip():
            return None
        cosines = np.round(self._vectors @ self._embed([prompt])[0], _DIGITS)
        place = int(cosines.argmax())
        return Near(self._numbers[place], round(float(cosines[place]), _DIGITS))
