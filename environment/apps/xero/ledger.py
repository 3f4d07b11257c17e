"""The ledger's settings: accounts, items, tax rates and the organisation."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import Field

from environment.apps.kit import Args, Call, Route
from environment.apps.xero.dates import moment_of, written_day, written_moment
from environment.apps.xero.documents import find_account, organisation, refuse
from environment.apps.xero.endpoint import Element, Endpoint, Text, envelope
from environment.apps.xero.filters import properties
from environment.apps.xero.lines import TAX_RATES
from environment.apps.xero.rows import Account, Item, Price

_CLASSES = {
    "ASSET": ("BANK", "CURRENT", "FIXED", "INVENTORY", "NONCURRENT", "PREPAYMENT"),
    "EQUITY": ("EQUITY",),
    "EXPENSE": ("DEPRECIATN", "DIRECTCOSTS", "EXPENSE", "OVERHEADS"),
    "LIABILITY": ("CURRLIAB", "LIABILITY", "TERMLIAB"),
    "REVENUE": ("OTHERINCOME", "REVENUE", "SALES"),
}
_CLASS_OF = {kind: name for name, kinds in _CLASSES.items() for kind in kinds}


class AccountFields(Element):
    """What a request may give of an account."""

    read_only = frozenset(
        "Class SystemAccount ReportingCode ReportingCodeName AddToWatchlist ShowInExpenseClaims".split()
    )
    AccountID: str | None = None
    Code: Text | None = None
    Name: Text | None = None
    Type: str | None = None
    Status: Literal["ACTIVE", "ARCHIVED"] | None = None
    Description: Text | None = None
    TaxType: str | None = None
    EnablePaymentsToAccount: bool | None = None
    BankAccountNumber: Text | None = None
    CurrencyCode: str | None = None


class ItemFields(Element):
    """What a request may give of an item."""

    read_only = frozenset("IsTrackedAsInventory TotalCostPool QuantityOnHand InventoryAssetAccountCode".split())
    ItemID: str | None = None
    Code: Text | None = None
    Name: Text | None = None
    Description: Text | None = None
    PurchaseDescription: Text | None = None
    IsSold: bool | None = None
    IsPurchased: bool | None = None
    SalesDetails: Price | None = None
    PurchaseDetails: Price | None = None


class TaxRateArgs(Args):
    TaxType: str | None = Field(None, description="Only this tax type")


class NoArgs(Args):
    """Nothing to say."""


def write_account(call: Call, before: Account | None, fields: AccountFields) -> Account:
    """Create or change an account."""
    rules: list[str] = []
    found = {name: getattr(fields, name) for name in fields.model_fields_set if name != "AccountID"}
    if before is None and not (fields.Name and fields.Type and (fields.Code or fields.Type == "BANK")):
        rules.append("Code, Name and Type must be specified")
    if fields.Type and fields.Type not in get_args(Account.model_fields["Type"].annotation):
        rules.append(f"Account Type '{fields.Type[:40]}' is not valid")
    if fields.TaxType and fields.TaxType not in TAX_RATES:
        rules.append(f"The TaxType code '{fields.TaxType[:40]}' does not exist")
    for name in ("Code", "Name"):
        value = getattr(fields, name)
        same = call.tables.where(Account, name, value) if value else []
        if any(before is None or row.row_id != before.row_id for row in same):
            rules.append(f"Please enter a unique {name}.")
    refuse(rules)
    found["UpdatedDateUTC"] = moment_of(call.now)
    return call.tables.put(
        before.change(**found) if before else Account(AccountID=call.tables.new_id(Account), **found)
    )


def show_account(call: Call, row: Account, full: bool) -> dict[str, Any]:
    """The account as the API shows it."""
    shown = row.model_dump(mode="json", exclude_none=True)
    return {**shown, "Class": _CLASS_OF[row.Type], "UpdatedDateUTC": written_moment(row.UpdatedDateUTC)}


def write_item(call: Call, before: Item | None, fields: ItemFields) -> Item:
    """Create or change an item."""
    rules: list[str] = []
    found = {name: getattr(fields, name) for name in fields.model_fields_set if name != "ItemID"}
    if before is None and not fields.Code:
        rules.append("Price List Item Code must be specified")
    same = call.tables.where(Item, "Code", fields.Code) if fields.Code else []
    if any(before is None or row.row_id != before.row_id for row in same):
        rules.append(f"Price List Item with Code '{fields.Code}' already exists")
    for price in (fields.SalesDetails, fields.PurchaseDetails):
        if price and price.AccountCode and find_account(call, price.AccountCode) is None:
            rules.append(f"Account code '{price.AccountCode[:40]}' is not a valid code")
        if price and price.TaxType and price.TaxType not in TAX_RATES:
            rules.append(f"The TaxType code '{price.TaxType[:40]}' does not exist")
    refuse(rules)
    found["UpdatedDateUTC"] = moment_of(call.now)
    return call.tables.put(before.change(**found) if before else Item(ItemID=call.tables.new_id(Item), **found))


def show_item(call: Call, row: Item, full: bool) -> dict[str, Any]:
    """The item as the API shows it."""
    shown = row.model_dump(mode="json", exclude_none=True)
    return {**shown, "IsTrackedAsInventory": False, "UpdatedDateUTC": written_moment(row.UpdatedDateUTC)}


def _list_tax_rates(call: Call, args: TaxRateArgs) -> dict[str, Any]:
    """List tax rates."""
    rates = [rate for rate in TAX_RATES.values() if args.TaxType in (None, rate.TaxType)]
    shown = [
        {
            "Name": rate.Name,
            "TaxType": rate.TaxType,
            "Status": "ACTIVE",
            "CanApplyToRevenue": rate.on_sales,
            "CanApplyToExpenses": rate.on_purchases,
            "DisplayTaxRate": float(rate.percent),
            "EffectiveRate": float(rate.percent),
        }
        for rate in rates
    ]
    return envelope(call, "TaxRates", shown)


def _get_organisation(call: Call, args: NoArgs) -> dict[str, Any]:
    """Get the organisation, its base currency and financial year."""
    row = organisation(call)
    shown = row.model_dump(mode="json", exclude={"PeriodLockDate"})
    shown |= {"LegalName": row.LegalName or row.Name, "OrganisationStatus": "ACTIVE", "IsDemoCompany": False}
    if row.PeriodLockDate:
        shown["PeriodLockDate"] = written_day(row.PeriodLockDate)
    return envelope(call, "Organisations", [shown])


ACCOUNTS: Endpoint[Account, AccountFields] = Endpoint(
    noun="Account",
    kind=Account,
    fields=AccountFields,
    write=write_account,
    show=show_account,
    properties=properties(
        AccountID="Guid",
        Code="String",
        Name="String",
        Type="String",
        Status="String",
        TaxType="String",
        CurrencyCode="String",
        EnablePaymentsToAccount="Boolean",
        UpdatedDateUTC="DateTime",
    ),
)
ITEMS: Endpoint[Item, ItemFields] = Endpoint(
    noun="Item",
    kind=Item,
    fields=ItemFields,
    write=write_item,
    show=show_item,
    properties=properties(
        ItemID="Guid",
        Code="String",
        Name="String",
        Description="String",
        IsSold="Boolean",
        IsPurchased="Boolean",
        UpdatedDateUTC="DateTime",
    ),
    number="Code",
    match=lambda call, fields: next(iter(call.tables.where(Item, "Code", fields.Code)), None) if fields.Code else None,
)

ROUTES = (
    *ACCOUNTS.routes(history=False),
    *ITEMS.routes(),
    Route("list_tax_rates", "GET", "/TaxRates", "read", TaxRateArgs, _list_tax_rates, as_action=False),
    Route("get_organisation", "GET", "/Organisation", "read", NoArgs, _get_organisation, as_action=False),
)
