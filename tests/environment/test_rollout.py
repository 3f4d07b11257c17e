from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from environment.attempt import Attempt, PolicyFingerprint
from environment.policies.policy import Completion, ConfigurationError, InfraError, Policy
from environment.policies.scripted import ScriptedPolicy, call_message
from environment.rng import derive_seed
from environment.rollout import Limits, Request, attempt, attempt_many
from environment.task import ToolCall
from tests.environment.small_task import POST, READ, STRAY, make_small_task

ROOT = Path(__file__).parents[2]


class PlayedPolicy:
    """Gives completions from a list, by the turn of the chat; an exception in it is raised."""

    def __init__(self, *turns: Completion | Exception) -> None:
        self._turns = turns
        self.seeds: list[int] = []
        self.now = self.most = 0
        """Requests at the moment, and at most at one time."""

    @property
    def fingerprint(self) -> PolicyFingerprint:
        return PolicyFingerprint(
            model="played", revision="1", adapter=None, sampling={}, prompt_hash="", toolset_hash=""
        )

    async def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], seed: int
    ) -> Completion:
        self.seeds.append(seed)
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        turn = self._turns[sum(message["role"] == "assistant" for message in messages)]
        if isinstance(turn, Exception):
            raise turn
        return turn


def calls(*made: ToolCall) -> Completion:
    messages = [call_message(call, number) for number, call in enumerate(made)]
    message = {"role": "assistant", "content": "", "tool_calls": [one["tool_calls"][0] for one in messages]}
    return Completion(message, "tool_calls", 100, 10, 0.25)


def says(text: str, finish: Any = "stop") -> Completion:
    return Completion({"role": "assistant", "content": text}, finish, 200, 20, 0.5)


def make(policy: Policy, max_turns: int = 8, **changes: Any) -> Attempt:
    return asyncio.run(attempt(Request(make_small_task(**changes), 3, 77, "audit"), policy, max_turns))


def test_an_attempt_holds_verdict_transcript_changes_and_costs() -> None:
    policy = PlayedPolicy(calls(READ), calls(POST), says("Posted."))
    made = make(policy)
    assert (made.task_id, made.number, made.seed, made.purpose) == (make_small_task().id, 3, 77, "audit")
    assert made.policy == policy.fingerprint.key()
    assert made.end == "answered" and made.verdict is not None and made.verdict.strict and made.error is None
    assert (made.tokens_in, made.tokens_out, made.calls, made.model_s) == (400, 40, 2, 1.0)
    assert made.tool_s > 0
    assert made.transcript is not None
    roles = [message["role"] for message in made.transcript.messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]
    answer = made.transcript.messages[3]
    assert (answer["tool_call_id"], answer["name"]) == ("call_0", "slack_read_channel")
    assert "Post the rest" in answer["content"]
    assert [change.collection for change in made.changes] == ["Message"]


def test_every_turn_has_a_seed_of_its_own() -> None:
    policy = PlayedPolicy(calls(READ), calls(POST), says("Posted."))
    make(policy)
    assert policy.seeds == [derive_seed(77, turn) for turn in range(3)]


def test_parallel_calls_are_made_in_order_and_each_answered() -> None:
    made = make(PlayedPolicy(calls(STRAY, READ, POST), says("Posted.")))
    assert made.transcript is not None and made.verdict is not None
    answers = [message for message in made.transcript.messages if message["role"] == "tool"]
    assert [answer["tool_call_id"] for answer in answers] == ["call_0", "call_1", "call_2"]
    assert "Anything else?" in answers[1]["content"] and "Bills are posted" not in answers[1]["content"]
    assert (made.calls, made.verdict.strict, made.verdict.partial_credit) == (3, False, 0.5)


@pytest.mark.parametrize("arguments", ['{"channel": ', "[]", '"{}"', "", '{"channel": 7}', '{"invented": 1}'])
def test_a_miswritten_call_is_answered_and_the_episode_goes_on(arguments: str) -> None:
    function = {"name": "slack_post_message", "arguments": arguments}
    message = {"role": "assistant", "tool_calls": [{"id": "x", "type": "function", "function": function}]}
    made = make(PlayedPolicy(Completion(message, "tool_calls", 1, 1, 0.0), calls(POST), says("Posted.")))
    assert made.transcript is not None and made.verdict is not None
    assert "error" in json.loads(made.transcript.messages[3]["content"])
    assert made.verdict.strict


def test_an_unknown_tool_is_answered_with_those_there_are() -> None:
    made = make(PlayedPolicy(calls(ToolCall(tool="send_fax")), says("I can't.")))
    assert made.transcript is not None
    assert "slack_post_message" in made.transcript.messages[3]["content"]
    assert made.end == "answered" and made.verdict is not None and made.verdict.partial_credit == 0


def test_at_the_turn_limit_the_last_calls_still_count() -> None:
    made = make(PlayedPolicy(calls(READ), calls(POST), says("never asked")), max_turns=2)
    assert made.end == "turn_limit" and made.verdict is not None and made.verdict.strict


@pytest.mark.parametrize(
    ("finish", "end", "messages"),
    [("length", "token_limit", 5), ("malformed", "malformed", 5), ("context", "context_overflow", 4)],
)
def test_an_attempt_that_breaks_off_is_scored_on_what_was_done(finish: str, end: str, messages: int) -> None:
    made = make(PlayedPolicy(calls(POST), says("<tool_call>{", finish)))
    assert made.end == end and made.verdict is not None and made.verdict.strict
    assert made.transcript is not None and len(made.transcript.messages) == messages
    assert made.tokens_in == 300


def test_a_refusal_and_an_empty_answer_are_scored() -> None:
    for text in ("I won't.", ""):
        made = make(PlayedPolicy(says(text)))
        assert made.end == "answered" and made.verdict is not None and made.verdict.partial_credit == 0


def test_an_infrastructure_error_leaves_the_attempt_unscored_with_what_it_cost() -> None:
    made = make(PlayedPolicy(calls(POST), InfraError("no answer", "stalled")))
    assert not made.scored and made.end is None and made.error == "no answer"
    assert made.failure == "stalled"
    assert (made.tokens_in, made.calls) == (100, 1)
    assert made.transcript is not None and len(made.transcript.messages) == 4


def test_an_attempt_that_takes_too_long_is_left_unscored_unless_it_has_just_ended() -> None:
    request = Request(make_small_task(), 0, 1, "calibration")
    turns = (calls(READ), calls(POST), says("Posted."))  # 0.25 s, 0.25 s, 0.5 s
    for allowed, scored in ((0.2, False), (0.4, False), (0.9, True), (None, True)):
        made = asyncio.run(attempt(request, PlayedPolicy(*turns), 8, allowed))
        assert made.scored is scored
        assert made.failure == (None if scored else "attempt_timeout")
    assert "given up after 1 turns" in str(asyncio.run(attempt(request, PlayedPolicy(*turns), 8, 0.2)).error)


def test_a_bug_of_ours_leaves_the_attempt_unscored_with_its_traceback() -> None:
    made = make(PlayedPolicy(calls(POST), KeyError("nobody expects this")))
    assert not made.scored and made.error is not None
    assert made.failure == "bug" and made.error.startswith("bug: Traceback") and "nobody expects this" in made.error


def test_a_world_that_does_not_parse_is_a_bug_of_ours() -> None:
    made = make(PlayedPolicy(says("Hello.")), world={"slack": {"Channel": ({"nonsense": 1},)}})
    assert made.error is not None and made.error.startswith("bug: ") and made.transcript is not None


def requests(count: int) -> list[Request]:
    return [Request(make_small_task(index), 0, index, "calibration") for index in range(count)]


def test_never_more_attempts_are_in_flight_than_allowed_and_all_are_made() -> None:
    policy = PlayedPolicy(calls(READ), calls(POST), says("Posted."))
    made: list[Attempt] = []
    asyncio.run(attempt_many(requests(23), policy, Limits(max_turns=8, concurrency=5), made.append))
    assert policy.most == 5
    assert sorted(one.seed for one in made) == list(range(23))
    assert all(one.verdict is not None and one.verdict.strict for one in made)


def test_episodes_at_one_time_share_no_state() -> None:
    task = make_small_task()
    wanted = [Request(task, number, number, "calibration") for number in range(8)]
    made: list[Attempt] = []
    policy = PlayedPolicy(calls(POST), says("Posted."))
    asyncio.run(attempt_many(wanted, policy, Limits(max_turns=8, concurrency=8), made.append))
    assert [len(one.changes) for one in made] == [1] * 8


def test_each_attempt_is_handed_on_as_soon_as_it_is_finished() -> None:
    class Gate(PlayedPolicy):
        """Answers the second task only when the first has been handed on."""

        async def complete(self, messages: Any, tools: Any, seed: int) -> Completion:
            if "(1)" in messages[1]["content"]:
                await asyncio.wait_for(first.wait(), 10)
            return await super().complete(messages, tools, seed)

    first = asyncio.Event()
    made: list[Attempt] = []

    def hand_on(one: Attempt) -> None:
        made.append(one)
        first.set()

    asyncio.run(attempt_many(requests(2), Gate(says("Done.")), Limits(max_turns=8, concurrency=2), hand_on))
    assert [one.seed for one in made] == [0, 1]


def test_unscored_attempts_do_not_end_the_others() -> None:
    class Flaky(PlayedPolicy):
        async def complete(self, messages: Any, tools: Any, seed: int) -> Completion:
            if "(1)" in messages[1]["content"]:
                raise InfraError("reset")
            if "(2)" in messages[1]["content"]:
                raise ZeroDivisionError
            return await super().complete(messages, tools, seed)

    made: list[Attempt] = []
    asyncio.run(attempt_many(requests(6), Flaky(says("Done.")), Limits(max_turns=8, concurrency=2), made.append))
    assert sorted(one.seed for one in made) == list(range(6))
    assert sorted(one.seed for one in made if not one.scored) == [1, 2]


def test_a_configuration_error_stops_the_job_after_finished_attempts_were_handed_on() -> None:
    class Refusing(PlayedPolicy):
        async def complete(self, messages: Any, tools: Any, seed: int) -> Completion:
            self.seeds.append(seed)
            if "(7)" in messages[1]["content"]:
                raise ConfigurationError("check the key")
            return await super().complete(messages, tools, seed)

    policy = Refusing(says("Done."))
    made: list[Attempt] = []
    with pytest.raises(ConfigurationError, match="check the key"):
        asyncio.run(attempt_many(requests(40), policy, Limits(max_turns=8, concurrency=2), made.append))
    assert 6 <= len(made) <= 8 and all(one.scored for one in made)
    assert len(policy.seeds) < 40


def test_no_requests_are_no_work() -> None:
    asyncio.run(attempt_many([], PlayedPolicy(), Limits(max_turns=1, concurrency=4), lambda one: None))


def test_a_cancelled_job_leaves_what_is_finished_handed_on() -> None:
    class Slow(PlayedPolicy):
        async def complete(self, messages: Any, tools: Any, seed: int) -> Completion:
            if "(3)" in messages[1]["content"]:
                await asyncio.sleep(60)
            return await super().complete(messages, tools, seed)

    made: list[Attempt] = []

    async def cancel() -> None:
        job = asyncio.ensure_future(
            attempt_many(requests(5), Slow(says("Done.")), Limits(max_turns=8, concurrency=1), made.append)
        )
        while len(made) < 3:
            await asyncio.sleep(0)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job

    asyncio.run(cancel())
    assert [one.seed for one in made] == [0, 1, 2]


INTERRUPTED = """
import asyncio, sys
from environment.policies.scripted import ScriptedPolicy
from environment.rollout import Limits, Request, attempt_many
from tests.environment.small_task import make_small_task

class Slow(ScriptedPolicy):
    async def complete(self, messages, tools, seed):
        if "(2)" in messages[1]["content"]:
            print("waiting", flush=True)
            await asyncio.sleep(60)
        return await super().complete(messages, tools, seed)

wanted = [Request(make_small_task(index), 0, index, "calibration") for index in range(4)]
try:
    asyncio.run(attempt_many(wanted, Slow("waits", ()), Limits(max_turns=8, concurrency=1),
                             lambda one: print(one.seed, flush=True)))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_an_interrupted_job_leaves_what_is_finished_handed_on() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], cwd=ROOT, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": "."}
    ) as job:
        assert job.stdout is not None
        seen = [job.stdout.readline().strip() for _ in range(3)]
        job.send_signal(signal.SIGINT)
        rest = job.communicate(timeout=30)[0].split()
    assert (seen, rest) == (["0", "1", "waiting"], ["interrupted"])


def test_a_scripted_policy_plays_its_calls_and_answers() -> None:
    made = make(ScriptedPolicy("reference", [READ, POST], "Posted."))
    assert made.verdict is not None and made.verdict.strict and made.calls == 2
    assert made.transcript is not None and made.transcript.messages[-1]["content"] == "Posted."


def test_scripted_policies_with_other_calls_have_other_fingerprints() -> None:
    keys = {ScriptedPolicy("x", script).fingerprint.key() for script in ((), (READ,), (POST,))}
    assert len(keys) == 3
    assert ScriptedPolicy("x", ()).fingerprint.model == "scripted:x"
