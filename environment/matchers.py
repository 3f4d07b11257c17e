"""A matcher is a typed demand on one value of a row: the right value in any usual spelling, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from environment.assignment import best_assignment
from environment.contract import (
    Date,
    Enum,
    Equals,
    Fields,
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
from environment.prose.claims import makes_no_claim
from environment.prose.statements import states_all
from environment.spellings import read_day, read_instant, read_money, read_phone, same_amount, same_day


@dataclass(frozen=True, slots=True)
class Star:
    """`[*]` or `[*name]` in a path: some element of the list; paths with equal stars mean the same element."""

    name: str
    index: int | None = None
    """Which element it was found to be; None for any."""


Step = str | int | Star
Path = tuple[Step, ...]

_OBJECT, _LIST, _SIZED = (dict, Mapping), (list, tuple), (str, list, tuple, dict)
"""What is nearly always there first: asking for a Mapping takes ten times as long."""
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]|\[\*([^\]]*)\]|\.")


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of a row's fields under their matchers."""

    wrong: tuple[str, ...]
    """Paths whose value was not accepted."""
    read: Mapping[str, Path]
    """Every path as written -> its steps, with the first star bound to the element that was taken for it."""


@lru_cache(maxsize=4096)
def parse_path(path: str) -> Path:
    """The steps of a path such as `a.b`, `cells[2]` or `Line[*].Amount`. Raises ValueError on any other writing."""
    steps: list[Step] = []
    position = 0
    while position < len(path):
        found = _STEP.match(path, position)
        if not found:
            raise ValueError(
                f"path {path!r} is not understood at {path[position:]!r}; write a.b, cells[2] or Line[*].x"
            )
        key, index, star = found.groups()
        if key is not None:
            steps.append(key)
        elif index is not None:
            steps.append(int(index))
        elif star is not None:
            steps.append(Star(star))
        position = found.end()
    if not steps:
        raise ValueError("a path must name a field, given an empty one")
    return tuple(steps)


def read_fields(row: Mapping[str, Any], fields: Fields, refs: Mapping[str, str]) -> Reading:
    """Which of a row's fields are wrong; where stars leave a choice of elements, the choice with the fewest wrong."""
    return Demands(fields).read(row, refs)


class Demands:
    """Matchers by path, made ready to read many rows."""

    __slots__ = ("_fields", "_plain", "_starred", "_stood", "count")

    def __init__(self, fields: Fields) -> None:
        self.count = len(fields)
        self._fields = fields
        self._plain: list[tuple[str, Path, bool, tuple[Matcher, ...]]] = []
        self._stood: dict[str, Path] = {}
        self._starred: dict[Path, dict[Star, list[tuple[str, Path]]]] = {}
        for text, matchers in fields.items():
            path = parse_path(text)
            star, first = next(((step, n) for n, step in enumerate(path) if isinstance(step, Star)), (None, 0))
            if star is None or all(isinstance(matcher, SetOf) for matcher in matchers):
                self._plain.append((text, path, star is not None, matchers))
                self._stood[text] = path
            else:
                self._starred.setdefault(path[:first], {}).setdefault(star, []).append((text, path[first + 1 :]))

    @property
    def is_starred(self) -> bool:
        """Whether some path leaves a choice of elements."""
        return bool(self._starred)

    def read(self, row: Mapping[str, Any], refs: Mapping[str, str]) -> Reading:
        """The reading of a row."""
        wrong: list[str] = []
        for text, path, spread, matchers in self._plain:
            value = list(_values_at(row, path)) if spread else _value_at(row, path)
            for matcher in matchers:
                if not accepts(matcher, value, refs):
                    wrong.append(text)
                    break
        if not self._starred:
            return Reading(tuple(wrong), self._stood)
        read = dict(self._stood)
        for prefix, stars in self._starred.items():
            chosen = _choose_elements(_value_at(row, prefix), stars, self._fields, refs)
            for star, paths in stars.items():
                index, missed = chosen[star]
                wrong.extend(missed)
                read.update({text: (*prefix, Star(star.name, index), *rest) for text, rest in paths})
        return Reading(tuple(wrong), read)


def accepts(matcher: Matcher, value: Any, refs: Mapping[str, str]) -> bool:
    """Whether one value, None when absent, is what the matcher demands; `refs` maps labels to ids of matched rows."""
    match matcher:
        case Equals():
            return _same_json(matcher.value, value)
        case Mentions():
            return states_all(matcher.facts, value)
        case Omits():
            return makes_no_claim(matcher.claims, value)
        case Money():
            written = read_money(value)
            return written is not None and same_amount(written, Decimal(matcher.amount), matcher.currency)
        case Phone():
            digits = read_phone(value)
            return digits is not None and digits == read_phone(matcher.number)
        case Instant():
            moment = read_instant(value)
            return moment is not None and moment == read_instant(matcher.at)
        case Date():
            day = read_day(value)
            return day is not None and same_day(day, date.fromisoformat(matcher.day))
        case Enum():
            return _word(value) in {_word(word) for word in (matcher.value, *matcher.also)}
        case SetOf():
            members = _members(value)
            return members is not None and members == {_folded(member) for member in matcher.members}
        case Url():
            return isinstance(value, str) and _address(value) == _address(matcher.address)
        case Ref():
            return value is not None and str(value).strip() == refs.get(matcher.label)
    raise ValueError(f"matcher {matcher!r} is of no known kind")


def same_value(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same; absent, null and empty text are all empty."""
    return _same_json(left, right)


def _choose_elements(
    elements: Any,
    stars: Mapping[Star, Sequence[tuple[str, Path]]],
    fields: Fields,
    refs: Mapping[str, str],
) -> dict[Star, tuple[int | None, tuple[str, ...]]]:
    """For each star the element that it stands for, distinct ones for distinct stars, and the paths wrong there."""
    candidates = elements if isinstance(elements, list | tuple) else []
    names = list(stars)
    missed = {
        (number, index): tuple(
            text
            for text, rest in stars[star]
            if not any(
                all(accepts(matcher, value, refs) for matcher in fields[text]) for value in _values_at(element, rest)
            )
        )
        for number, star in enumerate(names)
        for index, element in enumerate(candidates)
    }
    if len(names) == 1 and missed:
        best = min(missed, key=lambda pair: (len(missed[pair]), pair))
        return {names[0]: (best[1], missed[best])}
    weights = {pair: 1.0 + len(stars[names[pair[0]]]) - len(paths) for pair, paths in missed.items()}
    chosen = best_assignment(weights)
    return {
        star: (chosen[number], missed[number, chosen[number]])
        if number in chosen
        else (None, tuple(text for text, _ in stars[star]))
        for number, star in enumerate(names)
    }


def _value_at(value: Any, path: Path) -> Any:
    """The value at a path without stars, None where there is none."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, _OBJECT) else None
        elif isinstance(step, int):
            value = value[step] if isinstance(value, _LIST) and step < len(value) else None
    return value


def _values_at(value: Any, path: Path) -> Iterator[Any]:
    """Every value at a path; an absent one is None, unless a star finds no element."""
    if not path:
        yield value
        return
    step, rest = path[0], path[1:]
    if isinstance(step, Star):
        for element in value if isinstance(value, _LIST) else ():
            yield from _values_at(element, rest)
    else:
        yield from _values_at(_value_at(value, (step,)), rest)


def _same_json(left: Any, right: Any) -> bool:
    if left is right:
        return True
    if type(left) is str and type(right) is str:
        return left == right or bool(left and right and left.strip() == right.strip())
    if _empty(left) or _empty(right):
        return _empty(left) and _empty(right)
    if isinstance(left, str) and isinstance(right, str):
        return left.strip() == right.strip()
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    if isinstance(left, _OBJECT) and isinstance(right, _OBJECT):
        return all(_same_json(left.get(key), right.get(key)) for key in {*left, *right})
    if isinstance(left, _LIST) and isinstance(right, _LIST):
        return len(left) == len(right) and all(_same_json(a, b) for a, b in zip(left, right, strict=True))
    return bool(left == right)


def _empty(value: Any) -> bool:
    if value is None or isinstance(value, _SIZED):
        return not value
    return isinstance(value, Mapping) and len(value) == 0


def _word(value: Any) -> str | None:
    if isinstance(value, str):
        return _letters(value)
    if value is None or isinstance(value, list | Mapping):
        return None
    return _letters(str(value))


@lru_cache(maxsize=4096)
def _letters(text: str) -> str:
    return re.sub(r"[\s_\-‐‑–]+", "", text).casefold()


def _members(value: Any) -> set[str] | None:
    if value is None:
        return set()
    if isinstance(value, str):
        return {_folded(part) for part in re.split(r"[,;\n]", value) if part.strip()}
    if isinstance(value, list | tuple) and not any(isinstance(part, list | Mapping) for part in value):
        return {_folded(str(part)) for part in value if part is not None}
    return None


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _address(text: str) -> tuple[str, ...] | None:
    try:
        parts = urlsplit(text.strip())
    except ValueError:
        return None
    host = parts.netloc.lower()
    for scheme, port in (("http", ":80"), ("https", ":443")):
        if parts.scheme.lower() == scheme:
            host = host.removesuffix(port)
    return parts.scheme.lower(), host, parts.path.removesuffix("/"), parts.query, parts.fragment
