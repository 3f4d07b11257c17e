"""A bank transaction is money spent or received without an invoice; it can be deleted until it is reconciled."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from environment.apps.kit import Call
from environment.apps.xero.documents import (
    DOCUMENT_PROPERTIES,
    DocumentFields,
    find_account,
    read_document,
    refuse,
    show_document,
    with_contact,
)
from environment.apps.xero.endpoint import Endpoint
from environment.apps.xero.filters import Property, properties
from environment.apps.xero.payments import AccountRef
from environment.apps.xero.refusals import Invalid
from environment.apps.xero.rows import Account, BankTransaction


class BankTransactionFields(DocumentFields):
    """What a request may give of a bank transaction."""

    read_only = frozenset({"SubTotal", "TotalTax", "Total", "PrepaymentID", "OverpaymentID"})
    BankTransactionID: str | None = None
    Type: str | None = None
    BankAccount: AccountRef | None = None
    IsReconciled: bool | None = None
    Url: str | None = None
    Status: str | None = None


def write_bank_transaction(
    call: Call, before: BankTransaction | None, fields: BankTransactionFields
) -> BankTransaction:
    """Create, change or delete a bank transaction."""
    kind = before.Type if before else fields.Type
    if kind not in ("SPEND", "RECEIVE"):
        raise Invalid("Bank transaction Type must be SPEND or RECEIVE")
    if before and (before.Status == "DELETED" or before.IsReconciled):
        raise Invalid("This Bank Transaction cannot be edited as it has been reconciled or deleted")
    rules: list[str] = []
    if fields.Status not in (None, "AUTHORISED", "DELETED") or (before is None and fields.Status == "DELETED"):
        rules.append("Bank transaction not of valid status for modification")
    found = read_document(call, before, fields, "purchases" if kind == "SPEND" else "sales", True, rules)
    ref = fields.BankAccount
    account = find_account(call, ref.Code, ref.AccountID) if ref else None
    if account and account.Type == "BANK":
        found["BankAccountID"] = account.row_id
        if before is None and account.CurrencyCode and not fields.CurrencyCode:
            found["CurrencyCode"] = account.CurrencyCode
        if account.CurrencyCode and account.CurrencyCode != found.get("CurrencyCode", account.CurrencyCode):
            rules.append("The currency of a bank transaction must be that of its bank account")
    elif before is None or ref:
        rules.append("BankAccount must be an active account of type BANK")
    for name in ("IsReconciled", "Url", "Status"):
        if getattr(fields, name) is not None:
            found[name] = getattr(fields, name)
    refuse(rules)
    if before:
        row = before.change(**found)
    else:
        key = call.tables.new_id(BankTransaction)
        row = BankTransaction(**{"BankTransactionID": key, "Type": kind, "ContactID": None, **found})
    return call.tables.put(with_contact(call, row, fields, "purchases" if kind == "SPEND" else "sales"))


def show_bank_transaction(call: Call, row: BankTransaction, full: bool) -> dict[str, Any]:
    """The bank transaction as the API shows it."""
    account = call.tables.find(Account, row.BankAccountID)
    bank = {"AccountID": account.AccountID, "Code": account.Code, "Name": account.Name} if account else {}
    return {
        "BankTransactionID": row.BankTransactionID,
        "Type": row.Type,
        "BankAccount": bank,
        **show_document(call, row, full),
        "IsReconciled": row.IsReconciled,
        "Status": row.Status,
    }


BANK_TRANSACTIONS: Endpoint[BankTransaction, BankTransactionFields] = Endpoint(
    noun="BankTransaction",
    kind=BankTransaction,
    fields=BankTransactionFields,
    write=write_bank_transaction,
    show=show_bank_transaction,
    properties={
        **DOCUMENT_PROPERTIES,
        **properties(
            BankTransactionID="Guid",
            Type="String",
            Status="String",
            IsReconciled="Boolean",
        ),
        "bankaccount.accountid": Property("Guid", lambda call: attrgetter("BankAccountID")),
    },
)

ROUTES = BANK_TRANSACTIONS.routes()
