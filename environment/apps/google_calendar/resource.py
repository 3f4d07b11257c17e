"""An event resource is an event as one calendar's reader is shown it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Any

from environment.apps.google_calendar.access import at_least, own_address, role_on
from environment.apps.google_calendar.agenda import is_cancelled
from environment.apps.google_calendar.guests import guests_of
from environment.apps.google_calendar.rows import Attendee, Calendar, Event, is_room
from environment.apps.kit import Call

_LINK = "https://www.google.com/calendar/event?eid="
_TEXTS = ("summary", "description", "location", "colorId", "hangoutLink")


def event_resource(
    call: Call, calendar: Calendar, event: Event, zone: tzinfo | None = None, most_guests: int | None = None
) -> dict[str, Any]:
    """The event on this calendar, times as clocks in `zone` show them."""
    reader = zone or calendar.zone
    cancelled = is_cancelled(call, calendar, event)
    instance = _instance(event, reader)
    head = {"kind": "calendar#event", "etag": etag(event.updated), "id": event.id}
    if cancelled and event.recurringEventId:
        return {**head, "status": "cancelled", **instance}
    times = {"start": event.start.shown(reader), "end": event.end.shown(reader)}
    if event.recurrence:
        times = {name: {**time, **_zone_of_series(time, event)} for name, time in times.items()}
    head["status"] = "cancelled" if cancelled else event.status
    if is_secret(call, calendar, event):
        return {**head, "visibility": event.visibility, **times, **instance, "iCalUID": _ical(event)}
    guests = guests_of(call, event)
    texts = {name: getattr(event, name) for name in _TEXTS if getattr(event, name)}
    return {
        **head,
        "htmlLink": f"{_LINK}{_eid(event, calendar)}",
        "created": _stamp(event.created),
        "updated": _stamp(event.updated),
        **texts,
        "creator": _person(call, event.creator or event.calendarId, calendar),
        "organizer": _person(call, event.calendarId, calendar),
        **times,
        **({"recurrence": list(event.recurrence)} if event.recurrence else {}),
        **instance,
        **({"transparency": "transparent"} if event.transparency == "transparent" else {}),
        **({"visibility": event.visibility} if event.visibility != "default" else {}),
        "iCalUID": _ical(event),
        "sequence": event.sequence,
        **_shown_guests(call, event, calendar, guests, most_guests),
        **({"guestsCanModify": True} if event.guestsCanModify else {}),
        **({} if event.guestsCanInviteOthers else {"guestsCanInviteOthers": False}),
        **({} if event.guestsCanSeeOtherGuests else {"guestsCanSeeOtherGuests": False}),
        **_conference(event),
        **({"extendedProperties": event.extendedProperties} if event.extendedProperties else {}),
        "reminders": event.reminders or {"useDefault": True},
        "eventType": event.eventType,
    }


def is_secret(call: Call, calendar: Calendar, event: Event) -> bool:
    """Whether the actor sees no more of an event than that somebody is busy."""
    if event.visibility in ("default", "public") or at_least(role_on(call, calendar), "writer"):
        return False
    own = own_address(call)
    return event.calendarId != own and own not in guests_of(call, event)


@lru_cache(maxsize=1024)
def etag(updated: str) -> str:
    """The entity tag, which is the time of the last change."""
    return f'"{int(datetime.fromisoformat(updated).timestamp()) * 1000}000"'


def _stamp(text: str) -> str:
    return f"{text[:19]}.000Z"


def _conference(event: Event) -> dict[str, Any]:
    if not event.hangoutLink:
        return {}
    entry = {"entryPointType": "video", "uri": event.hangoutLink, "label": event.hangoutLink.removeprefix("https://")}
    solution = {"key": {"type": "hangoutsMeet"}, "name": "Google Meet"}
    number = event.hangoutLink.rpartition("/")[2]
    return {"conferenceData": {"entryPoints": [entry], "conferenceSolution": solution, "conferenceId": number}}


def _instance(event: Event, reader: tzinfo) -> dict[str, Any]:
    if event.recurringEventId is None or event.originalStartTime is None:
        return {}
    return {
        "recurringEventId": event.recurringEventId,
        "originalStartTime": event.originalStartTime.shown(reader),
    }


def _zone_of_series(time: dict[str, str], event: Event) -> dict[str, str]:
    return {"timeZone": event.start.timeZone} if "dateTime" in time and event.start.timeZone else {}


def _shown_guests(
    call: Call, event: Event, calendar: Calendar, guests: Mapping[str, Attendee], most: int | None
) -> dict[str, Any]:
    """The guest list, led by the organizer; on a guest's calendar it may be kept from them."""
    if not guests:
        return {}
    shown = [_guest(call, event, calendar, guest) for guest in guests.values()]
    if event.calendarId not in guests and not event.calendarId.endswith("calendar.google.com"):
        own = {"self": True} if event.calendarId == calendar.id else {}
        shown.insert(0, {"email": event.calendarId, "organizer": True, **own, "responseStatus": "accepted"})
    hidden = event.calendarId != calendar.id and not event.guestsCanSeeOtherGuests
    if hidden or (most is not None and len(shown) > most):
        return {"attendees": [guest for guest in shown if guest.get("self")], "attendeesOmitted": True}
    return {"attendees": shown}


def _guest(call: Call, event: Event, calendar: Calendar, guest: Attendee) -> dict[str, Any]:
    shown: dict[str, Any] = {"email": guest.email}
    room = call.tables.find(Calendar, guest.email) if is_room(guest.email) else None
    if guest.displayName or room is not None:
        shown["displayName"] = guest.displayName if room is None else room.summary
    if guest.email == event.calendarId:
        shown["organizer"] = True
    if guest.email == calendar.id:
        shown["self"] = True
    if is_room(guest.email):
        shown["resource"] = True
    if guest.optional:
        shown["optional"] = True
    shown["responseStatus"] = guest.responseStatus
    if guest.comment:
        shown["comment"] = guest.comment
    return shown


def _person(call: Call, address: str, calendar: Calendar) -> dict[str, Any]:
    known = calendar if address == calendar.id else call.tables.find(Calendar, address)
    named = known is not None and known.summary.lower() != address
    return {
        "email": address,
        **({"displayName": known.summary} if known is not None and named else {}),
        **({"self": True} if address == calendar.id else {}),
    }


def _ical(event: Event) -> str:
    return event.iCalUID or f"{event.recurringEventId or event.id}@google.com"


def _eid(event: Event, calendar: Calendar) -> str:
    return base64.urlsafe_b64encode(f"{event.id} {calendar.id}".encode()).decode().rstrip("=")
