"""A grammar is one vendor's query language, written for Lark's LALR parser: linear in the text, never recursive.

Each language has a file `<language>.lark` beside its module, whose callbacks turn what was read into frozen terms.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lark import Lark, Transformer, UnexpectedInput

MAX_LENGTH = 8_000
"""Characters of a query; vendors refuse longer ones somewhere between 2,000 and 100,000."""
MAX_DEPTH = 40
"""Brackets that may be open at one time, so that whoever walks the terms may recurse."""


class QueryError(ValueError):
    """A query that its language can't read: a sentence, and the place where reading stopped, from 0."""

    def __init__(self, message: str, position: int, token: str = "") -> None:
        super().__init__(message)
        self.message, self.position, self.token = message, position, token


def load_grammar(language: str, reader: Transformer[Any, Any], start: str = "start") -> Callable[[str], Any]:
    """A function from a query to what `reader`'s callbacks make of it; it raises nothing but QueryError."""
    path = Path(__file__).parent / f"{language}.lark"
    parser = Lark(path.read_text("utf-8"), parser="lalr", start=start, transformer=reader, maybe_placeholders=False)

    def parse(text: str) -> Any:
        check_size(text)
        try:
            return parser.parse(text)
        except UnexpectedInput as error:
            position = error.pos_in_stream if error.pos_in_stream is not None else len(text)
            token = str(getattr(error, "token", "") or text[position : position + 1])
            raise QueryError(f"unexpected {token[:40]!r} at {position}", position, token[:80]) from None

    return parse


def check_size(text: str) -> None:
    """Raises QueryError for a query that is too long or nests too deep."""
    if len(text) > MAX_LENGTH:
        raise QueryError(f"the query has {len(text)} characters; at most {MAX_LENGTH} are read", MAX_LENGTH)
    depth = 0
    for position, character in enumerate(text):
        if character in "([{":
            depth += 1
            if depth > MAX_DEPTH:
                raise QueryError(f"more than {MAX_DEPTH} brackets are open at {position}", position)
        elif character in ")]}":
            depth = max(0, depth - 1)
