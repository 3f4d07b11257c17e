"""Xero's actions are short scripts over its API; documents go by numbers, contacts and accounts by names."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import quote

from pydantic import Field

from environment.apps.kit import Action, AppError, Args, Fetch

LIMIT = 20
"""Most records that a finding action shows on one page."""

Kind = Literal["bills", "invoices"]
InvoiceStatus = Literal["DRAFT", "SUBMITTED", "AUTHORISED", "PAID", "VOIDED", "DELETED"]
_NOTES = 50
"""Most notes that are shown with a document, the newest."""
_TYPES = {"bills": "ACCPAY", "invoices": "ACCREC"}


class FindContacts(Args):
    name: str = Field(description="Part of the name")


class FindInvoices(Args):
    kind: Kind = Field(description="Bills are from suppliers")
    contact: str | None = Field(None, description="Part of contact name")
    number: str | None = Field(None, description="Part of the number")
    status: InvoiceStatus | None = Field(None, description="Only this status")
    page: int = Field(1, description="Page, from 1")


class OneInvoice(Args):
    number: str = Field(description="Number or id")


class FindCreditNotes(Args):
    contact: str | None = Field(None, description="Part of contact name")
    number: str | None = Field(None, description="Part of the number")
    page: int = Field(1, description="Page, from 1")


class CreateCreditNote(Args):
    contact: str = Field(description="Contact name")
    number: str = Field(description="Credit note number")
    amount: float = Field(description="Total amount")
    currency: str = Field(description="Such as GBP")
    account: str = Field(description="Account code")
    kind: Literal["supplier", "customer"] = Field("supplier", description="From supplier or to customer")
    description: str | None = Field(None, description="Text of the line")
    date: str | None = Field(None, description="YYYY-MM-DD")


class AllocateCredit(Args):
    credit_note: str = Field(description="Credit note number or id")
    invoice: str = Field(description="Invoice number or id")
    amount: float = Field(description="Amount")


class RecordPayment(Args):
    invoice: str = Field(description="Invoice number or id")
    amount: float = Field(description="Amount")
    account: str = Field(description="Bank account code or name")
    date: str | None = Field(None, description="YYYY-MM-DD")
    reference: str | None = Field(None, description="Reference")


class RemoveCredit(Args):
    credit_note: str = Field(description="Credit note number or id")
    invoice: str = Field(description="Invoice number or id")


class CreateInvoice(Args):
    kind: Kind = Field(description="Bills are from suppliers")
    contact: str = Field(description="Contact name")
    number: str = Field(description="Invoice number")
    amount: float = Field(description="Total amount")
    currency: str = Field(description="Such as GBP")
    account: str = Field(description="Account code")
    date: str = Field(description="YYYY-MM-DD")
    due_date: str = Field(description="YYYY-MM-DD")
    description: str | None = Field(None, description="Text of the line")
    reference: str | None = Field(None, description="Reference")
    status: Literal["DRAFT", "SUBMITTED", "AUTHORISED"] = Field("DRAFT", description="Status")


class UpdateInvoice(Args):
    number: str = Field(description="Number or id")
    due_date: str | None = Field(None, description="YYYY-MM-DD")
    reference: str | None = Field(None, description="New reference")
    planned_date: str | None = Field(None, description="Planned or expected payment date")


class SetInvoiceStatus(Args):
    number: str = Field(description="Number or id")
    status: Literal["DRAFT", "SUBMITTED", "AUTHORISED", "VOIDED", "DELETED"] = Field(description="New status")


class AddNote(Args):
    number: str = Field(description="Invoice number or id")
    text: str = Field(description="Text")


class CreateContact(Args):
    name: str = Field(description="Name")
    email: str | None = Field(None, description="Email")
    phone: str | None = Field(None, description="Phone")
    currency: str | None = Field(None, description="Such as GBP")


class UpdateContact(Args):
    name: str = Field(description="Contact name")
    new_name: str | None = Field(None, description="New name")
    email: str | None = Field(None, description="New email")
    phone: str | None = Field(None, description="New phone")
    bank_account: str | None = Field(None, description="New bank account")
    archived: bool | None = Field(None, description="True to archive")


class FindAccounts(Args):
    name: str | None = Field(None, description="Part of the name")


class FindOrders(Args):
    contact: str | None = Field(None, description="Part of contact name")
    number: str | None = Field(None, description="Part of the number")
    page: int = Field(1, description="Page, from 1")


class SetOrderStatus(Args):
    number: str = Field(description="Number or id")
    status: Literal["SUBMITTED", "AUTHORISED", "BILLED", "DELETED"] = Field(description="New status")


class SetQuoteStatus(Args):
    number: str = Field(description="Number or id")
    status: Literal["SENT", "ACCEPTED", "DECLINED", "INVOICED", "DELETED"] = Field(description="New status")


def _find_contacts(fetch: Fetch, args: FindContacts) -> Any:
    params = {"where": _contains("Name", args.name), "page": 1, "pageSize": LIMIT, "order": "Name"}
    answer = fetch("GET", "/Contacts", params)
    shown = [
        _without_empty(
            name=contact["Name"],
            email=contact["EmailAddress"],
            phone=_phone(contact),
            currency=contact.get("DefaultCurrency"),
            bank_account=contact["BankAccountDetails"],
        )
        for contact in answer["Contacts"]
    ]
    return _bounded(shown, answer, "a longer name")


def _find_invoices(fetch: Fetch, args: FindInvoices) -> Any:
    terms = [f'Type=="{_TYPES[args.kind]}"']
    if args.status:
        terms.append(f'Status=="{args.status}"')
    answer = _found(fetch, "Invoices", "InvoiceNumber", terms, args)
    return _bounded([_invoice_line(row) for row in answer["Invoices"]], answer, f"page={args.page + 1}")


def _get_invoice(fetch: Fetch, args: OneInvoice) -> dict[str, Any]:
    row = _one(fetch, "Invoices", "InvoiceNumber", args.number)
    notes = fetch("GET", f"/Invoices/{row['InvoiceID']}/History")["HistoryRecords"]
    return _without_empty(
        kind="bill" if row["Type"] == "ACCPAY" else "invoice",
        **_invoice_line(row),
        total=_money(row, "Total"),
        planned_date=_day(row, "PlannedPaymentDate") or _day(row, "ExpectedPaymentDate"),
        lines=[_line(line) for line in row["LineItems"]],
        payments=[f"{part['Amount']:.2f} {part['Reference']}".strip() for part in row["Payments"]],
        credits=[f"{part['AppliedAmount']:.2f} {part['CreditNoteNumber']}".strip() for part in row["CreditNotes"]],
        notes=[note["Details"] for note in notes[-_NOTES:]],
        more=f"{len(notes) - _NOTES} older notes" if len(notes) > _NOTES else "",
    )


def _find_credit_notes(fetch: Fetch, args: FindCreditNotes) -> Any:
    answer = _found(fetch, "CreditNotes", "CreditNoteNumber", [], args)
    shown = [
        _without_empty(
            number=row["CreditNoteNumber"] or row["CreditNoteID"],
            contact=row["Contact"].get("Name"),
            reference=row["Reference"],
            total=_money(row, "Total"),
            left=_money(row, "RemainingCredit"),
            status=row["Status"],
            applied_to=[part["Invoice"]["InvoiceNumber"] for part in row["Allocations"]],
        )
        for row in answer["CreditNotes"]
    ]
    return _bounded(shown, answer, f"page={args.page + 1}")


def _create_credit_note(fetch: Fetch, args: CreateCreditNote) -> dict[str, Any]:
    kind = "ACCPAYCREDIT" if args.kind == "supplier" else "ACCRECCREDIT"
    body = _document(fetch, args, kind) | {"CreditNoteNumber": args.number, "Status": "AUTHORISED"}
    row = fetch("PUT", "/CreditNotes", body=body)["CreditNotes"][0]
    return {"number": row["CreditNoteNumber"], "left": _money(row, "RemainingCredit"), "status": row["Status"]}


def _allocate_credit(fetch: Fetch, args: AllocateCredit) -> dict[str, Any]:
    note = _one(fetch, "CreditNotes", "CreditNoteNumber", args.credit_note)
    invoice = _one(fetch, "Invoices", "InvoiceNumber", args.invoice, note["Contact"].get("ContactID"))
    body = {"Amount": args.amount, "Invoice": {"InvoiceID": invoice["InvoiceID"]}}
    fetch("PUT", f"/CreditNotes/{note['CreditNoteID']}/Allocations", body=body)
    invoice = fetch("GET", f"/Invoices/{invoice['InvoiceID']}")["Invoices"][0]
    note = fetch("GET", f"/CreditNotes/{note['CreditNoteID']}")["CreditNotes"][0]
    return {
        "invoice": invoice["InvoiceNumber"],
        "amount_due": _money(invoice, "AmountDue"),
        "credit_left": _money(note, "RemainingCredit"),
    }


def _record_payment(fetch: Fetch, args: RecordPayment) -> dict[str, Any]:
    invoice = _one(fetch, "Invoices", "InvoiceNumber", args.invoice)
    body = _without_empty(
        Invoice={"InvoiceID": invoice["InvoiceID"]},
        Account={"AccountID": _account(fetch, args.account)["AccountID"]},
        Amount=args.amount,
        Date=args.date,
        Reference=args.reference,
    )
    fetch("PUT", "/Payments", body=body)
    return _changed(fetch("GET", f"/Invoices/{invoice['InvoiceID']}")["Invoices"][0])


def _remove_credit(fetch: Fetch, args: RemoveCredit) -> dict[str, Any]:
    note = _one(fetch, "CreditNotes", "CreditNoteNumber", args.credit_note)
    invoice = _one(fetch, "Invoices", "InvoiceNumber", args.invoice, note["Contact"].get("ContactID"))
    parts = [part for part in note["Allocations"] if part["Invoice"]["InvoiceID"] == invoice["InvoiceID"]]
    if not parts:
        raise AppError(400, f"credit note {args.credit_note[:40]!r} is not applied to {args.invoice[:40]!r}")
    for part in parts:
        fetch("DELETE", f"/CreditNotes/{note['CreditNoteID']}/Allocations/{part['AllocationID']}")
    return _changed(fetch("GET", f"/Invoices/{invoice['InvoiceID']}")["Invoices"][0])


def _remove_payments(fetch: Fetch, args: OneInvoice) -> dict[str, Any]:
    row = _one(fetch, "Invoices", "InvoiceNumber", args.number)
    if not row["Payments"]:
        raise AppError(400, f"{args.number[:40]!r} has no payments")
    for payment in row["Payments"]:
        fetch("POST", f"/Payments/{payment['PaymentID']}", body={"Status": "DELETED"})
    return _changed(fetch("GET", f"/Invoices/{row['InvoiceID']}")["Invoices"][0])


def _email_invoice(fetch: Fetch, args: OneInvoice) -> dict[str, Any]:
    row = _one(fetch, "Invoices", "InvoiceNumber", args.number)
    fetch("POST", f"/Invoices/{row['InvoiceID']}/Email", body={})
    return {"number": row["InvoiceNumber"], "emailed": True}


def _create_invoice(fetch: Fetch, args: CreateInvoice) -> dict[str, Any]:
    body = _document(fetch, args, _TYPES[args.kind]) | {"InvoiceNumber": args.number, "DueDate": args.due_date}
    body |= _without_empty(Status=args.status, Reference=args.reference)
    return _changed(fetch("PUT", "/Invoices", body=body)["Invoices"][0])


def _update_invoice(fetch: Fetch, args: UpdateInvoice) -> dict[str, Any]:
    row = _one(fetch, "Invoices", "InvoiceNumber", args.number)
    planned = "PlannedPaymentDate" if row["Type"] == "ACCPAY" else "ExpectedPaymentDate"
    given = {"DueDate": args.due_date, "Reference": args.reference, planned: args.planned_date}
    body = {name: value for name, value in given.items() if value is not None}
    if not body:
        raise AppError(400, "nothing to change; give due_date, reference or planned_date")
    changed = fetch("POST", f"/Invoices/{row['InvoiceID']}", body=body)["Invoices"][0]
    return _changed(changed) | _without_empty(due_date=_day(changed, "DueDate"), reference=changed["Reference"])


def _set_invoice_status(fetch: Fetch, args: SetInvoiceStatus) -> dict[str, Any]:
    row = _one(fetch, "Invoices", "InvoiceNumber", args.number)
    return _changed(fetch("POST", f"/Invoices/{row['InvoiceID']}", body={"Status": args.status})["Invoices"][0])


def _add_note(fetch: Fetch, args: AddNote) -> dict[str, Any]:
    row = _one(fetch, "Invoices", "InvoiceNumber", args.number)
    body = {"HistoryRecords": [{"Details": args.text}]}
    fetch("PUT", f"/Invoices/{row['InvoiceID']}/History", body=body)
    return {"number": row["InvoiceNumber"], "note": args.text}


def _create_contact(fetch: Fetch, args: CreateContact) -> dict[str, Any]:
    body = _without_empty(Name=args.name, EmailAddress=args.email, DefaultCurrency=args.currency)
    body |= {"Phones": [{"PhoneType": "DEFAULT", "PhoneNumber": args.phone}]} if args.phone else {}
    row = fetch("PUT", "/Contacts", body=body)["Contacts"][0]
    return {"name": row["Name"], "created": True}


def _update_contact(fetch: Fetch, args: UpdateContact) -> dict[str, Any]:
    contact = _contact(fetch, args.name)
    given: dict[str, Any] = {
        "Name": args.new_name,
        "EmailAddress": args.email,
        "BankAccountDetails": args.bank_account,
        "Phones": None if args.phone is None else [{"PhoneType": "DEFAULT", "PhoneNumber": args.phone}],
        "ContactStatus": None if args.archived is None else "ARCHIVED" if args.archived else "ACTIVE",
    }
    body = {name: value for name, value in given.items() if value is not None}
    if not body:
        raise AppError(400, "nothing to change; give a new name, email, phone or bank account")
    row = fetch("POST", f"/Contacts/{contact['ContactID']}", body=body)["Contacts"][0]
    return _without_empty(
        name=row["Name"],
        email=row["EmailAddress"],
        phone=_phone(row),
        bank_account=row["BankAccountDetails"],
        archived=row["ContactStatus"] == "ARCHIVED" or None,
    )


def _find_accounts(fetch: Fetch, args: FindAccounts) -> Any:
    params = {"where": _contains("Name", args.name)} if args.name else None
    rows = fetch("GET", "/Accounts", params)["Accounts"]
    shown = [
        {"code": row["Code"], "name": row["Name"], "type": row["Type"]} for row in rows if row["Status"] == "ACTIVE"
    ]
    return shown[:LIMIT]


def _find_orders(fetch: Fetch, args: FindOrders) -> Any:
    answer = _found(fetch, "PurchaseOrders", "PurchaseOrderNumber", [], args)
    shown = [
        _without_empty(
            number=row["PurchaseOrderNumber"],
            contact=row["Contact"].get("Name"),
            date=_day(row, "Date"),
            total=_money(row, "Total"),
            status=row["Status"],
            reference=row["Reference"],
            lines=[_line(line) for line in row["LineItems"]],
        )
        for row in answer["PurchaseOrders"]
    ]
    return _bounded(shown, answer, f"page={args.page + 1}")


def _set_order_status(fetch: Fetch, args: SetOrderStatus) -> dict[str, Any]:
    row = _one(fetch, "PurchaseOrders", "PurchaseOrderNumber", args.number)
    answer = fetch("POST", f"/PurchaseOrders/{row['PurchaseOrderID']}", body={"Status": args.status})
    return {"number": row["PurchaseOrderNumber"], "status": answer["PurchaseOrders"][0]["Status"]}


def _find_quotes(fetch: Fetch, args: FindOrders) -> Any:
    answer = _found(fetch, "Quotes", "QuoteNumber", [], args)
    shown = [
        _without_empty(
            number=row["QuoteNumber"],
            contact=row["Contact"].get("Name"),
            date=_day(row, "Date"),
            expires=_day(row, "ExpiryDate"),
            total=_money(row, "Total"),
            status=row["Status"],
            title=row["Title"],
        )
        for row in answer["Quotes"]
    ]
    return _bounded(shown, answer, f"page={args.page + 1}")


def _set_quote_status(fetch: Fetch, args: SetQuoteStatus) -> dict[str, Any]:
    row = _one(fetch, "Quotes", "QuoteNumber", args.number)
    answer = fetch("POST", f"/Quotes/{row['QuoteID']}", body={"Status": args.status})
    return {"number": row["QuoteNumber"], "status": answer["Quotes"][0]["Status"]}


def _found(fetch: Fetch, plural: str, number: str, terms: list[str], args: Any) -> Any:
    """A page of documents whose contact and number hold these parts, oldest first."""
    if args.contact:
        terms.append(_contains("Contact.Name", args.contact))
    if args.number:
        terms.append(_contains(number, args.number))
    params = {"page": max(1, args.page), "pageSize": LIMIT, "order": f"Date,{number}"}
    return fetch("GET", f"/{plural}", params | ({"where": " AND ".join(terms)} if terms else {}))


def _one(fetch: Fetch, plural: str, number: str, key: str, contact_id: str | None = None) -> Any:
    """The one live document with this number or id; of several the one of the contact."""
    key = key.strip()
    rows = fetch("GET", f"/{plural}", {"where": f'{number}=="{_quoted(key)}"', "page": 1, "pageSize": 100})[plural]
    if not rows and key:
        return fetch("GET", f"/{plural}/{quote(key, safe='')}")[plural][0]
    rows = [row for row in rows if row["Status"] not in ("DELETED", "VOIDED")] or rows
    if contact_id and len(rows) > 1:
        rows = [row for row in rows if row["Contact"].get("ContactID") == contact_id] or rows
    if len(rows) == 1:
        return rows[0]
    id_field = f"{plural[:-1]}ID"
    several = "; ".join(f"{row['Contact'].get('Name')}: {row[id_field]}" for row in rows[:5])
    raise AppError(400, f"several have the number {key[:40]!r}, give an id: {several}" if rows else "give a number")


def _contact(fetch: Fetch, name: str) -> Any:
    """The contact with exactly this name."""
    wanted = name.strip().lower()
    where = f'Name.ToLower()=="{_quoted(wanted)}"'
    rows = fetch("GET", "/Contacts", {"where": where, "includeArchived": True})["Contacts"]
    rows = [row for row in rows if row["ContactStatus"] == "ACTIVE"] or rows
    if rows:
        return rows[0]
    near = (
        fetch("GET", "/Contacts", {"searchTerm": wanted[:80], "page": 1, "pageSize": 5})["Contacts"] if wanted else []
    )
    also = f"; there are {', '.join(row['Name'] for row in near)}" if near else ""
    raise AppError(400, f"no contact is called {name[:80]!r}{also}")


def _account(fetch: Fetch, text: str) -> Any:
    """The account with this code or name."""
    wanted = text.strip().casefold()
    rows = fetch("GET", "/Accounts")["Accounts"]
    for row in rows:
        if wanted and wanted in (row["Code"].casefold(), row["Name"].casefold()):
            return row
    banks = ", ".join(row["Code"] or row["Name"] for row in rows if row["Type"] == "BANK")
    raise AppError(400, f"there is no account {text[:80]!r}; bank accounts are {banks or 'none'}")


def _document(fetch: Fetch, args: CreateCreditNote | CreateInvoice, kind: str) -> dict[str, Any]:
    """The body of a new document of one line, whose amount is its total."""
    line = {"Description": args.description or args.number, "UnitAmount": args.amount, "AccountCode": args.account}
    found = {
        "Type": kind,
        "Contact": {"ContactID": _contact(fetch, args.contact)["ContactID"]},
        "LineAmountTypes": "Inclusive",
        "LineItems": [line],
        "CurrencyCode": args.currency,
    }
    return found | _without_empty(Date=args.date)


def _invoice_line(row: Any) -> dict[str, Any]:
    return _without_empty(
        number=row["InvoiceNumber"] or row["InvoiceID"],
        contact=row["Contact"].get("Name"),
        date=_day(row, "Date"),
        due_date=_day(row, "DueDate"),
        amount_due=_money(row, "AmountDue"),
        status=row["Status"],
        reference=row["Reference"],
    )


def _changed(row: Any) -> dict[str, Any]:
    return {
        "number": row["InvoiceNumber"] or row["InvoiceID"],
        "status": row["Status"],
        "amount_due": _money(row, "AmountDue"),
    }


def _line(line: Any) -> str:
    count = "" if line["Quantity"] == 1 else f"{line['Quantity']:g} x "
    account = f", account {line['AccountCode']}" if "AccountCode" in line else ""
    return f"{count}{line['Description']} {line['LineAmount']:.2f}{account}"


def _money(row: Any, name: str) -> str:
    return f"{row['CurrencyCode']} {row[name]:.2f}"


def _day(row: Any, name: str) -> str | None:
    text = row.get(f"{name}String")
    return text[:10] if text else None


def _phone(contact: Any) -> str | None:
    numbers = (f"{phone['PhoneAreaCode']} {phone['PhoneNumber']}".strip() for phone in contact["Phones"])
    return next((number for number in numbers if number), None)


def _contains(name: str, text: str) -> str:
    return f'{name}.ToLower().Contains("{_quoted(text.strip().lower())}")'


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _without_empty(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, "", [])}


def _bounded(shown: list[Any], answer: Any, more: str) -> Any:
    total = answer["pagination"]["itemCount"]
    left = total - (answer["pagination"]["page"] - 1) * LIMIT - len(shown)
    return {"records": shown, "more": f"{left} more, use {more}"} if shown and left > 0 else shown


ACTIONS = (
    Action("xero_find_contacts", "read", "Find customers and suppliers by name.", FindContacts, _find_contacts),
    Action("xero_find_invoices", "read", "Find bills or sales invoices.", FindInvoices, _find_invoices),
    Action("xero_get_invoice", "read", "Read one bill or invoice with its notes.", OneInvoice, _get_invoice),
    Action("xero_find_credit_notes", "read", "Find credit notes.", FindCreditNotes, _find_credit_notes),
    Action(
        "xero_create_credit_note", "write", "Create an authorised credit note.", CreateCreditNote, _create_credit_note
    ),
    Action("xero_allocate_credit", "write", "Apply a credit note to an invoice.", AllocateCredit, _allocate_credit),
    Action("xero_record_payment", "write", "Record a payment of an invoice.", RecordPayment, _record_payment),
    Action("xero_remove_credit", "write", "Take a credit note off an invoice.", RemoveCredit, _remove_credit),
    Action("xero_remove_payments", "write", "Delete an invoice's payments.", OneInvoice, _remove_payments),
    Action("xero_create_invoice", "write", "Create a bill or sales invoice.", CreateInvoice, _create_invoice),
    Action("xero_update_invoice", "write", "Change an invoice's dates or reference.", UpdateInvoice, _update_invoice),
    Action(
        "xero_set_invoice_status", "write", "Approve, void or delete an invoice.", SetInvoiceStatus, _set_invoice_status
    ),
    Action("xero_email_invoice", "write", "Email a sales invoice to its customer.", OneInvoice, _email_invoice),
    Action("xero_add_note", "write", "Add a note to an invoice.", AddNote, _add_note),
    Action("xero_create_contact", "write", "Create a contact.", CreateContact, _create_contact),
    Action("xero_update_contact", "write", "Change a contact.", UpdateContact, _update_contact),
    Action("xero_find_accounts", "read", "List accounts.", FindAccounts, _find_accounts),
    Action("xero_find_purchase_orders", "read", "Find purchase orders.", FindOrders, _find_orders),
    Action("xero_set_purchase_order_status", "write", "Move a purchase order on.", SetOrderStatus, _set_order_status),
    Action("xero_find_quotes", "read", "Find quotes to customers.", FindOrders, _find_quotes),
    Action("xero_set_quote_status", "write", "Move a quote on.", SetQuoteStatus, _set_quote_status),
)
"""Every hand-written action of Xero."""
