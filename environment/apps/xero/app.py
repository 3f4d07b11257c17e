"""Xero Accounting API 2.0: contacts, invoices and bills, credit notes, payments, orders, quotes, bank transactions.

Source: developer.xero.com/documentation/api/accounting (pages of July 2026: requests and responses, contacts, invoices,
credit notes, payments, purchase orders, quotes) and the vendor's OpenAPI description, version 16.1.0. Left out:
attachments, PDFs, If-Modified-Since, batch payments, bank transfers, journals, overpayments and prepayments, repeating
invoices, tracking categories, branding themes, exchange rates, tracked stock, reports, other than British tax rates,
and the history entries that Xero writes itself. Stricter than Xero: unknown fields and parameters are refused.
"""

from __future__ import annotations

from environment.apps.kit import App
from environment.apps.xero import (
    actions,
    bank_transactions,
    contacts,
    credit_notes,
    invoices,
    ledger,
    orders,
    payments,
    rows,
)
from environment.apps.xero.guide import GUIDE
from environment.apps.xero.refusals import error_body
from environment.apps.xero.rows import (
    Account,
    Allocation,
    BankTransaction,
    Contact,
    CreditNote,
    HistoryRecord,
    Invoice,
    Item,
    Organisation,
    Payment,
    PurchaseOrder,
    Quote,
)

_STAMP = frozenset({"UpdatedDateUTC"})
_TOTALS = _STAMP | {"SubTotal", "TotalTax", "Total", "LineItems[*].LineItemID"}

APP = App(
    name="xero",
    title="Xero",
    host="api.xero.com",
    base_path="/api.xro/2.0",
    rows=(
        Contact, Invoice, CreditNote, Allocation, Payment, Account, BankTransaction, PurchaseOrder, Quote, Item,
        HistoryRecord, Organisation,
    ),
    ids={
        Contact: rows.contact_id,
        Invoice: rows.invoice_id,
        CreditNote: rows.credit_note_id,
        Allocation: rows.allocation_id,
        Payment: rows.payment_id,
        Account: rows.account_id,
        BankTransaction: rows.bank_transaction_id,
        PurchaseOrder: rows.purchase_order_id,
        Quote: rows.quote_id,
        Item: rows.item_id,
        HistoryRecord: rows.history_record_id,
        Organisation: rows.organisation_id,
    },
    routes=contacts.ROUTES
    + invoices.ROUTES
    + credit_notes.ROUTES
    + payments.ROUTES
    + bank_transactions.ROUTES
    + orders.ROUTES
    + ledger.ROUTES,
    error_body=error_body,
    derived={
        Contact: _STAMP | {"IsSupplier", "IsCustomer"},
        Invoice: _TOTALS | {"AmountDue", "AmountPaid", "AmountCredited", "FullyPaidOnDate"},
        CreditNote: _TOTALS | {"AppliedAmount", "RemainingCredit", "FullyPaidOnDate"},
        Payment: _STAMP,
        Account: _STAMP,
        BankTransaction: _TOTALS,
        PurchaseOrder: _TOTALS,
        Quote: _TOTALS,
        Item: _STAMP,
        HistoryRecord: frozenset({"DateUTC"}),
    },
    actions=actions.ACTIONS,
    guide=GUIDE,
)  # fmt: skip
