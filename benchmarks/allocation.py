"""How many attempts it takes to fill a training set in band, in simulated worlds whose pass rates are known.

    python -m benchmarks.allocation                                     the budget: mid and hard, 20 seeds each
    python -m benchmarks.allocation --worlds noisy --methods ours two_stage --seeds 4
    python -m benchmarks.allocation --write --cache outcomes.jsonl      every world and method, docs/calibration.md

Seeds are 1000, 1001, ...; audit attempts are not counted. `--cache` keeps each outcome and reads it again instead of
simulating, for runs that are stopped in between; delete the file when the code changes.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1]))  # beside this file lies environment.py, which is not the package

import numpy as np

from benchmarks.allocation_figure import Curve, draw
from benchmarks.doc_section import write_section
from benchmarks.rivals import BAND, Rival, assess_alike, fill, fixed, fixed_with_posterior, two_stage
from benchmarks.worlds import WORLDS, World
from calibration.allocation import Assessment, Counts, assess, pilot, plan_round
from calibration.pass_rate import fit
from calibration.program import missing, optimum
from calibration.settings import CalibrationSettings
from calibration.supply import request_tasks

PAGE = Path(__file__).parents[1] / "docs" / "calibration.md"
FIGURE = PAGE.with_name("calibration-attempts.svg")
SIX_WORLDS = ("mid", "hard", "easy", "noisy", "useless", "clean")
FIRST_SEED = 1000
FEW_SEEDS = 5
"""Seeds of what has no budget: the other worlds and the figure."""
SETTINGS = CalibrationSettings(band=BAND, max_attempts=40_000, max_batches=20)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One filled training set, or what could be filled of it."""

    attempts: float
    found: float
    in_band: float
    """True share of the found in band."""
    claimed: float | None
    """Mean P(in band) of the found; None where the method claims nothing."""
    bias_raw: float
    """Mean of passes / attempts minus the true pass rate, over the found."""
    bias_posterior: float | None
    """The same for the posterior mean."""
    rounds: float
    further: float
    """Tasks made on request."""
    seconds: float
    """Of the processor."""


Method = Callable[[World, int], Outcome]


def ours(world: World, seed: int, settings: CalibrationSettings = SETTINGS, loop: bool = False) -> Outcome:
    """The allocation, with further tasks on request where `loop`."""
    return _sequential(world, seed, settings, loop, assess)


def sequential(world: World, seed: int, settings: CalibrationSettings = SETTINGS) -> Outcome:
    """Its stopping rule alone: without the regression every untried task looks alike."""
    return _sequential(world, seed, settings, False, assess_alike)


def rival(world: World, seed: int, way: Rival) -> Outcome:
    """A usual way."""
    started = time.process_time()
    haul = fill(world, way, seed)
    p = world.p[haul.tasks]
    return Outcome(
        attempts=haul.attempts,
        found=len(p),
        in_band=_in_band(p),
        claimed=None if haul.in_band is None else float(haul.in_band.mean()),
        bias_raw=float((haul.raw - p).mean()),
        bias_posterior=None if haul.mean is None else float((haul.mean - p).mean()),
        rounds=0,
        further=0,
        seconds=time.process_time() - started,
    )


def _at(tau: float) -> CalibrationSettings:
    return SETTINGS.model_copy(update={"tau": tau})


METHODS: Mapping[str, Method] = {
    "ours": ours,
    "ours_loop": partial(ours, loop=True),
    "sequential": sequential,
    "two_stage": partial(rival, way=two_stage(4, 12)),
    "fixed_8": partial(rival, way=fixed(8)),
    "fixed_16": partial(rival, way=fixed(16)),
    "posterior_8": partial(rival, way=fixed_with_posterior(8, 0.8)),
}
LABELS = {
    "ours": "this allocation",
    "ours_loop": "this allocation, closed loop",
    "sequential": "sequential stopping alone",
    "two_stage": "two stages: 4 attempts, 12 more on the mixed ones",
    "fixed_8": "8 attempts on random tasks, 2 to 6 passes kept",
    "fixed_16": "16 attempts on random tasks, 4 to 12 passes kept",
    "posterior_8": "8 attempts on random tasks, posterior above .8 kept",
}
TAUS = (0.6, 0.7, 0.8, 0.9)
CURVES: Mapping[str, Mapping[str, Method]] = {
    "this allocation, tau .6 to .9": {f"ours at {tau}": partial(ours, settings=_at(tau)) for tau in TAUS},
    "sequential stopping alone, tau .6 to .9": {
        f"sequential at {tau}": partial(sequential, settings=_at(tau)) for tau in TAUS
    },
    "8 attempts each, posterior above .6 to .9": {
        f"posterior_8 at {tau}": partial(rival, way=fixed_with_posterior(8, tau)) for tau in TAUS
    },
    "two stages, 4 attempts and 4, 8, 12, 20 more": {
        f"two_stage with {more}": partial(rival, way=two_stage(4, more)) for more in (4, 8, 12, 20)
    },
    "4, 8, 16, 32 attempts each, share kept": {
        f"fixed_{attempts}": partial(rival, way=fixed(attempts)) for attempts in (4, 8, 16, 32)
    },
}
"""What the figure shows of the world `mid`: label -> its points."""
BATCH_SHARES = (0.5, 0.75, 1.5, 3.0)


@dataclass(frozen=True, slots=True)
class Budget:
    """What a method must reach in the mean over 20 seeds."""

    world: str
    method: str
    attempts: int
    found: int
    in_band: float
    claim_error: float = 0.03


REFIT_BUDGET_S = 2.0
"""Processor time of a fit to 10,000 attempted tasks."""
BUDGETS = (Budget("mid", "ours", 5200, 587, 0.87), Budget("hard", "ours_loop", 8000, 570, 0.87))


def within(budget: Budget, outcome: Outcome) -> bool:
    """Whether the mean outcome keeps to the budget."""
    return (
        outcome.attempts <= budget.attempts
        and outcome.found >= budget.found
        and outcome.in_band >= budget.in_band
        and outcome.claimed is not None
        and abs(outcome.claimed - outcome.in_band) <= budget.claim_error
    )


def refit_seconds() -> float:
    """Processor time of a fit to the 10,000 tasks of the world `mid`, each attempted one to eight times."""
    world = World(WORLDS["mid"], FIRST_SEED)
    rng = np.random.default_rng([FIRST_SEED, 9])
    scored = rng.integers(1, 9, len(world.p))
    table, passes = world.table(), rng.binomial(scored, world.p)
    started = time.process_time()
    fit(table, passes, scored)
    return time.process_time() - started


def _sequential(
    world: World, seed: int, settings: CalibrationSettings, loop: bool, judge: Callable[..., Assessment]
) -> Outcome:
    started = time.process_time()
    selection = world.selection()
    rng = np.random.default_rng([seed, 7])
    table, spaces, further, rounds, batches = world.table(), world.spaces(), 0, 0, 0
    counts = Counts(*(np.zeros(table.size, dtype=int) for _ in range(3)))
    shares = pilot(table, settings, str(seed))
    while True:
        for share in shares:
            counts.scored[share.task] += share.attempts
            counts.passes[share.task] += rng.binomial(share.attempts, world.p[share.task])
        now = judge(table, counts, settings, selection)
        planned = plan_round(table, counts, now, settings, selection, str(seed))
        if loop and batches < settings.max_batches:
            requests = request_tasks(table, now, planned, settings, selection, spaces, str(seed))
            if requests:
                batches += 1
                world.make(requests)
                more = np.zeros(len(world.p) - table.size, dtype=int)
                further += len(more)
                counts = Counts(*(np.append(part, more) for part in (counts.passes, counts.scored, counts.unscored)))
                table = world.table()
                now = judge(table, counts, settings, selection)
                planned = plan_round(table, counts, now, settings, selection, str(seed))
        shares = planned.shares
        if now.missing.nothing or not shares or counts.total >= settings.max_attempts:
            break
        rounds += 1
    best = optimum(table, now.accepted, now.belief.mixed_of_8, selection)
    chosen = np.flatnonzero(now.accepted) if best is None else best.chosen
    lacking = sum(missing(table, now.accepted, selection, 0.0).domains.values())
    p = world.p[chosen]
    return Outcome(
        attempts=counts.total,
        found=selection.size - lacking,
        in_band=_in_band(p),
        claimed=float(now.belief.in_band[chosen].mean()),
        bias_raw=float((counts.passes[chosen] / counts.scored[chosen] - p).mean()),
        bias_posterior=float((now.belief.mean[chosen] - p).mean()),
        rounds=rounds,
        further=further,
        seconds=time.process_time() - started,
    )


def _in_band(p: np.ndarray) -> float:
    return float(((p >= BAND.low) & (p <= BAND.high)).mean()) if len(p) else float("nan")


class Outcomes:
    """Outcomes by world, method and seed, simulated when first asked for."""

    def __init__(self, cache: Path | None) -> None:
        self._cache = cache
        self._known: dict[tuple[str, str, int], Outcome] = {}
        if cache is not None and cache.exists():
            for line in cache.read_text().splitlines():
                row = json.loads(line)
                self._known[row["world"], row["method"], row["seed"]] = Outcome(**row["outcome"])

    def get(self, world: str, name: str, method: Method, seed: int) -> Outcome:
        key = (world, name, seed)
        if key not in self._known:
            self._known[key] = method(World(WORLDS[world], seed), seed)
            if self._cache is not None:
                row = {"world": world, "method": name, "seed": seed, "outcome": dataclasses.asdict(self._known[key])}
                with self._cache.open("a") as file:
                    file.write(json.dumps(row) + "\n")
        return self._known[key]

    def mean(self, world: str, name: str, method: Method, seeds: int) -> Outcome:
        """Mean over the seeds."""
        some = [self.get(world, name, method, seed) for seed in range(FIRST_SEED, FIRST_SEED + seeds)]
        means: dict[str, float | None] = {}
        for field in dataclasses.fields(Outcome):
            values = [getattr(outcome, field.name) for outcome in some]
            means[field.name] = None if None in values else float(np.mean(values))
        return Outcome(**means)  # type: ignore[arg-type]


def budget_table(outcomes: Outcomes, seeds: int) -> str:
    """The budgets and what was reached."""
    lines = ["| | attempts | found | truly in band | claimed |", "| --- | --- | --- | --- | --- |"]
    for budget in BUDGETS:
        got = outcomes.mean(budget.world, budget.method, METHODS[budget.method], seeds)
        asked = f"≥ {budget.found}" if budget.found < 587 else "587"
        error = f"within {100 * budget.claim_error:.0f} points of the true"
        loop = " with the closed loop" if budget.method == "ours_loop" else ""
        lines += [
            f"| {budget.world}{loop}: budget | ≤ {budget.attempts:,} | {asked} | ≥ {budget.in_band:.0%} | {error} |",
            f"| measured | {got.attempts:,.0f} | {got.found:.1f} | {got.in_band:.1%} | {got.claimed:.1%} |",
        ]
    return "\n".join(lines)


def methods_table(outcomes: Outcomes, world: str, seeds: int) -> str:
    """Every method in one world."""
    lines = [
        "| | attempts | found of 587 | truly in band | claimed | raw pass rates off by | posterior means off by |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, method in METHODS.items():
        got = outcomes.mean(world, name, method, seeds)
        claimed = "" if got.claimed is None else f"{got.claimed:.1%}"
        bias = "" if got.bias_posterior is None else f"{got.bias_posterior:+.3f}"
        lines.append(
            f"| {LABELS[name]} | {got.attempts:,.0f} | {got.found:.0f} | {got.in_band:.1%} | {claimed} | "
            f"{got.bias_raw:+.3f} | {bias} |"
        )
    return "\n".join(lines)


def worlds_table(outcomes: Outcomes, seeds: int) -> str:
    """Attempts, what they found and its precision, of some methods in every world."""
    names = ("ours", "ours_loop", "sequential", "two_stage", "fixed_8")
    heads = ("this allocation", "closed loop", "sequential alone", "two stages", "8 attempts each")
    lines = [f"| world | {' | '.join(heads)} |", f"| --- |{' --- |' * len(heads)}"]
    for world in SIX_WORLDS:
        cells = []
        for name in names:
            got = outcomes.mean(world, name, METHODS[name], seeds)
            found = "" if got.found > 586.9 else f" for {got.found:.0f}"
            cells.append(f"{got.attempts:,.0f}{found}, {got.in_band:.0%}")
        lines.append(f"| {world} | {' | '.join(cells)} |")
    return "\n".join(lines)


def batches_table(outcomes: Outcomes, seeds: int) -> str:
    """Attempts and rounds in the world `mid` by how much of the deficit a round attempts."""
    lines = ["| `batch_share` | rounds | attempts | truly in band |", "| --- | --- | --- | --- |"]
    for share in BATCH_SHARES:
        method = partial(ours, settings=SETTINGS.model_copy(update={"batch_share": share}))
        got = outcomes.mean("mid", f"ours in batches of {share}", method, seeds)
        lines.append(f"| {share} | {got.rounds:.0f} | {got.attempts:,.0f} | {got.in_band:.1%} |")
    return "\n".join(lines)


def curves(outcomes: Outcomes, seeds: int) -> list[Curve]:
    """The figure's curves in the world `mid`."""
    return [
        Curve(
            label,
            tuple(
                (mean.attempts, mean.in_band)
                for mean in (outcomes.mean("mid", name, method, seeds) for name, method in points.items())
            ),
        )
        for label, points in CURVES.items()
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", nargs="+", choices=sorted(WORLDS))
    parser.add_argument("--methods", nargs="+", choices=sorted(METHODS))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--cache", type=Path, help="JSONL file of outcomes")
    parser.add_argument("--write", action="store_true", help="every world and method, into docs/calibration.md")
    arguments = parser.parse_args()
    outcomes, seeds = Outcomes(arguments.cache), arguments.seeds
    if arguments.write:
        write_section(PAGE, "budget", budget_table(outcomes, seeds))
        write_section(PAGE, "methods", methods_table(outcomes, "mid", seeds))
        few = min(seeds, FEW_SEEDS)
        write_section(PAGE, "worlds", worlds_table(outcomes, few))
        write_section(PAGE, "batches", batches_table(outcomes, few))
        draw(curves(outcomes, few), f"587 tasks in the world “mid”, means over {few} seeds", FIGURE)
        return 0
    if arguments.worlds or arguments.methods:
        wanted = [(w, m) for w in arguments.worlds or SIX_WORLDS for m in arguments.methods or METHODS]
    else:
        wanted = [(budget.world, budget.method) for budget in BUDGETS]
    print(f"{'world':8s}{'method':12s}{'seed':>5s}{_heads()}")
    for world, name in wanted:
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            outcome = outcomes.get(world, name, METHODS[name], seed)
            print(f"{world:8s}{name:12s}{seed:5d}{_row(outcome)}", flush=True)
        print(f"{world:8s}{name:12s}{'mean':>5s}{_row(outcomes.mean(world, name, METHODS[name], seeds))}", flush=True)
    over = [
        budget
        for budget in BUDGETS
        if (budget.world, budget.method) in wanted
        and not within(budget, outcomes.mean(budget.world, budget.method, METHODS[budget.method], seeds))
    ]
    for budget in over:
        print(f"over budget: {budget}")
    refit_s = refit_seconds()
    print(f"a refit on 10,000 attempted tasks takes {refit_s:.2f} s (budget {REFIT_BUDGET_S:.0f})")
    return 1 if over or refit_s > REFIT_BUDGET_S else 0


def _heads() -> str:
    return "".join(f"{field.name:>15s}" for field in dataclasses.fields(Outcome))


def _row(outcome: Outcome) -> str:
    cells = []
    for field in dataclasses.fields(Outcome):
        value = getattr(outcome, field.name)
        digits = 3 if field.name in ("in_band", "claimed", "bias_raw", "bias_posterior") else 1
        cells.append(f"{'-' if value is None else f'{value:.{digits}f}':>15s}")
    return "".join(cells)


if __name__ == "__main__":
    sys.exit(main())
