"""A page is the part of a list that one answer holds."""

from __future__ import annotations

import re
from typing import TypeVar

from environment.apps.google_calendar.refusals import invalid

_TOKEN = re.compile(r"Cg(\d{8})", re.ASCII)
ItemT = TypeVar("ItemT")


def page_of(
    found: list[ItemT], size: int | None, token: str | None, default: int, most: int
) -> tuple[list[ItemT], str | None]:
    """One page with the token of the next one, None after the last. Raises AppError."""
    if size is not None and size < 1:
        raise invalid(f"Invalid value '{str(size)[:20]}'. Values must be within the range: [1, {most}]")
    match = _TOKEN.fullmatch(token) if token else None
    if token and match is None:
        raise invalid("Invalid page token value.")
    start, count = int(match[1]) if match else 0, min(size or default, most)
    page = found[start : start + count]
    return page, f"Cg{start + count:08d}" if start + count < len(found) else None
