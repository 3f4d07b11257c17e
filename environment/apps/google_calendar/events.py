"""Endpoints of events: list, get, insert, patch, update, delete, move, instances."""

from __future__ import annotations

from collections.abc import Container, Sequence
from datetime import tzinfo
from typing import Any, Literal

from pydantic import Field

from environment.apps.google_calendar.access import find_calendar, role_on
from environment.apps.google_calendar.agenda import Item, Window, agenda, find_event, instances, is_gone
from environment.apps.google_calendar.body import EventBody
from environment.apps.google_calendar.guests import guests_of
from environment.apps.google_calendar.invitations import SendUpdates
from environment.apps.google_calendar.moments import read_instant
from environment.apps.google_calendar.pages import page_of
from environment.apps.google_calendar.refusals import empty_range, invalid
from environment.apps.google_calendar.resource import etag, event_resource, is_secret
from environment.apps.google_calendar.rows import Attendee, Calendar, Event
from environment.apps.google_calendar.writing import Write, cancel, change, create, move
from environment.apps.google_calendar.zones import find_zone
from environment.apps.kit import Args, Call, Many, Response, Route


class OnCalendar(Args):
    """What every endpoint here begins with."""

    calendarId: str = Field(description="primary, a person's e-mail address, or another calendar's id")


class OnEvent(OnCalendar):
    eventId: str = Field(description="Event id; one instance of a series is <id>_20260304T090000Z")


class GetEvent(OnEvent):
    timeZone: str | None = Field(None, description="Zone of the times shown, the calendar's unless given")
    maxAttendees: int | None = Field(None, description="With more guests than this only one's own entry is shown")
    alwaysIncludeEmail: bool = Field(False, description="Ignored")
    fields: str | None = Field(None, description="Ignored here")


class Listing(OnCalendar):
    timeMin: str | None = Field(None, description="Only what ends after this RFC 3339 time, with offset")
    timeMax: str | None = Field(None, description="Only what starts before this RFC 3339 time, with offset")
    showDeleted: bool = Field(False, description="Also cancelled events")
    maxResults: int | None = Field(None, description="Events a page, 250 unless given, at most 2500")
    pageToken: str | None = Field(None, description="nextPageToken of the page before")
    timeZone: str | None = Field(None, description="Zone of the times shown, the calendar's unless given")
    maxAttendees: int | None = Field(None, description="With more guests than this only one's own entry is shown")
    alwaysIncludeEmail: bool = Field(False, description="Ignored")
    fields: str | None = Field(None, description="Ignored here")


class ListEvents(Listing):
    q: str | None = Field(None, description="Words that occur in title, description, place or guests")
    singleEvents: bool = Field(False, description="Instances instead of the series they belong to")
    orderBy: Literal["startTime", "updated"] | None = Field(None, description="startTime needs singleEvents")
    iCalUID: str | None = Field(None, description="Only events with this iCalendar id")
    updatedMin: str | None = Field(None, description="Only events changed since, cancelled ones too")
    eventTypes: Many = Field([], description="default, outOfOffice, focusTime, workingLocation")
    showHiddenInvitations: bool = Field(False, description="Ignored here")


class ListInstances(Listing):
    eventId: str = Field(description="Id of the series")
    originalStart: str | None = Field(None, description="Only the instance that the series has at this time")


class Told(Args):
    """How those concerned hear of a write."""

    sendUpdates: SendUpdates = Field("none", description="Who is notified: all, externalOnly or none")
    sendNotifications: bool | None = Field(None, description="Deprecated: true is sendUpdates=all")

    @property
    def updates(self) -> SendUpdates:
        return "all" if self.sendNotifications and "sendUpdates" not in self.model_fields_set else self.sendUpdates


class Written(Told):
    conferenceDataVersion: int = Field(0, description="1 to let conferenceData make a Meet link")
    supportsAttachments: bool = Field(False, description="Ignored")
    maxAttendees: int | None = Field(None, description="Ignored here")
    alwaysIncludeEmail: bool = Field(False, description="Ignored")


class InsertEvent(EventBody, Written, OnCalendar):
    """An event to create."""


class ChangeEvent(EventBody, Written, OnEvent):
    """What an event becomes."""


class DeleteEvent(Told, OnEvent):
    """Which event goes."""


class MoveEvent(Told, OnEvent):
    destination: str = Field(description="Id of the calendar to move it to")


def list_events(call: Call, args: ListEvents) -> dict[str, Any]:
    """Events of a calendar; with singleEvents the instances of series, ordered by startTime."""
    calendar = find_calendar(call, args.calendarId)
    if args.orderBy == "startTime" and not args.singleEvents:
        raise invalid("The requested ordering is not available for the particular query.")
    updated_min = None if args.updatedMin is None else read_instant(args.updatedMin).timestamp()
    words = (args.q or "").casefold().split()
    invited = _invited(call, words)
    found = []
    for item in agenda(call, calendar, _window(args), expand=args.singleEvents):
        event = item.event
        if args.iCalUID and args.iCalUID not in (event.iCalUID, f"{event.recurringEventId or event.id}@google.com"):
            continue
        if args.eventTypes and event.eventType not in args.eventTypes:
            continue
        if updated_min is not None and read_instant(event.updated).timestamp() < updated_min:
            continue
        if words and not _mentions(call, calendar, event, words, invited):
            continue
        if is_gone(call, calendar, item) and not _shows_cancelled(call, args, event):
            continue
        found.append(item)
    if args.orderBy == "startTime":
        found.sort(key=lambda item: (item.begins, item.ends))
    elif args.orderBy == "updated":
        found.sort(key=lambda item: item.event.updated)
    return _page(call, calendar, args, found)


def list_instances(call: Call, args: ListInstances) -> dict[str, Any]:
    """Instances of a recurring event (series), earliest first."""
    calendar = find_calendar(call, args.calendarId)
    series = find_event(call, calendar, args.eventId)
    if not series.recurrence:
        raise invalid("The event is not a recurring event.")
    wanted = None if args.originalStart is None else args.originalStart
    found = []
    for item in instances(call, series, _window(args), calendar.zone):
        if series.calendarId != calendar.id and item.guest(call, calendar.id) is None:
            continue
        if is_gone(call, calendar, item) and not args.showDeleted:
            continue
        if wanted is None or _is_original(item.as_event(), wanted):
            found.append(item)
    found.sort(key=lambda item: item.begins)
    return _page(call, calendar, args, found)


def get_event(call: Call, args: GetEvent) -> dict[str, Any]:
    """Get one event, one series, or one instance of a series."""
    calendar = find_calendar(call, args.calendarId)
    event = find_event(call, calendar, args.eventId)
    return event_resource(call, calendar, event, _zone(args.timeZone, calendar), args.maxAttendees)


def insert_event(call: Call, args: InsertEvent) -> dict[str, Any]:
    """Create an event with start and end; notify guests by sendUpdates."""
    calendar = find_calendar(call, args.calendarId, "writer")
    return event_resource(call, calendar, create(call, _write(calendar, args, whole=True)))


def patch_event(call: Call, args: ChangeEvent) -> dict[str, Any]:
    """Change fields of an event: reschedule, rename, invite, answer; given an instance id, of that instance alone."""
    return _changed(call, args, whole=False)


def update_event(call: Call, args: ChangeEvent) -> dict[str, Any]:
    """Replace an event: fields that are not given are cleared."""
    return _changed(call, args, whole=True)


def delete_event(call: Call, args: DeleteEvent) -> Response:
    """Cancel an event, a whole series, or one instance of it."""
    calendar = find_calendar(call, args.calendarId, "writer")
    cancel(call, calendar, find_event(call, calendar, args.eventId), args.updates)
    return Response(204, None)


def move_event(call: Call, args: MoveEvent) -> dict[str, Any]:
    """Move an event to another calendar, which changes its organizer, not its time."""
    calendar = find_calendar(call, args.calendarId, "writer")
    event = find_event(call, calendar, args.eventId)
    destination = find_calendar(call, args.destination, "writer")
    return event_resource(call, destination, move(call, calendar, event, destination, args.updates))


def _changed(call: Call, args: ChangeEvent, whole: bool) -> dict[str, Any]:
    calendar = find_calendar(call, args.calendarId, "writer")
    event = find_event(call, calendar, args.eventId)
    return event_resource(call, calendar, change(call, event, _write(calendar, args, whole)))


def _write(calendar: Calendar, args: InsertEvent | ChangeEvent, whole: bool) -> Write:
    return Write(calendar, args, args.updates, args.conferenceDataVersion, whole)


def _window(args: Listing) -> Window:
    low = None if args.timeMin is None else int(read_instant(args.timeMin).timestamp())
    high = None if args.timeMax is None else int(read_instant(args.timeMax).timestamp())
    if low is not None and high is not None and low >= high:
        raise empty_range()
    return Window(low, high)


def _zone(name: str | None, calendar: Calendar) -> tzinfo:
    if name is None:
        return calendar.zone
    zone = find_zone(name)
    if zone is None:
        raise invalid("Invalid time zone.")
    return zone


def _shows_cancelled(call: Call, args: ListEvents, event: Event) -> bool:
    """A cancelled instance is shown beside its series even when cancelled events are not asked for."""
    if args.showDeleted or args.updatedMin is not None:
        return True
    series = call.tables.find(Event, event.recurringEventId) if event.recurringEventId else None
    return not args.singleEvents and series is not None and series.status != "cancelled"


def _invited(call: Call, words: Sequence[str]) -> frozenset[str]:
    """Ids of the events to which a guest is invited whom one of the words may mean."""
    if not words:
        return frozenset()
    guests = call.tables.all(Attendee)
    return frozenset(guest.eventId for guest in guests if any(word in guest.searched for word in words))


def _mentions(call: Call, calendar: Calendar, event: Event, words: Sequence[str], invited: Container[str]) -> bool:
    left = [word for word in words if word not in event.searched]
    if left and (event.id in invited or event.recurringEventId in invited):
        guests = [guest.searched for guest in guests_of(call, event).values()]
        left = [word for word in left if not any(word in guest for guest in guests)]
    return not left and not is_secret(call, calendar, event)


def _is_original(event: Event, wanted: str) -> bool:
    original = event.originalStartTime
    if original is None or original.instant is None:
        return original is not None and original.date == wanted
    return original.instant == read_instant(wanted)


def _page(call: Call, calendar: Calendar, args: Listing, found: list[Item]) -> dict[str, Any]:
    zone = _zone(args.timeZone, calendar)
    page, token = page_of(found, args.maxResults, args.pageToken, 250, 2500)
    updated = max((item.event.updated for item in page), default="2026-01-05T08:00:00Z")
    return {
        "kind": "calendar#events",
        "etag": etag(updated),
        "summary": calendar.summary,
        "description": calendar.description,
        "updated": updated,
        "timeZone": args.timeZone or calendar.timeZone,
        "accessRole": role_on(call, calendar),
        "defaultReminders": [],
        **({"nextPageToken": token} if token else {}),
        "items": [event_resource(call, calendar, item.as_event(), zone, args.maxAttendees) for item in page],
    }


_EVENTS = "/calendars/{calendarId}/events"
_EVENT = f"{_EVENTS}/{{eventId}}"
_TOLD = ("sendUpdates", "sendNotifications")
_WRITTEN = (*_TOLD, "conferenceDataVersion", "supportsAttachments", "maxAttendees", "alwaysIncludeEmail")

ROUTES = (
    Route(
        "list_events", "GET", _EVENTS, "read", ListEvents, list_events, as_action=False,
        keywords="find search meetings appointments agenda schedule",
    ),
    Route(
        "insert_event", "POST", _EVENTS, "write", InsertEvent, insert_event, _WRITTEN, as_action=False,
        keywords="create add meeting appointment invite schedule book",
    ),
    Route(
        "move_event", "POST", f"{_EVENT}/move", "write", MoveEvent, move_event, (*_TOLD, "destination"),
        as_action=False, keywords="organizer",
    ),
    Route(
        "list_instances", "GET", f"{_EVENT}/instances", "read", ListInstances, list_instances, as_action=False,
        keywords="recurring series occurrences",
    ),
    Route("get_event", "GET", _EVENT, "read", GetEvent, get_event, as_action=False, keywords="read meeting"),
    Route(
        "patch_event", "PATCH", _EVENT, "write", ChangeEvent, patch_event, _WRITTEN, as_action=False,
        keywords="reschedule postpone move meeting time edit attendees respond accept decline",
    ),
    Route("update_event", "PUT", _EVENT, "write", ChangeEvent, update_event, _WRITTEN, as_action=False),
    Route(
        "delete_event", "DELETE", _EVENT, "write", DeleteEvent, delete_event, as_action=False,
        keywords="cancel meeting remove",
    ),
)  # fmt: skip
