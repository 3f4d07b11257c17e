"""A scoring is the reward function that TRL calls: it ends every attempt of a batch, judges it and says its reward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from environment.attempt import Verdict
from training.environments import TaskEnvironment
from training.responses import Ending, ResponseReader
from training.rewards import Reward, reward
from training.settings import TrainingSettings


@dataclass(frozen=True, slots=True)
class ScoredAttempt:
    """What the log of an update needs to know of one attempt."""

    task_id: str
    ending: Ending
    tokens: int
    """Of responses and tool results."""
    verdict: Verdict | None
    reward: Reward | None
    """None, as the verdict, after a bug of ours."""
    bug: str | None


class Scoring:
    """Rewards of one batch after another; what was scored is kept until it is taken."""

    __name__ = "reward"

    def __init__(self, reader: ResponseReader, settings: TrainingSettings) -> None:
        self._reader, self._settings = reader, settings
        self._scored: list[ScoredAttempt] = []

    def __call__(
        self,
        completion_ids: Sequence[list[int]],
        environments: Sequence[TaskEnvironment],
        task_id: Sequence[str],
        **_: Any,
    ) -> list[float | None]:
        """Penalised rewards; None, which moves nothing, where a bug of ours left no verdict."""
        scored = [self._score(*one) for one in zip(completion_ids, environments, task_id, strict=True)]
        self._scored.extend(scored)
        return [one.reward.penalised if one.reward else None for one in scored]

    def take(self) -> list[ScoredAttempt]:
        """What was scored since this was last asked."""
        scored, self._scored = self._scored, []
        return scored

    def _score(self, completion: list[int], environment: TaskEnvironment, task_id: str) -> ScoredAttempt:
        ending = self._reader.ending(completion, environment._specs)
        for call in ending.unanswered:
            environment._answer(call["name"], call["arguments"])
        verdict = environment._judge()
        worth = None
        if verdict is not None:
            limit = self._settings.max_response_tokens
            worth = reward(verdict, ending.end, max(ending.lengths), limit, self._settings.reward)
        return ScoredAttempt(task_id, ending, len(completion), verdict, worth, environment._bug)
