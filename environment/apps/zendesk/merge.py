"""A merge closes tickets as duplicates of another, which gets a comment with what was last said in each.

Source: the Tickets page of the Support API v2, "Merge Tickets into Target Ticket", and "Merging tickets"
(support.zendesk.com, article 4408882445594, read in 2025). Comments default to internal notes.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from environment.apps.crud import NumericId, change, find
from environment.apps.kit import Args, Call, Route
from environment.apps.zendesk.comments import CommentFields, add_comment
from environment.apps.zendesk.job import job_status
from environment.apps.zendesk.rows import STATUSES, Comment, Ticket
from environment.apps.zendesk.style import STYLE, invalid
from environment.apps.zendesk.ticket_rules import check_not_closed

_MOST_SOURCES = 5


class MergeTickets(Args):
    id: str = Field(description="Ticket that stays")
    ids: list[NumericId] = Field(description="Tickets to merge into it")
    target_comment: str | None = Field(None, description="Comment on the ticket that stays")
    source_comment: str | None = Field(None, description="Comment on the merged ones")
    target_comment_is_public: bool = Field(False, description="Whether that goes to the requester")
    source_comment_is_public: bool = Field(False, description="Whether that goes to the requesters")


def merge_tickets(call: Call, args: MergeTickets) -> dict[str, Any]:
    """Merge tickets into another one, closing them as duplicates."""
    target = find(call, STYLE, Ticket, args.id, "ticket")
    sources = [find(call, STYLE, Ticket, key, "ticket") for key in dict.fromkeys(args.ids)]
    if STATUSES.index(target.status) >= STATUSES.index("solved"):
        raise invalid("status", f"Status {target.status} of ticket {target.id} prevents merging into it")
    if not 1 <= len(sources) <= _MOST_SOURCES or target in sources:
        raise invalid("ids", f"Give 1 to {_MOST_SOURCES} other tickets to merge")
    for source in sources:
        check_not_closed(source)
    told = args.target_comment or "\n\n".join(_summary(call, source) for source in sources)
    call.tables.put(
        change(
            call,
            STYLE,
            add_comment(call, target, CommentFields(body=told[:60_000], public=args.target_comment_is_public)),
            {"status": target.status},
        )
    )
    for source in sources:
        _close(call, source, target, args)
    return job_status(call, "update", [(ticket.id, None) for ticket in (*sources, target)], lambda key, given: None)


def _summary(call: Call, source: Ticket) -> str:
    """What the ticket that stays is told of one that was merged into it."""
    text = f'Request #{source.id} "{source.subject}" was closed and merged into this request.'
    said = call.tables.where(Comment, "ticket_id", source.id)
    return f"{text} Last comment in request #{source.id}:\n\n{said[-1].body}" if said else text


def _close(call: Call, source: Ticket, target: Ticket, args: MergeTickets) -> None:
    told = args.source_comment or f'This request was closed and merged into request #{target.id} "{target.subject}".'
    add_comment(call, source, CommentFields(body=told, public=args.source_comment_is_public))
    call.tables.put(change(call, STYLE, source, {"status": "closed", "tags": [*source.tags, "closed_by_merge"]}))


ROUTES = (
    Route(
        "merge_tickets",
        "POST",
        "/tickets/{id}/merge",
        "write",
        MergeTickets,
        merge_tickets,
        as_action=False,
        keywords="duplicate combine",
    ),
)
