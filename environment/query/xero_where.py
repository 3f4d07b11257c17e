"""A where is Xero's filter language: `Type=="ACCPAY" AND Contact.Name.Contains("Lark") AND Date>=DateTime(2026,2,1)`.

Source: developer.xero.com, Accounting API, "Requests and responses", filters (pages of 2026). Names and method names
are taken in any case. Left out: arithmetic, methods other than those of `METHODS`, comparing two fields.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from lark import Transformer, v_args

from environment.query.grammar import QueryError, load_grammar

METHODS = frozenset({"contains", "startswith", "endswith"})
"""Methods that ask something of a text."""
CASES = frozenset({"tolower", "toupper"})
"""Methods that spell a text in one case."""


@dataclass(frozen=True, slots=True)
class Moment:
    """`DateTime(2026,02,01)`."""

    at: str
    """ISO 8601 to the second, without an offset."""


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

    def flag(self, operand: Any) -> Term:
        if isinstance(operand, Asked):
            return operand
        if not isinstance(operand, Member):
            raise _unreadable("Expression of type 'Boolean' expected")
        return Flag(operand)

    def comparison(self, left: Any, operator: str, right: Any) -> Term:
        word = _SPELLED.get(str(operator), str(operator))
        if isinstance(right, Member | Asked) and not isinstance(left, Member | Asked):
            left, right, word = right, left, _MIRRORED.get(word, word)
        if isinstance(right, Member | Asked) or not isinstance(left, Member | Asked):
            raise _unreadable("A comparison must be between a field and a value")
        if isinstance(left, Member):
            return Comparison(left, word, right)
        if word not in ("==", "!=") or not isinstance(right, bool):
            raise _unreadable(f"Operator '{word}' incompatible with operand type 'Boolean'")
        return left if (word == "==") is right else Not(left)

    def member(self, *parts: Any) -> Any:
        first, called = str(parts[0][0]).lower(), parts[0][1] is not None
        if len(parts) == 1 and called and first == "datetime":
            return _moment(parts[0][1])
        if len(parts) == 1 and called and first == "guid":
            return Guid(_text(parts[0][1]).lower())
        if len(parts) == 2 and first in ("datetime", "guid") and not called and str(parts[1][0]).lower() == "parse":
            text = _text(parts[1][1] or ())
            return Guid(text.lower()) if first == "guid" else _parsed(text)
        return _field(parts)

    def part(self, name: Any) -> tuple[str, None]:
        return str(name), None

    def called(self, name: Any, *arguments: Any) -> tuple[str, tuple[Any, ...]]:
        return str(name), arguments

    def text(self, token: Any) -> str:
        return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), str(token)[1:-1], flags=re.DOTALL)

    def number(self, token: Any) -> Decimal:
        return Decimal(str(token).rstrip("mMdDfF"))

    def constant(self, token: Any) -> bool | None:
        return {"true": True, "false": False, "null": None}[str(token).lower()]


def _unreadable(message: str) -> QueryError:
    return QueryError(message, 0)


def _field(parts: tuple[Any, ...]) -> Member | Asked:
    path: list[str] = []
    member: Member | None = None
    for position, (name, arguments) in enumerate(parts):
        word = name.lower()
        if arguments is None and member is None:
            path.append(name)
        elif word in CASES and arguments == () and path:
            member = Member(tuple(path), word)
        elif word in METHODS and arguments and path and position == len(parts) - 1:
            return Asked(member or Member(tuple(path)), word, _text(arguments))
        else:
            raise _unreadable(f"No applicable method '{name[:40]}' exists in type 'String'")
    return member or Member(tuple(path))


def _text(arguments: tuple[Any, ...]) -> str:
    if len(arguments) != 1 or not isinstance(arguments[0], str):
        raise _unreadable("A text in double quotes is expected")
    return arguments[0]


def _moment(arguments: tuple[Any, ...]) -> Moment:
    if not 3 <= len(arguments) <= 6 or any(type(part) is not Decimal or part % 1 for part in arguments):
        raise _unreadable("DateTime takes year, month and day")
    try:
        year, month, day, *clock = map(int, arguments)
        hour, minute, second = (*clock, 0, 0, 0)[:3]
        return Moment(f"{datetime(year, month, day, hour, minute, second):%Y-%m-%dT%H:%M:%S}")
    except (ValueError, OverflowError):
        raise _unreadable("Year, Month, and Day parameters describe an un-representable DateTime") from None


def _parsed(text: str) -> Moment:
    try:
        return Moment(f"{datetime.fromisoformat(text[:40]).replace(tzinfo=None):%Y-%m-%dT%H:%M:%S}")
    except ValueError:
        raise _unreadable(f"String '{text[:40]}' was not recognized as a valid DateTime") from None


_read = load_grammar("xero_where", _Reader())


@lru_cache(maxsize=2048)
def parse(text: str) -> Term:
    """The filter that the text spells. Raises QueryError for one that can't be read."""
    return _read(text)


__all__ = [
    "METHODS",
    "Asked",
    "Comparison",
    "Flag",
    "Guid",
    "Junction",
    "Member",
    "Moment",
    "Not",
    "QueryError",
    "parse",
]
