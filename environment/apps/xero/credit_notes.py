"""A credit note is set against invoices of its contact by allocations, or paid back; the rest is RemainingCredit."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from pydantic import Field, ValidationError

from environment.apps.kit import Args, Call, Route, explain
from environment.apps.xero.dates import Day, moment_of, written_day
from environment.apps.xero.documents import (
    DOCUMENT_PROPERTIES,
    DocumentFields,
    check_open,
    read_document,
    refuse,
    show_document,
    with_contact,
)
from environment.apps.xero.endpoint import Element, Endpoint, PutArgs, Text, elements, envelope
from environment.apps.xero.filters import Property, properties
from environment.apps.xero.invoices import INVOICES, SETTLED, InvoiceFields, next_number, next_status, settle
from environment.apps.xero.money import ZERO, Money
from environment.apps.xero.refusals import Invalid, invalid_elements, not_found
from environment.apps.xero.rows import Allocation, CreditNote, Invoice

_ALWAYS = frozenset({"CreditNoteID", "Type", "Status", "Reference", "CreditNoteNumber"})


class CreditNoteFields(DocumentFields):
    """What a request may give of a credit note."""

    read_only = frozenset(
        "SubTotal TotalTax Total RemainingCredit AppliedAmount Allocations Payments FullyPaidOnDate ID DueDate "
        "DueDateString".split()
    )
    CreditNoteID: str | None = None
    Type: str | None = None
    CreditNoteNumber: Text | None = None
    Status: str | None = None
    SentToContact: bool | None = None


class InvoiceRef(Element):
    """Which invoice is meant."""

    read_only = InvoiceFields.read_only | InvoiceFields.model_fields.keys() - {"InvoiceID", "InvoiceNumber"}
    InvoiceID: str | None = None
    InvoiceNumber: Text | None = None


class AllocationFields(Element):
    """What a request may give of an allocation."""

    read_only = frozenset({"AllocationID", "CreditNote", "IsDeleted"})
    Invoice: InvoiceRef
    Amount: Money | None = None
    AppliedAmount: Money | None = None
    Date: Day | None = None


class AllocateArgs(PutArgs):
    id: str = Field(description="Credit note id or number")


class AllocationArgs(Args):
    id: str = Field(description="Credit note id or number")
    allocation_id: str = Field(description="Allocation id")


def write_credit_note(call: Call, before: CreditNote | None, fields: CreditNoteFields) -> CreditNote:
    """Create or change a credit note."""
    kind = before.Type if before else fields.Type
    if kind not in ("ACCRECCREDIT", "ACCPAYCREDIT"):
        raise Invalid("Credit note Type must be ACCRECCREDIT or ACCPAYCREDIT")
    rules: list[str] = []
    if before and fields.Type and fields.Type != before.Type:
        rules.append("The Type of a credit note cannot be changed")
    shown = before.shown_status if before else None
    status = next_status(before.Status if before else None, shown, fields.Status, "Credit note", rules)
    if before and before.Status in ("VOIDED", "DELETED"):
        raise Invalid("Credit note not of valid status for modification")
    edits = fields.model_fields_set - _ALWAYS
    if before and before.AppliedAmount > 0 and (status == "VOIDED" or edits):
        raise Invalid(SETTLED)
    side: Any = "sales" if kind == "ACCRECCREDIT" else "purchases"
    moved = before is None or status != before.Status
    final = status in ("SUBMITTED", "AUTHORISED") and (moved or fields.LineItems is not None)
    if before and moved:
        check_open(call, before.Date, rules)
    found = read_document(call, before, fields, side, final, rules)
    for name in ("CreditNoteNumber", "SentToContact"):
        if getattr(fields, name) is not None:
            found[name] = getattr(fields, name)
    if kind == "ACCRECCREDIT" and fields.CreditNoteNumber:
        for other in call.tables.where(CreditNote, "CreditNoteNumber", fields.CreditNoteNumber):
            if other.Type == kind and other.Status != "DELETED" and (before is None or other.row_id != before.row_id):
                rules.append("Credit note # must be unique.")
    refuse(rules)
    if before is None and kind == "ACCRECCREDIT" and not fields.CreditNoteNumber:
        found["CreditNoteNumber"] = next_number(call, CreditNote, "CreditNoteNumber", "CN-", 0)
    found |= {"Status": status}
    if before:
        row = before.change(**found)
    else:
        row = CreditNote(**{"CreditNoteID": call.tables.new_id(CreditNote), "Type": kind, "ContactID": None, **found})
    return call.tables.put(with_contact(call, row, fields, side))


def _match(call: Call, fields: CreditNoteFields) -> CreditNote | None:
    """A POST with the number of an existing customer credit note means that one."""
    if not fields.CreditNoteNumber or fields.Type == "ACCPAYCREDIT":
        return None
    found = call.tables.where(CreditNote, "CreditNoteNumber", fields.CreditNoteNumber)
    return next((row for row in found if row.Type == "ACCRECCREDIT" and row.Status != "DELETED"), None)


def show_credit_note(call: Call, row: CreditNote, full: bool) -> dict[str, Any]:
    """The credit note as the API shows it."""
    shown: dict[str, Any] = {
        "CreditNoteID": row.CreditNoteID,
        "CreditNoteNumber": row.CreditNoteNumber,
        "Type": row.Type,
        **show_document(call, row, full),
        "Status": row.shown_status,
        "RemainingCredit": float(row.RemainingCredit),
        "SentToContact": row.SentToContact,
        "Allocations": [
            _show_allocation(call, part) for part in call.tables.where(Allocation, "CreditNoteID", row.row_id)
        ],
        "HasErrors": False,
    }
    if row.FullyPaidOnDate:
        shown["FullyPaidOnDate"] = written_day(row.FullyPaidOnDate)
    return shown


def _show_allocation(call: Call, row: Allocation) -> dict[str, Any]:
    invoice = call.tables.find(Invoice, row.InvoiceID)
    return {
        "AllocationID": row.AllocationID,
        "Amount": float(row.Amount),
        "Date": written_day(row.Date),
        "Invoice": {"InvoiceID": row.InvoiceID, "InvoiceNumber": invoice.InvoiceNumber if invoice else ""},
    }


CREDIT_NOTES: Endpoint[CreditNote, CreditNoteFields] = Endpoint(
    noun="CreditNote",
    kind=CreditNote,
    fields=CreditNoteFields,
    write=write_credit_note,
    show=show_credit_note,
    properties={
        **DOCUMENT_PROPERTIES,
        **properties(
            CreditNoteID="Guid",
            CreditNoteNumber="String",
            Type="String",
            RemainingCredit="Decimal",
            AppliedAmount="Decimal",
            FullyPaidOnDate="DateTime",
        ),
        "status": Property("String", lambda call: attrgetter("shown_status")),
    },
    number="CreditNoteNumber",
    match=_match,
)


def use_credit(call: Call, note: CreditNote, amount: Any, day: str) -> CreditNote:
    """Store the credit note with its AppliedAmount raised (or lowered) by an amount."""
    moved = note.change(AppliedAmount=note.AppliedAmount + amount, UpdatedDateUTC=moment_of(call.now))
    spent = day if moved.RemainingCredit == ZERO else None
    return call.tables.put(moved if spent == moved.FullyPaidOnDate else moved.change(FullyPaidOnDate=spent))


def _allocate(call: Call, args: AllocateArgs) -> dict[str, Any]:
    """Set a credit note against invoices."""
    key = CREDIT_NOTES.find(call, args.id).row_id
    shown, broken = [], []
    for element in elements(args.body, "Allocations"):
        try:
            row = _allocated(call, key, AllocationFields.model_validate(element))
        except (Invalid, ValidationError) as error:
            broken_rules = error.rules if isinstance(error, Invalid) else (explain(error),)
            echo = dict(element) if isinstance(element, dict) else {}
            broken.append({**echo, "ValidationErrors": [{"Message": rule} for rule in broken_rules]})
        else:
            shown.append(_show_allocation(call, row))
    if broken:
        raise invalid_elements(broken)
    return envelope(call, "Allocations", shown)


def _allocated(call: Call, key: str, fields: AllocationFields) -> Allocation:
    note = call.tables.find(CreditNote, key)
    invoice = _invoice_meant(call, note, fields.Invoice) if note else None
    amount = fields.Amount if fields.Amount is not None else fields.AppliedAmount
    if note is None or invoice is None:
        raise Invalid("The Invoice could not be found")
    rules: list[str] = []
    if note.shown_status != "AUTHORISED":
        rules.append("The credit note must be AUTHORISED before it can be allocated")
    if invoice.shown_status != "AUTHORISED":
        rules.append("Credit notes can only be allocated to AUTHORISED invoices")
    if note.Type != f"{invoice.Type}CREDIT":
        rules.append(f"A credit note of type {note.Type} cannot be allocated to an invoice of type {invoice.Type}")
    if note.ContactID != invoice.ContactID:
        rules.append("The credit note and the invoice must have the same contact")
    if note.CurrencyCode != invoice.CurrencyCode:
        rules.append("The credit note and the invoice must have the same currency")
    if amount is None or amount <= 0:
        rules.append("The allocation amount must be greater than zero")
    elif amount > note.RemainingCredit:
        rules.append(f"The allocation amount exceeds the remaining credit {note.RemainingCredit}")
    elif amount > invoice.AmountDue:
        rules.append(f"The allocation amount exceeds the amount outstanding {invoice.AmountDue}")
    day = fields.Date or max(note.Date, invoice.Date)
    check_open(call, day, rules)
    if rules or amount is None:
        raise Invalid(*rules)
    use_credit(call, note, amount, day)
    settle(call, invoice, "AmountCredited", amount, day)
    row = Allocation(
        AllocationID=call.tables.new_id(Allocation),
        CreditNoteID=note.row_id,
        InvoiceID=invoice.row_id,
        Amount=amount,
        Date=day,
    )
    return call.tables.put(row)


def _invoice_meant(call: Call, note: CreditNote, ref: InvoiceRef) -> Invoice | None:
    """By id, else by number, an invoice of the same contact before others."""
    if ref.InvoiceID:
        return call.tables.find(Invoice, ref.InvoiceID.lower())
    found = call.tables.where(Invoice, "InvoiceNumber", ref.InvoiceNumber) if ref.InvoiceNumber else []
    return next((row for row in found if row.ContactID == note.ContactID), found[0] if found else None)


def _deallocate(call: Call, args: AllocationArgs) -> dict[str, Any]:
    """Take an allocation of a credit note back."""
    note = CREDIT_NOTES.find(call, args.id)
    row = call.tables.find(Allocation, args.allocation_id.lower())
    if row is None or row.CreditNoteID != note.row_id:
        raise not_found()
    invoice = INVOICES.find(call, row.InvoiceID)
    if "VOIDED" in (note.Status, invoice.Status):
        raise Invalid("The allocation can no longer be deleted")
    use_credit(call, note, -row.Amount, row.Date)
    settle(call, invoice, "AmountCredited", -row.Amount, row.Date)
    call.tables.delete(row)
    invoices = [{"InvoiceID": invoice.InvoiceID}]
    return {"AllocationId": row.AllocationID, "Date": written_day(row.Date), "Invoice": invoices, "IsDeleted": True}


ROUTES = (
    *CREDIT_NOTES.routes(),
    Route(
        "allocate_credit_note", "PUT", "/CreditNotes/{id}/Allocations", "write", AllocateArgs, _allocate,
        whole_body="body", as_action=False,
    ),
    Route(
        "delete_allocation", "DELETE", "/CreditNotes/{id}/Allocations/{allocation_id}", "write", AllocationArgs,
        _deallocate, as_action=False,
    ),
)  # fmt: skip
