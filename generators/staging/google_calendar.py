"""Google Calendar rows that families put on stage, and the calls that find them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from environment.apps.google_calendar.rows import attendee_id, event_id
from generators.business import Person
from generators.family import Scene


def add_calendar(scene: Scene, person: Person, zone: str = "UTC") -> str:
    """Add somebody's calendar, readable by the actor, and return its id, their address."""
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
