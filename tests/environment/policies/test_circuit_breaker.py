from __future__ import annotations

import pytest

from environment.policies.circuit_breaker import CircuitBreaker


def note_all(breaker: CircuitBreaker, failed: int, of: int) -> None:
    for place in range(of):
        breaker.note(failed=place < failed, now=100.0)


def test_it_opens_when_half_of_the_last_fifty_calls_failed() -> None:
    for failed, opened in ((24, False), (25, True)):
        breaker = CircuitBreaker("stub", 60)
        note_all(breaker, failed, 50)
        assert breaker.is_open is opened
        assert breaker.admits(100.0) is not opened


def test_fewer_than_fifty_calls_never_open_it() -> None:
    breaker = CircuitBreaker("stub", 60)
    note_all(breaker, 49, 49)
    assert not breaker.is_open


def test_failures_of_long_ago_do_not_count() -> None:
    breaker = CircuitBreaker("stub", 60)
    note_all(breaker, 20, 49)
    note_all(breaker, 0, 50)
    note_all(breaker, 24, 24)
    assert not breaker.is_open


def test_an_open_one_lets_one_call_through_a_pause_and_the_pauses_double_up_to_five_minutes() -> None:
    breaker = CircuitBreaker("stub", 2.0)
    note_all(breaker, 50, 50)
    now, pauses = 100.0, []
    for _ in range(10):
        pauses.append(breaker.next_try - now)
        assert not breaker.admits(breaker.next_try - 0.001)
        now = breaker.next_try
        assert breaker.admits(now)
        breaker.admit(now)
        assert not breaker.admits(now)
        breaker.note(failed=True, now=now)
    assert pauses == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


def test_one_success_closes_it_and_failures_are_counted_anew(caplog: pytest.LogCaptureFixture) -> None:
    breaker = CircuitBreaker("stub", 60)
    note_all(breaker, 50, 50)
    breaker.note(failed=False, now=200.0)
    assert not breaker.is_open and breaker.admits(200.0)
    note_all(breaker, 49, 49)
    assert not breaker.is_open
    breaker.note(failed=True, now=200.0)
    assert breaker.is_open
    assert [record.message for record in caplog.records] == [
        "stub failed 50 of its last 50 calls: calls wait until it answers again",
        "stub answers again",
        "stub failed 50 of its last 50 calls: calls wait until it answers again",
    ]


def test_a_person_is_told_of_an_outage_when_it_begins_and_again_while_it_lasts(
    caplog: pytest.LogCaptureFixture,
) -> None:
    breaker = CircuitBreaker("stub", 2.0)
    note_all(breaker, 50, 50)
    for _ in range(7):
        now = breaker.next_try
        breaker.admit(now)
        breaker.note(failed=True, now=now, reason="502: Bad Gateway")
    warnings = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert warnings == [
        "stub failed 50 of its last 50 calls: calls wait until it answers again",
        *(f"stub still fails (502: Bad Gateway): the next call goes there in {left} s" for left in (64, 128, 256)),
    ]
