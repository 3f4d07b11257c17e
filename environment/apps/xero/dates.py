"""Dates are ISO 8601 in rows; answers write them as `/Date(1518685950940+0000)/` with a readable string beside it."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WRITTEN = re.compile(r"/Date\((-?\d{1,13})(?:[+-]\d{4})?\)/")


def read_date(value: Any) -> str:
    """The ISO day in `2026-02-03`, `2026-02-03T00:00:00` or `/Date(...)/`. Raises ValueError for anything else."""
    if isinstance(value, str) and len(value) <= 40:
        written = _WRITTEN.fullmatch(value.strip())
        if written:
            return f"{_EPOCH + timedelta(milliseconds=int(written[1])):%Y-%m-%d}"
        try:
            return datetime.fromisoformat(value.strip()).date().isoformat()
        except ValueError:
            pass
    raise ValueError(f"'{str(value)[:40]}' is not a valid date; write it as YYYY-MM-DD")


Day = Annotated[str, BeforeValidator(read_date)]
"""A calendar day, such as 2026-02-03."""


@lru_cache(maxsize=4096)
def written_day(day: str) -> str:
    """A day as `/Date(1770076800000+0000)/`."""
    return f"/Date({(date.fromisoformat(day).toordinal() - 719163) * 86_400_000}+0000)/"


@lru_cache(maxsize=4096)
def written_moment(moment: str) -> str:
    """An ISO moment as `/Date(1770076800000+0000)/`."""
    return f"/Date({round(datetime.fromisoformat(moment).timestamp() * 1000)}+0000)/"


def moment_of(now: datetime) -> str:
    """A moment as rows hold it: ISO 8601 in UTC, to the second."""
    return f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%S+00:00}"
