"""A shortage says which domain or application lacks how many tasks, and which knobs would supply them."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from calibration.candidate import CandidateTable
from calibration.cost import exhausted
from calibration.program import missing
from calibration.rating import Calibration
from calibration.settings import SelectionSettings
from environment.record import Record

_CLEAR = 2.0
"""Standard errors by which a slope must differ from 0 to be acted on."""
_NEAR = 0.15
"""A task is a near miss when its P(in band) is at most this far below tau."""


class KnobAdvice(Record):
    """A knob that would move the pass rate, with the change that the regression predicts to be needed."""

    knob: str
    slope: float
    """Logits of p per unit of the knob."""
    standard_error: float
    level: float
    """Mean of the knob over the tasks concerned."""
    lowest: float
    """Of the knob over the tasks concerned."""
    highest: float
    change: float
    """In units of the knob: what would bring the median family to p = 0.5, be it beyond `lowest` or `highest`."""
    within: float
    """Pass rate of the median family that the change reaches without leaving `lowest` to `highest`; 0.5 at best."""


class Shortage(Record):
    """What one domain or application lacks, and why."""

    name: str
    """Such as `domain sales` or `app gmail`."""
    needed: int
    lacking: int
    accepted: int
    """Accepted tasks of it, of which caps may rule some out."""
    candidates: int
    tried: int
    attempts: int
    zero_pass: int
    """Tasks with at least n_min scored attempts and no pass."""
    all_pass: int
    """Tasks with at least n_min scored attempts and no fail."""
    near_misses: int
    families_at_cap: tuple[str, ...]
    median_pass_rate: float | None
    """What the regression expects of the median family; None without candidates or without a scored attempt."""
    advice: tuple[KnobAdvice, ...]
    """Most effective knob first."""
    sentence: str


def shortages(table: CandidateTable, calibration: Calibration, selection: SelectionSettings) -> tuple[Shortage, ...]:
    """Everything that the accepted tasks lack for the selection, nothing when it can be made."""
    accepted = np.array([rating.standing == "accepted" for rating in calibration.ratings])
    lacking = missing(table, accepted, selection, 0.0)
    found = []
    for name, count in lacking.domains.items():
        member = table.in_domain(name)
        found.append(_shortage(f"domain {name}", selection.quota(name), count, member, table, calibration, selection))
    for name, count in lacking.apps.items():
        member = table.uses[:, table.apps.index(name)]
        found.append(_shortage(f"app {name}", selection.min_per_app, count, member, table, calibration, selection))
    return tuple(found)


def _shortage(
    name: str,
    needed: int,
    lacking: int,
    member: np.ndarray,
    table: CandidateTable,
    calibration: Calibration,
    selection: SelectionSettings,
) -> Shortage:
    settings = calibration.settings
    ratings = [calibration.ratings[index] for index in np.flatnonzero(member)]
    judged = [rating for rating in ratings if rating.scored >= settings.n_min]
    tried = [rating for rating in ratings if rating.scored + rating.unscored > 0]
    taken = np.bincount(
        table.family[[r.standing == "accepted" for r in calibration.ratings]], minlength=len(table.families)
    )
    full = sorted({table.families[family] for family in table.family[member] if taken[family] >= selection.family_cap})
    typical = _median_family(member, table, calibration)
    shortage = Shortage(
        name=name,
        needed=needed,
        lacking=lacking,
        accepted=sum(rating.standing == "accepted" for rating in ratings),
        candidates=len(ratings),
        tried=len(tried),
        attempts=sum(rating.scored + rating.unscored for rating in tried),
        zero_pass=sum(rating.passes == 0 for rating in judged),
        all_pass=sum(rating.passes == rating.scored for rating in judged),
        near_misses=sum(
            rating.standing != "accepted" and rating.in_band is not None and rating.in_band >= settings.tau - _NEAR
            for rating in judged
        ),
        families_at_cap=tuple(full),
        median_pass_rate=None if typical is None else float(expit(typical)),
        advice=() if typical is None else _advice(typical, member, table, calibration),
        sentence="",
    )
    return shortage.model_copy(update={"sentence": _sentence(shortage, calibration)})


def _median_family(member: np.ndarray, table: CandidateTable, calibration: Calibration) -> float | None:
    """Logit p that the regression expects of the median family among these tasks."""
    if not calibration.rounds or not member.any():
        return None
    prior_mean = np.array([rating.prior_mean for rating in calibration.ratings], dtype=float)
    families = np.unique(table.family[member])
    return float(np.median([prior_mean[member & (table.family == family)].mean() for family in families]))


def _advice(
    typical: float, member: np.ndarray, table: CandidateTable, calibration: Calibration
) -> tuple[KnobAdvice, ...]:
    """Every knob that moves the pass rate for sure, most effective first."""
    fitted = {coefficient.name: coefficient for coefficient in calibration.rounds[-1].coefficients}
    advice = []
    for place, knob in enumerate(table.knobs):
        coefficient = fitted[f"knob {knob}"]
        if abs(coefficient.value) <= _CLEAR * coefficient.standard_error:
            continue
        levels = table.knob_mean[place] + table.knob_sd[place] * table.design.knobs[member, place]
        slope, level = coefficient.value / table.knob_sd[place], float(levels.mean())
        lowest, highest = float(levels.min()), float(levels.max())
        change = -typical / slope
        reached = min(max(level + change, lowest), highest)
        advice.append(
            KnobAdvice(
                knob=knob,
                slope=slope,
                standard_error=coefficient.standard_error / table.knob_sd[place],
                level=level,
                lowest=lowest,
                highest=highest,
                change=change,
                within=float(expit(typical + slope * (reached - level))),
            )
        )
    return tuple(sorted(advice, key=lambda one: -abs(fitted[f"knob {one.knob}"].value)))


def _sentence(shortage: Shortage, calibration: Calibration) -> str:
    settings = calibration.settings
    parts = [
        f"{shortage.name} lacks {shortage.lacking} of {shortage.needed}: {shortage.candidates} candidates, "
        f"{shortage.tried} tried in {shortage.attempts} attempts, {shortage.accepted} accepted, "
        f"{shortage.zero_pass} never passed, {shortage.all_pass} always passed, {shortage.near_misses} near misses"
    ]
    if shortage.families_at_cap:
        parts.append(
            f"{len(shortage.families_at_cap)} families at their cap ({', '.join(shortage.families_at_cap[:5])})"
        )
    if calibration.rounds and calibration.rounds[-1].attainable < settings.tau:
        parts.append(
            f"no task can reach tau {settings.tau} within {settings.n_max} attempts (at best "
            f"{calibration.rounds[-1].attainable:.2f}): raise n_max, lower tau or widen the band"
        )
    if calibration.stopped == "budget":
        parts.append(exhausted(calibration.spent, settings))
    batches = max(rating.batch for rating in calibration.ratings)
    if calibration.stopped == "short" and batches >= settings.max_batches:
        parts.append(f"further tasks were asked for {batches} times: raise max_batches")
    if shortage.median_pass_rate is not None:
        parts.append(f"the median family passes {shortage.median_pass_rate:.0%}")
    parts += [_remedy(advice) for advice in shortage.advice[:3] if abs(advice.change) >= 0.05]
    if not shortage.advice and not shortage.families_at_cap:
        parts.append("no knob has a clear effect: add families or other tasks")
    return "; ".join(parts)


def _remedy(advice: KnobAdvice) -> str:
    verb = "raise" if advice.change > 0 else "lower"
    wish = f"{verb} {advice.knob} by {abs(advice.change):.1f} from {advice.level:.1f} for p = 0.5"
    if advice.lowest - 1e-9 <= advice.level + advice.change <= advice.highest + 1e-9:
        return wish
    end = advice.highest if advice.change > 0 else advice.lowest
    return f"{wish}, which is beyond the candidates' {end:g}, where p = {advice.within:.2f}"
