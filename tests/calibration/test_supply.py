from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from calibration.allocation import Counts, assess, plan_round
from calibration.candidate import Candidate, CandidateTable, tabulate
from calibration.settings import Band, CalibrationSettings, SelectionSettings
from calibration.supply import KnobSpace, TaskRequest, request_tasks

SETTINGS = CalibrationSettings(band=Band(low=0.2, high=0.8), max_attempts=10_000, max_batches=3)
SELECTION = SelectionSettings(quotas={"sales": 8}, family_cap=8, cluster_cap=1, min_per_app=0)
HARD = {5.0: 0.2, 6.0: 0.0, 7.0: 0.0, 8.0: 0.0}
LEVELS = {"hops": tuple(map(float, range(1, 9))), "traps": tuple(map(float, range(4)))}


def attempted(chance: dict[float, float]) -> tuple[CandidateTable, Counts]:
    """Forty tasks at the given levels of `hops`, each attempted six times and passed by that share."""
    hops = sorted(chance)
    table = tabulate(
        Candidate(f"t{i:02d}", "sales", "f", {"hops": hops[i % len(hops)], "traps": float(i // 4 % 4)})
        for i in range(40)
    )
    passes = np.array([round(6 * chance[one.knobs["hops"]]) for one in table.candidates])
    return table, Counts(passes, np.full(40, 6), np.zeros(40, dtype=int))


def requests_for(chance: dict[float, float], levels: dict[str, tuple[float, ...]] = LEVELS) -> tuple[TaskRequest, ...]:
    table, counts = attempted(chance)
    now = assess(table, counts, SETTINGS, SELECTION)
    planned = plan_round(table, counts, now, SETTINGS, SELECTION, "seed")
    space = KnobSpace(domain="sales", family="f", levels=levels)
    return request_tasks(table, now, planned, SETTINGS, SELECTION, [space], "seed")


def test_tasks_that_are_too_hard_are_followed_by_requests_at_easier_settings() -> None:
    requests = requests_for(HARD)
    assert sum(request.count for request in requests) >= 8
    assert max(request.knobs["hops"] for request in requests) < 5
    assert all(0.3 < request.in_band < 1 for request in requests)


def test_tasks_that_are_too_easy_are_followed_by_requests_at_harder_settings() -> None:
    requests = requests_for({1.0: 1.0, 2.0: 1.0, 3.0: 1.0, 4.0: 0.8})
    assert min(request.knobs["hops"] for request in requests) > 3


def test_nothing_is_asked_for_while_the_tasks_at_hand_do() -> None:
    assert requests_for({3.0: 0.67, 4.0: 0.5, 5.0: 0.5, 6.0: 0.33}) == ()


def test_a_large_space_is_sampled_and_every_request_lies_in_it() -> None:
    levels = {**LEVELS, "hops": tuple(np.linspace(1, 8, 1001).tolist())}  # 4,004 settings
    requests = requests_for(HARD, levels)
    assert requests == requests_for(HARD, levels)
    assert all(request.knobs[name] in levels[name] for request in requests for name in levels)
    knobs = [tuple(request.knobs.items()) for request in requests]
    assert len(set(knobs)) == len(knobs)


def test_the_chance_of_a_request_is_that_of_the_regression() -> None:
    table, counts = attempted(HARD)
    model = assess(table, counts, SETTINGS, SELECTION).model
    request = requests_for(HARD)[0]
    row = np.array([request.knobs["hops"], request.knobs["traps"]])
    x = np.array([1.0, *((row - table.knob_mean) / table.knob_sd), 1.0, 1.0])  # one domain, one family
    mean, sd = x @ model.coefficients, np.sqrt(x @ model.covariance @ x + model.s**2)
    edge = np.log(4)
    inside = (1 - model.broken) * (norm.cdf(edge, mean, sd) - norm.cdf(-edge, mean, sd))
    assert request.in_band == pytest.approx(inside, abs=0.01)
