"""An unpaired test compares two rates without knowing which questions each side got right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Difference of two rates: its interval, and the two-sided p-value of a z-test."""

    low: float
    high: float
    p_value: float
    sd: float
    """Standard deviation of the difference."""


def two_proportions(base: float, adapter: float, count: int, confidence: float = 0.95) -> Unpaired:
    """Two shares of `count` questions each.

    z with the pooled share for the p-value; the interval is that of Agresti and Caffo 2000 (one right and one wrong
    answer added to each side), which stays right near 0 and 1.
    """
    pooled = (base + adapter) / 2
    z = _z(adapter - base, math.sqrt(2 * pooled * (1 - pooled) / count))
    shares = [(rate * count + 1) / (count + 2) for rate in (base, adapter)]
    sd = math.sqrt(sum(share * (1 - share) for share in shares) / (count + 2))
    half = _NORMAL.inv_cdf((1 + confidence) / 2) * sd
    middle = shares[1] - shares[0]
    return Unpaired(max(-1.0, middle - half), min(1.0, middle + half), _p_value(z), sd)


def standard_errors(
    base: float, adapter: float, base_error: float, adapter_error: float, confidence: float = 0.95
) -> Unpaired:
    """Two means with their standard errors."""
    sd = math.hypot(base_error, adapter_error)
    half = _NORMAL.inv_cdf((1 + confidence) / 2) * sd
    return Unpaired(adapter - base - half, adapter - base + half, _p_value(_z(adapter - base, sd)), sd)


def _z(difference: float, sd: float) -> float:
    if not difference:
        return 0.0
    return abs(difference) / sd if sd else math.inf


def _p_value(z: float) -> float:
    return 2 * (1 - _NORMAL.cdf(z)) if z < math.inf else 0.0
