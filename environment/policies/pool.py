"""A pool is the addresses that serve one model: a call waits there until one of them may be asked.

Chats of one task go to one address as long as that has no more than its share of the calls, since it has read the
beginning of their prompts already.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from environment.policies.circuit_breaker import CircuitBreaker
from environment.policies.endpoint import Endpoint
from environment.rng import derive_seed

_OVERLOAD = 1.25
"""How many times its even share of the calls an address may have before a chat goes elsewhere."""


class Address:
    """One address: what it is doing, and when it may be asked again."""

    def __init__(self, url: str, endpoint: Endpoint) -> None:
        self.url = url
        self.breaker = CircuitBreaker(url, endpoint.backoff_s)
        self.in_flight = 0
        self._most = endpoint.max_in_flight
        self._spacing_s = 60 / endpoint.requests_per_minute if endpoint.requests_per_minute else 0.0
        self._next = 0.0
        """When the rate allows the next request."""

    @property
    def is_full(self) -> bool:
        return self._most is not None and self.in_flight >= self._most

    @property
    def free_at(self) -> float:
        """Earliest moment at which it may be asked, were it not full."""
        return max(self._next, self.breaker.next_try if self.breaker.is_open else 0.0)

    def admits(self, now: float) -> bool:
        return not self.is_full and now >= self._next and self.breaker.admits(now)

    def take(self, now: float) -> Lease:
        """A place for one call."""
        lease = Lease(self, is_trial=self.breaker.is_open)
        self.breaker.admit(now)
        self._next = max(now, self._next) + self._spacing_s
        self.in_flight += 1
        return lease


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to make one call."""

    address: Address
    is_trial: bool
    """The address was failing, and this call is to find out whether it still does."""

    def note(self, *, failed: bool, reason: str = "") -> None:
        """What became of the call; only infrastructure errors are failures, `reason` says which."""
        self.address.breaker.note(failed=failed, now=time.monotonic(), reason=reason)


@dataclass(eq=False, slots=True)
class _Waiting:
    home: str
    not_before: Mapping[str, float]
    lease: asyncio.Future[Lease] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Pool:
    """The addresses of one endpoint with those who wait for one of them, first come first served."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._addresses = tuple(Address(url, endpoint) for url in endpoint.addresses)
        self._waiting: deque[_Waiting] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def home(self, prompt: str) -> str:
        """The address where chats that begin with `prompt` go first; an address more or less moves few of them."""
        if len(self._addresses) == 1:
            return self._addresses[0].url
        return max((address.url for address in self._addresses), key=lambda url: derive_seed("home", url, prompt))

    @asynccontextmanager
    async def lease(self, home: str, not_before: Mapping[str, float]) -> AsyncIterator[Lease]:
        """Waits for an address, `home` first, and holds a place there; `not_before` says when which may be asked."""
        pause = min(not_before.get(address.url, 0.0) for address in self._addresses) - time.monotonic()
        if pause > 0:
            await asyncio.sleep(pause)
        lease = await self._admitted(_Waiting(home, not_before))
        try:
            yield lease
        finally:
            self._give_back(lease)

    async def _admitted(self, waiting: _Waiting) -> Lease:
        self._waiting.append(waiting)
        self._serve()
        try:
            return await waiting.lease
        except asyncio.CancelledError:
            if waiting.lease.done() and not waiting.lease.cancelled():
                self._give_back(waiting.lease.result())
            raise

    def _give_back(self, lease: Lease) -> None:
        lease.address.in_flight -= 1
        self._serve()

    def _serve(self) -> None:
        """Gives places to those who wait, as long as there are some, and looks again when there may be more."""
        now = time.monotonic()
        kept: deque[_Waiting] = deque()
        while self._waiting and any(address.admits(now) for address in self._addresses):
            waiting = self._waiting.popleft()
            if waiting.lease.done():
                continue  # cancelled
            address = self._choose(waiting, now)
            if address is None:
                kept.append(waiting)
            else:
                waiting.lease.set_result(address.take(now))
        self._waiting.extendleft(reversed(kept))
        self._look_again(now)

    def _choose(self, waiting: _Waiting, now: float) -> Address | None:
        able = [one for one in self._addresses if one.admits(now) and waiting.not_before.get(one.url, 0.0) <= now]
        if not able:
            return None
        for address in able:
            if address.breaker.is_open:
                return address  # its pause is over: somebody has to find out
        share = _OVERLOAD * (1 + sum(address.in_flight for address in self._addresses)) / len(self._addresses)
        for address in able:
            if address.url == waiting.home and address.in_flight < share:
                return address
        return min(able, key=lambda address: address.in_flight)

    def _look_again(self, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._waiting:
            return
        moments = [self._next_chance(address, now) for address in self._addresses if not address.is_full]
        if moments:  # otherwise a place that is given back comes first
            self._timer = asyncio.get_running_loop().call_later(max(0.0, min(moments) - now), self._serve)

    def _next_chance(self, address: Address, now: float) -> float:
        """When somebody who waits may be sent to this address."""
        if not address.admits(now):
            return address.free_at
        return min(waiting.not_before.get(address.url, 0.0) for waiting in self._waiting)
