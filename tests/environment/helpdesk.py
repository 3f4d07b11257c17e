"""Helpdesk: a toy application. Tickets close by merging into another, answers leave the company."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from environment.apps.kit import Action, App, AppError, Args, Call, Fetch, Response, Route, digits_id
from environment.world import Row


class Ticket(Row):
    id: str
    subject: str
    priority: Literal["low", "normal", "urgent"] = "normal"
    status: Literal["open", "closed"] = "open"
    merged_into: str | None = None


class Answer(Row):
    id: str
    ticket_id: str
    text: str


class Nothing(Args):
    """No arguments."""


class OneTicket(Args):
    id: str = Field(description="Ticket id")


class CreateTicket(Args):
    subject: str = Field(description="Subject")
    priority: Literal["low", "normal", "urgent"] = Field("normal", description="Priority")


class UpdateTicket(OneTicket):
    subject: str | None = Field(None, description="Subject")
    priority: Literal["low", "normal", "urgent"] | None = Field(None, description="Priority")


class MergeTickets(OneTicket):
    into: str = Field(description="Ticket that stays")


class AnswerTicket(OneTicket):
    text: str = Field(description="Text")


class ListTickets(Args):
    status: Literal["open", "closed"] | None = Field(None, description="Status")


def list_tickets(call: Call, args: ListTickets) -> list[dict[str, Any]]:
    """List tickets."""
    tickets = call.tables.where(Ticket, "status", args.status) if args.status else call.tables.all(Ticket)
    return [ticket.model_dump() for ticket in tickets]


def get_ticket(call: Call, args: OneTicket) -> dict[str, Any]:
    """Get a ticket."""
    return _find(call, args.id).model_dump()


def create_ticket(call: Call, args: CreateTicket) -> Response:
    """Create a ticket."""
    ticket = Ticket(id=call.tables.new_id(Ticket), subject=args.subject, priority=args.priority)
    return Response(201, call.tables.put(ticket).model_dump())


def update_ticket(call: Call, args: UpdateTicket) -> dict[str, Any]:
    """Update a ticket."""
    given = args.model_dump(exclude_none=True, exclude={"id"})
    return call.tables.put(_find(call, args.id).change(**given)).model_dump()


def merge_tickets(call: Call, args: MergeTickets) -> dict[str, Any]:
    """Close a ticket as a duplicate of another open ticket."""
    merged = call.tables.put(_find(call, args.id).change(status="closed", merged_into=args.into))
    if args.into == args.id or _find(call, args.into).status != "open":
        raise AppError(409, "pick a different, open ticket", "CONFLICT")
    return merged.model_dump()


def delete_ticket(call: Call, args: OneTicket) -> Response:
    """Delete a ticket."""
    call.tables.delete(_find(call, args.id))
    return Response(204, None)


def answer_ticket(call: Call, args: AnswerTicket) -> dict[str, Any]:
    """Send an answer to the customer."""
    _find(call, args.id)
    answer = Answer(id=call.tables.new_id(Answer), ticket_id=args.id, text=args.text)
    return call.tables.send(answer).model_dump()


def delete_answer(call: Call, args: OneTicket) -> Response:
    """Delete an answer."""
    answer = call.tables.find(Answer, args.id)
    if answer is None:
        raise AppError(404, f"no answer {args.id}", "NOT_FOUND")
    call.tables.delete(answer)
    return Response(204, None)


def _find(call: Call, key: str) -> Ticket:
    ticket = call.tables.find(Ticket, key)
    if ticket is None:
        raise AppError(404, f"no ticket {key}", "NOT_FOUND")
    return ticket


def _count_open(fetch: Fetch, args: Nothing) -> dict[str, int]:
    return {"open": len(fetch("GET", "/tickets", {"status": "open"}))}


APP = App(
    name="helpdesk",
    title="Helpdesk",
    host="{org}.helpdesk.example",
    base_path="/v1",
    rows=(Ticket, Answer),
    ids={Ticket: digits_id("TCK-", 3), Answer: digits_id("ANS-", 3)},
    routes=(
        Route("list_tickets", "GET", "/tickets", "read", ListTickets, list_tickets),
        Route("get_ticket", "GET", "/tickets/{id}", "read", OneTicket, get_ticket),
        Route("create_ticket", "POST", "/tickets", "write", CreateTicket, create_ticket),
        Route("update_ticket", "PATCH", "/tickets/{id}", "write", UpdateTicket, update_ticket),
        Route("merge_tickets", "POST", "/tickets/{id}/merge", "write", MergeTickets, merge_tickets),
        Route("delete_ticket", "DELETE", "/tickets/{id}", "write", OneTicket, delete_ticket),
        Route("answer_ticket", "POST", "/tickets/{id}/answers", "write", AnswerTicket, answer_ticket),
        Route("delete_answer", "DELETE", "/answers/{id}", "write", OneTicket, delete_answer),
    ),
    error_body=lambda error: {"code": error.code, "message": error.message},
    actions=(Action("helpdesk_count_open", "read", "Count open tickets.", Nothing, _count_open),),
)
