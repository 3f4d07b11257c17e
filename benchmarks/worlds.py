"""A simulated world is a set of tasks whose pass rates are known, so that a calibration of them can be judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from calibration.candidate import Candidate, CandidateTable, tabulate
from calibration.settings import SelectionSettings
from calibration.supply import KnobSpace, TaskRequest

QUOTAS = {"sales": 137, "support": 104, "operations": 102, "marketing": 89, "finance": 81, "hr": 74}
KNOBS = {
    "hops": range(1, 9),
    "distractors": range(7),
    "rules": range(6),
    "apps": range(1, 6),
    "traps": range(4),
    "context": range(5),
}
_RELATIVE_SLOPES = np.array([1.0, 0.45, 0.55, 0.35, 0.7, 0.25])
_LEVEL_MEAN = np.array([np.mean(levels) for levels in KNOBS.values()])
_LEVEL_SD = np.array([np.std(levels) for levels in KNOBS.values()])


@dataclass(frozen=True)
class WorldSettings:
    """A world of tasks whose pass rates follow the model, but for an interaction and slopes that differ by family."""

    mean: float = 0.30
    """Mean pass rate before the broken tasks are broken."""
    residual_sd: float = 1.0
    slopes: float = 1.2
    """Norm of the knobs' slopes per standard deviation of a uniform choice of levels."""
    family_sd: float = 0.8
    domain_sd: float = 0.3
    family_slope_sd: float = 0.15
    interaction: float = -0.15
    broken: float = 0.05
    """Share of tasks that nobody passes, at logit -6."""
    tasks: int = 10_000
    families: int = 100
    quotas: tuple[tuple[str, int], ...] = tuple(QUOTAS.items())
    family_cap: int = 12


WORLDS = {
    "mid": WorldSettings(),
    "hard": WorldSettings(mean=0.08),
    "easy": WorldSettings(mean=0.70),
    "noisy": WorldSettings(residual_sd=2.0),
    "useless": WorldSettings(
        residual_sd=2.0, slopes=0.2, family_sd=0.2, domain_sd=0.1, family_slope_sd=0.0, interaction=0.0
    ),
    "clean": WorldSettings(residual_sd=0.5),
    "laptop": WorldSettings(tasks=600, families=6, quotas=tuple((name, 16) for name in QUOTAS), family_cap=18),
}


class World:
    """Tasks with known pass rates `p`; grows when further tasks are made."""

    def __init__(self, settings: WorldSettings, seed: int) -> None:
        self.settings = settings
        self.rng = np.random.default_rng(seed)
        rng, count, families = self.rng, settings.tasks, settings.families
        self.domains = tuple(name for name, _ in settings.quotas)
        quotas = np.array([quota for _, quota in settings.quotas])
        borders = np.round(np.concatenate([[0], np.cumsum(quotas) / quotas.sum()]) * families).astype(int)
        self.family_domain = np.repeat(np.arange(len(quotas)), np.diff(borders))
        sizes = rng.gamma(3.0, 1.0, families) if families > len(quotas) else np.ones(families)
        self.family = np.sort(rng.choice(families, size=count, p=sizes / sizes.sum()))
        slopes = -settings.slopes * _RELATIVE_SLOPES / np.linalg.norm(_RELATIVE_SLOPES)
        self.slopes = slopes + rng.normal(0, settings.family_slope_sd, (families, len(KNOBS)))
        self.shift = rng.normal(0, settings.family_sd, families)
        self.shift += rng.normal(0, settings.domain_sd, len(quotas))[self.family_domain]
        favoured = rng.uniform(0.25, 0.75, (families, len(KNOBS)))
        chance = np.clip(0.6 * rng.beta(2, 2, (count, len(KNOBS))) + 0.4 * favoured[self.family], 0.02, 0.98)
        self.knobs = np.stack(
            [np.array(levels)[rng.binomial(len(levels) - 1, chance[:, i])] for i, levels in enumerate(KNOBS.values())],
            axis=1,
        ).astype(float)
        logits = self._logits(self.family, self.knobs)
        self.mu = _bisect(lambda mu: float(expit(logits + mu).mean()) - settings.mean)
        self.p = self._break(logits + self.mu)

    def _logits(self, family: np.ndarray, knobs: np.ndarray) -> np.ndarray:
        z = (knobs - _LEVEL_MEAN) / _LEVEL_SD
        logits = self.shift[family] + (z * self.slopes[family]).sum(axis=1)
        logits += self.settings.interaction * z[:, 0] * z[:, 4]
        return logits + self.rng.normal(0, self.settings.residual_sd, len(family))

    def _break(self, logits: np.ndarray) -> np.ndarray:
        return expit(np.where(self.rng.random(len(logits)) < self.settings.broken, -6.0, logits))

    def make(self, requests: Sequence[TaskRequest]) -> None:
        """Adds the requested tasks."""
        family = np.array([int(request.family[1:]) for request in requests for _ in range(request.count)])
        knobs = np.array([[r.knobs[name] for name in KNOBS] for r in requests for _ in range(r.count)])
        self.p = np.concatenate([self.p, self._break(self._logits(family, knobs) + self.mu)])
        self.family, self.knobs = np.concatenate([self.family, family]), np.concatenate([self.knobs, knobs])

    def table(self) -> CandidateTable:
        return tabulate(
            Candidate(
                id=f"t{index:06d}",
                domain=self.domains[self.family_domain[family]],
                family=f"f{family:03d}",
                knobs=dict(zip(KNOBS, knobs.tolist(), strict=True)),
            )
            for index, (family, knobs) in enumerate(zip(self.family.tolist(), self.knobs, strict=True))
        )

    def spaces(self) -> list[KnobSpace]:
        levels = {name: tuple(map(float, values)) for name, values in KNOBS.items()}
        return [
            KnobSpace(domain=self.domains[domain], family=f"f{family:03d}", levels=levels)
            for family, domain in enumerate(self.family_domain)
        ]

    def selection(self) -> SelectionSettings:
        """What is to be selected of them."""
        return SelectionSettings(
            quotas=dict(self.settings.quotas),  # type: ignore[arg-type]
            family_cap=self.settings.family_cap,
            cluster_cap=1,
            min_per_app=0,
        )


def _bisect(rising: Callable[[float], float], low: float = -12.0, high: float = 12.0) -> float:
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2
