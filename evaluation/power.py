"""Power is what decides the minimum detectable effect: the smallest true gain that a suite of this size will show."""

from __future__ import annotations

import math
from statistics import NormalDist

WORST_ATTEMPT_VARIANCE = 0.25
"""Largest possible variance p(1 - p) of one attempt, at a pass rate of 1/2."""


def minimum_detectable_effect(
    tasks: int,
    attempts: int,
    *,
    attempt_variance: float = WORST_ATTEMPT_VARIANCE,
    gain_sd: float = 0.0,
    confidence: float = 0.95,
    power: float = 0.8,
) -> float:
    """Smallest true gain in pass rate found with chance `power` on `tasks` tasks with `attempts` attempts a side.

    (z_confidence + z_power) * sqrt((gain_sd^2 + 2 * attempt_variance / attempts) / tasks), in the unit of a rate
    (the power analysis of Miller 2024, arXiv:2411.00640).
    `attempt_variance` is the mean over tasks of p(1 - p), `gain_sd` the standard deviation of the true gain between
    tasks. 600 tasks, 3 attempts, both at their defaults: 0.047.
    """
    if tasks < 1 or attempts < 1:
        raise ValueError(f"give at least one task and one attempt, given {tasks} and {attempts}")
    if not 0 <= attempt_variance <= WORST_ATTEMPT_VARIANCE:
        raise ValueError(f"the variance of one attempt lies in [0, 0.25], given {attempt_variance}")
    return detectable_from_sd(math.sqrt(gain_sd**2 + 2 * attempt_variance / attempts), tasks, confidence, power)


def detectable_from_sd(sd: float, tasks: int, confidence: float = 0.95, power: float = 0.8) -> float:
    """The same from the standard deviation between tasks of the measured differences."""
    normal = NormalDist()
    return (normal.inv_cdf((1 + confidence) / 2) + normal.inv_cdf(power)) * sd / math.sqrt(tasks)
