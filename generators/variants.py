"""A variant is a value near one that a matcher accepts: a wrong one to be rejected, or another accepted spelling."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from functools import partial
from itertools import pairwise
from typing import Any

from environment.contract import (
    Date,
    Enum,
    Equals,
    Fact,
    Instant,
    Matcher,
    Mentions,
    Money,
    Omits,
    Phone,
    Ref,
    SetOf,
    Url,
)
from environment.prose.facts import find_fact
from environment.prose.lines import read_lines
from environment.spellings import Span, read_money, read_phone

_SYMBOLS = {"GBP": "£", "EUR": "€", "USD": "$", "JPY": "¥"}


def wrong_values(matcher: Matcher, value: Any) -> list[Any]:
    """Values like the accepted `value` that a fair judge rejects: the slips of a careless worker."""
    match matcher:
        case Equals():
            return [_another(matcher.value)]
        case Money():
            return list(_wrong_money(matcher, value))
        case Phone():
            return [_swapped_digits(str(value))]
        case Instant():
            moment = datetime.fromisoformat(matcher.at)
            away = timezone((moment.utcoffset() or timedelta()) + timedelta(hours=3))
            later = [moment + timedelta(hours=1), moment + timedelta(days=1), moment.replace(tzinfo=away)]
            return [_like_instant(wrong, value) for wrong in later]
        case Date():
            day = date.fromisoformat(matcher.day)
            return [(day + timedelta(days=days)).isoformat() for days in (1, -1, 364)]
        case Enum():
            return [f"Not {value}", f"{value}2"]
        case SetOf():
            return _wrong_set(matcher, value)
        case Url():
            return [f"{matcher.address.rstrip('/')}/2", matcher.address.replace("://", "://not-")]
        case Ref():
            return [f"{value}9", None]
        case Mentions():
            return list(_wrong_prose(matcher, value))
        case Omits():
            text = _text(value)
            return [f"{text}\n{' '.join(fact.spellings[0] for fact in claim)}." for claim in matcher.claims]
    raise ValueError(f"matcher {matcher!r} is of no known kind")


def other_spellings(matcher: Matcher, value: Any) -> list[Any]:
    """Values that mean the same as the accepted `value`, of its JSON type; none where there is only one way."""
    match matcher:
        case Equals():
            return [f" {value} "] if isinstance(value, str) and value.strip() else []
        case Money():
            return _same_money(matcher, value)
        case Phone():
            return [spelling for spelling in _phones(str(value)) if spelling != value] if isinstance(value, str) else []
        case Instant():
            moment = datetime.fromisoformat(matcher.at)
            zones = (UTC, timezone(timedelta(hours=-7)))
            return [moment.astimezone(zone).isoformat() for zone in zones] if isinstance(value, str) else []
        case Date():
            return _days(matcher.day)[1:] if isinstance(value, str) else []
        case Enum():
            cased = [value.upper(), value.replace(" ", "_")] if isinstance(value, str) else []
            return [word for word in (*cased, *matcher.also) if word != value]
        case SetOf():
            if isinstance(value, list | tuple):
                return [list(reversed(value))] if len(value) > 1 else []
            return [", ".join(reversed(matcher.members))] if isinstance(value, str) and len(matcher.members) > 1 else []
        case Url():
            return [matcher.address.removesuffix("/") if matcher.address.endswith("/") else f"{matcher.address}/"]
        case Mentions():
            return list(_same_prose(matcher, value))
        case Omits():
            text = _text(value)
            return [f"{text}\n{_denied(claim)}." for claim in matcher.claims]
    return []


def _another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"Not {value}" if value else "x"
    if isinstance(value, list | tuple):
        return [*value, "x"]
    return "x"


def _wrong_money(matcher: Money, value: Any) -> Iterator[Any]:
    amount = Decimal(matcher.amount)
    for wrong in (amount + 1, amount * 10 or Decimal(10), _swapped_amount(amount)):
        if wrong != amount:
            yield float(wrong) if isinstance(value, int | float) else f"{wrong:.2f}"
    if matcher.currency and isinstance(value, str):
        yield f"{'EUR' if matcher.currency != 'EUR' else 'GBP'} {amount:,.2f}"


def _swapped_amount(amount: Decimal) -> Decimal:
    whole, point, rest = f"{amount:.2f}".partition(".")
    return Decimal(_swapped_digits(whole) + point + rest)


def _swapped_digits(text: str) -> str:
    """The text with its last two neighbouring digits that differ in each other's place, else with one digit raised."""
    for index in range(len(text) - 1, 0, -1):
        first, second = text[index - 1], text[index]
        if first.isdigit() and second.isdigit() and first != second and not (index == 1 and second == "0"):
            return text[: index - 1] + second + first + text[index + 1 :]
    places = [place for place, character in enumerate(text) if character.isdigit()]
    if not places:
        return f"{text}7"
    last = places[-1]
    return text[:last] + str((int(text[last]) + 1) % 10) + text[last + 1 :]


def _like_instant(moment: datetime, value: Any) -> Any:
    if isinstance(value, int | float):
        return moment.timestamp() * (1000 if value > 1e11 else 1)
    return moment.isoformat()


def _wrong_set(matcher: SetOf, value: Any) -> list[Any]:
    more = [*matcher.members, "somebody.else@elsewhere.example"]
    fewer = list(matcher.members[:-1])
    wrong = [more, fewer] if matcher.members else [more]
    return [", ".join(members) for members in wrong] if isinstance(value, str) else wrong


def _same_money(matcher: Money, value: Any) -> list[Any]:
    amount = Decimal(matcher.amount)
    if isinstance(value, int | float):
        return [float(amount)] if amount % 1 else [int(amount), float(amount)]
    return [spelling for spelling in _amounts(amount, matcher.currency) if spelling != value]


def _amounts(amount: Decimal, currency: str | None) -> list[str]:
    plain = [f"{amount:.2f}", f"{amount:,.2f}", *([f"{amount:.0f}"] if amount % 1 == 0 else [])]
    if not currency:
        return plain
    named = [f"{currency} {amount:,.2f}", f"{amount:,.2f} {currency}"]
    return [*named, *([f"{_SYMBOLS[currency]}{amount:,.2f}"] if currency in _SYMBOLS else []), *plain]


def _phones(number: str) -> list[str]:
    digits = read_phone(number) or ""
    if len(digits) == 7:
        return [f"{digits[:3]} {digits[3:]}", f"{digits[:3]}.{digits[3:]}", digits]
    if len(digits) == 10:
        area, first, last = digits[:3], digits[3:6], digits[6:]
        return [f"({area}) {first}-{last}", f"+1 {area} {first} {last}", f"{area}.{first}.{last}"]
    plus = "+" if number.strip().startswith("+") else ""
    return [plus + digits, plus + " ".join(re.findall(r"\d{1,3}", digits))]


def _days(iso: str) -> list[str]:
    day = date.fromisoformat(iso)
    return [
        iso,
        f"{day.day} {day:%B} {day.year}",
        f"{day:%b} {day.day}, {day.year}",
        f"{day.month}/{day.day}/{day.year}",
    ]


# Prose -----------------------------------------------------------------------------------------------------------


def _wrong_prose(matcher: Mentions, value: Any) -> Iterator[str]:
    yield ""
    text = _text(value)
    for facts in matcher.facts:
        for fact in facts:
            text_of = _where_found(fact, text, value)
            yield _rewritten(fact, text_of, partial(_wrong_fact, fact))
            yield _rewritten(fact, text_of, lambda _: "")
            yield _rewritten(fact, text_of, lambda spelling: f"not {spelling}")
    pairs = [facts for facts in matcher.facts if len(facts) > 1]
    for left, right in pairwise(pairs):
        if left[0] != right[0] and left[-1] != right[-1]:
            swapped = _swapped(left[-1], right[-1], text)
            if swapped is not None:
                yield swapped


def _same_prose(matcher: Mentions, value: Any) -> Iterator[str]:
    text = _text(value)
    yield f"{text}\nEverything else is as it was."
    yield "".join(f"<p>{line}</p>" for line in read_lines(text))
    for facts in matcher.facts:
        for fact in facts:
            text_of = _where_found(fact, text, value)
            for number in range(3):
                changed = _rewritten(fact, text_of, partial(_respelled, fact, number))
                if changed != text_of:
                    yield changed


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "\n".join(read_lines(value))


def _where_found(fact: Fact, text: str, value: Any) -> str:
    """The text in which the fact is found: as it is, or without its markup."""
    return text if find_fact(fact, text) else "\n".join(read_lines(value))


def _rewritten(fact: Fact, text: str, rewrite: Callable[[str], str]) -> str:
    for start, end in reversed(_apart(find_fact(fact, text))):
        text = text[:start] + rewrite(text[start:end]) + text[end:]
    return text


def _apart(spans: Sequence[Span]) -> list[Span]:
    """Spans that don't overlap; of those that do, the longest."""
    chosen: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0] - span[1], span)):
        if not any(span[0] < end and start < span[1] for start, end in chosen):
            chosen.append(span)
    return sorted(chosen)


def _swapped(left: Fact, right: Fact, text: str) -> str | None:
    """The text with two facts in each other's places; None where one of them cannot be told from the other."""
    lefts, rights = _apart(find_fact(left, text)), _apart(find_fact(right, text))
    if not lefts or not rights or set(lefts) & set(rights) or len(_apart([*lefts, *rights])) < len(lefts) + len(rights):
        return None
    one, other = text[slice(*lefts[0])], text[slice(*rights[0])]
    for start, end in sorted([*lefts, *rights], reverse=True):
        text = text[:start] + (other if (start, end) in lefts else one) + text[end:]
    return text


def _wrong_fact(fact: Fact, spelling: str) -> str:
    if fact.read_as == "date":
        return (date.fromisoformat(fact.spellings[0]) + timedelta(days=1)).isoformat()
    if fact.read_as == "money":
        amount = read_money(fact.spellings[0])
        return f"{(amount.number if amount else Decimal(0)) + 1:.2f}"
    if any(character.isdigit() for character in spelling):
        return _swapped_digits(spelling)
    return "something else"


def _respelled(fact: Fact, number: int, spelling: str) -> str:
    """The `number`-th spelling of a fact that can stand in the place of this one."""
    if fact.read_as == "money":
        written = read_money(spelling)
        if written is None:
            return spelling
        currency = next(iter(written.currencies)) if len(written.currencies) == 1 else None
        return _nth(_amounts(written.number, currency), number)
    if fact.read_as == "date":
        return _nth(_days(fact.spellings[0]), number)
    if fact.read_as == "phone":
        return _nth(_phones(fact.spellings[0]), number)
    return _nth([word for word in fact.spellings if word != spelling] or [spelling], number)


def _nth(spellings: Sequence[str], number: int) -> str:
    return spellings[number % len(spellings)]


def _denied(claim: Sequence[Fact]) -> str:
    words = [fact.spellings[0] for fact in claim]
    return " ".join([*words[:-1], "not", words[-1]])
