"""Holm's correction keeps the chance of any false alarm among several tests at the level of one."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values in their order (Holm 1979): the k-th smallest of m, times m - k + 1; never falling, at most 1.

    (0.01, 0.04, 0.03) becomes (0.03, 0.06, 0.06).
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted
