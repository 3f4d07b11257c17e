"""A Gmail search is the text of the search box: words, operators, OR, minus signs and groups.

Source: support.google.com/mail/answer/7190 ("Refine searches in Gmail", read in 2025). Like the search box this never
refuses a text: an unknown operator is searched for as words, an unmatched bracket or quotation mark is ignored. Left
out: AROUND, larger and smaller, list, has:drive and its kin, and the finer points of Google's word stemming (only a
plural s is folded).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Literal, Protocol

from lark import Token, Transformer, v_args

from environment.query.grammar import QueryError, load_grammar

MAX_LENGTH = 1_500
"""Characters of a search that are looked at."""


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


def parse_search(text: str) -> Search:
    """The test that a mail must pass; an empty search passes all."""
    return _search(text[:MAX_LENGTH])


def find_words(text: str) -> Words:
    """The words of `text` as a search sees them."""
    words = _WORD.findall(text.casefold())
    return Words(f" {' '.join(words)} ", f" {' '.join(map(_singular, words))} ")


def label_slug(name: str) -> str:
    """A label's name as it is written after `label:`, such as `work-invoices` for "Work/Invoices"."""
    return re.sub(r"[\s/&()|]+", "-", name.casefold())


@dataclass(frozen=True, slots=True)
class _Word:
    """A word or phrase, or an operator with its value."""

    negated: bool
    exact: bool
    operator: str
    value: str


@dataclass(frozen=True, slots=True)
class _Group:
    """Terms in brackets: of every list of alternatives (in braces: of any) one must hold. An empty one always does."""

    negated: bool
    any: bool
    operator: str
    """The operator of the words inside that have none of their own."""
    alternatives: tuple[tuple[_Term, ...], ...]


_Term = _Word | _Group


@v_args(inline=True)
class _Reader(Transformer[Token, _Group]):
    """What each rule and terminal of gmail_search.lark means."""

    def start(self, *alternatives: tuple[_Term, ...]) -> _Group:
        return _Group(False, False, "", alternatives)

    def group(self, opening: Token, *alternatives: tuple[_Term, ...]) -> _Group:
        return _Group(opening[0] == "-", opening[-1] == "{", opening.strip("-({:").lower(), alternatives)

    def alternatives(self, *terms: _Term) -> tuple[_Term, ...]:
        return terms

    def WORD(self, token: Token) -> _Term:
        if not _WORD.search(token):
            return _Group(False, False, "", ())
        sign, operator, value = _WORD_PARTS.findall(token)[0]
        return _Word("-" in sign, "+" in sign or value[:1] == '"', operator.lower(), value.strip('"').strip())

    QUOTED = WORD


_read = load_grammar("gmail_search", _Reader())
_WORD_PARTS = re.compile(r"(-?\+?)(?:([A-Za-z_0-9]+):)?(.*)", re.DOTALL)
_WORD = re.compile(r"\w+")
_FIELDS = ("from", "to", "cc", "bcc", "subject", "filename")
_PLACES = {"draft": "DRAFT", "drafts": "DRAFT", "chats": "CHAT"}
_SPANS = {"h": timedelta(hours=1), "d": timedelta(days=1), "m": timedelta(days=30), "y": timedelta(days=365)}


@lru_cache(maxsize=2048)
def _search(text: str) -> Search:
    try:
        group = _read(text)
    except QueryError:  # Brackets that nest too deep group nothing.
        group = _read(re.sub(r"[(){}]", " ", text))
    return _meaning(group, "")


def _meaning(term: _Term, operator: str) -> Search:
    """The search that a term stands for, inside brackets of this operator."""
    operator = term.operator or operator
    if isinstance(term, _Word):
        found = _word_search(term, operator)
    else:
        parts = [_joined([_meaning(one, operator) for one in terms], _any) for terms in term.alternatives]
        found = _joined(parts, _any if term.any and parts else _all)
    return Search(_not(found.test), found.everywhere) if term.negated else found


def _joined(parts: list[Search], join: Callable[[list[Test]], Test]) -> Search:
    return Search(join([part.test for part in parts]), any(part.everywhere for part in parts))


def _word_search(word: _Word, operator: str) -> Search:
    everywhere = operator in ("in", "label", "is") and word.value.lower() in ("anywhere", "trash", "spam")
    test = _operator_test(operator, word.value, word.exact)
    return Search(test or _words_test("any", f"{operator} {word.value}", word.exact), everywhere)


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
