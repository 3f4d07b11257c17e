from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from calibration.candidate import Candidate, CandidateTable, tabulate
from calibration.program import Missing, missing, optimum
from calibration.settings import SelectionSettings


def random_instance(seed: int) -> tuple[CandidateTable, np.ndarray, np.ndarray, SelectionSettings]:
    rng = np.random.default_rng(seed)
    candidates = [
        Candidate(
            id=f"t{index:02d}",
            domain=("sales", "hr")[domain := int(rng.integers(2))],
            family=f"f{domain}{rng.integers(3)}",
            knobs={},
            apps=tuple(sorted({("gmail", "slack", "xero")[int(rng.integers(3))] for _ in range(2)})),
            cluster=None if rng.random() < 0.5 else f"c{rng.integers(3)}",
        )
        for index in range(11)
    ]
    settings = SelectionSettings(
        quotas={"sales": int(rng.integers(1, 4)), "hr": int(rng.integers(1, 4))},
        family_cap=int(rng.integers(1, 4)),
        cluster_cap=int(rng.integers(1, 3)),
        min_per_app=int(rng.integers(0, 3)),
    )
    return tabulate(candidates), rng.random(11) < 0.85, rng.random(11), settings


def is_allowed(table: CandidateTable, chosen: tuple[int, ...], settings: SelectionSettings) -> bool:
    rows = [table.candidates[index] for index in chosen]

    def count(of, value) -> int:
        return sum(of(row) == value for row in rows)

    return (
        all(count(lambda row: row.domain, domain) == quota for domain, quota in settings.quotas.items())
        and all(count(lambda row: row.family, row.family) <= settings.family_cap for row in rows)
        and all(count(lambda row: row.cluster, row.cluster) <= settings.cluster_cap for row in rows if row.cluster)
        and all(sum(app in row.apps for row in rows) >= settings.min_per_app for app in table.apps)
    )


def test_selection_is_the_best_of_all_subsets() -> None:
    feasible = 0
    for seed in range(40):
        table, accepted, signal, settings = random_instance(seed)
        size = settings.size
        allowed = [
            chosen for chosen in combinations(np.flatnonzero(accepted), size) if is_allowed(table, chosen, settings)
        ]
        found = optimum(table, accepted, signal, settings)
        assert (found is None) == (not allowed)
        assert missing(table, accepted, settings, 0.0).nothing == bool(allowed)
        if found is not None:
            feasible += 1
            assert is_allowed(table, tuple(found.chosen), settings)
            assert found.value == pytest.approx(max(sum(signal[list(chosen)]) for chosen in allowed), rel=1e-4)
    assert 10 <= feasible <= 35


def flat(domain: str, family: str, count: int, apps: tuple[str, ...] = (), cluster: str | None = None):
    return [Candidate(f"{domain}{family}{index}", domain, family, {}, apps, cluster) for index in range(count)]


def test_missing_counts_what_caps_leave_over() -> None:
    table = tabulate([*flat("sales", "a", 9), *flat("sales", "b", 2), *flat("hr", "c", 4, cluster="x")])
    settings = SelectionSettings(quotas={"sales": 6, "hr": 3, "finance": 2}, family_cap=3, cluster_cap=2, min_per_app=0)
    everything = np.ones(table.size, dtype=bool)
    assert missing(table, everything, settings, 0.0) == Missing({"finance": 2, "hr": 1, "sales": 1}, {})


def test_missing_names_applications_and_spare_tasks() -> None:
    table = tabulate([*flat("sales", "a", 6, ("gmail",)), *flat("sales", "b", 1, ("xero",))])
    settings = SelectionSettings(quotas={"sales": 6}, family_cap=10, cluster_cap=1, min_per_app=2)
    everything = np.ones(table.size, dtype=bool)
    assert missing(table, everything, settings, 0.0) == Missing({}, {"xero": 1})
    assert missing(table, everything, settings, 0.5) == Missing({"sales": 2}, {"xero": 1})
    assert optimum(table, everything, np.ones(table.size), settings) is None


def test_no_more_spare_tasks_are_wanted_than_family_caps_let_in() -> None:
    table = tabulate(flat("sales", "a", 30))
    settings = SelectionSettings(quotas={"sales": 16}, family_cap=17, cluster_cap=1, min_per_app=0)
    assert missing(table, np.arange(30) < 16, settings, 0.5) == Missing({"sales": 1}, {})
