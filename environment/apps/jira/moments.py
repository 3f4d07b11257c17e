"""Moments that JQL names: dates, periods such as -7d counted from now, and functions such as startOfDay(-1d)."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import datetime, timedelta

from environment.query.jql import Function

_ABSOLUTE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T](\d{1,2}):(\d{2}))?", re.ASCII)
_PERIOD = re.compile(r"([+-]?)((?:\d{1,6}[wdhm]\s*)+)", re.ASCII)
_STEP = re.compile(r"([+-]?\d{1,6})([yMwdhm]?)", re.ASCII)
_UNITS = {"w": timedelta(weeks=1), "d": timedelta(days=1), "h": timedelta(hours=1), "m": timedelta(minutes=1)}
_SPANS = {"day": "d", "week": "w", "month": "M", "year": "y"}
FUNCTIONS = frozenset({"now", *(f"{side}of{span}" for side in ("start", "end") for span in _SPANS)})
"""Names in lower case."""


def read_moment(operand: str | Function, now: datetime) -> datetime | None:
    """The moment that is meant, in the time zone of `now`; None for what is none."""
    try:
        return _function(operand, now) if isinstance(operand, Function) else _written(operand.strip(), now)
    except (ValueError, OverflowError):
        return None


def _written(text: str, now: datetime) -> datetime | None:
    if found := _ABSOLUTE.fullmatch(text):
        year, month, day, hour, minute = (int(part or 0) for part in found.groups())
        return datetime(year, month, day, hour, minute, tzinfo=now.tzinfo)
    if found := _PERIOD.fullmatch(text):
        pieces = re.findall(r"(\d+)([wdhm])", found[2])
        span = sum((int(count) * _UNITS[unit] for count, unit in pieces), timedelta())
        return now - span if found[1] == "-" else now + span
    return None


def _function(function: Function, now: datetime) -> datetime | None:
    name = function.name.lower()
    if name not in FUNCTIONS or len(function.arguments) > 1:
        return None
    if name == "now":
        return None if function.arguments else now
    side, _, span = name.partition("of")
    moment = now
    if function.arguments:
        found = _STEP.fullmatch(function.arguments[0].strip())
        if not found:
            return None
        moment = _moved(now, int(found[1]), found[2] or _SPANS[span])
    start = _start(moment, span)
    return start if side == "start" else _start(_moved(start, 1, _SPANS[span]), span) - timedelta(milliseconds=1)


def _moved(moment: datetime, count: int, unit: str) -> datetime:
    if unit in _UNITS:
        return moment + count * _UNITS[unit]
    months = moment.year * 12 + moment.month - 1 + count * (12 if unit == "y" else 1)
    year, month = divmod(months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError(f"there is no year {year}")
    return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))


def _start(moment: datetime, span: str) -> datetime:
    """The beginning of the day, week (from Monday), month or year."""
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if span == "week":
        return midnight - timedelta(days=midnight.weekday())
    if span == "month":
        return midnight.replace(day=1)
    return midnight.replace(month=1, day=1) if span == "year" else midnight
