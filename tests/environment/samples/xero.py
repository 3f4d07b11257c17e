"""Xero in the sample world."""

from __future__ import annotations

from typing import Any

from environment.apps.xero import rows as xero

ROWS: dict[str, tuple[dict[str, Any], ...]] = {
    "Contact": (
        {"ContactID": xero.contact_id(1), "Name": "Larkfield Optics", "EmailAddress": "ann@larkfield.example"},
        {"ContactID": xero.contact_id(2), "Name": "Larkfield Optical Supplies"},
    ),
    "Account": (
        {"AccountID": xero.account_id(1), "Code": "090", "Name": "Main account", "Type": "BANK"},
        {"AccountID": xero.account_id(2), "Code": "315", "Name": "Purchase returns", "Type": "DIRECTCOSTS"},
    ),
    "Invoice": tuple(
        {
            "InvoiceID": xero.invoice_id(count),
            "Type": kind,
            "InvoiceNumber": number,
            "ContactID": xero.contact_id(1),
            "Date": "2026-02-03",
            "DueDate": "2026-03-19",
            "Status": status,
            "AmountCredited": 60.5 if kind == "ACCPAY" else 0,
            "LineItems": [{"Description": "Lenses", "UnitAmount": 2004, "AccountCode": "315"}],
        }
        for count, (kind, number, status) in enumerate(
            (("ACCPAY", "B-7730", "AUTHORISED"), ("ACCREC", "INV-0001", "AUTHORISED"), ("ACCREC", "INV-2", "DRAFT")), 1
        )
    ),
    "CreditNote": (
        {
            "CreditNoteID": xero.credit_note_id(1),
            "Type": "ACCPAYCREDIT",
            "CreditNoteNumber": "CN-20431",
            "ContactID": xero.contact_id(1),
            "Date": "2026-02-20",
            "AppliedAmount": 60.5,
            "LineItems": [{"Description": "Returned", "LineAmount": 990.5, "AccountCode": "315"}],
        },
    ),
    "Allocation": (
        {
            "AllocationID": xero.allocation_id(1),
            "CreditNoteID": xero.credit_note_id(1),
            "InvoiceID": xero.invoice_id(1),
            "Amount": 60.5,
            "Date": "2026-02-20",
        },
    ),
    "Payment": (
        {
            "PaymentID": xero.payment_id(1),
            "CreditNoteID": xero.credit_note_id(2),
            "AccountID": xero.account_id(1),
            "Date": "2026-02-20",
            "Amount": 5,
            "Status": "DELETED",
        },
    ),
    "BankTransaction": (
        {
            "BankTransactionID": xero.bank_transaction_id(1),
            "Type": "SPEND",
            "BankAccountID": xero.account_id(1),
            "ContactID": xero.contact_id(1),
            "Date": "2026-01-10",
            "LineItems": [{"Description": "Fee", "UnitAmount": 3, "AccountCode": "315"}],
        },
    ),
    "PurchaseOrder": (
        {
            "PurchaseOrderID": xero.purchase_order_id(1),
            "PurchaseOrderNumber": "PO-0001",
            "ContactID": xero.contact_id(1),
            "Date": "2026-01-10",
            "LineItems": [{"Description": "Lenses", "Quantity": 4, "UnitAmount": 501, "AccountCode": "315"}],
        },
    ),
    "Quote": (
        {
            "QuoteID": xero.quote_id(1),
            "QuoteNumber": "QU-0001",
            "ContactID": xero.contact_id(2),
            "Date": "2026-01-10",
            "LineItems": [{"Description": "Frames", "UnitAmount": 80}],
        },
    ),
    "Item": ({"ItemID": xero.item_id(1), "Code": "LENS", "Name": "Lens", "SalesDetails": {"UnitPrice": 12.5}},),
}

MEANT: dict[str, list[Any]] = {
    "id": [
        *(xero.invoice_id(1), xero.invoice_id(3), xero.contact_id(1), xero.credit_note_id(1), "INV-0001"),
        *(xero.account_id(2), xero.quote_id(1), xero.purchase_order_id(1), xero.item_id(1), "CN-20431"),
        *(xero.payment_id(1), xero.bank_transaction_id(1)),
    ],
    "allocation_id": [xero.allocation_id(1)],
    "number": ["B-7730", "INV-0001", "INV-2", "CN-20431", "PO-0001", "QU-0001"],
    "invoice": ["B-7730", "INV-0001"],
    "credit_note": ["CN-20431"],
    "contact": ["Larkfield Optics", "Larkfield"],
    "name": ["Larkfield Optics", "Main"],
    "currency": ["GBP", "EUR"],
    "account": ["315", "090", "Main account"],
    "amount": [10, 930.0, 99999],
    "date": ["2026-03-01"],
    "due_date": ["2026-03-31"],
    "where": [
        'Status=="AUTHORISED" AND AmountDue>0',
        'Contact.Name.Contains("Lark") OR Date>=DateTime(2026,02,01)',
        'Name!=null AND Name.ToLower().StartsWith("main")',
    ],
    "order": ["Date DESC", "Name", "Code"],
    "body": [
        {"Status": "AUTHORISED"},
        {"Status": "VOIDED"},
        {"Amount": 10, "Invoice": {"InvoiceNumber": "B-7730"}, "Account": {"Code": "090"}},
        {"Amount": 10, "Invoice": {"InvoiceID": xero.invoice_id(1)}},
        {"Details": "Called."},
        {"Name": "Nimbus"},
        {"Code": "FRAME", "Name": "Frame", "Type": "EXPENSE"},
        {
            "Type": "ACCPAY",
            "Contact": {"Name": "Larkfield Optics"},
            "DueDate": "2026-04-01",
            "LineItems": [{"Description": "Lenses", "Quantity": 2, "UnitAmount": "12.50", "AccountCode": "315"}],
        },
        {
            "Type": "ACCPAYCREDIT",
            "Contact": {"ContactID": xero.contact_id(1)},
            "LineItems": [{"Description": "Lenses", "LineAmount": 20, "AccountCode": "315"}],
        },
        {
            "Type": "SPEND",
            "BankAccount": {"Code": "090"},
            "Contact": {"Name": "Nimbus"},
            "LineItems": [{"Description": "Fee", "UnitAmount": 3, "AccountCode": "315"}],
        },
    ],
}

FILLED = {
    "contact id": xero.contact_id(1),
    "invoice id": xero.invoice_id(2),
    "bill id": xero.invoice_id(1),
    "bank account code": "090",
    "item code": "LENS",
}
"""What stands in an example's `<...>` -> a value of this world."""
