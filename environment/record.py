"""A record is a frozen, JSON-stable value that crosses a package boundary."""

from __future__ import annotations

import hashlib
import json
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


def content_hash(value: Any) -> str:
    """SHA-256 of the canonical JSON of `value`, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
