"""An event body is what a request says about an event, and the row that comes of it."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import Field

from environment.apps.google_calendar.moments import EventTime, Moment, read_moment
from environment.apps.google_calendar.recurrence import RecurrenceError, check_recurrence
from environment.apps.google_calendar.refusals import empty_range, invalid, missing
from environment.apps.google_calendar.rows import Answer, Calendar, Event
from environment.apps.kit import Args

_ID = re.compile(r"[a-v0-9]{5,1024}")
_ADDRESS = re.compile(r"[^@\s,<>\"']{1,64}@[^@\s,<>\"']{1,255}")
_TEXTS = ("summary", "description", "location", "colorId")
_FLAGS = {"guestsCanModify": False, "guestsCanInviteOthers": True, "guestsCanSeeOtherGuests": True}
_EMPTY: dict[str, Any] = {
    **_FLAGS,
    "status": "confirmed",
    "transparency": "opaque",
    "visibility": "default",
    "reminders": {},
    "extendedProperties": {},
}
"""What a field holds that was cleared; a text is empty."""
SHARED = ("status", "summary", "description", "location", "start", "end", "recurrence", "visibility", *_FLAGS)
"""What only the organizer of an event may change."""


class GuestBody(Args):
    """An attendee as a request gives it."""

    email: str | None = Field(None, description="Address")
    displayName: str | None = Field(None, description="Name")
    optional: bool | None = Field(None, description="Whether they may stay away")
    responseStatus: Answer | None = Field(None, description="needsAction, declined, tentative or accepted")
    comment: str | None = Field(None, description="What the guest says")
    id: str | None = Field(None, description="Ignored here")
    organizer: bool | None = Field(None, description="Read-only")
    self: bool | None = Field(None, description="Read-only")
    resource: bool | None = Field(None, description="Read-only; rooms are known by their address")
    additionalGuests: int | None = Field(None, description="Ignored here")


class EventBody(Args):
    """The body of insert, patch and update; read-only fields are taken and ignored."""

    summary: str | None = Field(None, description="Title")
    description: str | None = Field(None, description="Description")
    location: str | None = Field(None, description="Place")
    start: EventTime | None = Field(None, description="Start: date or dateTime, timeZone")
    end: EventTime | None = Field(None, description="End, exclusive: date or dateTime, timeZone")
    attendees: list[GuestBody] | None = Field(None, description="All guests; those left out are removed")
    recurrence: list[str] | None = Field(None, description="Lines such as RRULE:FREQ=WEEKLY;COUNT=5 and EXDATE")
    status: Literal["confirmed", "tentative", "cancelled"] | None = Field(None, description="Status")
    transparency: Literal["opaque", "transparent"] | None = Field(None, description="transparent does not block time")
    visibility: Literal["default", "public", "private", "confidential"] | None = Field(None, description="Visibility")
    eventType: Literal["default", "outOfOffice", "focusTime", "workingLocation"] | None = Field(
        None, description="Type; cannot be changed"
    )
    guestsCanModify: bool | None = Field(None, description="Whether guests may change the event")
    guestsCanInviteOthers: bool | None = Field(None, description="Whether guests may invite others")
    guestsCanSeeOtherGuests: bool | None = Field(None, description="Whether guests see who is invited")
    colorId: str | None = Field(None, description="Colour")
    reminders: dict[str, Any] | None = Field(None, description="useDefault and overrides")
    extendedProperties: dict[str, Any] | None = Field(None, description="private and shared properties")
    conferenceData: dict[str, Any] | None = Field(None, description="createRequest adds a Meet link")
    iCalUID: str | None = Field(None, description="iCalendar id, at creation")
    id: str | None = Field(None, description="Id to use, at creation: 5 to 1024 of a-v and 0-9")
    kind: Any = Field(None, description="Ignored")
    etag: Any = Field(None, description="Ignored")
    htmlLink: Any = Field(None, description="Read-only")
    created: Any = Field(None, description="Read-only")
    updated: Any = Field(None, description="Read-only")
    creator: Any = Field(None, description="Read-only")
    organizer: Any = Field(None, description="Read-only; see move")
    originalStartTime: Any = Field(None, description="Read-only")
    recurringEventId: Any = Field(None, description="Read-only")
    sequence: Any = Field(None, description="Read-only")
    hangoutLink: Any = Field(None, description="Read-only")
    attendeesOmitted: Any = Field(None, description="Ignored here")


def check_id(key: str) -> None:
    """Raises AppError for an id that no event can have."""
    if not _ID.fullmatch(key):
        raise invalid("Invalid resource id value.")


def row_fields(body: EventBody, calendar: Calendar, before: Event | None, whole: bool) -> dict[str, Any]:
    """Fields of the row that the body sets; with `whole` those it doesn't give are cleared. Raises AppError."""
    given = body.model_fields_set
    fields: dict[str, Any] = {}
    for name in (*_TEXTS, *_EMPTY):
        if whole or name in given:
            value = getattr(body, name)
            fields[name] = _EMPTY.get(name, "") if value is None else value
    if whole or "recurrence" in given:
        fields["recurrence"] = _recurrence(body.recurrence, before)
    fields.update(_times(body, calendar, None if whole else before, fields.get("recurrence")))
    return fields


def guest_list(body: EventBody) -> list[GuestBody]:
    """The guests that the body gives, each once and with a usable address in lower case. Raises AppError."""
    found: dict[str, GuestBody] = {}
    for guest in body.attendees or []:
        if not guest.email:
            raise missing("Missing attendee email.")
        address = guest.email.strip().lower()
        if not _ADDRESS.fullmatch(address):
            raise invalid("Invalid attendee email.")
        found.setdefault(address, guest.model_copy(update={"email": address}))
    if len(found) > 200:
        raise invalid("The number of attendees exceeds the limit of 200.")
    return list(found.values())


def asks_for_meeting_link(body: EventBody, version: int) -> bool:
    """Whether a Meet link shall be made."""
    return version == 1 and isinstance((body.conferenceData or {}).get("createRequest"), dict)


def _recurrence(lines: list[str] | None, before: Event | None) -> tuple[str, ...]:
    found = tuple(lines or ())
    if found and before is not None and before.recurringEventId:
        raise invalid("Cannot turn an instance of a recurring event into a recurring event itself.")
    try:
        check_recurrence(found)
    except RecurrenceError:
        raise invalid("Invalid recurrence rule.") from None
    return found


def _times(body: EventBody, calendar: Calendar, before: Event | None, recurrence: Any) -> dict[str, Moment]:
    start = _moment(body.start, "start", before.start if before else None, calendar)
    end = _moment(body.end, "end", before.end if before else None, calendar)
    if (start.date is None) != (end.date is None):
        raise invalid("Start and end times must either both be date or both be dateTime.")
    zone = calendar.zone
    if end.second(zone) <= start.second(zone):
        raise empty_range()
    named = body.start is not None and body.start.timeZone is not None
    if recurrence and before is None and start.date is None and not named:
        raise missing("Missing time zone definition for start time.")
    return {"start": start, "end": end}


def _moment(given: EventTime | None, name: str, before: Moment | None, calendar: Calendar) -> Moment:
    if given is not None:
        return read_moment(given, name, before, calendar.timeZone)
    if before is None:
        raise missing(f"Missing {name} time.")
    return before
