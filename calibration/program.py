"""The selection program is the integer program whose optimum is the training set.

Exactly the asked counts a domain, within the caps a family and cluster, with the minimum an application, of the
greatest sum of the learning signal; and its twin with slack, which says what is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, hstack, identity, vstack

from calibration.candidate import CandidateTable
from calibration.settings import SelectionSettings

_TIME_LIMIT_S = 300
_GAP = 1e-4
"""Relative optimality gap at which the solver stops; the gap reached is reported."""


@dataclass(frozen=True, slots=True)
class Missing:
    """How many tasks are lacking, by what lacks them; empty when nothing is."""

    domains: Mapping[str, int]
    apps: Mapping[str, int]

    @property
    def counts(self) -> dict[str, int]:
        """Both, named `domain sales` or `app gmail`."""
        domains = {f"domain {name}": lack for name, lack in self.domains.items()}
        return domains | {f"app {name}": lack for name, lack in self.apps.items()}

    @property
    def nothing(self) -> bool:
        return not self.domains and not self.apps


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """What the integer program answered."""

    chosen: np.ndarray
    """Indices into the table of the chosen tasks, ascending."""
    value: float
    """Sum of the signal over the chosen."""
    status: str
    gap: float
    """Relative gap between the value and the best bound."""


def missing(table: CandidateTable, accepted: np.ndarray, settings: SelectionSettings, spare: float) -> Missing:
    """What the accepted tasks (a mask) lack for a selection with `spare` further tasks a domain, relative to its quota.

    The spare tasks count towards the domains alone: applications must have their minimums within the quotas. No more
    are wanted than the family caps let in.
    """
    exact = _least_missing(table, accepted, settings, 0.0)
    if spare == 0:
        return exact
    spared = _least_missing(table, accepted, settings, spare)
    return Missing(_larger(exact.domains, spared.domains), _larger(exact.apps, spared.apps))


def optimum(
    table: CandidateTable, accepted: np.ndarray, signal: np.ndarray, settings: SelectionSettings
) -> Optimum | None:
    """The accepted tasks of greatest total signal that meet `settings`, or None when no choice of them does."""
    rows = np.flatnonzero(accepted)
    needs, caps = _needs(table, rows, settings, 0.0), _caps(table, rows, settings)
    if len(rows) == 0:
        return None
    exact = np.where(needs.is_domain, needs.counts, np.inf)
    answer = milp(
        -signal[rows],
        integrality=np.ones(len(rows)),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(needs.matrix, needs.counts, exact), *caps],
        options={"mip_rel_gap": _GAP, "time_limit": _TIME_LIMIT_S},
    )
    if answer.status == 2:
        return None
    if answer.x is None:
        raise RuntimeError(f"HiGHS found neither a selection nor that there is none: {answer.message}")
    chosen = rows[answer.x > 0.5]
    status = answer.message.split(" (")[0].rstrip(".")
    return Optimum(chosen, float(signal[chosen].sum()), status, float(answer.mip_gap))


@dataclass(frozen=True, slots=True, eq=False)
class _Needs:
    """Counts that a selection must reach: a row a domain and a row an application."""

    names: tuple[str, ...]
    is_domain: np.ndarray
    counts: np.ndarray
    matrix: csr_array
    """Shape (needs, tasks)."""


def _needs(table: CandidateTable, rows: np.ndarray, settings: SelectionSettings, spare: float) -> _Needs:
    wanted: list[str] = sorted({*settings.quotas, *table.domains})
    index = {domain: position for position, domain in enumerate(wanted)}
    position = np.array([index[name] for name in table.domains])[table.domain[rows]]
    by_domain = csr_array((np.ones(len(rows)), (position, np.arange(len(rows)))), shape=(len(wanted), len(rows)))
    apps = required_apps(table, settings)
    columns = np.array([table.apps.index(name) for name in apps], dtype=int)
    by_app = csr_array(table.uses[np.ix_(rows, columns)].T.astype(float))
    quotas = np.array([settings.quota(name) for name in wanted])
    families = np.bincount(table.family_domain, minlength=len(table.domains))
    capacity = np.zeros(len(wanted))
    capacity[[index[name] for name in table.domains]] = families * settings.family_cap
    spared = np.maximum(quotas, np.minimum(capacity, np.ceil(np.round(quotas * (1 + spare), 9))))
    return _Needs(
        names=(*wanted, *apps),
        is_domain=np.arange(len(wanted) + len(apps)) < len(wanted),
        counts=np.concatenate([spared, np.full(len(apps), float(settings.min_per_app))]),
        matrix=csr_array(vstack([by_domain, by_app])),
    )


def required_apps(table: CandidateTable, settings: SelectionSettings) -> tuple[str, ...]:
    """Applications that the selection must cover: those of candidates in a domain with a quota."""
    if settings.min_per_app == 0:
        return ()
    asked = np.array([settings.quota(name) > 0 for name in table.domains])
    used = table.uses[asked[table.domain]].any(axis=0)
    return tuple(table.apps[place] for place in np.flatnonzero(used))


def _caps(table: CandidateTable, rows: np.ndarray, settings: SelectionSettings) -> list[LinearConstraint]:
    constraints = []
    for group, count, cap in (
        (table.family[rows], len(table.families), settings.family_cap),
        (table.cluster[rows], len(table.clusters), settings.cluster_cap),
    ):
        member = np.flatnonzero(group >= 0)
        matrix = csr_array((np.ones(len(member)), (group[member], member)), shape=(count, len(rows)))
        crowded = np.flatnonzero(np.asarray(matrix.sum(axis=1)).ravel() > cap)
        if len(crowded):
            constraints.append(LinearConstraint(matrix[crowded], -np.inf, cap))
    return constraints


def _least_missing(table: CandidateTable, accepted: np.ndarray, settings: SelectionSettings, spare: float) -> Missing:
    """The same program with a slack variable a need, of which it has the least possible."""
    rows = np.flatnonzero(accepted)
    needs = _needs(table, rows, settings, spare)
    count = len(needs.names)
    caps = [
        LinearConstraint(csr_array(hstack([cap.A, csr_array((cap.A.shape[0], count))])), cap.lb, cap.ub)
        for cap in _caps(table, rows, settings)
    ]
    exact = np.where(needs.is_domain, needs.counts, np.inf)
    answer = milp(
        np.concatenate([np.zeros(len(rows)), np.ones(count)]),
        integrality=np.ones(len(rows) + count),
        bounds=Bounds(0, np.concatenate([np.ones(len(rows)), np.full(count, np.inf)])),
        constraints=[LinearConstraint(csr_array(hstack([needs.matrix, identity(count)])), needs.counts, exact), *caps],
        options={"mip_rel_gap": 0.0, "time_limit": _TIME_LIMIT_S},
    )
    if answer.x is None:
        raise RuntimeError(f"the program that counts missing tasks must have a solution, HiGHS said: {answer.message}")
    slack = np.round(answer.x[len(rows) :]).astype(int)
    lacking = [(name, domain, int(n)) for name, domain, n in zip(needs.names, needs.is_domain, slack, strict=True) if n]
    return Missing(
        {name: n for name, is_domain, n in lacking if is_domain},
        {name: n for name, is_domain, n in lacking if not is_domain},
    )


def _larger(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    return {name: max(first.get(name, 0), second.get(name, 0)) for name in sorted(set(first) | set(second))}
