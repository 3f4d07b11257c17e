"""What SOQL text means, and what is refused."""

from __future__ import annotations

import re

import pytest

from environment.query.grammar import MAX_LENGTH, QueryError
from environment.query.soql import (
    Aggregate,
    Column,
    Comparison,
    Day,
    Junction,
    Membership,
    Moment,
    Not,
    Order,
    Period,
    Query,
    parse,
)


def _where(condition: str) -> object:
    return parse(f"SELECT Id FROM Contact WHERE {condition}").where


@pytest.mark.parametrize(
    ("condition", "meaning"),
    [
        ("Name = 'O\\'Hara'", Comparison(("Name",), "=", "O'Hara")),
        ("name like '%Had%'", Comparison(("name",), "like", "%Had%")),
        ("Name LIKE '10\\%'", Comparison(("Name",), "like", "10\\%")),
        ("Amount >= -1.50", Comparison(("Amount",), ">=", -1.5)),
        ("Amount <> 3", Comparison(("Amount",), "!=", 3)),
        ("Email = null", Comparison(("Email",), "=", None)),
        ("IsClosed = TRUE", Comparison(("IsClosed",), "=", True)),
        ("CloseDate = 2026-03-04", Comparison(("CloseDate",), "=", Day("2026-03-04"))),
        ("CreatedDate > 2026-03-04T09:00:00Z", Comparison(("CreatedDate",), ">", Moment("2026-03-04T09:00:00Z"))),
        ("CloseDate = this_week", Comparison(("CloseDate",), "=", Period("THIS_WEEK", None))),
        ("CloseDate < LAST_N_DAYS:30", Comparison(("CloseDate",), "<", Period("LAST_N_DAYS", 30))),
        ("Account.Owner.Name = 'x'", Comparison(("Account", "Owner", "Name"), "=", "x")),
        ("Status NOT IN ('a', 'b')", Membership(("Status",), True, ("a", "b"))),
        ("NOT A = 1", Not(Comparison(("A",), "=", 1))),
        ("NOT " * 901 + "A = 1", Not(Comparison(("A",), "=", 1))),
        ("NOT NOT A = 1", Comparison(("A",), "=", 1)),
        (
            "A = 1 AND (B = 2 OR C = 3)",
            Junction(
                "and",
                (
                    Comparison(("A",), "=", 1),
                    Junction("or", (Comparison(("B",), "=", 2), Comparison(("C",), "=", 3))),
                ),
            ),
        ),
        (
            "Id IN (SELECT ContactId FROM Case)",
            Membership(("Id",), False, Query((Column(("ContactId",)),), "Case")),
        ),
    ],
)
def test_condition_is_read_as_written(condition: str, meaning: object) -> None:
    assert _where(condition) == meaning


def test_brackets_inside_of_text_open_nothing() -> None:
    assert _where(f"Name = '{'(' * 100}'") == Comparison(("Name",), "=", "(" * 100)


def test_clauses_after_the_condition_are_read_in_their_order() -> None:
    query = parse(
        "SELECT StageName, COUNT(Id) deals FROM Opportunity WHERE Amount > 0 GROUP BY StageName "
        "ORDER BY StageName DESC NULLS LAST, COUNT(Id) LIMIT 5 OFFSET 2"
    )
    assert query.select == (Column(("StageName",)), Aggregate("count", ("Id",), "deals"))
    assert query.group_by == (("StageName",),)
    assert query.order_by == (
        Order(("StageName",), True, True),
        Order(Aggregate("count", ("Id",), None), False, False),
    )
    assert (query.limit, query.offset) == (5, 2)


def test_alias_of_the_object_may_stand_before_its_fields() -> None:
    assert parse("SELECT c.Id FROM Contact c WHERE c.Name = 'x' ORDER BY c.Id") == parse(
        "SELECT Id FROM Contact WHERE Name = 'x' ORDER BY Id"
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "unexpected end of the query"),
        ("SELECT * FROM Contact", "unexpected token: '*'"),
        ("SELECT Id FROM Contact WHERE Name = Oren", "unexpected token: 'Oren'"),
        ("SELECT Id FROM Contact WHERE A = 1 AND B = 2 OR C = 3", "unexpected token: 'OR'"),
        ("SELECT Id FROM Contact WHERE A = 'x", "unexpected token: '''"),
        ("SELECT Id FROM Contact WHERE A IS NULL", "unexpected token: 'IS'"),
        ("SELECT Id FROM Contact LIMIT -1", "unexpected token: '-1'"),
        ("SELECT Id FROM Contact LIMIT 99999999999", "unexpected token: '99999999999'"),
        ("SELECT Id FROM Contact; DELETE", "unexpected token: ';'"),
        ("SELECT Id FROM Contact WHERE A IN ()", "unexpected token: ')'"),
        ("SELECT Id FROM Contact WHERE A = LAST_N_DAYS", "unexpected token: 'LAST_N_DAYS'"),
        ("SELECT Id FROM Contact WHERE " + "(" * 5000, "nested too deeply"),
        ("SELECT Id FROM Contact WHERE Id IN " + "(SELECT Id FROM Contact WHERE Id IN " * 99, "nested too deeply"),
        ("SELECT Id FROM Contact WHERE " + "A=1 AND " * 2000, "the query is too long"),
        ("x" * (MAX_LENGTH + 1), "at most 20000 are read"),
    ],
)
def test_malformed_query_is_refused_with_its_reason(text: str, complaint: str) -> None:
    with pytest.raises(QueryError, match=re.escape(complaint)):
        parse(text)
