"""Endpoints that search issues with JQL: the one with pages counted from 0, and the newer one with page tokens."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any

from pydantic import Field

from environment.apps.jira.conditions import read_query, select
from environment.apps.jira.entry import page_of
from environment.apps.jira.refusal import wrong_query
from environment.apps.jira.views import Viewer
from environment.apps.kit import AppError, Args, Call, Many, Route

_MOST, _MOST_BARE = 100, 5000
_BARE = frozenset({"id", "key"})


class Search(Args):
    jql: str | None = Field(None, description="JQL query, such as project = OPS AND status != Done ORDER BY due")
    startAt: int = Field(0, description="Issues to skip")
    maxResults: int = Field(50, description="Issues to return, at most 100")
    fields: Many | None = Field(None, description="Comma-separated fields; *all, *navigable and -field too")
    expand: Many | None = Field(None, description="Ignored")
    validateQuery: str | bool | None = Field(None, description="Ignored")
    properties: Many | None = Field(None, description="Ignored")
    fieldsByKeys: bool = Field(False, description="Ignored")
    failFast: bool = Field(False, description="Ignored")


class SearchPages(Args):
    jql: str | None = Field(None, description="JQL query that restricts the search, such as project = OPS")
    nextPageToken: str | None = Field(None, description="nextPageToken of the page before")
    maxResults: int = Field(50, description="Issues to return, at most 100, or 5000 when only ids and keys are asked")
    fields: Many | None = Field(None, description="Comma-separated fields; only ids without; *all, *navigable too")
    expand: str | None = Field(None, description="Ignored")
    properties: Many | None = Field(None, description="Ignored")
    fieldsByKeys: bool = Field(False, description="Ignored")
    failFast: bool = Field(False, description="Ignored")
    reconcileIssues: list[int] | None = Field(None, description="Ignored")


class Count(Args):
    jql: str | None = Field(None, description="JQL query that restricts the search")


def search(call: Call, args: Search) -> dict[str, Any]:
    """Search issues with JQL, with pages counted from 0."""
    found = select(call, read_query(args.jql or ""))
    page = page_of(found, args.startAt, args.maxResults, _MOST)
    viewer = Viewer(call)
    names = viewer.field_names(args.fields or [], "*navigable")
    return {
        "expand": "schema,names",
        "startAt": args.startAt,
        "maxResults": min(args.maxResults, _MOST),
        "total": len(found),
        "issues": [viewer.issue(issue, names) for issue in page],
    }


def search_pages(call: Call, args: SearchPages) -> dict[str, Any]:
    """Search issues with JQL, with page tokens; the query must restrict the search."""
    jql = args.jql or ""
    query = read_query(jql)
    if query.where is None:
        raise wrong_query("Unbounded JQL queries are not allowed here. Please add a search restriction to your query.")
    found = select(call, query)
    bare = _BARE.issuperset(args.fields or ["id"])
    start = _start(args.nextPageToken, jql)
    page = page_of(found, start, args.maxResults or 50, _MOST_BARE if bare else _MOST)
    viewer = Viewer(call)
    names = [] if bare else viewer.field_names(args.fields or [], "*navigable")
    shown = [viewer.issue(issue, names) for issue in page]
    if not args.fields:
        shown = [{"id": issue["id"]} for issue in shown]
    elif bare:
        shown = [{name: issue[name] for name in ("expand", "id", "self", "key")} for issue in shown]
    end = start + len(page)
    more = end < len(found)
    return {"issues": shown, **({"nextPageToken": _token(end, jql)} if more else {}), "isLast": not more}


def count(call: Call, args: Count) -> dict[str, Any]:
    """Count the issues that a JQL query finds."""
    query = read_query(args.jql or "")
    if query.where is None:
        raise wrong_query("Unbounded JQL queries are not allowed here. Please add a search restriction to your query.")
    return {"count": len(select(call, query))}


def _token(position: int, jql: str) -> str:
    text = f"{position}:{zlib.crc32(jql.encode('utf-8', 'replace'))}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _start(token: str | None, jql: str) -> int:
    """The position that a token of this query stands for. Raises 400 for any other."""
    if not token:
        return 0
    try:
        text = base64.urlsafe_b64decode(token[:60] + "=" * (-len(token[:60]) % 4)).decode("ascii")
    except (ValueError, binascii.Error):
        text = ""
    position = text.partition(":")[0]
    if not position.isdecimal() or len(position) > 9 or _token(int(position), jql) != token:
        raise AppError(400, "The provided next page token is invalid or expired.")
    return int(position)


ROUTES = (
    Route(
        "search_issues",
        "GET",
        "/search",
        "read",
        Search,
        search,
        as_action=False,
        methods_also=("POST",),
        keywords="find jql query tickets",
    ),
    Route(
        "search_issues_by_page",
        "GET",
        "/search/jql",
        "read",
        SearchPages,
        search_pages,
        as_action=False,
        methods_also=("POST",),
        keywords="find jql query tickets",
    ),
    Route("count_issues", "POST", "/search/approximate-count", "read", Count, count, as_action=False),
)
