"""Xero rows that families put on stage."""

from __future__ import annotations

from typing import Any

from environment.apps.xero.rows import account_id, contact_id, credit_note_id, invoice_id
from generators.business import Company
from generators.family import Scene


def add_contact(scene: Scene, company: Company, **fields: Any) -> str:
    """Add a supplier or customer, and return the id."""
    key = contact_id(scene.invent.number(101, 9_999))
    scene.add("xero", "Contact", {"ContactID": key, "Name": company.name, **fields})
    return key


def add_account(scene: Scene, code: str, name: str, kind: str = "EXPENSE") -> str:
    """Add a ledger account, and return the id; `kind` is the account type, such as EXPENSE, REVENUE or BANK."""
    key = account_id(scene.invent.number(101, 9_999))
    scene.add("xero", "Account", {"AccountID": key, "Code": code, "Name": name, "Type": kind})
    return key


def add_bill(
    scene: Scene, contact: str, number: str, total: str, currency: str, day: str, due: str, **fields: Any
) -> str:
    """Add an authorised bill of a supplier with one line, and return the id."""
    return _add_invoice(scene, "ACCPAY", contact, number, total, currency, day, due, fields)


def add_invoice(
    scene: Scene, contact: str, number: str, total: str, currency: str, day: str, due: str, **fields: Any
) -> str:
    """Add an authorised invoice to a customer with one line, and return the id."""
    return _add_invoice(scene, "ACCREC", contact, number, total, currency, day, due, fields)


def add_credit_note(scene: Scene, contact: str, number: str, total: str, currency: str, day: str, **fields: Any) -> str:
    """Add an authorised credit note of a supplier with one line, and return the id."""
    key = credit_note_id(scene.invent.number(101, 9_999))
    row = {"CreditNoteID": key, "Type": "ACCPAYCREDIT", "CreditNoteNumber": number, "ContactID": contact}
    lines = [{"Description": "Credit", "UnitAmount": total, "AccountCode": "300"}]
    scene.add("xero", "CreditNote", {**row, "CurrencyCode": currency, "Date": day, "LineItems": lines, **fields})
    return key


def _add_invoice(
    scene: Scene,
    kind: str,
    contact: str,
    number: str,
    total: str,
    currency: str,
    day: str,
    due: str,
    fields: dict[str, Any],
) -> str:
    key = invoice_id(scene.invent.number(101, 9_999))
    row = {"InvoiceID": key, "Type": kind, "InvoiceNumber": number, "ContactID": contact, "CurrencyCode": currency}
    lines = [{"Description": "Goods", "UnitAmount": total, "AccountCode": "300"}]
    scene.add("xero", "Invoice", {**row, "Date": day, "DueDate": due, "LineItems": lines, **fields})
    return key
