"""Sampling spends attempts round by round: plan, store the plan, attempt, refit, until nothing is missing.

All state is in the ledger and the candidates, so a killed calibration resumes where it was, under the same numbers and
seeds, and the order in which attempts finish changes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.allocation import Assessment, Counts, Round, assess, pilot, plan_round
from calibration.candidate import Candidate, CandidateTable, tabulate
from calibration.cost import attempts_left, cost, spent_on
from calibration.program import missing
from calibration.progress import failures_in, failures_text
from calibration.rating import Calibration, Coefficient, RoundLog, Standing, Stop, TaskRating
from calibration.settings import CalibrationSettings, SelectionSettings
from calibration.supply import Supply, request_tasks
from environment.attempt import Attempt
from environment.ledger import AttemptLine, AttemptMany, Ledger, Plan, carry_out
from environment.policies.prices import Prices

logger = logging.getLogger(__name__)

PURPOSE = "calibration"
_STALLED_ROUNDS = 3
"""Rounds without a single scored attempt after which the endpoint is taken to be down."""
_ODD_ERRORS_Z = 4.0
"""Standard errors by which the knobs of unscored attempts may differ from those of all before a person is told."""


async def calibrate(
    candidates: Sequence[Candidate],
    attempt_many: AttemptMany,
    ledger: Ledger,
    *,
    policy: str,
    settings: CalibrationSettings,
    selection: SelectionSettings,
    seed: str,
    prices: Prices | None = None,
    supply: Supply | None = None,
    on_attempt: Callable[[Plan], None] = lambda plan: None,
) -> Calibration:
    """Rates the candidates for the policy whose fingerprint has this key, until `selection` can be filled.

    `candidates` includes those of earlier batches of `supply` when a calibration is resumed. A round that was planned
    and not finished is finished first. `on_attempt` is told the plan of every attempt that is in the ledger now. Raises
    OSError when the ledger's disk is full: make room and call again; and ValueError when a budget in money is set
    without prices.
    """
    if settings.max_cost is not None and prices is None:
        raise ValueError(f"max_cost is {settings.max_cost} but the endpoint has no prices; add them or use max_tokens")
    table = tabulate(candidates)
    may_ask, first = True, len(ledger.plans(policy, PURPOSE))
    while True:
        plans = ledger.plans(policy, PURPOSE)
        if plans:
            await carry_out(plans[-1], ledger, attempt_many, _telling(plans[-1], on_attempt))
        view = _look(table, ledger, policy, settings, selection, seed)
        left = attempts_left(spent_on(ledger.lines(policy, PURPOSE), prices), settings)
        stop = _reason_to_stop(view, plans[first:], ledger, left, selection)
        if supply is not None and may_ask and stop in (None, "short"):
            further = _ask(view, supply, settings, selection, seed)
            if further:
                table = tabulate((*table.candidates, *further))
                continue
            may_ask = further is None
        if stop is not None:
            return _conclude(view, plans, stop, ledger, policy, settings, prices)
        ledger.store_plan(_plan(view, len(plans), ledger, policy, settings, seed, left))


def count_attempts(table: CandidateTable, lines: Iterable[AttemptLine]) -> Counts:
    """Attempts per task of the table; those on other tasks are left out."""
    place = {task_id: index for index, task_id in enumerate(table.ids)}
    counts = Counts(*(np.zeros(table.size, dtype=int) for _ in range(3)))
    for line in lines:
        index = place.get(line.task_id)
        if index is None:
            continue
        if line.strict is None:
            counts.unscored[index] += 1
        else:
            counts.scored[index] += 1
            counts.passes[index] += line.strict
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """The attempts so far and what follows from them; before the first scored attempt that is a pilot."""

    table: CandidateTable
    counts: Counts
    fitted: tuple[Assessment, Round] | None


def _telling(plan: Plan, on_attempt: Callable[[Plan], None]) -> Callable[[Attempt], None]:
    return lambda attempt: on_attempt(plan)


def _look(
    table: CandidateTable,
    ledger: Ledger,
    policy: str,
    settings: CalibrationSettings,
    selection: SelectionSettings,
    seed: str,
) -> _View:
    counts = count_attempts(table, ledger.lines(policy, PURPOSE))
    if not counts.scored.any():
        return _View(table, counts, None)
    now = assess(table, counts, settings, selection)
    planned = plan_round(table, counts, now, settings, selection, seed)
    return _View(table, counts, (now, planned))


def _reason_to_stop(
    view: _View, plans: Sequence[Plan], ledger: Ledger, left: int, selection: SelectionSettings
) -> Stop | None:
    """`plans` are those made since calibration was started or resumed: an endpoint may have been repaired before."""
    if view.fitted is not None and view.fitted[0].missing.nothing:
        return "complete"
    if left == 0:
        return "budget"
    recent = plans[-_STALLED_ROUNDS:]
    if len(recent) == _STALLED_ROUNDS and not any(_has_scored(plan, ledger) for plan in recent):
        return "endpoint"
    if view.fitted is not None and not view.fitted[1].shares:
        only_spares = missing(view.table, view.fitted[0].accepted, selection, 0.0).nothing
        return "complete" if only_spares else "short"
    return None


def _has_scored(plan: Plan, ledger: Ledger) -> bool:
    made = {(line.task_id, line.number) for line in ledger.lines(plan.policy, plan.purpose) if line.scored}
    return any((planned.task_id, planned.number) in made for planned in plan.attempts)


def _ask(
    view: _View, supply: Supply, settings: CalibrationSettings, selection: SelectionSettings, seed: str
) -> Sequence[Candidate] | None:
    """Further candidates; none when the supply had none to give, None when there was no need to ask."""
    batch = max(candidate.batch for candidate in view.table.candidates) + 1
    if view.fitted is None or batch > settings.max_batches:
        return None
    requests = request_tasks(view.table, *view.fitted, settings, selection, supply.spaces, seed)
    if not requests:
        return None
    wanted = sum(request.count for request in requests)
    further = supply.make(requests, batch)
    logger.info("batch %d: asked for %d tasks of %d kinds, got %d", batch, wanted, len(requests), len(further))
    return further


def _plan(
    view: _View, number: int, ledger: Ledger, policy: str, settings: CalibrationSettings, seed: str, left: int
) -> Plan:
    shares = pilot(view.table, settings, seed) if view.fitted is None else view.fitted[1].shares
    attempts = [
        planned
        for share in shares
        for planned in ledger.next_attempts(
            policy, view.table.ids[share.task], share.attempts, seed, priority=share.priority
        )
    ]
    basis = {} if view.fitted is None else _log(view, *view.fitted, number).to_json()
    return Plan(purpose=PURPOSE, policy=policy, round=number, attempts=tuple(attempts[:left]), basis=basis)


def _log(view: _View, now: Assessment, planned: Round, number: int) -> RoundLog:
    table, model = view.table, now.model
    errors = model.standard_errors
    return RoundLog(
        round=number,
        attempts=view.counts.total,
        unscored=int(view.counts.unscored.sum()),
        accepted=_accepted(table, now),
        missing=now.missing.counts,
        claimed=float(now.belief.in_band[now.accepted].mean()) if now.accepted.any() else None,
        promise=planned.promise,
        hopeless=planned.hopeless,
        attainable=planned.attainable,
        s=model.s,
        broken=model.broken,
        domain_sd=model.domain_sd,
        family_sd=model.family_sd,
        coefficients=tuple(
            Coefficient(name=name, value=float(value), standard_error=float(error))
            for name, value, error in zip(model.names, model.coefficients, errors, strict=True)
        ),
    )


def _accepted(table: CandidateTable, now: Assessment) -> dict[str, int]:
    return {name: int(now.accepted[table.in_domain(name)].sum()) for name in table.domains}


def _conclude(
    view: _View,
    plans: Sequence[Plan],
    stop: Stop,
    ledger: Ledger,
    policy: str,
    settings: CalibrationSettings,
    prices: Prices | None,
) -> Calibration:
    lines = ledger.lines(policy, PURPOSE)
    rounds = [RoundLog.model_validate(plan.basis) for plan in plans if plan.basis]
    if view.fitted is not None:
        rounds.append(_log(view, *view.fitted, len(plans)))
    failures = failures_in(lines)
    warnings = odd_errors(view.table, view.counts)
    if stop == "endpoint":
        stalled = f"{_STALLED_ROUNDS} rounds in a row had no scored attempt ({failures_text(failures)})"
        warnings = (f"{stalled}: mend the endpoint, then resume", *warnings)
    for sentence in warnings:
        logger.warning("%s", sentence)
    calibration = Calibration(
        policy=policy,
        settings=settings,
        ratings=tuple(_rate(view, index) for index in range(view.table.size)),
        rounds=tuple(rounds),
        stopped=stop,
        attempts=len(lines),
        unscored=sum(not line.scored for line in lines),
        failures=failures,
        tokens_in=sum(line.tokens_in for line in lines),
        tokens_out=sum(line.tokens_out for line in lines),
        cost=None if prices is None else cost(lines, prices),
        warnings=warnings,
    )
    logger.info(
        "accepted %d of %d: %d closed, %d open, %d untried; %d attempts, %d of them unscored %s (%s)",
        calibration.count("accepted"),
        len(calibration.ratings),
        calibration.count("closed"),
        calibration.count("open"),
        calibration.count("untried"),
        calibration.attempts,
        calibration.unscored,
        dict(calibration.failures),
        stop,
    )
    return calibration


def _rate(view: _View, index: int) -> TaskRating:
    candidate, counts = view.table.candidates[index], view.counts
    tried = counts.scored[index] + counts.unscored[index] > 0
    known = {
        "task_id": candidate.id,
        "domain": candidate.domain,
        "family": candidate.family,
        "batch": candidate.batch,
        "passes": int(counts.passes[index]),
        "scored": int(counts.scored[index]),
        "unscored": int(counts.unscored[index]),
    }
    if view.fitted is None:
        unknown = dict.fromkeys(("prior_mean", "prior_sd", "in_band", "mean", "variance_signal", "mixed_of_8"))
        return TaskRating(**known, **unknown, standing="open" if tried else "untried")
    now = view.fitted[0]
    standing: Standing = "open" if tried else "untried"
    if now.accepted[index]:
        standing = "accepted"
    elif now.closed[index]:
        standing = "closed"
    return TaskRating(
        **known,
        standing=standing,
        prior_mean=float(now.prior_mean[index]),
        prior_sd=float(np.sqrt(now.prior_variance[index])),
        in_band=float(now.belief.in_band[index]),
        mean=float(now.belief.mean[index]),
        variance_signal=float(now.belief.variance_signal[index]),
        mixed_of_8=float(now.belief.mixed_of_8[index]),
    )


def odd_errors(table: CandidateTable, counts: Counts) -> tuple[str, ...]:
    """A sentence for every knob whose level goes with unscored attempts: their loss then biases the pass rates."""
    made = counts.scored + counts.unscored
    failed = int(counts.unscored.sum())
    if failed == 0 or failed == made.sum():
        return ()
    sentences = []
    for place, name in enumerate(table.knobs):
        level = table.design.knobs[:, place]
        mean = np.average(level, weights=made)
        sd = np.sqrt(np.average((level - mean) ** 2, weights=made))
        share = failed / made.sum()
        error = sd * np.sqrt((1 - share) / failed)
        shift = np.average(level, weights=counts.unscored) - mean
        if error > 0 and abs(shift) > _ODD_ERRORS_Z * error:
            sentences.append(
                f"unscored attempts lie {shift:+.2f} standard deviations off in knob {name} ({failed} of {made.sum()} "
                "unscored): find the cause, the pass rates of those tasks rest on the attempts that got through"
            )
    return tuple(sentences)
