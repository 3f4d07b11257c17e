"""The ticket rules are what Zendesk does and refuses by itself when a ticket is created or changed.

Source: "About native system ticket rules" (support.zendesk.com, article 4408894213018, read in 2025). A new ticket that
is assigned becomes open; none returns to new; solving takes an assignee and the required fields; closed is final.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from environment.apps.crud import change
from environment.apps.kit import Call
from environment.apps.zendesk.people import check_reference, group_of, is_member
from environment.apps.zendesk.rows import AGENTS, Group, Organization, Ticket, User
from environment.apps.zendesk.style import STYLE, invalid
from environment.apps.zendesk.ticket_fields import check_required_fields, merged_fields

_REFERENCES: tuple[tuple[str, type[Any]], ...] = (
    ("requester_id", User),
    ("submitter_id", User),
    ("assignee_id", User),
    ("group_id", Group),
    ("organization_id", Organization),
    ("problem_id", Ticket),
)


def check_not_closed(ticket: Ticket) -> None:
    """Raises the refusal of any change to a closed ticket."""
    if ticket.status == "closed":
        raise invalid("status", "Status closed prevents ticket update")


def changed_ticket(call: Call, before: Ticket, given: Mapping[str, Any]) -> Ticket:
    """The ticket with these fields and what follows from them. Raises the vendor's refusal."""
    check_not_closed(before)
    fields = _completed(call, before, given)
    if given.get("status") == "new" and before.status != "new":
        raise invalid("status", "Status: can't be set back to New")
    if "priority" in given and given["priority"] is None and before.priority is not None:
        raise invalid("priority", "Priority: can't be cleared once it is set")
    ticket = change(call, STYLE, before, fields)
    if {"status", "assignee_id", "group_id"} & given.keys() or ticket.status != before.status:
        _check_solved(call, ticket)
    return ticket


def new_fields(call: Call, requester: User, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a ticket to be created, with what follows from them. Raises the vendor's refusal."""
    return {"organization_id": requester.organization_id, **_completed(call, None, given)}


def check_created(call: Call, ticket: Ticket) -> None:
    """Raises the refusal of a ticket that can't begin like this."""
    _check_solved(call, ticket)


def _completed(call: Call, before: Ticket | None, given: Mapping[str, Any]) -> dict[str, Any]:
    fields = dict(given)
    for name, kind in _REFERENCES:
        check_reference(call, kind, name, fields.get(name))
    fields.update(_assignment(call, before, fields))
    if before is None or before.status == "new":
        fields.setdefault("status", "open" if fields.get("assignee_id") else "new")
    if before is not None and "requester_id" in fields and fields["requester_id"] != before.requester_id:
        requester = call.tables.find(User, fields["requester_id"]) if fields["requester_id"] else None
        if requester is not None:
            fields.setdefault("organization_id", requester.organization_id)
    if "custom_fields" in fields:
        fields["custom_fields"] = merged_fields(call, before, fields["custom_fields"] or [])
    return fields


def _assignment(call: Call, before: Ticket | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Group and assignee as they end up: an assignee works in the ticket's group, or what was not named goes."""
    assignee = given.get("assignee_id")
    group = given.get("group_id")
    if assignee:
        user = call.tables.find(User, assignee)
        if user is None or user.role not in AGENTS or not user.active:
            raise invalid("assignee_id", f"Assignee: {assignee} is not an agent")
        if group:
            if not is_member(call, assignee, group):
                raise invalid("assignee_id", f"Assignee: {user.name} is not a member of the group")
            return {}
        kept = before.group_id if before and "group_id" not in given else None
        return {} if kept and is_member(call, assignee, kept) else {"group_id": group_of(call, assignee) or kept}
    if group and before and before.assignee_id and "assignee_id" not in given:
        return {} if is_member(call, before.assignee_id, group) else {"assignee_id": None}
    return {}


def _check_solved(call: Call, ticket: Ticket) -> None:
    if ticket.status not in ("solved", "closed"):
        return
    if ticket.assignee_id is None:
        raise invalid("base", "Assignee: is required when solving a ticket", "BlankValue")
    check_required_fields(call, ticket)
