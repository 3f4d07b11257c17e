"""A spelling is one way to write an amount, a day, a moment or a telephone number.

`read_*` reads a whole value and gives None when it isn't one; `find_*` gives every one that stands in a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime
from functools import lru_cache

Span = tuple[int, int]

_DOLLARS = frozenset({"USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"})
_SYMBOLS: dict[str, frozenset[str]] = {
    "US$": frozenset({"USD"}), "CA$": frozenset({"CAD"}), "C$": frozenset({"CAD"}), "AU$": frozenset({"AUD"}),
    "A$": frozenset({"AUD"}), "NZ$": frozenset({"NZD"}), "HK$": frozenset({"HKD"}), "S$": frozenset({"SGD"}),
    "R$": frozenset({"BRL"}), "$": _DOLLARS, "£": frozenset({"GBP"}), "€": frozenset({"EUR"}),
    "¥": frozenset({"JPY", "CNY"}), "₹": frozenset({"INR"}), "₩": frozenset({"KRW"}), "₪": frozenset({"ILS"}),
    "zł": frozenset({"PLN"}), "kr": frozenset({"SEK", "NOK", "DKK"}),
    "dollars": _DOLLARS, "dollar": _DOLLARS, "euros": frozenset({"EUR"}), "euro": frozenset({"EUR"}),
    "pounds": frozenset({"GBP"}), "pound": frozenset({"GBP"}), "yen": frozenset({"JPY"}), "francs": frozenset({"CHF"}),
}  # fmt: skip
_CODES = tuple(
    "USD EUR GBP JPY CHF CAD AUD NZD SEK NOK DKK PLN CZK HUF INR CNY HKD SGD ZAR BRL MXN AED ILS KRW".split()
)
_CURRENCY = "|".join([*(re.escape(symbol) for symbol in _SYMBOLS), *_CODES, *(code.lower() for code in _CODES)])
_NUMBER = r"\d{1,3}(?:[,'’]\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d{1,2}|\d+,\d{2}|\d+(?:\.\d+)?"
_SPACED = r"\d{1,3}(?: \d{3})+(?:[.,]\d{1,2})?"
_END = r"(?![\w%]|[.,:/]\d|-\w)"
_MONEY = re.compile(
    rf"(?<![\w.,:/#-])(?P<sign>[-+−])?(?:(?P<before>{_CURRENCY})\s?(?P<sign2>[-−])?(?P<a>{_SPACED}|{_NUMBER})|(?P<b>{_NUMBER}))"
    rf"(?:{_END}|(?=\s?(?:{_CURRENCY})(?!\w)))(?:\s?(?P<after>{_CURRENCY})(?!\w)(?!\s?\d))?"
)

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ), 1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = re.compile(
    rf"(?<![\w/.-])(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?(?:"
    rf"(?P<y1>\d{{4}})[-/](?P<m1>\d{{1,2}})[-/](?P<d1>\d{{1,2}})(?=T?\d*)(?![\d/-])"
    rf"|(?P<m2>\d{{1,2}})/(?P<d2>\d{{1,2}})/(?P<y2>\d{{4}}|\d{{2}})(?![\w/-])"
    rf"|(?P<d3>\d{{1,2}})\.(?P<m3>\d{{1,2}})\.(?P<y3>\d{{4}})(?!\w)"
    rf"|(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?[\s-](?:of\s)?(?P<m4>{_MONTH})\b\.?(?:,?[\s-](?P<y4>\d{{4}})(?![\w-])|-(?P<y4b>\d{{2}})(?!\w))?"
    rf"|(?P<m5>{_MONTH})\b\.?\s(?P<d5>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:]|[.,]\d)(?:,?\s(?P<y5>\d{{4}})(?!\w))?"
    rf")",
    re.IGNORECASE,
)
_PHONE = re.compile(r"(?<![\w.])(?:\+|00)?\(?\d[\d().\-/ ]{5,20}\d(?!\w)")
DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"))


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum of money as it was written."""

    number: Decimal
    currencies: frozenset[str]
    """Currencies that it may be in; empty when none was named."""


@dataclass(frozen=True, slots=True)
class Day:
    """A calendar day as it was written."""

    year: int | None
    month: int
    day: int


def read_money(value: object) -> Amount | None:
    """The amount that a number or a text is, such as 930, "930.00", "GBP 930", "£1,240.00", "(930.00)"."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return Amount(Decimal(str(value)), frozenset()) if -1e18 < value < 1e18 else None
    if not isinstance(value, str):
        return None
    text = " ".join(value.translate(DASHES).split())
    if text.startswith("(") and text.endswith(")"):
        text = f"-{text[1:-1]}"
    if re.fullmatch(_SPACED, text):
        text = text.replace(" ", "")
    found = _MONEY.fullmatch(text)
    return _amount(found) if found else None


@lru_cache(maxsize=4096)
def find_money(text: str) -> tuple[tuple[Span, Amount], ...]:
    """Every number of a text that may be an amount, with where it stands; parts of ids and dates are none."""
    days = [span for span, _ in find_days(text)]
    found = []
    passed = 0
    for match in _MONEY.finditer(text):
        start, end = match.span()
        while passed < len(days) and days[passed][1] <= start:
            passed += 1
        if passed == len(days) or end <= days[passed][0]:
            found.append(((start, end), _amount(match)))
    return tuple(found)


def looks_like_money(text: str) -> bool:
    """Whether a spelling shows that it is an amount: by a currency, decimals or thousands."""
    return bool(re.search(rf"{_CURRENCY}|\d[.,]\d", text))


def same_amount(written: Amount, amount: Decimal, currency: str | None) -> bool:
    """Whether a written amount is this one; one without a currency may be in any."""
    if abs(written.number - amount) >= Decimal("0.000001"):
        return False
    return not written.currencies or currency is None or currency in written.currencies


def _amount(found: re.Match[str]) -> Amount:
    digits = (found["a"] or found["b"]).replace(" ", "").replace("'", "").replace("’", "")
    if re.fullmatch(r"[\d.]*,\d{1,2}", digits):
        digits = digits.replace(".", "").replace(",", ".")
    number = Decimal(digits.replace(",", ""))
    if found["sign"] in ("-", "−") or found["sign2"]:
        number = -number
    named = [_currencies(word) for word in (found["before"], found["after"]) if word]
    if len(named) == 2:
        return Amount(number, named[0] & named[1] or named[1])
    return Amount(number, named[0] if named else frozenset())


def _currencies(word: str) -> frozenset[str]:
    return _SYMBOLS.get(word) or frozenset({word.upper()})


def read_day(value: object) -> Day | None:
    """The day that a value is, year included: ISO, spelled, US order, midnight in ISO 8601, or milliseconds of it."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        moment = _from_epoch(value)
        return _midnight(moment) if moment else None
    return _read_day(value) if isinstance(value, str) else None


@lru_cache(maxsize=4096)
def _read_day(value: str) -> Day | None:
    text = " ".join(value.translate(DASHES).split())
    if found := re.fullmatch(r"/Date\((\d{1,13})(?:[+-]\d{4})?\)/", text):
        return _midnight(datetime.fromtimestamp(int(found[1]) / 1000, UTC))
    if re.fullmatch(r"\d{10,13}", text):
        return read_day(int(text))
    if re.fullmatch(r"\d{8}", text):
        text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}[T ]00:00(:00(\.0+)?)?(Z|[+-]\d{2}:?\d{2})?", text):
        text = text[:10]
    found = _DATE.fullmatch(text)
    day = _day(found) if found else None
    return day if day and day.year is not None else None


@lru_cache(maxsize=4096)
def find_days(text: str) -> tuple[tuple[Span, Day], ...]:
    """Every day that stands in a text, with or without its year."""
    return tuple((match.span(), day) for match in _DATE.finditer(text) if (day := _day(match)))


def same_day(written: Day, day: date) -> bool:
    """Whether a written day is this one; one without a year may be in any."""
    return (written.month, written.day) == (day.month, day.day) and written.year in (None, day.year)


def _midnight(moment: datetime) -> Day | None:
    if (moment.hour, moment.minute, moment.second) != (0, 0, 0):
        return None
    return Day(moment.year, moment.month, moment.day)


def _day(found: re.Match[str]) -> Day | None:
    for way in "12345":
        if (month := found[f"m{way}"]) is None:
            continue
        year = found[f"y{way}"] or (found["y4b"] if way == "4" else None)
        number = _MONTHS[month.lower()] if way in "45" else int(month)
        day = int(found[f"d{way}"])
        if way == "2" and number > 12:
            number, day = day, number
        full = None if year is None else int(year) + (2000 if len(year) == 2 else 0)
        return Day(full, number, day) if 1 <= number <= 12 and 1 <= day <= 31 else None
    return None


def read_instant(value: object) -> datetime | None:
    """The moment that a value is: ISO 8601 with an offset, an RFC 2822 date, or seconds or milliseconds since 1970."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_epoch(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if re.fullmatch(r"\d{10,13}(\.\d+)?", text):
        return _from_epoch(float(text))
    if re.match(r"\d{4}-", text):
        return _read_iso(text)
    if re.match(r"([A-Za-z]{3}, )?\d{1,2} [A-Za-z]{3} \d{4} ", text):
        return _read_mail_date(text)
    return None


def _from_epoch(number: float) -> datetime | None:
    if 1e9 <= number < 1e11:
        return datetime.fromtimestamp(number, UTC)
    if 1e12 <= number < 1e14:
        return datetime.fromtimestamp(number / 1000, UTC)
    return None


def _read_iso(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _read_mail_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def read_phone(value: object) -> str | None:
    """The digits of a telephone number without its punctuation and without a leading country code 1."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value).translate(DASHES).strip().removeprefix("tel:").replace("(0)", "")
    if not re.fullmatch(r"\+?[\d().\-/ ]*\d[\d().\-/ ]*", text):
        return None
    digits = re.sub(r"\D", "", text)
    if digits.startswith("00"):
        digits = digits[2:]
    return digits[1:] if len(digits) in (8, 11) and digits.startswith("1") else digits


def find_phones(text: str) -> list[Span]:
    """Where telephone numbers may stand in a text; days are none."""
    days = [span for span, _ in find_days(text)]
    spans = (match.span() for match in _PHONE.finditer(text))
    return [(start, end) for start, end in spans if not any(start < last and first < end for first, last in days)]


def find_phone(text: str, number: str) -> Iterator[Span]:
    """Where this telephone number stands in a text, as a whole and in any punctuation."""
    digits = read_phone(number) or number
    free = 0
    for match in _PHONE_START.finditer(text):
        start = match.start()
        if start < free:
            continue
        ends = (_end_of_digits(text, place, digits) for place in _after_prefix(text, start))
        end = next((end for end in ends if end is not None), None)
        if end is not None:
            yield start, end
            free = end


_PHONE_START = re.compile(r"(?<![\w.])(?<!\d[ .)\-])(?<!\d\) )(?=[+(\d])")
_PHONE_END = re.compile(r"(?!\w|[.\-/]\d)")


def _after_prefix(text: str, start: int) -> Iterator[int]:
    """Where a number may begin: after a plus or 00, after a bracket and after the country code 1, or without them."""
    for sign in ("+", "00", ""):
        for bracket in ("(", ""):
            if not text.startswith(sign + bracket, start):
                continue
            place = start + len(sign + bracket)
            if text.startswith("1", place):
                gap = _gap(text, place + 1, ".-(", 2)
                yield from range(place + 1 + gap, place, -1)
            yield place


def _end_of_digits(text: str, place: int, digits: str) -> int | None:
    """Where the digits end that begin at a place, with up to three signs or blanks between two of them."""
    for index, digit in enumerate(digits):
        if index:
            place += _gap(text, place, "().-/", 3)
        if not text.startswith(digit, place):
            return None
        place += 1
    return place if _PHONE_END.match(text, place) else None


def _gap(text: str, place: int, signs: str, longest: int) -> int:
    """How many blanks and signs stand at a place, at most the longest."""
    count = 0
    for character in text[place : place + longest]:
        if not (character.isspace() or character in signs):
            break
        count += 1
    return count
