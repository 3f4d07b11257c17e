"""Google Calendar changes that contracts ask for or allow."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from environment.contract import Allowance, Change, Equals, Instant, Matcher


def event_moved(label: str, event: str, start: datetime, minutes: int) -> Change:
    """An event begins at this time and keeps its length."""
    times = {"start.dateTime": start, "end.dateTime": start + timedelta(minutes=minutes)}
    wanted = {path: (Instant(at=moment.isoformat()),) for path, moment in times.items()}
    return Change(label=label, app="google_calendar", collection="Event", action="update", id=event, fields=wanted)


def event_created(label: str, calendar: str, start: datetime, minutes: int, **fields: Matcher) -> Change:
    """A new event in a calendar at this time."""
    end = start + timedelta(minutes=minutes)
    return Change(
        label=label,
        app="google_calendar",
        collection="Event",
        action="create",
        key={"calendarId": (Equals(value=calendar),), "start.dateTime": (Instant(at=start.isoformat()),)},
        fields={
            "end.dateTime": (Instant(at=end.isoformat()),),
            **{name: (matcher,) for name, matcher in fields.items()},
        },
    )


def event_cancelled(label: str, event: str) -> Change:
    """An event is cancelled."""
    wanted = {"status": (Equals(value="cancelled"),)}
    return Change(label=label, app="google_calendar", collection="Event", action="update", id=event, fields=wanted)


def guest_added(label: str, event: str, email: str) -> Change:
    """One more guest of an event."""
    key = {"eventId": (Equals(value=event),), "email": (Equals(value=email),)}
    return Change(label=label, app="google_calendar", collection="Attendee", action="create", key=key)


def notices(event: str, guests: Sequence[str]) -> tuple[Allowance, ...]:
    """Telling an event's guests about what was expected, or not telling them."""
    return tuple(
        Allowance(
            app="google_calendar",
            collection="Invitation",
            action="create",
            where={"eventId": (Equals(value=event),), "to": (Equals(value=email),)},
        )
        for email in guests
    )


def answers(event: str) -> Allowance:
    """Guests' answers to an event, which start anew when it is moved."""
    return Allowance(
        app="google_calendar",
        collection="Attendee",
        action="update",
        where={"eventId": (Equals(value=event),)},
        fields=("responseStatus",),
    )
