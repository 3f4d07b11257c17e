"""Endpoints of comments, whose bodies are Atlassian Documents."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from environment.apps.jira import adf
from environment.apps.jira.entry import known_issue, page_of
from environment.apps.jira.people import me
from environment.apps.jira.rows import Comment, Issue
from environment.apps.jira.views import Viewer
from environment.apps.kit import AppError, Args, Call, Response, Route

_MAX_TEXT = 32_767


class ListComments(Args):
    issueIdOrKey: str = Field(description="Key or id of the issue")
    startAt: int = Field(0, description="Comments to skip")
    maxResults: int = Field(100, description="Comments to return, at most 100")
    orderBy: str = Field("created", description="created, or -created for the newest first")
    expand: str | None = Field(None, description="Ignored")


class AddComment(Args):
    issueIdOrKey: str = Field(description="Key or id of the issue")
    body: Any = Field(None, description="The comment as an Atlassian Document: {type: doc, version: 1, content: [...]}")
    visibility: dict[str, Any] | None = Field(None, description="Ignored")
    properties: list[dict[str, Any]] | None = Field(None, description="Ignored")
    expand: str | None = Field(None, description="Ignored")


class OneComment(Args):
    issueIdOrKey: str = Field(description="Key or id of the issue")
    id: str = Field(description="Id of the comment")


class EditComment(OneComment):
    body: Any = Field(None, description="The comment as an Atlassian Document: {type: doc, version: 1, content: [...]}")
    visibility: dict[str, Any] | None = Field(None, description="Ignored")
    notifyUsers: bool = Field(True, description="Ignored")


def add_comment(call: Call, issue: str, body: Any) -> Comment:
    """Store a comment on the issue with this key. Raises 400 for what is no document."""
    text, document = _read(body)
    now = call.now.isoformat()
    touched = call.tables.find(Issue, issue)
    if touched is not None:
        call.tables.put(touched.change(updated=now))
    return call.tables.put(
        Comment(
            id=call.tables.new_id(Comment),
            issue=issue,
            author=me(call).accountId,
            body=text,
            bodyAdf=document,
            created=now,
            updated=now,
        )
    )


def list_comments(call: Call, args: ListComments) -> dict[str, Any]:
    """List the comments of an issue."""
    issue = known_issue(call, args.issueIdOrKey)
    comments = call.tables.where(Comment, "issue", issue.key)
    if args.orderBy not in ("created", "+created", "-created"):
        raise AppError(400, f"Invalid orderBy '{args.orderBy[:80]}'; it is created, +created or -created.")
    if args.orderBy == "-created":
        comments.reverse()
    viewer = Viewer(call)
    page = page_of(comments, args.startAt, args.maxResults, 100)
    return {
        "startAt": args.startAt,
        "maxResults": min(args.maxResults, 100),
        "total": len(comments),
        "comments": [viewer.comment(comment) for comment in page],
    }


def post_comment(call: Call, args: AddComment) -> Response:
    """Add a comment to an issue."""
    issue = known_issue(call, args.issueIdOrKey)
    return Response(201, Viewer(call).comment(add_comment(call, issue.key, args.body)))


def get_comment(call: Call, args: OneComment) -> dict[str, Any]:
    """Get a comment."""
    return Viewer(call).comment(_find(call, args))


def edit_comment(call: Call, args: EditComment) -> dict[str, Any]:
    """Change a comment."""
    comment = _find(call, args)
    text, document = _read(args.body)
    return Viewer(call).comment(
        call.tables.put(comment.change(body=text, bodyAdf=document, updated=call.now.isoformat()))
    )


def delete_comment(call: Call, args: OneComment) -> Response:
    """Delete a comment."""
    call.tables.delete(_find(call, args))
    return Response(204, None)


def _find(call: Call, args: OneComment) -> Comment:
    issue = known_issue(call, args.issueIdOrKey)
    comment = call.tables.find(Comment, args.id)
    if comment is None or comment.issue != issue.key:
        raise AppError(404, f"Can not find a comment for the id: {args.id[:80]}.")
    return comment


def _read(body: Any) -> tuple[str, dict[str, Any] | None]:
    if not adf.is_document(body):
        raise AppError(400, "Comment body is not valid!")
    text, document = adf.stored(body)
    if not text.strip():
        raise AppError(400, "Comment body can not be empty!")
    if len(text) > _MAX_TEXT:
        raise AppError(400, "The entered text is too long. It exceeds the allowed limit of 32,767 characters.")
    return text, document


_OF_ISSUE = "/issue/{issueIdOrKey}/comment"
ROUTES = (
    Route("list_comments", "GET", _OF_ISSUE, "read", ListComments, list_comments, as_action=False),
    Route("add_comment", "POST", _OF_ISSUE, "write", AddComment, post_comment, as_action=False, query=("expand",)),
    Route("get_comment", "GET", f"{_OF_ISSUE}/{{id}}", "read", OneComment, get_comment, as_action=False),
    Route("update_comment", "PUT", f"{_OF_ISSUE}/{{id}}", "write", EditComment, edit_comment, as_action=False),
    Route("delete_comment", "DELETE", f"{_OF_ISSUE}/{{id}}", "write", OneComment, delete_comment, as_action=False),
)
