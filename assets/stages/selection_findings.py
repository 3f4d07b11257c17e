"""Selection findings are what the selection report shows, put together from calibration, selection and audit."""

import math
from collections.abc import Mapping, Sequence

from assets.generation import Generation
from assets.stages.calibrating import pass_rates, prices_of
from calibration.audit import Audit
from calibration.rating import Calibration, TaskRating
from calibration.selection import Selection
from calibration.shortage import Shortage
from environment.ledger import AttemptLine
from evaluation.selection_inputs import AuditFindings, AuditGroup, DomainStanding, KnobEffect, Lack, SelectionInputs

_Z = 1.96
"""Of a 95% interval."""
_GROUPS = 5


def selection_inputs(
    generation: Generation,
    calibration: Calibration,
    selection: Selection,
    audited: Audit | None,
    audit_lines: Sequence[AttemptLine],
) -> SelectionInputs:
    """Every number of the report; `audit_lines` are the audit attempts."""
    chosen = set(selection.task_ids)
    engagement = generation.engagement
    last = calibration.rounds[-1] if calibration.rounds else None
    return SelectionInputs(
        title=generation.key,
        policy_label=engagement.target.label,
        policy=calibration.policy,
        attempts=calibration.attempts,
        unscored=calibration.unscored,
        tokens_in=calibration.tokens_in,
        tokens_out=calibration.tokens_out,
        cost=calibration.cost,
        currency=prices.currency if (prices := prices_of(engagement)) else None,
        stopped=calibration.stopped,
        pass_rates=pass_rates(generation, chosen),
        selected=len(chosen),
        accepted=calibration.count("accepted"),
        claimed=selection.claimed,
        mean_pass_rate=selection.mean_pass_rate,
        signal=selection.signal,
        status=selection.status,
        gap=selection.gap,
        domains=_domains(calibration, selection, chosen),
        knobs=_knobs(calibration),
        residual_sd=last.s if last else None,
        audit=None if audited is None else _audit(audited),
        audit_groups=audit_groups({r.task_id: r.mean for r in calibration.ratings if r.mean is not None}, audit_lines),
        lacks=tuple(map(_lack, selection.shortages)),
        warnings=calibration.warnings,
    )


def audit_groups(believed: Mapping[str, float], lines: Sequence[AttemptLine]) -> tuple[AuditGroup, ...]:
    """Scored audit attempts in groups of equal size by what was believed of their tasks; none when there are few."""
    scored = sorted((line for line in lines if line.strict is not None), key=lambda line: believed[line.task_id])
    groups = min(_GROUPS, len(scored) // 4)
    found = []
    for place in range(groups):
        members = scored[len(scored) * place // groups : len(scored) * (place + 1) // groups]
        passes = sum(bool(line.strict) for line in members)
        low, high = wilson(passes, len(members))
        mean = sum(believed[line.task_id] for line in members) / len(members)
        found.append(AuditGroup(tasks=len(members), believed=mean, passes=passes, low=low, high=high))
    return tuple(found)


def wilson(passes: int, tried: int) -> tuple[float, float]:
    """Ends of Wilson's 95% interval of a rate (Wilson 1927, doi:10.1080/01621459.1927.10502953)."""
    rate, weight = passes / tried, _Z**2 / tried
    middle = (rate + weight / 2) / (1 + weight)
    half = _Z / (1 + weight) * math.sqrt(rate * (1 - rate) / tried + weight / (4 * tried))
    return max(0.0, middle - half), min(1.0, middle + half)


def _domains(calibration: Calibration, selection: Selection, chosen: set[str]) -> tuple[DomainStanding, ...]:
    names = sorted({rating.domain for rating in calibration.ratings})
    return tuple(
        _domain(name, [r for r in calibration.ratings if r.domain == name], selection.settings.quota(name), chosen)
        for name in names
    )


def _domain(name: str, ratings: Sequence[TaskRating], wanted: int, chosen: set[str]) -> DomainStanding:
    means = [rating.mean for rating in ratings if rating.task_id in chosen and rating.mean is not None]
    return DomainStanding(
        name=name,
        candidates=len(ratings),
        tried=sum(rating.standing != "untried" for rating in ratings),
        attempts=sum(rating.scored + rating.unscored for rating in ratings),
        accepted=sum(rating.standing == "accepted" for rating in ratings),
        wanted=wanted,
        selected=sum(rating.task_id in chosen for rating in ratings),
        mean=sum(means) / len(means) if means else None,
    )


def _knobs(calibration: Calibration) -> tuple[KnobEffect, ...]:
    """Greatest effect first; of a knob that never varied nothing is known, its effect is exactly 0."""
    fitted = calibration.rounds[-1].coefficients if calibration.rounds else ()
    knobs = [one for one in fitted if one.name.startswith("knob ") and one.value != 0]
    return tuple(
        KnobEffect(
            knob=one.name.removeprefix("knob ").replace("_", " "),
            effect=one.value,
            low=one.value - _Z * one.standard_error,
            high=one.value + _Z * one.standard_error,
        )
        for one in sorted(knobs, key=lambda one: (-abs(one.value), one.name))
    )


def _audit(audited: Audit) -> AuditFindings:
    return AuditFindings(
        scored=audited.scored,
        unscored=audited.unscored,
        mean=audited.mean,
        standard_error=audited.standard_error,
        believed=audited.believed,
        z=audited.z,
    )


def _lack(shortage: Shortage) -> Lack:
    counts = {
        "needed": shortage.needed,
        "lacking": shortage.lacking,
        "accepted": shortage.accepted,
        "candidates": shortage.candidates,
        "tried": shortage.tried,
        "attempts": shortage.attempts,
        "never passed": shortage.zero_pass,
        "always passed": shortage.all_pass,
        "near misses": shortage.near_misses,
    }
    return Lack(name=shortage.name, sentence=shortage.sentence, counts=counts)
