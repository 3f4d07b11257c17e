"""The style of Zendesk's API: bodies under the noun, two ways of paging, and its refusals."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import Field, ValidationError

from environment.apps.crud import Style
from environment.apps.kit import AppError, Args, Call, explain
from environment.apps.paging import Page, Paging, Span, link, read_page, within
from environment.world import Row

BASE_PATH = "/api/v2"
RowT = TypeVar("RowT", bound=Row)
_MOST, _DEEPEST = 100, 10_000
_SIZE, _AFTER, _BEFORE = "page[size]", "page[after]", "page[before]"


class PageArgs(Args):
    """Which part of a list is wanted: a page by its number, or by the cursor of another."""

    page: int | None = Field(None, description="Page, from 1")
    per_page: int | None = Field(None, description="At most 100")
    page_size: int | None = Field(None, alias=_SIZE, description="Page size, with cursors")
    page_after: str | None = Field(None, alias=_AFTER, description="Go on after this cursor")
    page_before: str | None = Field(None, alias=_BEFORE, description="End before this cursor")


def url(host: str, path: str) -> str:
    """The address of a resource."""
    return f"https://{host}{BASE_PATH}{path}.json"


def missing(noun: str, key: str) -> AppError:
    """The refusal of an id that there is none of, or that is no number."""
    name = noun.replace("_", " ")
    if not (key.isascii() and key.isdigit()):
        return bad_attribute(f"{name} id must be an integer, given {key[:40]!r}")
    return AppError(404, f"{name} {key[:40]} was not found", "RecordNotFound")


def invalid(field: str, description: str, code: str = "InvalidValue", **more: Any) -> AppError:
    """The refusal of a record, 422, with what is wrong at one of its fields."""
    return AppError(422, description, "RecordInvalid", {field: [{"description": description, "error": code, **more}]})


def bad_attribute(sentence: str) -> AppError:
    """The refusal of a request that can't be read as one."""
    return AppError(400, sentence, "Invalid attribute")


def bad_arguments(error: ValidationError) -> AppError:
    return bad_attribute(explain(error))


def error_body(error: AppError) -> dict[str, Any]:
    """Zendesk's JSON for a refusal."""
    if error.status in (404, 405):
        known = error.code == "RecordNotFound"
        return {"error": error.code if known else "InvalidEndpoint", "description": "Not found"}
    if error.status == 400:
        return {"error": {"title": error.code or "Invalid attribute", "message": error.message}}
    if error.details is not None:
        return {"error": error.code, "description": "Record validation errors", "details": error.details}
    return {"error": error.code, "description": error.message}


def _unfit(error: ValidationError) -> AppError:
    details: dict[str, list[dict[str, str]]] = {}
    for item in error.errors(include_url=False):
        name = str(item["loc"][0]) if item["loc"] else "base"
        blank = item["type"] in ("missing", "string_too_short", "too_short") or item.get("input", "") is None
        words = "cannot be blank" if blank else item["msg"]
        label = name.removesuffix("_id").replace("_", " ").capitalize()
        entry = {"description": f"{label}: {words}", "error": "BlankValue" if blank else "InvalidValue"}
        details.setdefault(name, []).append(entry)
    sentence = "; ".join(entry["description"] for entries in details.values() for entry in entries[:1])
    return AppError(422, sentence[:500], "RecordInvalid", details)


def _span(given: Mapping[str, Any], rows: Sequence[Row]) -> Span:
    if any(name in given for name in (_SIZE, _AFTER, _BEFORE)):
        size = within(given.get(_SIZE), _MOST, _MOST)
        if _BEFORE in given:
            end = _position(given[_BEFORE])
            return Span(max(0, end - size), min(size, end))
        return Span(_position(given[_AFTER]) if _AFTER in given else 0, size)
    size = within(given.get("per_page"), _MOST, _MOST)
    start = (max(1, given.get("page") or 1) - 1) * size
    if start >= _DEEPEST:
        raise AppError(400, "Number of records exceeds 10,000; use cursor pagination", "Invalid page")
    return Span(start, size)


def _position(cursor: str) -> int:
    """Position that a cursor of ours stands for."""
    try:
        if len(cursor) > 100:
            raise ValueError("too long for one of ours")
        position = json.loads(base64.urlsafe_b64decode(cursor))["v"]
    except (binascii.Error, ValueError, TypeError, KeyError):
        position = None
    if type(position) is not int or not 0 <= position < 2**31:
        raise AppError(400, "page[after] or page[before] is no cursor of this list", "InvalidPaginationParameter")
    return position


def _cursor(position: int) -> str:
    return base64.urlsafe_b64encode(json.dumps({"o": "id", "v": position}).encode()).decode()


def envelope(page: Page) -> dict[str, Any]:
    """The body of a list, after the way of paging that was asked for."""
    if any(name in page.params for name in (_SIZE, _AFTER, _BEFORE)):
        return {page.plural: page.records, **_cursors(page)}
    following = None if page.next is None else _address(page, {**page.params, **page.next})
    previous = None if page.previous is None else _address(page, {**page.params, **page.previous})
    return {page.plural: page.records, "next_page": following, "previous_page": previous, "count": page.total}


def _cursors(page: Page) -> dict[str, Any]:
    end = page.start + len(page.records)
    after, before = (_cursor(end), _cursor(page.start)) if page.records else (None, None)
    kept = {name: value for name, value in page.params.items() if name not in (_AFTER, _BEFORE)}
    more = end < page.total
    return {
        "meta": {"has_more": more, "after_cursor": after, "before_cursor": before},
        "links": {
            "next": _address(page, {**kept, _AFTER: after}) if more else None,
            "prev": _address(page, {**kept, _BEFORE: before}) if page.records and page.start else None,
        },
    }


def _address(page: Page, params: Mapping[str, Any]) -> str:
    return link(url(page.host, page.path), params)


def list_body(
    call: Call, rows: Sequence[RowT], show: Callable[[RowT], Any], plural: str, path: str, args: PageArgs
) -> dict[str, Any]:
    """The body of a list that is not an ordinary collection: the page of `rows` that `args` ask for."""
    params = args.model_dump(exclude_none=True, by_alias=True)
    given = {name: value for name, value in params.items() if f"{{{name}}}" not in path}
    filled = path.format_map({name: quote(str(value), safe="", errors="replace") for name, value in params.items()})
    return envelope(read_page(_PAGING, rows, show, host=call.host, path=filled, params=given, plural=plural))


_PAGING = Paging(
    {name: (info.annotation, info) for name, info in PageArgs.model_fields.items()},
    _span,
    lambda part, rows: {"page": part.start // part.size + 1},
)

STYLE = Style(
    one=lambda noun, record: {noun: record},
    many=envelope,
    paging=_PAGING,
    wrapped=True,
    update_method="PUT",
    missing=missing,
    invalid=_unfit,
)
