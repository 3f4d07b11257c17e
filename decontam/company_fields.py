"""A company field is one that, by its own name or its collection's, holds the name or the domain of a company."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from decontam.lexicon import (
    BOOKS,
    COMPANY_COLLECTIONS,
    COMPANY_FIELDS,
    DOMAIN_FIELDS,
    LEDGERS,
    MIXED_FIELDS,
    NAME_FIELDS,
    TRADE_PARTNERS,
    WRAPPERS,
)
from decontam.people import PERSON_COLLECTIONS, PERSON_FIELDS

FieldKind = Literal["company", "mixed", "domain", "person", "column", "prose"]
"""`mixed` holds companies or people; the first line of a `column` tells what the others are."""


@lru_cache(maxsize=65536)
def kind_of_field(field: str) -> FieldKind:
    """What the field of a passage is typed to hold."""
    parts = field.split(".")
    name, parents = _flat(parts[-1]), [_flat(part) for part in parts[:-1]]
    if parts[-1] == "column":
        return "column"
    if name in PERSON_FIELDS:
        return "person"
    is_ledger = any(part in LEDGERS for part in parts[:3])
    if name in COMPANY_FIELDS:
        return "prose" if is_ledger and name == "accountname" else "company"
    while parents and parents[-1] in WRAPPERS:
        parents.pop()
    holder = parents[-1] if parents else ""
    if name in NAME_FIELDS and holder in TRADE_PARTNERS and any(part in BOOKS for part in parts[:3]):
        return "company"
    if name in NAME_FIELDS and holder in COMPANY_COLLECTIONS and not (is_ledger and holder in ("account", "accounts")):
        return "company"
    if name in NAME_FIELDS and holder in PERSON_COLLECTIONS:
        return "person"
    if name in DOMAIN_FIELDS:
        return "domain"
    return "mixed" if name in MIXED_FIELDS else "prose"


@lru_cache(maxsize=65536)
def kind_of_heading(heading: str) -> FieldKind:
    """What the cells under a heading are typed to hold."""
    name = _flat(heading)
    if name in COMPANY_FIELDS:
        return "company"
    if name in PERSON_FIELDS:
        return "person"
    if name in DOMAIN_FIELDS:
        return "domain"
    return "mixed" if name in MIXED_FIELDS else "prose"


def _flat(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())
