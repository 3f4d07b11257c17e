"""A pass rate is what a task's few attempts, and those on tasks like it, say about how often the model solves it.

The model is logit p_i = x_i . b + e_i with e_i ~ Normal(0, s): one regression over knobs, domains and families, and a
residual per task; a small share of tasks is broken instead, at a fixed low p. It is fitted by penalised maximum
likelihood, the binomial likelihood integrated over e.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit, logsumexp

from calibration.candidate import CandidateTable
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

    def predict(self, design: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of logit p for rows of a design before their own attempts are looked at."""
        mean = design @ self.coefficients
        used = np.flatnonzero(design.any(axis=0))
        part = design[:, used]
        variance = np.einsum("ij,ij->i", part @ self.covariance[np.ix_(used, used)], part) + self.s**2
        return mean, variance


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
    inside = band_weights(band)
    parts = []
    for start in range(0, len(mean), 2048):  # bounds the memory of the (tasks, grid) arrays
        rows = slice(start, start + 2048)
        log_weight = log_prior(mean[rows], variance[rows], broken)
        log_weight += log_likelihood(SUPPORT, passes[rows, None], scored[rows, None])
        weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
        weight /= weight.sum(axis=1, keepdims=True)
        parts.append(weight @ np.stack([inside, _P, _PQ, _ND8], axis=1))
    columns = np.concatenate(parts) if parts else np.zeros((0, 4))
    return Posterior(columns[:, 0], columns[:, 1], columns[:, 2], columns[:, 3])


def log_prior(mean: np.ndarray, variance: np.ndarray, broken: float) -> np.ndarray:
    """Log probabilities of the points of `SUPPORT` before any attempt, shape (tasks, points)."""
    log_weight = -((GRID - mean[:, None]) ** 2) / (2 * variance[:, None])
    log_weight += np.log1p(-broken) - logsumexp(log_weight, axis=1, keepdims=True)
    return np.concatenate([log_weight, np.full((len(mean), 1), np.log(broken))], axis=1)


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
    design, k, n = table.design[tried], passes[tried].astype(float), scored[tried].astype(float)
    knobs, domains = len(table.knobs), len(table.domains)
    domain_part = slice(1 + knobs, 1 + knobs + domains)
    family_part = slice(1 + knobs + domains, design.shape[1])
    deviations = np.array([np.exp(LOG_S_MEAN), 0.3, 0.8])  # s, domain, family: where the search starts
    broken = _BROKEN_PRIOR[0] / _BROKEN_PRIOR[1]
    b = np.zeros(design.shape[1])
    b[0] = np.log((k.sum() + 1) / (n.sum() - k.sum() + 1))
    for step in range(6):
        before = deviations.copy()
        precision = _prior_precision(design.shape[1], knobs, domains, deviations[1], deviations[2])
        for _ in range(3):
            b, hessian = _maximise(b, design, k, n, deviations[0], broken, precision)
            share = integrated_likelihood(design @ b, k, n, deviations[0], broken)[3]
            broken = (share.sum() + _BROKEN_PRIOR[0]) / (len(share) + _BROKEN_PRIOR[1])
            variance = np.diag(np.linalg.inv(hessian))
            for index, part, limits in ((1, domain_part, DOMAIN_SD), (2, family_part, FAMILY_SD)):
                deviations[index] = np.clip(np.sqrt(np.mean(b[part] ** 2 + variance[part])), *limits)
            precision = _prior_precision(design.shape[1], knobs, domains, deviations[1], deviations[2])
        around = S_RANGE if step == 0 else (deviations[0] / 1.5, deviations[0] * 1.5)
        deviations[0], b = _residual_sd(b, design, k, n, broken, precision, around)
        if np.abs(np.log(deviations / before)).max() < 0.02:
            break
    b, hessian = _maximise(b, design, k, n, deviations[0], broken, precision)
    return PassRateModel(
        names=table.coefficients,
        coefficients=b,
        covariance=np.linalg.inv(hessian),
        s=float(deviations[0]),
        broken=float(broken),
        domain_sd=float(deviations[1]),
        family_sd=float(deviations[2]),
        scored=int(n.sum()),
    )


def integrated_likelihood(
    mean: np.ndarray, passes: np.ndarray, scored: np.ndarray, s: float, broken: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Log likelihood of k of n with logit p ~ Normal(mean, s), or broken; its slope and minus its curvature in `mean`.

    Last comes the probability that the task is broken, given the attempts.
    """
    logits = mean[:, None] + np.sqrt(2) * s * _NODES
    log_terms = np.log1p(-broken) + _LOG_NODE_WEIGHTS + log_likelihood(logits, passes[:, None], scored[:, None])
    log_broken = np.log(broken) + log_likelihood(np.array(BROKEN_LOGIT), passes, scored)
    log_terms = np.concatenate([log_terms, log_broken[:, None]], axis=1)
    top = log_terms.max(axis=1, keepdims=True)
    terms = np.exp(log_terms - top)
    total = terms.sum(axis=1, keepdims=True)
    nodes = terms / total
    share = nodes[:, :-1]
    p = expit(logits)
    residual = passes[:, None] - scored[:, None] * p
    slope = (share * residual).sum(axis=1)
    curvature = (share * (scored[:, None] * p * (1 - p) - residual**2)).sum(axis=1) + slope**2
    return (top + np.log(total))[:, 0], slope, np.maximum(curvature, 1e-6), nodes[:, -1]


def _prior_precision(size: int, knobs: int, domains: int, domain_sd: float, family_sd: float) -> np.ndarray:
    precision = np.full(size, family_sd**-2.0)
    precision[0] = INTERCEPT_SD**-2.0
    precision[1 : 1 + knobs] = KNOB_SD**-2.0
    precision[1 + knobs : 1 + knobs + domains] = domain_sd**-2.0
    return precision


def _maximise(
    b: np.ndarray, design: np.ndarray, k: np.ndarray, n: np.ndarray, s: float, broken: float, precision: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients at the penalised maximum, by Newton steps from `b`, and the Hessian of minus the objective there."""
    log_lik, slope, curvature, _ = integrated_likelihood(design @ b, k, n, s, broken)
    value = log_lik.sum() - 0.5 * (precision * b) @ b
    for _ in range(30):
        hessian = _hessian(design, curvature, precision)
        gradient = design.T @ slope - precision * b
        step = np.linalg.solve(hessian, gradient)
        if gradient @ step < 1e-5:
            return b, hessian
        length = 1.0
        while True:
            trial = b + length * step
            log_lik, slope, curvature, _ = integrated_likelihood(design @ trial, k, n, s, broken)
            trial_value = log_lik.sum() - 0.5 * (precision * trial) @ trial
            if trial_value >= value or length < 1e-3:
                break
            length /= 2
        b, value = trial, trial_value
    return b, _hessian(design, curvature, precision)


def _hessian(design: np.ndarray, curvature: np.ndarray, precision: np.ndarray) -> np.ndarray:
    hessian = design.T @ (design * curvature[:, None])
    hessian[np.diag_indices_from(hessian)] += precision
    return hessian


def _residual_sd(
    b: np.ndarray,
    design: np.ndarray,
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
        s = float(np.exp(log_s))
        here, hessian = _maximise(here, design, k, n, s, broken, precision)
        log_lik = integrated_likelihood(design @ here, k, n, s, broken)[0].sum() - 0.5 * (precision * here) @ here
        prior = -0.5 * ((log_s - LOG_S_MEAN) / LOG_S_SD) ** 2
        return -(log_lik - 0.5 * np.linalg.slogdet(hessian)[1] + prior)

    best = minimize_scalar(loss, bounds=np.log(around), method="bounded", options={"xatol": 0.02})
    return float(np.exp(best.x)), here
