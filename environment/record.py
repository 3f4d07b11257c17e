"""A record is a frozen, JSON-stable value that crosses a package boundary."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base of every record: frozen, unknown keys refused, equal JSON for equal values."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def to_json(self) -> dict[str, Any]:
        """This record as plain JSON data, defaults included."""
        return self.model_dump(mode="json")


def canonical_json(value: Any) -> str:
    """One spelling for equal JSON data: sorted keys, no spaces, no NaN. Raises ValueError on NaN or infinity."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def record_text(value: Any, known: dict[int, str]) -> str:
    """The canonical JSON of a value made of records, without making data of them first.

    A record that stands in it many times is written out once: `known` has the texts so far by the record's identity, so
    it must not outlive the records.
    """
    if isinstance(value, Record):
        text = known.get(id(value))
        if text is None:
            text = known[id(value)] = object_text(
                {name: record_text(part, known) for name, part in value.__dict__.items()}
            )
        return text
    if isinstance(value, tuple) and value and isinstance(value[0], Record):
        return f"[{','.join([record_text(part, known) for part in value])}]"
    return _encoder().encode(value)


def object_text(texts: Mapping[str, str]) -> str:
    """The canonical JSON of an object whose members are given as canonical JSON; names must be plain ASCII."""
    return "{" + ",".join([f'"{name}":{texts[name]}' for name in sorted(texts)]) + "}"


@cache
def _encoder() -> json.JSONEncoder:
    return json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_fields)


def _fields(value: Any) -> dict[str, Any]:
    if not isinstance(value, Record):
        raise TypeError(f"a record holds JSON data and records, found {type(value).__name__}; make it one of these")
    return value.__dict__


def content_hash(value: Any) -> str:
    """SHA-256 of the canonical JSON of `value`, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
