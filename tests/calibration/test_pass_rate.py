from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from calibration.candidate import Candidate, tabulate
from calibration.pass_rate import SUPPORT, band_weights, fit, integrated_likelihood, posterior
from calibration.settings import Band

BAND = Band(low=0.2, high=0.8)


def table_of(count: int, seed: int = 3, families: int = 6):
    rng = np.random.default_rng(seed)
    return tabulate(
        Candidate(
            id=f"t{index:04d}",
            domain="sales" if index % families < families // 2 else "hr",
            family=f"f{index % families}",
            knobs={"hops": float(rng.integers(1, 9)), "traps": float(rng.integers(0, 4))},
        )
        for index in range(count)
    )


@pytest.mark.parametrize(
    ("mean", "sd", "passes", "scored"),
    [(0.0, 1.2, 0, 0), (-1.0, 1.5, 2, 3), (0.7, 0.9, 5, 12), (-2.5, 2.0, 1, 8), (3.0, 1.0, 4, 4)],
)
def test_posterior_agrees_with_numerical_integration(mean: float, sd: float, passes: int, scored: int) -> None:
    def likelihood(p: float) -> float:
        return p**passes * (1 - p) ** (scored - passes)

    def weight(x: float) -> float:
        return 0.9 * norm.pdf(x, mean, sd) * likelihood(1 / (1 + math.exp(-x)))

    def expectation(of, low: float = -12.0, high: float = 12.0) -> float:
        broken = 1 / (1 + math.exp(6))
        of_broken = 0.1 * likelihood(broken) * of(broken) if low < -6 < high else 0.0
        return quad(lambda x: of(1 / (1 + math.exp(-x))) * weight(x), low, high, limit=200)[0] + of_broken

    total = expectation(lambda p: 1.0)
    edge = math.log(4)
    belief = posterior(np.array([mean]), np.array([sd**2]), np.array([passes]), np.array([scored]), BAND, 0.1)
    assert belief.in_band[0] == pytest.approx(expectation(lambda p: 1.0, -edge, edge) / total, abs=1e-3)
    assert belief.mean[0] == pytest.approx(expectation(lambda p: p) / total, abs=1e-4)
    assert belief.variance_signal[0] == pytest.approx(expectation(lambda p: p * (1 - p)) / total, abs=1e-4)
    assert belief.mixed_of_8[0] == pytest.approx(expectation(lambda p: 1 - p**8 - (1 - p) ** 8) / total, abs=1e-4)


def test_band_may_reach_to_certainty() -> None:
    assert band_weights(Band(low=0.0, high=1.0)).sum() == pytest.approx(len(SUPPORT))
    upper = band_weights(Band(low=0.5, high=1.0))
    assert upper[SUPPORT < 0].sum() == 0
    assert upper[SUPPORT > 0].sum() == pytest.approx(80)


@pytest.mark.parametrize(("mean", "s", "passes", "scored"), [(0.3, 1.2, 1, 3), (-2.0, 0.6, 0, 5), (1.0, 1.5, 7, 8)])
def test_integrated_likelihood_agrees_with_numerical_integration(
    mean: float, s: float, passes: int, scored: int
) -> None:
    def exact(at: float) -> float:
        def integrand(e: float) -> float:
            p = float(expit(at + e))
            return norm.pdf(e, 0, s) * p**passes * (1 - p) ** (scored - passes)

        broken = float(expit(-6)) ** passes * float(expit(6)) ** (scored - passes)
        return math.log(0.95 * quad(integrand, -10 * s, 10 * s, limit=200)[0] + 0.05 * broken)

    found = integrated_likelihood(np.array([mean]), np.array([passes]), np.array([scored]), s, 0.05)
    value, slope, curvature, broken = found.value, found.slope, found.curvature, found.broken
    assert value[0] == pytest.approx(exact(mean), abs=2e-3)
    assert slope[0] == pytest.approx((exact(mean + 1e-3) - exact(mean - 1e-3)) / 2e-3, abs=1e-2)
    bend = -(exact(mean + 1e-2) - 2 * exact(mean) + exact(mean - 1e-2)) / 1e-4
    assert curvature[0] == pytest.approx(max(bend, 0), abs=2e-2)
    share = 0.05 * float(expit(-6)) ** passes * float(expit(6)) ** (scored - passes) / math.exp(exact(mean))
    assert broken[0] == pytest.approx(share, abs=1e-2)


def test_fit_recovers_slopes_and_residual() -> None:
    table = table_of(1500)
    rng = np.random.default_rng(11)
    shift = np.array([-0.6, 0.0, 0.6, -0.6, 0.0, 0.6])[[int(name[-1]) for name in table.families]]
    logits = -0.5 - 0.9 * table.design.knobs[:, 0] + 0.4 * table.design.knobs[:, 1] + shift[table.family]
    p = np.where(rng.random(table.size) < 0.1, 0.0, expit(logits + rng.normal(0, 1.3, table.size)))
    scored = np.full(table.size, 6)
    model = fit(table, rng.binomial(scored, p), scored)
    assert model.names[1:3] == ("knob hops", "knob traps")
    for place, truth in ((1, -0.9), (2, 0.4)):
        assert abs(model.coefficients[place] - truth) < 4 * model.standard_errors[place]
        assert model.standard_errors[place] < 0.06
    assert model.s == pytest.approx(1.3, abs=0.15)
    assert model.broken == pytest.approx(0.1, abs=0.05)
    assert model.family_sd == pytest.approx(0.5, abs=0.2)
    mean, variance = model.predict(table.design)
    assert np.abs(mean - logits).max() < 0.4
    assert (variance > model.s**2).all()


def test_without_signal_the_residual_stays_at_its_prior() -> None:
    table = table_of(60)
    scored = np.zeros(60, dtype=int)
    scored[:12] = 1
    passes = scored * (np.arange(60) % 2)
    assert 0.8 < fit(table, passes, scored).s < 1.6


def test_untried_tasks_and_their_order_change_nothing() -> None:
    table = table_of(300)
    rng = np.random.default_rng(2)
    scored = np.where(rng.random(300) < 0.4, 3, 0)
    passes = rng.binomial(scored, 0.4)
    first, again = fit(table, passes, scored), fit(table, passes, scored)
    assert (first.coefficients == again.coefficients).all()
    shuffled = tabulate(tuple(reversed(table.candidates)))
    assert shuffled.ids == table.ids
    assert (shuffled.design.knobs == table.design.knobs).all()


def test_all_passes_and_no_pass_stay_finite() -> None:
    table = table_of(40)
    scored = np.full(40, 4)
    for passes in (np.zeros(40, dtype=int), scored):
        model = fit(table, passes, scored)
        assert np.isfinite(model.coefficients).all()
        assert abs(model.coefficients[0]) < 8


def test_nothing_scored_is_refused() -> None:
    table = table_of(5)
    with pytest.raises(ValueError, match="sample the pilot first"):
        fit(table, np.zeros(5, dtype=int), np.zeros(5, dtype=int))


def test_a_knob_that_a_family_lacks_is_zero_before_standardising() -> None:
    table = tabulate(
        [
            Candidate("a", "sales", "f", {"hops": 2.0}),
            Candidate("b", "sales", "g", {"hops": 4.0, "traps": 3.0}),
            Candidate("c", "sales", "g", {"hops": 6.0, "traps": 3.0}),
        ]
    )
    assert table.knob_mean.tolist() == [4.0, 2.0]
    assert table.design.knobs == pytest.approx(np.array([[-1.2247, -1.4142], [0, 0.7071], [1.2247, 0.7071]]), abs=1e-4)


def test_two_candidates_with_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="candidate a occurs twice"):
        tabulate([Candidate("a", "sales", "f", {}), Candidate("a", "sales", "g", {})])


def test_a_refit_on_ten_thousand_attempted_tasks_takes_less_than_two_seconds() -> None:
    table = table_of(10_000, families=100)
    rng = np.random.default_rng(4)
    scored = rng.integers(1, 9, table.size)
    passes = rng.binomial(scored, expit(-1.0 - 0.8 * table.design.knobs[:, 0] + rng.normal(0, 1.2, table.size)))
    started = time.process_time()
    fit(table, passes, scored)
    assert time.process_time() - started < 2
