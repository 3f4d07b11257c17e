"""A period is the half-open range of days that a SOQL date literal stands for."""

from __future__ import annotations

from datetime import date, timedelta

from environment.query.soql import Period

_DAYS = {"YESTERDAY": (-1, 0), "TODAY": (0, 1), "TOMORROW": (1, 2), "LAST_90_DAYS": (-90, 1), "NEXT_90_DAYS": (1, 91)}


def days_of(period: Period, today: date) -> tuple[date, date]:
    """First day of the period and first day after it. Weeks begin on Sunday and fiscal years in January.

    LAST_N_DAYS:n ends with today; NEXT_N_DAYS:n and every other LAST or NEXT leave the present day or unit out.
    Raises OverflowError when the calendar does not reach that far.
    """
    if period.name in _DAYS:
        first, after = _DAYS[period.name]
        return today + timedelta(first), today + timedelta(after)
    words, count = period.name.replace("FISCAL_", "").split("_"), period.count or 0
    if period.count is None:
        step = {"LAST": -1, "THIS": 0, "NEXT": 1}[words[0]]
        return _start(today, words[1], step), _start(today, words[1], step + 1)
    if words[0] == "N":
        return _start(today, _singular(words[1]), -count), _start(today, _singular(words[1]), 1 - count)
    unit = _singular(words[2])
    if words[0] == "LAST":
        return _start(today, unit, -count), _start(today, unit, 1 if unit == "DAY" else 0)
    return _start(today, unit, 1), _start(today, unit, 1 + count)


def _singular(unit: str) -> str:
    return unit.removesuffix("S")


def _start(today: date, unit: str, steps: int) -> date:
    """First day of the unit that lies `steps` units after the one of today."""
    if unit == "DAY":
        return today + timedelta(steps)
    if unit == "WEEK":
        return today - timedelta((today.weekday() + 1) % 7) + timedelta(weeks=steps)
    months = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}[unit]
    index = (today.year * 12 + today.month - 1) // months * months + steps * months
    if not 12 <= index < 9999 * 12:
        raise OverflowError("date value out of range")
    return date(index // 12, index % 12 + 1, 1)
