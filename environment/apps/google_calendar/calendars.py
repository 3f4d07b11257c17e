"""Endpoints of calendars, and of the actor's calendar list."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from environment.apps.google_calendar.access import at_least, find_calendar, own_address, role_on
from environment.apps.google_calendar.pages import page_of
from environment.apps.google_calendar.refusals import invalid, missing, not_found
from environment.apps.google_calendar.rows import Calendar
from environment.apps.google_calendar.zones import find_zone
from environment.apps.kit import AppError, Args, Call, Response, Route

_ETAG = '"1767600000000000"'
_OWN = ("summaryOverride", "colorId", "hidden", "selected")
"""What the calendar list holds for the actor alone."""


class OneCalendar(Args):
    calendarId: str = Field(description="primary, a person's e-mail address, or another calendar's id")


class ListCalendars(Args):
    maxResults: int | None = Field(None, description="Entries a page, 100 unless given, at most 250")
    pageToken: str | None = Field(None, description="nextPageToken of the page before")
    minAccessRole: Literal["freeBusyReader", "reader", "writer", "owner"] | None = Field(
        None, description="Only calendars with at least this access"
    )
    showHidden: bool = Field(False, description="Also hidden entries")
    showDeleted: bool = Field(False, description="Ignored here")


class CalendarBody(Args):
    description: str | None = Field(None, description="Description")
    location: str | None = Field(None, description="Place")
    timeZone: str | None = Field(None, description="IANA zone, such as Europe/Berlin")


class InsertCalendar(CalendarBody):
    summary: str | None = Field(None, description="Title; required")


class PatchCalendar(CalendarBody, OneCalendar):
    summary: str | None = Field(None, description="Title")


class EntryBody(Args):
    summaryOverride: str | None = Field(None, description="The title that you see")
    colorId: str | None = Field(None, description="Colour")
    hidden: bool | None = Field(None, description="Whether it is hidden from the list")
    selected: bool | None = Field(None, description="Whether its events are shown")


class InsertEntry(EntryBody):
    id: str | None = Field(None, description="Id of an existing calendar, such as a person's e-mail address")


class PatchEntry(EntryBody, OneCalendar):
    """What an entry becomes."""


def list_entries(call: Call, args: ListCalendars) -> dict[str, Any]:
    """The calendar list: your own calendar and those added to it, such as teams' and rooms'."""
    own = find_calendar(call, "primary")
    others = [calendar for calendar in call.tables.where(Calendar, "listed", True) if calendar.id != own.id]
    found = [
        calendar
        for calendar in (own, *others)
        if (args.showHidden or not calendar.hidden)
        and at_least(role_on(call, calendar), args.minAccessRole or "reader")
    ]
    page, token = page_of(found, args.maxResults, args.pageToken, 100, 250)
    return {
        "kind": "calendar#calendarList",
        "etag": _ETAG,
        **({"nextPageToken": token} if token else {}),
        "items": [_entry(call, calendar) for calendar in page],
    }


def get_entry(call: Call, args: OneCalendar) -> dict[str, Any]:
    """Get an entry of the calendar list."""
    return _entry(call, _listed(call, args.calendarId))


def insert_entry(call: Call, args: InsertEntry) -> dict[str, Any]:
    """Add an existing calendar, such as a colleague's or a room's, to the calendar list."""
    if not args.id:
        raise missing("Missing calendar id.")
    calendar = find_calendar(call, args.id, "freeBusyReader")
    return _entry(call, call.tables.put(calendar.change(listed=True, **_given(args, _OWN))))


def patch_entry(call: Call, args: PatchEntry) -> dict[str, Any]:
    """Change an entry of the calendar list: the title you see, colour, hidden."""
    calendar = _listed(call, args.calendarId)
    return _entry(call, call.tables.put(calendar.change(**_given(args, _OWN))))


def delete_entry(call: Call, args: OneCalendar) -> Response:
    """Take a calendar off the calendar list; the calendar stays."""
    calendar = _listed(call, args.calendarId)
    if calendar.id == own_address(call):
        raise AppError(403, "Cannot remove the primary calendar from the list.", "forbidden")
    call.tables.put(calendar.change(listed=False))
    return Response(204, None)


def get_calendar(call: Call, args: OneCalendar) -> dict[str, Any]:
    """Get a calendar's title, description and time zone."""
    return _resource(find_calendar(call, args.calendarId))


def insert_calendar(call: Call, args: InsertCalendar) -> dict[str, Any]:
    """Create a secondary calendar that you own."""
    if not args.summary:
        raise missing("Missing title.")
    fields = _fields(args, "summary", "description", "location", "timeZone")
    zone = {"timeZone": find_calendar(call, "primary").timeZone, **fields}
    row = Calendar(id=call.tables.new_id(Calendar), accessRole="owner", listed=True, **zone)
    return _resource(call.tables.put(row))


def patch_calendar(call: Call, args: PatchCalendar) -> dict[str, Any]:
    """Change a calendar's title, description, place or time zone."""
    calendar = find_calendar(call, args.calendarId, "owner")
    changed = calendar.change(**_fields(args, "summary", "description", "location", "timeZone"))
    if not changed.summary:
        raise missing("Missing title.")
    return _resource(call.tables.put(changed))


def delete_calendar(call: Call, args: OneCalendar) -> Response:
    """Delete a secondary calendar that you own."""
    calendar = find_calendar(call, args.calendarId, "owner")
    if calendar.id == own_address(call):
        raise AppError(403, "Cannot delete the primary calendar.", "cannotDeletePrimaryCalendar")
    call.tables.delete(calendar)
    return Response(204, None)


def _listed(call: Call, key: str) -> Calendar:
    calendar = find_calendar(call, key, "freeBusyReader")
    if not calendar.listed and calendar.id != own_address(call):
        raise not_found()
    return calendar


def _given(args: Args, names: tuple[str, ...]) -> dict[str, Any]:
    """Fields that the body gives, null clearing them."""
    empty = {"hidden": False, "selected": False}
    return {
        name: empty.get(name, "") if getattr(args, name) is None else getattr(args, name)
        for name in names
        if name in args.model_fields_set
    }


def _fields(args: Args, *names: str) -> dict[str, Any]:
    fields = _given(args, names)
    if "timeZone" in fields and find_zone(fields["timeZone"]) is None:
        raise invalid("Invalid time zone.")
    return fields


def _resource(calendar: Calendar) -> dict[str, Any]:
    return {"kind": "calendar#calendar", "etag": _ETAG, **_described(calendar)}


def _entry(call: Call, calendar: Calendar) -> dict[str, Any]:
    own = calendar.id == own_address(call)
    return {
        "kind": "calendar#calendarListEntry",
        "etag": _ETAG,
        **_described(calendar),
        **({"summaryOverride": calendar.summaryOverride} if calendar.summaryOverride else {}),
        **({"colorId": calendar.colorId} if calendar.colorId else {}),
        **({"hidden": True} if calendar.hidden else {}),
        **({"selected": True} if calendar.selected or own else {}),
        "accessRole": role_on(call, calendar),
        "defaultReminders": [],
        **({"primary": True} if own else {}),
    }


def _described(calendar: Calendar) -> dict[str, Any]:
    return {
        "id": calendar.id,
        "summary": calendar.summary,
        **({"description": calendar.description} if calendar.description else {}),
        **({"location": calendar.location} if calendar.location else {}),
        "timeZone": calendar.timeZone,
    }


_LIST, _CALENDARS = "/users/me/calendarList", "/calendars"
_ENTRY, _CALENDAR = f"{_LIST}/{{calendarId}}", f"{_CALENDARS}/{{calendarId}}"

ROUTES = (
    Route(
        "list_calendar_list", "GET", _LIST, "read", ListCalendars, list_entries, as_action=False,
        keywords="calendars rooms teams",
    ),
    Route("get_calendar_list_entry", "GET", _ENTRY, "read", OneCalendar, get_entry, as_action=False),
    Route(
        "insert_calendar_list_entry", "POST", _LIST, "write", InsertEntry, insert_entry, as_action=False,
        keywords="subscribe",
    ),
    Route("patch_calendar_list_entry", "PATCH", _ENTRY, "write", PatchEntry, patch_entry, as_action=False),
    Route(
        "delete_calendar_list_entry", "DELETE", _ENTRY, "write", OneCalendar, delete_entry, as_action=False,
        keywords="unsubscribe",
    ),
    Route("get_calendar", "GET", _CALENDAR, "read", OneCalendar, get_calendar, as_action=False),
    Route("insert_calendar", "POST", _CALENDARS, "write", InsertCalendar, insert_calendar, as_action=False),
    Route("patch_calendar", "PATCH", _CALENDAR, "write", PatchCalendar, patch_calendar, as_action=False),
    Route("delete_calendar", "DELETE", _CALENDAR, "write", OneCalendar, delete_calendar, as_action=False),
)  # fmt: skip
