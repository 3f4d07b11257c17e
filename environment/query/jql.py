"""JQL is Jira's query language; this module turns its text into a Query, which it does not run.

After "Use advanced search with JQL" of support.atlassian.com and the JQL group of the Jira Cloud platform's REST API,
version 3: comparisons with = != < <= > >= ~ !~, IN, NOT IN, IS [NOT] EMPTY, functions, AND, OR, NOT, brackets and ORDER
BY. Leaves out the history operators WAS and CHANGED, entity properties and lists within lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from lark import Token, Transformer, v_args

from environment.query.grammar import QueryError, load_grammar


@dataclass(frozen=True, slots=True)
class Function:
    """A call such as startOfDay("-1d")."""

    name: str
    arguments: tuple[str, ...]


Operand = str | Function | None
"""A value as it was written, a function, or None for EMPTY."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A field against values.

    `operator` is one of = != < <= > >= ~ !~ with one value, `in` and `not in` with any number.
    """

    field: str
    operator: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Emptiness:
    """Whether a field is empty, or is not."""

    field: str
    negated: bool


@dataclass(frozen=True, slots=True)
class Junction:
    """Different conditions joined by one of the words `and` and `or`; none of them is joined by the same word."""

    word: str
    operands: tuple[Condition, ...]


Condition = Comparison | Emptiness | Junction


@dataclass(frozen=True, slots=True)
class Sort:
    field: str
    descending: bool | None
    """None when the query doesn't say."""


@dataclass(frozen=True, slots=True)
class Query:
    where: Condition | None
    order_by: tuple[Sort, ...]


@lru_cache(maxsize=2048)
def parse(text: str) -> Query:
    """The query that the text spells. Raises QueryError whose message says in Jira's words where it went wrong."""
    try:
        return _read(text)
    except QueryError as error:
        raise QueryError(_complaint(text, error), error.position, error.token) from None


def negated(condition: Condition) -> Condition:
    """The opposite, with the negation pushed down to the operators: NOT status = Done is status != Done.

    Like in Jira, neither a comparison nor its opposite holds for an empty field.
    """
    if isinstance(condition, Junction):
        word = "or" if condition.word == "and" else "and"
        return Junction(word, tuple(map(negated, condition.operands)))
    if isinstance(condition, Emptiness):
        return Emptiness(condition.field, not condition.negated)
    return Comparison(condition.field, _OPPOSITE[condition.operator], condition.operands)


def comparisons(condition: Condition | None) -> Iterator[Comparison | Emptiness]:
    """Every condition on a field, from left to right."""
    if isinstance(condition, Junction):
        for operand in condition.operands:
            yield from comparisons(operand)
    elif condition is not None:
        yield condition


_OPPOSITE = {"=": "!=", "<": ">=", "<=": ">", "~": "!~", "in": "not in"}
_OPPOSITE |= {opposite: operator for operator, opposite in _OPPOSITE.items()}


@v_args(inline=True)
class _Reader(Transformer[Token, Query]):
    """What each rule and terminal of jql.lark means."""

    def start(self, where: Condition | None, order_by: tuple[Sort, ...] | None) -> Query:
        return Query(where, order_by or ())

    def disjunction(self, *operands: Condition) -> Junction:
        return _joined("or", operands)

    def conjunction(self, *operands: Condition) -> Junction:
        return _joined("and", operands)

    def negation(self, *parts: Condition) -> Condition:
        return negated(parts[-1]) if len(parts) % 2 == 0 else parts[-1]

    def comparison(self, field: str, operator: Token, operand: Operand) -> Comparison | Emptiness:
        if operand is None and operator in ("=", "!="):
            return Emptiness(field, operator == "!=")
        return Comparison(field, str(operator), (operand,))

    def within(self, field: str, members: Operand | tuple[Operand, ...]) -> Comparison:
        return Comparison(field, "in", members if isinstance(members, tuple) else (members,))

    def without(self, field: str, _not: Token, members: Operand | tuple[Operand, ...]) -> Comparison:
        return Comparison(field, "not in", members if isinstance(members, tuple) else (members,))

    def empty(self, field: str, _empty: None) -> Emptiness:
        return Emptiness(field, negated=False)

    def filled(self, field: str, _not: Token, _empty: None) -> Emptiness:
        return Emptiness(field, negated=True)

    def members(self, *operands: Operand) -> tuple[Operand, ...]:
        return operands

    def call(self, name: str, *arguments: str | None) -> Function:
        return Function(name, tuple(argument for argument in arguments if argument is not None))

    def order_by(self, *sorts: Sort) -> tuple[Sort, ...]:
        return sorts

    def sort(self, field: str, direction: Token | None) -> Sort:
        return Sort(field, None if direction is None else direction.lower() == "desc")

    def STRING(self, token: Token) -> str:
        return _unescaped(token[1:-1])

    def WORD(self, token: Token) -> str:
        return _unescaped(token)

    def CUSTOM(self, token: Token) -> str:
        return re.sub(r"\s", "", token).lower()

    def EMPTY(self, _token: Token) -> None:
        return None


_read = load_grammar("jql", _Reader())
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}
_IN_LIST = re.compile(r"\b(?:in\s*|\w)\([^()]*$", re.IGNORECASE)
_RESERVED = "{}*/%+^$#@?;[]"
_OPERATORS = "The valid operators are '=', '!=', '<', '>', '<=', '>=', '~', '!~', 'IN', 'NOT IN', 'IS' and 'IS NOT'."


def _joined(word: str, operands: tuple[Condition, ...]) -> Junction:
    flat: list[Condition] = []
    for operand in operands:
        flat.extend(operand.operands if isinstance(operand, Junction) and operand.word == word else (operand,))
    return Junction(word, tuple(dict.fromkeys(flat)))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _letter(found[1]), text) if "\\" in text else str(text)


def _letter(escape: str) -> str:
    if len(escape) == 5:
        code = int(escape[1:], 16)
        return "?" if 0xD800 <= code < 0xE000 else chr(code)
    return _LETTERS.get(escape, escape)


def _complaint(text: str, error: QueryError) -> str:
    """Where reading stopped and what could have stood there, in Jira's words."""
    found, expected = error.token[:60], error.expected
    line = text.count("\n", 0, error.position) + 1
    place = f"(line {line}, character {error.position - text.rfind(chr(10), 0, error.position)})"
    if not expected:
        return f"Error in the JQL Query: {error.message}. {place}"
    if found and found in "\"'":
        quoted = text[error.position + 1 :][:60]
        return f"Error in the JQL Query: The quoted string '{quoted}' has not been completed. {place}"
    if found and found in _RESERVED:
        return (
            f"Error in the JQL Query: The character '{found}' is a reserved JQL character. You must enclose it in a "
            f"string or use the escape '\\u{ord(found):04x}' instead. {place}"
        )
    wanted, remark = _wanted(expected, bool(_IN_LIST.search(text, 0, error.position)))
    if not found:
        return f"Error in the JQL Query: Expecting {wanted} before the end of the query.{remark}"
    return f"Error in the JQL Query: Expecting {wanted} but got '{found}'.{remark} {place}"


def _wanted(expected: frozenset[str], in_list: bool) -> tuple[str, str]:
    """What could have stood where reading stopped, and a remark about it."""
    if "OPERATOR" in expected:
        return "operator", f" {_OPERATORS}"
    if "EMPTY" in expected:
        return "either a value, list or function" if "WORD" in expected else "'EMPTY' or 'NULL'", ""
    if in_list and "RPAR" in expected:
        return "either ',' or ')'" if "COMMA" in expected else "either a value or ')'", ""
    if "_AND" in expected:
        return "either 'OR' or 'AND'", ""
    if "DIRECTION" in expected:
        return "either 'ASC', 'DESC' or ','", ""
    if "RPAR" in expected:
        return "either ',' or ')'" if "COMMA" in expected else "either a value or ')'", ""
    return "a field name" if "WORD" in expected and "NOT" in expected else "a name" if "WORD" in expected else "'('", ""
