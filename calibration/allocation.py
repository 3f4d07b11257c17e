"""An allocation is the decision which tasks to attempt next, given all attempts so far.

It is a function of the candidates and their counts alone, so a resumed calibration decides what an uninterrupted one
would have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from calibration.candidate import CandidateTable
from calibration.pass_rate import (
    SUPPORT,
    PassRateModel,
    Posterior,
    band_weights,
    fit,
    log_likelihood,
    posterior,
    prior_weights,
)
from calibration.program import Missing, missing
from calibration.settings import CalibrationSettings, SelectionSettings
from environment.rng import derive_rng, derive_seed

PRICES = np.geomspace(0.004, 0.9, 48)
"""Prices of an attempt, in acceptances, at which priorities are computed."""
PRIORITY_MEANS = np.arange(-32, 33) * 0.25
"""Prior means of logit p at which priorities are computed; between them they are interpolated."""
_FAMILY_CROWDING = 1.5
"""Attempts a round on one family, as a multiple of the room left under its cap."""


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Attempts per task of a table; integer arrays of shape (tasks,)."""

    passes: np.ndarray
    scored: np.ndarray
    unscored: np.ndarray

    @property
    def total(self) -> int:
        return int(self.scored.sum() + self.unscored.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """What the attempts so far say of every candidate; arrays of shape (tasks,)."""

    model: PassRateModel
    prior_mean: np.ndarray
    """Mean of logit p before the task's own attempts."""
    prior_variance: np.ndarray
    belief: Posterior
    accepted: np.ndarray
    closed: np.ndarray
    """No longer worth attempting: at `n_max` scored or `unscored_max` unscored attempts without being accepted."""
    missing: Missing
    """What the accepted lack for a selection with spare tasks."""


@dataclass(frozen=True, slots=True)
class Share:
    """Attempts to make on one task in a round."""

    task: int
    """Index into the table."""
    attempts: int
    priority: float | None
    """Acceptances per attempt that it promises, None in the pilot."""


@dataclass(frozen=True, slots=True, eq=False)
class PriorityTable:
    """How much a task promises, by what is known of it."""

    values: np.ndarray
    """Shape (n_max, n_max + 1, means): by scored attempts, passes and `PRIORITY_MEANS`."""
    attainable: float
    """Greatest P(in band) that any task can reach within `n_max` attempts; below `tau` none is ever accepted."""

    def of(self, mean: np.ndarray, passes: np.ndarray, scored: np.ndarray) -> np.ndarray:
        """Priorities of tasks with these prior means and fewer than `n_max` scored attempts."""
        place = np.clip((mean - PRIORITY_MEANS[0]) / 0.25, 0, len(PRIORITY_MEANS) - 1)
        left = np.minimum(place.astype(int), len(PRIORITY_MEANS) - 2)
        weight = place - left
        low, high = self.values[scored, passes, left], self.values[scored, passes, left + 1]
        return np.round((1 - weight) * low + weight * high, 9)

    def untried(self, mean: np.ndarray) -> np.ndarray:
        """Priorities of untried tasks with these prior means."""
        return self.of(mean, *(np.zeros(len(mean), dtype=int) for _ in range(2)))


@dataclass(frozen=True, slots=True)
class Round:
    """What to do next."""

    shares: tuple[Share, ...]
    promise: Mapping[str, float]
    """Acceptances per attempt to expect of the tasks at hand, for every domain and application that lacks some."""
    hopeless: tuple[str, ...]
    """Those of them whose best task promises less than one acceptance in `give_up` attempts."""
    attainable: float
    """Greatest P(in band) that any task can reach within `n_max` attempts; below `tau` none is ever accepted."""


def pilot(table: CandidateTable, settings: CalibrationSettings, seed: str) -> tuple[Share, ...]:
    """Random tasks of every family: every other one three times, so that s can be told from p, the rest once."""
    shares = []
    for family in range(len(table.families)):
        members = np.flatnonzero(table.family == family).tolist()
        rng = derive_rng("pilot", seed, table.families[family])
        drawn = rng.sample(members, min(settings.pilot_per_family, len(members)))
        shares += [Share(task, 3 if place % 2 == 0 else 1, None) for place, task in enumerate(drawn)]
    return tuple(shares)


def assess(
    table: CandidateTable, counts: Counts, settings: CalibrationSettings, selection: SelectionSettings
) -> Assessment:
    """The fitted model, every posterior, and what is accepted, closed and missing. Needs one scored attempt."""
    model = fit(table, counts.passes, counts.scored)
    mean, variance = model.predict(table.design)
    belief = posterior(mean, variance, counts.passes, counts.scored, settings.band, model.broken)
    mixed = (counts.passes > 0) & (counts.passes < counts.scored)
    accepted = (belief.in_band >= settings.tau) & (counts.scored >= settings.n_min) & mixed
    spent = (counts.scored >= settings.n_max) | (counts.unscored >= settings.unscored_max)
    lacking = missing(table, accepted, selection, settings.spare)
    return Assessment(model, mean, variance, belief, accepted, spent & ~accepted, lacking)


def plan_round(
    table: CandidateTable,
    counts: Counts,
    now: Assessment,
    settings: CalibrationSettings,
    selection: SelectionSettings,
    seed: str,
) -> Round:
    """One attempt each on the most promising open tasks of every domain or application that lacks some."""
    room = room_in_families(table, now, selection)
    has_quota = np.array([selection.quota(name) > 0 for name in table.domains])
    worth = ~now.accepted & ~now.closed & has_quota[table.domain] & (room[table.family] > 0)
    priority = np.zeros(table.size)
    promises = priority_table(_typical_sd(now, worth), now.model.broken, settings)
    priority[worth] = promises.of(now.prior_mean[worth], counts.passes[worth], counts.scored[worth])
    worth &= priority >= 1 / settings.give_up
    ties = np.random.default_rng(derive_seed("ties", seed)).permutation(table.size)
    order = np.lexsort((ties, -priority))
    order = order[worth[order]]
    free = np.ceil(_FAMILY_CROWDING * room).astype(int)
    shares: dict[int, Share] = {}
    promise: dict[str, float] = {}
    for name, member, lack in _groups(table, now.missing):
        promising = order[member[order]].tolist()
        promise[name] = float(priority[promising[:lack]].sum()) / lack
        wanted = max(1, round(settings.batch_share * lack)) - sum(bool(member[task]) for task in shares)
        for task in promising:
            if wanted <= 0:
                break
            if task not in shares and free[table.family[task]] > 0:
                shares[task] = Share(task, 1, float(priority[task]))
                free[table.family[task]] -= 1
                wanted -= 1
    hopeless = tuple(name for name, value in promise.items() if value == 0)
    return Round(tuple(shares.values()), promise, hopeless, promises.attainable)


def room_in_families(table: CandidateTable, now: Assessment, selection: SelectionSettings) -> np.ndarray:
    """How many further accepted tasks each family can use under its cap, shape (families,)."""
    taken = np.bincount(table.family[now.accepted], minlength=len(table.families))
    return np.maximum(selection.family_cap - taken, 0)


def priority_table(sd: float, broken: float, settings: CalibrationSettings) -> PriorityTable:
    """The largest price per attempt at which sampling a task on, and stopping when best, is worth more than nothing.

    Acceptance pays 1, so it is the supremum over stopping rules of P(accepted) / E[attempts]; by backward induction
    over (k, n) for every price. `sd` is the standard deviation of the prior on logit p, `broken` the share of broken
    tasks.
    """
    n_max, means = settings.n_max, len(PRIORITY_MEANS)
    prior = prior_weights(PRIORITY_MEANS, np.full(means, sd**2), broken)  # (means, support)
    inside, rate = band_weights(settings.band), expit(SUPPORT)
    values = np.zeros((n_max, n_max + 1, means))
    attainable = 0.0
    worth_next = np.zeros((0, 0, 0))
    for n in range(n_max, -1, -1):
        k = np.arange(n + 1)
        likelihood = np.exp(log_likelihood(SUPPORT, k[:, None], np.full((n + 1, 1), n)))  # (passes, support)
        total = likelihood @ prior.T
        in_band = (likelihood * inside) @ prior.T / total
        pass_next = (likelihood * rate) @ prior.T / total
        mixed = ((k > 0) & (k < n))[:, None] & (n >= settings.n_min)
        accepted = mixed & (in_band >= settings.tau)
        attainable = max(attainable, float(np.where(mixed, in_band, 0).max()))
        if n == n_max:
            worth = np.repeat(accepted[:, :, None].astype(float), len(PRICES), axis=2)
        else:
            chance = pass_next[:, :, None]
            going_on = chance * worth_next[1:] + (1 - chance) * worth_next[:-1] - PRICES
            values[n, : n + 1] = np.where(going_on > 0, PRICES, 0).max(axis=2)
            worth = np.where(accepted[:, :, None], 1.0, np.maximum(going_on, 0))
        worth_next = worth  # (passes, means, prices)
    return PriorityTable(values, attainable)


def _typical_sd(now: Assessment, tasks: np.ndarray) -> float:
    variance = now.prior_variance[tasks] if tasks.any() else now.prior_variance
    return float(np.median(np.sqrt(variance)))


def _groups(table: CandidateTable, lacking: Missing) -> list[tuple[str, np.ndarray, int]]:
    """Name, member mask and lack of every domain and application that lacks tasks."""
    groups = [(f"domain {name}", table.in_domain(name), lack) for name, lack in lacking.domains.items()]
    return groups + [
        (f"app {name}", table.uses[:, table.apps.index(name)], lack) for name, lack in lacking.apps.items()
    ]
