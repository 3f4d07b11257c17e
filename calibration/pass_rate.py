"""A pass rate is what a task's few attempts, and those on tasks like it, say about how often the model solves it.

The model is logit p_i = x_i . b + e_i with e_i ~ Normal(0, s): one regression over knobs, domains and families, and a
residual per task; a small share of tasks is broken instead, at a fixed low p. It is fitted by penalised maximum
likelihood, the binomial likelihood integrated over e.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit

from calibration.candidate import CandidateTable
from calibration.design import Design
from calibration.settings import Band

_NODES, _NODE_WEIGHTS = np.polynomial.hermite.hermgauss(15)
_LOG_NODE_WEIGHTS = np.log(_NODE_WEIGHTS / np.sqrt(np.pi))

INTERCEPT_SD = 3.0
KNOB_SD = 0.5
DOMAIN_SD = (0.1, 1.5)
"""Range of the domains' standard deviation, which is estimated."""
FAMILY_SD = (0.15, 2.0)
"""Range of the families' standard deviation, which is estimated."""
LOG_S_MEAN, LOG_S_SD = np.log(1.2), 0.5
"""Prior of log s; an s that is estimated too low makes every claim too optimistic."""
S_RANGE = (0.2, 4.0)

BROKEN_LOGIT = -6.0
"""Logit p of a task that hardly anyone passes, whatever its knobs."""
_BROKEN_PRIOR = (1.0, 20.0)
"""Tasks, of these many, that are taken to be broken before any is tried: without them a few hopeless ones inflate s."""

GRID = np.round(np.arange(-80, 81) * 0.1, 1)
"""Values of logit p on which posteriors are computed."""
SUPPORT = np.append(GRID, BROKEN_LOGIT)
"""The grid, and the broken tasks apart."""
_P = expit(SUPPORT)
_PQ = _P * (1 - _P)
_ND8 = 1 - _P**8 - (1 - _P) ** 8


@dataclass(frozen=True, slots=True, eq=False)
class PassRateModel:
    """The fitted regression."""

    names: tuple[str, ...]
    """One name a coefficient."""
    coefficients: np.ndarray
    covariance: np.ndarray
    """Inverse of the penalised Hessian, shape (coefficients, coefficients)."""
    s: float
    """Standard deviation of the residual per task, in logits."""
    broken: float
    """Share of tasks that are broken."""
    domain_sd: float
    family_sd: float
    scored: int
    """Scored attempts it was fitted to."""

    @property
    def standard_errors(self) -> np.ndarray:
        return np.sqrt(np.diag(self.covariance))

    def predict(self, design: Design) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of logit p for rows of a design before their own attempts are looked at."""
        return design.times(self.coefficients), design.spread(self.covariance) + self.s**2


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """What is believed of each task's pass rate p after k passes in n scored attempts; arrays of shape (tasks,)."""

    in_band: np.ndarray
    """P(band.low <= p <= band.high)."""
    mean: np.ndarray
    """E[p], in [0, 1]."""
    variance_signal: np.ndarray
    """E[p(1-p)], at most 0.25."""
    mixed_of_8: np.ndarray
    """E[nd8], the chance that eight attempts neither all pass nor all fail: 1 - p^8 - (1-p)^8."""


def posterior(
    mean: np.ndarray, variance: np.ndarray, passes: np.ndarray, scored: np.ndarray, band: Band, broken: float
) -> Posterior:
    """The posteriors of tasks with prior Normal(mean, variance) on logit p after `passes` of `scored` attempts.

    With probability `broken` a task is broken instead.
    """
    gains = np.stack([band_weights(band), _P, _PQ, _ND8], axis=1)
    stride = 1 + int(scored.max(initial=0))
    outcomes, which = np.unique(passes * stride + scored, return_inverse=True)  # few tasks differ in k and n
    log_rows = log_likelihood(SUPPORT, outcomes[:, None] // stride, outcomes[:, None] % stride)
    likelihood = np.exp(log_rows - log_rows.max(axis=1, keepdims=True))
    parts = []
    for start in range(0, len(mean), 1024):  # bounds the memory of the (tasks, support) arrays
        rows = slice(start, start + 1024)
        weight = prior_weights(mean[rows], variance[rows], broken)
        weight *= likelihood[which[rows]]
        parts.append((weight @ gains) / weight.sum(axis=1, keepdims=True))
    columns = np.concatenate(parts) if parts else np.zeros((0, 4))
    return Posterior(columns[:, 0], columns[:, 1], columns[:, 2], columns[:, 3])


def prior_weights(mean: np.ndarray, variance: np.ndarray, broken: float) -> np.ndarray:
    """Probabilities of the points of `SUPPORT` before any attempt, shape (tasks, points)."""
    nearest = np.clip(mean, GRID[0], GRID[-1])
    exponent = ((nearest - mean) ** 2)[:, None] - (GRID - mean[:, None]) ** 2
    weight = np.empty((len(mean), len(SUPPORT)))
    np.exp(exponent / (2 * variance[:, None]), out=weight[:, :-1])
    weight[:, :-1] *= (1 - broken) / weight[:, :-1].sum(axis=1, keepdims=True)
    weight[:, -1] = broken
    return weight


def band_weights(band: Band) -> np.ndarray:
    """Share of each grid cell that lies in the band, shape of `SUPPORT`."""
    with np.errstate(divide="ignore"):
        low, high = (np.log(edge) - np.log1p(-edge) for edge in (np.float64(band.low), np.float64(band.high)))
    below, above = SUPPORT - 0.05, SUPPORT + 0.05
    return np.clip((np.minimum(above, high) - np.maximum(below, low)) / 0.1, 0, 1)


def log_likelihood(logits: np.ndarray, passes: np.ndarray, scored: np.ndarray) -> np.ndarray:
    """Log of p^k (1-p)^(n-k) at logit p; the binomial coefficient, which depends on nothing unknown, is left out."""
    return passes * logits + scored * log_expit(-logits)


def fit(table: CandidateTable, passes: np.ndarray, scored: np.ndarray) -> PassRateModel:
    """The model given passes and scored attempts per task, shape (tasks,). Raises ValueError when nothing is scored.

    The group deviations and the broken share are updated by EM and s by the maximum of its Laplace marginal likelihood,
    in turn, six times or until no deviation moves by 2%; the result depends on the data alone, not on earlier fits.
    """
    tried = scored > 0
    if not tried.any():
        raise ValueError("no scored attempt to fit pass rates to; sample the pilot first")
    design, k, n = table.design.of(tried), passes[tried].astype(float), scored[tried].astype(float)
    deviations = np.array([np.exp(LOG_S_MEAN), 0.3, 0.8])  # s, domain, family: where the search starts
    broken = _BROKEN_PRIOR[0] / _BROKEN_PRIOR[1]
    b = np.zeros(design.width)
    b[0] = np.log((k.sum() + 1) / (n.sum() - k.sum() + 1))
    for step in range(6):
        before = deviations.copy()
        precision = _prior_precision(design, deviations[1], deviations[2])
        for _ in range(3):
            peak = _maximise(b, design, k, n, deviations[0], broken, precision)
            b = peak.b
            broken = (peak.broken.sum() + _BROKEN_PRIOR[0]) / (len(k) + _BROKEN_PRIOR[1])
            variance = np.diag(np.linalg.inv(peak.hessian))
            for index, part, limits in ((1, design.domain_part, DOMAIN_SD), (2, design.family_part, FAMILY_SD)):
                deviations[index] = np.clip(np.sqrt(np.mean(b[part] ** 2 + variance[part])), *limits)
            precision = _prior_precision(design, deviations[1], deviations[2])
        around = S_RANGE if step == 0 else (deviations[0] / 1.5, deviations[0] * 1.5)
        deviations[0], b = _residual_sd(b, design, k, n, broken, precision, around)
        if np.abs(np.log(deviations / before)).max() < 0.02:
            break
    peak = _maximise(b, design, k, n, deviations[0], broken, precision)
    return PassRateModel(
        names=table.coefficients,
        coefficients=peak.b,
        covariance=np.linalg.inv(peak.hessian),
        s=float(deviations[0]),
        broken=float(broken),
        domain_sd=float(deviations[1]),
        family_sd=float(deviations[2]),
        scored=int(n.sum()),
    )


@dataclass(frozen=True, slots=True, eq=False)
class IntegratedLikelihood:
    """Log likelihood of k of n with logit p ~ Normal(mean, s), or broken; arrays of shape (tasks,)."""

    value: np.ndarray
    slope: np.ndarray
    """In the mean."""
    curvature: np.ndarray
    """Minus the second derivative in the mean, at least 1e-6."""
    broken: np.ndarray
    """Probability that the task is broken, given the attempts."""


def integrated_likelihood(
    mean: np.ndarray, passes: np.ndarray, scored: np.ndarray, s: float, broken: float
) -> IntegratedLikelihood:
    """The likelihood of each task's attempts, integrated over its residual."""
    logits = mean + (np.sqrt(2) * s * _NODES)[:, None]  # (nodes, tasks)
    away = np.exp(-np.abs(logits))
    upper = 1 / (1 + away)
    p = np.where(logits >= 0, upper, away * upper)
    # log(1 - p) by numpy's vectorised log, four times as fast as scipy's log_expit
    log_terms = passes * logits + scored * (np.log(upper) - np.maximum(logits, 0))
    log_terms += np.log1p(-broken) + _LOG_NODE_WEIGHTS[:, None]
    log_broken = np.log(broken) + log_likelihood(np.array(BROKEN_LOGIT), passes, scored)
    top = np.maximum(log_terms.max(axis=0), log_broken)
    share = np.exp(log_terms - top)
    share_broken = np.exp(log_broken - top)
    total = share.sum(axis=0) + share_broken
    share /= total
    residual = passes - scored * p
    slope = (share * residual).sum(axis=0)
    curvature = (share * (scored * p * (1 - p) - residual**2)).sum(axis=0) + slope**2
    return IntegratedLikelihood(top + np.log(total), slope, np.maximum(curvature, 1e-6), share_broken / total)


def _prior_precision(design: Design, domain_sd: float, family_sd: float) -> np.ndarray:
    precision = np.full(design.width, family_sd**-2.0)
    precision[0] = INTERCEPT_SD**-2.0
    precision[design.knob_part] = KNOB_SD**-2.0
    precision[design.domain_part] = domain_sd**-2.0
    return precision


@dataclass(frozen=True, slots=True, eq=False)
class _Peak:
    """A penalised maximum of the likelihood."""

    b: np.ndarray
    value: float
    hessian: np.ndarray
    """Of minus the objective."""
    broken: np.ndarray
    """Probability of each task that it is broken."""


def _maximise(
    b: np.ndarray, design: Design, k: np.ndarray, n: np.ndarray, s: float, broken: float, precision: np.ndarray
) -> _Peak:
    """The maximum that Newton steps from `b` find."""
    here = integrated_likelihood(design.times(b), k, n, s, broken)
    value = here.value.sum() - 0.5 * (precision * b) @ b
    for _ in range(30):
        hessian = design.crossed(here.curvature) + np.diag(precision)
        gradient = design.summed(here.slope) - precision * b
        step = np.linalg.solve(hessian, gradient)
        if gradient @ step < 1e-5:
            break
        length = 1.0
        while True:
            trial = b + length * step
            here = integrated_likelihood(design.times(trial), k, n, s, broken)
            trial_value = here.value.sum() - 0.5 * (precision * trial) @ trial
            if trial_value >= value or length < 1e-3:
                break
            length /= 2
        b, value = trial, trial_value
    else:
        hessian = design.crossed(here.curvature) + np.diag(precision)
    return _Peak(b, float(value), hessian, here.broken)


def _residual_sd(
    b: np.ndarray,
    design: Design,
    k: np.ndarray,
    n: np.ndarray,
    broken: float,
    precision: np.ndarray,
    around: tuple[float, float],
) -> tuple[float, np.ndarray]:
    """The s of greatest Laplace marginal likelihood times prior, and the coefficients there."""
    here = b

    def loss(log_s: float) -> float:
        nonlocal here
        peak = _maximise(here, design, k, n, float(np.exp(log_s)), broken, precision)
        here = peak.b
        prior = -0.5 * ((log_s - LOG_S_MEAN) / LOG_S_SD) ** 2
        return -(peak.value - 0.5 * np.linalg.slogdet(peak.hessian)[1] + prior)

    best = minimize_scalar(loss, bounds=np.log(around), method="bounded", options={"xatol": 0.02})
    return float(np.exp(best.x)), here
