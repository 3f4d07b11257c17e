"""A simulated policy passes each task with a known chance; what it does depends on task, number and seed alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from calibration.candidate import Candidate
from calibration.settings import Band, CalibrationSettings, SelectionSettings
from environment.attempt import Attempt, Failure, Transcript, Verdict
from environment.ledger import PlannedAttempt
from environment.rng import derive_rng

SETTINGS = CalibrationSettings(band=Band(low=0.2, high=0.8), max_attempts=5000, max_batches=3, batch_share=1.0)
FAILURES: tuple[Failure | None, ...] = ("server_error", "stalled", None)
SELECTION = SelectionSettings(quotas={"sales": 5, "hr": 4}, family_cap=3, cluster_cap=1, min_per_app=1)


def candidates(each: int = 25, families: int = 3) -> list[Candidate]:
    made = []
    for domain in ("hr", "sales"):
        for family in range(families):
            for index in range(each):
                rng = derive_rng("candidate", domain, family, index)
                knobs = {"hops": float(rng.randint(1, 8)), "traps": float(rng.randint(0, 3))}
                task_id = f"{domain}.f{family}-{index:03d}"
                made.append(Candidate(task_id, domain, f"f{family}", knobs, ("gmail", "xero")[family % 2 :]))
    return made


def pass_chance(candidate: Candidate) -> float:
    residual = derive_rng("residual", candidate.id).gauss(0, 1)
    return 1 / (1 + math.exp(-(1.5 - 0.5 * candidate.knobs["hops"] - 0.4 * candidate.knobs["traps"] + residual)))


class SimulatedPolicy:
    """Makes attempts in a given order and records them."""

    def __init__(
        self,
        tasks: Sequence[Candidate],
        policy: str = "base",
        error_rate: float = 0.0,
        backwards: bool = False,
        after_each: Callable[[], None] = lambda: None,
    ) -> None:
        self.chance = {task.id: pass_chance(task) for task in tasks}
        self.policy, self.error_rate, self.backwards, self.after_each = policy, error_rate, backwards, after_each
        self.made: list[tuple[str, int, int]] = []

    async def attempt_many(
        self, requests: Sequence[PlannedAttempt], purpose: str, on_attempt: Callable[[Attempt], None]
    ) -> None:
        for request in reversed(requests) if self.backwards else requests:
            self.made.append((request.task_id, request.number, request.seed))
            on_attempt(self._attempt(request, purpose))
            self.after_each()

    def _attempt(self, request: PlannedAttempt, purpose: str) -> Attempt:
        rng = derive_rng("outcome", request.task_id, request.number, request.seed)
        failed = rng.random() < self.error_rate
        strict = rng.random() < self.chance[request.task_id]
        verdict = Verdict(expected=(), collateral=(), strict=strict, partial_credit=1.0 if strict else 0.5)
        return Attempt(
            task_id=request.task_id,
            number=request.number,
            policy=self.policy,
            seed=request.seed,
            purpose=purpose,
            end=None if failed else "answered",
            verdict=None if failed else verdict,
            transcript=None if failed else Transcript(messages=({"role": "assistant", "content": "done"},)),
            error="503" if failed else None,
            failure=rng.choice(FAILURES) if failed else None,
            tokens_in=100,
            tokens_out=10,
        )
