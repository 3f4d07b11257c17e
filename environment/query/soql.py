"""SOQL is Salesforce's query language; this module turns its text into a Query, which it does not run.

Grammar after the SOQL and SOSL Reference, version 60.0: SELECT of fields, relationship paths, aggregates, FIELDS() and
child subqueries; FROM with an alias; WHERE with AND, OR, NOT, comparisons, LIKE, IN lists and semi-joins, dates and
date literals; GROUP BY; HAVING; ORDER BY; LIMIT; OFFSET. Leaves out TYPEOF, ROLLUP, INCLUDES/EXCLUDES, date functions,
distance functions and data categories.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from lark import Token, Transformer, v_args

from environment.query.grammar import QueryError, load_grammar


@dataclass(frozen=True, slots=True)
class Day:
    """A date such as 2026-03-04."""

    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A date and time with an offset."""

    text: str


@dataclass(frozen=True, slots=True)
class Period:
    """A date literal such as THIS_WEEK or LAST_N_DAYS:30."""

    name: str
    count: int | None


Path = tuple[str, ...]
"""A field, reached through relationships: ("Account", "Owner", "Name")."""
Value = str | int | float | bool | None | Day | Moment | Period


@dataclass(frozen=True, slots=True)
class Comparison:
    """A field, or in HAVING an aggregate too, against a value; `operator` is one of = != < <= > >= like."""

    of: Path | Aggregate
    operator: str
    value: Value


@dataclass(frozen=True, slots=True)
class Membership:
    """A field, or in HAVING an aggregate too, against a list of values or against the column of another query."""

    of: Path | Aggregate
    negated: bool
    values: tuple[Value, ...] | Query


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a condition that is no Not itself."""

    operand: Condition


@dataclass(frozen=True, slots=True)
class Junction:
    """Conditions joined by one of the words `and` and `or`."""

    word: str
    operands: tuple[Condition, ...]


Condition = Comparison | Membership | Not | Junction


@dataclass(frozen=True, slots=True)
class Aggregate:
    """COUNT, COUNT_DISTINCT, SUM, AVG, MIN or MAX of a field; COUNT() has no path."""

    function: str
    path: Path | None
    alias: str | None


@dataclass(frozen=True, slots=True)
class FieldsOf:
    """FIELDS(ALL), FIELDS(STANDARD) or FIELDS(CUSTOM)."""

    group: str


@dataclass(frozen=True, slots=True)
class Column:
    """One selected field; the alias is only for grouped queries."""

    path: Path
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    by: Path | Aggregate
    descending: bool
    nulls_last: bool


@dataclass(frozen=True, slots=True)
class Query:
    select: tuple[Selected, ...]
    source: str
    """Object, or for a child subquery the name of the child relationship."""
    where: Condition | None = None
    group_by: tuple[Path, ...] = ()
    having: Condition | None = None
    order_by: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0


Selected = Column | Aggregate | FieldsOf | Query


@lru_cache(maxsize=2048)
def parse(text: str) -> Query:
    """The query that the text spells. Raises QueryError that says where it went wrong in Salesforce's words."""
    try:
        return _read(text)
    except QueryError as error:
        raise QueryError(_pointed(text, error), error.position, error.token) from None


def _pointed(text: str, error: QueryError) -> str:
    """The complaint under the piece of text that it is about, the way Salesforce prints it."""
    start = max(0, error.position - 30)
    piece = re.sub(r"\s", " ", text[start : error.position + 20])
    marker = " " * (error.position - start) + "^"
    return f"\n{piece}\n{marker}\nERROR at Row:1:Column:{error.position + 1}\n{error.message}"


@v_args(inline=True)
class _Reader(Transformer[Token, Query]):
    """What each rule and terminal of soql.lark means."""

    def start(self, query: Query) -> Query:
        return query

    def query(
        self,
        select: tuple[Selected, ...],
        source: str,
        alias: str | None,
        where: Condition | None,
        grouping: tuple[tuple[Path, ...], Condition | None],
        order_by: tuple[Order, ...],
        limit: int | None,
        offset: int | None,
    ) -> Query:
        query = Query(select, source, where, *grouping, order_by, limit, offset or 0)
        return _without_alias(query, alias.lower()) if alias else query

    def select(self, *items: Selected) -> tuple[Selected, ...]:
        return items

    def column(self, path: Path, alias: str | None) -> Column:
        return Column(path, alias)

    def named_aggregate(self, aggregate: Aggregate, alias: str | None) -> Aggregate:
        return replace(aggregate, alias=alias)

    def aggregate(self, function: str = "count", path: Path | None = None) -> Aggregate:
        return Aggregate(function.lower(), path, None)

    def fields_of(self, group: str) -> FieldsOf:
        return FieldsOf(group.lower())

    def grouping(
        self, paths: tuple[Path, ...] | None, having: Condition | None
    ) -> tuple[tuple[Path, ...], Condition | None]:
        return paths or (), having

    def paths(self, *paths: Path) -> tuple[Path, ...]:
        return paths

    def order_by(self, *orders: Order) -> tuple[Order, ...]:
        return orders

    def order(self, by: Path | Aggregate, direction: str | None, place: str | None) -> Order:
        return Order(by, (direction or "").lower() == "desc", (place or "").lower() == "last")

    def path(self, name: str) -> Path:
        return tuple(name.split("."))

    def conjunction(self, *operands: Condition) -> Junction:
        return Junction("and", operands)

    def disjunction(self, *operands: Condition) -> Junction:
        return Junction("or", operands)

    def negation(self, operand: Condition) -> Condition:
        """Two negations cancel each other, so that the terms are no deeper than the brackets."""
        return operand.operand if isinstance(operand, Not) else Not(operand)

    def comparison(self, of: Path | Aggregate, operator: str, value: Value) -> Comparison:
        return Comparison(of, "!=" if operator == "<>" else str(operator), value)

    def like(self, of: Path | Aggregate, value: Value) -> Comparison:
        return Comparison(of, "like", value)

    def within(self, of: Path | Aggregate, members: tuple[Value, ...] | Query) -> Membership:
        return Membership(of, False, members)

    def without(self, of: Path | Aggregate, members: tuple[Value, ...] | Query) -> Membership:
        return Membership(of, True, members)

    def values(self, *values: Value) -> tuple[Value, ...]:
        return values

    def NAME(self, token: Token) -> str:
        return str(token)

    def STRING(self, token: Token) -> str:
        return _ESCAPE.sub(lambda match: _unescaped(match[1]), token[1:-1])

    def NUMBER(self, token: Token) -> int | float:
        return int(token) if token.lstrip("+-").isdigit() and len(token) < 19 else float(token)

    def WHOLE(self, token: Token) -> int:
        return int(token)

    def DAY(self, token: Token) -> Day:
        return Day(str(token))

    def MOMENT(self, token: Token) -> Moment:
        return Moment(str(token))

    def CONSTANT(self, token: Token) -> bool | None:
        return {"true": True, "false": False, "null": None}[token.lower()]

    def PERIOD(self, token: Token) -> Period:
        return Period(token.upper(), None)

    def COUNTED_PERIOD(self, token: Token) -> Period:
        name, _, count = token.partition(":")
        return Period(name.upper(), int(count))


_read = load_grammar("soql", _Reader())
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


def _unescaped(letter: str) -> str:
    """What a backslash and this letter stand for; the wildcards stay escaped for LIKE to see."""
    if letter in "%_":
        return "\\" + letter
    return _ESCAPES.get(letter.lower(), letter)


def _without_alias(query: Query, alias: str) -> Query:
    """The query with `c.Name` written as `Name`, where the object was given the alias `c`."""

    def path(names: Path) -> Path:
        return names[1:] if len(names) > 1 and names[0].lower() == alias else names

    def of(named: Path | Aggregate) -> Path | Aggregate:
        return path(named) if isinstance(named, tuple) else aggregate(named)

    def aggregate(selected: Aggregate) -> Aggregate:
        return replace(selected, path=selected.path and path(selected.path))

    def item(selected: Selected) -> Selected:
        if isinstance(selected, Column):
            return replace(selected, path=path(selected.path))
        return aggregate(selected) if isinstance(selected, Aggregate) else selected

    def condition(node: Condition) -> Condition:
        if isinstance(node, Junction):
            return Junction(node.word, tuple(map(condition, node.operands)))
        return Not(condition(node.operand)) if isinstance(node, Not) else replace(node, of=of(node.of))

    return replace(
        query,
        select=tuple(map(item, query.select)),
        where=query.where and condition(query.where),
        group_by=tuple(map(path, query.group_by)),
        having=query.having and condition(query.having),
        order_by=tuple(replace(order, by=of(order.by)) for order in query.order_by),
    )
