"""A candidate is what calibration knows of a task: where it belongs and how difficult its knobs make it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from calibration.design import Design
from environment.task import Task


@dataclass(frozen=True, slots=True)
class Candidate:
    """A task without its world, so that ten thousand fit in memory."""

    id: str
    domain: str
    family: str
    knobs: Mapping[str, float]
    apps: tuple[str, ...] = ()
    cluster: str | None = None
    """Cluster of near-duplicates that the task belongs to, None when it has none."""
    batch: int = 0
    """0 for the first candidates, 1, 2, ... for those that calibration asked for."""


def candidate_of(task: Task, cluster: str | None = None, batch: int = 0) -> Candidate:
    """The candidate that stands for `task`."""
    return Candidate(task.id, task.domain, task.family, dict(task.knobs), task.apps, cluster, batch)


@dataclass(frozen=True, slots=True, eq=False)
class CandidateTable:
    """Candidates in the order of their ids, as arrays; families are named `<domain>.<family>`."""

    candidates: tuple[Candidate, ...]
    ids: tuple[str, ...]
    domains: tuple[str, ...]
    families: tuple[str, ...]
    knobs: tuple[str, ...]
    """One vocabulary over all families."""
    apps: tuple[str, ...]
    clusters: tuple[str, ...]
    domain: np.ndarray
    """Index into `domains`, shape (tasks,)."""
    family: np.ndarray
    """Index into `families`, shape (tasks,)."""
    family_domain: np.ndarray
    """Index into `domains`, shape (families,)."""
    cluster: np.ndarray
    """Index into `clusters` or -1, shape (tasks,)."""
    uses: np.ndarray
    """Whether a task uses an application, shape (tasks, apps)."""
    knob_mean: np.ndarray
    knob_sd: np.ndarray
    """1 where a knob never changes, so that it standardises to 0."""
    design: Design

    @property
    def size(self) -> int:
        return len(self.ids)

    def in_domain(self, name: str) -> np.ndarray:
        """Mask of the tasks of a domain; nothing is of a domain that no candidate is of."""
        return self.domain == self.domains.index(name) if name in self.domains else np.zeros(self.size, dtype=bool)

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of the columns of `design`."""
        return (
            "intercept",
            *(f"knob {name}" for name in self.knobs),
            *(f"domain {name}" for name in self.domains),
            *(f"family {name}" for name in self.families),
        )

    def design_of(self, families: np.ndarray, knob_values: np.ndarray) -> Design:
        """The design of tasks that do not exist yet: family indices and raw knobs, shape (rows, knobs)."""
        return Design((knob_values - self.knob_mean) / self.knob_sd, families, self.family_domain)


def tabulate(candidates: Iterable[Candidate]) -> CandidateTable:
    """The table of `candidates`, whatever their order. Raises ValueError when there are none or two share an id."""
    rows = tuple(sorted(candidates, key=lambda candidate: candidate.id))
    if not rows:
        raise ValueError("no candidates to calibrate; generate and clean tasks first")
    ids = tuple(row.id for row in rows)
    for first, second in pairwise(ids):
        if first == second:
            raise ValueError(f"candidate {first} occurs twice; remove the second one")
    family_names = [f"{row.domain}.{row.family}" for row in rows]
    domains, families = _vocabulary(row.domain for row in rows), _vocabulary(family_names)
    knobs = _vocabulary(name for row in rows for name in row.knobs)
    apps = _vocabulary(name for row in rows for name in row.apps)
    clusters = _vocabulary(row.cluster for row in rows if row.cluster is not None)
    values = np.array([[row.knobs.get(name, 0.0) for name in knobs] for row in rows], dtype=float)
    values = values.reshape(len(rows), len(knobs))
    if not np.isfinite(values).all():
        odd = ids[int(np.argwhere(~np.isfinite(values))[0, 0])]
        raise ValueError(f"candidate {odd} has a knob that is not a finite number; give it a value or leave it out")
    spread = values.std(axis=0)
    uses = np.zeros((len(rows), len(apps)), dtype=bool)
    for index, row in enumerate(rows):
        uses[index, [apps[name] for name in row.apps]] = True
    family = np.array([families[name] for name in family_names])
    family_domain = np.zeros(len(families), dtype=int)
    family_domain[family] = [domains[row.domain] for row in rows]
    mean, sd = values.mean(axis=0), np.where(spread > 1e-12, spread, 1.0)
    return CandidateTable(
        candidates=rows,
        ids=ids,
        domains=tuple(domains),
        families=tuple(families),
        knobs=tuple(knobs),
        apps=tuple(apps),
        clusters=tuple(clusters),
        domain=family_domain[family],
        family=family,
        family_domain=family_domain,
        cluster=np.array([-1 if row.cluster is None else clusters[row.cluster] for row in rows]),
        uses=uses,
        knob_mean=mean,
        knob_sd=sd,
        design=Design((values - mean) / sd, family, family_domain),
    )


def _vocabulary(names: Iterable[str]) -> dict[str, int]:
    return {name: index for index, name in enumerate(sorted(set(names)))}
