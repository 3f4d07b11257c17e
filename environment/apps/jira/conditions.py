"""Conditions of a JQL query as tests on issues, and its order; what Jira would refuse is refused with its messages."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from environment.apps.jira.clauses import Clause, Known, Scope, find_clause, instant, key_order
from environment.apps.jira.entry import find_issue
from environment.apps.jira.moments import FUNCTIONS, read_moment
from environment.apps.jira.refusal import wrong_query
from environment.apps.jira.rows import Issue
from environment.apps.jira.words import holds, wanted
from environment.apps.kit import Call
from environment.query.grammar import QueryError
from environment.query.jql import Comparison, Condition, Emptiness, Function, Junction, Query, Sort, parse

Test = Callable[[Issue], bool]

_SAME = ("=", "!=", "in", "not in")
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_OPERATORS: dict[str, tuple[str, ...]] = {
    "choice": _SAME,
    "ranked": (*_SAME, *_ORDER),
    "key": (*_SAME, *_ORDER),
    "moment": (*_SAME, *_ORDER),
    "day": (*_SAME, *_ORDER),
    "number": (*_SAME, *_ORDER),
    "text": ("~", "!~"),
    "sort": (),
}
_NO_ORDER = ("text", "comment", "description", "watcher")
_MAX_SORTS = 7


def read_query(jql: str) -> Query:
    """The query. Raises Jira's refusal of one that can't be read."""
    try:
        return parse(jql)
    except QueryError as error:
        raise wrong_query(error.message) from None


def select(call: Call, query: Query) -> list[Issue]:
    """The issues that fulfil the query, in its order, the newest first where it has none."""
    scope, complaints = Scope(call), list[str]()
    demands = _demands(query.where)
    tests = [_test(scope, demand, complaints) for demand in demands]
    keys = [_sort_key(scope, sort, complaints) for sort in query.order_by[:_MAX_SORTS]]
    if complaints:
        raise wrong_query(*dict.fromkeys(complaints))
    found = _candidates(call, demands)
    for test in tests:
        found = [issue for issue in found if test(issue)]
    if not keys:
        return sorted(found, key=lambda issue: (instant(issue.created), len(issue.id), issue.id), reverse=True)
    for key, descending in reversed(keys):
        found.sort(key=key, reverse=descending)
    return found


def _demands(where: Condition | None) -> tuple[Condition, ...]:
    """The conditions that all must hold."""
    if isinstance(where, Junction) and where.word == "and":
        return where.operands
    return () if where is None else (where,)


def _candidates(call: Call, demands: tuple[Condition, ...]) -> list[Issue]:
    """All issues, or those of the one project or with the one key that is demanded."""
    for demand in demands:
        if isinstance(demand, Comparison) and demand.operator == "=" and isinstance(demand.operands[0], str):
            if demand.field.lower() == "project":
                known = find_clause(call, "project")
                values = known.resolve(Scope(call), demand.operands[0]) if known else None
                return [issue for key in values or () for issue in call.tables.where(Issue, "project", key)]
            if demand.field.lower() in ("key", "issuekey", "issue", "id"):
                issue = find_issue(call, demand.operands[0])
                return [issue] if issue else []
    return call.tables.all(Issue)


def _sort_key(scope: Scope, sort: Sort, complaints: list[str]) -> tuple[Callable[[Issue], Any], bool]:
    clause = find_clause(scope.call, sort.field)
    if clause is None or clause.name in _NO_ORDER:
        missing = f"Field '{sort.field[:80]}' does not exist or you do not have permission to view it."
        complaints.append(missing if clause is None else f"Not able to sort using field '{sort.field[:80]}'.")
        return (lambda issue: 0), False
    descending = clause.newest_first if sort.descending is None else sort.descending

    def key(issue: Issue) -> Any:
        value = clause.read(scope, issue)
        if isinstance(value, tuple):
            value = value[0] if value else None
        if value is None or value == "":
            return (1, "")
        if clause.order is not None:
            return (0, clause.order(scope, value))
        return (0, value.casefold() if isinstance(value, str) else value)

    return key, descending


def _test(scope: Scope, condition: Condition, complaints: list[str]) -> Test:
    if isinstance(condition, Junction):
        tests = [_test(scope, operand, complaints) for operand in condition.operands]
        if condition.word == "and":
            return lambda issue: all(test(issue) for test in tests)
        return lambda issue: any(test(issue) for test in tests)
    clause = find_clause(scope.call, condition.field)
    if clause is None or clause.kind == "sort":
        complaints.append(f"Field '{condition.field[:80]}' does not exist or you do not have permission to view it.")
        return _never
    if isinstance(condition, Emptiness):
        return _emptiness(scope, clause, condition.negated)
    if condition.operator not in _OPERATORS[clause.kind]:
        complaints.append(f"The operator '{condition.operator}' is not supported by the '{clause.name}' field.")
        return _never
    return _comparison(scope, clause, condition, complaints)


def _emptiness(scope: Scope, clause: Clause, negated: bool) -> Test:
    def test(issue: Issue) -> bool:
        value = clause.read(scope, issue)
        empty = value is None or value == "" or (isinstance(value, tuple | list) and not any(value))
        return empty != negated

    return test


def _comparison(scope: Scope, clause: Clause, condition: Comparison, complaints: list[str]) -> Test:
    if clause.kind == "text":
        return _text_test(scope, clause, condition, complaints)
    if condition.operator in _ORDER:
        return _order_test(scope, clause, condition, complaints)
    values: set[Any] = set()
    for operand in condition.operands:
        known = frozenset({None}) if operand is None else _values(scope, clause, operand, complaints)
        values.update(known)
    read = clause.read

    def same(issue: Issue) -> bool:
        value = read(scope, issue)
        if isinstance(value, tuple):
            return not values.isdisjoint(value or (None,))
        return value in values

    def other(issue: Issue) -> bool:
        value = read(scope, issue)
        if isinstance(value, tuple):
            return bool(value) and values.isdisjoint(value)
        return value is not None and value not in values

    return same if condition.operator in ("=", "in") else other


def _text_test(scope: Scope, clause: Clause, condition: Comparison, complaints: list[str]) -> Test:
    operand = condition.operands[0]
    if not isinstance(operand, str):
        complaints.append(f"The operator '{condition.operator}' does not support the given operand.")
        return _never
    parts, opposite = wanted(operand), condition.operator == "!~"
    if not parts:
        complaints.append(f"The text query '{operand[:80]}' for field '{clause.name}' is not allowed to be empty.")
        return _never
    if opposite:
        return lambda issue: any(texts := clause.read(scope, issue)) and not any(holds(text, parts) for text in texts)
    return lambda issue: any(holds(text, parts) for text in clause.read(scope, issue))


def _order_test(scope: Scope, clause: Clause, condition: Comparison, complaints: list[str]) -> Test:
    operand = condition.operands[0]
    if operand is None:
        complaints.append(f"The operator '{condition.operator}' does not support the value EMPTY.")
        return _never
    known = _values(scope, clause, operand, complaints)
    if len(known) != 1:
        if known:
            complaints.append(f"The operator '{condition.operator}' needs a single value for field '{clause.name}'.")
        return _never
    (bound,) = known
    compare = _ORDER[condition.operator]
    if clause.kind == "key":
        project, number = key_order(bound)
        return lambda issue: issue.project == project and compare(key_order(issue.key)[1], number)
    order = clause.order
    if order is not None:
        limit = order(scope, bound)
        return lambda issue: compare(order(scope, clause.read(scope, issue)), limit)

    def test(issue: Issue) -> bool:
        value = clause.read(scope, issue)
        return value is not None and compare(value, bound)

    return test


def _values(scope: Scope, clause: Clause, operand: str | Function, complaints: list[str]) -> frozenset[Any]:
    """What an operand stands for; none, with a complaint, when it stands for nothing."""
    if clause.kind in ("moment", "day"):
        return _moments(scope, clause, operand, complaints)
    if isinstance(operand, Function):
        function = clause.functions.get(operand.name.lower())
        known: Known = function(scope, operand.arguments) if function else None
        if known is None:
            complaints.append(_bad_function(operand, clause, function is not None))
        return known or frozenset()
    if clause.kind == "number":
        number = _number(operand)
        if number is None:
            complaints.append(f"The value '{operand[:80]}' for field '{clause.name}' is not a valid number.")
        return frozenset() if number is None else frozenset({number})
    known = clause.resolve(scope, operand)
    if known is None:
        issue = clause.kind == "key" or clause.name == "parent"
        complaints.append(
            f"An issue with key '{operand[:80]}' does not exist for field '{clause.name}'."
            if issue
            else f"The value '{operand[:80]}' does not exist for the field '{clause.name}'."
        )
    return known or frozenset()


def _moments(scope: Scope, clause: Clause, operand: str | Function, complaints: list[str]) -> frozenset[Any]:
    moment = read_moment(operand, scope.call.now)
    if moment is not None:
        return frozenset({moment.date().isoformat() if clause.kind == "day" else moment})
    if isinstance(operand, Function):
        complaints.append(_bad_function(operand, clause, operand.name.lower() in FUNCTIONS))
    else:
        complaints.append(
            f"Date value '{operand[:80]}' for field '{clause.name}' is invalid. Valid formats include: "
            "'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', "
            "'4w 2d'."
        )
    return frozenset()


def _bad_function(function: Function, clause: Clause, known: bool) -> str:
    if known:
        return f"The arguments of function '{function.name[:80]}' for field '{clause.name}' are not valid."
    return f"Unable to find JQL function '{function.name[:80]}({', '.join(function.arguments)[:80]})'."


def _number(text: str) -> float | None:
    digits = text.strip().lstrip("+-").replace(".", "", 1)
    return float(text) if digits.isascii() and digits.isdigit() and len(digits) <= 15 else None


def _never(issue: Issue) -> bool:
    return False
