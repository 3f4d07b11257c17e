"""A rollout is one run of a policy through an episode; with its verdict it becomes an attempt."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from environment.attempt import Attempt, End, Failure, Transcript
from environment.episode import Episode
from environment.policies.policy import ConfigurationError, InfraError, Policy
from environment.record import Record
from environment.rng import derive_seed
from environment.task import Task


class Limits(Record):
    """When an episode ends although the model has not answered."""

    max_turns: int = Field(ge=1)
    """Assistant messages in one episode."""
    concurrency: int = Field(ge=1)
    """Attempts in flight at once."""
    attempt_s: float | None = Field(None, gt=0)
    """Time of model and tools after which an attempt is given up and left unscored, waiting for an endpoint that is
    down or busy not counted; None where the limit of single calls is enough."""


@dataclass(frozen=True, slots=True)
class Request:
    """One attempt that is wanted."""

    task: Task
    number: int
    seed: int
    purpose: str


async def attempt_many(
    requests: Sequence[Request], policy: Policy, limits: Limits, on_attempt: Callable[[Attempt], None]
) -> None:
    """Make every attempt, at most `limits.concurrency` at once; `on_attempt` sees each as soon as it is finished.

    Raises ConfigurationError when the endpoint refuses everybody. Whatever ends the job early, also cancelling it,
    leaves the attempts finished by then handed on and drops those in flight.
    """
    coming = iter(requests)

    async def work() -> None:
        for request in coming:
            on_attempt(await attempt(request, policy, limits.max_turns, limits.attempt_s))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(limits.concurrency, len(requests))):
                group.create_task(work())
    except* ConfigurationError as refused:
        raise refused.exceptions[0] from None


async def attempt(request: Request, policy: Policy, max_turns: int, attempt_s: float | None = None) -> Attempt:
    """One attempt: scored, or unscored when the sampler or our own simulator failed or it took longer than allowed."""
    rollout = _Rollout(request.task)
    outcome: dict[str, Any]
    try:
        outcome = await rollout.play(policy, request.seed, max_turns, attempt_s)
    except InfraError as error:
        outcome = _unscored(error.kind, str(error))
    except ConfigurationError:
        raise
    except Exception:  # a bug of ours must not be graded as the model's mistake, nor end a long job
        outcome = _unscored("bug", "bug: " + traceback.format_exc(limit=-6))
    return Attempt(
        task_id=request.task.id,
        number=request.number,
        policy=policy.fingerprint.key(),
        seed=request.seed,
        purpose=request.purpose,
        **outcome,
        **rollout.record(),
    )


def _unscored(failure: Failure, error: str) -> dict[str, Any]:
    return {"end": None, "verdict": None, "failure": failure, "error": error}


class _Rollout:
    """The chat of one episode as it grows, with what it has cost."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._messages: list[Mapping[str, Any]] = []
        self._tokens_in = self._tokens_cached = self._tokens_out = self._calls = 0
        self._model_s = self._tool_s = 0.0

    async def play(self, policy: Policy, seed: int, max_turns: int, attempt_s: float | None) -> dict[str, Any]:
        """How the episode ended and what it is worth, as an attempt holds them."""
        episode = Episode(self._task)
        self._messages.extend(episode.messages())
        end = await self._converse(episode, policy, seed, max_turns, attempt_s)
        return {"end": end, "verdict": episode.verdict(), "changes": episode.changes()}

    def record(self) -> dict[str, Any]:
        """Transcript and costs up to now, as an attempt holds them."""
        return {
            "transcript": Transcript(messages=tuple(self._messages)),
            "tokens_in": self._tokens_in,
            "tokens_cached": self._tokens_cached,
            "tokens_out": self._tokens_out,
            "calls": self._calls,
            "model_s": round(self._model_s, 4),
            "tool_s": round(self._tool_s, 6),
        }

    async def _converse(
        self, episode: Episode, policy: Policy, seed: int, max_turns: int, attempt_s: float | None
    ) -> End:
        for turn in range(max_turns):
            if attempt_s is not None and self._model_s + self._tool_s > attempt_s:
                raise InfraError(
                    f"given up after {turn} turns, which took more than {attempt_s:g} s", "attempt_timeout"
                )
            completion = await policy.complete(self._messages, episode.specs, derive_seed(seed, turn))
            self._tokens_in += completion.tokens_in
            self._tokens_cached += completion.tokens_cached
            self._tokens_out += completion.tokens_out
            self._model_s += completion.seconds
            if completion.finish == "context":
                return "context_overflow"
            self._messages.append(completion.message)
            if completion.finish == "length":
                return "token_limit"
            if completion.finish == "malformed":
                return "malformed"
            tool_calls = completion.message.get("tool_calls")
            if not tool_calls:
                return "answered"
            for tool_call in tool_calls:
                self._answer(episode, tool_call)
        return "turn_limit"

    def _answer(self, episode: Episode, tool_call: Mapping[str, Any]) -> None:
        started = time.perf_counter()
        function = tool_call["function"]
        result = episode.call(function["name"], function["arguments"])
        self._tool_s += time.perf_counter() - started
        self._calls += 1
        message = {"role": "tool", "tool_call_id": tool_call["id"], "name": function["name"], "content": result}
        self._messages.append(message)
