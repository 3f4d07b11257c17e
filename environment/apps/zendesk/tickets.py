"""Tickets are listed, shown, created, updated and deleted, one by one or many at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic import ConfigDict, Field

from environment.apps.crud import find, new
from environment.apps.kit import AppError, Args, Call, Response, Route
from environment.apps.zendesk.comments import CommentFields, add_comment
from environment.apps.zendesk.job import job_status
from environment.apps.zendesk.people import acting_user, check_reference, put_requester, split_ids
from environment.apps.zendesk.rows import AGENTS, PRIORITIES, STATUSES, CustomField, Organization, Ticket, User, tag_set
from environment.apps.zendesk.style import STYLE, PageArgs, bad_attribute, invalid, list_body
from environment.apps.zendesk.ticket_rules import changed_ticket, check_created, check_not_closed, new_fields
from environment.apps.zendesk.views import sideloads, ticket_view

SORTS: Mapping[str, Callable[[Ticket], Any]] = {
    "id": lambda ticket: int(ticket.id),
    "created_at": lambda ticket: ticket.created_at,
    "updated_at": lambda ticket: ticket.changed_at,
    "status": lambda ticket: STATUSES.index(ticket.status),
    "priority": lambda ticket: PRIORITIES.index(ticket.priority) if ticket.priority else -1,
    "subject": lambda ticket: ticket.subject.casefold(),
    "ticket_type": lambda ticket: ticket.type or "",
    "assignee": lambda ticket: ticket.assignee_id or "",
    "requester": lambda ticket: ticket.requester_id,
    "group": lambda ticket: ticket.group_id or "",
}
"""What lists of tickets can be sorted by."""


class RequesterFields(Args):
    """Who asks, by address; made a customer when unknown."""

    email: str = Field(description="Address")
    name: str | None = Field(None, description="Name")


class TicketFields(Args):
    """What a request says in its `ticket`."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
    subject: str | None = Field(None, description="Subject")
    comment: CommentFields | None = Field(None, description="Reply or note")
    requester: RequesterFields | None = Field(None, description="Who asks")
    requester_id: str | None = Field(None, description="Who asks")
    submitter_id: str | None = Field(None, description="Who entered it")
    assignee_id: str | None = Field(None, description="Agent")
    assignee_email: str | None = Field(None, description="Agent's address")
    group_id: str | None = Field(None, description="Group")
    organization_id: str | None = Field(None, description="Organization")
    status: str | None = Field(None, description="Status")
    priority: str | None = Field(None, description="Priority")
    type: str | None = Field(None, description="Type")
    tags: list[str] | str | None = Field(None, description="All tags")
    custom_fields: list[CustomField] | None = Field(None, description="Values of custom fields")
    external_id: str | None = Field(None, description="External id")
    problem_id: str | None = Field(None, description="Problem that it is an incident of")
    due_at: str | None = Field(None, description="When a task is due")


class NewTicket(TicketFields):
    description: str | None = Field(None, description="First comment")


class ChangedTicket(TicketFields):
    safe_update: bool = Field(False, description="Refuse when changed meanwhile")
    updated_stamp: str | None = Field(None, description="updated_at that was read")


class ManyChanged(TicketFields):
    id: str | None = Field(None, description="Ticket id")
    additional_tags: list[str] | str | None = Field(None, description="Tags to add")
    remove_tags: list[str] | str | None = Field(None, description="Tags to remove")


class OneTicket(Args):
    id: str = Field(description="Ticket id")


class ShowTicket(OneTicket):
    include: str | None = Field(None, description="users, groups, organizations")


class ListTickets(PageArgs):
    include: str | None = Field(None, description="users, groups, organizations")
    sort_by: str | None = Field(None, description="Field to sort by")
    sort_order: Literal["asc", "desc"] | None = Field(None, description="asc or desc")
    sort: str | None = Field(None, description="Field, - for descending")
    external_id: str | None = Field(None, description="External id")


class TicketsOfUser(ListTickets):
    user_id: str = Field(description="User id")


class TicketsOfOrganization(ListTickets):
    organization_id: str = Field(description="Organization id")


class ShowMany(Args):
    ids: str = Field(description="Ids, comma separated")
    include: str | None = Field(None, description="users, groups, organizations")


class CreateTicket(Args):
    ticket: NewTicket = Field(description="Fields of the ticket")


class UpdateTicket(OneTicket):
    ticket: ChangedTicket = Field(description="Fields to change")


class UpdateMany(Args):
    ids: str | None = Field(None, description="Ids, comma separated")
    ticket: ManyChanged | None = Field(None, description="Same change for all")
    tickets: list[ManyChanged] | None = Field(None, description="One change each")


def list_tickets(call: Call, args: ListTickets) -> dict[str, Any]:
    """List tickets."""
    return _listed(call, call.tables.all(Ticket), "/tickets", args)


def list_requested_tickets(call: Call, args: TicketsOfUser) -> dict[str, Any]:
    """List the tickets that a user asked for."""
    user = find(call, STYLE, User, args.user_id, "user")
    tickets = call.tables.where(Ticket, "requester_id", user.id)
    return _listed(call, tickets, "/users/{user_id}/tickets/requested", args)


def list_assigned_tickets(call: Call, args: TicketsOfUser) -> dict[str, Any]:
    """List the tickets that are assigned to an agent."""
    user = find(call, STYLE, User, args.user_id, "user")
    tickets = call.tables.where(Ticket, "assignee_id", user.id)
    return _listed(call, tickets, "/users/{user_id}/tickets/assigned", args)


def list_organization_tickets(call: Call, args: TicketsOfOrganization) -> dict[str, Any]:
    """List an organization's tickets."""
    organization = find(call, STYLE, Organization, args.organization_id, "organization")
    tickets = call.tables.where(Ticket, "organization_id", organization.id)
    return _listed(call, tickets, "/organizations/{organization_id}/tickets", args)


def show_ticket(call: Call, args: ShowTicket) -> dict[str, Any]:
    """Get a ticket."""
    ticket = find(call, STYLE, Ticket, args.id, "ticket")
    return {"ticket": ticket_view(call, ticket), **sideloads(call, args.include, [ticket])}


def show_many_tickets(call: Call, args: ShowMany) -> dict[str, Any]:
    """Get several tickets at once."""
    found = [ticket for key in dict.fromkeys(split_ids(args.ids)) if (ticket := call.tables.find(Ticket, key))]
    views = [ticket_view(call, ticket) for ticket in found]
    loaded = sideloads(call, args.include, found)
    return {"tickets": views, **loaded, "next_page": None, "previous_page": None, "count": len(views)}


def create_ticket(call: Call, args: CreateTicket) -> Response:
    """Create a ticket with its first comment; a requester who is unknown becomes a customer."""
    fields, given = args.ticket, _given(call, args.ticket)
    comment = fields.comment or CommentFields(body=fields.description)
    if not comment.text:
        raise invalid("base", "Description: cannot be blank", "BlankValue")
    agent = acting_user(call)
    given.setdefault("requester_id", agent.id)
    if given["requester_id"] is None:
        raise invalid("requester", "Requester: is required", "BlankValue")
    check_reference(call, User, "requester_id", given["requester_id"])
    requester = find(call, STYLE, User, given["requester_id"], "user")
    given = {"submitter_id": agent.id, "via": "api", **new_fields(call, requester, given)}
    given["subject"] = fields.subject or comment.text.splitlines()[0][:80]
    ticket = new(call, STYLE, Ticket, given)
    check_created(call, ticket)
    stored = call.tables.put(add_comment(call, ticket, comment))
    return Response(201, {"ticket": ticket_view(call, stored)})


def update_ticket(call: Call, args: UpdateTicket) -> dict[str, Any]:
    """Change a ticket, reply to its requester or add an internal note."""
    ticket = find(call, STYLE, Ticket, args.id, "ticket")
    if args.ticket.safe_update and args.ticket.updated_stamp != ticket.changed_at:
        raise AppError(409, "Safe Update prevented the update due to outdated ticket data", "UpdateConflict")
    return {"ticket": ticket_view(call, _updated(call, ticket, args.ticket, {}))}


def update_many_tickets(call: Call, args: UpdateMany) -> dict[str, Any]:
    """Change several tickets at once; those that refuse are named in the job's results."""
    changes: list[tuple[str, ManyChanged]] = []
    if args.ticket is not None and args.ids is not None:
        changes = [(key, args.ticket) for key in dict.fromkeys(split_ids(args.ids))]
    elif args.tickets:
        changes = [(fields.id or "", fields) for fields in args.tickets[:100]]
    else:
        raise bad_attribute("give ids and ticket, or tickets with their ids")
    return job_status(call, "update", changes, lambda key, fields: _changed_one(call, key, fields))


def delete_ticket(call: Call, args: OneTicket) -> Response:
    """Delete a ticket."""
    call.tables.delete(find(call, STYLE, Ticket, args.id, "ticket"))
    return Response(204, None)


def _listed(call: Call, tickets: Sequence[Ticket], path: str, args: ListTickets) -> dict[str, Any]:
    if args.external_id is not None:
        tickets = [ticket for ticket in tickets if ticket.external_id == args.external_id]
    order = (args.sort or "").lstrip("-") or args.sort_by
    if order is not None:
        if order not in SORTS:
            raise bad_attribute(f"sort_by {order[:40]!r} is none of {', '.join(SORTS)}")
        descending = args.sort.startswith("-") if args.sort else args.sort_order == "desc"
        tickets = sorted(tickets, key=SORTS[order], reverse=descending)
    shown: list[Ticket] = []

    def show(ticket: Ticket) -> dict[str, Any]:
        shown.append(ticket)
        return ticket_view(call, ticket)

    body = list_body(call, tickets, show, "tickets", path, args)
    return {**body, **sideloads(call, args.include, shown)}


def _given(call: Call, fields: TicketFields) -> dict[str, Any]:
    """The ticket's own fields as given, with people looked up by their address."""
    apart = {"comment", "requester", "assignee_email", "description", "safe_update", "updated_stamp", "id"}
    given = fields.model_dump(exclude_unset=True, exclude={*apart, "additional_tags", "remove_tags"})
    if fields.requester is not None:
        given["requester_id"] = put_requester(call, fields.requester.name, fields.requester.email).id
    if fields.assignee_email is not None:
        agents = call.tables.where(User, "email", fields.assignee_email.strip().lower())
        if not agents or agents[0].role not in AGENTS:
            raise invalid("assignee_email", "Assignee: no agent has this address", "RecordNotFound")
        given["assignee_id"] = agents[0].id
    return given


def _updated(call: Call, before: Ticket, fields: TicketFields, more: Mapping[str, Any]) -> Ticket:
    check_not_closed(before)
    ticket = changed_ticket(call, before, {**_given(call, fields), **more})
    if fields.comment is not None:
        ticket = add_comment(call, ticket, fields.comment)
    return call.tables.put(ticket) if ticket != before else ticket


def _changed_one(call: Call, key: str, fields: ManyChanged) -> None:
    ticket = find(call, STYLE, Ticket, key, "ticket")
    tags = {}
    if fields.additional_tags is not None or fields.remove_tags is not None:
        kept = {*ticket.tags, *tag_set(fields.additional_tags or ())} - {*tag_set(fields.remove_tags or ())}
        tags = {"tags": sorted(kept)}
    _updated(call, ticket, fields, tags)


def _route(name: str, path: str, args: type[Args], handler: Any, keywords: str = "") -> Route:
    return Route(name, "GET", path, "read", args, handler, as_action=False, keywords=keywords)


ROUTES = (
    _route("list_tickets", "/tickets", ListTickets, list_tickets, "requests cases issues support"),
    _route("show_many_tickets", "/tickets/show_many", ShowMany, show_many_tickets),
    _route("get_ticket", "/tickets/{id}", ShowTicket, show_ticket, "read open"),
    _route("list_requested_tickets", "/users/{user_id}/tickets/requested", TicketsOfUser, list_requested_tickets),
    _route("list_assigned_tickets", "/users/{user_id}/tickets/assigned", TicketsOfUser, list_assigned_tickets),
    _route(
        "list_organization_tickets",
        "/organizations/{organization_id}/tickets",
        TicketsOfOrganization,
        list_organization_tickets,
    ),
    Route("create_ticket", "POST", "/tickets", "write", CreateTicket, create_ticket, as_action=False),
    Route(
        "update_many_tickets",
        "PUT",
        "/tickets/update_many",
        "write",
        UpdateMany,
        update_many_tickets,
        query=("ids",),
        as_action=False,
    ),
    Route(
        "update_ticket",
        "PUT",
        "/tickets/{id}",
        "write",
        UpdateTicket,
        update_ticket,
        as_action=False,
        keywords="reply comment note assign solve close status priority",
    ),
    Route("delete_ticket", "DELETE", "/tickets/{id}", "write", OneTicket, delete_ticket, as_action=False),
)
