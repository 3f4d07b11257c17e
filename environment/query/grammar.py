"""A grammar is one vendor's query language, written for Lark's LALR parser: linear in the text, never recursive.

Each language has a file `<language>.lark` beside its module, whose callbacks turn what was read into frozen terms. A
method of the reader that is named after a rule gets the rule's parts, one named after a terminal gets the token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput
from lark.lark import PostLex

MAX_LENGTH = 20_000
"""Characters of a query; vendors refuse longer ones somewhere between 2,000 and 100,000."""
MAX_TOKENS = 1_000
"""Words, values and signs of a query; reading so many takes about four milliseconds."""
MAX_DEPTH = 40
"""Brackets that may be open at one time, so that whoever walks the terms may recurse."""


class QueryError(ValueError):
    """A query that its language can't read: a sentence, and the token where reading stopped, "" at the end."""

    def __init__(self, message: str, position: int, token: str = "", expected: frozenset[str] = frozenset()) -> None:
        """`expected` are the grammar's terminals that could have stood there."""
        super().__init__(message)
        self.message, self.position, self.token, self.expected = message, position, token, expected


def load_grammar(language: str, reader: Transformer[Any, Any]) -> Callable[[str], Any]:
    """A function from a query to what `reader`'s callbacks make of it; it raises nothing but QueryError."""

    def parse(text: str) -> Any:
        if len(text) > MAX_LENGTH:
            raise QueryError(f"the query has {len(text)} characters; at most {MAX_LENGTH} are read", MAX_LENGTH)
        parser = _parser(language, reader)
        try:
            return parser.parse(text)
        except UnexpectedInput as error:
            raise _query_error(error, text) from None

    return parse


@cache
def _parser(language: str, reader: Transformer[Any, Any]) -> Lark:
    """Made when the first query is read: making one takes ten to fifty milliseconds."""
    grammar = Path(__file__).with_name(f"{language}.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", transformer=reader, postlex=_Limits(), maybe_placeholders=True)


class _Limits(PostLex):
    """Refuses a query with too many tokens or open brackets while it is read; brackets in free text are text."""

    always_accept = ()

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        depth = 0
        for count, token in enumerate(stream):
            if token.type not in _FREE_TEXT:
                depth += (token[-1:] in _OPENING) - (token in _CLOSING)
            if depth > MAX_DEPTH:
                raise QueryError("the query is nested too deeply", token.start_pos or 0, token)
            if count > MAX_TOKENS:
                raise QueryError("the query is too long", token.start_pos or 0, token)
            yield token


_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_FREE_TEXT = frozenset({"WORD", "TEXT"})
"""Names of terminals in which brackets mean nothing."""


def _query_error(error: UnexpectedInput, text: str) -> QueryError:
    token = getattr(error, "token", None)
    expected = frozenset(getattr(error, "expected", None) or getattr(error, "allowed", None) or ())
    if token is not None and token.type == "$END":
        return QueryError("unexpected end of the query", len(text), "", expected)
    position = error.pos_in_stream or 0
    found = str(token or text[position : position + 1])
    return QueryError(f"unexpected token: '{found[:60]}'", position, found, expected)
