"""A column is what Salesforce's describe call tells of a field: type, length, picklist, reference, who may write it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import StringConstraints

from environment.world import Row

Kind = Literal[
    "id", "string", "textarea", "email", "phone", "url", "picklist", "reference",
    "boolean", "double", "currency", "percent", "int", "date", "datetime",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    """Metadata of one field, carried in the annotation of a row's field."""

    kind: Kind
    length: int = 255
    required: bool = False
    """A creation without it, or setting it to null, is refused."""
    on_create: bool = True
    on_update: bool = True
    values: tuple[str, ...] = ()
    """Values of a picklist in the order of set-up, the default first where there is one."""
    restricted: bool = True
    """Whether a picklist refuses any other value."""
    refers: tuple[str, ...] = ()
    """Objects that a reference may point at."""


DAY = StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")
_MOMENT = StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$")

Text = Annotated[str | None, Column("string")]
ShortText = Annotated[str | None, Column("string", length=80)]
LongText = Annotated[str | None, Column("textarea", length=32000)]
PhoneText = Annotated[str | None, Column("phone", length=40)]
EmailText = Annotated[str | None, Column("email", length=80)]
WebText = Annotated[str | None, Column("url")]
Flag = Annotated[bool, Column("boolean")]
Number = Annotated[float | None, Column("double")]
Money = Annotated[float | None, Column("currency")]
Percent = Annotated[float | None, Column("percent")]
Whole = Annotated[int | None, Column("int")]
Day = Annotated[Annotated[str, DAY] | None, Column("date")]
Moment = Annotated[Annotated[str, _MOMENT] | None, Column("datetime")]
OwnerRef = Annotated[str | None, Column("reference", refers=("User",))]

SystemText = Annotated[str | None, Column("string", on_create=False, on_update=False)]
SystemFlag = Annotated[bool, Column("boolean", on_create=False, on_update=False)]
SystemMoney = Annotated[float | None, Column("currency", on_create=False, on_update=False)]
SystemDay = Annotated[Annotated[str, DAY] | None, Column("date", on_create=False, on_update=False)]
SystemMoment = Annotated[Annotated[str, _MOMENT] | None, Column("datetime", on_create=False, on_update=False)]
SystemUser = Annotated[str | None, Column("reference", refers=("User",), on_create=False, on_update=False)]


@lru_cache
def columns_of(kind: type[Row]) -> Mapping[str, Column]:
    """Standard fields of an object by name, in the order of its row model."""
    found = {}
    for name, info in kind.model_fields.items():
        found[name] = next(item for item in info.metadata if isinstance(item, Column))
    return found


@lru_cache
def spellings_of(kind: type[Row]) -> Mapping[str, str]:
    """Lower-case spelling of each standard field -> its name; Salesforce takes field names in any case."""
    return {name.lower(): name for name in kind.model_fields}


def relationship(name: str) -> str:
    """Name of the relationship that a reference field opens: AccountId -> Account, Region__c -> Region__r."""
    return name[:-2] if name.endswith("Id") else name.removesuffix("__c") + "__r"
