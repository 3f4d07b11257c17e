"""A view is a row as Zendesk's API writes it, with its address and what follows from other rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from environment.apps.crud import shown
from environment.apps.kit import Call
from environment.apps.zendesk.rows import Comment, Group, Organization, Ticket, TicketField, User
from environment.apps.zendesk.style import url
from environment.world import Row

_PLACES = {"ticket": "tickets", "user": "users", "organization": "organizations", "group": "groups"}


def ticket_view(call: Call, ticket: Ticket) -> dict[str, Any]:
    first = next(iter(call.tables.where(Comment, "ticket_id", ticket.id)), None)
    values = {field.id: field.value for field in ticket.custom_fields}
    custom = [{"id": int(field.id), "value": values.get(field.id)} for field in call.tables.all(TicketField)]
    return {
        "url": url(call.host, f"/tickets/{ticket.id}"),
        **shown(ticket),
        "via": {"channel": ticket.via, "source": {"from": {}, "to": {}, "rel": None}},
        "updated_at": ticket.changed_at,
        "raw_subject": ticket.subject,
        "description": first.body if first else "",
        "is_public": first.public if first else True,
        "collaborator_ids": [],
        "follower_ids": [],
        "email_cc_ids": [],
        "has_incidents": any(call.tables.where(Ticket, "problem_id", ticket.id)),
        "custom_fields": custom,
    }


def comment_view(call: Call, comment: Comment) -> dict[str, Any]:
    return {
        **shown(comment),
        "type": "Comment",
        "plain_body": comment.body,
        "attachments": [],
        "via": {"channel": comment.via, "source": {"from": {}, "to": {}, "rel": None}},
    }


def record_view(call: Call, row: Row, noun: str) -> dict[str, Any]:
    """Any other row with the address it is found at."""
    return {"url": url(call.host, f"/{noun}s/{row.row_id}"), **shown(row)}


def user_view(call: Call, user: User) -> dict[str, Any]:
    return record_view(call, user, "user")


def organization_view(call: Call, organization: Organization) -> dict[str, Any]:
    return record_view(call, organization, "organization")


def group_view(call: Call, group: Group) -> dict[str, Any]:
    return record_view(call, group, "group")


def sideloads(call: Call, include: str | None, tickets: Sequence[Ticket]) -> dict[str, Any]:
    """What `include=users,groups,organizations` adds to a body about these tickets; other names add nothing."""
    wanted = set((include or "").replace(" ", "").split(","))
    loaded: dict[str, Any] = {}
    if "users" in wanted:
        ids = [key for t in tickets for key in (t.requester_id, t.submitter_id, t.assignee_id)]
        users = [call.tables.find(User, key) for key in dict.fromkeys(ids) if key]
        loaded["users"] = [user_view(call, user) for user in users if user]
    if "groups" in wanted:
        groups = [call.tables.find(Group, key) for key in dict.fromkeys(t.group_id for t in tickets) if key]
        loaded["groups"] = [group_view(call, group) for group in groups if group]
    if "organizations" in wanted:
        keys = dict.fromkeys(t.organization_id for t in tickets)
        organizations = [call.tables.find(Organization, key) for key in keys if key]
        loaded["organizations"] = [organization_view(call, row) for row in organizations if row]
    return loaded
