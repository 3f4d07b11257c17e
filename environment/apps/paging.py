"""A page is the part of a list that one answer holds; a paging is a vendor's way of asking for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from pydantic import Field

from environment.apps.kit import AppError
from environment.world import Row


@dataclass(frozen=True, slots=True)
class Page:
    """One page, as an envelope needs it."""

    noun: str
    plural: str
    records: list[Any]
    """As the API shows them."""
    total: int
    """Records on all pages."""
    start: int
    """Position of the first record, from 0."""
    size: int
    """Most records on a page."""
    host: str
    """Host that was asked."""
    path: str
    """As requested, below the base path."""
    params: Mapping[str, Any]
    """Query parameters that were given."""
    next: Mapping[str, Any] | None
    """The paging parameters that ask for the next page, None on the last one."""
    previous: Mapping[str, Any] | None
    """The same for the page before, None on the first one."""


@dataclass(frozen=True, slots=True)
class Span:
    """Which records of a list are wanted."""

    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Paging:
    """How a vendor's query parameters say which part of a list is wanted."""

    fields: Mapping[str, Any]
    """Query parameters: name -> (type, field), as pydantic's create_model takes them."""
    span: Callable[[Mapping[str, Any], Sequence[Row]], Span]
    """(parameters given, all rows of the list) -> the part that is wanted."""
    at: Callable[[Span, Sequence[Row]], Mapping[str, Any]]
    """(part, all rows of the list) -> the parameters that ask for it, sizes left out."""


def page_numbers(page: str = "page", size: str = "per_page", default: int = 100, most: int = 100) -> Paging:
    """Pages counted from 1."""

    def span(given: Mapping[str, Any], rows: Sequence[Row]) -> Span:
        wanted = within(given.get(size), default, most)
        return Span((max(1, given.get(page) or 1) - 1) * wanted, wanted)

    fields = {page: optional(int, "Page, from 1"), size: optional(int, f"At most {most}")}
    return Paging(fields, span, lambda part, rows: {page: part.start // part.size + 1})


def offsets(start: str = "offset", size: str = "limit", default: int = 100, most: int = 500) -> Paging:
    """Records to skip, counted from 0."""

    def span(given: Mapping[str, Any], rows: Sequence[Row]) -> Span:
        return Span(max(0, given.get(start) or 0), within(given.get(size), default, most))

    fields = {start: optional(int, "Records to skip"), size: optional(int, f"At most {most}")}
    return Paging(fields, span, lambda part, rows: {start: part.start})


def cursors(cursor: str = "after", size: str = "limit", default: int = 20, most: int = 100) -> Paging:
    """The id of the last record seen; one that the list doesn't hold is refused."""

    def span(given: Mapping[str, Any], rows: Sequence[Row]) -> Span:
        wanted, after = within(given.get(size), default, most), given.get(cursor)
        if not after:
            return Span(0, wanted)
        for position, row in enumerate(rows, 1):
            if row.row_id == after:
                return Span(position, wanted)
        raise AppError(400, f"{cursor} {after[:40]!r} is no cursor of this list")

    fields = {cursor: optional(str, "Cursor of the page"), size: optional(int, f"At most {most}")}
    return Paging(fields, span, lambda part, rows: {cursor: rows[part.start - 1].row_id} if part.start else {})


def whole_list() -> Paging:
    """All records at once."""
    return Paging({}, lambda given, rows: Span(0, max(1, len(rows))), lambda part, rows: {})


def read_page(
    paging: Paging,
    rows: Sequence[Row],
    show: Callable[[Any], Any],
    *,
    host: str,
    path: str,
    params: Mapping[str, Any],
    plural: str,
    noun: str = "",
) -> Page:
    """The page of `rows` that `params` ask for; only its rows are shown."""
    part = paging.span(params, rows)
    end = part.start + part.size
    return Page(
        noun,
        plural,
        [show(row) for row in rows[part.start : end]],
        len(rows),
        part.start,
        part.size,
        host,
        path,
        params,
        paging.at(Span(end, part.size), rows) if end < len(rows) else None,
        paging.at(Span(max(0, min(part.start, len(rows)) - part.size), part.size), rows) if part.start else None,
    )


def link(address: str, params: Mapping[str, Any]) -> str:
    """The address with these query parameters, such as the next page's."""
    pairs = (
        f"{quote(name, safe='[]')}={quote(str(value), safe='', errors='replace')}" for name, value in params.items()
    )
    return f"{address}?{'&'.join(pairs)}"


def link_header(page: Page, base_path: str, previous: str = "prev") -> dict[str, str]:
    """The `Link` header (RFC 8288) that names the pages beside this one; none when it is the only one.

    `previous` is the vendor's word for the page before.
    """
    address = f"https://{page.host}{base_path}{page.path}"
    beside = ((page.previous, previous), (page.next, "next"))
    links = [f'<{link(address, {**page.params, **turned})}>; rel="{rel}"' for turned, rel in beside if turned]
    return {"Link": ", ".join(links)} if links else {}


def within(size: int | None, default: int, most: int) -> int:
    """The page size to use: what was asked for, between 1 and `most`."""
    return default if size is None else max(1, min(size, most))


def optional(kind: Any, description: str) -> Any:
    """Type and field of an argument that may be left out, as pydantic's create_model takes them."""
    return (kind | None, Field(None, description=description))
