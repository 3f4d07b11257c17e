"""JQL's terms: precedence, negation, quoting, and the words in which a broken query is refused."""

from __future__ import annotations

import pytest

from environment.query.grammar import QueryError
from environment.query.jql import Comparison, Emptiness, Function, Junction, Query, Sort, comparisons, parse

A = Comparison("a", "=", ("1",))
B = Comparison("b", "!=", ("2",))
C = Comparison("c", "<", ("3",))
NOT_A, NOT_B, NOT_C = Comparison("a", "!=", ("1",)), Comparison("b", "=", ("2",)), Comparison("c", ">=", ("3",))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", None),
        ("a = 1", A),
        ("a=1", A),
        ("'a' = \"1\"", A),
        ("a = 1 AND b != 2 OR c < 3", Junction("or", (Junction("and", (A, B)), C))),
        ("a = 1 && (b != 2 || c < 3)", Junction("and", (A, Junction("or", (B, C))))),
        ("a = 1 and (b != 2 and (c < 3))", Junction("and", (A, B, C))),
        ("a = 1 or a = 1", Junction("or", (A,))),
        ("not a = 1", NOT_A),
        ("NOT NOT a = 1", A),
        ("! (a = 1 and b != 2)", Junction("or", (NOT_A, NOT_B))),
        ("not (a = 1 or not (b != 2 and c < 3))", Junction("and", (NOT_A, B, C))),
        ("a in (x, 'y z', EMPTY)", Comparison("a", "in", ("x", "y z", None))),
        ("not a in (x)", Comparison("a", "not in", ("x",))),
        ("a not in f()", Comparison("a", "not in", (Function("f", ()),))),
        ("a >= startOfDay(-1d)", Comparison("a", ">=", (Function("startOfDay", ("-1d",)),))),
        ("a in f(x, 'y, z')", Comparison("a", "in", (Function("f", ("x", "y, z")),))),
        ("a is empty", Emptiness("a", negated=False)),
        ("a IS NOT NULL", Emptiness("a", negated=True)),
        ("a = empty", Emptiness("a", negated=False)),
        ("not a is empty", Emptiness("a", negated=True)),
        ("a ~ 'it\\'s \\u0041\\n'", Comparison("a", "~", ("it's A\n",))),
        ("not a ~ x", Comparison("a", "!~", ("x",))),
        ("cf[10012] = x", Comparison("cf[10012]", "=", ("x",))),
        ("CF [ 10012 ] = x", Comparison("cf[10012]", "=", ("x",))),
        ("android = or-else", Comparison("android", "=", ("or-else",))),
        ("due < 2026-03-04", Comparison("due", "<", ("2026-03-04",))),
        ("a = Straße", Comparison("a", "=", ("Straße",))),
    ],
)
def test_conditions_are_read(text: str, where: object) -> None:
    assert parse(text) == Query(where, ())


def test_order_is_read_with_and_without_direction() -> None:
    order = (Sort("priority", True), Sort("due", None), Sort("cf[1]", False))
    assert parse("order by priority DESC, due, cf[1] asc") == Query(None, order)
    assert parse("a = 1 ORDER  BY due").order_by == (Sort("due", None),)


def test_every_comparison_is_listed_from_left_to_right() -> None:
    listed = comparisons(parse("a = 1 and (b != 2 or x is empty) and c < 3").where)
    assert [condition.field for condition in listed] == ["a", "b", "x", "c"]


_OPERATORS = "The valid operators are '=', '!=', '<', '>', '<=', '>=', '~', '!~', 'IN', 'NOT IN', 'IS' and 'IS NOT'."


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("invalid query", f"Expecting operator but got 'query'. {_OPERATORS} (line 1, character 9)"),
        ("status", f"Expecting operator before the end of the query. {_OPERATORS}"),
        ("status =", "Expecting either a value, list or function before the end of the query."),
        ("status = )", "Expecting either a value, list or function but got ')'. (line 1, character 10)"),
        ("a = b c", "Expecting either 'OR' or 'AND' but got 'c'. (line 1, character 7)"),
        ("a = b\nc", "Expecting either 'OR' or 'AND' but got 'c'. (line 2, character 1)"),
        ("a in (b c)", "Expecting either ',' or ')' but got 'c'. (line 1, character 9)"),
        ("a = b and", "Expecting a field name before the end of the query."),
        ("= b", "Expecting a field name but got '='. (line 1, character 1)"),
        ("a is b", "Expecting 'EMPTY' or 'NULL' but got 'b'. (line 1, character 6)"),
        ('a = "b', "The quoted string 'b' has not been completed. (line 1, character 5)"),
        (
            "a = ann@x.example",
            "The character '@' is a reserved JQL character. You must enclose it in a string or use the escape "
            "'\\u0040' instead. (line 1, character 8)",
        ),
    ],
)
def test_a_broken_query_is_refused_in_jiras_words(text: str, complaint: str) -> None:
    with pytest.raises(QueryError) as refused:
        parse(text)
    assert refused.value.message == f"Error in the JQL Query: {complaint}"


@pytest.mark.parametrize("text", ["(" * 50 + "a = 1" + ")" * 50, "a in (" + "x," * 5_000 + "x)", "a = " + "x" * 30_000])
def test_a_query_beyond_all_bounds_is_refused(text: str) -> None:
    with pytest.raises(QueryError, match="Error in the JQL Query"):
        parse(text)
