"""A comment is a public reply, which leaves the company, or an internal note, which does not."""

from __future__ import annotations

import html
import re
from typing import Any

from pydantic import ConfigDict, Field

from environment.apps.crud import change, find, new
from environment.apps.kit import Args, Call, Route
from environment.apps.zendesk.people import acting_user, check_reference
from environment.apps.zendesk.rows import AGENTS, Comment, Ticket, User
from environment.apps.zendesk.style import STYLE, PageArgs, invalid, list_body
from environment.apps.zendesk.views import comment_view, user_view


class CommentFields(Args):
    """What a ticket's update or creation says in its `comment`."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
    body: str | None = Field(None, description="Plain text")
    html_body: str | None = Field(None, description="HTML instead of plain text")
    public: bool = Field(True, description="False for an internal note")
    author_id: str | None = Field(None, description="Who says it")

    @property
    def text(self) -> str:
        if self.body is not None or self.html_body is None:
            return (self.body or "").strip()
        lines = re.sub(r"<(?:br|/p|/div|/li)\b[^<>]*>", "\n", self.html_body)
        return html.unescape(re.sub(r"<[^<>]*>", "", lines)).strip()


class ListComments(PageArgs):
    ticket_id: str = Field(description="Ticket id")
    include: str | None = Field(None, description="users")
    sort_order: str | None = Field(None, description="asc or desc")


def add_comment(call: Call, ticket: Ticket, given: CommentFields) -> Ticket:
    """Store the comment; returns the ticket, which a customer's comment opens again. Raises the vendor's refusal."""
    if not given.text:
        raise invalid("comment", "Comment: cannot be blank", "BlankValue")
    check_reference(call, User, "author_id", given.author_id)
    author = find(call, STYLE, User, given.author_id, "user") if given.author_id else acting_user(call)
    fields = {"ticket_id": ticket.id, "author_id": author.id, "body": given.text, "public": given.public, "via": "api"}
    comment = new(call, STYLE, Comment, fields)
    if author.role in AGENTS and given.public:
        call.tables.send(comment)
        return ticket
    call.tables.put(comment)
    reopens = author.role not in AGENTS and ticket.status in ("pending", "hold", "solved")
    return change(call, STYLE, ticket, {"status": "open"}) if reopens else ticket


def list_comments(call: Call, args: ListComments) -> dict[str, Any]:
    """List a ticket's comments, its description first."""
    ticket = find(call, STYLE, Ticket, args.ticket_id, "ticket")
    comments = call.tables.where(Comment, "ticket_id", ticket.id)
    if args.sort_order == "desc":
        comments.reverse()
    path = "/tickets/{ticket_id}/comments"
    body = list_body(call, comments, lambda comment: comment_view(call, comment), "comments", path, args)
    if "users" in (args.include or "").split(","):
        authors = [call.tables.find(User, str(key)) for key in dict.fromkeys(c["author_id"] for c in body["comments"])]
        body["users"] = [user_view(call, author) for author in authors if author]
    return body


ROUTES = (
    Route(
        "list_comments",
        "GET",
        "/tickets/{ticket_id}/comments",
        "read",
        ListComments,
        list_comments,
        as_action=False,
        keywords="conversation replies notes messages",
    ),
)
