"""An audit is one fresh attempt on every selected task, used for nothing but an unbiased mean pass rate."""

from __future__ import annotations

import math

from calibration.rating import Calibration
from calibration.selection import Selection
from environment.ledger import AttemptMany, Ledger, Plan, carry_out
from environment.record import Record

PURPOSE = "audit"
_TIMES = 2
"""How often a task is attempted, at most, until an attempt is scored."""


class Audit(Record):
    """The mean strict pass rate of the selected set, measured and believed."""

    passes: int
    scored: int
    unscored: int
    mean: float | None
    """passes / scored, None when nothing was scored."""
    standard_error: float | None
    believed: float
    """Mean posterior pass rate of the scored tasks; of all selected ones when nothing was scored."""
    z: float | None
    """(mean - believed) in standard errors of the mean expected under the posterior; beyond 3 it is miscalibrated."""


async def audit(
    selection: Selection,
    calibration: Calibration,
    attempt_many: AttemptMany,
    ledger: Ledger,
    seed: str,
) -> Audit:
    """Makes what the audit lacks and compares it with the posterior; what an endpoint left unscored is made once more.

    Raises ValueError when nothing is selected.
    """
    if not selection.task_ids:
        raise ValueError("nothing is selected, so there is nothing to audit; make up the shortages first")
    policy = selection.policy
    for plan in ledger.plans(policy, PURPOSE):
        await carry_out(plan, ledger, attempt_many)
    for _ in range(_TIMES):
        audited = {line.task_id for line in ledger.lines(policy, PURPOSE) if line.scored}
        left = [task_id for task_id in selection.task_ids if task_id not in audited]
        if not left:
            break
        attempts = tuple(planned for task_id in left for planned in ledger.next_attempts(policy, task_id, 1, seed))
        plan = Plan(purpose=PURPOSE, policy=policy, round=len(ledger.plans(policy, PURPOSE)), attempts=attempts)
        await carry_out(plan, ledger, attempt_many)
    return _compare(selection, calibration, ledger)


def _compare(selection: Selection, calibration: Calibration, ledger: Ledger) -> Audit:
    selected = set(selection.task_ids)
    believed = {rating.task_id: rating.mean for rating in calibration.ratings if rating.mean is not None}
    lines = [line for line in ledger.lines(selection.policy, PURPOSE) if line.task_id in selected]
    scored = [line for line in lines if line.strict is not None]
    tasks = [line.task_id for line in scored] or list(selection.task_ids)
    expected = sum(believed[task_id] for task_id in tasks) / len(tasks)
    known = {"unscored": len(lines) - len(scored), "believed": expected}
    if not scored:
        return Audit(**known, passes=0, scored=0, mean=None, standard_error=None, z=None)
    passes = sum(bool(line.strict) for line in scored)
    mean = passes / len(scored)
    spread = math.sqrt(sum(believed[task_id] * (1 - believed[task_id]) for task_id in tasks)) / len(tasks)
    return Audit(
        **known,
        passes=passes,
        scored=len(scored),
        mean=mean,
        standard_error=math.sqrt(mean * (1 - mean) / len(scored)),
        z=(mean - expected) / spread,
    )
