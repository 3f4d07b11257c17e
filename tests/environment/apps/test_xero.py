"""Xero: flows of documents, totals, what settles them, filters, and what its actions do."""

from __future__ import annotations

import json
import time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environment.apps.xero import rows as x
from environment.apps.xero.app import APP
from environment.contract import Change, Contract, Enum, Equals, Money, Ref
from environment.server import Response, Server, parse_now
from environment.tools import ActionTools
from environment.verifier import verify
from environment.world import Base, World

ACTOR = {"name": "Mara Lind", "email": "mara@tarnwick.example", "company": "Tarnwick", "domain": "tarnwick.example"}
KINDS = {APP.name: {kind.__name__: kind for kind in APP.rows}}
DERIVED = {APP.name: {kind.__name__: fields for kind, fields in APP.derived.items()}}
LARK, SUPPLIES, OLD = (x.contact_id(count) for count in (1, 2, 3))
B7711, B7719, B7730, OTHER, SALE, DRAFT = (x.invoice_id(count) for count in range(1, 7))
NOTE, EURO_NOTE = x.credit_note_id(1), x.credit_note_id(2)


def _invoice(key: str, number: str, amount: str, **more: Any) -> dict[str, Any]:
    line = {"Description": "Lenses", "UnitAmount": amount, "AccountCode": "310"}
    given = {"Type": "ACCPAY", "ContactID": LARK, "Date": "2026-02-03", "DueDate": "2026-03-19"}
    return {"InvoiceID": key, "InvoiceNumber": number, "LineItems": [line], **given, **more}


def _note(key: str, number: str, amount: str, **more: Any) -> dict[str, Any]:
    line = {"Description": "Returned", "UnitAmount": amount, "AccountCode": "315"}
    given = {"Type": "ACCPAYCREDIT", "ContactID": LARK, "Date": "2026-02-20"}
    return {"CreditNoteID": key, "CreditNoteNumber": number, "LineItems": [line], **given, **more}


WORLD = {
    "Organisation": [{"OrganisationID": x.organisation_id(1), "Name": "Tarnwick", "PeriodLockDate": "2025-12-31"}],
    "Contact": [
        {"ContactID": LARK, "Name": "Larkfield Optics", "EmailAddress": "ar@larkfield.example", "IsSupplier": True},
        {"ContactID": SUPPLIES, "Name": "Larkfield Optical Supplies", "IsSupplier": True},
        {"ContactID": OLD, "Name": "Gone", "ContactStatus": "ARCHIVED"},
    ],
    "Account": [
        {"AccountID": x.account_id(1), "Code": "090", "Name": "Main account", "Type": "BANK"},
        {"AccountID": x.account_id(2), "Code": "091", "Name": "Dollars", "Type": "BANK", "CurrencyCode": "USD"},
        {"AccountID": x.account_id(3), "Code": "310", "Name": "Purchases", "Type": "DIRECTCOSTS"},
        {"AccountID": x.account_id(4), "Code": "315", "Name": "Purchase returns", "Type": "DIRECTCOSTS"},
        {"AccountID": x.account_id(5), "Code": "200", "Name": "Sales", "Type": "REVENUE", "TaxType": "OUTPUT2"},
        {"AccountID": x.account_id(6), "Code": "999", "Name": "Old", "Type": "EXPENSE", "Status": "ARCHIVED"},
    ],
    "Invoice": [
        _invoice(B7711, "B-7711", "612.40", Date="2026-02-09", DueDate="2026-03-05"),
        _invoice(B7719, "B-7719", "1480", Date="2026-02-02", DueDate="2026-03-10", CurrencyCode="EUR"),
        _invoice(B7730, "B-7730", "2004"),
        _invoice(OTHER, "B-7730", "50", ContactID=SUPPLIES),
        _invoice(SALE, "INV-0001", "120", Type="ACCREC"),
        _invoice(DRAFT, "B-9", "70", Status="DRAFT", DueDate=None),
    ],
    "CreditNote": [_note(NOTE, "CN-1", "100"), _note(EURO_NOTE, "CN-2", "80", CurrencyCode="EUR")],
    "Item": [
        {
            "ItemID": x.item_id(1),
            "Code": "LENS",
            "Name": "Lens",
            "PurchaseDetails": {"UnitPrice": 9.5, "AccountCode": "310"},
        }
    ],
}
BASE = Base({APP.name: WORLD}, KINDS)


class Books:
    """The world above with short ways to ask it."""

    def __init__(self) -> None:
        self.world = World(BASE, parse_now("2026-03-04T09:20:00+00:00"))
        self.server = Server((APP,), self.world, ACTOR)

    def fetch(self, method: str, path: str, body: Any = None, **params: Any) -> Response:
        return self.server.fetch(method, APP.url(path), params or None, body)

    def one(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        """The only record of an answer."""
        response = self.fetch(method, path, body, **params)
        assert response.status == 200, response.body
        (records,) = [value for value in response.body.values() if isinstance(value, list)]
        (record,) = records
        return record

    def rules(self, method: str, path: str, body: Any) -> list[str]:
        """The rules that a refused request breaks; nothing has changed."""
        before = self.world.changes()
        response = self.fetch(method, path, body)
        assert response.status == 400 and response.body["ErrorNumber"] == 10, response.body
        assert self.world.changes() == before
        return [rule["Message"] for element in response.body["Elements"] for rule in element["ValidationErrors"]]

    def call(self, action: str, **arguments: Any) -> Any:
        tools = ActionTools(self.server, (APP,), tuple(action.name for action in APP.all_actions))
        return json.loads(tools.call(f"xero_{action}", arguments))


@pytest.fixture
def books() -> Books:
    return Books()


def _bill(**more: Any) -> dict[str, Any]:
    line = {"Description": "Lenses", "UnitAmount": 10, "AccountCode": "310"}
    return {"Type": "ACCPAY", "Contact": {"ContactID": LARK}, "DueDate": "2026-04-01", "LineItems": [line], **more}


# --- flows -----------------------------------------------------------------------------------------------------------

FLOW = {
    "DRAFT": {"DRAFT", "SUBMITTED", "AUTHORISED", "DELETED"},
    "SUBMITTED": {"DRAFT", "SUBMITTED", "AUTHORISED", "DELETED"},
    "AUTHORISED": {"AUTHORISED", "VOIDED"},
    "VOIDED": set(),
    "DELETED": set(),
}


@pytest.mark.parametrize("start", FLOW)
@pytest.mark.parametrize("end", [*FLOW, "PAID", "NONSENSE"])
def test_an_invoice_moves_only_as_the_flow_allows(books: Books, start: str, end: str) -> None:
    rows = {"Invoice": [_invoice(DRAFT, "B-9", "70", Status=start)], "Account": WORLD["Account"]}
    books.server = Server((APP,), World(Base({APP.name: rows}, KINDS), books.world.now), ACTOR)
    response = books.fetch("POST", f"/Invoices/{DRAFT}", {"Status": end})
    assert (response.status == 200) is (end in FLOW[start])
    if response.status == 200:
        assert response.body["Invoices"][0]["Status"] == end
        assert response.body["Invoices"][0]["AmountDue"] == (0 if end in ("VOIDED", "DELETED") else 70)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"DueDate": None}, "DueDate cannot be empty"),
        ({"LineItems": []}, "One or more line items must be specified"),
        (
            {"LineItems": [{"UnitAmount": 1, "AccountCode": "310"}]},
            "The description field is mandatory for each line item.",
        ),
        ({"LineItems": [{"UnitAmount": 1, "Description": "x"}]}, "Account code must be specified"),
    ],
)
def test_an_approved_bill_must_be_complete_and_a_draft_need_not(books: Books, change: Any, rule: str) -> None:
    assert [rule in broken for broken in books.rules("PUT", "/Invoices", _bill(Status="AUTHORISED", **change))] == [
        True
    ]
    draft = books.one("PUT", "/Invoices", _bill(**change))
    assert rule in "; ".join(books.rules("POST", f"/Invoices/{draft['InvoiceID']}", {"Status": "AUTHORISED"}))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"Contact": None}, "A Contact must be specified for this type of transaction"),
        ({"Contact": {"Name": "  "}}, "A Contact must be specified for this type of transaction"),
        ({"Contact": {"ContactID": x.contact_id(77)}}, "could not be found"),
        ({"Contact": {"ContactID": OLD}}, "archived"),
        ({"Type": "BILL"}, "Invoice Type must be ACCREC or ACCPAY"),
        ({"Date": "2025-12-31"}, "lock date"),
        ({"Date": "soon"}, "not a valid date"),
        ({"CurrencyCode": "XYZ"}, "Organisation is not subscribed to currency XYZ"),
        ({"Reference": "r" * 256}, "255"),
        (
            {"LineItems": [{"Description": "x", "UnitAmount": 1, "AccountCode": "999"}]},
            "Account code '999' is not a valid",
        ),
        (
            {"LineItems": [{"Description": "x", "UnitAmount": 1, "AccountCode": "404"}]},
            "Account code '404' is not a valid",
        ),
        ({"LineItems": [{"Description": "x", "UnitAmount": 1, "TaxType": "OUTPUT2"}]}, "The TaxType code 'OUTPUT2'"),
        ({"LineItems": [{"Description": "x", "UnitAmount": 1, "DiscountRate": 5}]}, "Discounts may not be applied"),
        ({"LineItems": [{"Description": "x", "ItemCode": "NONE"}]}, "Item code 'NONE' is not valid"),
        (
            {"LineItems": [{"Description": "x", "UnitAmount": 2, "LineAmount": 3}]},
            "does not match the expected line total",
        ),
        ({"LineItems": [{"Description": "x", "UnitAmount": -2}]}, "greater than or equal to zero"),
        ({"LineItems": [{"Description": "x", "UnitAmount": "1e11"}]}, "out of range"),
        ({"LineItems": [{"Description": "x", "LineAmount": 9e10, "Quantity": "0.0001"}]}, "out of range"),
        ({"LineItems": ["x"]}, "LineItems.0"),
        ({"Colour": "red"}, "unknown argument 'Colour'"),
    ],
)
def test_an_impossible_document_is_refused_in_words(books: Books, change: Any, rule: str) -> None:
    assert any(rule in broken for broken in books.rules("PUT", "/Invoices", _bill(**change)))


def test_sales_numbers_are_unique_and_made_up_and_bill_numbers_are_neither(books: Books) -> None:
    sale = {"Type": "ACCREC", "Contact": {"ContactID": LARK}}
    assert books.rules("PUT", "/Invoices", {**sale, "InvoiceNumber": "INV-0001"}) == ["Invoice # must be unique."]
    assert books.one("PUT", "/Invoices", sale)["InvoiceNumber"] == "INV-0002"
    assert books.one("PUT", "/Invoices", _bill(InvoiceNumber="B-7730"))["InvoiceNumber"] == "B-7730"
    assert books.one("PUT", "/Invoices", _bill())["InvoiceNumber"] == ""


def test_put_creates_and_post_updates_what_id_or_sales_number_names(books: Books) -> None:
    renamed = books.one("POST", "/Invoices", {"Type": "ACCREC", "InvoiceNumber": "INV-0001", "Reference": "PO 5"})
    assert (renamed["InvoiceID"], renamed["Reference"]) == (SALE, "PO 5")
    by_id = books.one("POST", "/Invoices", {"Invoices": [{"InvoiceID": B7711, "Reference": "PO 6"}]})
    assert (by_id["InvoiceNumber"], by_id["Reference"]) == ("B-7711", "PO 6")
    assert books.one("POST", "/Invoices", _bill(InvoiceNumber="B-7711"))["InvoiceID"] not in (B7711, B7719)
    assert "could not be found" in books.rules("POST", "/Invoices", {"InvoiceID": x.invoice_id(88)})[0]
    assert books.fetch("POST", f"/Invoices/{x.invoice_id(88)}", {"Reference": "x"}).status == 404


def test_what_is_read_can_be_posted_back_without_a_change(books: Books) -> None:
    for path in (f"/Invoices/{B7730}", f"/CreditNotes/{NOTE}", f"/Contacts/{LARK}", f"/Accounts/{x.account_id(3)}"):
        books.one("POST", path, books.one("GET", path))
    for change in books.world.changes():
        assert change.before is not None and change.after is not None
        changed = {name for name in change.after if change.after[name] != change.before[name]}
        assert changed == {"UpdatedDateUTC"}, change.collection


def test_a_whole_record_may_stand_for_a_reference(books: Books) -> None:
    invoice, account = books.one("GET", f"/Invoices/{B7730}"), books.one("GET", f"/Accounts/{x.account_id(1)}")
    note = books.one("GET", f"/CreditNotes/{NOTE}")
    books.one("PUT", f"/CreditNotes/{NOTE}/Allocations", {"Amount": 5, "Invoice": invoice})
    books.one("PUT", "/Payments", {"Amount": 5, "Invoice": invoice, "Account": account})
    books.one("PUT", "/Payments", {"Amount": 5, "CreditNote": note, "Account": account})
    books.one("PUT", "/Invoices", _bill(Contact=books.one("GET", f"/Contacts/{LARK}")))


def test_one_bad_element_refuses_all_unless_errors_are_not_summarised(books: Books) -> None:
    two = {"Invoices": [_bill(), _bill(Type="?")]}
    assert len(books.rules("PUT", "/Invoices", two)) == 1
    answer = books.fetch("PUT", "/Invoices", two, summarizeErrors="false")
    assert [item["StatusAttributeString"] for item in answer.body["Invoices"]] == ["OK", "ERROR"]
    assert [change.collection for change in books.world.changes()] == ["Invoice"]


def test_a_contact_that_is_only_named_is_created(books: Books) -> None:
    assert books.one("PUT", "/Invoices", _bill(Contact={"Name": "larkfield OPTICS"}))["Contact"]["ContactID"] == LARK
    new = books.one("PUT", "/Invoices", _bill(Contact={"Name": "Nimbus"}))["Contact"]
    contact = books.one("GET", f"/Contacts/{new['ContactID']}")
    assert (contact["Name"], contact["IsSupplier"], contact["IsCustomer"]) == ("Nimbus", True, False)


# --- amounts ---------------------------------------------------------------------------------------------------------

_CENT = Decimal("0.01")
_LINES = st.tuples(
    st.decimals(0, 50, places=4), st.decimals(0, 99999, places=2), st.sampled_from(["NONE", "INPUT2", "RRINPUT"])
)


def _cents(exact: Fraction) -> Decimal:
    """Rounded half up, by way of whole numbers."""
    return Decimal((exact * 200 + 1).__floor__() // 2) * _CENT


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(_LINES, min_size=1, max_size=5),
    kind=st.sampled_from(["Exclusive", "Inclusive", "NoTax"]),
)  # fmt: skip
def test_totals_are_those_of_exact_arithmetic(lines: list[tuple[Decimal, Decimal, str]], kind: str) -> None:
    items = [
        {"Description": "x", "AccountCode": "310", "Quantity": str(count), "UnitAmount": str(price), "TaxType": tax}
        for count, price, tax in lines
    ]
    row = Books().one("PUT", "/Invoices", _bill(LineItems=items, LineAmountTypes=kind))
    amounts = [_cents(Fraction(count) * Fraction(price)) for count, price, _ in lines]
    taxes = []
    for amount, (_, _, name) in zip(amounts, lines, strict=True):
        rate = Fraction({"NONE": 0, "INPUT2": 20, "RRINPUT": 5}[name], 100)
        exact = {
            "Exclusive": Fraction(amount) * rate,
            "Inclusive": Fraction(amount) * rate / (1 + rate),
            "NoTax": Fraction(),
        }
        taxes.append(_cents(exact[kind]))
    total = sum(amounts) + (0 if kind == "Inclusive" else sum(taxes))
    assert Decimal(str(row["TotalTax"])) == sum(taxes)
    assert Decimal(str(row["Total"])) == Decimal(str(row["AmountDue"])) == total
    assert Decimal(str(row["SubTotal"])) == total - sum(taxes)


@pytest.mark.parametrize(
    ("line", "amount", "tax"),
    [
        ({"Quantity": 3, "UnitAmount": 33.333}, 99.99, 0),
        ({"Quantity": 3, "UnitAmount": 33.333, "TaxType": "INPUT2", "TaxAmount": 19.99}, 99.99, 19.99),
        ({"LineAmount": 100, "Quantity": 3}, 100, 0),
        ({"ItemCode": "LENS", "Quantity": 2}, 19, 0),
        ({"UnitAmount": "0.10", "Quantity": 3}, 0.3, 0),
        ({}, 0, 0),
    ],
)
def test_a_line_comes_to_this(books: Books, line: Any, amount: float, tax: float) -> None:
    row = books.one("PUT", "/Invoices", _bill(LineItems=[{"Description": "x", **line}]))
    assert (row["SubTotal"], row["TotalTax"]) == (amount, tax)


def test_a_line_put_before_a_kept_one_gets_an_id_of_its_own(books: Books) -> None:
    kept = {"LineItemID": books.one("GET", f"/Invoices/{B7711}")["LineItems"][0]["LineItemID"]}
    row = books.one("POST", f"/Invoices/{B7711}", {"LineItems": [{"Description": "New", "AccountCode": "310"}, kept]})
    assert len({line["LineItemID"] for line in row["LineItems"]}) == 2 and row["Total"] == 612.4


def test_unit_prices_have_four_places_when_asked(books: Books) -> None:
    lines = [{"Description": "x", "Quantity": 3, "UnitAmount": 33.333}]
    assert books.one("PUT", "/Invoices", _bill(LineItems=lines), unitdp=4)["Total"] == 100.0


def test_changing_a_line_by_its_id_keeps_the_rest_of_it(books: Books) -> None:
    line = books.one("GET", f"/Invoices/{B7711}")["LineItems"][0]
    row = books.one("POST", f"/Invoices/{B7711}", {"LineItems": [{"LineItemID": line["LineItemID"], "Quantity": 2}]})
    assert row["LineItems"] == [{**line, "Quantity": 2.0, "LineAmount": 1224.8}]
    assert row["AmountDue"] == 1224.8
    row = books.one("POST", f"/Invoices/{B7711}", {"LineAmountTypes": "NoTax"})
    assert row["LineAmountTypes"] == "NoTax" and row["Total"] == 1224.8


# --- what settles a document -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("note", "invoice", "amount", "rule"),
    [
        (NOTE, B7730, 100.01, "exceeds the remaining credit 100.00"),
        (NOTE, B7730, 0, "greater than zero"),
        (NOTE, B7730, -5, "greater than zero"),
        (NOTE, B7730, "many", "not a number"),
        (NOTE, B7719, 10, "same currency"),
        (NOTE, OTHER, 10, "same contact"),
        (NOTE, SALE, 10, "of type ACCPAYCREDIT cannot be allocated to an invoice of type ACCREC"),
        (NOTE, DRAFT, 10, "AUTHORISED invoices"),
        (NOTE, x.invoice_id(99), 10, "could not be found"),
    ],
)
def test_an_impossible_allocation_is_refused(books: Books, note: str, invoice: str, amount: Any, rule: str) -> None:
    body = {"Allocations": [{"Amount": amount, "Invoice": {"InvoiceID": invoice}}]}
    assert rule in "; ".join(books.rules("PUT", f"/CreditNotes/{note}/Allocations", body))


def test_a_draft_credit_cannot_be_allocated_nor_more_than_is_due(books: Books) -> None:
    draft = books.one("PUT", "/CreditNotes", {**_credit(3000), "Status": "DRAFT"})["CreditNoteID"]
    body = {"Amount": 2500, "Invoice": {"InvoiceID": B7730}}
    assert "must be AUTHORISED" in books.rules("PUT", f"/CreditNotes/{draft}/Allocations", body)[0]
    books.one("POST", f"/CreditNotes/{draft}", {"Status": "AUTHORISED"})
    assert "amount outstanding 2004.00" in books.rules("PUT", f"/CreditNotes/{draft}/Allocations", body)[0]


def _credit(amount: float, **more: Any) -> dict[str, Any]:
    line = {"Description": "Returned", "UnitAmount": amount, "AccountCode": "315"}
    return {"Type": "ACCPAYCREDIT", "Contact": {"ContactID": LARK}, "LineItems": [line], **more}


def test_two_allocations_of_one_request_share_what_is_left(books: Books) -> None:
    parts = [{"Amount": 60, "Invoice": {"InvoiceNumber": number}} for number in ("B-7711", "B-7730")]
    assert books.rules("PUT", f"/CreditNotes/{NOTE}/Allocations", parts) == [
        "The allocation amount exceeds the remaining credit 40.00"
    ]


def test_an_allocation_settles_both_sides_and_can_be_taken_back(books: Books) -> None:
    body = {"Amount": 100, "Invoice": {"InvoiceNumber": "B-7730"}}
    part = books.one("PUT", f"/CreditNotes/{NOTE}/Allocations", body)
    assert part["Invoice"]["InvoiceID"] == B7730
    invoice, note = books.one("GET", f"/Invoices/{B7730}"), books.one("GET", f"/CreditNotes/{NOTE}")
    assert (invoice["AmountDue"], invoice["AmountCredited"], invoice["Status"]) == (1904.0, 100.0, "AUTHORISED")
    assert (note["RemainingCredit"], note["Status"], note["Allocations"][0]["Amount"]) == (0.0, "PAID", 100.0)
    locked = "This document cannot be edited as it has a payment or credit note allocated to it."
    assert books.rules("POST", f"/CreditNotes/{NOTE}", {"Status": "VOIDED"}) == [locked]
    assert books.rules("POST", f"/Invoices/{B7730}", {"Status": "VOIDED"}) == [locked]
    assert books.rules("POST", f"/Invoices/{B7730}", {"LineItems": []}) == [locked]
    assert books.one("POST", f"/Invoices/{B7730}", {"DueDate": "2026-05-01"})["DueDateString"] == "2026-05-01T00:00:00"
    gone = books.fetch("DELETE", f"/CreditNotes/{NOTE}/Allocations/{part['AllocationID']}")
    assert gone.body["IsDeleted"] is True
    assert books.fetch("DELETE", f"/CreditNotes/{NOTE}/Allocations/{part['AllocationID']}").status == 404
    assert books.one("POST", f"/Invoices/{B7730}", {"Status": "VOIDED"})["AmountDue"] == 0.0


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"Amount": 612.41}, "exceeds the amount outstanding"),
        ({"Amount": 0}, "greater than 0"),
        ({"Invoice": {"InvoiceID": DRAFT}}, "only be made against Authorised documents"),
        ({"Invoice": {"InvoiceID": x.invoice_id(99)}}, "could not be found"),
        ({"Invoice": None}, "Either Invoice or CreditNote must be specified"),
        ({"Account": {"Code": "310"}}, "Account must be valid"),
        ({"Account": None}, "Account must be valid"),
        ({"Account": {"Code": "091"}}, "currency"),
        ({"Date": "2025-11-01"}, "lock date"),
    ],
)
def test_an_impossible_payment_is_refused(books: Books, change: Any, rule: str) -> None:
    body = {"Invoice": {"InvoiceID": B7711}, "Account": {"Code": "090"}, "Amount": 10, **change}
    assert rule in "; ".join(books.rules("PUT", "/Payments", body))


def test_payments_make_an_invoice_paid_and_deleting_one_reopens_it(books: Books) -> None:
    body = {"Invoice": {"InvoiceID": B7711}, "Account": {"Code": "090"}, "Date": "2026-03-03"}
    first = books.one("PUT", "/Payments", {**body, "Amount": 600})
    assert first["PaymentType"] == "ACCPAYPAYMENT" and first["Invoice"]["AmountDue"] == 12.4
    books.one("POST", "/Payments", {**body, "Amount": "12.40"})
    paid = books.one("GET", f"/Invoices/{B7711}")
    assert (paid["Status"], paid["AmountDue"], len(paid["Payments"])) == ("PAID", 0.0, 2)
    assert paid["FullyPaidOnDate"] == "/Date(1772496000000+0000)/"
    assert "only be made against" in books.rules("PUT", "/Payments", {**body, "Amount": 1})[0]
    assert "cannot be updated" in books.rules("POST", f"/Payments/{first['PaymentID']}", {"Amount": 5})[0]
    books.one("POST", f"/Payments/{first['PaymentID']}", {"Status": "DELETED"})
    open_again = books.one("GET", f"/Invoices/{B7711}")
    assert (open_again["Status"], open_again["AmountDue"]) == ("AUTHORISED", 600.0)
    assert books.rules("POST", f"/Payments/{first['PaymentID']}", {"Status": "DELETED"})


def test_a_credit_note_can_be_paid_back_as_far_as_it_goes(books: Books) -> None:
    body = {"CreditNote": {"CreditNoteID": NOTE}, "Account": {"Code": "090"}, "Amount": 60}
    assert books.one("PUT", "/Payments", body)["PaymentType"] == "APCREDITPAYMENT"
    assert books.one("GET", f"/CreditNotes/{NOTE}")["RemainingCredit"] == 40.0
    assert "exceeds the amount" in books.rules("PUT", "/Payments", body)[0]


_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("pay"), st.sampled_from([B7711, B7730, B7719]), st.integers(1, 90000)),
        st.tuples(st.just("allocate"), st.sampled_from([B7711, B7730, B7719]), st.integers(1, 9000)),
        st.tuples(st.just("unpay"), st.integers(0, 9), st.none()),
        st.tuples(st.just("unallocate"), st.integers(0, 9), st.none()),
        st.tuples(st.just("void"), st.sampled_from([B7711, B7730, NOTE]), st.none()),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(steps=_STEPS)
def test_whatever_is_paid_or_taken_back_the_books_add_up(steps: list[tuple[str, Any, Any]]) -> None:
    books = Books()
    payments: list[str] = []
    parts: list[str] = []
    for word, target, cents in steps:
        if word == "pay":
            body = {"Invoice": {"InvoiceID": target}, "Account": {"Code": "090"}, "Amount": cents / 100}
            answer = books.fetch("PUT", "/Payments", body)
            payments += [answer.body["Payments"][0]["PaymentID"]] if answer.status == 200 else []
        elif word == "allocate":
            body = {"Amount": cents / 100, "Invoice": {"InvoiceID": target}}
            answer = books.fetch("PUT", f"/CreditNotes/{NOTE}/Allocations", body)
            parts += [answer.body["Allocations"][0]["AllocationID"]] if answer.status == 200 else []
        elif word == "unpay" and payments:
            books.fetch("POST", f"/Payments/{payments[target % len(payments)]}", {"Status": "DELETED"})
        elif word == "unallocate" and parts:
            books.fetch("DELETE", f"/CreditNotes/{NOTE}/Allocations/{parts[target % len(parts)]}")
        elif word == "void":
            plural = "CreditNotes" if target == NOTE else "Invoices"
            books.fetch("POST", f"/{plural}/{target}", {"Status": "VOIDED"})
    world = books.world
    paid, credited, used = {}, {}, Decimal(0)
    for payment in world.all(("xero", "Payment")):
        if payment.Status == "AUTHORISED":
            paid[payment.InvoiceID] = paid.get(payment.InvoiceID, Decimal(0)) + payment.Amount
    for part in world.all(("xero", "Allocation")):
        credited[part.InvoiceID] = credited.get(part.InvoiceID, Decimal(0)) + part.Amount
        used += part.Amount
    for key, total in ((B7711, "612.40"), (B7719, "1480.00"), (B7730, "2004.00")):
        row = world.get(("xero", "Invoice"), key)
        left = Decimal(total) - paid.get(key, 0) - credited.get(key, 0)
        assert left >= 0
        if row.Status == "VOIDED":
            assert (row.AmountDue, left) == (0, Decimal(total))
        else:
            assert row.AmountDue == left
    note = world.get(("xero", "CreditNote"), NOTE)
    assert note.RemainingCredit == (0 if note.Status == "VOIDED" else Decimal(100) - used) >= 0


# --- other collections -----------------------------------------------------------------------------------------------


def test_contact_names_are_unique_and_a_post_with_the_name_updates(books: Books) -> None:
    assert "already assigned" in books.rules("PUT", "/Contacts", {"Name": "Larkfield Optics"})[0]
    assert "already assigned" in books.rules("POST", f"/Contacts/{SUPPLIES}", {"Name": "larkfield optics"})[0]
    row = books.one("POST", "/Contacts", {"Name": "Larkfield Optics", "Phones": [{"PhoneNumber": "555-0142"}]})
    assert (row["ContactID"], row["Phones"][0]["PhoneType"]) == (LARK, "DEFAULT")
    assert row["Balances"]["AccountsPayable"] == {"Outstanding": 4096.4, "Overdue": 0.0}
    assert books.one("PUT", "/Contacts", {"Name": "Gone"})["ContactStatus"] == "ACTIVE"


def test_archived_contacts_are_listed_only_when_asked(books: Books) -> None:
    names = [row["Name"] for row in books.fetch("GET", "/Contacts").body["Contacts"]]
    every = [row["Name"] for row in books.fetch("GET", "/Contacts", includeArchived="true").body["Contacts"]]
    assert "Gone" not in names and set(every) - set(names) == {"Gone"}


def test_orders_and_quotes_have_flows_of_their_own(books: Books) -> None:
    line = {"Description": "x", "UnitAmount": 5, "AccountCode": "310"}
    order = books.one("PUT", "/PurchaseOrders", {"Contact": {"ContactID": LARK}, "LineItems": [line]})
    path = f"/PurchaseOrders/{order['PurchaseOrderNumber']}"
    assert books.rules("POST", path, {"Status": "BILLED"}) == ["Purchase order not of valid status for modification"]
    assert [books.one("POST", path, {"Status": word})["Status"] for word in ("AUTHORISED", "BILLED")][-1] == "BILLED"
    quote = books.one("PUT", "/Quotes", {"Contact": {"ContactID": LARK}, "LineItems": [line]})
    path = f"/Quotes/{quote['QuoteID']}"
    assert books.rules("POST", path, {"Status": "INVOICED"}) == ["Quote not of valid status for modification"]
    for word in ("SENT", "ACCEPTED", "INVOICED"):
        assert books.one("POST", path, {"Status": word})["Status"] == word


def test_a_bank_transaction_needs_a_bank_account_of_its_currency(books: Books) -> None:
    line = {"Description": "Fee", "UnitAmount": 5, "AccountCode": "310"}
    body = {"Type": "SPEND", "Contact": {"ContactID": LARK}, "LineItems": [line]}
    assert "type BANK" in books.rules("PUT", "/BankTransactions", {**body, "BankAccount": {"Code": "310"}})[0]
    row = books.one("PUT", "/BankTransactions", {**body, "BankAccount": {"Code": "091"}})
    assert row["CurrencyCode"] == "USD"
    wrong = {**body, "BankAccount": {"Code": "091"}, "CurrencyCode": "EUR"}
    assert "currency" in books.rules("PUT", "/BankTransactions", wrong)[0]


def test_an_emailed_invoice_has_left_the_company(books: Books) -> None:
    assert books.fetch("POST", f"/Invoices/{SALE}/Email", {}).status == 204
    assert [(change.id, change.sent) for change in books.world.changes()] == [(SALE, True)]
    assert books.rules("POST", f"/Invoices/{B7711}/Email", {})


# --- lists -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "numbers"),
    [
        ('Type=="ACCPAY" AND Contact.Name=="Larkfield Optics" AND Date>=DateTime(2026,02,03)', "B-7711 B-7730 B-9"),
        ('Contact.Name.Contains("Supplies")', "B-7730"),
        ('Contact.Name.ToLower().StartsWith("larkfield optical")', "B-7730"),
        (f'Contact.ContactID==guid("{SUPPLIES.upper()}") OR Type=="ACCREC"', "B-7730 INV-0001"),
        ("AmountDue>=1480 AND AmountDue<2004", "B-7719"),
        ('Status=="DRAFT"', "B-9"),
        ("DueDate==null", "B-9"),
        ("DueDate<DateTime(2026,03,06)", "B-7711"),
        ('!(Type=="ACCPAY")', "INV-0001"),
        ("Date==DateTime(2026,02,02)", "B-7719"),
        ('InvoiceNumber.EndsWith("30") AND Total!=50', "B-7730"),
        ("SentToContact", ""),
        ('CurrencyCode!="GBP"', "B-7719"),
    ],
)
def test_a_where_finds_these(books: Books, where: str, numbers: str) -> None:
    answer = books.fetch("GET", "/Invoices", where=where, page=1)
    assert " ".join(row["InvoiceNumber"] for row in answer.body["Invoices"]) == numbers


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ('Colour=="red"', "No property or field 'Colour' exists in type 'Invoice'"),
        (f'InvoiceID=="{B7711}"', "incompatible with operand types 'Guid' and 'String'"),
        ("AmountDue==true", "incompatible with operand types 'Decimal' and 'Boolean'"),
        ('AmountDue.Contains("1")', "No applicable method"),
        ("Date<null", "incompatible"),
        ("Date<DateTime(2026,13,01)", "un-representable"),
        ("Type==", "unexpected end"),
    ],
)
def test_a_where_that_makes_no_sense_is_a_parse_exception(books: Books, where: str, message: str) -> None:
    response = books.fetch("GET", "/Invoices", where=where)
    assert (response.status, response.body["ErrorNumber"], response.body["Type"]) == (400, 16, "QueryParseException")
    assert message in response.body["Message"]


def test_lists_are_filtered_sorted_and_cut_by_parameters(books: Books) -> None:
    def numbers(**params: Any) -> list[str]:
        return [row["InvoiceNumber"] for row in books.fetch("GET", "/Invoices", **params).body["Invoices"]]

    assert numbers(InvoiceNumbers="B-7711, INV-0001") == ["B-7711", "INV-0001"]
    assert numbers(IDs=f"{B7719},{x.invoice_id(99)}") == ["B-7719"]
    assert numbers(ContactIDs=SUPPLIES) == ["B-7730"]
    assert numbers(Statuses="DRAFT,PAID") == ["B-9"]
    assert numbers(searchTerm="7719") == ["B-7719"]
    assert numbers(order="Total DESC", Statuses="AUTHORISED")[:3] == ["B-7730", "B-7719", "B-7711"]
    assert numbers(order="DueDate,InvoiceNumber DESC")[:2] == ["B-9", "B-7711"]
    assert numbers(page=2, pageSize=4) == ["INV-0001", "B-9"]
    page = books.fetch("GET", "/Invoices", page=2, pageSize=4).body
    assert page["pagination"] == {"page": 2, "pageSize": 4, "pageCount": 2, "itemCount": 6}
    assert page["Invoices"][0]["LineItems"] and not books.fetch("GET", "/Invoices").body["Invoices"][0]["LineItems"]
    assert books.fetch("GET", "/Invoices", order="Colour").body["ErrorNumber"] == 16


def test_dates_are_written_the_old_way_with_a_string_beside_them(books: Books) -> None:
    row = books.one("GET", "/Invoices/B-7711")
    assert (row["Date"], row["DateString"]) == ("/Date(1770595200000+0000)/", "2026-02-09T00:00:00")
    assert (
        books.one("POST", "/Invoices", {"InvoiceID": B7711, "Date": row["DueDate"]})["DateString"][:10] == "2026-03-05"
    )


# --- the model task --------------------------------------------------------------------------------------------------

CONTRACT = Contract(
    all_of=(
        Change(
            label="credit",
            app="xero",
            collection="CreditNote",
            action="create",
            key={"CreditNoteNumber": (Equals(value="CN-20431"),), "ContactID": (Equals(value=LARK),)},
            fields={
                "Type": (Enum(value="ACCPAYCREDIT"),),
                "Status": (Enum(value="AUTHORISED"),),
                "Total": (Money(amount="930.00"),),
                "CurrencyCode": (Equals(value="GBP"),),
                "LineItems[*].AccountCode": (Equals(value="315"),),
            },
        ),
        Change(
            label="allocation",
            app="xero",
            collection="Allocation",
            action="create",
            key={"CreditNoteID": (Ref(label="credit"),)},
            fields={"InvoiceID": (Equals(value=B7730),), "Amount": (Money(amount="930.00"),)},
        ),
    )
)


def _by_actions(books: Books, **more: Any) -> None:
    given = {"contact": "Larkfield Optics", "number": "CN-20431", "amount": 930.0, "currency": "GBP", "account": "315"}
    books.call("create_credit_note", **{**given, **more})
    books.call("allocate_credit", credit_note="CN-20431", invoice="B-7730", amount=930)


def _by_requests(books: Books) -> None:
    key = books.one("PUT", "/CreditNotes", _credit(930, CreditNoteNumber="CN-20431"))["CreditNoteID"]
    books.one("POST", f"/CreditNotes/{key}", {"Status": "SUBMITTED"})
    books.one("POST", f"/CreditNotes/{key}", {"Status": "AUTHORISED"})
    books.one("PUT", f"/CreditNotes/{key}/Allocations", {"Amount": "930.00", "Invoice": {"InvoiceID": B7730}})


@pytest.mark.parametrize("solve", [_by_actions, _by_requests])
def test_a_supplier_credit_is_judged_alike_whether_it_was_a_draft_first_or_not(books: Books, solve: Any) -> None:
    solve(books)
    verdict = verify(CONTRACT, books.world.changes(), DERIVED)
    assert verdict.strict and books.call("get_invoice", number=B7730)["amount_due"] == "GBP 1074.00"


@pytest.mark.parametrize("wrong", [{"amount": 940.0}, {"account": "310"}, {"contact": "Larkfield Optical Supplies"}])
def test_a_wrong_supplier_credit_fails(books: Books, wrong: Any) -> None:
    _by_actions(books, **wrong)
    assert not verify(CONTRACT, books.world.changes(), DERIVED).strict


def test_voiding_a_paid_up_bill_is_collateral_but_its_balance_is_not(books: Books) -> None:
    _by_actions(books)
    books.call("set_invoice_status", number="B-7711", status="VOIDED")
    assert verify(CONTRACT, books.world.changes(), DERIVED).collateral == (f"xero.Invoice/{B7711} (update)",)


# --- actions ---------------------------------------------------------------------------------------------------------


def test_a_number_of_two_suppliers_asks_for_an_id_and_the_credit_knows_its_own(books: Books) -> None:
    assert B7730 in books.call("get_invoice", number="B-7730")["error"]
    assert books.call("get_invoice", number=OTHER)["contact"] == "Larkfield Optical Supplies"
    assert books.call("allocate_credit", credit_note="CN-1", invoice="B-7730", amount=40) == {
        "invoice": "B-7730",
        "amount_due": "GBP 1964.00",
        "credit_left": "GBP 60.00",
    }
    assert books.call("remove_credit", credit_note="CN-1", invoice="B-7730")["amount_due"] == "GBP 2004.00"


@pytest.mark.parametrize(
    ("action", "arguments", "words"),
    [
        (
            "create_credit_note",
            {"contact": "Larkfield"},
            "no contact is called 'Larkfield'; there are Larkfield",
        ),
        ("create_credit_note", {"account": "404"}, "Account code '404' is not a valid code"),
        ("create_credit_note", {"currency": "pounds"}, "not subscribed to currency POUNDS"),
        ("allocate_credit", {"credit_note": "CN-9"}, "cannot be found"),
        ("record_payment", {"account": "Piggy bank"}, "bank accounts are 090, 091"),
        ("record_payment", {"amount": 9999}, "exceeds the amount outstanding"),
        ("update_invoice", {}, "nothing to change"),
        ("set_invoice_status", {"status": "DRAFT"}, "not of valid status"),
        ("remove_payments", {}, "has no payments"),
    ],
)
def test_an_action_says_what_was_wrong(books: Books, action: str, arguments: Any, words: str) -> None:
    credit = {"contact": "Larkfield Optics", "number": "CN-5", "amount": 5, "currency": "GBP", "account": "315"}
    given: dict[str, Any] = {
        "create_credit_note": credit,
        "allocate_credit": {"credit_note": "CN-1", "invoice": "B-7711", "amount": 5},
        "record_payment": {"invoice": "B-7711", "amount": 5, "account": "090"},
    }.get(action, {"number": "B-7711"})  # fmt: skip
    assert words in books.call(action, **{**given, **arguments})["error"]
    assert books.world.changes() == ()


def test_actions_show_little_and_say_how_to_go_on() -> None:
    rows = {**WORLD, "Invoice": [_invoice(x.invoice_id(count), f"B-{count}", "5") for count in range(1, 46)]}
    books = Books()
    books.world = World(Base({APP.name: rows}, KINDS), books.world.now)
    books.server = Server((APP,), books.world, ACTOR)
    first = books.call("find_invoices", kind="bills", contact="optics")
    assert len(first["records"]) == 20 and first["more"] == "25 more, use page=2"
    last = books.call("find_invoices", kind="bills", contact="optics", page=3)
    assert len(last) == 5 and books.call("find_invoices", kind="invoices") == []
    assert last[0] == {
        "number": last[0]["number"],
        "contact": "Larkfield Optics",
        "date": "2026-02-03",
        "due_date": "2026-03-19",
        "amount_due": "GBP 5.00",
        "status": "AUTHORISED",
    }


def test_amounts_of_actions_are_totals_whatever_the_tax(books: Books) -> None:
    given = {"contact": "Larkfield Optics", "currency": "GBP", "account": "200", "date": "2026-03-01"}
    made = books.call("create_invoice", kind="invoices", number="INV-7", amount=120.0, due_date="2026-04-01", **given)
    assert made == {"number": "INV-7", "status": "DRAFT", "amount_due": "GBP 120.00"}
    assert books.one("GET", "/Invoices/INV-7")["TotalTax"] == 20.0


# --- anything else that may be sent ----------------------------------------------------------------------------------

_LONG = "a" * 1_000_000


@pytest.mark.parametrize(
    ("method", "path", "params", "body"),
    [
        ("PUT", "/Invoices", None, {"Invoices": "all"}),
        ("PUT", "/Invoices", None, [1, None, "x", [], {"Contact": "Larkfield"}]),
        ("PUT", "/Invoices", None, _bill(Contact={"Name": _LONG})),
        ("PUT", "/Invoices", None, _bill(Contact=[{"Name": "x"}])),
        ("PUT", "/Invoices", None, _bill(Status=_LONG)),
        ("PUT", "/Invoices", None, _bill(LineItems=[{"Description": _LONG}])),
        ("PUT", "/Invoices", None, _bill(LineItems=[{"Description": "x"}] * 20_000)),
        ("PUT", "/Invoices", None, [_bill()] * 5_000),
        ("PUT", "/Invoices", None, _bill(Date="/Date(99999999999999999999)/")),
        ("PUT", "/Invoices", None, _bill(LineItems=[{"Description": "x", "UnitAmount": "NaN"}])),
        (
            "PUT",
            "/Invoices",
            None,
            _bill(LineItems=[{"UnitAmount": "1e-999999999"}, {"Quantity": [1]}]),
        ),
        ("PUT", "/Invoices", {"summarizeErrors": "perhaps"}, _bill()),
        ("GET", "/Invoices", {"where": _LONG}, None),
        ("GET", "/Invoices", {"order": "," * 1_000_000}, None),
        ("GET", "/Invoices", {"page": "1e9"}, None),
        ("GET", "/Invoices", {"where": ["x"]}, None),
        ("GET", "/Invoices/../../etc/passwd", None, None),
        ("GET", "/Invoices/%00", None, None),
        ("GET", f"/Invoices/{_LONG}", None, None),
        ("PUT", f"/CreditNotes/{NOTE}/Allocations", None, {"Allocations": [{"Invoice": B7730, "Amount": 1}]}),
        ("PUT", f"/Invoices/{B7711}/History", None, {"HistoryRecords": [{"Details": _LONG}]}),
        ("POST", f"/Payments/{x.payment_id(9)}", None, {"Status": "DELETED"}),
        ("PATCH", f"/Invoices/{B7711}", None, {"Reference": "x"}),
        ("GET", "/Reports/BalanceSheet", None, None),
    ],
)
def test_hostile_requests_are_refused_at_once(books: Books, method: str, path: str, params: Any, body: Any) -> None:
    best = 1.0
    for _ in range(2):
        start = time.process_time()
        response = books.server.fetch(method, APP.url(path), params, body)
        best = min(best, time.process_time() - start)
        assert 400 <= response.status < 500
        json.dumps(response.body, allow_nan=False)
    assert best < 0.05 and books.world.changes() == ()


def test_a_very_long_element_is_not_repeated_in_its_refusal(books: Books) -> None:
    for name, repeated in (("n" * 256, True), ("n" * 50_000, False)):
        response = books.fetch("POST", "/Contacts", {"Name": name})
        (element,) = response.body["Elements"]
        assert ("Name" in element) is repeated
        assert element["HasErrors"] and "at most 255 characters" in element["ValidationErrors"][0]["Message"]


@pytest.mark.parametrize(
    "params", [{"page": -5}, {"page": 10**50}, {"page": 1, "pageSize": -1}, {"page": 1, "pageSize": 10**9}]
)
def test_strange_pages_are_answered(books: Books, params: Any) -> None:
    assert books.fetch("GET", "/Invoices", **params).status == 200
