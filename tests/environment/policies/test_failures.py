from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from environment.policies.failures import retry_after


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 0.25 "}, 0.25),
        ({"retry-after": "86400"}, 600),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "soon"}, 0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 30),
        ({"retry-after": "Wed, 21 Oct 2026 07:27:00 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 0),
        ({"retry-after": "Wed, 21 Oct 2026 09:28:00 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 600),
        ({"retry-after": "Wed, 77 Oct 2026 07:28:30 GMT"}, 0),
    ],
)
def test_a_wait_is_read_in_seconds_and_as_a_date_against_the_servers_own_clock(
    headers: dict[str, str], seconds: float
) -> None:
    assert retry_after(headers) == seconds


def test_a_date_without_the_servers_clock_is_held_against_ours() -> None:
    until = formatdate(time.time() + 60, usegmt=True)
    assert 57 < retry_after({"retry-after": until}) <= 60
    assert 57 < retry_after({"retry-after": until, "date": "today"}) <= 60
