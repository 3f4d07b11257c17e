"""The rows of Google Calendar: calendars, events, attendees, invitations."""

from __future__ import annotations

from datetime import UTC, tzinfo
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from environment.apps.google_calendar.moments import Moment
from environment.apps.google_calendar.recurrence import Occurrences, check_recurrence, occurrences
from environment.apps.google_calendar.zones import find_zone
from environment.world import Row

_RESOURCES = "@resource.calendar.google.com"
_EPOCH = "2026-01-05T08:00:00Z"

Address = Annotated[str, BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value)]
"""An e-mail address or the id of a calendar, in lower case."""
Access = Literal["none", "freeBusyReader", "reader", "writer", "owner"]
Answer = Literal["needsAction", "declined", "tentative", "accepted"]


def event_id(count: int) -> str:
    """The count-th event's id, such as qhtbm000000041; an instance adds _20260304T090000Z."""
    return f"qhtbm{count:09d}"


def calendar_id(count: int) -> str:
    """The count-th secondary calendar's id; a person's calendar has their e-mail address as its id."""
    return f"c_tkbq{count:09d}@group.calendar.google.com"


def room_id(count: int) -> str:
    """The count-th room's calendar and address."""
    return f"c_1880{count:09d}{_RESOURCES}"


def attendee_id(event: str, email: str) -> str:
    """The id of an attendee's row."""
    return f"{event}/{email.lower()}"


def invitation_id(event: str, to: str, kind: str, start: Moment) -> str:
    """The id of a notification's row: a further one of its kind about the same time takes the place of the first."""
    return f"{event}/{to.lower()}/{kind}/{start.second(UTC)}"


def is_room(address: str) -> bool:
    return address.endswith(_RESOURCES)


class Calendar(Row):
    """A calendar as the actor sees it: their own (its id is their address), a colleague's, a team's or a room's."""

    id: Address
    summary: str
    description: str = ""
    location: str = ""
    timeZone: str = "UTC"
    accessRole: Access = "reader"
    """What the actor may do; on their own calendar they are owner whatever it says."""
    listed: bool = False
    """Whether it is in the actor's calendar list; their own always is."""
    summaryOverride: str = ""
    colorId: str = ""
    hidden: bool = False
    selected: bool = False

    @cached_property
    def zone(self) -> tzinfo:
        return find_zone(self.timeZone) or UTC

    @model_validator(mode="after")
    def _known_zone(self) -> Calendar:
        if find_zone(self.timeZone) is None:
            raise ValueError(f"{self.timeZone!r} is no IANA time zone")
        return self


class Event(Row):
    """An event, a series of events, or one instance of a series that differs from it."""

    id: str
    calendarId: Address
    """The organizer's calendar; it is on every attendee's calendar too."""
    status: Literal["confirmed", "tentative", "cancelled"] = "confirmed"
    summary: str = ""
    description: str = ""
    location: str = ""
    start: Moment
    end: Moment
    recurrence: tuple[str, ...] = ()
    """RRULE, EXDATE and RDATE lines of a series."""
    recurringEventId: str | None = None
    """The series that this is an instance of."""
    originalStartTime: Moment | None = None
    """Where the series has the instance."""
    transparency: Literal["opaque", "transparent"] = "opaque"
    visibility: Literal["default", "public", "private", "confidential"] = "default"
    eventType: Literal["default", "outOfOffice", "focusTime", "workingLocation"] = "default"
    creator: Address = ""
    """"" when it is the organizer."""
    guestsCanModify: bool = False
    guestsCanInviteOthers: bool = True
    guestsCanSeeOtherGuests: bool = True
    hangoutLink: str = ""
    colorId: str = ""
    reminders: dict[str, Any] = Field(default_factory=dict)
    extendedProperties: dict[str, Any] = Field(default_factory=dict)
    iCalUID: str = ""
    sequence: int = 0
    created: str = _EPOCH
    updated: str = _EPOCH

    @cached_property
    def span(self) -> tuple[int, int] | None:
        """Start and end in seconds since 1970; None for an all-day event, whose days begin with their reader's."""
        return None if self.start.date is not None else (self.start.second(UTC), self.end.second(UTC))

    @cached_property
    def searched(self) -> str:
        """What a search looks through, besides the guests."""
        return " ".join((self.summary, self.description, self.location, self.calendarId)).casefold()

    @cached_property
    def zone(self) -> tzinfo:
        """The zone on whose clocks a series repeats; days need none."""
        return (find_zone(self.start.timeZone) if self.start.timeZone else None) or UTC

    @cached_property
    def dates(self) -> Occurrences:
        """When a series takes place."""
        return occurrences(self.recurrence, self.start.local(self.zone), self.zone, self.start.date is not None)

    @model_validator(mode="after")
    def _sound(self) -> Event:
        if (self.start.date is None) != (self.end.date is None):
            raise ValueError("start and end must both be days or both be times")
        if self.recurrence:
            if self.start.date is None and self.start.timeZone is None:
                raise ValueError("a recurring event needs start.timeZone")
            check_recurrence(self.recurrence)
        return self


class Attendee(Row):
    """One guest of an event; of an instance only where they differ from the series' guests."""

    id: str
    """`attendee_id(eventId, email)`."""
    eventId: str
    email: Address
    displayName: str = ""
    responseStatus: Answer = "needsAction"
    optional: bool = False
    comment: str = ""
    removed: bool = False
    """Guest of the series, but not of this instance."""
    hidden: bool = False
    """The guest deleted the event from their calendar."""

    @cached_property
    def searched(self) -> str:
        """What a search looks through."""
        return f"{self.displayName} {self.email}".casefold()

    @model_validator(mode="after")
    def _own_id(self) -> Attendee:
        if self.id != attendee_id(self.eventId, self.email):
            raise ValueError(f"attendee id {self.id!r} must be {attendee_id(self.eventId, self.email)!r}")
        return self


class Invitation(Row):
    """A notification that left the company because of `sendUpdates`, one per recipient."""

    id: str
    """`invitation_id(eventId, to, kind, start)`."""
    eventId: str
    to: Address
    kind: Literal["invitation", "update", "cancellation", "reply"]
    summary: str
    start: Moment
