"""Prices are what an endpoint charges for tokens."""

from __future__ import annotations

from pydantic import Field

from environment.record import Record


class Prices(Record):
    """Prices of a million tokens."""

    input_per_million: float = Field(ge=0)
    cached_input_per_million: float | None = Field(None, ge=0)
    """Of prompt tokens read from the endpoint's cache; None where they cost what others do."""
    output_per_million: float = Field(ge=0)
    currency: str = Field("USD", min_length=1)
