"""Zendesk in the sample world."""

from __future__ import annotations

from typing import Any

from environment.apps.zendesk import rows as zendesk

_AGENT, _CUSTOMER = zendesk.user_id(1), zendesk.user_id(2)

ROWS: dict[str, tuple[dict[str, Any], ...]] = {
    "Ticket": tuple(
        {
            "id": zendesk.ticket_id(number),
            "subject": subject,
            "status": "open",
            "requester_id": _CUSTOMER,
            "tags": ["refund"],
            "created_at": f"2026-03-0{number}T08:00:00Z",
        }
        for number, subject in enumerate(("Late refund", "Refund is late"), 1)
    ),
    "Comment": tuple(
        {
            "id": zendesk.comment_id(number),
            "ticket_id": zendesk.ticket_id(number),
            "author_id": _CUSTOMER,
            "body": "Where is my refund?",
            "created_at": f"2026-03-0{number}T08:00:00Z",
        }
        for number in (1, 2)
    ),
    "User": (
        {"id": _AGENT, "name": "Pat Moss", "email": "pat@tarnwick.example", "role": "admin"},
        {
            "id": _CUSTOMER,
            "name": "Oren Haddad",
            "email": "oren@larkfield.example",
            "organization_id": zendesk.organization_id(1),
        },
    ),
    "Organization": ({"id": zendesk.organization_id(1), "name": "Larkfield Optics"},),
    "Group": ({"id": zendesk.group_id(1), "name": "Returns"},),
    "GroupMembership": (
        {"id": zendesk.membership_id(1), "user_id": _AGENT, "group_id": zendesk.group_id(1), "default": True},
    ),
    "Macro": (
        {
            "id": zendesk.macro_id(1),
            "title": "Returns",
            "actions": [
                {"field": "priority", "value": "high"},
                {"field": "comment_value", "value": "Hello {{ticket.requester.first_name}}"},
            ],
        },
    ),
    "TicketField": ({"id": zendesk.field_id(1), "title": "RMA"},),
}

_TICKETS = [zendesk.ticket_id(1), zendesk.ticket_id(2)]

MEANT: dict[str, list[Any]] = {
    "id": [*_TICKETS, _AGENT, _CUSTOMER, zendesk.macro_id(1), zendesk.organization_id(1), zendesk.group_id(1)],
    "ids": [",".join(_TICKETS), [_TICKETS[1]], _AGENT],
    "ticket_id": _TICKETS,
    "user_id": [_AGENT, _CUSTOMER],
    "organization_id": [zendesk.organization_id(1)],
    "group_id": [zendesk.group_id(1)],
    "query": ["type:ticket status<solved refund", "oren", "-tags:vip created>2026-03-01 order_by:created"],
    "name": ["Larkfield Optics"],
    "ticket": [
        {"subject": "Lens", "comment": {"body": "It broke"}, "requester": {"name": "Bo", "email": "bo@x.example"}},
        {"status": "solved", "assignee_id": int(_AGENT)},
        {"comment": {"body": "Looking into it", "public": False}, "tags": ["vip"]},
        {"custom_fields": [{"id": int(zendesk.field_id(1)), "value": "RMA-553"}], "additional_tags": ["b2b"]},
    ],
    "tickets": [[{"id": int(_TICKETS[0]), "priority": "high"}]],
    "user": [{"name": "Bo Lind", "email": "bo@x.example"}, {"phone": "555-0142", "notes": None}],
    "organization": [{"name": "Nimbus"}],
    "group": [{"name": "Billing"}, "Returns"],
    "group_membership": [{"user_id": int(_AGENT), "group_id": int(zendesk.group_id(1))}],
    "macro": [{"title": "Close", "actions": [{"field": "status", "value": "solved"}]}, "Returns"],
    "ticket_field": [{"title": "Colour", "type": "text"}],
    "tags": [["vip"], "vip, b2b"],
    "status": ["solved", "pending"],
    "assignee": ["Pat Moss", "me"],
    "source": [_TICKETS[0]],
    "target": [_TICKETS[1]],
    "requester_email": ["oren@larkfield.example", "bo@x.example"],
    "requester_name": ["Bo"],
}

FILLED = {
    "ticket id": zendesk.ticket_id(1),
    "other ticket id": zendesk.ticket_id(2),
    "agent id": _AGENT,
    "user id": _CUSTOMER,
}
"""What stands in an example's `<...>` -> a value of this world."""
