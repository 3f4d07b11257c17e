"""A Gmail search is the text of the search box: words, operators, OR, minus signs and groups.

Source: support.google.com/mail/answer/7190 ("Refine searches in Gmail", read in 2025). Like the search box this never
refuses a text: an unknown operator is searched for as words, an unmatched bracket or quotation mark is ignored. That
leniency is why the parser is a loop over tokens rather than a grammar. Left out: AROUND, larger and smaller, list,
has:drive and its kin, and the finer points of Google's word stemming (only a plural s is folded).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Literal, Protocol

MAX_LENGTH = 2_000
"""Characters of a search that are looked at."""
_MAX_DEPTH = 20
"""Brackets deeper than this group nothing."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text in lower case with a blank around every one, so that a phrase is found as a substring."""

    exact: str
    folded: str
    """With plurals folded."""


class Mail(Protocol):
    """What is searched."""

    @property
    def words(self) -> Mapping[str, Words]:
        """`from`, `to`, `cc`, `bcc`, `subject`, `filename`, `any` -> the words there."""

    @property
    def labels(self) -> tuple[str, ...]: ...

    @property
    def unread(self) -> bool: ...

    @property
    def instant_ms(self) -> int:
        """Milliseconds since 1970."""

    @property
    def rfc_id(self) -> str:
        """The Message-ID header."""


@dataclass(frozen=True, slots=True)
class Account:
    """What a search means here and now."""

    now: datetime
    address: str
    """What `me` stands for."""
    label_ids: Mapping[str, str]
    """`label_slug` of each user label's name -> its id."""


Test = Callable[[Mail, Account], bool]


@dataclass(frozen=True, slots=True)
class Search:
    """A parsed search."""

    test: Test
    everywhere: bool
    """It looks into spam and trash by itself (in:anywhere, in:trash, in:spam)."""


@lru_cache(maxsize=2048)
def parse_search(text: str) -> Search:
    """The test that a mail must pass; an empty search passes all."""
    tokens = [match for match in _TOKEN.finditer(text[:MAX_LENGTH]) if match.group().strip()]
    reader = _Reader(tokens)
    tests = []
    while reader.position < len(tokens):
        tests.append(reader.alternatives(0, None))
        reader.position += 1
    return Search(_all(tests), reader.everywhere)


def find_words(text: str) -> Words:
    """The words of `text` as a search sees them."""
    words = _WORD.findall(text.casefold())
    return Words(f" {' '.join(words)} ", f" {' '.join(map(_singular, words))} ")


def label_slug(name: str) -> str:
    """A label's name as it is written after `label:`, such as `work-invoices` for "Work/Invoices"."""
    return re.sub(r"[\s/&()|]+", "-", name.casefold())


_TOKEN = re.compile(r'-?(?:[A-Za-z_0-9]+:)?[({]|[)}]|-?\+?(?:[A-Za-z_0-9]+:)?"[^"]*"?|[^\s(){}"]+|\s+')
_WORD = re.compile(r"\w+")
_OPERATOR = re.compile(r"(?P<minus>-?)(?P<plus>\+?)(?:(?P<name>[A-Za-z_0-9]+):)?(?P<value>.*)", re.DOTALL)
_FIELDS = ("from", "to", "cc", "bcc", "subject", "filename")
_PLACES = {"draft": "DRAFT", "drafts": "DRAFT", "chats": "CHAT"}
_SPANS = {"h": timedelta(hours=1), "d": timedelta(days=1), "m": timedelta(days=30), "y": timedelta(days=365)}


class _Reader:
    """Position in the tokens of one search."""

    def __init__(self, tokens: list[re.Match[str]]) -> None:
        self.tokens, self.position, self.everywhere = tokens, 0, False

    def alternatives(self, depth: int, field: str | None, braces: bool = False) -> Test:
        """Terms up to the closing bracket: every one must hold (in braces: any), OR binding its two neighbours."""
        groups: list[list[Test]] = []
        joined = False
        while self.position < len(self.tokens):
            text = self.tokens[self.position].group()
            if text in (")", "}"):
                break
            if text in ("OR", "|"):
                joined = bool(groups)
            elif text != "AND":
                test = self._term(text, depth, field)
                if joined:
                    groups[-1].append(test)
                else:
                    groups.append([test])
                joined = False
            self.position += 1
        tests = [_any(group) for group in groups]
        return _any(tests) if braces and tests else _all(tests)

    def _term(self, text: str, depth: int, field: str | None) -> Test:
        if text[-1] not in "({" or depth >= _MAX_DEPTH:
            return self._operator(text.rstrip("({"), field)
        minus = text.startswith("-")
        name = text.strip("-+({:").lower()
        self.position += 1
        inner = self.alternatives(depth + 1, name or field, text[-1] == "{")
        return _not(inner) if minus else inner

    def _operator(self, text: str, field: str | None) -> Test:
        parts = _OPERATOR.fullmatch(text)
        if parts is None or not _WORD.search(text):
            return _always
        name, value = (parts["name"] or field or "").lower(), parts["value"]
        exact = bool(parts["plus"]) or value.startswith('"')
        value = value.strip('"')
        if name in ("in", "label", "is") and value.lower() in ("anywhere", "trash", "spam"):
            self.everywhere = True
        test = _operator_test(name, value.strip(), exact)
        if test is None:
            test = _words_test("any", f"{name} {value}", exact)
        return _not(test) if parts["minus"] else test


def _operator_test(name: str, value: str, exact: bool) -> Test | None:
    """The test of one operator; None when there is no such operator."""
    if name == "":
        return _words_test("any", value, exact)
    if name in _FIELDS:
        return _words_test(name, value, exact)
    if name == "is":
        return _state_test(value.lower())
    if name in ("in", "label", "category"):
        return _label_test(f"category_{value}" if name == "category" else value)
    if name == "has":
        return _has_test(value.lower())
    if name in ("after", "newer", "before", "older"):
        return _date_test("after" if name in ("after", "newer") else "before", value)
    if name in ("newer_than", "older_than"):
        return _age_test("after" if name == "newer_than" else "before", value)
    if name == "rfc822msgid":
        return lambda mail, account: mail.rfc_id.strip("<>") == value.strip("<>")
    return None


def _words_test(field: str, value: str, exact: bool) -> Test:
    if value.lower() == "me" and field in ("from", "to", "cc", "bcc"):
        return lambda mail, account: find_words(account.address).exact in mail.words[field].exact
    phrase = find_words(value)
    if phrase.exact == _NO_WORDS:
        return _always
    if exact:
        return lambda mail, account: phrase.exact in mail.words[field].exact
    return lambda mail, account: phrase.folded in mail.words[field].folded


def _state_test(state: str) -> Test:
    if state == "unread":
        return lambda mail, account: mail.unread
    if state == "read":
        return lambda mail, account: not mail.unread
    return _label_test(state)


def _label_test(name: str) -> Test:
    slug, system = label_slug(name), _PLACES.get(name.lower(), name.upper())
    if slug in ("anywhere", "all"):
        return _always
    if slug == "unread":
        return _state_test(slug)
    return lambda mail, account: system in mail.labels or account.label_ids.get(slug) in mail.labels


def _has_test(what: str) -> Test | None:
    if what == "attachment":
        return lambda mail, account: mail.words["filename"].exact != _NO_WORDS
    if what in ("userlabels", "nouserlabels"):
        wanted = what == "userlabels"
        return lambda mail, account: any(label.startswith("Label_") for label in mail.labels) is wanted
    return None


def _date_test(side: Literal["after", "before"], value: str) -> Test | None:
    if re.fullmatch(r"\d{9,11}", value):
        bound = int(value) * 1000
        return (
            (lambda mail, account: mail.instant_ms > bound)
            if side == "after"
            else lambda mail, account: mail.instant_ms < bound
        )
    day = _day(value)
    if day is None:
        return None

    def test(mail: Mail, account: Account) -> bool:
        start = day.replace(tzinfo=account.now.tzinfo).timestamp() * 1000
        return mail.instant_ms >= start if side == "after" else mail.instant_ms < start

    return test


def _day(value: str) -> datetime | None:
    """Midnight of 2026/3/4, 2026-03-04, 3/4/2026 (US order)."""
    parts = re.fullmatch(r"(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})", value)
    turned = None if parts else re.fullmatch(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})", value)
    if parts:
        year, month, day = map(int, parts.groups())
    elif turned:
        month, day, year = map(int, turned.groups())
    else:
        return None
    if not (1970 <= year <= 2200 and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    return datetime(year, month, 1) + timedelta(days=day - 1)


def _age_test(side: Literal["after", "before"], value: str) -> Test | None:
    parts = re.fullmatch(r"(\d{1,4})([hdmy])", value.lower())
    if parts is None:
        return None
    span = int(parts[1]) * _SPANS[parts[2]]

    def test(mail: Mail, account: Account) -> bool:
        bound = (account.now.timestamp() - span.total_seconds()) * 1000
        return mail.instant_ms >= bound if side == "after" else mail.instant_ms < bound

    return test


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _always(mail: Mail, account: Account) -> bool:
    return True


def _not(test: Test) -> Test:
    return lambda mail, account: not test(mail, account)


def _all(tests: list[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]

    # Plain loops here and below: a generator would cost twice as much, and this runs for every mail.
    def test(mail: Mail, account: Account) -> bool:
        for one in tests:  # noqa: SIM110
            if not one(mail, account):
                return False
        return True

    return test


def _any(tests: list[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]

    def test(mail: Mail, account: Account) -> bool:
        for one in tests:  # noqa: SIM110
            if one(mail, account):
                return True
        return False

    return test


_NO_WORDS = find_words("").exact
