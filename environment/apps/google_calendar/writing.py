"""Writing an event stores its row and its guests, lets rooms answer and tells those who are to be told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import Any

from environment.apps.google_calendar.access import own_address
from environment.apps.google_calendar.agenda import is_cancelled
from environment.apps.google_calendar.body import (
    SHARED,
    EventBody,
    GuestBody,
    asks_for_meeting_link,
    check_id,
    guest_list,
    row_fields,
)
from environment.apps.google_calendar.guests import drop_guest, guest_of, guests_of, put_guest
from environment.apps.google_calendar.invitations import SendUpdates, tell
from environment.apps.google_calendar.refusals import deleted, invalid, not_the_organizer
from environment.apps.google_calendar.rooms import answer_as_rooms
from environment.apps.google_calendar.rows import Attendee, Calendar, Event, attendee_id, is_room
from environment.apps.kit import AppError, Call

_TIMES = ("start", "end", "recurrence", "status")
_NO_NEWS = frozenset({"colorId", "reminders", "extendedProperties", "transparency", "sequence", "updated"})
"""Fields whose change guests are not told about."""


@dataclass(frozen=True, slots=True)
class Write:
    """How an event is written."""

    calendar: Calendar
    body: EventBody
    updates: SendUpdates
    meeting: int
    """conferenceDataVersion: 1 lets a Meet link be made."""
    whole: bool
    """Whether fields that the body doesn't give are cleared."""


def create(call: Call, write: Write) -> Event:
    """A new event on the calendar. Raises AppError."""
    body, calendar, own, now = write.body, write.calendar, own_address(call), _now(call)
    fields = row_fields(body, calendar, None, whole=True)
    guests = guest_list(body)
    if body.id is not None:
        check_id(body.id)
        if call.tables.find(Event, body.id) is not None:
            raise AppError(409, "The requested identifier already exists.", "duplicate")
    key = body.id or call.tables.new_id(Event)
    event = Event(
        id=key,
        calendarId=calendar.id,
        creator="" if own == calendar.id else own,
        eventType=body.eventType or "default",
        iCalUID=body.iCalUID or "",
        hangoutLink=_meeting_link(key) if asks_for_meeting_link(body, write.meeting) else "",
        created=now,
        updated=now,
        **fields,
    )
    call.tables.put(event)
    _set_guests(call, calendar, event, guests)
    invited = guests_of(call, event)
    answer_as_rooms(call, event, invited)
    tell(call, write.updates, "invitation", event, invited)
    return event


def change(call: Call, event: Event, write: Write) -> Event:
    """The event after a patch or an update. Raises AppError."""
    body = write.body
    if is_cancelled(call, write.calendar, event) and body.status not in ("confirmed", "tentative"):
        raise deleted()
    if body.eventType not in (None, event.eventType):
        raise invalid("Event type cannot be changed.")
    changed = event.change(**row_fields(body, write.calendar, event, write.whole))
    if asks_for_meeting_link(body, write.meeting):
        changed = changed.change(hangoutLink=_meeting_link(event.id))
    if event.calendarId == write.calendar.id:
        return _change_as_organizer(call, event, changed, write)
    return _change_as_guest(call, event, changed, write)


def cancel(call: Call, calendar: Calendar, event: Event, updates: SendUpdates) -> None:
    """Delete an event as its organizer, or take it off a guest's calendar and decline. Raises AppError 410."""
    if is_cancelled(call, calendar, event):
        raise deleted()
    guest = None if event.calendarId == calendar.id else guest_of(call, event, calendar.id)
    if guest is None:
        stored = _store(call, event, event.change(status="cancelled"))
        tell(call, updates, "cancellation", stored, guests_of(call, stored))
    else:
        put_guest(call, event, guest.change(hidden=True, responseStatus="declined"))
        tell(call, updates, "reply", event, [event.calendarId])


def move(call: Call, calendar: Calendar, event: Event, destination: Calendar, updates: SendUpdates) -> Event:
    """The event with another organizer. Raises AppError."""
    if is_cancelled(call, calendar, event):
        raise deleted()
    if event.recurringEventId:
        raise AppError(400, "Cannot change the organizer of an instance.", "cannotChangeOrganizerOfInstance")
    if event.calendarId != calendar.id:
        raise not_the_organizer()
    if event.eventType != "default":
        raise invalid("Only default events can be moved.")
    for instance in call.tables.where(Event, "recurringEventId", event.id):
        call.tables.put(instance.change(calendarId=destination.id))
    moved = _store(call, event, event.change(calendarId=destination.id, creator=event.creator or calendar.id))
    tell(call, updates, "update", moved, guests_of(call, moved))
    return moved


def _change_as_organizer(call: Call, event: Event, changed: Event, write: Write) -> Event:
    """The event as its organizer changed it, and everybody told what concerns them."""
    before = guests_of(call, event)
    stored = _store(call, event, changed)
    if stored.status == "cancelled":
        tell(call, write.updates, "cancellation", stored, before)
        return stored
    if write.whole or "attendees" in write.body.model_fields_set:
        _set_guests(call, write.calendar, stored, guest_list(write.body))
    after = guests_of(call, stored)
    differing = _differing(event, stored)
    rearranged = not differing.isdisjoint(_TIMES)
    answer_as_rooms(call, stored, after if rearranged else after.keys() - before.keys())
    tell(call, write.updates, "cancellation", stored, [address for address in before if address not in after])
    if event.status == "cancelled":
        tell(call, write.updates, "invitation", stored, after)
        return stored
    tell(call, write.updates, "invitation", stored, [address for address in after if address not in before])
    if differing - _NO_NEWS:
        tell(call, write.updates, "update", stored, [address for address in after if address in before])
    return stored


def _change_as_guest(call: Call, event: Event, changed: Event, write: Write) -> Event:
    """The event as a guest may change it: their answer, further guests, and the rest where the organizer says so."""
    calendar = write.calendar
    if not event.guestsCanModify and any(getattr(event, name) != getattr(changed, name) for name in SHARED):
        raise not_the_organizer()
    stored = _store(call, event, changed) if event.guestsCanModify else event
    guest = guest_of(call, event, calendar.id)
    before = guests_of(call, event)
    given = {body.email or "": body for body in guest_list(write.body)}
    if guest is not None:
        answered = _updated(guest.change(hidden=False), given.get(calendar.id), may_answer=True)
        put_guest(call, stored, answered)
        if answered.responseStatus != guest.responseStatus:
            tell(call, write.updates, "reply", stored, [event.calendarId])
    invited = [body for address, body in given.items() if address not in before and address != event.calendarId]
    if invited and not (event.guestsCanInviteOthers or event.guestsCanModify):
        raise not_the_organizer()
    for body in invited:
        put_guest(call, stored, _new_guest(stored, body, may_answer=False))
    newcomers = [body.email or "" for body in invited]
    answer_as_rooms(call, stored, newcomers)
    tell(call, write.updates, "invitation", stored, newcomers)
    return stored


def _store(call: Call, event: Event, changed: Event) -> Event:
    """The changed event as it is stored; one that is as before costs no write."""
    differing = _differing(event, changed)
    if not differing:
        return event
    sequence = event.sequence + (not differing.isdisjoint(_TIMES))
    return call.tables.put(changed.change(sequence=sequence, updated=_now(call)))


def _differing(event: Event, changed: Event) -> set[str]:
    was, now = event.__dict__, changed.__dict__
    # most fields of a changed row are as they were
    return {name for name in Event.model_fields if was[name] is not now[name] and was[name] != now[name]}


def _set_guests(call: Call, calendar: Calendar, event: Event, wanted: list[GuestBody]) -> None:
    """Make `wanted` the guests; what others answered stays theirs to say."""
    before = guests_of(call, event)
    own = (calendar.id, own_address(call))
    for body in wanted:
        address = body.email or ""
        if address == event.calendarId and body.responseStatus not in ("declined", "tentative"):
            continue
        guest = before.pop(address, None)
        may_answer = address in own
        if guest is None:
            put_guest(call, event, _new_guest(event, body, may_answer))
        else:
            put_guest(call, event, _updated(guest, body, may_answer))
    for guest in before.values():
        drop_guest(call, event, guest)


def _new_guest(event: Event, body: GuestBody, may_answer: bool) -> Attendee:
    email = body.email or ""
    return _updated(Attendee(id=attendee_id(event.id, email), eventId=event.id, email=email), body, may_answer)


def _updated(guest: Attendee, body: GuestBody | None, may_answer: bool) -> Attendee:
    """The guest with what the body gives; the answer only where it is theirs who give it."""
    if body is None:
        return guest
    names = ("optional", *(("responseStatus", "comment") if may_answer else ()))
    if not is_room(guest.email):
        names = ("displayName", *names)
    given: dict[str, Any] = {name: getattr(body, name) for name in names if getattr(body, name) is not None}
    return guest.change(**given)


def _meeting_link(key: str) -> str:
    """A Meet link such as https://meet.google.com/plaa-aaaa-aae, made of the event's id."""
    letters = "".join(chr(ord("a") + int(letter)) if letter.isdigit() else letter for letter in key if letter.isalnum())
    code = letters.lower()[-10:].rjust(10, "a")
    return f"https://meet.google.com/{code[:3]}-{code[3:7]}-{code[7:]}"


def _now(call: Call) -> str:
    return f"{call.now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
