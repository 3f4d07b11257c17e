"""A rival is a usual way to find tasks in band, to be compared with the allocation of calibration/.

Each draws random tasks of the domains that still lack some, never more at once than are lacking, and keeps the first
that it judges to be in band, under the family caps. Rivals differ in how they attempt a task and in how they judge it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import minimize

from benchmarks.worlds import World
from calibration.allocation import Assessment, Counts
from calibration.candidate import CandidateTable
from calibration.pass_rate import PassRateModel, Posterior, integrated_likelihood, posterior
from calibration.program import missing
from calibration.settings import Band, CalibrationSettings, SelectionSettings

BAND = Band(low=0.2, high=0.8)
_BROKEN = 0.05
"""Share of tasks that are taken to be broken where all tasks are taken to be alike."""

Attempting = Callable[[np.random.Generator, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""True pass rates of some tasks -> passes and attempts of each."""
Judging = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, Posterior | None]]
"""Passes and attempts -> mask of the tasks to keep, and what is believed of each, None where nothing is claimed."""


@dataclass(frozen=True, slots=True, eq=False)
class Rival:
    """How tasks are attempted and judged."""

    attempt: Attempting
    judge: Judging


@dataclass(frozen=True, slots=True, eq=False)
class Haul:
    """What a rival kept; arrays of shape (kept,)."""

    tasks: np.ndarray
    attempts: int
    """On all tasks."""
    raw: np.ndarray
    """Passes / attempts of the kept tasks."""
    in_band: np.ndarray | None
    mean: np.ndarray | None


def fixed(attempts: int) -> Rival:
    """The same number of attempts on each; kept where the raw share of passes lies in the band."""
    return Rival(partial(_equally, attempts), _by_share)


def fixed_with_posterior(attempts: int, tau: float) -> Rival:
    """The same number of attempts on each; kept where the posterior of a population of tasks is sure enough."""
    return Rival(partial(_equally, attempts), partial(_by_posterior, tau))


def two_stage(first: int, further: int) -> Rival:
    """A few attempts on each, more on those that neither all passed nor all failed (arXiv:2506.09016, section 4.1)."""
    return Rival(partial(_screened, first, further), _by_share)


def fill(world: World, rival: Rival, seed: int) -> Haul:
    """The rival's tasks for the world's quotas, as many as there are."""
    rng = np.random.default_rng([seed, 8])
    selection, domain = world.selection(), world.family_domain[world.family]
    quotas = np.array([selection.quota(name) for name in world.domains])
    queue = rng.permutation(len(world.p))
    tried = np.zeros(0, dtype=int)
    k, n = np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    while True:
        keep, belief = rival.judge(k, n) if len(tried) else (np.zeros(0, dtype=bool), None)
        kept = np.flatnonzero(keep)
        kept = kept[_among_first(world.family[tried[kept]], np.full(len(world.family_domain), selection.family_cap))]
        kept = kept[_among_first(domain[tried[kept]], quotas)]
        room = selection.family_cap - np.bincount(world.family[tried[kept]], minlength=len(world.family_domain))
        lack = quotas - np.bincount(domain[tried[kept]], minlength=len(quotas))
        fresh = queue[_among_first(world.family[queue], room)]
        fresh = fresh[_among_first(domain[fresh], lack)]
        if len(fresh) == 0:
            return Haul(
                tasks=tried[kept],
                attempts=int(n.sum()),
                raw=k[kept] / n[kept],
                in_band=None if belief is None else belief.in_band[kept],
                mean=None if belief is None else belief.mean[kept],
            )
        passes, attempts = rival.attempt(rng, world.p[fresh])
        tried, k, n = np.append(tried, fresh), np.append(k, passes), np.append(n, attempts)
        queue = queue[~np.isin(queue, fresh)]


def assess_alike(
    table: CandidateTable, counts: Counts, settings: CalibrationSettings, selection: SelectionSettings
) -> Assessment:
    """An assessment that expects the same of every untried task: sequential stopping without the regression."""
    tried = counts.scored > 0
    mean, sd = _population(counts.passes[tried], counts.scored[tried])
    means, variances = np.full(table.size, mean), np.full(table.size, sd**2)
    belief = posterior(means, variances, counts.passes, counts.scored, settings.band, _BROKEN)
    mixed = (counts.passes > 0) & (counts.passes < counts.scored)
    accepted = (belief.in_band >= settings.tau) & (counts.scored >= settings.n_min) & mixed
    closed = (counts.scored >= settings.n_max) & ~accepted
    model = PassRateModel(
        names=("intercept",),
        coefficients=np.array([mean]),
        covariance=np.zeros((1, 1)),
        s=sd,
        broken=_BROKEN,
        domain_sd=0.0,
        family_sd=0.0,
        scored=int(counts.scored.sum()),
    )
    lacking = missing(table, accepted, selection, settings.spare)
    return Assessment(model, means, variances, belief, accepted, closed, lacking)


def _equally(attempts: int, rng: np.random.Generator, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return rng.binomial(attempts, p), np.full(len(p), attempts)


def _screened(first: int, further: int, rng: np.random.Generator, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    passes = rng.binomial(first, p)
    more = np.where((passes > 0) & (passes < first), further, 0)
    return passes + rng.binomial(more, p), first + more


def _by_share(k: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, None]:
    """Where few attempts stopped at none or all passed, the share is 0 or 1."""
    return (k >= BAND.low * n) & (k <= BAND.high * n), None


def _by_posterior(tau: float, k: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, Posterior]:
    mean, sd = _population(k, n)
    belief = posterior(np.full(len(k), mean), np.full(len(k), sd**2), k, n, BAND, _BROKEN)
    return (belief.in_band >= tau) & (k > 0) & (k < n), belief


def _population(k: np.ndarray, n: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation of logit p over all tasks, by maximum likelihood."""
    outcomes, repeats = np.unique(np.stack([k, n], axis=1), axis=0, return_counts=True)

    def loss(point: np.ndarray) -> float:
        means = np.full(len(outcomes), point[0])
        value = integrated_likelihood(means, outcomes[:, 0], outcomes[:, 1], float(np.exp(point[1])), _BROKEN).value
        return -float(repeats @ value)

    mean, log_sd = minimize(loss, np.array([-1.0, 0.4]), method="Nelder-Mead", options={"xatol": 0.01, "fatol": 0.1}).x
    return float(mean), float(np.exp(log_sd))


def _among_first(group: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Mask of the first `most[g]` members of every group g."""
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group, minlength=len(most))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rank = np.empty(len(group), dtype=int)
    rank[order] = np.arange(len(group)) - starts[group[order]]
    return rank < most[group]
