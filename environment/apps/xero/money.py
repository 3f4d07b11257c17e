"""Money is a Decimal with two places (rates and quantities have four); answers write it as a JSON number."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

LIMIT = Decimal(10) ** 11
"""No amount reaches it, so that a JSON number keeps every cent."""

ZERO = Decimal("0.00")
_PLACES = {2: Decimal("0.01"), 4: Decimal("0.0001")}


def rounded(amount: Decimal, places: int = 2) -> Decimal:
    """Halves go away from zero."""
    return amount.quantize(_PLACES[places], ROUND_HALF_UP)


def read_number(value: Any, places: int = 2) -> Decimal:
    """The number in a JSON value, rounded. Raises ValueError for anything else and beyond the limit."""
    if type(value) is Decimal and -LIMIT < value < LIMIT and value.same_quantum(_PLACES[places]):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal) or len(str(value)[:41]) > 40:
        raise ValueError("is not a number")
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        raise ValueError(f"'{value}' is not a number") from None
    if not number.is_finite() or abs(number) >= LIMIT:
        raise ValueError(f"'{value}' is out of range")
    return rounded(number, places)


Money = Annotated[Decimal, BeforeValidator(read_number), PlainSerializer(float, return_type=float, when_used="json")]
"""An amount with two places."""
Rate = Annotated[
    Decimal,
    BeforeValidator(lambda value: read_number(value, 4)),
    PlainSerializer(float, return_type=float, when_used="json"),
]
"""A quantity, unit price or percentage with four places."""
