"""Drive's query language, on a folder of four files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from environment.query.drive_q import parse_drive_q
from environment.query.grammar import QueryError


@dataclass
class _File:
    name: str
    mimeType: str = "application/pdf"
    full_text: str = ""
    trashed: bool = False
    starred: bool = False
    sharedWithMe: bool = False
    modifiedTime: str | None = "2026-03-04T09:00:00Z"
    createdTime: str | None = "2026-01-01T09:00:00Z"
    viewedByMeTime: str | None = None
    sharedWithMeTime: str | None = None
    parents: tuple[str, ...] = ("root",)
    owners: tuple[str, ...] = ("me",)
    writers: tuple[str, ...] = ("me",)
    readers: tuple[str, ...] = ("me",)
    properties: Mapping[str, str] = field(default_factory=dict)
    appProperties: Mapping[str, str] = field(default_factory=dict)


_FILES = {
    "a": _File("HelloWorld plan.pdf", full_text="The quick_brown fox", starred=True),
    "b": _File("World plan, O'Brien", "text/plain", parents=("f1",), properties={"stage": "final"}),
    "c": _File("Notes", "image/png", modifiedTime="2026-03-04T09:30:00+01:00", owners=("ann@larkfield.example",)),
    "d": _File("Old notes", "image/png", trashed=True, modifiedTime="2025-12-31T23:00:00Z", sharedWithMe=True),
}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "abcd"),
        ("  ", "abcd"),
        ("name contains 'hello'", "a"),
        ("name contains 'world'", "b"),
        ("name contains 'pl wor'", "b"),
        ("name contains 'o\\'b'", "b"),
        ("name = 'notes'", "c"),
        ("name != 'notes'", "abd"),
        ("fullText contains 'brown quick'", "a"),
        ("fullText contains '\"quick brown\"'", "a"),
        ("fullText contains '\"brown quick\"'", ""),
        ("fullText contains 'quic'", ""),
        ("mimeType contains 'image/'", "cd"),
        ("mimeType != 'image/png'", "ab"),
        ("modifiedTime >= '2026-03-04T09:00:00'", "ab"),
        ("modifiedTime < '2026-03-04T10:00:00+01:00'", "cd"),
        ("modifiedTime = '2026-03-04T08:30:00Z'", "c"),
        ("modifiedTime > '2026-01-01'", "abc"),
        ("viewedByMeTime != '2026-01-01'", ""),
        ("'f1' in parents", "b"),
        ("not 'me' in owners", "c"),
        ("trashed=true", "d"),
        ("trashed != TRUE and starred = false", "bc"),
        ("sharedWithMe", None),
        ("properties has { key='stage' and value='final' }", "b"),
        ("not not not trashed = true", "abc"),
        ("starred = true or trashed = true and mimeType = 'image/png'", "d"),
        ("starred = true or (trashed = true and mimeType = 'image/png')", "ad"),
        ("NOT (starred = true OR trashed = true)", "bc"),
        ("name", None),
        ("name = notes", None),
        ("name = 'notes", None),
        ("name > 'a'", None),
        ("parents in 'f1'", None),
        ("trashed = 'true'", None),
        ("modifiedTime > 'yesterday'", None),
        ("title = 'x'", None),
        ("(" * 41 + "trashed = true" + ")" * 41, None),
    ],
)
def test_query_finds_or_is_refused(query: str, found: str | None) -> None:
    if found is None:
        with pytest.raises(QueryError):
            parse_drive_q(query)
    else:
        passes = parse_drive_q(query)
        assert "".join(key for key, file in _FILES.items() if passes(file)) == found
