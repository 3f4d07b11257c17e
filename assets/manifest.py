"""A manifest says of one immutable artifact what it holds, from what it was made, by which code and when."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import JsonValue, model_validator

from environment.record import Record, canonical_json


class FileRecord(Record):
    """One file of an artifact."""

    hash: str
    """`rows_hash` of a file of rows, SHA-256 of the bytes of any other."""
    rows: int | None
    """None for a file that is not made of rows."""
    is_content: bool
    """Part of the content hash; reports for people and logs with times are not."""


class CodeVersion(Record):
    """The code that made an artifact."""

    commit: str | None
    """None where the package is not in a git checkout; ends in `+changes` where files differed from the commit."""
    packages: Mapping[str, str]
    """Distribution -> version, of what decides results."""


class Manifest(Record):
    """Written last: an artifact without one is not finished."""

    schema_version: Literal[1] = 1
    stage: str
    """Name of the asset."""
    generation: str
    """Partition key, such as `laptop.g1`."""
    batch: int
    """0 for the artifact itself, 1, 2, ... for further tasks that calibration asked for."""
    content_hash: str
    """Of the content files' hashes; never of run ids or times. Also the asset's data version."""
    files: Mapping[str, FileRecord]
    """Path inside the artifact's folder -> what it holds."""
    rows_in: int
    rows_out: int
    dropped: Mapping[str, int]
    """Reason -> rows; with rows_out they add up to rows_in."""
    facts: Mapping[str, JsonValue]
    """Small results that readers of this artifact need."""
    seed: str
    engagement_hash: str
    upstream: Mapping[str, str]
    """Artifact -> its content hash when this one was made from it."""
    code: CodeVersion
    run_id: str
    started: str
    """ISO 8601, UTC."""
    finished: str
    seconds: float

    @model_validator(mode="after")
    def _adds_up(self) -> "Manifest":
        dropped = sum(self.dropped.values())
        if self.rows_out + dropped != self.rows_in:
            raise ValueError(
                f"{self.stage} of {self.generation} keeps {self.rows_out} and drops {dropped} of {self.rows_in} rows; "
                "count what is missing"
            )
        return self


class RowHash:
    """The hash of rows in whatever order they come: of their sorted digests, so that rows need not be held."""

    def __init__(self) -> None:
        self._digests: list[bytes] = []

    def add(self, line: str) -> None:
        """Count a row in, given as its canonical JSON."""
        self._digests.append(hashlib.sha256(line.encode()).digest())

    def hexdigest(self) -> str:
        """64 hexadecimal digits."""
        return hashlib.sha256(b"".join(sorted(self._digests))).hexdigest()

    def __len__(self) -> int:
        return len(self._digests)


def rows_hash(rows: Iterable[Mapping[str, Any]]) -> str:
    """Hash of rows, whatever their order."""
    digest = RowHash()
    for row in rows:
        digest.add(canonical_json(row))
    return digest.hexdigest()
