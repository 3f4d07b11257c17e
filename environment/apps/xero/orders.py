"""Purchase orders and quotes are documents that book nothing; each has a flow of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from environment.apps.kit import Call
from environment.apps.xero.dates import Day
from environment.apps.xero.documents import (
    DOCUMENT_PROPERTIES,
    DocumentFields,
    read_document,
    refuse,
    show_days,
    show_document,
    with_contact,
)
from environment.apps.xero.endpoint import Endpoint, ListArgs, Text
from environment.apps.xero.filters import properties
from environment.apps.xero.invoices import next_number
from environment.apps.xero.rows import PurchaseOrder, Quote

ORDER_FLOW: Mapping[str | None, tuple[str, ...]] = {
    None: ("DRAFT", "SUBMITTED", "AUTHORISED"),
    "DRAFT": ("DRAFT", "SUBMITTED", "AUTHORISED", "DELETED"),
    "SUBMITTED": ("DRAFT", "SUBMITTED", "AUTHORISED", "DELETED"),
    "AUTHORISED": ("AUTHORISED", "BILLED", "DELETED"),
    "BILLED": ("BILLED", "AUTHORISED", "DELETED"),
    "DELETED": (),
}
QUOTE_FLOW: Mapping[str | None, tuple[str, ...]] = {
    None: ("DRAFT", "SENT"),
    "DRAFT": ("DRAFT", "SENT", "DELETED"),
    "SENT": ("DRAFT", "SENT", "ACCEPTED", "DECLINED", "DELETED"),
    "ACCEPTED": ("ACCEPTED", "SENT", "DECLINED", "INVOICED", "DELETED"),
    "DECLINED": ("DECLINED", "SENT", "ACCEPTED", "DELETED"),
    "INVOICED": ("INVOICED", "DELETED"),
    "DELETED": (),
}
"""Status, None before there is a row -> what may become of it."""


class PurchaseOrderFields(DocumentFields):
    """What a request may give of a purchase order."""

    read_only = frozenset("SubTotal TotalTax Total TotalDiscount DeliveryDateString ExpectedArrivalDateString".split())
    PurchaseOrderID: str | None = None
    PurchaseOrderNumber: Text | None = None
    Status: str | None = None
    DeliveryDate: Day | None = None
    ExpectedArrivalDate: Day | None = None
    DeliveryAddress: Text | None = None
    AttentionTo: Text | None = None
    Telephone: Text | None = None
    DeliveryInstructions: Text | None = None
    SentToContact: bool | None = None


class QuoteFields(DocumentFields):
    """What a request may give of a quote."""

    read_only = frozenset("SubTotal TotalTax Total TotalDiscount ExpiryDateString".split())
    QuoteID: str | None = None
    QuoteNumber: Text | None = None
    Status: str | None = None
    ExpiryDate: Day | None = None
    Title: Text | None = None
    Summary: Text | None = None
    Terms: Text | None = None


class ListPurchaseOrders(ListArgs):
    status: str | None = Field(None, description="Status")
    dateFrom: Day | None = Field(None, description="First date")
    dateTo: Day | None = Field(None, description="Last date")


class ListQuotes(ListArgs):
    Status: str | None = Field(None, description="Status")
    DateFrom: Day | None = Field(None, description="First date")
    DateTo: Day | None = Field(None, description="Last date")
    ExpiryDateFrom: Day | None = Field(None, description="First expiry date")
    ExpiryDateTo: Day | None = Field(None, description="Last expiry date")
    ContactID: str | None = Field(None, description="Contact id")
    QuoteNumber: str | None = Field(None, description="Part of the number")


def write_purchase_order(call: Call, before: PurchaseOrder | None, fields: PurchaseOrderFields) -> PurchaseOrder:
    """Create or change a purchase order."""
    rules: list[str] = []
    status = _next(before.Status if before else None, fields.Status, ORDER_FLOW, "Purchase order", rules)
    moved = before is None or status != before.Status
    final = status in ("SUBMITTED", "AUTHORISED") and (moved or fields.LineItems is not None)
    found = read_document(call, before, fields, "purchases", final, rules)
    found |= _given(fields, PurchaseOrder, found) | {"Status": status}
    _check_unique(call, before, PurchaseOrder, "PurchaseOrderNumber", fields.PurchaseOrderNumber, rules)
    refuse(rules)
    if before:
        row = before.change(**found)
    else:
        number = found.get("PurchaseOrderNumber") or next_number(call, PurchaseOrder, "PurchaseOrderNumber", "PO-", 0)
        found["PurchaseOrderNumber"] = number
        row = PurchaseOrder(**{"PurchaseOrderID": call.tables.new_id(PurchaseOrder), "ContactID": None, **found})
    return call.tables.put(with_contact(call, row, fields, "purchases"))


def write_quote(call: Call, before: Quote | None, fields: QuoteFields) -> Quote:
    """Create or change a quote."""
    rules: list[str] = []
    status = _next(before.Status if before else None, fields.Status, QUOTE_FLOW, "Quote", rules)
    found = read_document(call, before, fields, "sales", False, rules)
    if status == "SENT" and not found["LineItems"]:
        rules.append("One or more line items must be specified")
    found |= _given(fields, Quote, found) | {"Status": status}
    _check_unique(call, before, Quote, "QuoteNumber", fields.QuoteNumber, rules)
    refuse(rules)
    if before:
        row = before.change(**found)
    else:
        found["QuoteNumber"] = found.get("QuoteNumber") or next_number(call, Quote, "QuoteNumber", "QU-", 0)
        row = Quote(**{"QuoteID": call.tables.new_id(Quote), "ContactID": None, **found})
    return call.tables.put(with_contact(call, row, fields, "sales"))


def _next(
    before: str | None, wanted: str | None, flow: Mapping[str | None, tuple[str, ...]], noun: str, rules: list[str]
) -> str:
    word = (wanted or before or "DRAFT").strip().upper()
    if word not in flow[before]:
        rules.append(f"{noun} not of valid status for modification")
    return word


def _given(fields: DocumentFields, kind: type[PurchaseOrder] | type[Quote], found: dict[str, Any]) -> dict[str, Any]:
    """The fields of the row that are its own and were given."""
    names = (fields.model_fields_set & kind.model_fields.keys()) - found.keys() - {kind.id_field}
    return {name: getattr(fields, name) for name in names if name not in DocumentFields.model_fields}


def _check_unique(
    call: Call, before: PurchaseOrder | Quote | None, kind: Any, field: str, number: str | None, rules: list[str]
) -> None:
    for other in call.tables.where(kind, field, number) if number else []:
        if other.Status != "DELETED" and (before is None or other.row_id != before.row_id):
            rules.append(f"{field} must be unique")


def show_purchase_order(call: Call, row: PurchaseOrder, full: bool) -> dict[str, Any]:
    """The purchase order as the API shows it."""
    return {
        "PurchaseOrderID": row.PurchaseOrderID,
        "PurchaseOrderNumber": row.PurchaseOrderNumber,
        **show_document(call, row, True),
        **show_days(row, "DeliveryDate", "ExpectedArrivalDate"),
        "Status": row.Status,
        "SentToContact": row.SentToContact,
        "DeliveryAddress": row.DeliveryAddress,
        "AttentionTo": row.AttentionTo,
        "Telephone": row.Telephone,
        "DeliveryInstructions": row.DeliveryInstructions,
    }


def show_quote(call: Call, row: Quote, full: bool) -> dict[str, Any]:
    """The quote as the API shows it."""
    return {
        "QuoteID": row.QuoteID,
        "QuoteNumber": row.QuoteNumber,
        **show_document(call, row, True),
        **show_days(row, "ExpiryDate"),
        "Status": row.Status,
        "Title": row.Title,
        "Summary": row.Summary,
        "Terms": row.Terms,
    }


def _orders(call: Call, args: ListPurchaseOrders) -> list[PurchaseOrder]:
    rows = call.tables.all(PurchaseOrder)
    if args.status:
        rows = [row for row in rows if row.Status == args.status.upper()]
    return [row for row in rows if _within(row.Date, args.dateFrom, args.dateTo)]


def _quotes(call: Call, args: ListQuotes) -> list[Quote]:
    rows = call.tables.where(Quote, "ContactID", args.ContactID.lower()) if args.ContactID else call.tables.all(Quote)
    if args.Status:
        rows = [row for row in rows if row.Status == args.Status.upper()]
    if args.QuoteNumber:
        rows = [row for row in rows if args.QuoteNumber in row.QuoteNumber]
    rows = [row for row in rows if _within(row.Date, args.DateFrom, args.DateTo)]
    return [row for row in rows if _within(row.ExpiryDate, args.ExpiryDateFrom, args.ExpiryDateTo)]


def _within(day: str | None, first: str | None, last: str | None) -> bool:
    if day is None:
        return first is None and last is None
    return (first is None or day >= first) and (last is None or day <= last)


PURCHASE_ORDERS: Endpoint[PurchaseOrder, PurchaseOrderFields] = Endpoint(
    noun="PurchaseOrder",
    kind=PurchaseOrder,
    fields=PurchaseOrderFields,
    write=write_purchase_order,
    show=show_purchase_order,
    properties={
        **DOCUMENT_PROPERTIES,
        **properties(
            PurchaseOrderID="Guid",
            PurchaseOrderNumber="String",
            Status="String",
            DeliveryDate="DateTime",
        ),
    },
    number="PurchaseOrderNumber",
    list_args=ListPurchaseOrders,
    narrow=_orders,
)
QUOTES: Endpoint[Quote, QuoteFields] = Endpoint(
    noun="Quote",
    kind=Quote,
    fields=QuoteFields,
    write=write_quote,
    show=show_quote,
    properties={
        **DOCUMENT_PROPERTIES,
        **properties(
            QuoteID="Guid",
            QuoteNumber="String",
            Status="String",
            ExpiryDate="DateTime",
        ),
    },
    number="QuoteNumber",
    list_args=ListQuotes,
    narrow=_quotes,
)

ROUTES = PURCHASE_ORDERS.routes() + QUOTES.routes()
