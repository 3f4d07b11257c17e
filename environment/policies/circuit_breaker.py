"""A circuit breaker pauses the calls to an endpoint that mostly fails, and lets one through now and then to see."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque

logger = logging.getLogger(__name__)

_WINDOW = 50
"""It opens when half of this many last calls failed."""
_LONGEST_S = 300.0
"""The pause doubles up to this."""
_LOOK_S = 0.5
"""How often those held back look whether it has closed."""


class CircuitBreaker:
    """One endpoint's breaker: closed while calls go through, open while they are held back. It never fails a call."""

    def __init__(self, name: str, pause_s: float) -> None:
        """`name` stands in the log; `pause_s` is the pause before the first call that is let through again."""
        self._name, self._first_pause_s = name, pause_s
        self._failed: deque[bool] = deque(maxlen=_WINDOW)
        self._open = False
        self._pause_s = pause_s
        self._next = 0.0
        """When an open one lets the next call through, by the monotonic clock."""

    async def admit(self) -> None:
        """Return when a call may be made: at once while closed, otherwise one call a pause, each pause doubled."""
        while self._open:
            wait = self._next - time.monotonic()
            if wait <= 0:
                self._pause_s = min(_LONGEST_S, 2 * self._pause_s)
                self._next = time.monotonic() + self._pause_s
                return
            await asyncio.sleep(min(wait, _LOOK_S))

    def note(self, *, failed: bool) -> None:
        """What became of a call; only infrastructure errors are failures."""
        if self._open:
            if not failed:
                logger.warning("%s answers again", self._name)
                self._failed.clear()
                self._open = False
            return
        self._failed.append(failed)
        if len(self._failed) == _WINDOW and 2 * sum(self._failed) >= _WINDOW:
            logger.warning("%s failed %d of %d calls: calls are held back", self._name, sum(self._failed), _WINDOW)
            self._open = True
            self._pause_s = self._first_pause_s
            self._next = time.monotonic() + self._pause_s
