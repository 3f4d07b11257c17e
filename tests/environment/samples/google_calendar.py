"""Google Calendar in the sample world."""

from __future__ import annotations

from typing import Any

from environment.apps import google_calendar as calendar

_MEETING, _SERIES = calendar.event_id(1), calendar.event_id(2)

ROWS: dict[str, tuple[dict[str, Any], ...]] = {
    "Calendar": (
        {"id": "pat@tarnwick.example", "summary": "Pat Moss", "timeZone": "Europe/London"},
        {"id": "ann@tarnwick.example", "summary": "Ann Lee", "timeZone": "America/New_York", "listed": True},
        {"id": calendar.room_id(1), "summary": "Board room", "timeZone": "Europe/London", "listed": True},
        {"id": calendar.calendar_id(1), "summary": "Launches", "accessRole": "owner", "listed": True},
    ),
    "Event": (
        {
            "id": _MEETING,
            "calendarId": "pat@tarnwick.example",
            "summary": "Returns review",
            "start": {"dateTime": "2026-03-04T10:00:00+00:00", "timeZone": "Europe/London"},
            "end": {"dateTime": "2026-03-04T10:45:00+00:00", "timeZone": "Europe/London"},
        },
        {
            "id": _SERIES,
            "calendarId": "ann@tarnwick.example",
            "summary": "Stand-up",
            "start": {"dateTime": "2026-03-02T09:00:00-05:00", "timeZone": "America/New_York"},
            "end": {"dateTime": "2026-03-02T09:15:00-05:00", "timeZone": "America/New_York"},
            "recurrence": ["RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=8"],
        },
        {
            "id": calendar.event_id(3),
            "calendarId": calendar.calendar_id(1),
            "summary": "Spring range",
            "start": {"date": "2026-03-09"},
            "end": {"date": "2026-03-11"},
        },
    ),
    "Attendee": tuple(
        {"id": calendar.attendee_id(event, email), "eventId": event, "email": email, "responseStatus": answer}
        for event, email, answer in (
            (_MEETING, "ann@larkfield.example", "accepted"),
            (_MEETING, calendar.room_id(1), "accepted"),
            (_SERIES, "pat@tarnwick.example", "needsAction"),
        )
    ),
}

_MEETINGS = [_MEETING, _SERIES, f"{_SERIES}_20260304T140000Z", calendar.event_id(3)]
_CALENDARS = ["primary", "pat@tarnwick.example", "ann@tarnwick.example", calendar.calendar_id(1), calendar.room_id(1)]
_TIMES = [
    {"dateTime": f"2026-03-0{day}T1{hour}:00:00", "timeZone": "Europe/London"} for day in (4, 9) for hour in (0, 3)
]

MEANT: dict[str, list[Any]] = {
    "calendarId": _CALENDARS,
    "eventId": _MEETINGS,
    "destination": _CALENDARS,
    "start": [*_TIMES, {"date": "2026-03-10"}, "2026-03-05T14:00", "2026-03-05"],
    "end": [*_TIMES, {"date": "2026-03-11"}],
    "attendees": [[{"email": "ann@larkfield.example"}, {"email": calendar.room_id(1)}], [], ["Board room"]],
    "recurrence": [["RRULE:FREQ=DAILY;COUNT=3"], ["RRULE:FREQ=MONTHLY;BYDAY=-1FR"], []],
    "status": ["confirmed", "cancelled"],
    "id": _MEETINGS,
    "calendar": ["Launches", "ann@tarnwick.example"],
    "email": ["bo@x.example", "ann@larkfield.example", "Board room"],
    "day": ["2026-03-04", "2026-03-09"],
    "minutes": [30, 45],
    "timeZone": ["America/New_York", "UTC"],
    "timeMin": ["2026-03-01T00:00:00Z", "2026-03-04T09:00:00+01:00"],
    "timeMax": ["2026-03-31T00:00:00Z", "2026-03-05T00:00:00Z"],
    "items": [[{"id": key} for key in _CALENDARS]],
    "q": ["review", "ann@larkfield.example"],
    "sendUpdates": ["all", "none"],
}

FILLED = {
    "calendar id": "pat@tarnwick.example",
    "other calendar id": calendar.calendar_id(1),
    "colleague address": "ann@tarnwick.example",
}
"""What stands in an example's `<...>` -> a value of this world."""
