from __future__ import annotations

import asyncio
import time

from environment.policies.circuit_breaker import CircuitBreaker


def note_all(breaker: CircuitBreaker, failed: int, of: int) -> None:
    for place in range(of):
        breaker.note(failed=place < failed)


def is_open(breaker: CircuitBreaker) -> bool:
    async def admitted_at_once() -> bool:
        task = asyncio.ensure_future(breaker.admit())
        await asyncio.sleep(0)
        return task.done() or not task.cancel()

    return not asyncio.run(admitted_at_once())


def test_it_opens_when_half_of_the_last_fifty_calls_failed() -> None:
    for failed, opened in ((24, False), (25, True)):
        breaker = CircuitBreaker("stub", 60)
        note_all(breaker, failed, 50)
        assert is_open(breaker) is opened


def test_fewer_than_fifty_calls_never_open_it() -> None:
    breaker = CircuitBreaker("stub", 60)
    note_all(breaker, 49, 49)
    assert not is_open(breaker)


def test_failures_of_long_ago_do_not_count() -> None:
    breaker = CircuitBreaker("stub", 60)
    note_all(breaker, 20, 49)
    note_all(breaker, 0, 50)
    note_all(breaker, 24, 24)
    assert not is_open(breaker)


def test_an_open_one_lets_one_call_through_a_pause_and_the_pauses_double() -> None:
    began = time.monotonic()
    breaker = CircuitBreaker("stub", 0.02)
    note_all(breaker, 50, 50)

    async def one() -> float:
        await breaker.admit()
        breaker.note(failed=True)
        return time.monotonic() - began

    async def three() -> list[float]:
        return sorted(await asyncio.gather(one(), one(), one()))

    first, second, third = asyncio.run(three())
    assert first >= 0.02 and second >= 0.02 + 0.04 and third >= 0.02 + 0.04 + 0.08


def test_one_success_closes_it_and_lets_everybody_through_at_once() -> None:
    breaker = CircuitBreaker("stub", 60)
    note_all(breaker, 50, 50)

    async def wait_for_all() -> None:
        waiting = [asyncio.ensure_future(breaker.admit()) for _ in range(20)]
        await asyncio.sleep(0)
        assert not any(task.done() for task in waiting)
        breaker.note(failed=False)
        await asyncio.wait_for(asyncio.gather(*waiting), 5)

    asyncio.run(wait_for_all())
    assert not is_open(breaker)
