"""How often the 95% interval of the gain contains the true gain, in simulated studies whose truth is known.

    python -m benchmarks.coverage [--studies 1000] [--write]

A study draws tasks from an endless pool: the base's pass rate on a task is Beta(0.9, 1.6), the log odds of the
adapter's lie `shift` higher, with a standard deviation of 0.8 between tasks and, where families are said, of 0.8
between families; each side then makes its attempts. The truth is the mean gain over the pool, from four million tasks.
Budget: 93 to 97% for the percentile interval on 600 tasks x 3 attempts.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from benchmarks.doc_section import write_section
from environment.rng import derive_seed
from evaluation.bootstrap import paired_bootstrap

PAGE = Path(__file__).parents[1] / "docs" / "evaluation.md"
POOL, RESAMPLES = 4_000_000, 2_000
BETWEEN_TASKS = BETWEEN_FAMILIES = 0.8


@dataclass(frozen=True)
class Design:
    """One kind of study."""

    name: str
    tasks: int
    attempts: int
    shift: float
    """True gain in log odds."""
    families: int = 0
    """Families that the tasks are split over evenly; 0 draws every task for itself."""


DESIGNS = (
    Design("a whole suite", 600, 3, 0.7),
    Design("a whole suite, hardly a gain", 600, 3, 0.0),
    Design("one attempt a task", 600, 1, 0.7),
    Design("a suite of 150 tasks", 150, 3, 0.7),
    Design("one domain", 100, 3, 0.7),
    Design("one family", 13, 3, 0.7),
    Design("60 families that move together", 600, 3, 0.7, families=60),
    Design("12 families that move together", 600, 3, 0.7, families=12),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help="put the table into docs/evaluation.md")
    given = parser.parse_args()
    lines = [
        "| study | tasks x attempts | true gain | percentile | BCa | families drawn |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    shares = {}
    for design in DESIGNS:
        truth = _truth(design)
        covered = [_study(design, number, truth) for number in range(given.studies)]
        percentile, bca, clustered = (_share([row[place] for row in covered]) for place in range(3))
        shares[design.name] = percentile
        cells = [design.name, f"{design.tasks} x {design.attempts}", f"{100 * truth:+.1f}"]
        lines.append("| " + " | ".join([*cells, percentile, bca, clustered]) + " |")
        print(lines[-1], flush=True)
    table = (
        f"Share of {given.studies:,} simulated studies whose 95% interval holds the true gain "
        f"({RESAMPLES:,} resamples each).\n\n" + "\n".join(lines)
    )
    if given.write:
        write_section(PAGE, "coverage", table)
    return 0 if 93 <= float(shares["a whole suite"].rstrip("%")) <= 97 else 1


def _truth(design: Design) -> float:
    rng = np.random.default_rng(derive_seed("coverage", "pool", str(design.shift), design.families > 0))
    base, adapter = _rates(rng, design, POOL, POOL if design.families else 0)
    return float(np.mean(adapter - base))


def _rates(
    rng: np.random.Generator, design: Design, tasks: int, families: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """True pass rates of both sides, shape (tasks,)."""
    base = np.clip(rng.beta(0.9, 1.6, size=tasks), 1e-6, 1 - 1e-6)
    shift = design.shift + rng.normal(0, BETWEEN_TASKS, size=tasks)
    if families:
        shift += rng.normal(0, BETWEEN_FAMILIES, size=families)[np.arange(tasks) % families]
    return base, expit(logit(base) + shift)


def _study(design: Design, number: int, truth: float) -> tuple[bool, bool, bool | None]:
    """Whether each kind of interval holds the truth; None for drawn families where there are none."""
    rng = np.random.default_rng(derive_seed("coverage", design.name, number))
    rates = _rates(rng, design, design.tasks, design.families)
    base, adapter = ((rng.binomial(design.attempts, rate) / design.attempts).tolist() for rate in rates)
    found = paired_bootstrap(base, adapter, seed=number, resamples=RESAMPLES)
    clustered = None
    if design.families:
        clusters = [str(task % design.families) for task in range(design.tasks)]
        drawn = paired_bootstrap(base, adapter, seed=number, resamples=RESAMPLES, clusters=clusters)
        clustered = _holds(drawn.low, drawn.high, truth)
    return _holds(found.low, found.high, truth), _holds(found.bca_low, found.bca_high, truth), clustered


def _holds(low: float | None, high: float | None, truth: float) -> bool:
    return low is not None and high is not None and low <= truth <= high


def _share(held: list[bool | None]) -> str:
    known = [one for one in held if one is not None]
    return f"{100 * sum(known) / len(known):.1f}%" if known else ""


if __name__ == "__main__":
    sys.exit(main())
