"""SOQL is Salesforce's query language; this module turns its text into a Query, which it does not run.

Grammar after the SOQL and SOSL Reference, version 60.0: SELECT of fields, relationship paths, aggregates, FIELDS() and
child subqueries; FROM with an alias; WHERE with AND, OR, NOT, comparisons, LIKE, IN lists and semi-joins, dates and
date literals; GROUP BY; ORDER BY; LIMIT; OFFSET. Leaves out TYPEOF, HAVING, ROLLUP, INCLUDES/EXCLUDES, date functions,
distance functions and data categories.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

MAX_LENGTH = 100_000
MAX_DEPTH = 40
"""Deepest nesting of brackets, NOTs and subqueries."""


class SoqlError(ValueError):
    """Text that is not SOQL, with the sentence Salesforce would answer."""


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
    """One field against a value; `operator` is one of = != < <= > >= like."""

    path: Path
    operator: str
    value: Value


@dataclass(frozen=True, slots=True)
class Membership:
    """One field against a list of values or against the column of another query."""

    path: Path
    negated: bool
    values: tuple[Value, ...] | Query


@dataclass(frozen=True, slots=True)
class Not:
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
    select: tuple[Column | Aggregate | FieldsOf | Query, ...]
    source: str
    """Object, or for a child subquery the name of the child relationship."""
    where: Condition | None = None
    group_by: tuple[Path, ...] = ()
    order_by: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0


PERIODS = frozenset(
    f"{side}_{unit}"
    for side in ("LAST", "THIS", "NEXT")
    for unit in ("WEEK", "MONTH", "QUARTER", "YEAR", "FISCAL_QUARTER", "FISCAL_YEAR")
) | frozenset(("YESTERDAY", "TODAY", "TOMORROW", "LAST_90_DAYS", "NEXT_90_DAYS"))
COUNTED_PERIODS = frozenset(
    f"{side}_N_{unit}" for side in ("LAST", "NEXT") for unit in ("DAYS", "WEEKS", "MONTHS", "QUARTERS", "YEARS")
) | frozenset(f"N_{unit}_AGO" for unit in ("DAYS", "WEEKS", "MONTHS", "QUARTERS", "YEARS"))
AGGREGATES = frozenset(("count", "count_distinct", "sum", "avg", "min", "max"))
_CLAUSES = frozenset(("where", "group", "order", "limit", "offset", "for", "with", "having", "using", "all"))

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<string>'(?:[^'\\]|\\.)*')
    |(?P<moment>\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:[Zz]|[+-]\d\d:?\d\d))
    |(?P<day>\d{4}-\d\d-\d\d(?![\w:]))
    |(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?![\w.]))
    |(?P<name>[A-Za-z]\w*(?:\.[A-Za-z]\w*)*)
    |(?P<sign><=|>=|!=|<>|[=<>(),:])
    )""",
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


@lru_cache(maxsize=2048)
def parse(text: str) -> Query:
    """The query that the text spells. Raises SoqlError with the place and the unexpected token."""
    if len(text) > MAX_LENGTH:
        raise SoqlError(f"SOQL statements cannot be longer than {MAX_LENGTH} characters.")
    reader = _Reader(text)
    query = reader.query()
    reader.end()
    return query


@dataclass(slots=True)
class _Token:
    kind: str
    text: str
    start: int


def _tokens(text: str) -> list[_Token]:
    tokens, position = [], 0
    size = len(text.rstrip())
    while position < size:
        match = _TOKEN.match(text, position)
        if match is None:
            start = position + len(text[position:]) - len(text[position:].lstrip())
            raise SoqlError(_pointed(text, start, f"unexpected token: '{text[start : start + 1]}'"))
        kind = str(match.lastgroup)
        tokens.append(_Token(kind, match.group(kind), match.start(kind)))
        position = match.end()
    tokens.append(_Token("end", "<EOF>", size))
    return tokens


def _pointed(text: str, position: int, complaint: str) -> str:
    """The complaint under the piece of text that it is about, the way Salesforce prints it."""
    start = max(0, position - 30)
    piece = re.sub(r"\s", " ", text[start : position + 20])
    return f"\n{piece}\n{' ' * (position - start)}^\nERROR at Row:1:Column:{position + 1}\n{complaint}"


class _Reader:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0

    def query(self) -> Query:
        self._nest(1)
        self._word("select")
        select = [self._selected()]
        while self._take_sign(","):
            select.append(self._selected())
        self._word("from")
        source = self._name()
        alias = self._name() if self._now.kind == "name" and self._now.text.lower() not in _CLAUSES else None
        where = self._condition() if self._take_word("where") else None
        if self._take_word("with"):
            self._word("security_enforced", "user_mode", "system_mode")
        group_by: list[Path] = []
        if self._take_word("group"):
            self._word("by")
            group_by = self._list(self._path)
        order_by: list[Order] = []
        if self._take_word("order"):
            self._word("by")
            order_by = self._list(self._order)
        limit = self._whole() if self._take_word("limit") else None
        offset = self._whole() if self._take_word("offset") else 0
        if self._take_word("for"):
            self._word("view", "reference", "update")
        self._nest(-1)
        query = Query(tuple(select), source, where, tuple(group_by), tuple(order_by), limit, offset)
        return _without_alias(query, alias) if alias else query

    def end(self) -> None:
        if self._now.kind != "end":
            self._unexpected()

    @property
    def _now(self) -> _Token:
        return self._tokens[self._at]

    def _selected(self) -> Column | Aggregate | FieldsOf | Query:
        if self._take_sign("("):
            inner = self.query()
            self._sign(")")
            return inner
        if self._tokens[self._at + 1 : self._at + 2] and self._tokens[self._at + 1].text == "(":
            word = self._now.text.lower()
            if word == "fields":
                self._at += 2
                group = self._word("all", "standard", "custom")
                self._sign(")")
                return FieldsOf(group)
            if word in ("tolabel", "format"):
                self._at += 2
                path = self._path()
                self._sign(")")
                return Column(path, self._alias())
            aggregate = self._aggregate()
            return Aggregate(aggregate.function, aggregate.path, self._alias())
        return Column(self._path(), self._alias())

    def _alias(self) -> str | None:
        return self._name() if self._now.kind == "name" and self._now.text.lower() != "from" else None

    def _aggregate(self) -> Aggregate:
        function = self._now.text.lower()
        if function not in AGGREGATES:
            self._unexpected()
        self._at += 2
        path = None if function == "count" and self._now.text == ")" else self._path()
        self._sign(")")
        return Aggregate(function, path, None)

    def _order(self) -> Order:
        called = self._tokens[self._at + 1].text == "(" if self._now.kind == "name" else False
        by: Path | Aggregate = self._aggregate() if called else self._path()
        descending = self._take_word("desc")
        if not descending:
            self._take_word("asc")
        nulls_last = self._take_word("nulls") and self._word("first", "last") == "last"
        return Order(by, descending, nulls_last)

    def _condition(self) -> Condition:
        first = self._term()
        word = self._now.text.lower() if self._now.kind == "name" else ""
        if word not in ("and", "or"):
            return first
        operands = [first]
        while self._take_word(word):
            operands.append(self._term())
        if self._now.kind == "name" and self._now.text.lower() in ("and", "or"):
            self._unexpected()
        return Junction(word, tuple(operands))

    def _term(self) -> Condition:
        self._nest(1)
        found: Condition
        if self._take_word("not"):
            found = Not(self._term())
        elif self._take_sign("("):
            found = self._condition()
            self._sign(")")
        else:
            found = self._comparison()
        self._nest(-1)
        return found

    def _comparison(self) -> Condition:
        path = self._path()
        if self._take_word("not"):
            self._word("in")
            return Membership(path, True, self._members())
        if self._take_word("in"):
            return Membership(path, False, self._members())
        if self._take_word("like"):
            return Comparison(path, "like", self._value())
        operator = self._now.text
        if self._now.kind != "sign" or operator in "(),:":
            self._unexpected()
        self._at += 1
        return Comparison(path, "!=" if operator == "<>" else operator, self._value())

    def _members(self) -> tuple[Value, ...] | Query:
        self._sign("(")
        members: tuple[Value, ...] | Query
        members = self.query() if self._now.text.lower() == "select" else tuple(self._list(self._value))
        self._sign(")")
        return members

    def _value(self) -> Value:
        token = self._now
        self._at += 1
        if token.kind == "string":
            return re.sub(r"\\(.)", lambda match: _unescaped(match[1]), token.text[1:-1], flags=re.DOTALL)
        if token.kind == "number":
            return int(token.text) if token.text.lstrip("+-").isdigit() and len(token.text) < 19 else float(token.text)
        if token.kind == "day":
            return Day(token.text)
        if token.kind == "moment":
            return Moment(token.text)
        word = token.text.upper() if token.kind == "name" else ""
        if word in ("TRUE", "FALSE", "NULL"):
            return {"TRUE": True, "FALSE": False, "NULL": None}[word]
        if word in PERIODS:
            return Period(word, None)
        if word in COUNTED_PERIODS and self._take_sign(":"):
            return Period(word, self._whole())
        self._at -= 1
        self._unexpected()
        return None

    def _path(self) -> Path:
        return tuple(self._name().split("."))

    def _name(self) -> str:
        if self._now.kind != "name":
            self._unexpected()
        self._at += 1
        return self._tokens[self._at - 1].text

    def _whole(self) -> int:
        if self._now.kind != "number" or not self._now.text.isdigit() or len(self._now.text) > 9:
            self._unexpected()
        self._at += 1
        return int(self._tokens[self._at - 1].text)

    def _list(self, item):  # type: ignore[no-untyped-def]
        items = [item()]
        while self._take_sign(","):
            items.append(item())
        return items

    def _word(self, *words: str) -> str:
        word = self._now.text.lower()
        if self._now.kind != "name" or word not in words:
            self._unexpected()
        self._at += 1
        return word

    def _sign(self, sign: str) -> None:
        if not self._take_sign(sign):
            self._unexpected()

    def _take_word(self, word: str) -> bool:
        taken = self._now.kind == "name" and self._now.text.lower() == word
        self._at += taken
        return taken

    def _take_sign(self, sign: str) -> bool:
        taken = self._now.kind == "sign" and self._now.text == sign
        self._at += taken
        return taken

    def _nest(self, step: int) -> None:
        self._depth += step
        if self._depth > MAX_DEPTH:
            raise SoqlError(_pointed(self._text, self._now.start, "the query is nested too deeply"))

    def _unexpected(self) -> None:
        token = self._now
        complaint = "unexpected end of the query" if token.kind == "end" else f"unexpected token: '{token.text[:60]}'"
        raise SoqlError(_pointed(self._text, token.start, complaint))


def _unescaped(letter: str) -> str:
    """What a backslash and this letter stand for; the wildcards stay escaped for LIKE to see."""
    if letter in "%_":
        return "\\" + letter
    return _ESCAPES.get(letter.lower(), letter)


def _without_alias(query: Query, alias: str) -> Query:
    """The query with `c.Name` written as `Name`, where the object was given the alias `c`."""

    def path(names: Path) -> Path:
        return names[1:] if len(names) > 1 and names[0].lower() == alias.lower() else names

    def item(selected: Column | Aggregate | FieldsOf | Query) -> Column | Aggregate | FieldsOf | Query:
        if isinstance(selected, Column):
            return Column(path(selected.path), selected.alias)
        if isinstance(selected, Aggregate) and selected.path:
            return Aggregate(selected.function, path(selected.path), selected.alias)
        return selected

    def condition(node: Condition) -> Condition:
        if isinstance(node, Comparison):
            return Comparison(path(node.path), node.operator, node.value)
        if isinstance(node, Membership):
            return Membership(path(node.path), node.negated, node.values)
        if isinstance(node, Not):
            return Not(condition(node.operand))
        return Junction(node.word, tuple(map(condition, node.operands)))

    def order(entry: Order) -> Order:
        by = path(entry.by) if isinstance(entry.by, tuple) else item(entry.by)
        return Order(by, entry.descending, entry.nulls_last)  # type: ignore[arg-type]

    return Query(
        tuple(map(item, query.select)),
        query.source,
        condition(query.where) if query.where else None,
        tuple(map(path, query.group_by)),
        tuple(map(order, query.order_by)),
        query.limit,
        query.offset,
    )
