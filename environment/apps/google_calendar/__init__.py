"""Google Calendar API v3: calendars, the calendar list, events and free/busy times.

Source: developers.google.com/workspace/calendar/api/v3/reference (v3, pages of 2025) and the guides "Recurring events",
"Events with attendees", "Handle API errors". An event is one row, on its organizer's calendar (`calendarId`) and on
those of its guests, who see the same row; a guest answers for themself and changes no more than the organizer lets
them. An instance of a series that was changed or cancelled is a row of its own; what guests are different in it are
overlays. Rooms answer for themselves. What `sendUpdates` sends outside the company is an Invitation; colleagues are
not notified otherwise than by their calendars. A series is followed for five years from its start.

Left out: quickAdd, import, acl, colors, settings, channels and sync tokens, clear, attachments, working-location and
out-of-office properties, conference solutions other than Meet, a guest's own colours and reminders, search by extended
properties, HTTP batches.
"""

from __future__ import annotations

from environment.apps.google_calendar import actions, calendars, events, free_busy
from environment.apps.google_calendar.guide import GUIDE
from environment.apps.google_calendar.refusals import error_body
from environment.apps.google_calendar.rows import (
    Attendee,
    Calendar,
    Event,
    Invitation,
    attendee_id,
    calendar_id,
    event_id,
    invitation_id,
    room_id,
)
from environment.apps.kit import App

__all__ = [
    "APP",
    "Attendee",
    "Calendar",
    "Event",
    "Invitation",
    "attendee_id",
    "calendar_id",
    "event_id",
    "invitation_id",
    "room_id",
]

APP = App(
    name="google_calendar",
    title="Google Calendar",
    host="www.googleapis.com",
    base_path="/calendar/v3",
    rows=(Calendar, Event, Attendee, Invitation),
    ids={Calendar: calendar_id, Event: event_id},
    routes=calendars.ROUTES + events.ROUTES + free_busy.ROUTES,
    error_body=error_body,
    derived={
        Event: frozenset({"sequence", "created", "updated", "start.timeZone", "end.timeZone"}),
    },
    actions=actions.ACTIONS,
    guide=GUIDE,
)
