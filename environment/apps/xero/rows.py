"""The rows of Xero: contacts, documents with their line items, what settles them, accounts, items, notes.

References are ids on the row itself (`ContactID`, `InvoiceID`), which the API shows as nested objects. Totals follow
from the line items and need not be given. A document's `Status` is never PAID: the API shows an authorised one so when
nothing is left of it, which `AmountDue` or `RemainingCredit` say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from environment.apps.xero.dates import Day
from environment.apps.xero.lines import LineItem, TaxMode, complete, totals
from environment.apps.xero.money import ZERO, Money, read_number
from environment.world import Row


def _guid(kind: int) -> Callable[[int], str]:
    return lambda count: f"00000000-0000-0000-{kind:04d}-{count:012d}"


contact_id = _guid(1)
"""The count-th contact's id, such as 00000000-0000-0000-0001-000000000417."""
invoice_id = _guid(2)
credit_note_id = _guid(3)
payment_id = _guid(4)
allocation_id = _guid(5)
account_id = _guid(6)
bank_transaction_id = _guid(7)
purchase_order_id = _guid(8)
quote_id = _guid(9)
item_id = _guid(10)
history_record_id = _guid(11)
organisation_id = _guid(12)


def line_item_id(document: str, position: int) -> str:
    """The id of the line at a position, from 1, of the document with this id."""
    return f"{position:08d}{document[8:]}"


DocumentStatus = Literal["DRAFT", "SUBMITTED", "AUTHORISED", "VOIDED", "DELETED"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Phone(_Part):
    """One telephone number of a contact."""

    PhoneType: Literal["DEFAULT", "DDI", "MOBILE", "FAX"] = "DEFAULT"
    PhoneNumber: str = Field("", max_length=50)
    PhoneAreaCode: str = Field("", max_length=10)
    PhoneCountryCode: str = Field("", max_length=20)


class Address(_Part):
    """One address of a contact."""

    AddressType: Literal["POBOX", "STREET"] = "STREET"
    AddressLine1: str = Field("", max_length=500)
    AddressLine2: str = Field("", max_length=500)
    City: str = Field("", max_length=255)
    Region: str = Field("", max_length=255)
    PostalCode: str = Field("", max_length=50)
    Country: str = Field("", max_length=50)
    AttentionTo: str = Field("", max_length=255)


class ContactPerson(_Part):
    """A further person to write to."""

    FirstName: str = Field("", max_length=255)
    LastName: str = Field("", max_length=255)
    EmailAddress: str = Field("", max_length=255)
    IncludeInEmails: bool = False


class Contact(Row):
    """A customer, supplier or both."""

    id_field: ClassVar[str] = "ContactID"
    ContactID: str
    Name: str = Field(min_length=1, max_length=255)
    ContactStatus: Literal["ACTIVE", "ARCHIVED"] = "ACTIVE"
    ContactNumber: str = Field("", max_length=50)
    AccountNumber: str = Field("", max_length=50)
    FirstName: str = Field("", max_length=255)
    LastName: str = Field("", max_length=255)
    EmailAddress: str = Field("", max_length=255)
    BankAccountDetails: str = Field("", max_length=500)
    TaxNumber: str = Field("", max_length=50)
    DefaultCurrency: str | None = None
    Phones: tuple[Phone, ...] = ()
    Addresses: tuple[Address, ...] = ()
    ContactPersons: tuple[ContactPerson, ...] = ()
    IsSupplier: bool = False
    IsCustomer: bool = False
    UpdatedDateUTC: str = "2026-01-01T00:00:00+00:00"


class Document(Row):
    """What all documents share; their totals are computed from the line items."""

    ContactID: str | None
    Date: Day
    LineAmountTypes: TaxMode = "Exclusive"
    LineItems: tuple[LineItem, ...]
    Reference: str = Field("", max_length=255)
    CurrencyCode: str = "GBP"
    SubTotal: Money
    TotalTax: Money
    Total: Money
    UpdatedDateUTC: str = "2026-01-01T00:00:00+00:00"

    @model_validator(mode="before")
    @classmethod
    def _computed(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        kind, document = data.get("LineAmountTypes", "Exclusive"), str(data.get(cls.id_field, ""))
        lines = [complete(line, kind) for line in data.get("LineItems", ())]
        if not all(line.LineItemID for line in lines):
            lines = _numbered(lines, document)
        sums = totals(lines, kind)
        filled = {**data, "LineItems": tuple(lines)}
        filled |= {"SubTotal": sums.SubTotal, "TotalTax": sums.TotalTax, "Total": sums.Total}
        return cls._settled(filled, sums.Total)

    @classmethod
    def _settled(cls, data: dict[str, Any], total: Decimal) -> dict[str, Any]:
        """The fields with those that say what is left of the document."""
        return data


def _numbered(lines: list[LineItem], document: str) -> list[LineItem]:
    """The lines, those without an id with the first ids that no other has."""
    taken = {line.LineItemID for line in lines}
    free = (key for count in range(1, 2 * len(lines) + 1) if (key := line_item_id(document, count)) not in taken)
    return [line if line.LineItemID else line.model_copy(update={"LineItemID": next(free)}) for line in lines]


class Invoice(Document):
    """A sales invoice (ACCREC) or a bill (ACCPAY)."""

    id_field: ClassVar[str] = "InvoiceID"
    InvoiceID: str
    Type: Literal["ACCREC", "ACCPAY"]
    InvoiceNumber: str = Field("", max_length=255)
    Status: DocumentStatus = "AUTHORISED"
    """Never PAID; an initial row that says PAID becomes AUTHORISED with all of it paid."""
    DueDate: Day | None = None
    ExpectedPaymentDate: Day | None = None
    """When a customer is expected to pay."""
    PlannedPaymentDate: Day | None = None
    """When a bill is going to be paid."""
    Url: str = Field("", max_length=2000)
    SentToContact: bool = False
    AmountPaid: Money = ZERO
    """What its Payment rows come to."""
    AmountCredited: Money = ZERO
    """What its Allocation rows come to."""
    AmountDue: Money
    FullyPaidOnDate: Day | None = None

    @property
    def shown_status(self) -> str:
        """PAID for an authorised one that nothing is left of."""
        return "PAID" if self.Status == "AUTHORISED" and self.AmountDue == 0 else self.Status

    @classmethod
    def _settled(cls, data: dict[str, Any], total: Decimal) -> dict[str, Any]:
        credited = read_number(data.get("AmountCredited", ZERO))
        if data.get("Status") == "PAID":
            data |= {"Status": "AUTHORISED", "AmountPaid": total - credited}
        left = total - credited - read_number(data.get("AmountPaid", ZERO))
        if left < 0:
            raise ValueError(f"AmountPaid and AmountCredited exceed the total {total}")
        return {**data, "AmountDue": ZERO if data.get("Status") in ("VOIDED", "DELETED") else left}


class CreditNote(Document):
    """A credit to a customer (ACCRECCREDIT) or from a supplier (ACCPAYCREDIT)."""

    id_field: ClassVar[str] = "CreditNoteID"
    CreditNoteID: str
    Type: Literal["ACCRECCREDIT", "ACCPAYCREDIT"]
    CreditNoteNumber: str = Field("", max_length=255)
    Status: DocumentStatus = "AUTHORISED"
    """Never PAID; an initial row that says PAID becomes AUTHORISED with all of it applied."""
    SentToContact: bool = False
    AppliedAmount: Money = ZERO
    """What its Allocation rows and its refunds come to."""
    RemainingCredit: Money
    FullyPaidOnDate: Day | None = None

    @property
    def shown_status(self) -> str:
        """PAID for an authorised one that nothing is left of."""
        return "PAID" if self.Status == "AUTHORISED" and self.RemainingCredit == 0 else self.Status

    @classmethod
    def _settled(cls, data: dict[str, Any], total: Decimal) -> dict[str, Any]:
        if data.get("Status") == "PAID":
            data |= {"Status": "AUTHORISED", "AppliedAmount": total}
        left = total - read_number(data.get("AppliedAmount", ZERO))
        if left < 0:
            raise ValueError(f"AppliedAmount exceeds the total {total}")
        return {**data, "RemainingCredit": ZERO if data.get("Status") in ("VOIDED", "DELETED") else left}


class Allocation(Row):
    """A part of a credit note that was set against an invoice."""

    id_field: ClassVar[str] = "AllocationID"
    AllocationID: str
    CreditNoteID: str
    InvoiceID: str
    Amount: Money
    Date: Day


class Payment(Row):
    """Money paid on an invoice, or paid back on a credit note."""

    id_field: ClassVar[str] = "PaymentID"
    PaymentID: str
    InvoiceID: str | None = None
    CreditNoteID: str | None = None
    AccountID: str
    """The account that it was paid from or into."""
    Date: Day
    Amount: Money
    Reference: str = Field("", max_length=255)
    IsReconciled: bool = False
    Status: Literal["AUTHORISED", "DELETED"] = "AUTHORISED"
    UpdatedDateUTC: str = "2026-01-01T00:00:00+00:00"


class Account(Row):
    """An account of the chart of accounts."""

    id_field: ClassVar[str] = "AccountID"
    AccountID: str
    Code: str = Field("", max_length=10)
    Name: str = Field(min_length=1, max_length=150)
    Type: Literal[
        "BANK", "CURRENT", "CURRLIAB", "DEPRECIATN", "DIRECTCOSTS", "EQUITY", "EXPENSE", "FIXED", "INVENTORY",
        "LIABILITY", "NONCURRENT", "OTHERINCOME", "OVERHEADS", "PREPAYMENT", "REVENUE", "SALES", "TERMLIAB",
    ]  # fmt: skip
    Status: Literal["ACTIVE", "ARCHIVED"] = "ACTIVE"
    Description: str = Field("", max_length=4000)
    TaxType: str = "NONE"
    EnablePaymentsToAccount: bool = False
    BankAccountNumber: str = Field("", max_length=20)
    CurrencyCode: str | None = None
    """Of a bank account; None for the organisation's."""
    UpdatedDateUTC: str = "2026-01-01T00:00:00+00:00"


class BankTransaction(Document):
    """Money spent or received without an invoice."""

    id_field: ClassVar[str] = "BankTransactionID"
    BankTransactionID: str
    Type: Literal["SPEND", "RECEIVE"]
    BankAccountID: str
    Status: Literal["AUTHORISED", "DELETED"] = "AUTHORISED"
    IsReconciled: bool = False
    Url: str = Field("", max_length=2000)


class PurchaseOrder(Document):
    """An order to a supplier."""

    id_field: ClassVar[str] = "PurchaseOrderID"
    PurchaseOrderID: str
    PurchaseOrderNumber: str = Field("", max_length=255)
    Status: Literal["DRAFT", "SUBMITTED", "AUTHORISED", "BILLED", "DELETED"] = "DRAFT"
    DeliveryDate: Day | None = None
    ExpectedArrivalDate: Day | None = None
    DeliveryAddress: str = Field("", max_length=1000)
    AttentionTo: str = Field("", max_length=255)
    Telephone: str = Field("", max_length=50)
    DeliveryInstructions: str = Field("", max_length=500)
    SentToContact: bool = False


class Quote(Document):
    """An offer to a customer."""

    id_field: ClassVar[str] = "QuoteID"
    QuoteID: str
    QuoteNumber: str = Field("", max_length=255)
    Status: Literal["DRAFT", "SENT", "ACCEPTED", "DECLINED", "INVOICED", "DELETED"] = "DRAFT"
    ExpiryDate: Day | None = None
    Title: str = Field("", max_length=100)
    Summary: str = Field("", max_length=3000)
    Terms: str = Field("", max_length=4000)


class Price(_Part):
    """What an item is sold or bought for."""

    UnitPrice: Money | None = None
    AccountCode: str | None = None
    TaxType: str | None = None


class Item(Row):
    """A thing that is sold or bought; stock is not tracked."""

    id_field: ClassVar[str] = "ItemID"
    ItemID: str
    Code: str = Field(min_length=1, max_length=30)
    Name: str = Field("", max_length=50)
    Description: str = Field("", max_length=4000)
    PurchaseDescription: str = Field("", max_length=4000)
    IsSold: bool = True
    IsPurchased: bool = True
    SalesDetails: Price = Price()
    PurchaseDetails: Price = Price()
    UpdatedDateUTC: str = "2026-01-01T00:00:00+00:00"


class HistoryRecord(Row):
    """A note in the history of a document or contact."""

    id_field: ClassVar[str] = "HistoryRecordID"
    HistoryRecordID: str
    ParentID: str
    """Id of what it is about."""
    Changes: str = "Note"
    Details: str = Field(min_length=1, max_length=2500)
    User: str = ""
    DateUTC: str


class Organisation(Row):
    """The company whose books these are; a world without one has one named after the actor's company."""

    id_field: ClassVar[str] = "OrganisationID"
    OrganisationID: str
    Name: str
    LegalName: str = ""
    BaseCurrency: str = "GBP"
    CountryCode: str = "GB"
    FinancialYearEndDay: int = 31
    FinancialYearEndMonth: int = 3
    PeriodLockDate: Day | None = None
    """Nothing may be booked on or before it."""
