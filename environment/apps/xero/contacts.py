"""A contact is a customer, a supplier or both; its name is unique among the active ones."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from environment.apps.kit import Call
from environment.apps.xero.dates import moment_of, written_moment
from environment.apps.xero.documents import CURRENCIES, contact_named, refuse
from environment.apps.xero.endpoint import Element, Endpoint, ListArgs, Listed, Text
from environment.apps.xero.filters import properties
from environment.apps.xero.money import ZERO
from environment.apps.xero.rows import Address, Contact, ContactPerson, Invoice, Phone


class ContactFields(Element):
    """What a request may give of a contact."""

    read_only = frozenset(
        "IsSupplier IsCustomer Balances ContactGroups Website Discount SalesTrackingCategories "
        "PurchasesTrackingCategories BatchPayments BrandingTheme PaymentTerms".split()
    )
    ContactID: str | None = None
    Name: Text | None = None
    ContactStatus: Literal["ACTIVE", "ARCHIVED"] | None = None
    ContactNumber: Text | None = None
    AccountNumber: Text | None = None
    FirstName: Text | None = None
    LastName: Text | None = None
    EmailAddress: str | None = None
    BankAccountDetails: Text | None = None
    TaxNumber: Text | None = None
    DefaultCurrency: str | None = None
    Phones: list[Phone] | None = Field(None, max_length=10)
    Addresses: list[Address] | None = Field(None, max_length=10)
    ContactPersons: list[ContactPerson] | None = Field(None, max_length=5)


class ListContacts(ListArgs):
    IDs: Listed | None = Field(None, description="Contact ids, comma separated")
    includeArchived: bool = Field(False, description="Whether to show archived ones")
    summaryOnly: bool = Field(False, description="Without balances")
    searchTerm: str | None = Field(None, description="Part of name, email or number")


def write_contact(call: Call, before: Contact | None, fields: ContactFields) -> Contact:
    """Create or change a contact."""
    rules: list[str] = []
    found = {name: getattr(fields, name) for name in fields.model_fields_set if name != "ContactID"}
    name = (fields.Name or "").strip()
    if fields.Name is not None or before is None:
        found["Name"] = name
        same = contact_named(call, name) if name else None
        if not name:
            rules.append("The contact name must be specified.")
        elif same and same.ContactStatus == "ACTIVE" and (before is None or same.row_id != before.row_id):
            message = f"The contact name {name[:80]} is already assigned to another contact. "
            rules.append(f"{message}The contact name must be unique across all active contacts.")
    if fields.EmailAddress and ("@" not in fields.EmailAddress or " " in fields.EmailAddress.strip()):
        rules.append(f"Email address '{fields.EmailAddress[:80]}' is not valid")
    if fields.DefaultCurrency and fields.DefaultCurrency not in CURRENCIES:
        rules.append(f"Organisation is not subscribed to currency {fields.DefaultCurrency[:10]}")
    refuse(rules)
    if before and fields.Phones is not None:
        given = {phone.PhoneType for phone in fields.Phones}
        found["Phones"] = (*(phone for phone in before.Phones if phone.PhoneType not in given), *fields.Phones)
    found["UpdatedDateUTC"] = moment_of(call.now)
    if before:
        return call.tables.put(before.change(**found))
    return call.tables.put(Contact(ContactID=call.tables.new_id(Contact), **found))


def _match(call: Call, fields: ContactFields) -> Contact | None:
    """A POST with the number or name of an existing contact means that one."""
    if fields.ContactNumber:
        found = call.tables.where(Contact, "ContactNumber", fields.ContactNumber)
        if found:
            return found[0]
    same = contact_named(call, fields.Name) if fields.Name else None
    return same if same and same.ContactStatus == "ACTIVE" else None


def show_contact(call: Call, row: Contact, full: bool) -> dict[str, Any]:
    """The contact as the API shows it."""
    shown = row.model_dump(mode="json", exclude={"UpdatedDateUTC", "DefaultCurrency", "ContactNumber"})
    shown["UpdatedDateUTC"] = written_moment(row.UpdatedDateUTC)
    for name in ("DefaultCurrency", "ContactNumber"):
        if getattr(row, name):
            shown[name] = getattr(row, name)
    if full:
        shown["Balances"] = _balances(call, row)
    return {**shown, "ContactGroups": [], "HasValidationErrors": False}


def _balances(call: Call, row: Contact) -> dict[str, Any]:
    """What is outstanding and overdue, in the currencies of the documents added up as they are."""
    today, found = call.now.date().isoformat(), {}
    for kind, name in (("ACCREC", "AccountsReceivable"), ("ACCPAY", "AccountsPayable")):
        due = overdue = ZERO
        for invoice in call.tables.where(Invoice, "ContactID", row.row_id):
            if invoice.Type == kind and invoice.Status == "AUTHORISED":
                due += invoice.AmountDue
                overdue += invoice.AmountDue if invoice.DueDate and invoice.DueDate < today else ZERO
        found[name] = {"Outstanding": float(due), "Overdue": float(overdue)}
    return found


def _narrow(call: Call, args: ListContacts) -> list[Contact]:
    if args.IDs is not None:
        found = [call.tables.find(Contact, key.lower()) for key in args.IDs]
        rows = [row for row in found if row]
    else:
        rows = call.tables.all(Contact)
    if not args.includeArchived:
        rows = [row for row in rows if row.ContactStatus == "ACTIVE"]
    if args.searchTerm:
        term = args.searchTerm.casefold()
        rows = [row for row in rows if term in _searched(row)]
    return rows


def _searched(row: Contact) -> str:
    parts = (row.Name, row.FirstName, row.LastName, row.ContactNumber, row.EmailAddress, row.AccountNumber)
    return "\n".join(parts).casefold()


CONTACTS: Endpoint[Contact, ContactFields] = Endpoint(
    noun="Contact",
    kind=Contact,
    fields=ContactFields,
    write=write_contact,
    show=show_contact,
    properties=properties(
        ContactID="Guid",
        Name="String",
        FirstName="String",
        LastName="String",
        EmailAddress="String",
        AccountNumber="String",
        ContactNumber="String",
        ContactStatus="String",
        TaxNumber="String",
        BankAccountDetails="String",
        DefaultCurrency="String",
        IsSupplier="Boolean",
        IsCustomer="Boolean",
        UpdatedDateUTC="DateTime",
    ),
    number="ContactNumber",
    match=_match,
    list_args=ListContacts,
    narrow=_narrow,
)

ROUTES = CONTACTS.routes()
