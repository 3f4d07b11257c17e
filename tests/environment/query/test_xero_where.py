"""What the text of a Xero `where` means, and what is refused."""

from __future__ import annotations

from decimal import Decimal

import pytest

from environment.query.grammar import QueryError
from environment.query.xero_where import Asked, Comparison, Flag, Guid, Junction, Member, Moment, Not, parse

A, B, C = (Comparison(Member((name,)), "==", Decimal(1)) for name in "ABC")


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ('Type=="ACCPAY"', Comparison(Member(("Type",)), "==", "ACCPAY")),
        ('Type = "ACCPAY"', Comparison(Member(("Type",)), "==", "ACCPAY")),
        ('Type <> "a\\"b\\\\"', Comparison(Member(("Type",)), "!=", 'a"b\\')),
        ("AmountDue>0", Comparison(Member(("AmountDue",)), ">", Decimal(0))),
        ("0.50m<=AmountDue", Comparison(Member(("AmountDue",)), ">=", Decimal("0.50"))),
        ("-5 != Total", Comparison(Member(("Total",)), "!=", Decimal(-5))),
        ("Date>=DateTime(2026,02,01)", Comparison(Member(("Date",)), ">=", Moment("2026-02-01T00:00:00"))),
        ("Date<datetime(2026, 2, 1, 9, 30, 5)", Comparison(Member(("Date",)), "<", Moment("2026-02-01T09:30:05"))),
        ('Date<DateTime.Parse("2026-02-01")', Comparison(Member(("Date",)), "<", Moment("2026-02-01T00:00:00"))),
        ("Date<DateTime(2026,02,30)", Comparison(Member(("Date",)), "<", Moment(""))),
        ('Contact.ContactID==guid("00AB")', Comparison(Member(("Contact", "ContactID")), "==", Guid("00ab"))),
        ('ContactID==Guid.Parse("7")', Comparison(Member(("ContactID",)), "==", Guid("7"))),
        ("EmailAddress!=null", Comparison(Member(("EmailAddress",)), "!=", None)),
        ("IsSupplier==true", Comparison(Member(("IsSupplier",)), "==", True)),
        ("IsSupplier", Flag(Member(("IsSupplier",)))),
        ("!IsSupplier", Not(Flag(Member(("IsSupplier",))))),
        ("!!!IsSupplier", Not(Flag(Member(("IsSupplier",))))),
        ('Contact.Name.Contains("Lark")', Asked(Member(("Contact", "Name")), "contains", "Lark")),
        ('Name.ToLower().StartsWith("l")', Asked(Member(("Name",), "tolower"), "startswith", "l")),
        ('Name.ENDSWITH("s") == false', Not(Asked(Member(("Name",)), "endswith", "s"))),
        ('Name.EndsWith("s") != false', Asked(Member(("Name",)), "endswith", "s")),
        ('Name.ToUpper()=="L"', Comparison(Member(("Name",), "toupper"), "==", "L")),
        ("A==1 AND B==1 && C==1", Junction("and", (A, B, C))),
        ("A==1 OR B==1 || C==1", Junction("or", (A, B, C))),
        ("A==1 OR B==1 AND C==1", Junction("or", (A, Junction("and", (B, C))))),
        ("(A==1 OR B==1) and C==1", Junction("and", (Junction("or", (A, B)), C))),
    ],
)
def test_a_filter_means_this(text: str, meaning: object) -> None:
    assert parse(text) == meaning


@pytest.mark.parametrize(
    "text",
    [
        *("", "(", "A==", "==1", "A==1 AND", "A==B", "1==1", "A==1 B==1", "A=='x'", 'A=="x', 'Name.Contains("x"'),
        *("Name.Contains(x)", "Name.Length()>1", "DateTime(2026,1)", "A.ToLower", "A..B==1", "A!", 'guid("x")'),
        *("(" * 60 + "A" + ")" * 60, " AND ".join(["A==1"] * 5000)),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(QueryError):
        parse(text)
