"""How many attempts it takes to fill a training set in band, in simulated worlds whose pass rates are known.

    python benchmarks/allocation.py --world mid --seeds 4
    python benchmarks/allocation.py --world hard --seeds 4 --methods loop

Methods: `algorithm` is ours; `loop` is ours with further tasks on request; `sequential` has its stopping rule but no
regression, so every untried task looks alike; `fixed` makes eight attempts on random tasks and keeps 2 to 6 passes.
Seeds are 1000, 1001, ...; audit attempts are not counted.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from calibration.allocation import Assessment, Counts, assess, pilot, plan_round
from calibration.candidate import Candidate, CandidateTable, tabulate
from calibration.pass_rate import PassRateModel, integrated_likelihood, posterior
from calibration.program import missing, optimum
from calibration.settings import Band, CalibrationSettings, SelectionSettings
from calibration.supply import KnobSpace, TaskRequest, request_tasks

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


@dataclasses.dataclass(frozen=True)
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
    """Tasks with known pass rates; grows when further tasks are made."""

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


@dataclasses.dataclass(frozen=True)
class Outcome:
    """One filled training set, or what could be filled of it."""

    attempts: int
    selected: int
    in_band: float
    """True share of the selected in band."""
    claimed: float
    rounds: int
    further: int
    """Tasks made on request."""
    seconds: float


def simulate(world: World, method: str, calibration: CalibrationSettings, seed: int) -> Outcome:
    """One calibration and selection of `world` by a method."""
    started = time.perf_counter()
    quotas = dict(world.settings.quotas)
    selection = SelectionSettings(
        quotas=quotas,  # type: ignore[arg-type]
        family_cap=world.settings.family_cap,
        cluster_cap=1,
        min_per_app=0,
    )
    if method == "fixed":
        return _fixed(world, quotas, seed)
    rng = np.random.default_rng([seed, 7])
    table, spaces, further, rounds, batches = world.table(), world.spaces(), 0, 0, 0
    counts = Counts(*(np.zeros(table.size, dtype=int) for _ in range(3)))
    shares = pilot(table, calibration, str(seed))
    judge = assess_alike if method == "sequential" else assess
    while True:
        for share in shares:
            counts.scored[share.task] += share.attempts
            counts.passes[share.task] += rng.binomial(share.attempts, world.p[share.task])
        now = judge(table, counts, calibration, selection)
        planned = plan_round(table, counts, now, calibration, selection, str(seed))
        if method == "loop" and batches < calibration.max_batches:
            requests = request_tasks(table, now, planned, calibration, selection, spaces, str(seed))
            if requests:
                batches += 1
                world.make(requests)
                further += len(world.p) - table.size
                grown = np.zeros(len(world.p) - table.size, dtype=int)
                counts = Counts(*(np.concatenate([c, grown]) for c in (counts.passes, counts.scored, counts.unscored)))
                table = world.table()
                now = judge(table, counts, calibration, selection)
                planned = plan_round(table, counts, now, calibration, selection, str(seed))
        shares = planned.shares
        if now.missing.nothing or not shares or counts.total >= calibration.max_attempts:
            break
        rounds += 1
    best = optimum(table, now.accepted, now.belief.mixed_of_8, selection)
    chosen = np.flatnonzero(now.accepted) if best is None else best.chosen
    return Outcome(
        attempts=counts.total,
        selected=len(chosen),
        in_band=_in_band(world.p[chosen]),
        claimed=float(now.belief.in_band[chosen].mean()),
        rounds=rounds,
        further=further,
        seconds=time.perf_counter() - started,
    )


def assess_alike(
    table: CandidateTable, counts: Counts, settings: CalibrationSettings, selection: SelectionSettings
) -> Assessment:
    """An assessment that expects the same of every untried task: logit p ~ Normal(m, sd), both estimated."""
    tried = counts.scored > 0
    k, n = counts.passes[tried], counts.scored[tried]

    def loss(point: np.ndarray) -> float:
        return -float(integrated_likelihood(np.full(len(k), point[0]), k, n, float(np.exp(point[1])), 0.05).value.sum())

    mean, log_sd = minimize(loss, np.array([-1.0, 0.4]), method="Nelder-Mead", options={"xatol": 0.01, "fatol": 0.1}).x
    means, variances = np.full(table.size, mean), np.full(table.size, np.exp(2 * log_sd))
    belief = posterior(means, variances, counts.passes, counts.scored, settings.band, 0.05)
    mixed = (counts.passes > 0) & (counts.passes < counts.scored)
    accepted = (belief.in_band >= settings.tau) & (counts.scored >= settings.n_min) & mixed
    closed = (counts.scored >= settings.n_max) & ~accepted
    model = PassRateModel(
        ("intercept",), np.array([mean]), np.zeros((1, 1)), float(np.exp(log_sd)), 0.05, 0.0, 0.0, int(n.sum())
    )
    lacking = missing(table, accepted, selection, settings.spare)
    return Assessment(model, means, variances, belief, accepted, closed, lacking)


def _fixed(world: World, quotas: dict[str, int], seed: int) -> Outcome:
    rng = np.random.default_rng([seed, 8])
    left = np.array(list(quotas.values()))
    room = np.full(world.settings.families, world.settings.family_cap)
    kept, attempts = [], 0
    for task in rng.permutation(len(world.p)):
        family = world.family[task]
        domain = world.family_domain[family]
        if left[domain] == 0 or room[family] == 0:
            continue
        attempts += 8
        if 2 <= rng.binomial(8, world.p[task]) <= 6:
            kept.append(task)
            left[domain] -= 1
            room[family] -= 1
    return Outcome(attempts, len(kept), _in_band(world.p[kept]), float("nan"), 0, 0, 0.0)


def _in_band(p: np.ndarray) -> float:
    return float(((p >= 0.2) & (p <= 0.8)).mean()) if len(p) else float("nan")


def _bisect(rising: Callable[[float], float], low: float = -12.0, high: float = 12.0) -> float:
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", choices=sorted(WORLDS), default="mid")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--methods", nargs="+", default=["algorithm", "sequential", "fixed"])
    parser.add_argument("--tau", type=float, default=0.8)
    parser.add_argument("--batch-share", type=float, default=0.75)
    parser.add_argument("--pilot", type=int, default=2, help="random tasks a family that are attempted first")
    arguments = parser.parse_args()
    calibration = CalibrationSettings(
        band=Band(low=0.2, high=0.8),
        max_attempts=40_000,
        max_batches=20,
        tau=arguments.tau,
        batch_share=arguments.batch_share,
        pilot_per_family=arguments.pilot,
    )
    print(
        f"{'world':8s} {'method':10s} {'seed':>5s} {'attempts':>8s} {'selected':>8s} {'in band':>8s} {'claimed':>8s} "
        f"{'rounds':>6s} {'further':>7s} {'seconds':>7s}"
    )
    for method in arguments.methods:
        outcomes = []
        for seed in range(1000, 1000 + arguments.seeds):
            outcome = simulate(World(WORLDS[arguments.world], seed), method, calibration, seed)
            outcomes.append(outcome)
            _show(arguments.world, method, str(seed), outcome)
        means = [np.mean([getattr(o, field.name) for o in outcomes]) for field in dataclasses.fields(Outcome)]
        _show(arguments.world, method, "mean", Outcome(*means))


def _show(world: str, method: str, seed: str, outcome: Outcome) -> None:
    print(
        f"{world:8s} {method:10s} {seed:>5s} {outcome.attempts:8.0f} {outcome.selected:8.0f} {outcome.in_band:8.3f} "
        f"{outcome.claimed:8.3f} {outcome.rounds:6.0f} {outcome.further:7.0f} {outcome.seconds:7.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
