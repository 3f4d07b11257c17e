"""An entry is what a person types into a cell: the value it becomes and the format it is shown in."""

from __future__ import annotations

import re
from calendar import month_abbr, month_name
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from math import isfinite

Cell = str | bool | int | float | None
"""A blank cell is None. A date is stored in ISO form; `GridRow.formats` says how it is shown."""

_NUMBER = re.compile(
    r"([+-]?)([$£€¥]?)\s?([+-]?)((?:\d{1,3}(?:,\d{3})+|\d{1,300})(?:\.\d{0,100})?|\.\d{1,100})(%?)", re.ASCII
)
_SCIENTIFIC = re.compile(r"[+-]?\d{1,20}(?:\.\d{0,20})?[eE][+-]?\d{1,4}", re.ASCII)
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})(?:/(\d{4}))?", re.ASCII)
_MONTH_FIRST = re.compile(r"([A-Za-z]{3,9})\.? (\d{1,2})(?:,? (\d{4}))?", re.ASCII)
_DAY_FIRST = re.compile(r"(\d{1,2})[ -]([A-Za-z]{3,9})(?:[ -](\d{4}))?", re.ASCII)
_MONTHS = {name.lower(): number for names in (month_abbr, month_name) for number, name in enumerate(names) if name}
_DAY_ZERO = date(1899, 12, 30)
_EXACT = 2**53
_MAX_ENTRY = 400


@dataclass(frozen=True, slots=True)
class Entry:
    """A value and its number format; None leaves the cell's format as it is."""

    value: Cell
    format: str | None = None


def read_entry(text: str, locale: str, now: datetime) -> Entry:
    """What a sheet makes of typed text: a number, percentage, sum of money, date, truth value, or the text itself."""
    typed = text.strip()
    if not typed or len(typed) > _MAX_ENTRY:
        return Entry(text)
    if typed.startswith("'"):
        return Entry(typed[1:])
    if typed.upper() in ("TRUE", "FALSE"):
        return Entry(typed.upper() == "TRUE")
    return _number(typed) or _date(typed, locale, now) or Entry(text)


def plain_number(value: int | float) -> int | float:
    """The number as a sheet keeps it: whole numbers beyond 2**53 lose their last digits."""
    return float(value) if isinstance(value, int) and abs(value) > _EXACT else value


def show(value: Cell, number_format: str | None) -> str:
    """The cell as people see it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        day = _stored_day(value) if number_format and "d" in number_format else None
        return _show_day(day, number_format or "") if day else value
    if number_format and "d" not in number_format:
        return _show_number(value, number_format)
    return _general(value)


def serial_number(value: Cell, number_format: str | None) -> Cell:
    """The value without its format: days since 30 December 1899 for a date."""
    if isinstance(value, str) and number_format and "d" in number_format:
        day = _stored_day(value)
        return (day - _DAY_ZERO).days if day else value
    return value


def _number(typed: str) -> Entry | None:
    match = _NUMBER.fullmatch(typed)
    if match is None:
        return _scientific(typed)
    outer, symbol, inner, digits, percent = match.groups()
    if (outer and inner) or (inner and not symbol) or (symbol and percent):
        return None
    amount = Decimal(digits.replace(",", "")) * (-1 if "-" in (outer, inner) else 1)
    decimals = ".00" if "." in digits.rstrip(".") else ""
    if percent:
        return Entry(float(amount / 100), f"0{decimals}%")
    value = plain_number(int(amount)) if not decimals else float(amount)
    if symbol or "," in digits:
        return Entry(value, f"{symbol}#,##0{decimals}")
    return Entry(value)


def _scientific(typed: str) -> Entry | None:
    if not _SCIENTIFIC.fullmatch(typed):
        return None
    value = float(typed)
    return Entry(value, "0.00E+00") if isfinite(value) else None


def _date(typed: str, locale: str, now: datetime) -> Entry | None:
    found = _ISO.fullmatch(typed)
    if found:
        return _day(found[1], found[2], found[3], "yyyy-mm-dd")
    found = _SLASHED.fullmatch(typed)
    if found:
        us = locale == "en_US"
        month, day = (found[1], found[2]) if us else (found[2], found[1])
        shape = ("m/d" if us else "dd/mm") + ("/yyyy" if found[3] else "")
        return _day(found[3] or str(now.year), month, day, shape)
    found = _MONTH_FIRST.fullmatch(typed)
    if found and found[1].lower() in _MONTHS:
        shape = f"{_month_shape(found[1])} d" + (", yyyy" if found[3] else "")
        return _day(found[3] or str(now.year), str(_MONTHS[found[1].lower()]), found[2], shape)
    found = _DAY_FIRST.fullmatch(typed)
    if found and found[2].lower() in _MONTHS:
        gap = "-" if "-" in typed else " "
        shape = f"d{gap}{_month_shape(found[2])}" + (f"{gap}yyyy" if found[3] else "")
        return _day(found[3] or str(now.year), str(_MONTHS[found[2].lower()]), found[1], shape)
    return None


def _month_shape(name: str) -> str:
    return "mmm" if len(name) == 3 else "mmmm"


def _day(year: str, month: str, day: str, shape: str) -> Entry | None:
    try:
        return Entry(date(int(year), int(month), int(day)).isoformat(), shape)
    except ValueError:
        return None


def _stored_day(value: str) -> date | None:
    try:
        return date.fromisoformat(value) if _ISO.fullmatch(value) else None
    except ValueError:
        return None


def _show_day(day: date, shape: str) -> str:
    words = {
        "yyyy": f"{day.year:04d}",
        "mmmm": month_name[day.month],
        "mmm": month_abbr[day.month],
        "mm": f"{day.month:02d}",
        "m": str(day.month),
        "dd": f"{day.day:02d}",
        "d": str(day.day),
    }
    return re.sub("yyyy|m{1,4}|d{1,2}", lambda match: words[match.group()], shape)


def _show_number(value: int | float, shape: str) -> str:
    fraction = re.search(r"\.(0+)", shape)
    decimals = len(fraction[1]) if fraction else 0
    if shape.endswith("%"):
        return f"{value * 100:.{decimals}f}%"
    if "E" in shape:
        return f"{value:.2E}"
    symbol = shape[0] if shape[0] in "$£€¥" else ""
    return f"{'-' if value < 0 else ''}{symbol}{abs(value):,.{decimals}f}"


def _general(value: int | float) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value) if isinstance(value, int) else f"{value:.12g}"
