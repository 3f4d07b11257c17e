"""Google Calendar rows that families put on stage, and the calls that find them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from environment.apps.google_calendar.rows import attendee_id, event_id
from generators.business import Person
from generators.family import Scene

_ZONES = {-5: "America/Panama", 0: "Africa/Abidjan", 1: "Africa/Lagos"}
"""UTC offset in hours -> a zone that has it all year."""


def add_calendar(scene: Scene, person: Person) -> str:
    """Add somebody's calendar, readable by the actor, on the company's time; returns its id, their address."""
    zone = _ZONES[utc_offset(scene.business.now)]
    row = {"id": person.email, "summary": person.name, "timeZone": zone, "listed": person != scene.business.actor}
    scene.add("google_calendar", "Calendar", row)
    return person.email


def add_event(
    scene: Scene, calendar: str, title: str, start: datetime, minutes: int, guests: Sequence[Person] = (), **fields: str
) -> str:
    """Add an event with accepted guests to a calendar, and return its id; `fields` are description, location, ..."""
    key = event_id(scene.invent.number(101, 9_999))
    end = start + timedelta(minutes=minutes)
    times = {"start": {"dateTime": start.isoformat()}, "end": {"dateTime": end.isoformat()}}
    scene.add("google_calendar", "Event", {"id": key, "calendarId": calendar, "summary": title, **times, **fields})
    for guest in guests:
        row = {"id": attendee_id(key, guest.email), "eventId": key, "email": guest.email, "displayName": guest.name}
        scene.add("google_calendar", "Attendee", {**row, "responseStatus": "accepted"})
    return key


def clock(moment: datetime) -> str:
    """A time as calls write it, such as 2026-03-04T09:30."""
    return f"{moment:%Y-%m-%dT%H:%M}"


def utc_offset(moment: datetime) -> int:
    """Hours that a time's zone is ahead of UTC."""
    return (moment.utcoffset() or timedelta()) // timedelta(hours=1)
