"""Endpoints of links between issues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import Field

from environment.apps.jira import adf
from environment.apps.jira.comments import add_comment
from environment.apps.jira.entry import find_issue
from environment.apps.jira.people import NoArgs
from environment.apps.jira.rows import IssueLink
from environment.apps.jira.site import LINK_TYPES, LinkType
from environment.apps.jira.views import Viewer, links_of
from environment.apps.kit import AppError, Args, Call, Response, Route


@dataclass(frozen=True, slots=True)
class Ends:
    """A link to be made; an end is None where it is the issue that is being created."""

    kind: LinkType
    inward: str | None
    outward: str | None


class LinkIssues(Args):
    type: dict[str, Any] = Field(description="An object {name} or {id}, such as {name: Blocks}")
    inwardIssue: dict[str, Any] = Field(description="An object {key} of the issue that blocks, duplicates, clones")
    outwardIssue: dict[str, Any] = Field(description="An object {key} of the issue that is blocked, duplicated")
    comment: dict[str, Any] | None = Field(None, description="An object {body}, a comment on the outward issue")


class OneLink(Args):
    linkId: str = Field(description="Id of the link")


def read_link(call: Call, value: Any, own: str | None) -> Ends | str:
    """The link that an operation on an issue asks for, or the complaint about it."""
    if not isinstance(value, dict):
        return "data was not an object"
    kind = _kind(value.get("type"))
    if kind is None:
        return "No issue link type with this name or id found."
    given = [end for end in ("inwardIssue", "outwardIssue") if end in value]
    other = find_issue(call, _key(value[given[0]])) if len(given) == 1 else None
    if other is None:
        return "Could not find issue by id or key."
    return Ends(kind, *((other.key, own) if given[0] == "inwardIssue" else (own, other.key)))


def make_link(call: Call, ends: Ends, own: str) -> None:
    """Link two issues; a link that there is already is not made again."""
    inward, outward = ends.inward or own, ends.outward or own
    if inward == outward:
        raise AppError(400, "You cannot link an issue to itself.")
    for link in links_of(call, inward):
        if (link.type, link.inwardIssue, link.outwardIssue) == (ends.kind.name, inward, outward):
            return
    key = call.tables.new_id(IssueLink)
    call.tables.put(IssueLink(id=key, type=ends.kind.name, inwardIssue=inward, outwardIssue=outward))


def link_issues(call: Call, args: LinkIssues) -> Response:
    """Link two issues: the inward one blocks (duplicates, clones, relates to) the outward one."""
    kind = _kind(args.type)
    if kind is None:
        name = args.type.get("name") or args.type.get("id")
        raise AppError(404, f"No issue link type with name '{str(name)[:80]}' found.")
    inward, outward = (find_issue(call, _key(end)) for end in (args.inwardIssue, args.outwardIssue))
    if inward is None or outward is None:
        raise AppError(404, "Issue does not exist or you do not have permission to see it.")
    make_link(call, Ends(kind, inward.key, outward.key), "")
    if args.comment is not None:
        body = args.comment.get("body")
        if not adf.is_document(body):
            raise AppError(400, "Comment body is not valid!")
        add_comment(call, outward.key, body)
    return Response(201, None)


def get_link(call: Call, args: OneLink) -> dict[str, Any]:
    """Get a link between two issues."""
    return Viewer(call).link(_find(call, args.linkId))


def delete_link(call: Call, args: OneLink) -> Response:
    """Remove a link between two issues."""
    call.tables.delete(_find(call, args.linkId))
    return Response(204, None)


def list_link_types(call: Call, args: NoArgs) -> dict[str, Any]:
    """List the types of links between issues."""
    return {"issueLinkTypes": [Viewer(call).link_type(kind) for kind in LINK_TYPES]}


def _find(call: Call, key: str) -> IssueLink:
    link = call.tables.find(IssueLink, key)
    if link is None:
        raise AppError(404, f"No issue link with id '{key[:80]}' exists.")
    return link


def _kind(value: Any) -> LinkType | None:
    if not isinstance(value, dict):
        return None
    for kind in LINK_TYPES:
        if kind.id == value.get("id") or ("id" not in value and kind.name == value.get("name")):
            return kind
    return None


def _key(value: Any) -> str:
    key = (value.get("key") or value.get("id")) if isinstance(value, dict) else None
    return key if isinstance(key, str) else ""


ROUTES = (
    Route(
        "link_issues",
        "POST",
        "/issueLink",
        "write",
        LinkIssues,
        link_issues,
        as_action=False,
        keywords="blocks duplicate relates",
    ),
    Route("get_issue_link", "GET", "/issueLink/{linkId}", "read", OneLink, get_link, as_action=False),
    Route("delete_issue_link", "DELETE", "/issueLink/{linkId}", "write", OneLink, delete_link, as_action=False),
    Route("list_issue_link_types", "GET", "/issueLinkType", "read", NoArgs, list_link_types, as_action=False),
)
