"""The guide to Xero's Accounting API."""

from __future__ import annotations

from typing import Any

from environment.apps.guide import Guide, Hint

_INVOICES = "{Invoices: [{InvoiceID, InvoiceNumber, Type, Status, Contact, DueDate, Total, AmountDue, LineItems}]}"
_CONTACTS = "{Contacts: [{ContactID, Name, EmailAddress, ContactStatus, Phones, IsSupplier, IsCustomer}]}"
_NOTES = "{CreditNotes: [{CreditNoteID, CreditNoteNumber, Type, Status, Contact, Total, RemainingCredit, Allocations}]}"
_PAYMENTS = "{Payments: [{PaymentID, Date, Amount, Status, Account}]} with the Invoice or CreditNote paid"
_SPENDING = "{BankTransactions: [{BankTransactionID, Type, Status, Contact, BankAccount, Date, Total, LineItems}]}"
_ORDERS = "{PurchaseOrders: [{PurchaseOrderID, PurchaseOrderNumber, Status, Contact, DeliveryDate, Total, LineItems}]}"
_QUOTES = "{Quotes: [{QuoteID, QuoteNumber, Status, Contact, ExpiryDate, Total, LineItems}]}"
_ACCOUNTS = "{Accounts: [{AccountID, Code, Name, Type, Status}]}"
_ITEMS = "{Items: [{ItemID, Code, Name, Description, SalesDetails, PurchaseDetails}]}"
_HISTORY = "{HistoryRecords: [{Changes, DateUTCString, User, Details}]}"


def _line(account: str = "315") -> dict[str, Any]:
    return {"Description": "Lenses", "Quantity": 2, "UnitAmount": 50, "AccountCode": account, "TaxType": "NONE"}


def _document(kind: str = "", **more: Any) -> dict[str, Any]:
    """A document's fields as a request gives them."""
    fields = {"Contact": {"ContactID": "<contact id>"}, "Date": "2026-03-04", **more, "LineItems": [_line()]}
    return {"Type": kind, **fields} if kind else fields


def _collection(
    plural: str, snake: str, answer: str, new: dict[str, Any], changed: dict[str, Any], history: bool = True
) -> dict[str, Hint]:
    """The hints to what all collections have."""
    several, one = f"{snake}s", snake
    notes = {
        f"list_{one}_history": Hint(_HISTORY),
        f"add_{one}_history": Hint(_HISTORY, body={"HistoryRecords": [{"Details": "Agreed by phone."}]}),
    }
    return {
        f"list_{several}": Hint(answer),
        f"get_{one}": Hint(answer),
        f"create_{several}": Hint(answer, body={plural: [new]}),
        f"save_{several}": Hint(f"{answer}; an element with an id changes that one", body={plural: [new]}),
        f"update_{one}": Hint(answer, body={plural: [changed]}),
        **(notes if history else {}),
    }


GUIDE = Guide(
    words="accounting bookkeeping accounts finance",
    glossary={
        "invoice": "bill sales purchase customer supplier receivable payable unpaid overdue owed",
        "contact": "customer supplier vendor client company",
        "credit_note": "refund credit memo",
        "allocate": "apply use offset set against invoice",
        "payment": "paid pay receive settle money",
        "bank_transaction": "spend spent receive money expense cash",
        "purchase_order": "vendor supplier buy",
        "quote": "estimate offer proposal",
        "item": "product service stock",
        "account": "chart ledger code nominal",
        "tax_rates": "vat",
        "history": "note comment",
        "update": "void cancel approve",
        "create": "add new raise enter record",
    },
    paging={
        "page": "page counts from 1; pagination.pageCount of the answer says how many; without page all come, no lines"
    },
    hints={
        **_collection(
            "Contacts",
            "contact",
            _CONTACTS,
            {"Name": "Nimbus Ltd", "EmailAddress": "ana@nimbus.example"},
            {"EmailAddress": "billing@larkfield.example"},
        ),
        **_collection(
            "Invoices",
            "invoice",
            f"{_INVOICES}; Type ACCREC is a sales invoice, ACCPAY a supplier's bill",
            _document("ACCREC", DueDate="2026-04-03", Status="AUTHORISED"),
            {"DueDate": "2026-04-17", "Status": "AUTHORISED"},
        ),
        **_collection(
            "CreditNotes",
            "credit_note",
            f"{_NOTES}; Type ACCRECCREDIT is a customer's, ACCPAYCREDIT a supplier's",
            _document("ACCRECCREDIT", Status="AUTHORISED"),
            {"Reference": "RMA-553"},
        ),
        **_collection(
            "Payments",
            "payment",
            _PAYMENTS,
            {
                "Invoice": {"InvoiceID": "<invoice id>"},
                "Account": {"Code": "<bank account code>"},
                "Date": "2026-03-04",
                "Amount": 20,
            },
            {"Status": "DELETED"},
        ),
        **_collection(
            "BankTransactions",
            "bank_transaction",
            f"{_SPENDING}; Type is SPEND or RECEIVE",
            _document("SPEND", BankAccount={"Code": "<bank account code>"}),
            {"Reference": "Card 4411"},
        ),
        **_collection(
            "PurchaseOrders",
            "purchase_order",
            _ORDERS,
            _document(DeliveryDate="2026-03-20", Status="AUTHORISED"),
            {"DeliveryDate": "2026-03-27"},
        ),
        **_collection(
            "Quotes", "quote", _QUOTES, _document(ExpiryDate="2026-04-03"), _document(ExpiryDate="2026-04-17")
        ),
        **_collection(
            "Accounts",
            "account",
            _ACCOUNTS,
            {"Code": "420", "Name": "Entertainment", "Type": "EXPENSE"},
            {"Name": "Guests"},
            history=False,
        ),
        **_collection(
            "Items",
            "item",
            _ITEMS,
            {"Code": "FRAME", "Name": "Frame", "SalesDetails": {"UnitPrice": 80}},
            {"Code": "<item code>", "Name": "Lens, coated"},
        ),
        "list_invoices": Hint(
            f"{_INVOICES}; Type ACCREC is a sales invoice, ACCPAY a supplier's bill",
            {
                "where": 'Type=="ACCREC" AND Status=="AUTHORISED" AND DueDate<DateTime(2026,3,4)',
                "order": "DueDate ASC",
                "page": 1,
            },
        ),
        "list_contacts": Hint(_CONTACTS, {"searchTerm": "larkfield"}),
        "list_payments": Hint(_PAYMENTS, {"where": 'Status=="AUTHORISED" AND Date>=DateTime(2026,2,1)'}),
        "email_invoice": Hint("Nothing (204)"),
        "allocate_credit_note": Hint(
            "{Allocations: [{Amount, Date, Invoice: {InvoiceID}}]}",
            body={"Allocations": [{"Invoice": {"InvoiceID": "<bill id>"}, "Amount": 10, "Date": "2026-03-04"}]},
        ),
        "delete_allocation": Hint("{AllocationId, Invoice: [{InvoiceID}], IsDeleted}"),
        "list_tax_rates": Hint("{TaxRates: [{Name, TaxType, EffectiveRate}]}"),
        "get_organisation": Hint("{Organisations: [{Name, BaseCurrency, CountryCode, FinancialYearEndMonth}]}"),
    },
)
