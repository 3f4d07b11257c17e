"""A line item is one priced line of a document; a document's totals are the sums of its lines.

Tax rates are those of an organisation in the United Kingdom; they are fixed, as most organisations leave them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from environment.apps.xero.money import ZERO, Money, Rate, read_number, rounded

TaxMode = Literal["Exclusive", "Inclusive", "NoTax"]
"""Whether line amounts are without tax, with tax, or untaxed."""

_HUNDRED = Decimal(100)


@dataclass(frozen=True, slots=True)
class TaxRate:
    """One rate of tax."""

    TaxType: str
    Name: str
    percent: Decimal
    on_sales: bool
    on_purchases: bool


TAX_RATES: Mapping[str, TaxRate] = {
    rate.TaxType: rate
    for rate in (
        TaxRate("NONE", "No VAT", Decimal(0), True, True),
        TaxRate("OUTPUT2", "20% (VAT on Income)", Decimal(20), True, False),
        TaxRate("INPUT2", "20% (VAT on Expenses)", Decimal(20), False, True),
        TaxRate("RROUTPUT", "5% (VAT on Income)", Decimal(5), True, False),
        TaxRate("RRINPUT", "5% (VAT on Expenses)", Decimal(5), False, True),
        TaxRate("ZERORATEDOUTPUT", "Zero Rated Income", Decimal(0), True, False),
        TaxRate("ZERORATEDINPUT", "Zero Rated Expenses", Decimal(0), False, True),
        TaxRate("EXEMPTOUTPUT", "Exempt Income", Decimal(0), True, False),
        TaxRate("EXEMPTINPUT", "Exempt Expenses", Decimal(0), False, True),
    )
}


class LineItem(BaseModel):
    """A line with all its amounts."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    LineItemID: str = ""
    Description: str = ""
    Quantity: Rate = Field(Decimal("1.0000"))
    UnitAmount: Rate
    DiscountRate: Rate | None = None
    """Percent off."""
    ItemCode: str | None = None
    AccountCode: str | None = None
    TaxType: str = "NONE"
    TaxAmount: Money
    LineAmount: Money


@dataclass(frozen=True, slots=True)
class Totals:
    """What the lines of a document come to."""

    SubTotal: Decimal
    TotalTax: Decimal
    Total: Decimal


def complete(line: Mapping[str, Any] | LineItem, kind: str) -> LineItem:
    """The line with the amounts that follow from those given; `kind` is the document's LineAmountTypes.

    Raises ValueError when it has no amount, and when its total is not what quantity, price and discount come to.
    """
    if isinstance(line, LineItem):
        return line
    given = {name: value for name, value in line.items() if value is not None}
    quantity = read_number(given.get("Quantity", 1), 4)
    left = _HUNDRED - read_number(given.get("DiscountRate", 0), 4)
    if "UnitAmount" in given:
        price = read_number(given["UnitAmount"], 4)
        expected = rounded(quantity * price * left / _HUNDRED)
        total = read_number(given.get("LineAmount", expected))
        if total != expected:
            raise ValueError(f"The line total {total} does not match the expected line total {expected}")
    elif "LineAmount" in given:
        total = read_number(given["LineAmount"])
        share = quantity * left / _HUNDRED
        price = rounded(total / share, 4) if share else ZERO
    else:
        raise ValueError("UnitAmount or LineAmount must be specified for each line item")
    rate = TAX_RATES.get(given.get("TaxType", "NONE"))
    percent = rate.percent if rate else Decimal(0)
    tax = read_number(given["TaxAmount"]) if "TaxAmount" in given else line_tax(total, percent, kind)
    return LineItem(**{**given, "Quantity": quantity, "UnitAmount": price, "LineAmount": total, "TaxAmount": tax})


def line_tax(total: Decimal, percent: Decimal, kind: str) -> Decimal:
    """Tax on a line amount, or the part of it that is tax."""
    if kind == "NoTax":
        return ZERO
    if kind == "Inclusive":
        return rounded(total * percent / (_HUNDRED + percent))
    return rounded(total * percent / _HUNDRED)


def totals(lines: Iterable[LineItem], kind: str) -> Totals:
    """Sums of complete lines."""
    amounts, tax = ZERO, ZERO
    for line in lines:
        amounts += line.LineAmount
        tax += line.TaxAmount
    if kind == "Inclusive":
        return Totals(amounts - tax, tax, amounts)
    return Totals(amounts, tax, amounts + tax)
