"""A recurrence says when a series takes place: RRULE, EXDATE and RDATE lines of RFC 5545, section 3.8.5."""

from __future__ import annotations

import re
from bisect import bisect_left
from calendar import isleap, monthrange
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import islice

from environment.apps.google_calendar.zones import find_zone

HORIZON = timedelta(days=1827)
"""How far from its start a series is followed: five years."""
_MOST_LINES, _LONGEST_LINE = 20, 2000
_FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_WEEKDAYS = {name: number for number, name in enumerate(("MO", "TU", "WE", "TH", "FR", "SA", "SU"))}
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
    rules = [rule.completed(start.date()) for rule in plan.rules]
    found = {moment for rule in rules for moment in islice(_expand(rule, start), rule.count)} | set(plan.more)
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
    frequency: str
    interval: int
    count: int | None
    until: datetime | None
    weekdays: tuple[tuple[int, int], ...]
    """(which one of its month or year, 0 for every one; weekday, 0 for Monday)."""
    month_days: tuple[int, ...]
    months: tuple[int, ...]
    positions: tuple[int, ...]
    week_start: int

    def completed(self, first: date) -> _Rule:
        """The rule with what goes without saying: it falls on days like the first one."""
        if self.weekdays or self.month_days or self.frequency == "DAILY":
            return self
        if self.frequency == "WEEKLY":
            return replace(self, weekdays=((0, first.weekday()),))
        months = (first.month,) if self.frequency == "YEARLY" and not self.months else self.months
        return replace(self, month_days=(first.day,), months=months)

    def selects(self, day: date) -> bool:
        """Whether BYMONTH, BYMONTHDAY and BYDAY admit the day."""
        if self.months and day.month not in self.months:
            return False
        length = monthrange(day.year, day.month)[1]
        if self.month_days and not {day.day, day.day - length - 1} & set(self.month_days):
            return False
        return not self.weekdays or any(self._is_weekday(day, length, *weekday) for weekday in self.weekdays)

    def _is_weekday(self, day: date, length: int, number: int, weekday: int) -> bool:
        if day.weekday() != weekday:
            return False
        if not number:
            return True
        place = day.day
        if self.frequency == "YEARLY" and not self.months:
            place, length = day.timetuple().tm_yday, 366 if isleap(day.year) else 365
        return number == ((place - 1) // 7 + 1 if number > 0 else -((length - place) // 7 + 1))


@dataclass(frozen=True, slots=True)
class _Plan:
    rules: tuple[_Rule, ...]
    more: tuple[datetime, ...]
    less: tuple[datetime, ...]


def _expand(rule: _Rule, start: datetime) -> Iterator[datetime]:
    """Starts by one rule: of every period that it repeats in, the days that it selects."""
    last = min(start + HORIZON, rule.until or datetime.max)
    clock, first = start.time(), start.date()
    for days in _periods(rule, first, last.date()):
        selected = [day for day in days if rule.selects(day)]
        for day in _at_positions(selected, rule.positions):
            moment = datetime.combine(day, clock)
            if start <= moment <= last:
                yield moment


def _periods(rule: _Rule, first: date, last: date) -> Iterator[list[date]]:
    """The days of every period from the first day's on: a day, a week, a month or a year, as often as INTERVAL says."""
    if rule.frequency in ("DAILY", "WEEKLY"):
        length = 1 if rule.frequency == "DAILY" else 7
        begin = first - timedelta(days=(first.weekday() - rule.week_start) % length)
        while begin <= last:
            yield [begin + timedelta(days=number) for number in range(length)]
            begin += timedelta(days=length * rule.interval)
        return
    months = 1 if rule.frequency == "MONTHLY" else 12
    count = first.year * 12 + (first.month - 1 if months == 1 else 0)
    while (begin := date(count // 12, count % 12 + 1, 1)) <= last:
        end = date((count + months) // 12, (count + months) % 12 + 1, 1)
        yield [begin + timedelta(days=number) for number in range((end - begin).days)]
        count += months * rule.interval


def _at_positions(days: list[date], positions: tuple[int, ...]) -> list[date]:
    """The days at these positions, from 1 or from -1 backwards; all of them where there are no positions."""
    if not positions:
        return days
    wanted = {position - 1 if position > 0 else len(days) + position for position in positions}
    return [day for number, day in enumerate(days) if number in wanted]


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
    frequency = parts.pop("FREQ", "")
    if frequency not in _FREQUENCIES:
        raise RecurrenceError("FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY")
    week_start = parts.pop("WKST", "MO")
    if week_start not in _WEEKDAYS:
        raise RecurrenceError("WKST must be a weekday such as MO")
    rule = _Rule(
        frequency=frequency,
        interval=_number(parts.pop("INTERVAL", "1"), 1, 1000),
        count=_number(parts.pop("COUNT"), 1, 10_000) if "COUNT" in parts else None,
        until=_last(parts.pop("UNTIL"), zone) if "UNTIL" in parts else None,
        weekdays=_read_weekdays(parts.pop("BYDAY", ""), frequency),
        month_days=_numbers(parts.pop("BYMONTHDAY", ""), 31),
        months=_numbers(parts.pop("BYMONTH", ""), 12),
        positions=_numbers(parts.pop("BYSETPOS", ""), 366),
        week_start=_WEEKDAYS[week_start],
    )
    if parts:
        raise RecurrenceError(f"{', '.join(parts)[:80]} can't be read")
    if rule.count is not None and rule.until is not None:
        raise RecurrenceError("a rule has COUNT or UNTIL, not both")
    return rule


def _read_weekdays(text: str, frequency: str) -> tuple[tuple[int, int], ...]:
    found = []
    for item in text.split(",") if text else ():
        match = re.fullmatch(r"([+-]?[1-9]\d?)?(MO|TU|WE|TH|FR|SA|SU)", item, re.ASCII)
        if match is None or (match[1] and frequency not in ("MONTHLY", "YEARLY")):
            raise RecurrenceError(f"{item[:40]!r} is no weekday of such a rule")
        found.append((int(match[1] or 0), _WEEKDAYS[match[2]]))
    return tuple(dict.fromkeys(found))


def _numbers(text: str, most: int) -> tuple[int, ...]:
    """Numbers from 1 to `most`, or from -1 down, as a rule lists them."""
    return tuple(dict.fromkeys(_number(item, 1, most, signed=True) for item in text.split(","))) if text else ()


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
