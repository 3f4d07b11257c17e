from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from calibration.allocation import PRICES, PRIORITY_MEANS, Counts, assess, pilot, plan_round, priority_table
from calibration.candidate import Candidate, tabulate
from calibration.settings import Band, CalibrationSettings, SelectionSettings

BAND = Band(low=0.2, high=0.8)


def settings_of(**changes) -> CalibrationSettings:
    return CalibrationSettings(**{"band": BAND, "max_attempts": 10_000, "max_batches": 0, **changes})


def candidates_of(domains: tuple[str, ...] = ("sales", "hr"), families: int = 3, each: int = 10) -> list[Candidate]:
    return [
        Candidate(f"{domain}-{family}-{index:02d}", domain, f"f{family}", {"hops": float(index % 5)}, ("gmail",))
        for domain in domains
        for family in range(families)
        for index in range(each)
    ]


def counts_of(table, passes: dict[str, tuple[int, int]]) -> Counts:
    counts = Counts(*(np.zeros(table.size, dtype=int) for _ in range(3)))
    for task_id, (k, n) in passes.items():
        counts.passes[table.ids.index(task_id)], counts.scored[table.ids.index(task_id)] = k, n
    return counts


def best_price(mean: float, sd: float, k0: int, n0: int, settings: CalibrationSettings) -> float:
    """The priority by its definition: the price at which going on from (k0, n0) is just worth nothing."""
    x = np.linspace(-12, 12, 4001)
    p = expit(x)

    def weights(k: int, n: int) -> np.ndarray:
        weight = 0.95 * norm.pdf(x, mean, sd) / norm.pdf(x, mean, sd).sum()
        weight[np.abs(x + 6).argmin()] += 0.05
        weight *= p**k * (1 - p) ** (n - k)
        return weight / weight.sum()

    @cache
    def known(k: int, n: int) -> tuple[bool, float]:
        weight = weights(k, n)
        in_band = weight[(p >= settings.band.low) & (p <= settings.band.high)].sum()
        return bool(0 < k < n and n >= settings.n_min and in_band >= settings.tau), float(weight @ p)

    def worth(k: int, n: int, price: float) -> float:
        if known(k, n)[0]:
            return 1.0
        return 0.0 if n == settings.n_max else max(0.0, going_on(k, n, price))

    def going_on(k: int, n: int, price: float) -> float:
        chance = known(k, n)[1]
        return chance * worth(k + 1, n + 1, price) + (1 - chance) * worth(k, n + 1, price) - price

    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if going_on(k0, n0, middle) > 0 else (low, middle)
    return low


@pytest.mark.parametrize("place", [(-1.0, 0, 0), (0.0, 0, 0), (0.25, 1, 2), (-0.75, 1, 5), (1.5, 3, 4)])
def test_priority_is_the_price_at_which_optimal_stopping_breaks_even(place: tuple[float, int, int]) -> None:
    mean, k, n = place
    settings = settings_of(n_max=6, tau=0.7)
    table = priority_table(1.2, 0.05, settings)
    found = table.of(np.array([mean]), np.array([k]), np.array([n]))[0]
    exact = best_price(mean, 1.2, k, n, settings)
    assert exact > PRICES[0]
    assert exact / 1.13 <= found <= exact * 1.01  # prices are 12% apart, the table has the one below


def test_priority_is_greatest_for_tasks_expected_in_the_middle_and_rises_with_good_news() -> None:
    table = priority_table(1.2, 0.05, settings_of())
    untried = table.values[0, 0]
    assert abs(PRIORITY_MEANS[untried.argmax()]) <= 0.5
    assert untried[0] == untried[-1] == 0
    middle = len(PRIORITY_MEANS) // 2
    assert table.values[4, 2, middle] > table.values[0, 0, middle] > table.values[4, 0, middle]


def test_a_band_too_narrow_for_tau_shows_as_unattainable() -> None:
    assert priority_table(1.2, 0.05, settings_of(band=Band(low=0.45, high=0.55))).attainable < 0.5
    assert priority_table(1.2, 0.05, settings_of()).attainable > 0.9


def test_acceptance_needs_enough_attempts_both_outcomes_and_credibility() -> None:
    table = tabulate(candidates_of())
    counts = counts_of(
        table,
        {
            "hr-0-00": (4, 8),
            "hr-0-01": (1, 2),
            "hr-0-02": (8, 8),
            "hr-0-03": (0, 12),
            "hr-1-00": (11, 12),
            "sales-0-00": (3, 6),
        },
    )
    selection = SelectionSettings(quotas={"sales": 1, "hr": 1}, family_cap=3, cluster_cap=1, min_per_app=0)
    now = assess(table, counts, settings_of(), selection)
    assert [table.ids[index] for index in np.flatnonzero(now.accepted)] == ["hr-0-00", "sales-0-00"]
    assert [table.ids[index] for index in np.flatnonzero(now.closed)] == ["hr-0-03", "hr-1-00"]
    assert now.missing.counts == {"domain hr": 1, "domain sales": 1}  # the spare ones


def test_unscored_attempts_are_no_fails_and_close_a_task_in_the_end() -> None:
    table = tabulate(candidates_of())
    selection = SelectionSettings(quotas={"sales": 1}, family_cap=3, cluster_cap=1, min_per_app=0)
    counts = counts_of(table, {"sales-0-00": (3, 6), "hr-0-00": (2, 5)})
    before = assess(table, counts, settings_of(), selection)
    counts.unscored[[0, 1]] = (11, 12)
    after = assess(table, counts, settings_of(), selection)
    assert (before.belief.in_band == after.belief.in_band).all()
    assert after.closed.tolist() == [False, True] + [False] * (table.size - 2)


def test_a_round_spends_only_where_something_is_missing_and_spares_crowded_families() -> None:
    table = tabulate(candidates_of(families=2))
    selection = SelectionSettings(quotas={"sales": 8, "hr": 1}, family_cap=4, cluster_cap=1, min_per_app=0)
    known = {f"hr-{family}-00": (4, 8) for family in (0, 1)}
    known |= {f"sales-0-{index:02d}": (4, 8) for index in range(3)}
    counts = counts_of(table, known)
    settings = settings_of(batch_share=4)
    now = assess(table, counts, settings, selection)
    planned = plan_round(table, counts, now, settings, selection, "seed")
    families = [table.ids[share.task][:7] for share in planned.shares]
    assert set(families) == {"sales-0", "sales-1"}
    assert families.count("sales-0") == 2  # 1.5 x room for 1, rounded up
    assert families.count("sales-1") == 6
    assert all(share.attempts == 1 and share.priority >= 1 / 40 for share in planned.shares)
    assert planned.hopeless == ()
    assert plan_round(table, counts, now, settings, selection, "seed").shares == planned.shares


def test_an_application_that_is_missing_gets_attempts_of_its_own() -> None:
    candidates = [*candidates_of(("sales",), 1), Candidate("x", "sales", "f9", {"hops": 2.0}, ("xero",))]
    table = tabulate(candidates)
    selection = SelectionSettings(quotas={"sales": 2}, family_cap=9, cluster_cap=1, min_per_app=1)
    counts = counts_of(table, {f"sales-0-{index:02d}": (4, 8) for index in range(3)})
    now = assess(table, counts, settings_of(), selection)
    assert now.missing.counts == {"app xero": 1}
    planned = plan_round(table, counts, now, settings_of(), selection, "seed")
    assert [table.ids[share.task] for share in planned.shares] == ["x"]


def test_hopeless_domains_are_named() -> None:
    table = tabulate(candidates_of(("sales", "hr")))
    known = {f"hr-{family}-{index:02d}": (0, 6) for family in range(3) for index in range(10)}
    counts = counts_of(table, known | {"sales-0-00": (2, 4)})
    selection = SelectionSettings(
        quotas={"sales": 2, "hr": 2, "finance": 1}, family_cap=3, cluster_cap=1, min_per_app=0
    )
    now = assess(table, counts, settings_of(), selection)
    planned = plan_round(table, counts, now, settings_of(), selection, "seed")
    assert planned.hopeless == ("domain finance", "domain hr")
    assert {table.ids[share.task].split("-")[0] for share in planned.shares} == {"sales"}


def test_the_pilot_tries_every_family_and_half_of_its_tasks_three_times() -> None:
    table = tabulate(candidates_of(families=5))
    shares = pilot(table, settings_of(pilot_per_family=4), "seed")
    assert sorted(table.family[share.task] for share in shares) == sorted(list(range(10)) * 4)
    assert sum(share.attempts for share in shares) == 10 * (3 + 1 + 3 + 1)
    assert len({share.task for share in shares}) == 40
    assert pilot(table, settings_of(pilot_per_family=4), "seed") == shares
    assert pilot(table, settings_of(pilot_per_family=4), "other") != shares
