"""The guide to the Google Calendar API."""

from __future__ import annotations

from environment.apps.guide import Guide, Hint

_EVENT = "The event: {id, status, summary, start, end, attendees: [{email, responseStatus}], htmlLink}"
_EVENTS = "{items: [{id, summary, start, end, attendees, recurringEventId}], nextPageToken}"
_CALENDAR = "{id, summary, timeZone}"
_LISTED = "{id, summary, timeZone, accessRole}"
_LATER = {
    "start": {"dateTime": "2026-03-09T15:00:00", "timeZone": "Europe/London"},
    "end": {"dateTime": "2026-03-09T15:30:00", "timeZone": "Europe/London"},
}
_BOOKED = {
    "summary": "Returns review",
    **_LATER,
    "attendees": [{"email": "ann@larkfield.example"}],
}

GUIDE = Guide(
    words="calendar meetings agenda diary",
    glossary={
        "event": "meeting appointment call calendar diary entry agenda invitation",
        "instances": "occurrence one recurring weekly meeting",
        "calendar": "diary room colleague",
        "free_busy": "available availability slot meeting room people",
    },
    paging={"pageToken": "nextPageToken of the answer is pageToken of the next call"},
    hints={
        "list_events": Hint(
            _EVENTS,
            {
                "timeMin": "2026-03-04T00:00:00Z",
                "timeMax": "2026-03-11T00:00:00Z",
                "singleEvents": True,
                "orderBy": "startTime",
                "q": "review",
            },
        ),
        "list_instances": Hint(_EVENTS),
        "get_event": Hint(_EVENT),
        "insert_event": Hint(_EVENT, {"sendUpdates": "all"}, _BOOKED),
        "patch_event": Hint(f"{_EVENT}; attendees replace the whole guest list", {"sendUpdates": "all"}, _LATER),
        "update_event": Hint(_EVENT, {"sendUpdates": "all"}, _BOOKED),
        "delete_event": Hint("Nothing (204)", {"sendUpdates": "all"}),
        "move_event": Hint(_EVENT, {"destination": "<other calendar id>"}),
        "query_free_busy": Hint(
            "{calendars: {<address>: {busy: [{start, end}]}}}",
            body={
                "timeMin": "2026-03-04T08:00:00Z",
                "timeMax": "2026-03-04T18:00:00Z",
                "items": [{"id": "<calendar id>"}, {"id": "<other calendar id>"}],
            },
        ),
        "list_calendar_list": Hint("{items: [{id, summary, timeZone, accessRole, primary}], nextPageToken}"),
        "get_calendar_list_entry": Hint(_LISTED),
        "insert_calendar_list_entry": Hint(_LISTED, body={"id": "<colleague address>"}),
        "patch_calendar_list_entry": Hint(_LISTED, body={"summaryOverride": "Launches and fairs"}),
        "delete_calendar_list_entry": Hint("Nothing (204)"),
        "get_calendar": Hint(_CALENDAR),
        "insert_calendar": Hint(_CALENDAR, body={"summary": "Fairs", "timeZone": "Europe/London"}),
        "patch_calendar": Hint(_CALENDAR, body={"summary": "Fairs"}),
        "delete_calendar": Hint("Nothing (204)"),
    },
)
