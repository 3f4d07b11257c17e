"""A contract says which changes of the world a task asks for and which others are harmless.

It is data about the end state, so every route that gets there counts. `verifier.py` judges with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from environment.record import Record


class Equals(Record):
    """The same JSON value; 3 and 3.0 are the same number, text is compared with surrounding blanks removed."""

    kind: Literal["equals"] = "equals"
    value: JsonValue


class Money(Record):
    """An amount, as a number or in any usual spelling: 930, "930.00", "GBP 930", "930 GBP", "£930.00", "1,240"."""

    kind: Literal["money"] = "money"
    amount: str
    """Decimal digits, such as "930.00"."""
    currency: str | None = None
    """ISO 4217 code; a spelling without any currency is accepted too, one with another currency is not."""


class Phone(Record):
    """A telephone number, whatever its punctuation; a leading country code 1 may be there or not."""

    kind: Literal["phone"] = "phone"
    number: str


class Instant(Record):
    """A moment, whatever its UTC offset or number of fractional digits."""

    kind: Literal["instant"] = "instant"
    at: str
    """ISO 8601 with an offset."""


class Date(Record):
    """A calendar day in any usual unambiguous spelling: 2026-03-04, 4 March 2026, Mar 4, 2026, 3/4/2026 (US order)."""

    kind: Literal["date"] = "date"
    day: str
    """ISO 8601 date."""


class Enum(Record):
    """One word of a closed set, whatever its case, spacing, hyphens or underscores."""

    kind: Literal["enum"] = "enum"
    value: str
    also: tuple[str, ...] = ()
    """Other accepted words."""


class SetOf(Record):
    """The same members in any order, as a list or as text separated by commas or semicolons."""

    kind: Literal["set"] = "set"
    members: tuple[str, ...]


class Url(Record):
    """The same address; scheme and host in any case, one trailing slash or none."""

    kind: Literal["url"] = "url"
    address: str


class Ref(Record):
    """The id of the row that was matched with another expected change."""

    kind: Literal["ref"] = "ref"
    label: str


class Fact(Record):
    """Something that a text states, in any accepted spelling."""

    read_as: Literal["text", "money", "phone", "date"] = "text"
    """How `spellings` are compared: as words (case and blanks don't matter, word boundaries do) or as typed values."""
    spellings: tuple[str, ...] = Field(min_length=1)
    """For money "GBP 930.00" or "930.00"; for a date its ISO form; for text every accepted wording."""


class Mentions(Record):
    """Prose that states every one of these; the facts of one tuple stand in one clause or line, not negated."""

    kind: Literal["mentions"] = "mentions"
    facts: tuple[tuple[Fact, ...], ...] = Field(min_length=1)


class Omits(Record):
    """Prose that makes none of these claims; a claim is made when all its facts stand in one clause, not negated."""

    kind: Literal["omits"] = "omits"
    claims: tuple[tuple[Fact, ...], ...] = Field(min_length=1)


Matcher = Annotated[
    Equals | Money | Phone | Instant | Date | Enum | SetOf | Url | Ref | Mentions | Omits, Field(discriminator="kind")
]

Fields = Mapping[str, tuple[Matcher, ...]]
"""Path into a row -> matchers that must all hold. `a.b`, `cells[2]`; `Line[*].Amount`: some element satisfies it.

Paths with the same star, such as `Line[*].Amount` and `Line[*].Account`, hold on one and the same element;
`Line[*debit]` and `Line[*credit]` on two different ones. A set under a star is compared with all elements' values."""


class Change(Record):
    """One row created, updated or deleted in one application."""

    label: str
    app: str
    collection: str
    action: Literal["create", "update", "delete"]
    id: str | None = None
    """Id of the existing row; None when `action` is create."""
    key: Fields = Field(default_factory=dict)
    """What makes a new row *this* row: with the right key and a wrong value it is unsatisfied, not a stray."""
    fields: Fields = Field(default_factory=dict)
    """What its fields must hold besides the key; of an updated row nothing but these paths may change."""

    @model_validator(mode="after")
    def _identified(self) -> Change:
        if self.action == "create" and (self.id is not None or not self.key):
            raise ValueError(f"change {self.label!r} creates a row: give a key and no id")
        if self.action != "create" and (self.id is None or self.key):
            raise ValueError(f"change {self.label!r} {self.action}s a row: give its id and no key")
        return self


class Allowance(Record):
    """A change that is harmless wherever it happens: it neither earns nor costs anything."""

    app: str
    collection: str
    action: Literal["create", "update", "delete"]
    where: Fields = Field(default_factory=dict)
    """What the row (after an update, before a delete) must satisfy for the allowance to hold."""
    fields: tuple[str, ...] = ()
    """Top-level fields that an update may touch; a row with any other change is not covered."""


class Contract(Record):
    """What the verdict demands: each of `all_of`, one of each group of `any_of`, nothing but `allowed` besides."""

    all_of: tuple[Change, ...] = ()
    any_of: tuple[tuple[Change, ...], ...] = ()
    """Groups of equivalent changes; a group counts as one expected change, met by any of its members."""
    allowed: tuple[Allowance, ...] = ()

    @model_validator(mode="after")
    def _coherent(self) -> Contract:
        labels = [change.label for change in self.changes()]
        if not labels:
            raise ValueError("a contract expects at least one change; add one to all_of or any_of")
        if len(set(labels)) != len(labels):
            raise ValueError(f"labels of changes must differ, given {labels}")
        return self

    def groups(self) -> tuple[tuple[Change, ...], ...]:
        """Every expected change as a group of equivalents, `all_of` first, each as a group of one."""
        return tuple((change,) for change in self.all_of) + self.any_of

    def changes(self) -> tuple[Change, ...]:
        """Every change of every group, in order."""
        return tuple(change for group in self.groups() for change in group)
