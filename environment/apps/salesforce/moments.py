"""A moment in Salesforce's spelling: UTC with milliseconds, such as 2026-03-04T09:20:00.000+0000."""

from __future__ import annotations

from datetime import UTC, datetime


def spell_moment(moment: datetime) -> str:
    """The moment as Salesforce stores it, rounded down to milliseconds. Raises OverflowError outside the calendar."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "+0000")


def read_moment(text: str) -> datetime:
    """The moment that a stored value spells."""
    return datetime.fromisoformat(text)
