"""A Zendesk search is words, phrases and restrictions such as `status<solved`, each of which a minus turns round.

Source: "Zendesk Support search reference" (support.zendesk.com, article 4408886879258, read in 2025) and the page
Search of the Support API v2. Restrictions of one field by `:` are alternatives, all else must hold together. AND and OR
between terms say nothing and are passed over; a field that nobody knows is searched for as words. Left out: facets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from lark import Token, Transformer, v_args

from environment.query.grammar import load_grammar

FIELDS = frozenset(
    "type status priority ticket_type assignee requester submitter commenter group organization tags subject "
    "description comment via created updated due_date external_id role email name phone notes details order_by sort "
    "is_suspended id fieldvalue".split()
)
"""Fields that a restriction can name; custom fields are named custom_field_ and their id."""
Operator = Literal[":", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Restriction:
    """A field against a value, which may hold the wildcard * where it was not quoted."""

    field: str
    operator: Operator
    value: str
    """In lower case."""
    quoted: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class Words:
    """Words that must stand in the record one after another."""

    line: str
    """As `word_line` makes it; without the last blank where the last word may be the beginning of a longer one."""
    negated: bool


@dataclass(frozen=True, slots=True)
class Search:
    """A parsed search."""

    restrictions: tuple[Restriction, ...]
    words: tuple[Words, ...]
    order_by: str | None
    """Field to sort by, None for relevance."""
    descending: bool


@lru_cache(maxsize=2048)
def parse_search(text: str) -> Search:
    """The search in `text`. Raises QueryError where it has no reading, such as an open quotation mark."""
    return _parse(text)


def word_line(text: str) -> str:
    """The words of a text as a search compares them, with a blank around every one: " late refund "."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


_WORD = re.compile(r"\w+")


@v_args(inline=True)
class _Reader(Transformer[Token, Any]):
    """Turns what the grammar read into terms."""

    def restriction(self, minus: Token | None, field: Token, operator: Token, value: Token) -> Restriction | Words:
        name = field.lower()
        if name not in FIELDS and not re.fullmatch(r"custom_field_\d+", name):
            return _words(f"{field}{operator}{value}", False, minus)
        quoted, text = value.startswith('"'), value.strip('"').casefold().strip()
        return Restriction(name, operator.lstrip(":") or ":", text, quoted, minus is not None)  # type: ignore[arg-type]

    def phrase(self, minus: Token | None, text: Token) -> Words:
        return _words(text.strip('"'), True, minus)

    def word(self, minus: Token | None, text: Token) -> Words | None:
        return None if text in ("AND", "OR") else _words(text, False, minus)

    def start(self, *terms: Restriction | Words | None) -> Search:
        restrictions = [term for term in terms if isinstance(term, Restriction)]
        order, direction = None, "desc"
        for term in restrictions:
            if term.field == "order_by":
                order = term.value
            elif term.field == "sort":
                direction = term.value
        return Search(
            tuple(term for term in restrictions if term.field not in ("order_by", "sort")),
            tuple(term for term in terms if isinstance(term, Words) and term.line.strip()),
            order,
            direction != "asc",
        )


def _words(text: str, quoted: bool, minus: Token | None) -> Words:
    line = word_line(text)
    return Words(line if quoted else line.rstrip(), minus is not None)


_parse = load_grammar("zendesk_search", _Reader())
