from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import ExitStack
from typing import Any

import pytest

from environment.policies.chat import ChatPolicy
from environment.policies.endpoint import Endpoint
from environment.policies.policy import Completion, InfraError
from environment.policies.pool import Pool
from tests.environment.policies.stub_endpoint import RESET, Reply, chat_reply, refusal, serve

TOOLS: list[Any] = []
HERE = chat_reply("Here.")


def endpoint(*urls: str, **changes: Any) -> Endpoint:
    given = {"temperature": 0.5, "max_tokens": 64, "timeout_s": 5, "tries": 6, "backoff_s": 0.001, **changes}
    return Endpoint.model_validate({"base_urls": urls, "model": "m", "revision": "r1", **given})


def chat(prompt: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": "Work."}, {"role": "user", "content": prompt}]


def ask_all(policy: ChatPolicy, count: int, prompts: int = 1000) -> list[Completion]:
    async def all_at_once() -> list[Completion]:
        return await asyncio.gather(
            *(policy.complete(chat(f"Task {seed % prompts}"), TOOLS, seed) for seed in range(count))
        )

    return asyncio.run(all_at_once())


def test_calls_are_spread_over_the_addresses_and_turns_of_one_chat_stay_together() -> None:
    with ExitStack() as running:
        stubs = [running.enter_context(serve(HERE)) for _ in range(3)]
        policy = ChatPolicy(endpoint(*(stub.url for stub in stubs)))
        ask_all(policy, 60)
        assert all(10 <= len(stub.requests) <= 30 for stub in stubs), [len(stub.requests) for stub in stubs]
        homes = [{request["messages"][1]["content"] for request in stub.requests} for stub in stubs]
        for task in range(20):  # one after another, so no address is too busy for its own
            asyncio.run(policy.complete(chat(f"Chat {task}"), TOOLS, 1))
            asyncio.run(policy.complete([*chat(f"Chat {task}"), {"role": "assistant", "content": "Go on"}], TOOLS, 2))
        assert sum(len(home) for home in homes) == 60
        for stub in stubs:
            asked = Counter(request["messages"][1]["content"] for request in stub.requests)
            assert {count for prompt, count in asked.items() if prompt.startswith("Chat")} <= {2}


def test_an_address_that_is_gone_costs_nothing_but_a_try() -> None:
    with serve(RESET) as gone, serve(HERE) as there:
        completions = ask_all(ChatPolicy(endpoint(gone.url, there.url, backoff_s=60, tries=2)), 40)
    assert [one.message["content"] for one in completions] == ["Here."] * 40
    assert len(there.requests) == 40 and 0 < len(gone.requests) <= 40


def test_an_address_that_asks_to_wait_is_left_alone_while_another_answers() -> None:
    with serve(refusal(429, "slow down", **{"retry-after": "60"})) as busy, serve(HERE) as free:
        began = time.monotonic()
        ask_all(ChatPolicy(endpoint(busy.url, free.url, tries=2)), 20)
    assert time.monotonic() - began < 20
    assert len(busy.requests) <= 20 and len(free.requests) == 20


def test_the_breaker_of_one_address_holds_back_its_calls_alone(caplog: pytest.LogCaptureFixture) -> None:
    with serve(refusal(503, "later")) as failing, serve(HERE) as there:
        policy = ChatPolicy(endpoint(failing.url, there.url, backoff_s=30))
        for _ in range(4):
            ask_all(policy, 60)
    assert [
        record.message for record in caplog.records if record.levelname == "WARNING" and "circuit" in record.name
    ] == [f"{failing.url} failed 50 of its last 50 calls (503: later): calls wait until it answers again"]
    assert len(there.requests) == 240
    assert 50 <= len(failing.requests) < 120  # those under way when it opened, and none later


def test_an_outage_leaves_no_attempt_unscored() -> None:
    """However long it lasts: calls that find out whether it is over are nobody's tries."""
    with serve(*[refusal(503, "later")] * 66, HERE) as stub:
        completions = ask_all(ChatPolicy(endpoint(stub.url, tries=3)), 60)
    assert [one.message["content"] for one in completions] == ["Here."] * 60
    assert len(stub.requests) == 126


def test_never_more_requests_are_in_flight_at_an_address_than_allowed() -> None:
    with serve(Reply(HERE.body, delay_s=0.05)) as one, serve(Reply(HERE.body, delay_s=0.05)) as other:
        ask_all(ChatPolicy(endpoint(one.url, other.url, max_in_flight=3)), 24)
    assert one.most_at_once <= 3 and other.most_at_once <= 3
    assert len(one.requests) + len(other.requests) == 24
    assert min(len(one.requests), len(other.requests)) >= 6


def test_requests_are_spread_evenly_over_the_minute() -> None:
    with serve(HERE) as stub:
        began = time.monotonic()
        ask_all(ChatPolicy(endpoint(stub.url, requests_per_minute=1200)), 8)
    for place, moment in enumerate(sorted(stub.moments)):
        assert moment - began >= place * 0.05


def test_a_call_that_is_cancelled_gives_its_place_back() -> None:
    async def cancelled_twice() -> None:
        pool = Pool(endpoint("http://127.0.0.1:1/v1", max_in_flight=1))
        home = pool.home("x")

        async def hold() -> None:
            async with pool.lease(home, {}):
                await asyncio.sleep(60)

        holding, waiting = asyncio.ensure_future(hold()), asyncio.ensure_future(hold())
        await asyncio.sleep(0.01)
        waiting.cancel()  # while it waits
        other = asyncio.ensure_future(hold())
        await asyncio.sleep(0.01)
        holding.cancel()  # while it has the place
        await asyncio.sleep(0.01)
        other.cancel()
        await asyncio.gather(holding, waiting, other, return_exceptions=True)
        async with asyncio.timeout(5), pool.lease(home, {}) as lease:
            assert lease.address.in_flight == 1

    asyncio.run(cancelled_twice())


def test_a_place_that_was_given_to_a_call_cancelled_at_that_moment_is_not_lost() -> None:
    async def cancelled_on_arrival() -> None:
        pool = Pool(endpoint("http://127.0.0.1:1/v1", max_in_flight=1))
        home, free = pool.home("x"), asyncio.Event()

        async def hold() -> None:
            async with pool.lease(home, {}):
                await free.wait()

        holding, waiting = asyncio.ensure_future(hold()), asyncio.ensure_future(hold())
        await asyncio.sleep(0.01)
        free.set()
        await asyncio.wait([holding])
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(5), pool.lease(home, {}):
            pass

    asyncio.run(cancelled_on_arrival())


def test_when_every_address_fails_the_attempt_is_unscored_after_its_tries() -> None:
    with serve(RESET) as one, serve(refusal(500, "no")) as other:
        with pytest.raises(InfraError, match=r"failed 4 times") as failed:
            ask_all(ChatPolicy(endpoint(one.url, other.url, tries=4)), 1)
        assert len(one.requests) + len(other.requests) == 4
    assert "connection" in str(failed.value) and "server_error" in str(failed.value)


def test_several_addresses_are_one_policy() -> None:
    one, two = endpoint("http://a/v1"), endpoint("http://a/v1", "http://b/v1")
    assert ChatPolicy(one).fingerprint == ChatPolicy(two).fingerprint
    assert two.base_url == "http://a/v1" and two.addresses == ("http://a/v1", "http://b/v1")
    assert Endpoint.model_validate(two.to_json()) == two


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"base_urls": ["http://a/v1", "http://a/v1"]}, "names an address twice"),
        ({"base_urls": ["http://a/v1", "b:8000"]}, "'b:8000' is no web address"),
        ({"base_urls": ["http://a/v1"], "base_url": "http://c/v1"}, "is not among base_urls; add it there"),
    ],
)
def test_addresses_that_cannot_be_meant_are_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Endpoint.model_validate({"model": "m", "revision": "r", "temperature": 1, "max_tokens": 9, **changes})
