"""A room answers invitations by itself: yes when it is free, no when it is taken."""

from __future__ import annotations

from collections.abc import Container
from itertools import islice

from environment.apps.google_calendar.agenda import Window, agenda, dates_of, is_busy
from environment.apps.google_calendar.guests import guests_of, put_guest
from environment.apps.google_calendar.rows import Answer, Calendar, Event, is_room
from environment.apps.kit import Call

_MOST_DATES = 60
"""A series is checked on its first dates only."""


def answer_as_rooms(call: Call, event: Event, asked: Container[str]) -> None:
    """Let the invited rooms among those asked say whether they are free when the event takes place."""
    for guest in guests_of(call, event).values():
        is_asked = is_room(guest.email) and guest.email in asked
        room = call.tables.find(Calendar, guest.email) if is_asked else None
        if room is not None:
            put_guest(call, event, guest.change(responseStatus=_answer(call, room, event)))


def _answer(call: Call, room: Calendar, event: Event) -> Answer:
    own = {event.id, event.recurringEventId or event.id}
    wanted = list(islice(dates_of(call, room, event), _MOST_DATES))
    if not wanted:
        return "accepted"
    span = Window(min(item.begins for item in wanted), max(item.ends for item in wanted))
    for item in agenda(call, room, span, expand=True):
        other = own.isdisjoint((item.event.id, item.event.recurringEventId))
        meets = any(item.begins < date.ends and date.begins < item.ends for date in wanted)
        if other and meets and is_busy(call, room, item):
            return "declined"
    return "accepted"
