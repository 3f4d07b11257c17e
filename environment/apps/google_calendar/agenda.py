"""The agenda of a calendar: the events held on it and those its owner is invited to, series and their instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo

from environment.apps.google_calendar.guests import guest_by_id, guest_of, has_deleted
from environment.apps.google_calendar.moments import shifted
from environment.apps.google_calendar.refusals import not_found
from environment.apps.google_calendar.rows import Attendee, Calendar, Event
from environment.apps.kit import Call


@dataclass(frozen=True, slots=True)
class Window:
    """What ends after `low` and starts before `high`, both in seconds since 1970; None is no bound."""

    low: int | None = None
    high: int | None = None

    def holds(self, begins: int, ends: int) -> bool:
        return (self.low is None or ends > self.low) and (self.high is None or begins < self.high)


EVER = Window()
_FOREVER = 2**40
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of an agenda; an instance of a series becomes an event of its own only when it is shown."""

    event: Event
    begins: int
    ends: int
    local_start: datetime | None = None
    """Where given: the instance of the series `event` that starts then on the clocks of its zone."""
    stamp: str = ""

    def as_event(self) -> Event:
        if self.local_start is None:
            return self.event
        return _instance_of(self.event, self.local_start, self.stamp)

    def guest(self, call: Call, address: str) -> Attendee | None:
        """The guest of this address, None where it is no guest."""
        if self.local_start is None:
            return guest_of(call, self.event, address)
        return guest_by_id(call, f"{self.event.id}_{self.stamp}", self.event.id, address)


def agenda(call: Call, calendar: Calendar, window: Window, expand: bool) -> Iterator[Item]:
    """The entries in the window, cancelled ones among them; series as their instances, or whole unless `expand`."""
    low = -_FOREVER if window.low is None else window.low
    high = _FOREVER if window.high is None else window.high
    for event in call.tables.all(Event):
        if event.recurrence:
            yield from _of_series(call, calendar, event, window, expand)
            continue
        begins, ends = event.span or _days(event, calendar.zone)
        if ends <= low or begins >= high or (event.recurringEventId is not None and _goes_with_series(call, event)):
            continue
        if _is_on(call, calendar, event):
            yield Item(event, begins, ends)


def dates_of(call: Call, calendar: Calendar, event: Event) -> Iterator[Item]:
    """The event itself, or the instances of the series that it is, as a reader of the calendar sees them."""
    if event.recurrence:
        yield from instances(call, event, EVER, calendar.zone)
    else:
        yield Item(event, *(event.span or _days(event, calendar.zone)))


def instances(call: Call, series: Event, window: Window, reader: tzinfo) -> Iterator[Item]:
    """Instances in the window, earliest first but for those that were changed, which come last."""
    different = {event.id: event for event in call.tables.where(Event, "recurringEventId", series.id)}
    yield from _unchanged(series, window, reader, different)
    yield from _changed(series, window, reader, different)


def find_event(call: Call, calendar: Calendar, key: str) -> Event:
    """The event, series or instance of this id on the calendar. Raises AppError 404."""
    event = _event(call, key)
    if event is None or not _is_on(call, calendar, event):
        raise not_found()
    return event


def is_cancelled(call: Call, calendar: Calendar, event: Event) -> bool:
    """Whether the event, its series, or a guest's copy of it has been deleted."""
    if event.status == "cancelled":
        return True
    series = call.tables.find(Event, event.recurringEventId) if event.recurringEventId else None
    if series is not None and series.status == "cancelled":
        return True
    return event.calendarId != calendar.id and has_deleted(call, event.id, event.recurringEventId, calendar.id)


def is_gone(call: Call, calendar: Calendar, item: Item) -> bool:
    """Whether an entry of the calendar has been deleted."""
    if item.local_start is None:
        return is_cancelled(call, calendar, item.event)
    if item.event.status == "cancelled":
        return True
    series = item.event
    return series.calendarId != calendar.id and has_deleted(call, f"{series.id}_{item.stamp}", series.id, calendar.id)


def is_busy(call: Call, calendar: Calendar, item: Item) -> bool:
    """Whether an entry keeps the calendar's owner from other things."""
    event = item.event
    if event.transparency == "transparent" or event.eventType == "workingLocation" or is_gone(call, calendar, item):
        return False
    guest = item.guest(call, calendar.id)
    return guest is None or guest.responseStatus != "declined"


def _instance_of(series: Event, local_start: datetime, stamp: str) -> Event:
    """The instance of a series, as an event that nobody changed."""
    length = series.end.local(series.zone) - series.start.local(series.zone)
    start = shifted(series.start, local_start, series.zone)
    return series.change(
        id=f"{series.id}_{stamp}",
        recurrence=(),
        recurringEventId=series.id,
        originalStartTime=start,
        start=start,
        end=shifted(series.end, local_start + length, series.zone),
    )


def _of_series(call: Call, calendar: Calendar, series: Event, window: Window, expand: bool) -> Iterator[Item]:
    """A series whole, if any of it is in the window, with the instances that were changed; or its instances.

    A guest of a few instances only sees these, and one who is no guest of some doesn't see those.
    """
    on_series = _is_on(call, calendar, series)
    if not on_series and not _is_guest_of_some(call, calendar, series):
        return
    held = series.calendarId == calendar.id
    if expand or not on_series:
        found = instances(call, series, window, calendar.zone)
        yield from (item for item in found if held or item.guest(call, calendar.id) is not None)
        return
    different = {event.id: event for event in call.tables.where(Event, "recurringEventId", series.id)}
    changed = list(_changed(series, window, calendar.zone, different))
    if window == EVER or changed or any(_unchanged(series, window, calendar.zone, different)):
        yield Item(series, *(series.span or _days(series, calendar.zone)))
    yield from (item for item in changed if held or item.guest(call, calendar.id) is not None)


def _unchanged(series: Event, window: Window, reader: tzinfo, different: Mapping[str, Event]) -> Iterator[Item]:
    """Instances in the window that are no rows of their own."""
    dates, all_day = series.dates, series.start.date is not None
    begins, ends = series.span or _days(series, reader)
    length, slack = ends - begins, _DAY if all_day else 0
    low = 0 if window.low is None else window.low - length + 1 - slack
    high = _FOREVER if window.high is None else window.high + slack
    for position in dates.between(low, high):
        stamp = dates.stamps[position]
        if different and f"{series.id}_{stamp}" in different:
            continue
        local = dates.local[position]
        begins = _midnight(local, reader) if all_day else dates.seconds[position]
        if window.holds(begins, begins + length):
            yield Item(series, begins, begins + length, local, stamp)


def _changed(series: Event, window: Window, reader: tzinfo, different: Mapping[str, Event]) -> Iterator[Item]:
    """Instances in the window that are rows of their own; those of a date that the series lost are forgotten."""
    for event in different.values():
        begins, ends = event.span or _days(event, reader)
        if series.dates.at(event.id.rpartition("_")[2]) is not None and window.holds(begins, ends):
            yield Item(event, begins, ends)


def _is_on(call: Call, calendar: Calendar, event: Event) -> bool:
    """Whether the event is held on the calendar or its owner is a guest."""
    return event.calendarId == calendar.id or guest_of(call, event, calendar.id) is not None


def _goes_with_series(call: Call, event: Event) -> bool:
    """Whether a changed instance comes with its series."""
    return event.recurringEventId is not None and call.tables.find(Event, event.recurringEventId) is not None


def _is_guest_of_some(call: Call, calendar: Calendar, series: Event) -> bool:
    prefix = f"{series.id}_"
    return any(guest.eventId.startswith(prefix) for guest in call.tables.where(Attendee, "email", calendar.id))


def _event(call: Call, key: str) -> Event | None:
    """The row of this id, or the instance that has none."""
    event = call.tables.find(Event, key)
    series_id, underscore, stamp = key.rpartition("_")
    if event is not None or not underscore:
        return event
    series = call.tables.find(Event, series_id)
    if series is None or not series.recurrence:
        return None
    position = series.dates.at(stamp)
    return None if position is None else _instance_of(series, series.dates.local[position], stamp)


def _days(event: Event, zone: tzinfo) -> tuple[int, int]:
    return event.start.second(zone), event.end.second(zone)


def _midnight(local: datetime, zone: tzinfo) -> int:
    return int(local.replace(tzinfo=zone).timestamp())
