"""The guests of an event: those of its series, overlaid by what is different in this instance."""

from __future__ import annotations

from environment.apps.google_calendar.rows import Attendee, Event, attendee_id
from environment.apps.kit import Call


def guests_of(call: Call, event: Event) -> dict[str, Attendee]:
    """Address -> guest; the organizer is none of them unless they answered anything but yes."""
    found: dict[str, Attendee] = {}
    if event.recurringEventId:
        found = {guest.email: guest for guest in call.tables.where(Attendee, "eventId", event.recurringEventId)}
    for guest in call.tables.where(Attendee, "eventId", event.id):
        if guest.removed:
            found.pop(guest.email, None)
        else:
            found[guest.email] = guest
    return found


def guest_of(call: Call, event: Event, address: str) -> Attendee | None:
    """The guest of this address, None where it is no guest."""
    return guest_by_id(call, event.id, event.recurringEventId, address)


def guest_by_id(call: Call, event_id: str, series_id: str | None, address: str) -> Attendee | None:
    """The same for the event of this id, an instance of the series of that one."""
    own = call.tables.find(Attendee, attendee_id(event_id, address))
    if own is not None:
        return None if own.removed else own
    return call.tables.find(Attendee, attendee_id(series_id, address)) if series_id else None


def has_deleted(call: Call, event_id: str, series_id: str | None, address: str) -> bool:
    """Whether a guest deleted this event, or the series that it is an instance of, from their calendar."""
    guests = (call.tables.find(Attendee, attendee_id(key, address)) for key in (event_id, series_id) if key)
    return any(guest is not None and guest.hidden for guest in guests)


def put_guest(call: Call, event: Event, guest: Attendee) -> None:
    """Store a guest of this event, or of this instance alone; one who is as before costs no write."""
    if guest != guest_of(call, event, guest.email):
        call.tables.put(guest.change(id=attendee_id(event.id, guest.email), eventId=event.id, removed=False))


def drop_guest(call: Call, event: Event, guest: Attendee) -> None:
    """Take a guest off this event, or off this instance alone."""
    if event.recurringEventId and call.tables.find(Attendee, attendee_id(event.recurringEventId, guest.email)):
        key = attendee_id(event.id, guest.email)
        call.tables.put(guest.change(id=key, eventId=event.id, removed=True))
    else:
        call.tables.delete(guest)
