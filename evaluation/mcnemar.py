"""McNemar's test asks whether the tasks that only one side solves are split evenly; it wants one attempt a task."""

from __future__ import annotations

from collections.abc import Sequence

from scipy.stats import binomtest

from environment.record import Record


class McNemar(Record):
    """The tasks on which two sides differ, one attempt each."""

    only_base: int
    """Tasks that only the base solves."""
    only_adapter: int
    p_value: float
    """Exact (binomial), two-sided; 1 when no task differs."""


def mcnemar(base: Sequence[bool], adapter: Sequence[bool]) -> McNemar:
    """The exact test of McNemar 1947 on strict passes, one a task, both sides in the same order."""
    only_base = sum(one and not other for one, other in zip(base, adapter, strict=True))
    only_adapter = sum(other and not one for one, other in zip(base, adapter, strict=True))
    moved = only_base + only_adapter
    p_value = float(binomtest(only_base, moved).pvalue) if moved else 1.0
    return McNemar(only_base=only_base, only_adapter=only_adapter, p_value=p_value)
