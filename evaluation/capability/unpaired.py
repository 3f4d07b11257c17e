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


def two_proportions(base: float, adapter: float, counts: tuple[int, int], confidence: float = 0.95) -> Unpaired:
    """Two shares, each of as many questions as `counts` says.

    z with the pooled share for the p-value; the interval is that of Agresti and Caffo 2000 (one right and one wrong
    answer added to each side), which stays right near 0 and 1.
    """
    pooled = (base * counts[0] + adapter * counts[1]) / sum(counts)
    z = _z(adapter - base, math.sqrt(pooled * (1 - pooled) * (1 / counts[0] + 1 / counts[1])))
    shares = [(rate * count + 1) / (count + 2) for rate, count in zip((base, adapter), counts, strict=True)]
    sd = math.sqrt(sum(share * (1 - share) / (count + 2) for share, count in zip(shares, counts, strict=True)))
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
