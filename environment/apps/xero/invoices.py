"""An invoice moves from DRAFT over SUBMITTED to AUTHORISED; payments and credits make it PAID."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from pydantic import Field

from environment.apps.kit import Args, Call, Response, Route
from environment.apps.xero.dates import Day, written_day
from environment.apps.xero.documents import (
    DOCUMENT_PROPERTIES,
    DocumentFields,
    check_open,
    read_document,
    refuse,
    show_days,
    show_document,
    with_contact,
)
from environment.apps.xero.endpoint import Endpoint, ListArgs, Listed, Text
from environment.apps.xero.filters import Property, properties
from environment.apps.xero.money import ZERO
from environment.apps.xero.refusals import Invalid
from environment.apps.xero.rows import Allocation, Contact, CreditNote, DocumentStatus, Invoice, Payment

FLOW: Mapping[str, tuple[str, ...]] = {
    "DRAFT": ("DRAFT", "SUBMITTED", "AUTHORISED", "DELETED"),
    "SUBMITTED": ("DRAFT", "SUBMITTED", "AUTHORISED", "DELETED"),
    "AUTHORISED": ("AUTHORISED", "VOIDED"),
    "VOIDED": (),
    "DELETED": (),
}
"""Status -> what may become of it."""
SETTLED = "This document cannot be edited as it has a payment or credit note allocated to it."
_ALWAYS = frozenset(
    {"InvoiceID", "Type", "Status", "Reference", "InvoiceNumber", "DueDate", "Url", "SentToContact"}
    | {"ExpectedPaymentDate", "PlannedPaymentDate"}
)
"""What may be given for an invoice with payments."""


class InvoiceFields(DocumentFields):
    """What a request may give of an invoice."""

    read_only = frozenset(
        "SubTotal TotalTax Total TotalDiscount AmountDue AmountPaid AmountCredited Payments CreditNotes Prepayments "
        "Overpayments FullyPaidOnDate IsDiscounted DueDateString InvoicePaymentServices".split()
    )
    InvoiceID: str | None = None
    Type: str | None = None
    InvoiceNumber: Text | None = None
    Status: str | None = None
    DueDate: Day | None = None
    ExpectedPaymentDate: Day | None = None
    PlannedPaymentDate: Day | None = None
    Url: str | None = None
    SentToContact: bool | None = None


class ListInvoices(ListArgs):
    IDs: Listed | None = Field(None, description="Invoice ids, comma separated")
    InvoiceNumbers: Listed | None = Field(None, description="Invoice numbers, comma separated")
    ContactIDs: Listed | None = Field(None, description="Contact ids, comma separated")
    Statuses: Listed | None = Field(None, description="Statuses, comma separated")
    searchTerm: str | None = Field(None, description="Part of number, reference or contact")
    includeArchived: bool = Field(False, description="Whether to show archived ones")
    createdByMyApp: bool = Field(False, description="Has no effect here")
    summaryOnly: bool = Field(False, description="Without line items and payments")
    unitdp: int | None = Field(None, description="Decimal places of unit prices")


class EmailArgs(Args):
    id: str = Field(description="Invoice id or number")


def next_status(
    before: DocumentStatus | None, shown: str | None, wanted: str | None, noun: str, rules: list[str]
) -> DocumentStatus:
    """The status that a request leads to; `shown` is the present one as the API shows it."""
    if wanted is None or wanted == shown:
        return before or "DRAFT"
    word = wanted.strip().upper()
    allowed = FLOW[before] if before else ("DRAFT", "SUBMITTED", "AUTHORISED")
    for status in allowed:
        if status == word:
            return status  # type: ignore[return-value]
    rules.append(f"{noun} not of valid status for modification")
    return before or "DRAFT"


def next_number(call: Call, kind: Any, field: str, prefix: str, start: int) -> str:
    """The first number after `start` that no row has."""
    count = start
    while True:
        count += 1
        number = f"{prefix}{count:04d}"
        if not call.tables.where(kind, field, number):
            return number


def write_invoice(call: Call, before: Invoice | None, fields: InvoiceFields) -> Invoice:
    """Create or change an invoice."""
    kind = before.Type if before else fields.Type
    if kind not in ("ACCREC", "ACCPAY"):
        raise Invalid("Invoice Type must be ACCREC or ACCPAY")
    rules: list[str] = []
    if before and fields.Type and fields.Type != before.Type:
        rules.append("The Type of an invoice cannot be changed")
    shown = before.shown_status if before else None
    status = next_status(before.Status if before else None, shown, fields.Status, "Invoice", rules)
    if before and before.Status in ("VOIDED", "DELETED"):
        raise Invalid("Invoice not of valid status for modification")
    if before and before.AmountPaid + before.AmountCredited > 0 and (status == "VOIDED" or _edits(before, fields)):
        raise Invalid(SETTLED)
    moved = before is None or status != before.Status
    final = status in ("SUBMITTED", "AUTHORISED") and (moved or fields.LineItems is not None)
    if before and moved:
        check_open(call, before.Date, rules)
    side: Any = "sales" if kind == "ACCREC" else "purchases"
    found = read_document(call, before, fields, side, final, rules)
    for name in ("InvoiceNumber", "DueDate", "ExpectedPaymentDate", "PlannedPaymentDate", "Url", "SentToContact"):
        if getattr(fields, name) is not None:
            found[name] = getattr(fields, name)
    if final and not (fields.DueDate or (before and before.DueDate)):
        rules.append("DueDate cannot be empty")
    _check_number(call, before, kind, fields, rules)
    refuse(rules)
    if before is None and kind == "ACCREC" and not fields.InvoiceNumber:
        found["InvoiceNumber"] = next_number(call, Invoice, "InvoiceNumber", "INV-", 0)
    found |= {"Status": status}
    if before:
        row = before.change(**found)
    else:
        row = Invoice(**{"InvoiceID": call.tables.new_id(Invoice), "Type": kind, "ContactID": None, **found})
    return call.tables.put(with_contact(call, row, fields, side))


def _edits(before: Invoice, fields: InvoiceFields) -> bool:
    """Whether a request gives what an invoice with payments doesn't let go of."""
    given = {name for name in fields.model_fields_set if name not in _ALWAYS}
    same = {"Date": before.Date, "CurrencyCode": before.CurrencyCode, "LineAmountTypes": before.LineAmountTypes}
    changed = {name for name in given if name not in same or getattr(fields, name) != same[name]}
    if "Contact" in changed and fields.Contact and fields.Contact.ContactID == before.ContactID:
        changed.discard("Contact")
    return bool(changed)


def _check_number(call: Call, before: Invoice | None, kind: str, fields: InvoiceFields, rules: list[str]) -> None:
    number = fields.InvoiceNumber
    if kind != "ACCREC" or not number:
        return
    for other in call.tables.where(Invoice, "InvoiceNumber", number):
        if other.Type == "ACCREC" and other.Status != "DELETED" and (before is None or other.row_id != before.row_id):
            rules.append("Invoice # must be unique.")


def _match(call: Call, fields: InvoiceFields) -> Invoice | None:
    """A POST with the number of an existing sales invoice means that one."""
    if not fields.InvoiceNumber or fields.Type == "ACCPAY":
        return None
    found = call.tables.where(Invoice, "InvoiceNumber", fields.InvoiceNumber)
    return next((row for row in found if row.Type == "ACCREC" and row.Status != "DELETED"), None)


def show_invoice(call: Call, row: Invoice, full: bool) -> dict[str, Any]:
    """The invoice as the API shows it."""
    shown: dict[str, Any] = {
        "Type": row.Type,
        "InvoiceID": row.InvoiceID,
        "InvoiceNumber": row.InvoiceNumber,
        **show_document(call, row, full),
        **show_days(row, "DueDate", "ExpectedPaymentDate", "PlannedPaymentDate"),
        "Status": row.shown_status,
        "AmountDue": float(row.AmountDue),
        "AmountPaid": float(row.AmountPaid),
        "AmountCredited": float(row.AmountCredited),
        "SentToContact": row.SentToContact,
        "Payments": _payments(call, row) if row.AmountPaid else [],
        "CreditNotes": _credits(call, row) if row.AmountCredited else [],
        "HasErrors": False,
    }
    if row.FullyPaidOnDate:
        shown["FullyPaidOnDate"] = written_day(row.FullyPaidOnDate)
    if row.Url:
        shown["Url"] = row.Url
    return shown


def _payments(call: Call, row: Invoice) -> list[dict[str, Any]]:
    return [
        {
            "PaymentID": payment.PaymentID,
            "Date": written_day(payment.Date),
            "Amount": float(payment.Amount),
            "Reference": payment.Reference,
        }
        for payment in call.tables.where(Payment, "InvoiceID", row.row_id)
        if payment.Status == "AUTHORISED"
    ]


def _credits(call: Call, row: Invoice) -> list[dict[str, Any]]:
    shown = []
    for allocation in call.tables.where(Allocation, "InvoiceID", row.row_id):
        note = call.tables.find(CreditNote, allocation.CreditNoteID)
        shown.append(
            {
                "CreditNoteID": allocation.CreditNoteID,
                "CreditNoteNumber": note.CreditNoteNumber if note else "",
                "AppliedAmount": float(allocation.Amount),
                "Date": written_day(allocation.Date),
            }
        )
    return shown


def _narrow(call: Call, args: ListInvoices) -> list[Invoice]:
    if args.IDs is not None:
        found = [call.tables.find(Invoice, key.lower()) for key in args.IDs]
        rows = [row for row in found if row]
    elif args.InvoiceNumbers is not None:
        rows = [row for number in args.InvoiceNumbers for row in call.tables.where(Invoice, "InvoiceNumber", number)]
    elif args.ContactIDs is not None:
        rows = [row for key in args.ContactIDs for row in call.tables.where(Invoice, "ContactID", key.lower())]
    else:
        rows = call.tables.all(Invoice)
    if args.ContactIDs is not None:
        wanted = {key.lower() for key in args.ContactIDs}
        rows = [row for row in rows if row.ContactID in wanted]
    if args.Statuses is not None:
        statuses = {status.upper() for status in args.Statuses}
        rows = [row for row in rows if row.shown_status in statuses]
    if args.searchTerm:
        term = args.searchTerm.casefold()
        rows = [row for row in rows if term in _searched(call, row)]
    return rows


def _searched(call: Call, row: Invoice) -> str:
    contact = call.tables.find(Contact, row.ContactID) if row.ContactID else None
    return f"{row.InvoiceNumber}\n{row.Reference}\n{contact.Name if contact else ''}".casefold()


def _email(call: Call, args: EmailArgs) -> Response:
    """Email a sales invoice to its contact."""
    row = INVOICES.find(call, args.id)
    contact = call.tables.find(Contact, row.ContactID) if row.ContactID else None
    if row.Type != "ACCREC" or row.shown_status not in ("SUBMITTED", "AUTHORISED", "PAID"):
        raise Invalid("Only submitted, authorised or paid sales invoices can be emailed")
    if contact is None or not contact.EmailAddress:
        raise Invalid("The contact has no email address")
    call.tables.send(row.change(SentToContact=True))
    return Response(204, None)


INVOICES: Endpoint[Invoice, InvoiceFields] = Endpoint(
    noun="Invoice",
    kind=Invoice,
    fields=InvoiceFields,
    write=write_invoice,
    show=show_invoice,
    properties={
        **DOCUMENT_PROPERTIES,
        **properties(
            InvoiceID="Guid",
            InvoiceNumber="String",
            Type="String",
            DueDate="DateTime",
            ExpectedPaymentDate="DateTime",
            PlannedPaymentDate="DateTime",
            FullyPaidOnDate="DateTime",
            AmountDue="Decimal",
            AmountPaid="Decimal",
            AmountCredited="Decimal",
            SentToContact="Boolean",
        ),
        "status": Property("String", lambda call: attrgetter("shown_status")),
    },
    number="InvoiceNumber",
    match=_match,
    list_args=ListInvoices,
    narrow=_narrow,
)

ROUTES = (
    *INVOICES.routes(),
    Route("email_invoice", "POST", "/Invoices/{id}/Email", "write", EmailArgs, _email, as_action=False),
)


def settle(call: Call, invoice: Invoice, field: str, amount: Any, day: str) -> Invoice:
    """Store the invoice with its AmountPaid or AmountCredited raised (or lowered) by an amount."""
    moved = invoice.change(**{field: getattr(invoice, field) + amount})
    paid = day if moved.AmountDue == ZERO else None
    return call.tables.put(moved if paid == moved.FullyPaidOnDate else moved.change(FullyPaidOnDate=paid))
