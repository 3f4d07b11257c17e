"""A failed call is one that got no answer, for a reason that says nothing about the model."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from openai import APIStatusError

from environment.attempt import Failure
from environment.policies.policy import InfraError

_BUSY = frozenset((409, 425))
"""Statuses that ask to come again, beside 408, 429 and those of 500 and more."""
_LONGEST_RETRY_AFTER_S = 600.0
_TOO_LONG = re.compile(r"context[ _](length|window|size)|maximum (context|model) length|prompt is too long")


class CallFailed(InfraError):
    """One call got no answer; another try may."""

    def __init__(self, sentence: str, kind: Failure, retry_after_s: float = 0.0) -> None:
        """`retry_after_s` is what the server asked for, 0 where it didn't."""
        super().__init__(sentence, kind)
        self.retry_after_s = retry_after_s


class ContextOverflow(Exception):
    """The chat no longer fits into the model's context."""


def failure_of_status(error: APIStatusError) -> CallFailed | None:
    """The failure that a refused request stands for, None where the request itself is wrong.

    Raises ContextOverflow for a 400 that names the context length.
    """
    status = error.status_code
    if status == 400 and names_context_length(f"{error.message} {error.body}"):
        raise ContextOverflow(error.message[:300]) from error
    kind: Failure
    if status == 429:
        kind = "rate_limited"
    elif status == 408:
        kind = "timeout"
    elif status >= 500 or status in _BUSY:
        kind = "server_error"
    else:
        return None
    return CallFailed(f"{status}: {said(status, error.message)}", kind, retry_after(error.response.headers))


def names_context_length(text: str) -> bool:
    """Whether a refusal says that the prompt is too long, in the words of the servers there are."""
    return bool(_TOO_LONG.search(text.lower()))


def said(status: int, message: str) -> str:
    """What the server said, without the status that the client writes before it."""
    return message.removeprefix(f"Error code: {status} - ")[:300]


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that a response asks to wait, at most ten minutes; 0 where it doesn't or can't be understood.

    A date is held against the response's own, so that it doesn't matter how our clock goes.
    """
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return min(_LONGEST_RETRY_AFTER_S, float(text))
    until = _moment(text)
    if until is None:
        return 0.0
    now = _moment(headers.get("date", ""))
    return min(_LONGEST_RETRY_AFTER_S, max(0.0, until - (time.time() if now is None else now)))


def _moment(text: str) -> float | None:
    """Seconds since 1970 of an HTTP date."""
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None
