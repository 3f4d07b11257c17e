"""A recurrence says when a series takes place: RRULE, EXDATE and RDATE lines of RFC 5545, section 3.8.5."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import islice

from dateutil import rrule

from environment.apps.google_calendar.zones import find_zone

HORIZON = timedelta(days=1827)
"""How far from its start a series is followed: five years."""
_MOST_LINES, _LONGEST_LINE = 20, 2000
_FREQUENCIES = {"DAILY": rrule.DAILY, "WEEKLY": rrule.WEEKLY, "MONTHLY": rrule.MONTHLY, "YEARLY": rrule.YEARLY}
_WEEKDAYS = {str(day): day for day in (rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA, rrule.SU)}
_NUMBERS = {"BYMONTHDAY": (1, 31), "BYMONTH": (1, 12), "BYSETPOS": (1, 366)}
_DATE = re.compile(r"(\d{8})(?:T(\d{6})(Z?))?", re.ASCII)
_LINE = re.compile(r"(RRULE|EXDATE|RDATE)((?:;(?:TZID=[^;:]+|VALUE=DATE(?:-TIME)?))*):(.+)", re.IGNORECASE)


class RecurrenceError(ValueError):
    """Lines that are no recurrence."""


@dataclass(frozen=True, slots=True)
class Occurrences:
    """When a series takes place, earliest first."""

    local: tuple[datetime, ...]
    """What calendar and clock show at each start."""
    seconds: tuple[int, ...]
    """Each start in seconds since 1970."""
    stamps: tuple[str, ...]
    """What is appended to the series' id to name each instance: 20260304T090000Z, or 20260304 for a day."""

    def between(self, low: int, high: int) -> range:
        """Positions of the starts in [low, high)."""
        return range(bisect_left(self.seconds, low), bisect_left(self.seconds, high))

    def at(self, stamp: str) -> int | None:
        """Position of the instance of this stamp."""
        try:
            return self.stamps.index(stamp)
        except ValueError:
            return None


def check_recurrence(lines: tuple[str, ...]) -> None:
    """Raises RecurrenceError with a sentence for lines that are no recurrence."""
    _parse(lines, None)


@lru_cache(maxsize=2048)
def occurrences(lines: tuple[str, ...], start: datetime, zone: tzinfo, all_day: bool) -> Occurrences:
    """Starts of a series whose first one is `start` on the clocks of `zone`, as far as five years."""
    plan = _parse(lines, zone)
    found = {moment for rule in plan.rules for moment in _expand(rule, start)} | set(plan.more)
    if not plan.rules:
        found.add(start)
    dropped = {moment.date() for moment in plan.less} if all_day else set(plan.less)
    local = sorted(moment for moment in found if (moment.date() if all_day else moment) not in dropped)
    instants = [moment.replace(tzinfo=zone).astimezone(UTC) for moment in local]
    form = "%Y%m%d" if all_day else "%Y%m%dT%H%M%SZ"
    return Occurrences(
        tuple(local),
        tuple(int(instant.timestamp()) for instant in instants),
        tuple(f"{moment if all_day else instant:{form}}" for moment, instant in zip(local, instants, strict=True)),
    )


@dataclass(frozen=True, slots=True)
class _Rule:
    frequency: int
    interval: int
    count: int | None
    until: datetime | None
    weekdays: tuple[rrule.weekday, ...] | None
    numbers: dict[str, tuple[int, ...]]
    week_start: rrule.weekday


@dataclass(frozen=True, slots=True)
class _Plan:
    rules: tuple[_Rule, ...]
    more: tuple[datetime, ...]
    less: tuple[datetime, ...]


def _expand(rule: _Rule, start: datetime) -> Iterator[datetime]:
    """Starts by one rule; bounded by `until`, so that a rule that never comes true ends too."""
    last = start + HORIZON
    found = rrule.rrule(
        rule.frequency,
        dtstart=start,
        interval=rule.interval,
        until=min(last, rule.until) if rule.until else last,
        byweekday=rule.weekdays,
        bymonthday=rule.numbers.get("BYMONTHDAY"),
        bymonth=rule.numbers.get("BYMONTH"),
        bysetpos=rule.numbers.get("BYSETPOS"),
        wkst=rule.week_start,
    )
    return islice(found, rule.count)


def _parse(lines: tuple[str, ...], zone: tzinfo | None) -> _Plan:
    """What the lines say; times in UTC are turned to the clocks of `zone`."""
    if len(lines) > _MOST_LINES:
        raise RecurrenceError(f"at most {_MOST_LINES} lines are read")
    rules: list[_Rule] = []
    dates: dict[str, list[datetime]] = {"EXDATE": [], "RDATE": []}
    for line in lines:
        match = _LINE.fullmatch(line.strip()) if len(line) <= _LONGEST_LINE else None
        if match is None:
            raise RecurrenceError(f"{line[:80]!r} is no RRULE, EXDATE or RDATE line")
        kind, parameters, value = match[1].upper(), match[2], match[3]
        if kind == "RRULE":
            rules.append(_read_rule(value, zone))
        else:
            own = _own_zone(parameters) or zone
            dates[kind].extend(_read_date(text, own, zone)[0] for text in value.split(","))
    if len(rules) > 1:
        raise RecurrenceError("one RRULE is read")
    return _Plan(tuple(rules), tuple(dates["RDATE"]), tuple(dates["EXDATE"]))


def _read_rule(text: str, zone: tzinfo | None) -> _Rule:
    parts: dict[str, str] = {}
    for part in text.rstrip(";").upper().split(";"):
        name, equals, value = part.partition("=")
        if not equals or name in parts:
            raise RecurrenceError(f"{part[:40]!r} is no part of a rule")
        parts[name] = value
    frequency = _FREQUENCIES.get(parts.pop("FREQ", ""))
    if frequency is None:
        raise RecurrenceError("FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY")
    interval = _number(parts.pop("INTERVAL", "1"), 1, 1000)
    count = _number(parts.pop("COUNT"), 1, 10_000) if "COUNT" in parts else None
    until = _last(parts.pop("UNTIL"), zone) if "UNTIL" in parts else None
    if count is not None and until is not None:
        raise RecurrenceError("a rule has COUNT or UNTIL, not both")
    weekdays = _read_weekdays(parts.pop("BYDAY"), frequency) if "BYDAY" in parts else None
    week_start = _WEEKDAYS.get(parts.pop("WKST", "MO"))
    if week_start is None:
        raise RecurrenceError("WKST is a weekday such as MO")
    numbers = {}
    for name, (low, high) in _NUMBERS.items():
        if name in parts:
            numbers[name] = tuple(_number(item, low, high, signed=True) for item in parts.pop(name).split(","))
    if parts:
        raise RecurrenceError(f"{', '.join(parts)[:80]} can't be read")
    return _Rule(frequency, interval, count, until, weekdays, numbers, week_start)


def _read_weekdays(text: str, frequency: int) -> tuple[rrule.weekday, ...]:
    found = []
    for item in text.split(","):
        match = re.fullmatch(r"([+-]?[1-9]\d?)?(MO|TU|WE|TH|FR|SA|SU)", item, re.ASCII)
        if match is None or (match[1] and frequency not in (rrule.MONTHLY, rrule.YEARLY)):
            raise RecurrenceError(f"{item[:40]!r} is no weekday of such a rule")
        day = _WEEKDAYS[match[2]]
        found.append(day(int(match[1])) if match[1] else day)
    return tuple(found)


def _number(text: str, low: int, high: int, signed: bool = False) -> int:
    if not re.fullmatch(r"[+-]?\d{1,5}" if signed else r"\d{1,5}", text, re.ASCII) or not low <= abs(int(text)) <= high:
        raise RecurrenceError(f"{text[:40]!r} is no number from {low} to {high}")
    return int(text)


def _last(text: str, zone: tzinfo | None) -> datetime:
    """The last moment that UNTIL admits; a day counts to its end."""
    moment, is_day = _read_date(text, zone, zone)
    return moment + timedelta(days=1, seconds=-1) if is_day else moment


def _read_date(text: str, own: tzinfo | None, zone: tzinfo | None) -> tuple[datetime, bool]:
    """A date, or a time on the clocks of `zone` that is written in UTC or on those of `own`; whether it is a date."""
    match = _DATE.fullmatch(text.strip().upper())
    if match is None:
        raise RecurrenceError(f"{text[:40]!r} is no date such as 20260304 or 20260304T090000Z")
    try:
        moment = datetime.strptime(f"{match[1]}{match[2] or '000000'}", "%Y%m%d%H%M%S")
    except ValueError:
        raise RecurrenceError(f"{text[:40]!r} is no date") from None
    if not 1970 <= moment.year <= 2200:
        raise RecurrenceError(f"{text[:40]!r} is too far away")
    if match[2] is None or zone is None:
        return moment, match[2] is None
    source = UTC if match[3] else own
    return moment.replace(tzinfo=source).astimezone(zone).replace(tzinfo=None), False


def _own_zone(parameters: str) -> tzinfo | None:
    match = re.search(r"TZID=([^;:]+)", parameters, re.IGNORECASE)
    if match is None:
        return None
    zone = find_zone(match[1])
    if zone is None:
        raise RecurrenceError(f"{match[1][:40]!r} is no time zone")
    return zone
