"""A payment settles an invoice, or pays a credit note back; it is never changed, only deleted."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from pydantic import Field

from environment.apps.kit import Call
from environment.apps.xero.credit_notes import CREDIT_NOTES, CreditNoteFields, InvoiceRef, use_credit
from environment.apps.xero.dates import Day, moment_of, written_day, written_moment
from environment.apps.xero.documents import check_open, find_account, organisation, refuse, show_contact_of, today
from environment.apps.xero.endpoint import Element, Endpoint, Text
from environment.apps.xero.filters import Property, properties
from environment.apps.xero.invoices import INVOICES, settle
from environment.apps.xero.money import Money
from environment.apps.xero.refusals import Invalid
from environment.apps.xero.rows import Account, CreditNote, Invoice, Payment


class CreditNoteRef(Element):
    """Which credit note is meant."""

    read_only = CreditNoteFields.read_only | CreditNoteFields.model_fields.keys() - {"CreditNoteID", "CreditNoteNumber"}
    CreditNoteID: str | None = None
    CreditNoteNumber: Text | None = None


class AccountRef(Element):
    """Which account is meant."""

    read_only = frozenset(Account.model_fields) - {"AccountID", "Code"} | {"Class"}
    AccountID: str | None = None
    Code: Text | None = None


class PaymentFields(Element):
    """What a request may give of a payment."""

    read_only = frozenset({"PaymentType", "HasAccount", "BankAmount", "BatchPaymentID", "BatchPayment"})
    PaymentID: str | None = None
    Invoice: InvoiceRef | None = None
    InvoiceNumber: Text | None = None
    CreditNote: CreditNoteRef | None = None
    CreditNoteNumber: Text | None = None
    Account: AccountRef | None = None
    Code: Text | None = None
    Date: Day | None = None
    Amount: Money | None = None
    Reference: Text | None = Field(None, max_length=255)
    IsReconciled: bool | None = None
    Status: str | None = None


def write_payment(call: Call, before: Payment | None, fields: PaymentFields) -> Payment:
    """Record a payment, or delete one."""
    if before:
        return _deleted(call, before, fields)
    rules: list[str] = []
    paid = _paid(call, fields)
    left = paid.AmountDue if isinstance(paid, Invoice) else paid.RemainingCredit
    amount = fields.Amount
    if paid.shown_status != "AUTHORISED":
        rules.append("Payments can only be made against Authorised documents")
    if amount is None or amount <= 0:
        rules.append("Payment amount must be greater than 0.0")
    elif amount > left:
        rules.append("Payment amount exceeds the amount outstanding on this document")
    account = _account(call, fields, paid.CurrencyCode, rules)
    day = fields.Date or today(call)
    check_open(call, day, rules)
    refuse(rules)
    if account is None or amount is None:
        raise Invalid("Account must be valid")
    document: dict[str, Any]
    if isinstance(paid, Invoice):
        settle(call, paid, "AmountPaid", amount, day)
        document = {"InvoiceID": paid.row_id}
    else:
        use_credit(call, paid, amount, day)
        document = {"CreditNoteID": paid.row_id}
    row = Payment(
        PaymentID=call.tables.new_id(Payment),
        AccountID=account.row_id,
        Date=day,
        Amount=amount,
        Reference=fields.Reference or "",
        IsReconciled=bool(fields.IsReconciled),
        UpdatedDateUTC=moment_of(call.now),
        **document,
    )
    return call.tables.put(row)


def _paid(call: Call, fields: PaymentFields) -> Invoice | CreditNote:
    """The document that is paid."""
    found: Invoice | CreditNote | None = None
    key = (fields.Invoice and (fields.Invoice.InvoiceID or fields.Invoice.InvoiceNumber)) or fields.InvoiceNumber
    note = fields.CreditNote and (fields.CreditNote.CreditNoteID or fields.CreditNote.CreditNoteNumber)
    note = note or fields.CreditNoteNumber
    if key:
        found = call.tables.find(Invoice, key.lower())
        found = found or next(iter(call.tables.where(Invoice, "InvoiceNumber", key)), None)
    elif note:
        found = call.tables.find(CreditNote, note.lower())
        found = found or next(iter(call.tables.where(CreditNote, "CreditNoteNumber", note)), None)
    else:
        raise Invalid("Either Invoice or CreditNote must be specified")
    if found is None:
        raise Invalid("The document that is to be paid could not be found")
    return found


def _account(call: Call, fields: PaymentFields, currency: str, rules: list[str]) -> Account | None:
    ref = fields.Account or AccountRef()
    account = find_account(call, ref.Code or fields.Code, ref.AccountID)
    if account is None or not (account.Type == "BANK" or account.EnablePaymentsToAccount):
        rules.append("Account must be valid: a bank account, or one that payments are enabled for")
        return None
    base = organisation(call).BaseCurrency
    if (account.CurrencyCode or base) not in (currency, base):
        rules.append("Account currency must match the currency of the document or the base currency")
    return account


def _deleted(call: Call, before: Payment, fields: PaymentFields) -> Payment:
    if before.Status == "DELETED":
        raise Invalid("Payment has already been deleted")
    if (fields.Status or "").upper() != "DELETED" or fields.model_fields_set - {"PaymentID", "Status"}:
        raise Invalid("Payments cannot be updated, only deleted with Status DELETED")
    if before.IsReconciled:
        raise Invalid("A reconciled payment cannot be deleted")
    if before.InvoiceID:
        settle(call, INVOICES.find(call, before.InvoiceID), "AmountPaid", -before.Amount, before.Date)
    elif before.CreditNoteID:
        use_credit(call, CREDIT_NOTES.find(call, before.CreditNoteID), -before.Amount, before.Date)
    return call.tables.put(before.change(Status="DELETED", UpdatedDateUTC=moment_of(call.now)))


def show_payment(call: Call, row: Payment, full: bool) -> dict[str, Any]:
    """The payment as the API shows it."""
    account = call.tables.find(Account, row.AccountID)
    shown: dict[str, Any] = {
        "PaymentID": row.PaymentID,
        "Date": written_day(row.Date),
        "Amount": float(row.Amount),
        "Reference": row.Reference,
        "IsReconciled": row.IsReconciled,
        "Status": row.Status,
        "UpdatedDateUTC": written_moment(row.UpdatedDateUTC),
        "Account": {"AccountID": row.AccountID, "Code": account.Code, "Name": account.Name} if account else {},
    }
    paid = _document_of(call, row)
    if isinstance(paid, Invoice):
        shown["PaymentType"] = f"{paid.Type}PAYMENT"
        shown["Invoice"] = {
            "InvoiceID": paid.InvoiceID,
            "InvoiceNumber": paid.InvoiceNumber,
            "Type": paid.Type,
            "CurrencyCode": paid.CurrencyCode,
            "AmountDue": float(paid.AmountDue),
            "Contact": show_contact_of(call, paid.ContactID),
        }
    elif paid:
        shown["PaymentType"] = "ARCREDITPAYMENT" if paid.Type == "ACCRECCREDIT" else "APCREDITPAYMENT"
        shown["CreditNote"] = {
            "CreditNoteID": paid.CreditNoteID,
            "CreditNoteNumber": paid.CreditNoteNumber,
            "Contact": show_contact_of(call, paid.ContactID),
        }
    return shown


def _document_of(call: Call, row: Payment) -> Invoice | CreditNote | None:
    if row.InvoiceID:
        return call.tables.find(Invoice, row.InvoiceID)
    return call.tables.find(CreditNote, row.CreditNoteID) if row.CreditNoteID else None


def _number_of(call: Call, row: Payment) -> str | None:
    found = _document_of(call, row)
    return found.InvoiceNumber if isinstance(found, Invoice) else None


def _contact_of(call: Call, row: Payment) -> str | None:
    found = _document_of(call, row)
    return found.ContactID if found else None


PAYMENTS: Endpoint[Payment, PaymentFields] = Endpoint(
    noun="Payment",
    kind=Payment,
    fields=PaymentFields,
    write=write_payment,
    show=show_payment,
    properties={
        **properties(
            PaymentID="Guid",
            Date="DateTime",
            Amount="Decimal",
            Reference="String",
            Status="String",
            IsReconciled="Boolean",
            UpdatedDateUTC="DateTime",
        ),
        "invoice.invoiceid": Property("Guid", lambda call: attrgetter("InvoiceID")),
        "invoice.invoicenumber": Property("String", lambda call: lambda row: _number_of(call, row)),
        "invoice.contact.contactid": Property("Guid", lambda call: lambda row: _contact_of(call, row)),
        "account.accountid": Property("Guid", lambda call: attrgetter("AccountID")),
    },
)

ROUTES = PAYMENTS.routes()
