"""A guide is what a caller who has never seen a vendor needs besides names: the product's sort, examples, answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Hint:
    """One request to a route, and what it answers. `<...>` in a value stands for what the caller puts there."""

    answers: str = ""
    """The answer in a line, such as `{tickets: [{id, subject, status}], next_page}`."""
    params: Mapping[str, Any] | None = None
    """Query parameters of the example."""
    body: Any = None
    """JSON body of the example; it is accepted as it stands, once the ids are filled in."""


@dataclass(frozen=True, slots=True)
class Guide:
    """The guide to one application."""

    words: str = ""
    """What sort of product it is: `crm sales`."""
    glossary: Mapping[str, str] = field(default_factory=dict)
    """A thing as routes are named after it -> what people call it: `credit_note` -> `refund credit memo`."""
    paging: Mapping[str, str] = field(default_factory=dict)
    """Argument that asks for a further page -> how to come by its value, in a line."""
    hints: Mapping[str, Hint] = field(default_factory=dict)
    """Route name -> its hint, for routes that don't have it themselves."""
