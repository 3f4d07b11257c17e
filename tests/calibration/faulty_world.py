"""A calibration of real tasks through a real endpoint that fails, as tests make it and processes that they kill."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from calibration.candidate import candidate_of
from calibration.rating import Calibration
from calibration.sampling import calibrate
from calibration.settings import Band, CalibrationSettings, SelectionSettings
from environment.attempt import Attempt
from environment.ledger import Ledger, PlannedAttempt
from environment.policies.chat import ChatPolicy
from environment.policies.endpoint import Endpoint
from environment.rng import derive_rng
from environment.rollout import Limits, Request, attempt_many
from environment.task import DOMAINS, Task
from generators.families import FAMILIES

SETTINGS = CalibrationSettings(
    band=Band(low=0.2, high=0.8), max_attempts=2000, max_batches=0, pilot_per_family=8, tau=0.7, batch_share=4.0
)
LIMITS = Limits(max_turns=40, concurrency=32)


def selection(each: int) -> SelectionSettings:
    """So many tasks of each domain."""
    return SelectionSettings(quotas=dict.fromkeys(DOMAINS, each), family_cap=3 * each, cluster_cap=1, min_per_app=0)


def starter_tasks(each: int) -> list[Task]:
    """So many tasks of every family, no two with the same prompt."""
    tasks: dict[str, Task] = {}
    for family in FAMILIES:
        index, wanted = 0, len(tasks) + each
        while len(tasks) < wanted:
            knobs = family.draw_knobs(derive_rng(family.name, index), "starter")
            task = family.generate("faults", index, "train", knobs, "actions")
            tasks.setdefault(task.prompt, task)
            index += 1
    return list(tasks.values())


def endpoint(url: str, **changes: object) -> Endpoint:
    """Patient with failures, impatient with silence."""
    given = {"temperature": 1.0, "max_tokens": 256, "tries": 14, "backoff_s": 0.005, "timeout_s": 20}
    given |= {"first_token_s": 1.5, "stall_s": 1.5, **changes}
    return Endpoint.model_validate({"base_url": url, "model": "scripted", "revision": "1", **given})


def run(
    at: Endpoint,
    tasks: Sequence[Task],
    folder: Path,
    each: int,
    on_attempt: Callable[[Attempt], None] = lambda attempt: None,
) -> Calibration:
    """The calibration of these tasks, its ledger in `folder`."""
    policy, known = ChatPolicy(at), {task.id: task for task in tasks}

    async def make(planned: Sequence[PlannedAttempt], purpose: str, keep: Callable[[Attempt], None]) -> None:
        def both(attempt: Attempt) -> None:
            keep(attempt)
            on_attempt(attempt)

        wanted = [Request(known[one.task_id], one.number, one.seed, purpose) for one in planned]
        await attempt_many(wanted, policy, LIMITS, both)

    with Ledger(folder) as ledger:
        return asyncio.run(
            calibrate(
                [candidate_of(task) for task in tasks],
                make,
                ledger,
                policy=policy.fingerprint.key(),
                settings=SETTINGS,
                selection=selection(each),
                seed="faults",
            )
        )
