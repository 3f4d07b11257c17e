"""A document's fields are read here: its contact, line items, currency and dates, with the rules that all share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from operator import attrgetter
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError, ValidationInfo, field_validator

from environment.apps.kit import Call, explain
from environment.apps.xero.dates import Day, moment_of, written_day, written_moment
from environment.apps.xero.endpoint import Element, Text
from environment.apps.xero.filters import Property, properties
from environment.apps.xero.lines import TAX_RATES, LineItem, TaxMode, complete
from environment.apps.xero.money import Money, Rate, rounded
from environment.apps.xero.refusals import Invalid
from environment.apps.xero.rows import Account, Contact, Document, Item, Organisation, organisation_id

Side = Literal["sales", "purchases"]

CURRENCIES = frozenset(
    "AED AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS INR JPY KRW MXN NOK NZD PLN SEK SGD THB TRY USD ZAR".split()
)
"""What an organisation may use."""


class ContactRef(Element):
    """Which contact is meant; one that is only named and not known is created."""

    read_only = frozenset(Contact.model_fields) - {"ContactID", "Name", "ContactNumber"} | {"Balances", "ContactGroups"}
    ContactID: str | None = None
    ContactNumber: Text | None = None
    Name: Text | None = None


class LineFields(Element):
    """A line item as a request gives it."""

    read_only = frozenset({"Item", "DiscountAmount"})
    LineItemID: str | None = None
    Description: Text | None = Field(None, max_length=4000)
    Quantity: Rate | None = None
    UnitAmount: Rate | None = None
    DiscountRate: Rate | None = None
    ItemCode: Text | None = None
    AccountCode: Text | None = None
    AccountID: str | None = None
    TaxType: str | None = None
    TaxAmount: Money | None = None
    LineAmount: Money | None = None

    @field_validator("UnitAmount")
    @classmethod
    def _to_cents(cls, price: Decimal | None, info: ValidationInfo) -> Decimal | None:
        """Unit prices have two places unless the request says `unitdp=4`."""
        if price is None or (info.context or {}).get("unitdp") == 4:
            return price
        return rounded(rounded(price), 4)


class DocumentFields(Element):
    """What a request may give of any document."""

    Contact: ContactRef | None = None
    Date: Day | None = None
    LineAmountTypes: TaxMode | None = None
    LineItems: list[LineFields] | None = Field(None, max_length=200)
    Reference: Text | None = None
    CurrencyCode: str | None = None


def organisation(call: Call) -> Organisation:
    """The company whose books these are."""
    for row in call.tables.all(Organisation):
        return row
    return Organisation(OrganisationID=organisation_id(1), Name=call.actor.get("company", "") or "Company")


def today(call: Call) -> str:
    return call.now.date().isoformat()


def check_open(call: Call, day: str, rules: list[str]) -> None:
    """Adds the rule that a locked day breaks."""
    locked = organisation(call).PeriodLockDate
    if locked and day <= locked:
        rules.append(f"The document date cannot be before the period lock date, currently set at {locked}")


def read_document(
    call: Call, before: Document | None, fields: DocumentFields, side: Side, final: bool, rules: list[str]
) -> dict[str, Any]:
    """The common fields to write; what is wrong with them is added to `rules`. `final`: no longer a draft."""
    found: dict[str, Any] = {"UpdatedDateUTC": moment_of(call.now)}
    contact = _contact(call, fields.Contact, rules) if fields.Contact else None
    if contact:
        found["ContactID"] = contact.ContactID
    elif fields.Contact and (fields.Contact.Name or "").strip():
        found["ContactID"] = _NEW
    elif before is None or fields.Contact:
        rules.append("A Contact must be specified for this type of transaction")
    found["Date"] = fields.Date or (before.Date if before else today(call))
    if before is None or fields.Date:
        check_open(call, found["Date"], rules)
    kind = found["LineAmountTypes"] = fields.LineAmountTypes or (before.LineAmountTypes if before else "Exclusive")
    found["LineItems"] = _lines(call, before, fields, side, kind, final, rules)
    if fields.Reference is not None:
        found["Reference"] = fields.Reference
    currency = fields.CurrencyCode and fields.CurrencyCode.strip().upper()
    if currency and currency not in CURRENCIES:
        rules.append(f"Organisation is not subscribed to currency {currency[:10]}")
    if currency or before is None:
        found["CurrencyCode"] = currency or (contact and contact.DefaultCurrency) or organisation(call).BaseCurrency
    return found


DocumentT = TypeVar("DocumentT", bound=Document)
_NEW = ""
"""The ContactID of a document whose contact is yet to be created."""


def with_contact(call: Call, row: DocumentT, fields: DocumentFields, side: Side) -> DocumentT:
    """The document with its contact, created when it was only named, and marked as a customer or supplier."""
    contact = call.tables.find(Contact, row.ContactID) if row.ContactID else None
    if row.ContactID == _NEW and fields.Contact and fields.Contact.Name:
        key, name = call.tables.new_id(Contact), fields.Contact.Name.strip()
        contact = Contact(ContactID=key, Name=name, UpdatedDateUTC=moment_of(call.now))
        row = row.change(ContactID=key)
    mark = "IsCustomer" if side == "sales" else "IsSupplier"
    if contact and not getattr(contact, mark):
        call.tables.put(contact.change(**{mark: True}))
    return row


def refuse(rules: list[str]) -> None:
    """Raises the refusal of an element that breaks rules."""
    if rules:
        raise Invalid(*dict.fromkeys(rules))


def find_account(call: Call, code: str | None = None, key: str | None = None) -> Account | None:
    """The active account with this code or id."""
    row = call.tables.find(Account, key.lower()) if key else None
    if row is None and code:
        row = next(iter(call.tables.where(Account, "Code", code.strip())), None)
    return row if row and row.Status == "ACTIVE" else None


def show_document(call: Call, row: Document, full: bool) -> dict[str, Any]:
    """The fields that all documents show."""
    shown: dict[str, Any] = {
        "Contact": show_contact_of(call, row.ContactID),
        "DateString": f"{row.Date}T00:00:00",
        "Date": written_day(row.Date),
        "LineAmountTypes": row.LineAmountTypes,
        "Reference": row.Reference,
        "CurrencyCode": row.CurrencyCode,
        "SubTotal": float(row.SubTotal),
        "TotalTax": float(row.TotalTax),
        "Total": float(row.Total),
        "UpdatedDateUTC": written_moment(row.UpdatedDateUTC),
        "LineItems": [_show_line(line) for line in row.LineItems] if full else [],
    }
    return shown


def show_contact_of(call: Call, key: str | None) -> dict[str, Any]:
    """Whom a document is about."""
    contact = call.tables.find(Contact, key) if key else None
    return {"ContactID": contact.ContactID, "Name": contact.Name} if contact else {}


def show_days(row: Document, *names: str) -> dict[str, str]:
    """Dates that are given, each with its readable string."""
    shown: dict[str, str] = {}
    for name in names:
        day = getattr(row, name)
        if day:
            shown |= {f"{name}String": f"{day}T00:00:00", name: written_day(day)}
    return shown


def _contact_names(call: Call) -> Callable[[Document], str | None]:
    names: dict[str | None, str | None] = {None: None}

    def read(row: Document) -> str | None:
        key = row.ContactID
        if key not in names:
            contact = call.tables.find(Contact, key) if key else None
            names[key] = contact.Name if contact else None
        return names[key]

    return read


DOCUMENT_PROPERTIES: Mapping[str, Property] = {
    **properties(
        Date="DateTime",
        Reference="String",
        CurrencyCode="String",
        SubTotal="Decimal",
        TotalTax="Decimal",
        Total="Decimal",
        UpdatedDateUTC="DateTime",
    ),
    "contact.contactid": Property("Guid", lambda call: attrgetter("ContactID")),
    "contact.name": Property("String", _contact_names, depends_on="ContactID"),
}


def _contact(call: Call, ref: ContactRef, rules: list[str]) -> Contact | None:
    row: Contact | None = None
    if ref.ContactID:
        row = call.tables.find(Contact, ref.ContactID.lower())
        if row is None:
            rules.append(f"The Contact with ContactID {ref.ContactID[:40]} could not be found")
    elif ref.ContactNumber:
        row = next(iter(call.tables.where(Contact, "ContactNumber", ref.ContactNumber)), None)
    if row is None and ref.Name and not ref.ContactID:
        row = contact_named(call, ref.Name)
    if row and row.ContactStatus == "ARCHIVED":
        rules.append(f"The contact {row.Name} is archived. It must be un-archived before it is used in a document.")
    return row


def contact_named(call: Call, name: str) -> Contact | None:
    """The contact with this name, in any case."""
    exact = call.tables.where(Contact, "Name", name.strip())
    if exact:
        return exact[0]
    wanted = name.strip().casefold()
    return next((row for row in call.tables.all(Contact) if row.Name.casefold() == wanted), None)


def _lines(
    call: Call, before: Document | None, fields: DocumentFields, side: Side, kind: str, final: bool, rules: list[str]
) -> tuple[LineItem, ...]:
    kept = before.LineItems if before else ()
    if fields.LineItems is None:
        if before and kind != before.LineAmountTypes:
            kept = tuple(complete(line.model_dump(exclude={"TaxAmount"}), kind) for line in kept)
        lines = kept
    else:
        old = {line.LineItemID: line for line in kept}
        read = [_line(call, item, old, side, kind, rules) for item in fields.LineItems]
        lines = tuple(line for line in read if line)
        if len(lines) < len(read):
            return lines
    if final and not lines:
        rules.append("One or more line items must be specified")
    for line in lines if final else ():
        if not line.Description.strip():
            rules.append("The description field is mandatory for each line item.")
        if not line.AccountCode:
            rules.append("Account code must be specified")
    if sum(line.LineAmount for line in lines) < 0:
        rules.append("The document total must be greater than or equal to zero")
    return lines


def _line(
    call: Call, item: LineFields, old: Mapping[str, LineItem], side: Side, kind: str, rules: list[str]
) -> LineItem | None:
    given = item.model_dump(exclude_unset=True, exclude={"AccountID"})
    same = old.get(item.LineItemID or "")
    if same:
        priced = {"Quantity", "UnitAmount", "DiscountRate", "LineAmount", "TaxType"} & given.keys()
        stale = {"LineAmount", "TaxAmount"} if priced else set()
        given = {**same.model_dump(exclude=stale), **given}
    else:
        given.pop("LineItemID", None)
    if item.ItemCode:
        given = {**_item_defaults(call, item.ItemCode, side, rules), **given}
    account = find_account(call, given.get("AccountCode"), item.AccountID)
    if account:
        given["AccountCode"] = account.Code
    elif given.get("AccountCode") or item.AccountID:
        code = str(given.get("AccountCode") or item.AccountID)
        rules.append(f"Account code '{code[:40]}' is not a valid code for this document.")
    if not given.get("TaxType"):
        suits = account and _suits(account.TaxType, side)
        given["TaxType"] = account.TaxType if account and suits else "NONE"
    elif not _suits(given["TaxType"], side):
        rules.append(
            f"The TaxType code '{given['TaxType'][:40]}' does not exist or cannot be used for this type of transaction."
        )
    if side == "purchases" and given.get("DiscountRate"):
        rules.append("Discounts may not be applied to ACCPAY invoices")
    if given.get("UnitAmount") is None and given.get("LineAmount") is None:
        given["UnitAmount"] = 0
    try:
        return complete(given, kind)
    except ValidationError as error:
        rules.append(explain(error))
    except ValueError as error:
        rules.append(str(error))
    return None


def _suits(tax: str, side: Side) -> bool:
    rate = TAX_RATES.get(tax)
    return bool(rate) and (rate.on_sales if side == "sales" else rate.on_purchases)  # type: ignore[union-attr]


def _item_defaults(call: Call, code: str, side: Side, rules: list[str]) -> dict[str, Any]:
    item = next(iter(call.tables.where(Item, "Code", code)), None)
    if item is None:
        rules.append(f"Item code '{code[:40]}' is not valid")
        return {}
    price = item.SalesDetails if side == "sales" else item.PurchaseDetails
    text = item.Description if side == "sales" else item.PurchaseDescription
    found = {
        "Description": text or item.Name or item.Code,
        "UnitAmount": price.UnitPrice,
        "AccountCode": price.AccountCode,
        "TaxType": price.TaxType,
    }
    return {name: value for name, value in found.items() if value is not None}


def _show_line(line: LineItem) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "LineItemID": line.LineItemID,
        "Description": line.Description,
        "Quantity": float(line.Quantity),
        "UnitAmount": float(line.UnitAmount),
        "TaxType": line.TaxType,
        "TaxAmount": float(line.TaxAmount),
        "LineAmount": float(line.LineAmount),
        "Tracking": [],
    }
    for name in ("AccountCode", "ItemCode"):
        if getattr(line, name):
            shown[name] = getattr(line, name)
    if line.DiscountRate:
        shown["DiscountRate"] = float(line.DiscountRate)
    return shown
