"""The allocation benchmark: its rivals, its figure, and our method at sizes that take seconds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.allocation import BUDGETS, CURVES, LABELS, METHODS, Outcome, Outcomes, ours, within
from benchmarks.allocation_figure import Curve, draw
from benchmarks.rivals import fill, fixed, fixed_with_posterior, two_stage
from benchmarks.worlds import WORLDS, World
from calibration.settings import Band, CalibrationSettings

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"


@pytest.fixture(scope="module")
def world() -> World:
    return World(WORLDS["laptop"], 3)


def test_a_laptop_engagement_is_filled_from_600_tasks_of_6_families() -> None:
    settings = CalibrationSettings(band=Band(low=0.2, high=0.8), max_attempts=40_000, max_batches=10, batch_share=2)
    outcome = ours(World(WORLDS["laptop"], 1), 1, settings, loop=True)
    assert outcome.found == 96
    assert outcome.attempts < 1500
    assert outcome.in_band > 0.75


def test_one_seed_of_the_mid_world_is_filled_in_half_the_attempts_of_eight_each() -> None:
    outcome = ours(World(WORLDS["mid"], 1000), 1000)
    eight_each = fill(World(WORLDS["mid"], 1000), fixed(8), 1000)
    assert outcome.found == len(eight_each.tasks) == 587
    assert outcome.attempts < 0.5 * eight_each.attempts
    assert outcome.claimed == pytest.approx(outcome.in_band, abs=0.05)
    assert abs(outcome.bias_posterior or 1) < outcome.bias_raw


@pytest.mark.parametrize("rival", [fixed(8), two_stage(4, 12), fixed_with_posterior(8, 0.8)])
def test_a_rival_keeps_to_quotas_and_caps(world: World, rival) -> None:
    haul = fill(world, rival, 5)
    assert len(set(haul.tasks.tolist())) == len(haul.tasks)
    by_domain = np.bincount(world.family_domain[world.family[haul.tasks]], minlength=6)
    assert (by_domain <= 16).all()
    assert by_domain.sum() > 60
    assert (np.bincount(world.family[haul.tasks]) <= 18).all()
    again = fill(world, rival, 5)
    assert (again.tasks == haul.tasks).all()
    assert again.attempts == haul.attempts


def test_fixed_attempts_are_kept_by_their_share_and_screened_ones_need_both_outcomes_first(world: World) -> None:
    eight = fill(world, fixed(8), 5)
    assert set((eight.raw * 8).tolist()) <= {2, 3, 4, 5, 6}
    assert eight.attempts % 8 == 0
    staged = fill(world, two_stage(4, 12), 5)
    assert ((staged.raw * 16 >= 3.2) & (staged.raw * 16 <= 12.8)).all()
    assert set((staged.raw * 16 % 1).tolist()) == {0.0}  # every kept task had all 16
    assert staged.attempts % 4 == 0
    assert staged.in_band is None


def test_a_posterior_claims_what_it_keeps(world: World) -> None:
    haul = fill(world, fixed_with_posterior(8, 0.8), 5)
    assert haul.in_band is not None and haul.mean is not None
    assert (haul.in_band >= 0.8).all()
    assert ((haul.mean > 0.2) & (haul.mean < 0.8)).all()


def outcome_of(**changes) -> Outcome:
    values = {"attempts": 5000, "found": 587, "in_band": 0.88, "claimed": 0.9, "bias_raw": 0.0, "bias_posterior": 0.0}
    return Outcome(**{**values, "rounds": 1, "further": 0, "seconds": 1.0, **changes})


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({}, True),
        ({"attempts": 5201}, False),
        ({"found": 586}, False),
        ({"in_band": 0.86}, False),
        ({"claimed": 0.92}, False),
    ],
)
def test_a_budget_covers_attempts_tasks_precision_and_claim(changes: dict, kept: bool) -> None:
    assert within(BUDGETS[0], outcome_of(**changes)) is kept


def test_outcomes_are_read_again_instead_of_simulated(tmp_path: Path) -> None:
    calls = []

    def method(world: World, seed: int) -> Outcome:
        calls.append(seed)
        return outcome_of(attempts=seed)

    first = Outcomes(tmp_path / "cache.jsonl").mean("laptop", "counted", method, 2)
    again = Outcomes(tmp_path / "cache.jsonl").mean("laptop", "counted", method, 2)
    assert calls == [1000, 1001]
    assert first == again
    assert first.attempts == 1000.5


def test_the_figure_has_the_same_bytes_whenever_it_is_drawn(tmp_path: Path) -> None:
    curves = [Curve("a", ((1000.0, 0.8), (2000.0, 0.9))), Curve("b", ((5000.0, 0.7),))]
    for name in ("first.svg", "second.svg"):
        draw(curves, "title", tmp_path / name)
    drawn = (tmp_path / "first.svg").read_bytes()
    assert drawn == (tmp_path / "second.svg").read_bytes()
    assert b"<dc:date>" not in drawn


def test_the_page_shows_every_method_and_the_figure_every_curve() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert set(LABELS) == set(METHODS)
    assert [label for label in LABELS.values() if f"| {label} |" not in page] == []
    figure = PAGE.with_name("calibration-attempts.svg").read_text(encoding="utf-8")
    assert [label for label in CURVES if label not in figure] == []
