"""The worlds of the allocation benchmark are like those of the reference file, where that is at hand."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from benchmarks.worlds import KNOBS, WORLDS, World

REFERENCE = Path(__file__).parents[3] / "shared" / "calibration_worlds.py"


def shape(p: np.ndarray, family: np.ndarray, knobs: np.ndarray) -> np.ndarray:
    """What a world looks like: mean, share in band, share broken, spread of family sizes, knob levels and effects."""
    sizes = np.bincount(family)
    effects = [np.corrcoef(knobs[:, place], p)[0, 1] for place in range(knobs.shape[1])]
    return np.array(
        [
            p.mean(),
            ((p >= 0.2) & (p <= 0.8)).mean(),
            (np.abs(p - 1 / (1 + np.exp(6))) < 1e-9).mean(),
            sizes.std() / sizes.mean(),
            *(knobs.mean(axis=0) / 8),
            *effects,
        ]
    )


@pytest.mark.parametrize("name", ["mid", "hard", "easy", "noisy", "useless", "clean"])
def test_worlds_are_like_the_reference_ones(name: str) -> None:
    if not REFERENCE.exists():
        pytest.skip(f"{REFERENCE} is not here to compare with")
    spec = importlib.util.spec_from_file_location("calibration_worlds", REFERENCE)
    assert spec is not None and spec.loader is not None
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    seeds = range(6)
    ours = [World(WORLDS[name], seed) for seed in seeds]
    theirs = [reference.World(np.random.default_rng(seed), **reference.WORLDS[name]) for seed in seeds]
    found = np.array([shape(world.p, world.family, world.knobs) for world in ours])
    wanted = np.array([shape(world.p, world.fam, world.knob) for world in theirs])
    error = np.sqrt((found.var(axis=0) + wanted.var(axis=0)) / len(seeds)) + 0.003
    assert (np.abs(found.mean(axis=0) - wanted.mean(axis=0)) < 4 * error).all()


def test_a_world_has_the_asked_mean_and_families_by_quota() -> None:
    world = World(WORLDS["mid"], 1)
    assert world.p.mean() == pytest.approx(0.30 * 0.95, abs=0.01)
    assert (world.p < 0.003).mean() == pytest.approx(0.05, abs=0.01)
    assert np.bincount(world.family_domain).tolist() == [23, 18, 17, 16, 13, 13]
    assert [set(column) for column in world.knobs.T.tolist()] == [set(map(float, levels)) for levels in KNOBS.values()]
