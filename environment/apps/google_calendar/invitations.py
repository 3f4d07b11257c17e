"""An invitation tells a guest about an event; one that goes outside the company has left it for good."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from environment.apps.google_calendar.rows import Event, Invitation, invitation_id
from environment.apps.kit import Call

SendUpdates = Literal["all", "externalOnly", "none"]
Kind = Literal["invitation", "update", "cancellation", "reply"]


def tell(call: Call, updates: SendUpdates, kind: Kind, event: Event, addresses: Iterable[str]) -> None:
    """Notify those of the addresses that are outside; colleagues read it on their own calendars."""
    if updates == "none":
        return
    for address in addresses:
        if is_outside(call, address):
            key = invitation_id(event.id, address, kind, event.start)
            row = Invitation(id=key, eventId=event.id, to=address, kind=kind, summary=event.summary, start=event.start)
            call.tables.send(row)


def is_outside(call: Call, address: str) -> bool:
    """Whether an address belongs to somebody outside the company: no room and no calendar of a team."""
    domain = address.rpartition("@")[2]
    return domain != call.actor["domain"].lower() and not domain.endswith("calendar.google.com")
