"""The agenda of a calendar: the events held on it and those its owner is invited to, series and their instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo

from environment.apps.google_calendar.access import zone_of, zone_of_event
from environment.apps.google_calendar.guests import guest_by_id, guest_of
from environment.apps.google_calendar.moments import shifted
from environment.apps.google_calendar.recurrence import Occurrences, occurrences
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


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of an agenda; an instance of a series becomes an event of its own only when it is shown."""

    event: Event
    begins: int
    ends: int
    local_start: datetime | None = None
    """Where given: the instance of the series `event` that starts then on the clocks of its zone."""
    stamp: str = ""

    def as_event(self, call: Call) -> Event:
        if self.local_start is None:
            return self.event
        return instance_of(call, self.event, self.local_start, self.stamp)

    def guest(self, call: Call, address: str) -> Attendee | None:
        """The guest of this address, None where it is no guest."""
        if self.local_start is None:
            return guest_of(call, self.event, address)
        return guest_by_id(call, f"{self.event.id}_{self.stamp}", self.event.id, address)


def agenda(call: Call, calendar: Calendar, window: Window, expand: bool) -> Iterator[Item]:
    """The entries in the window, cancelled ones among them; series as their instances, or whole unless `expand`.

    A guest's calendar lacks the instances they are no guest of.
    """
    for event in _events_on(call, calendar):
        if event.recurrence and not expand:
            yield from _whole(call, calendar, event, window)
            continue
        held = event.calendarId == calendar.id
        for item in items_of(call, calendar, event, window):
            if held or item.guest(call, calendar.id) is not None:
                yield item


def items_of(call: Call, calendar: Calendar, event: Event, window: Window) -> Iterator[Item]:
    """The entries that an event has in the window: itself, or the instances of the series that it is."""
    zone = zone_of(calendar)
    if event.recurrence:
        yield from instances(call, event, window, zone)
        return
    begins, ends = event.start.second(zone), event.end.second(zone)
    if window.holds(begins, ends):
        yield Item(event, begins, ends)


def instances(call: Call, series: Event, window: Window, reader: tzinfo) -> Iterator[Item]:
    """Instances in the window, earliest first but for those that were changed, which come last."""
    dates = dates_of(call, series)
    different = {event.id: event for event in call.tables.where(Event, "recurringEventId", series.id)}
    length = series.end.second(reader) - series.start.second(reader)
    low = 0 if window.low is None else window.low - length + 1
    high = 2**40 if window.high is None else window.high
    for position in dates.between(low, high):
        if not different or f"{series.id}_{dates.stamps[position]}" not in different:
            begins = dates.seconds[position]
            yield Item(series, begins, begins + length, dates.local[position], dates.stamps[position])
    for event in different.values():
        begins, ends = event.start.second(reader), event.end.second(reader)
        if dates.at(event.id.rpartition("_")[2]) is not None and window.holds(begins, ends):
            yield Item(event, begins, ends)


def find_event(call: Call, calendar: Calendar, key: str) -> Event:
    """The event, series or instance of this id on the calendar. Raises AppError 404."""
    event = _event(call, key)
    if event is None or (event.calendarId != calendar.id and guest_of(call, event, calendar.id) is None):
        raise not_found()
    return event


def is_cancelled(call: Call, calendar: Calendar, event: Event) -> bool:
    """Whether the event, its series, or a guest's copy of it has been deleted."""
    if event.status == "cancelled":
        return True
    series = call.tables.find(Event, event.recurringEventId) if event.recurringEventId else None
    if series is not None and series.status == "cancelled":
        return True
    if event.calendarId == calendar.id:
        return False
    guest = guest_of(call, event, calendar.id)
    return guest is not None and guest.hidden


def is_gone(call: Call, calendar: Calendar, item: Item) -> bool:
    """Whether an entry of the calendar has been deleted."""
    if item.local_start is None:
        return is_cancelled(call, calendar, item.event)
    if item.event.status == "cancelled":
        return True
    guest = None if item.event.calendarId == calendar.id else item.guest(call, calendar.id)
    return guest is not None and guest.hidden


def is_busy(call: Call, calendar: Calendar, item: Item) -> bool:
    """Whether an entry keeps the calendar's owner from other things."""
    event = item.event
    if event.transparency == "transparent" or event.eventType == "workingLocation" or is_gone(call, calendar, item):
        return False
    guest = item.guest(call, calendar.id)
    return guest is None or guest.responseStatus != "declined"


def dates_of(call: Call, series: Event) -> Occurrences:
    """When a series takes place."""
    zone = zone_of_event(call, series)
    return occurrences(series.recurrence, series.start.local(zone), zone, series.start.date is not None)


def instance_of(call: Call, series: Event, local_start: datetime, stamp: str) -> Event:
    """The instance of a series, as an event that nobody changed."""
    zone = zone_of_event(call, series)
    length = series.end.local(zone) - series.start.local(zone)
    start = shifted(series.start, local_start, zone)
    return series.change(
        id=f"{series.id}_{stamp}",
        recurrence=(),
        recurringEventId=series.id,
        originalStartTime=start,
        start=start,
        end=shifted(series.end, local_start + length, zone),
    )


def _events_on(call: Call, calendar: Calendar) -> list[Event]:
    """Events that may be on the agenda; instances are left to their series where that is on it too."""
    found = {event.id: event for event in call.tables.where(Event, "calendarId", calendar.id)}
    for guest in call.tables.where(Attendee, "email", calendar.id):
        event = None if guest.eventId in found else _event(call, guest.eventId)
        if event is not None:
            found[event.id] = event
    return [event for event in found.values() if event.recurringEventId not in found]


def _whole(call: Call, calendar: Calendar, series: Event, window: Window) -> Iterator[Item]:
    """A series, if any instance is in the window, and those of its instances in the window that were changed."""
    zone = zone_of(calendar)
    found = list(instances(call, series, window, zone))
    if found or window == EVER:
        yield Item(series, series.start.second(zone), series.end.second(zone))
    yield from (item for item in found if item.event is not series)


def _event(call: Call, key: str) -> Event | None:
    """The row of this id, or the instance that has none."""
    event = call.tables.find(Event, key)
    series_id, underscore, stamp = key.rpartition("_")
    if event is not None or not underscore:
        return event
    series = call.tables.find(Event, series_id)
    if series is None or not series.recurrence:
        return None
    dates = dates_of(call, series)
    position = dates.at(stamp)
    return None if position is None else instance_of(call, series, dates.local[position], stamp)
