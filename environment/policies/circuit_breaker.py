"""A circuit breaker pauses the calls to an address that mostly fails, and lets one through now and then to see."""

from __future__ import annotations

import logging
from collections import deque

logger = logging.getLogger(__name__)

_WINDOW = 50
"""It opens when half of this many last calls failed."""
_LONGEST_S = 300.0
"""The pause doubles up to this."""
_TOLD_FROM_S = 60.0
"""A person is told again of an address that still fails when the pause has become this long."""


class CircuitBreaker:
    """One address's breaker: closed while calls go through, open while they are held back. It never fails a call."""

    def __init__(self, name: str, pause_s: float) -> None:
        """`name` stands in the log; `pause_s` is the pause before the first call that is let through again."""
        self._name, self._first_pause_s = name, pause_s
        self._failed: deque[bool] = deque(maxlen=_WINDOW)
        self._open = False
        self._pause_s = pause_s
        self._next = 0.0

    @property
    def is_open(self) -> bool:
        return self._open

    @property
    def next_try(self) -> float:
        """When an open one lets the next call through, by the clock of its callers."""
        return self._next

    def admits(self, now: float) -> bool:
        """Whether a call may be made: always while closed, otherwise one call a pause."""
        return not self._open or now >= self._next

    def admit(self, now: float) -> None:
        """A call is made; of an open breaker the next pause begins, twice as long."""
        if self._open:
            self._pause_s = min(_LONGEST_S, 2 * self._pause_s)
            self._next = now + self._pause_s

    def note(self, *, failed: bool, now: float, reason: str = "") -> None:
        """What became of a call; only infrastructure errors are failures, `reason` says which."""
        why = f" ({reason})" if reason else ""
        if self._open:
            if failed:
                level = logging.WARNING if self._pause_s >= _TOLD_FROM_S else logging.INFO
                left = max(0.0, self._next - now)
                logger.log(level, "%s still fails%s: the next call goes there in %.0f s", self._name, why, left)
            else:
                logger.warning("%s answers again", self._name)
                self._failed.clear()
                self._open = False
            return
        self._failed.append(failed)
        if len(self._failed) == _WINDOW and 2 * sum(self._failed) >= _WINDOW:
            failures = sum(self._failed)
            sentence = "%s failed %d of its last %d calls%s: calls wait until it answers again"
            logger.warning(sentence, self._name, failures, _WINDOW, why)
            self._open = True
            self._pause_s = self._first_pause_s
            self._next = now + self._pause_s
