"""Search finds tickets, users, organizations and groups by a query such as `type:ticket status<solved refund`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

from pydantic import Field

from environment.apps.kit import AppError, Args, Call, Route
from environment.apps.zendesk.rows import Organization, Ticket, User
from environment.apps.zendesk.search_terms import found_rows
from environment.apps.zendesk.style import PageArgs, bad_attribute, list_body
from environment.apps.zendesk.tickets import SORTS
from environment.apps.zendesk.views import group_view, organization_view, sideloads, ticket_view, user_view
from environment.query.grammar import QueryError
from environment.query.zendesk_search import Search, parse_search
from environment.world import Row

_DEEPEST, _MOST_TERMS = 1_000, 100
_ORDERS = {"created": "created_at", "updated": "updated_at", "ticket_type": "ticket_type"}
_SORTED_BY = ("created_at", "updated_at", "priority", "status", "ticket_type")


class CountResults(Args):
    query: str = Field(description="Search, such as type:ticket status<solved")


class SearchAll(PageArgs):
    query: str = Field(description="Search, such as type:ticket status<solved")
    sort_by: Literal["created_at", "updated_at", "priority", "status", "ticket_type"] | None = Field(
        None, description="Field to sort by"
    )
    sort_order: Literal["asc", "desc"] | None = Field(None, description="asc or desc")
    include: str | None = Field(None, description="tickets(users), tickets(groups)")


def search_all(call: Call, args: SearchAll) -> dict[str, Any]:
    """Search tickets, users, organizations and groups."""
    search = _parsed(args.query)
    rows = found_rows(call, search)
    order, descending = _ORDERS.get(search.order_by or "created", search.order_by or ""), search.descending
    if args.sort_by is not None:
        order, descending = args.sort_by, args.sort_order != "asc"
    rows.sort(key=_sorter(order), reverse=descending)
    start = (max(1, args.page or 1) - 1) * min(max(1, args.per_page or 100), 100)
    if start >= _DEEPEST:
        raise AppError(422, "Requested response size was greater than Search Response Limits", "invalid")
    tickets = []

    def show(row: Row) -> dict[str, Any]:
        if isinstance(row, Ticket):
            tickets.append(row)
        return _view(call, row)

    body = list_body(call, rows, show, "results", "/search", args)
    wanted = ",".join(re.findall(r"tickets\(([a-z,]*)\)", args.include or ""))
    return {**body, "facets": None, **sideloads(call, wanted, tickets)}


def count_results(call: Call, args: CountResults) -> dict[str, Any]:
    """Count the results of a search."""
    return {"count": len(found_rows(call, _parsed(args.query)))}


def _parsed(query: str) -> Search:
    if not query.strip():
        raise bad_attribute("query can't be blank")
    try:
        search = parse_search(query)
    except QueryError as error:
        raise AppError(422, f"Invalid search: {error.message}", "invalid") from None
    if len(search.restrictions) + len(search.words) > _MOST_TERMS:
        raise AppError(422, f"Invalid search: more than {_MOST_TERMS} terms", "invalid")
    if search.order_by is not None and _ORDERS.get(search.order_by, search.order_by) not in _SORTED_BY:
        raise AppError(422, f"Invalid search: can't order by {search.order_by[:40]}", "invalid")
    return search


def _view(call: Call, row: Row) -> dict[str, Any]:
    if isinstance(row, Ticket):
        return {**ticket_view(call, row), "result_type": "ticket"}
    if isinstance(row, User):
        return {**user_view(call, row), "result_type": "user"}
    if isinstance(row, Organization):
        return {**organization_view(call, row), "result_type": "organization"}
    return {**group_view(call, row), "result_type": "group"}  # type: ignore[arg-type]


def _sorter(order: str) -> Callable[[Row], Any]:
    def key(row: Row) -> Any:
        if isinstance(row, Ticket):
            return (1, SORTS[order](row), int(row.id))
        stamp = getattr(row, order) if order.endswith("_at") else None
        return (1, stamp, int(row.row_id)) if stamp else (0, "", int(row.row_id))

    return key


ROUTES = (
    Route(
        "search",
        "GET",
        "/search",
        "read",
        SearchAll,
        search_all,
        as_action=False,
        keywords="find query tickets requests customers status tag",
    ),
    Route("count_search_results", "GET", "/search/count", "read", CountResults, count_results, as_action=False),
)
