"""Free and busy times say when people and rooms are taken, without saying by what."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any

from pydantic import Field

from environment.apps.google_calendar.access import find_calendar
from environment.apps.google_calendar.agenda import Window, agenda, is_busy
from environment.apps.google_calendar.moments import read_instant, rfc3339
from environment.apps.google_calendar.refusals import empty_range, invalid
from environment.apps.google_calendar.rows import Calendar
from environment.apps.google_calendar.zones import find_zone
from environment.apps.kit import AppError, Args, Call, Route

_MOST_CALENDARS = 50


class BusyItem(Args):
    id: str | None = Field(None, description="Calendar id, such as a person's e-mail address")


class QueryFreeBusy(Args):
    timeMin: str = Field(description="Start, RFC 3339 with offset")
    timeMax: str = Field(description="End, RFC 3339 with offset")
    timeZone: str | None = Field(None, description="Zone of the answer, UTC unless given")
    items: list[BusyItem] = Field(description="Calendars, such as [{id: ann@shop.example}]")
    groupExpansionMax: int | None = Field(None, description="Ignored here")
    calendarExpansionMax: int | None = Field(None, description="Calendars at most, up to 50")


def query_free_busy(call: Call, args: QueryFreeBusy) -> dict[str, Any]:
    """When people and rooms are busy: merged periods a calendar between timeMin and timeMax."""
    window = Window(int(read_instant(args.timeMin).timestamp()), int(read_instant(args.timeMax).timestamp()))
    if window.low is None or window.high is None or window.low >= window.high:
        raise empty_range()
    zone = UTC if args.timeZone is None else find_zone(args.timeZone)
    if zone is None:
        raise invalid("Invalid time zone.")
    items = args.items
    if len(items) > min(_MOST_CALENDARS, args.calendarExpansionMax or _MOST_CALENDARS):
        raise AppError(400, "Too many calendars requested.", "tooManyCalendarsRequested")
    return {
        "kind": "calendar#freeBusy",
        "timeMin": _shown(window.low, UTC),
        "timeMax": _shown(window.high, UTC),
        "calendars": {item.id: _one(call, item.id, window, zone) for item in items if item.id},
    }


def busy_periods(call: Call, calendar: Calendar, window: Window) -> list[tuple[int, int]]:
    """Times in the window at which the calendar's owner is busy, in seconds since 1970, joined where they meet."""
    taken = sorted(
        (item.begins, item.ends)
        for item in agenda(call, calendar, window, expand=True)
        if is_busy(call, calendar, item)
    )
    joined: list[tuple[int, int]] = []
    for begins, ends in taken:
        begins = begins if window.low is None else max(begins, window.low)
        ends = ends if window.high is None else min(ends, window.high)
        if joined and begins <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(ends, joined[-1][1])
        else:
            joined.append((begins, ends))
    return joined


def _one(call: Call, key: str, window: Window, zone: tzinfo) -> dict[str, Any]:
    try:
        calendar = find_calendar(call, key, "freeBusyReader")
    except AppError:
        return {"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}
    periods = busy_periods(call, calendar, window)
    return {"busy": [{"start": _shown(begins, zone), "end": _shown(ends, zone)} for begins, ends in periods]}


def _shown(second: int, zone: tzinfo) -> str:
    return rfc3339(datetime.fromtimestamp(second, zone))


ROUTES = (
    Route(
        "query_free_busy", "POST", "/freeBusy", "read", QueryFreeBusy, query_free_busy, as_action=False,
        keywords="availability free time slot conflict double booking busy",
    ),
)  # fmt: skip
