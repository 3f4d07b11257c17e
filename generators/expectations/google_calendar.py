"""Google Calendar changes that contracts ask for or allow."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from environment.contract import Allowance, Change, Equals, Instant, Matcher

_Times = dict[str, tuple[Matcher, ...]]


def event_moved(label: str, event: str, start: datetime, minutes: int) -> Change:
    """An event begins at this time and takes so long."""
    wanted = {"start.dateTime": _at(start), "end.dateTime": _at(start + timedelta(minutes=minutes))}
    return Change(label=label, app="google_calendar", collection="Event", action="update", id=event, fields=wanted)


def event_created(label: str, title: Matcher, start: datetime, minutes: int, **fields: Matcher) -> Change:
    """A new event, recognised by its title, at this time and with these values."""
    times: _Times = {"start.dateTime": _at(start), "end.dateTime": _at(start + timedelta(minutes=minutes))}
    return Change(
        label=label,
        app="google_calendar",
        collection="Event",
        action="create",
        key={"summary": (title,)},
        fields={**times, **{name: (matcher,) for name, matcher in fields.items()}},
    )


def guest_added(label: str, event: Matcher, email: str) -> Change:
    """One more guest of an event: of that with this id, or of that which another change creates."""
    key = {"eventId": (event,), "email": (Equals(value=email),)}
    return Change(label=label, app="google_calendar", collection="Attendee", action="create", key=key)


def notices(guests: Sequence[str], *starts: datetime) -> tuple[Allowance, ...]:
    """Telling guests about an event that begins at one of these times, as moving and inviting do by themselves.

    Give the time before a move too: what is changed besides may be told first.
    """
    return tuple(
        Allowance(
            app="google_calendar",
            collection="Invitation",
            action="create",
            where={"to": (Equals(value=email),), "start.dateTime": _at(start)},
        )
        for email in guests
        for start in starts
    )


def _at(moment: datetime) -> tuple[Matcher, ...]:
    return (Instant(at=moment.isoformat()),)
