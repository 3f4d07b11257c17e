"""A Slack search is the text of its search box: words, "quoted words" and modifiers such as in:#channel.

Source: Slack's help page "Search in Slack" (read in 2025). The box never refuses a text: an unknown modifier is a word.
Leaves out with:, hasmy: and to:, months for during: and words of relative time such as before:yesterday.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from lark import Token, Transformer, v_args

from environment.query.grammar import load_grammar

MAX_LENGTH = 2_000
"""Characters of a search that are looked at."""
MAX_TERMS = 50


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that a message must have, or with a minus sign must not have."""

    negated: bool
    modifier: str
    """In lower case without the colon; "" for words."""
    text: str
    """Without quotation marks."""


def parse_slack_search(text: str) -> tuple[Term, ...]:
    """All terms of the search."""
    return _search(text[:MAX_LENGTH])


@v_args(inline=True)
class _Reader(Transformer[Token, tuple[Term, ...]]):
    """What each rule of slack_search.lark means."""

    def start(self, *terms: Term) -> tuple[Term, ...]:
        return terms[:MAX_TERMS]

    def term(self, minus: Token | None, modifier: Token | None, text: Token) -> Term:
        return Term(minus is not None, (modifier or "").lower().rstrip(":"), text.strip('"'))


_search = lru_cache(maxsize=2048)(load_grammar("slack_search", _Reader()))
