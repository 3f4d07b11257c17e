"""A circuit breaker pauses the calls to an endpoint that mostly fails, and lets one through now and then to see."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextlib import suppress

logger = logging.getLogger(__name__)

_WINDOW = 50
"""It opens when half of this many last calls failed."""
_LONGEST_S = 300.0
"""The pause doubles up to this."""


class CircuitBreaker:
    """One endpoint's breaker: closed while calls go through, open while they are held back. It never fails a call."""

    def __init__(self, name: str, pause_s: float) -> None:
        """`name` stands in the log; `pause_s` is the pause before the first call that is let through again."""
        self._name, self._pause_s = name, pause_s
        self._failed: deque[bool] = deque(maxlen=_WINDOW)
        self._closed = asyncio.Event()
        self._closed.set()
        self._turn = asyncio.Lock()
        self._pauses = 0

    async def admit(self) -> None:
        """Return when a call may be made: at once while closed, otherwise after a pause, one call a pause."""
        if self._closed.is_set():
            return
        async with self._turn:
            pause = min(_LONGEST_S, self._pause_s * 2.0 ** min(self._pauses, 20))
            self._pauses += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closed.wait(), pause)

    def note(self, *, failed: bool) -> None:
        """What became of a call; only infrastructure errors are failures."""
        if not self._closed.is_set():
            if not failed:
                logger.warning("%s answers again", self._name)
                self._failed.clear()
                self._closed.set()
            return
        self._failed.append(failed)
        if len(self._failed) == _WINDOW and 2 * sum(self._failed) >= _WINDOW:
            logger.warning("%s failed %d of %d calls: calls are held back", self._name, sum(self._failed), _WINDOW)
            self._pauses = 0
            self._closed.clear()
