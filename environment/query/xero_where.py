"""A where is Xero's filter language: `Type=="ACCPAY" AND Contact.Name.Contains("Lark") AND Date>=DateTime(2026,2,1)`.

Source: developer.xero.com, Accounting API, "Requests and responses", filters (pages of 2026). Names and method names
are taken in any case. Left out: arithmetic, other methods than the grammar names, comparing two fields.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from lark import Transformer, v_args

from environment.query.grammar import load_grammar


@dataclass(frozen=True, slots=True)
class Moment:
    """`DateTime(2026,02,01)`."""

    at: str
    """ISO 8601 to the second, without an offset; "" for one that there is none of."""


@dataclass(frozen=True, slots=True)
class Guid:
    """`guid("00000000-0000-0000-0001-000000000417")`."""

    text: str
    """In lower case."""


Value = str | bool | Decimal | Moment | Guid | None


@dataclass(frozen=True, slots=True)
class Member:
    """`Contact.Name` or `Name.ToLower()`."""

    path: tuple[str, ...]
    case: str = ""
    """tolower, toupper or nothing."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """`AmountDue>0`; a value on the left was moved to the right."""

    member: Member
    operator: str
    """==, !=, <, <=, > or >=."""
    value: Value


@dataclass(frozen=True, slots=True)
class Asked:
    """`Name.Contains("Lark")`."""

    member: Member
    method: str
    text: str


@dataclass(frozen=True, slots=True)
class Flag:
    """`IsSupplier`."""

    member: Member


@dataclass(frozen=True, slots=True)
class Not:
    """What doesn't hold; never of another Not."""

    term: Term


@dataclass(frozen=True, slots=True)
class Junction:
    """Terms that all hold (`and`) or one of which holds (`or`)."""

    word: str
    terms: tuple[Term, ...]


Term = Comparison | Asked | Flag | Not | Junction

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SPELLED = {"=": "==", "<>": "!="}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


@v_args(inline=True)
class _Reader(Transformer[Any, Any]):
    """What was read, as terms."""

    def disjunction(self, *terms: Term) -> Junction:
        return Junction("or", terms)

    def conjunction(self, *terms: Term) -> Junction:
        return Junction("and", terms)

    def negation(self, term: Term) -> Term:
        return term.term if isinstance(term, Not) else Not(term)

    def asked(self, text: Member, method: str, wanted: str) -> Asked:
        return Asked(text, method.lower(), wanted)

    def asked_is(self, asked: Asked, operator: str, truth: str) -> Term:
        return asked if (truth.lower() == "true") is (operator in ("=", "==")) else Not(asked)

    def flag(self, member: Member) -> Flag:
        return Flag(member)

    def comparison(self, member: Member, operator: str, value: Value) -> Comparison:
        return Comparison(member, _SPELLED.get(operator, str(operator)), value)

    def reversed(self, value: Value, operator: str, member: Member) -> Comparison:
        return self.comparison(member, _MIRRORED.get(operator, operator), value)

    def cased(self, member: Member, case: str) -> Member:
        return Member(member.path, case.lower())

    def path(self, name: str) -> Member:
        return Member((str(name),))

    def longer_path(self, member: Member, name: str) -> Member:
        return Member((*member.path, str(name)))

    def text(self, token: str) -> str:
        return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), token[1:-1], flags=re.DOTALL)

    def number(self, token: str) -> Decimal:
        return Decimal(token.rstrip("mMdDfF"))

    def constant(self, token: str) -> bool | None:
        return {"true": True, "false": False, "null": None}[token.lower()]

    def moment(self, *parts: str) -> Moment:
        year, month, day, hour, minute, second = (*map(int, parts), 0, 0, 0)[:6]
        try:
            return Moment(f"{datetime(year, month, day, hour, minute, second):%Y-%m-%dT%H:%M:%S}")
        except ValueError:
            return Moment("")

    def parsed_moment(self, text: str) -> Moment:
        try:
            return Moment(f"{datetime.fromisoformat(text[:40]).replace(tzinfo=None):%Y-%m-%dT%H:%M:%S}")
        except ValueError:
            return Moment("")

    def guid(self, text: str) -> Guid:
        return Guid(text.lower())


_read = load_grammar("xero_where", _Reader())


@lru_cache(maxsize=2048)
def parse(text: str) -> Term:
    """The filter that the text spells. Raises QueryError (grammar.py) for one that can't be read."""
    return _read(text)
