"""A selection is the training set, with the reason why each candidate is in it or not."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from calibration.candidate import Candidate, CandidateTable, tabulate
from calibration.program import optimum
from calibration.rating import Calibration, TaskRating
from calibration.settings import SelectionSettings
from calibration.shortage import Shortage, shortages
from environment.record import Record

logger = logging.getLogger(__name__)


class Choice(Record):
    """What became of one candidate."""

    task_id: str
    selected: bool
    reason: str


class Selection(Record):
    """The training set, or what is missing for one."""

    policy: str
    settings: SelectionSettings
    choices: tuple[Choice, ...]
    """By task id, one for every candidate."""
    shortages: tuple[Shortage, ...]
    """Empty when the selection was made; otherwise nothing is selected."""
    claimed: float | None
    """Mean P(in band) of the selected."""
    mean_pass_rate: float | None
    """Mean E[p] of the selected, to be compared with the audit."""
    signal: float | None
    """Sum of E[1 - p^8 - (1-p)^8] over the selected, which the program maximised."""
    status: str
    """The solver's."""
    gap: float | None
    """Relative distance to the best bound."""

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The selected tasks, by id."""
        return tuple(choice.task_id for choice in self.choices if choice.selected)


def select(candidates: Sequence[Candidate], calibration: Calibration, settings: SelectionSettings) -> Selection:
    """The accepted tasks of greatest learning signal that meet `settings`; when there are none, what is missing.

    Nothing is relaxed: a selection has exactly the asked counts and keeps every cap. Raises ValueError when the
    candidates are not those that were calibrated.
    """
    table = tabulate(candidates)
    if table.ids != tuple(rating.task_id for rating in calibration.ratings):
        raise ValueError("the candidates are not those of the calibration; calibrate these or pass the calibrated ones")
    accepted = np.array([rating.standing == "accepted" for rating in calibration.ratings])
    signal = np.array([rating.mixed_of_8 or 0.0 for rating in calibration.ratings])
    best = optimum(table, accepted, signal, settings)
    if best is None:
        return _nothing_selected(table, calibration, settings)
    chosen = np.zeros(table.size, dtype=bool)
    chosen[best.chosen] = True
    reasons = _reasons(table, calibration, settings, chosen)
    ratings = [calibration.ratings[index] for index in best.chosen]
    selection = Selection(
        policy=calibration.policy,
        settings=settings,
        choices=tuple(
            Choice(task_id=task_id, selected=bool(taken), reason=reason)
            for task_id, taken, reason in zip(table.ids, chosen, reasons, strict=True)
        ),
        shortages=(),
        claimed=float(np.mean([rating.in_band for rating in ratings])),
        mean_pass_rate=float(np.mean([rating.mean for rating in ratings])),
        signal=best.value,
        status=best.status,
        gap=best.gap,
    )
    logger.info("selected %d of %d accepted tasks (%s)", len(ratings), accepted.sum(), best.status)
    return selection


def _nothing_selected(table: CandidateTable, calibration: Calibration, settings: SelectionSettings) -> Selection:
    lacking = shortages(table, calibration, settings)
    names = ", ".join(shortage.name for shortage in lacking)
    for shortage in lacking:
        logger.warning("%s", shortage.sentence)
    return Selection(
        policy=calibration.policy,
        settings=settings,
        choices=tuple(
            Choice(
                task_id=rating.task_id,
                selected=False,
                reason=_rejection(rating, calibration) or f"no selection was possible: short of {names}",
            )
            for rating in calibration.ratings
        ),
        shortages=lacking,
        claimed=None,
        mean_pass_rate=None,
        signal=None,
        status="infeasible",
        gap=None,
    )


def _reasons(
    table: CandidateTable, calibration: Calibration, settings: SelectionSettings, chosen: np.ndarray
) -> list[str]:
    in_family = np.bincount(table.family[chosen], minlength=len(table.families))
    clustered = table.cluster[chosen & (table.cluster >= 0)]
    in_cluster = np.bincount(clustered, minlength=len(table.clusters))
    reasons = []
    for index, rating in enumerate(calibration.ratings):
        family, cluster = table.family[index], table.cluster[index]
        if chosen[index]:
            reasons.append(
                f"in band with probability {rating.in_band:.3f} ({rating.passes} of {rating.scored} passed), "
                f"signal {rating.mixed_of_8:.3f}"
            )
        elif rejection := _rejection(rating, calibration):
            reasons.append(rejection)
        elif settings.quota(rating.domain) == 0:
            reasons.append(f"domain {rating.domain} has no quota")
        elif in_family[family] >= settings.family_cap:
            reasons.append(f"family {table.families[family]} is at its cap of {settings.family_cap}")
        elif cluster >= 0 and in_cluster[cluster] >= settings.cluster_cap:
            reasons.append(f"cluster {table.clusters[cluster]} is at its cap of {settings.cluster_cap}")
        else:
            reasons.append(f"the quota of {rating.domain} was filled to greater total signal without it")
    return reasons


def _rejection(rating: TaskRating, calibration: Calibration) -> str | None:
    """Why a task was not accepted, None when it was."""
    tau = calibration.settings.tau
    match rating.standing:
        case "accepted":
            return None
        case "untried":
            return "never attempted"
        case _ if rating.in_band is None:
            return "no attempt was scored"
        case _:
            counts = f"{rating.passes} of {rating.scored} passed, {rating.unscored} unscored"
            return f"{rating.standing}: in band with probability {rating.in_band:.3f}, {tau} is needed ({counts})"
