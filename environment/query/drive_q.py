"""A Drive query is the `q` of Google Drive's files.list: a test that a file must pass to be listed.

Sources: Google's guide "Search query terms and operators" for Drive API v3 and tanaikech's measurements of 2021. `name
contains` finds beginnings of words, `fullText contains` whole words, or a phrase in double quotes; `and` and `or` bind
equally and from left to right. Leaves out visibility, shortcutDetails, memberCount and the terms for shared drives.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, Protocol

from lark import Token, Transformer, v_args

from environment.query.grammar import QueryError, load_grammar


class File(Protocol):
    """What is searched, with Drive's field names."""

    @property
    def name(self) -> str: ...

    @property
    def mimeType(self) -> str: ...

    @property
    def full_text(self) -> str:
        """Name, description and content."""

    @property
    def trashed(self) -> bool: ...

    @property
    def starred(self) -> bool: ...

    @property
    def sharedWithMe(self) -> bool: ...

    @property
    def modifiedTime(self) -> str | None:
        """RFC 3339; None, here and below, for a time that never came."""

    @property
    def createdTime(self) -> str | None: ...

    @property
    def viewedByMeTime(self) -> str | None: ...

    @property
    def sharedWithMeTime(self) -> str | None: ...

    @property
    def parents(self) -> Collection[str]:
        """Ids of folders; `root` for the user's own top folder too."""

    @property
    def owners(self) -> Collection[str]:
        """Addresses, here and below; `me` for the user too."""

    @property
    def writers(self) -> Collection[str]: ...

    @property
    def readers(self) -> Collection[str]: ...

    @property
    def properties(self) -> Mapping[str, str]: ...

    @property
    def appProperties(self) -> Mapping[str, str]: ...


Test = Callable[[File], bool]


@lru_cache(maxsize=2048)
def parse_drive_q(text: str) -> Test:
    """The test that the query stands for; an empty one passes every file. Raises QueryError."""
    return _read(text)


@v_args(inline=True)
class _Reader(Transformer[Token, Test]):
    """The test that each rule of drive_q.lark makes."""

    def start(self, condition: Test | None) -> Test:
        return condition or (lambda file: True)

    def condition(self, first: Test, *more: Any) -> Test:
        steps = tuple(zip((word.lower() == "and" for word in more[::2]), more[1::2], strict=True))
        if not steps:
            return first

        def test(file: File) -> bool:
            held = first(file)
            for both, step in steps:
                if held is both:
                    held = step(file)
            return held

        return test

    def negation(self, *parts: Any) -> Test:
        inner: Test = parts[-1]
        return inner if len(parts) % 2 else lambda file: not inner(file)

    def field_contains(self, field: str, value: str) -> Test:
        if field == "mimeType":
            part = value.lower()
            return lambda file: part in file.mimeType.lower()
        wanted = [f" {word}" for word in dict.fromkeys(_words(value))]
        return lambda file: all(word in _spaced(file.name) for word in wanted)

    def text_contains(self, value: str) -> Test:
        wanted = _words(value)
        if re.fullmatch(r'\s*".*"\s*', value, re.DOTALL):
            phrase = f" {' '.join(wanted)} "
            return lambda file: phrase in f" {' '.join(_words(file.full_text))} "
        return lambda file: set(wanted).issubset(_words(file.full_text))

    def field_is(self, field: str, sign: str, value: str) -> Test:
        read, wanted, equal = attrgetter(field), value.casefold(), sign == "="
        return lambda file: (read(file).casefold() == wanted) is equal

    def time_is(self, field: str, sign: str, value: str) -> Test:
        read, bound, compare = attrgetter(field), _instant(value), _COMPARISONS[sign]
        if bound is None:
            raise QueryError(f"{value[:40]!r} is no RFC 3339 time; write one such as 2026-03-04T09:00:00", 0, value)
        return lambda file: (held := _instant(read(file) or "")) is not None and compare(held, bound)

    def flag_is(self, field: str, sign: str, value: str) -> Test:
        read, wanted = attrgetter(field), (value.lower() == "true") is (sign == "=")
        return lambda file: read(file) is wanted

    def among(self, value: str, field: str) -> Test:
        read = attrgetter(field)
        return lambda file: value in read(file)

    def property_is(self, field: str, key: str, value: str) -> Test:
        read = attrgetter(field)
        return lambda file: read(file).get(key) == value

    def STRING(self, token: Token) -> str:
        return _ESCAPE.sub(r"\1", token[1:-1])


_read = load_grammar("drive_q", _Reader())
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_WORD = re.compile(r"[^\W_]+")
_COMPARISONS: dict[str, Callable[[datetime, datetime], bool]] = {
    "<": operator.lt, "<=": operator.le, "=": operator.eq, "!=": operator.ne, ">=": operator.ge, ">": operator.gt
}  # fmt: skip


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


@lru_cache(maxsize=1024)
def _spaced(name: str) -> str:
    """The words of a name with a blank before each, so that the beginning of one is found as a substring."""
    return "".join(f" {word}" for word in _words(name))


@lru_cache(maxsize=1024)
def _instant(text: str) -> datetime | None:
    """The moment that the text spells, in UTC where it names no zone; None when it spells none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
