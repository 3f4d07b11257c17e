"""Google Calendar's actions: short scripts over the API; times are those on the clocks of the calendar asked for.

A start is written 2026-03-04T09:30, or 2026-03-04 for an all-day event, whose end is shown as its last day. A zone is
named only where it is not that of the actor's own calendar. Guests are notified of every write.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import quote

from pydantic import Field

from environment.apps.google_calendar.zones import find_zone
from environment.apps.kit import Action, AppError, Args, Fetch

_PAGE = 20
_NOTIFY = {"sendUpdates": "all"}
_START = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::00)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)
_OPENING, _CLOSING = "09:00", "17:00"
_LONGEST = 14 * 24 * 60


class FindEvents(Args):
    query: str | None = Field(None, description="Words of the event")
    day: str | None = Field(None, description="Day, YYYY-MM-DD")
    last_day: str | None = Field(None, description="Last day, if several")
    calendar: str | None = Field(None, description="Calendar name or person's e-mail")
    page: int | None = Field(None, description="Page, from 1")


class OneEvent(Args):
    id: str = Field(description="Event id")
    calendar: str | None = Field(None, description="Calendar name or person's e-mail")


class CreateEvent(Args):
    title: str = Field(description="Title")
    start: str = Field(description="Start, YYYY-MM-DDTHH:MM")
    minutes: int | None = Field(None, description="Length in minutes, default 30")
    attendees: list[str] | None = Field(None, description="E-mails or room names")
    location: str | None = Field(None, description="Place")
    description: str | None = Field(None, description="Description")
    last_day: str | None = Field(None, description="Last day, if all-day")
    repeat: str | None = Field(None, description="RRULE, such as FREQ=WEEKLY;COUNT=4")
    zone: str | None = Field(None, description="Time zone of start")
    calendar: str | None = Field(None, description="Calendar name or person's e-mail")


class MoveEvent(Args):
    id: str = Field(description="Event id")
    start: str = Field(description="New start, YYYY-MM-DDTHH:MM")
    zone: str | None = Field(None, description="Time zone of start")
    calendar: str | None = Field(None, description="Calendar name or person's e-mail")


class UpdateEvent(Args):
    id: str = Field(description="Event id")
    title: str | None = Field(None, description="New title")
    location: str | None = Field(None, description="New place")
    description: str | None = Field(None, description="New description")
    minutes: int | None = Field(None, description="New length in minutes")
    calendar: str | None = Field(None, description="Calendar name or person's e-mail")


class Guest(Args):
    id: str = Field(description="Event id")
    email: str = Field(description="E-mail or room name")
    calendar: str | None = Field(None, description="Calendar name or person's e-mail")


class Respond(Args):
    id: str = Field(description="Event id")
    answer: Literal["accepted", "declined", "tentative"] = Field(description="Your answer")


class FindFreeTimes(Args):
    attendees: list[str] = Field(description="E-mails or room names")
    day: str = Field(description="Day, YYYY-MM-DD")
    minutes: int | None = Field(None, description="Length in minutes, default 30")
    earliest: str | None = Field(None, description="Not before, default 09:00")
    latest: str | None = Field(None, description="Done by, default 17:00")


class NoArguments(Args):
    """Nothing to say."""


def _find_events(fetch: Fetch, args: FindEvents) -> dict[str, Any]:
    place = _Place(fetch, args.calendar)
    params: dict[str, Any] = {"maxResults": 2500, **({"q": args.query} if args.query else {})}
    if args.day or args.last_day:
        first, last = _day(args.day or args.last_day or ""), _day(args.last_day or args.day or "")
        params |= {"timeMin": place.midnight(first), "timeMax": place.midnight(last + timedelta(days=1))}
        params |= {"singleEvents": True, "orderBy": "startTime"}
    listed = fetch("GET", place.events, params)["items"]
    found = sorted((event for event in listed if event["status"] != "cancelled"), key=_start)
    first_shown = (max(1, min(args.page or 1, 1000)) - 1) * _PAGE
    more = {"next_page": first_shown // _PAGE + 2} if first_shown + _PAGE < len(found) else {}
    return {"events": [_line(place, event) for event in found[first_shown : first_shown + _PAGE]], **more}


def _get_event(fetch: Fetch, args: OneEvent) -> dict[str, Any]:
    place = _Place(fetch, args.calendar)
    event = fetch("GET", place.event(args.id))
    if "start" not in event:
        return {"id": event["id"], "status": "cancelled"}
    return {
        **_line(place, event),
        **({"description": event["description"]} if "description" in event else {}),
        **({"organizer": event["organizer"]["email"]} if "organizer" in event else {}),
        **_guests(event),
        **({"series": event["recurringEventId"]} if "recurringEventId" in event else {}),
    }


def _create_event(fetch: Fetch, args: CreateEvent) -> dict[str, Any]:
    place = _Place(fetch, args.calendar)
    begins = place.read(args.start, args.zone)
    if isinstance(begins, datetime):
        if args.last_day:
            raise AppError(400, "last_day is for all-day events; give start as YYYY-MM-DD, or leave last_day out")
        times = _times(begins, timedelta(minutes=_minutes(args.minutes)))
    else:
        times = _times(begins, (_day(args.last_day) if args.last_day else begins) - begins + timedelta(days=1))
    body: dict[str, Any] = {"summary": args.title, **times}
    body |= {name: text for name in ("location", "description") if (text := getattr(args, name)) is not None}
    if args.attendees:
        body["attendees"] = [{"email": address} for address in _addresses(fetch, args.attendees)]
    if args.repeat:
        body["recurrence"] = [args.repeat if ":" in args.repeat else f"RRULE:{args.repeat}"]
    event = fetch("POST", place.events, _NOTIFY, body)
    return {**_line(place, event), **_guests(event)}


def _move_event(fetch: Fetch, args: MoveEvent) -> dict[str, Any]:
    place = _Place(fetch, args.calendar)
    event = _existing(fetch, place, args.id)
    begins = place.read(args.start, args.zone)
    if isinstance(begins, datetime) == ("date" in event["start"]):
        wanted = "a day, YYYY-MM-DD, for an all-day event" if "date" in event["start"] else "YYYY-MM-DDTHH:MM"
        raise AppError(400, f"start {args.start[:40]!r} must be {wanted}")
    length = datetime.fromisoformat(_text(event["end"])) - datetime.fromisoformat(_text(event["start"]))
    return _line(place, _patch(fetch, place, args.id, _times(begins, length)))


def _update_event(fetch: Fetch, args: UpdateEvent) -> dict[str, Any]:
    place = _Place(fetch, args.calendar)
    texts = {"summary": args.title, "location": args.location, "description": args.description}
    body: dict[str, Any] = {name: text for name, text in texts.items() if text is not None}
    if args.minutes is not None:
        start = _existing(fetch, place, args.id)["start"]
        if "date" in start:
            raise AppError(400, "an all-day event has no length in minutes")
        begins = datetime.fromisoformat(start["dateTime"]).astimezone(place.zone)
        body["end"] = _times(begins, timedelta(minutes=_minutes(args.minutes)))["end"]
    if not body:
        raise AppError(400, "give at least one field to change")
    event = _patch(fetch, place, args.id, body)
    return {**_line(place, event), **({"description": args.description} if args.description is not None else {})}


def _cancel_event(fetch: Fetch, args: OneEvent) -> dict[str, Any]:
    fetch("DELETE", _Place(fetch, args.calendar).event(args.id), _NOTIFY)
    return {"id": args.id, "status": "cancelled"}


def _add_attendee(fetch: Fetch, args: Guest) -> dict[str, Any]:
    place = _Place(fetch, args.calendar)
    (address,) = _addresses(fetch, [args.email])
    guests = _existing(fetch, place, args.id).get("attendees", [])
    if all(guest["email"] != address for guest in guests):
        guests = [*guests, {"email": address}]
    event = _patch(fetch, place, args.id, {"attendees": guests})
    return {"id": event["id"], **_guests(event)}


def _remove_attendee(fetch: Fetch, args: Guest) -> dict[str, Any]:
    place = _Place(fetch, args.calendar)
    (address,) = _addresses(fetch, [args.email])
    guests = _existing(fetch, place, args.id).get("attendees", [])
    kept = [guest for guest in guests if guest["email"] != address]
    if len(kept) == len(guests):
        names = ", ".join(guest["email"] for guest in guests[:20])
        raise AppError(400, f"{address[:80]} is no guest; guests are: {names or 'none'}")
    event = _patch(fetch, place, args.id, {"attendees": kept})
    return {"id": event["id"], **_guests(event)}


def _respond(fetch: Fetch, args: Respond) -> dict[str, Any]:
    place = _Place(fetch, None)
    guests = _existing(fetch, place, args.id).get("attendees", [])
    if not any(guest.get("self") for guest in guests):
        raise AppError(400, "you are no guest of this event")
    answered = [{**guest, "responseStatus": args.answer} if guest.get("self") else guest for guest in guests]
    _patch(fetch, place, args.id, {"attendees": answered})
    return {"id": args.id, "answer": args.answer}


def _find_free_times(fetch: Fetch, args: FindFreeTimes) -> dict[str, Any]:
    place = _Place(fetch, None)
    day, clocks = _day(args.day), (_clock(args.earliest or _OPENING), _clock(args.latest or _CLOSING))
    low, high = (datetime.combine(day, clock, place.zone) for clock in clocks)
    if low >= high:
        raise AppError(400, "earliest must be before latest")
    people = _addresses(fetch, args.attendees)
    query = {"timeMin": _utc(low), "timeMax": _utc(high), "items": [{"id": address} for address in people]}
    answer = fetch("POST", "/freeBusy", None, query)["calendars"]
    if unknown := [address for address, calendar in answer.items() if "errors" in calendar]:
        raise AppError(404, f"no calendar of {', '.join(unknown)[:200]}")
    busy = sorted(
        (datetime.fromisoformat(period["start"]), datetime.fromisoformat(period["end"]))
        for calendar in answer.values()
        for period in calendar["busy"]
    )
    free, begins, wanted = [], low, timedelta(minutes=_minutes(args.minutes))
    for start, end in (*busy, (high, high)):
        if start - begins >= wanted:
            free.append({"start": place.shown(begins), "end": place.shown(start)})
        begins = max(begins, end)
    return {"free": free}


def _list_calendars(fetch: Fetch, args: NoArguments) -> list[dict[str, Any]]:
    entries = _entries(fetch)
    zones = [entry["timeZone"] for entry in entries if entry.get("primary")]
    own = zones[0] if zones else fetch("GET", "/calendars/primary")["timeZone"]  # one may hide one's own calendar
    return [
        {"id": entry["id"], "name": _name(entry), **({"zone": entry["timeZone"]} if entry["timeZone"] != own else {})}
        for entry in entries
    ]


class _Place:
    """The calendar that an action works on."""

    def __init__(self, fetch: Fetch, calendar: str | None) -> None:
        """`calendar` is a person's address, a calendar's id or its name; the actor's own when None."""
        key = _addresses(fetch, [calendar])[0] if calendar else "primary"
        path = f"/calendars/{quote(key, safe='@')}"
        own = fetch("GET", "/calendars/primary")["timeZone"]
        name = own if key == "primary" else fetch("GET", path)["timeZone"]
        self.events = f"{path}/events"
        self.zone = _zone(name)
        self.elsewhere = {"zone": name} if name != own else {}

    def event(self, key: str) -> str:
        return f"{self.events}/{quote(key, safe='') or '%20'}"

    def midnight(self, day: date) -> str:
        return _utc(datetime.combine(day, time(), self.zone))

    def shown(self, moment: datetime) -> str:
        return f"{moment.astimezone(self.zone):%Y-%m-%dT%H:%M}"

    def read(self, start: str, zone: str | None) -> date:
        """A time in its zone, or the day of an all-day event. Raises AppError."""
        match = _START.fullmatch(start.strip())
        if match is None:
            raise AppError(400, f"start {start[:40]!r} must be YYYY-MM-DDTHH:MM, or YYYY-MM-DD for all day")
        day = _day(match[1])
        if match[2] is None:
            return day
        where = _zone(zone) if zone else self.zone
        if match[3] is None:
            return datetime.combine(day, _clock(match[2]), where)
        try:
            return datetime.fromisoformat(f"{match[1]}T{match[2]}{match[3]}").astimezone(where)
        except ValueError:
            raise AppError(400, f"start {start[:40]!r} has no possible offset from UTC") from None


def _existing(fetch: Fetch, place: _Place, key: str) -> dict[str, Any]:
    event = fetch("GET", place.event(key))
    if event["status"] == "cancelled":
        raise AppError(410, "Resource has been deleted")
    return event


def _patch(fetch: Fetch, place: _Place, key: str, body: dict[str, Any]) -> dict[str, Any]:
    return fetch("PATCH", place.event(key), _NOTIFY, body)


def _times(begins: date, length: timedelta) -> dict[str, Any]:
    """Start and end as the API takes them."""
    if not isinstance(begins, datetime):
        return {"start": {"date": begins.isoformat()}, "end": {"date": (begins + length).isoformat()}}
    ends = (begins.astimezone(UTC) + length).astimezone(begins.tzinfo)
    return {"start": _local(begins), "end": _local(ends)}


def _local(moment: datetime) -> dict[str, str]:
    return {"dateTime": f"{moment:%Y-%m-%dT%H:%M:%S}", "timeZone": str(moment.tzinfo)}


def _line(place: _Place, event: dict[str, Any]) -> dict[str, Any]:
    own = [guest for guest in event.get("attendees", []) if guest.get("self") and not guest.get("organizer")]
    unanswered = [guest["responseStatus"] for guest in own if guest["responseStatus"] != "accepted"]
    kind = event.get("eventType", "default")
    return {
        "id": event["id"],
        "title": event.get("summary", "busy" if "organizer" not in event else ""),
        "start": _text(event["start"])[:16],
        "end": _last(event["end"]),
        **place.elsewhere,
        **({"location": event["location"]} if "location" in event else {}),
        **({"repeats": "; ".join(event["recurrence"])} if "recurrence" in event else {}),
        **({"status": event["status"]} if event["status"] != "confirmed" else {}),
        **({"type": kind} if kind != "default" else {}),
        **({"answer": unanswered[0]} if unanswered else {}),
    }


def _guests(event: dict[str, Any]) -> dict[str, Any]:
    """Who comes, and what each answered: people by address, rooms by name."""
    guests = event.get("attendees", [])
    names = [guest.get("displayName", guest["email"]) if guest.get("resource") else guest["email"] for guest in guests]
    answers = [guest["responseStatus"] for guest in guests]
    return {"attendees": dict(zip(names, answers, strict=True))} if guests else {}


def _last(end: dict[str, str]) -> str:
    """An end as people say it: of an all-day event, its last day."""
    if "date" in end:
        return (date.fromisoformat(end["date"]) - timedelta(days=1)).isoformat()
    return end["dateTime"][:16]


def _text(moment: dict[str, str]) -> str:
    return moment.get("dateTime") or moment["date"]


def _start(event: dict[str, Any]) -> str:
    return _text(event["start"])


def _entries(fetch: Fetch) -> list[dict[str, Any]]:
    return fetch("GET", "/users/me/calendarList", {"maxResults": 250, "minAccessRole": "freeBusyReader"})["items"]


def _name(entry: dict[str, Any]) -> str:
    return entry.get("summaryOverride", entry["summary"])


def _addresses(fetch: Fetch, given: list[str]) -> list[str]:
    """Addresses of people and calendars that are given by address or by their name in the calendar list."""
    entries = [] if all("@" in text for text in given) else _entries(fetch)
    names = {_name(entry).casefold(): entry["id"] for entry in entries}
    found = []
    for text in given:
        wanted = text.strip()
        if "@" in wanted:
            found.append(wanted.lower())
        elif wanted.casefold() in names:
            found.append(names[wanted.casefold()])
        else:
            known = ", ".join(_name(entry) for entry in entries[:20])
            raise AppError(404, f"no calendar is called {wanted[:80]!r}; give an e-mail address or one of: {known}")
    return found


def _zone(name: str) -> tzinfo:
    zone = find_zone(name.strip())
    if zone is None:
        raise AppError(400, f"{name[:40]!r} is no time zone; give one such as Europe/Berlin")
    return zone


@lru_cache(maxsize=1024)
def _parsed(text: str, form: str) -> datetime:
    return datetime.strptime(text, form)


def _day(text: str) -> date:
    try:
        day = _parsed(text.strip()[:20], "%Y-%m-%d").date()
    except ValueError:
        raise AppError(400, f"{text[:40]!r} is no day; give YYYY-MM-DD") from None
    if not 1970 <= day.year <= 2200:
        raise AppError(400, f"{text[:40]!r} is too far away")
    return day


def _clock(text: str) -> time:
    try:
        return _parsed(text.strip()[:20], "%H:%M").time()
    except ValueError:
        raise AppError(400, f"{text[:40]!r} is no time of day; give HH:MM") from None


def _minutes(given: int | None) -> int:
    if given is not None and not 1 <= given <= _LONGEST:
        raise AppError(400, f"minutes must be from 1 to {_LONGEST}")
    return 30 if given is None else given


def _utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


ACTIONS = (
    Action("google_calendar_find_events", "read", "Find events, earliest first.", FindEvents, _find_events),
    Action("google_calendar_get_event", "read", "Read an event with its attendees.", OneEvent, _get_event),
    Action(
        "google_calendar_create_event", "write", "Create an event and invite attendees.", CreateEvent, _create_event
    ),
    Action("google_calendar_move_event", "write", "Move an event; its length stays.", MoveEvent, _move_event),
    Action("google_calendar_update_event", "write", "Change an event's details.", UpdateEvent, _update_event),
    Action("google_calendar_cancel_event", "write", "Cancel an event.", OneEvent, _cancel_event),
    Action("google_calendar_add_attendee", "write", "Invite one more to an event.", Guest, _add_attendee),
    Action("google_calendar_remove_attendee", "write", "Take one off an event.", Guest, _remove_attendee),
    Action("google_calendar_respond", "write", "Answer an invitation.", Respond, _respond),
    Action("google_calendar_find_free_times", "read", "Find times when all are free.", FindFreeTimes, _find_free_times),
    Action("google_calendar_list_calendars", "read", "List your calendars and rooms.", NoArguments, _list_calendars),
)
