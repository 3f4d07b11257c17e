"""A rollout is one run of a policy through an episode; with its verdict it becomes an attempt."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from environment.attempt import Attempt, End, Transcript
from environment.episode import Episode, base_of
from environment.policies.policy import Completion, ConfigurationError, InfraError, Policy
from environment.record import Record
from environment.rng import derive_seed
from environment.task import Task
from environment.world import Base


class Limits(Record):
    """When an episode ends although the model has not answered."""

    max_turns: int = Field(ge=1)
    """Assistant messages in one episode."""
    concurrency: int = Field(ge=1)
    """Attempts in flight at once."""


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

    Raises ConfigurationError when the endpoint refuses everybody; attempts finished by then have been handed on.
    """
    waiting = asyncio.Semaphore(limits.concurrency)
    bases: dict[str, Base] = {}

    async def one(request: Request) -> None:
        async with waiting:
            base = bases.get(request.task.id)
            if base is None:
                base = bases[request.task.id] = base_of(request.task)
            on_attempt(await attempt(request, policy, limits.max_turns, base))

    try:
        async with asyncio.TaskGroup() as group:
            for request in requests:
                group.create_task(one(request))
    except* ConfigurationError as refused:
        raise refused.exceptions[0] from None


async def attempt(request: Request, policy: Policy, max_turns: int, base: Base | None = None) -> Attempt:
    """One attempt: scored, or unscored when the sampler or our own simulator failed."""
    episode = Episode(request.task, base=base)
    run = _Run(episode)
    known = {
        "task_id": request.task.id,
        "number": request.number,
        "policy": policy.fingerprint.key(),
        "seed": request.seed,
        "purpose": request.purpose,
    }
    try:
        end = await run.play(policy, request.seed, max_turns)
        verdict = episode.verdict()
    except InfraError as error:
        return Attempt(**known, **run.costs(), end=None, verdict=None, transcript=run.transcript(), error=str(error))
    except ConfigurationError:
        raise
    except Exception:  # a bug of ours must not be graded as the model's mistake, nor end a long job
        error_text = "bug: " + traceback.format_exc(limit=-6)
        return Attempt(**known, **run.costs(), end=None, verdict=None, transcript=run.transcript(), error=error_text)
    return Attempt(
        **known, **run.costs(), end=end, verdict=verdict, transcript=run.transcript(), changes=episode.changes()
    )


class _Run:
    """The chat of one episode as it grows, with what it has cost."""

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._messages: list[Mapping[str, Any]] = list(episode.messages())
        self._tokens_in = self._tokens_out = self._calls = 0
        self._model_s = self._tool_s = 0.0

    async def play(self, policy: Policy, seed: int, max_turns: int) -> End:
        for turn in range(max_turns):
            completion = await policy.complete(self._messages, self._episode.specs, derive_seed(seed, turn))
            self._account(completion)
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
                self._answer(tool_call)
        return "turn_limit"

    def transcript(self) -> Transcript:
        return Transcript(messages=tuple(self._messages))

    def costs(self) -> dict[str, Any]:
        return {
            "tokens_in": self._tokens_in,
            "tokens_out": self._tokens_out,
            "calls": self._calls,
            "model_s": round(self._model_s, 4),
            "tool_s": round(self._tool_s, 6),
        }

    def _account(self, completion: Completion) -> None:
        self._tokens_in += completion.tokens_in
        self._tokens_out += completion.tokens_out
        self._model_s += completion.seconds

    def _answer(self, tool_call: Mapping[str, Any]) -> None:
        started = time.perf_counter()
        function = tool_call["function"]
        result = self._episode.call(function["name"], function["arguments"])
        self._tool_s += time.perf_counter() - started
        self._calls += 1
        message = {"role": "tool", "tool_call_id": tool_call["id"], "name": function["name"], "content": result}
        self._messages.append(message)
