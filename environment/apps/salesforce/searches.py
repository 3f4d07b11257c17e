"""A search finds records that hold all words of a text, in the fields of one kind or in any."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import attrgetter
from typing import Any

from environment.apps.kit import Call
from environment.apps.salesforce.columns import Kind
from environment.apps.salesforce.fields import Fields, Reading
from environment.apps.salesforce.paths import find_queried
from environment.apps.salesforce.queries import attributes, read_query, selected
from environment.apps.salesforce.refusal import Refusal
from environment.apps.salesforce.rows import SEARCHED, SOBJECTS, SObject, find_words
from environment.query.soql import Junction, Membership
from environment.query.wildcards import like

MAX_LIMIT = 2000
_KINDS: dict[str, frozenset[Kind]] = {
    "EMAIL": frozenset(("email",)),
    "PHONE": frozenset(("phone",)),
    "ALL": SEARCHED,
}
_KINDS["SIDEBAR"] = _KINDS["ALL"]


def search(
    call: Call, text: str, wanted: Iterable[tuple[str, str | None, int | None, str | None]], scope: str, overall: int
) -> dict[str, Any]:
    """The REST body for a search; `wanted` gives object name, comma-separated fields, limit and WHERE of each."""
    tests = _word_tests(text)
    if scope.upper() not in (*_KINDS, "NAME"):
        raise Refusal(400, "MALFORMED_SEARCH", f"unknown search group {scope[:40]!r}; use ALL, NAME, EMAIL or PHONE")
    wanted = list(wanted) or [(kind.__name__, None, None, None) for kind in SOBJECTS]
    records: list[dict[str, Any]] = []
    for name, fields, limit, where in wanted:
        kind = find_queried(name)
        words = _words_by(Fields(call), kind, scope.upper())
        found = call.tables.all(kind)
        for test in tests:
            found = [row for row in found if test(words(row))]
        rendered = _rendered(call, kind, found, fields, where)
        records.extend(rendered[: MAX_LIMIT if limit is None else max(0, limit)])
    return {"searchRecords": records[: max(0, overall)]}


def _word_tests(text: str) -> list[Callable[[frozenset[str]], bool]]:
    words = re.findall(r"[\w*?]+", text[:2000].casefold())
    if sum(len(word.strip("*?")) for word in words) < 2:
        raise Refusal(400, "MALFORMED_SEARCH", "search term must be longer than one character: " + text[:40])
    return [_word_test(word) for word in words[:50] if word.strip("*?")]


def _word_test(word: str) -> Callable[[frozenset[str]], bool]:
    if "*" not in word and "?" not in word:
        return lambda words: word in words
    matches = like(word.replace("_", "\\_").replace("*", "%").replace("?", "_"))
    return lambda words: any(matches(item) for item in words)


def _words_by(fields: Fields, kind: type[SObject], scope: str) -> Callable[[SObject], frozenset[str]]:
    """How a record's words in the fields of this scope are found; it keeps those of its standard fields."""
    if scope == "NAME":
        own = fields.own_name(kind, kind.name_field)
        return _words_of([fields.reading(kind, own)] if own else [])
    names = [name for name, column in fields.columns(kind).items() if column.kind in _KINDS[scope]]
    if scope in ("EMAIL", "PHONE"):
        return _words_of([fields.reading(kind, name) for name in names])
    further = [fields.reading(kind, name) for name in names if name not in kind.model_fields]
    if not further:
        return attrgetter("words")
    others = _words_of(further)
    return lambda row: row.words | others(row)


def _words_of(readings: list[Reading]) -> Callable[[SObject], frozenset[str]]:
    return lambda row: find_words(read(row) for read in readings)


def _rendered(
    call: Call, kind: type[SObject], rows: list[SObject], fields: str | None, where: str | None
) -> list[dict[str, Any]]:
    if not rows:
        return []
    if fields is None and where is None:
        return [{"attributes": attributes(row), "Id": row.Id} for row in rows]
    query = read_query(f"SELECT {fields or 'Id'} FROM {kind.__name__}{' WHERE ' if where else ''}{where or ''}")
    among = Membership(("Id",), False, tuple(row.Id for row in rows[:MAX_LIMIT]))
    return selected(call, replace(query, where=Junction("and", (among, query.where)) if query.where else among))
