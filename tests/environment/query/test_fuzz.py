"""Whatever text is sent as a query, the answer is a result or the language's own error, within 50 milliseconds."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import Lark

from environment import query
from environment.apps import APPS
from environment.query import drive_q, gmail_search, jql, slack_search, soql, xero_where, zendesk_search
from environment.query.grammar import MAX_LENGTH, QueryError
from environment.server import Response, Server, parse_now
from environment.world import Base, World
from tests.environment.sample_world import ACTOR, NOW, WORLD

_ROWS = 300
_APPS = {app.name: app for app in APPS}
_KINDS = {app.name: {kind.__name__: kind for kind in app.rows} for app in APPS}


@dataclass(frozen=True)
class Language:
    """One query language, and the request that asks something in it."""

    name: str
    """Of its grammar file."""
    parse: Callable[[str], object]
    app: str
    collection: str
    """Whose rows are searched."""
    url: str
    parameter: str
    clause: str
    """A condition of which several can be joined."""
    junctions: tuple[str, ...]
    before: str = ""
    """What stands before the conditions."""
    samples: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Terminal -> texts of it, for terminals that make no sense, or no match, by their pattern alone."""
    total: bool = False
    """Every text is a query."""
    spell: Callable[[int], str] | None = None
    """The n-th row's id, where the application doesn't count ids over all rows."""

    def ask(self, text: str) -> Response:
        server = Server(APPS, World(_base(self), parse_now(NOW)), ACTOR)
        return server.fetch("GET", self.url, {self.parameter: text})


LANGUAGES = (
    Language(
        "soql",
        soql.parse,
        "salesforce",
        "Contact",
        _APPS["salesforce"].url("/query"),
        "q",
        "(Name LIKE '%a_a%' OR Account.Name != 'x')",
        (" AND ", " OR "),
        "SELECT Id, Name FROM Contact WHERE ",
        (
            ("NAME", ("Name", "LastName", "Account.Name", "Id", "CreatedDate")),
            ("AGGREGATE", ("COUNT_DISTINCT", "max")),
            ("_SHOWN", ("toLabel",)),
            ("_FIELDS", ("FIELDS",)),
        ),
    ),
    Language(
        "drive_q",
        drive_q.parse_drive_q,
        "google_sheets",
        "Spreadsheet",
        "https://www.googleapis.com/drive/v3/files",
        "q",
        "(name contains 'return' and modifiedTime < '2026-03-04')",
        (" and ", " or "),
        samples=(("STRING", ("'2026-03-04'", "'1999-12-31T23:59:59Z'", "'2026\\-03\\-04'")),),
    ),
    Language(
        "gmail_search",
        gmail_search.parse_search,
        "gmail",
        "Message",
        _APPS["gmail"].url("/users/me/messages"),
        "q",
        '-from:(bo OR "credit note")',
        (" ", " OR "),
        total=True,
    ),
    Language(
        "slack_search",
        slack_search.parse_slack_search,
        "slack",
        "Message",
        _APPS["slack"].url("/search.messages"),
        "query",
        '-in:#old "rest of" bil*',
        (" ",),
        total=True,
        spell="{:06d}".format,
    ),
    Language(
        "xero_where",
        xero_where.parse,
        "xero",
        "Invoice",
        _APPS["xero"].url("/Invoices"),
        "where",
        '(Contact.Name.ToLower().Contains("%a_a%") OR Date>=DateTime(2026,02,01))',
        (" AND ", " || "),
        samples=(("NAME", ("Type", "Contact", "Name", "AmountDue", "DueDate", "SentToContact")),),
    ),
    Language(
        "zendesk_search",
        zendesk_search.parse_search,
        "zendesk",
        "Ticket",
        _APPS["zendesk"].url("/search"),
        "query",
        '-subject:"late %a_a%" status<solved tags:bil*',
        (" ", " OR "),
        samples=(
            ("MINUS", ("-",)),
            ("FIELD", ("status", "requester", "custom_field_7", "created")),
            ("TEXT", ("refund", "CN-20417", "a:b", "2026-03-04", "bil*")),
        ),
    ),
    Language(
        "jql",
        jql.parse,
        "jira",
        "Issue",
        _APPS["jira"].url("/search"),
        "jql",
        '(summary ~ "credit bil*" OR NOT duedate < -7d)',
        (" AND ", " OR "),
        samples=(
            (
                "WORD",
                ("summary", "status", "due", "text", "Severity", "assignee", "Done", "-7d", "startOfDay", "OPS-1"),
            ),
            ("CUSTOM", ("cf[10001]", "CF [ 7 ]")),
            ("NOT", ("not", "!")),
            ("EMPTY", ("EMPTY", "null")),
            ("_AND", ("and", "&&")),
            ("_OR", ("OR", "||")),
            ("_IN", ("in",)),
            ("_IS", ("IS",)),
            ("_ORDER_BY", ("order  by",)),
            ("DIRECTION", ("asc", "DESC")),
        ),
        spell="OPS-{}".format,
    ),
)
_EACH = pytest.mark.parametrize("language", [pytest.param(language, id=language.name) for language in LANGUAGES])
_STRICT = [language for language in LANGUAGES if not language.total]


@lru_cache
def _base(language: Language) -> Base:
    """The sample world with many rows of the collection that is searched, alike but for their ids."""
    app, collection = language.app, language.collection
    kind = _KINDS[app][collection]
    sample, spell = WORLD[app][collection][0], language.spell or _APPS[app].ids[kind]
    rows = tuple({**sample, kind.id_field: spell(number)} for number in range(1, _ROWS + 1))
    return Base({app: {**WORLD[app], collection: rows}}, _KINDS)


@lru_cache
def _grammar(language: Language) -> Lark:
    path = Path(query.__file__).with_name(f"{language.name}.lark")
    return Lark(path.read_text("utf-8"), parser="lalr", maybe_placeholders=True)


@lru_cache
def _derived(language: Language) -> st.SearchStrategy[str]:
    """Texts that the grammar derives, with a blank after every terminal."""
    samples = dict(language.samples)
    terminals = {
        terminal.name: (
            st.sampled_from(samples[terminal.name])
            if terminal.name in samples
            else st.from_regex(terminal.pattern.to_regexp(), fullmatch=True)
        ).map(lambda text: f"{text} ")
        for terminal in _grammar(language).terminals
    }
    return from_lark(_grammar(language), explicit=terminals)


_DEBRIS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(["(", ")", "{", "[", "'", '"', "\\", "\\'", "%", "_", "*", "\x00", "\ud800", "\u2028", "9" * 400]),
    st.sampled_from([" not ", " and ", " OR ", "null", "-", ":", "=", "<>", "!", "~", "2026-99-99", "-1", "1e999"]),
)


@st.composite
def _mutated(draw: st.DrawFn, language: Language) -> str:
    """A query in which some pieces were cut out, doubled or replaced by debris."""
    text = language.before + language.clause
    if not language.total and draw(st.booleans()):
        text = draw(_derived(language))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 20)))
        text = text[:start] + draw(st.one_of(_DEBRIS, st.just(""), st.just(2 * text[start:end]))) + text[end:]
    return text


def _check(language: Language, text: str) -> None:
    try:
        language.parse(text)
    except QueryError:
        assert not language.total
    response = language.ask(text)
    assert response.status < 500
    json.dumps(response.body, allow_nan=False)


_THOROUGH = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("language", [pytest.param(language, id=language.name) for language in _STRICT])
@_THOROUGH
@given(data=st.data())
def test_what_the_grammar_derives_is_read(language: Language, data: st.DataObject) -> None:
    text = data.draw(_derived(language))
    language.parse(text)
    _check(language, text)


@_EACH
@_THOROUGH
@given(data=st.data())
def test_a_damaged_query_is_answered_or_refused(language: Language, data: st.DataObject) -> None:
    _check(language, data.draw(_mutated(language)))


@_EACH
@_THOROUGH
@given(text=st.text())
def test_any_text_is_answered_or_refused(language: Language, text: str) -> None:
    _check(language, text)
    _check(language, language.before + text)


def _hostile(language: Language, size: int) -> dict[str, str]:
    """Texts of about `size` characters that have brought parsers and matchers down."""
    clause = language.clause
    texts = {
        "brackets": "(" * size,
        "braces": "{" * size,
        "negated brackets": "-(" * (size // 2),
        "empty brackets": "()" * (size // 2),
        "negations": "not " * (size // 4) + clause,
        "minus signs": "-" * size + clause,
        "single quotes": "'" * size,
        "double quotes": '"' * size,
        "escapes": clause[:-1] + "\\'" * (size // 2),
        "blanks": clause + " " * size,
        "control characters": "\x00\x1f" * (size // 2),
        "digits": clause.replace("'", "") + " = " + "9" * size,
        "wildcards": clause.replace("%a_a%", "%_a" * (size // 3)).replace("bil", "bil*" * (size // 4)),
        "plain wildcards": "%*?_" * (size // 4),
        "one word": "a" * size,
        "words": "a " * (size // 2),
        "operators": "= " * (size // 2),
    }
    for junction in language.junctions:
        texts[f"joined by{junction}"] = junction.join([clause] * (size // len(clause + junction)))
    return {name: language.before + text for name, text in texts.items()}


@_EACH
def test_hostile_queries_are_answered_within_fifty_milliseconds(language: Language) -> None:
    language.ask(language.before + language.clause)
    slow = {}
    for size in (4_000, 6_000, MAX_LENGTH - 100, 1_000_000):
        for name, text in _hostile(language, size).items():
            seconds = _seconds(lambda spaces, text=text: language.ask(spaces + text))
            if seconds > 0.05:
                slow[name, size] = seconds
    assert not slow


@_EACH
def test_work_grows_in_proportion_to_the_text(language: Language) -> None:
    language.ask(language.before + language.clause)
    short, long = (_hostile(language, size) for size in (1_000, 4_000))
    for name in short:
        before, after = (
            _seconds(lambda spaces, text=text: _parsed(language, spaces + text)) for text in (short[name], long[name])
        )
        assert after < 10 * before + 0.002, name


def _parsed(language: Language, text: str) -> Any:
    try:
        return language.parse(text)
    except QueryError:
        return None


def _seconds(work: Callable[[str], Any]) -> float:
    """Processor time of the fastest of three runs, whatever else the machine does."""
    times = []
    for spaces in ("", " ", "  "):  # So that no run finds the parse of the one before.
        started = time.process_time()
        work(spaces)
        times.append(time.process_time() - started)
    return min(times)
