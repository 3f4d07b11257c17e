"""A moment is the start or end of an event: a day, or a time of day in a zone."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, tzinfo
from functools import cached_property, lru_cache
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from environment.apps.google_calendar.refusals import invalid, missing
from environment.apps.google_calendar.zones import find_zone
from environment.apps.kit import AppError, Args

_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_FIRST_YEAR, _LAST_YEAR = 1970, 2200


class EventTime(Args):
    """A moment as a request gives it."""

    date: str | None = Field(None, description="Day of an all-day event, YYYY-MM-DD; the end day is exclusive")
    dateTime: str | None = Field(None, description="RFC 3339, such as 2026-03-04T09:30:00+01:00; offset or timeZone")
    timeZone: str | None = Field(None, description="IANA zone, such as Europe/Berlin; needed for recurring events")


class Moment(BaseModel):
    """A moment as a row holds it: either `date`, or `dateTime` with an offset."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    date: str | None = None
    dateTime: str | None = None
    timeZone: str | None = None

    @field_validator("dateTime")
    @classmethod
    def _with_offset(cls, text: str | None) -> str | None:
        if text is None:
            return None
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError(f"dateTime {text!r} has no UTC offset; add one, such as +00:00")
        return rfc3339(moment)

    @model_validator(mode="after")
    def _one_form(self) -> Moment:
        if (self.date is None) == (self.dateTime is None):
            raise ValueError("a moment has either a date or a dateTime")
        if self.date is not None:
            date.fromisoformat(self.date)
        zone = find_zone(self.timeZone) if self.timeZone is not None else None
        if self.timeZone is not None and zone is None:
            raise ValueError(f"{self.timeZone!r} is no IANA time zone; give one such as Europe/Berlin")
        moment = self.instant
        if moment is not None and zone is not None and moment.astimezone(zone).utcoffset() != moment.utcoffset():
            raise ValueError(f"dateTime {self.dateTime!r} has another offset than {self.timeZone} has then")
        return self

    @cached_property
    def instant(self) -> datetime | None:
        """The time of day; None for a day."""
        return None if self.dateTime is None else datetime.fromisoformat(self.dateTime)

    @cached_property
    def _second(self) -> int:
        return int(self.instant.timestamp()) if self.instant is not None else 0

    def second(self, zone: tzinfo) -> int:
        """Seconds since 1970; a day begins at midnight in `zone`."""
        if self.date is None:
            return self._second
        return int(datetime.combine(date.fromisoformat(self.date), time(), zone).timestamp())

    def local(self, zone: tzinfo) -> datetime:
        """What calendar and clock show in `zone`, without zone."""
        if self.instant is None:
            return datetime.combine(date.fromisoformat(self.date or ""), time())
        return self.instant.astimezone(zone).replace(tzinfo=None)

    def shown(self, zone: tzinfo) -> dict[str, str]:
        """As the API shows it to a reader in `zone`."""
        if self.instant is None:
            return {"date": self.date or ""}
        named = {"timeZone": self.timeZone} if self.timeZone else {}
        return {"dateTime": _in_zone(self.instant, zone), **named}


@lru_cache(maxsize=4096)
def _in_zone(moment: datetime, zone: tzinfo) -> str:
    return rfc3339(moment.astimezone(zone))


def rfc3339(moment: datetime) -> str:
    """Such as 2026-03-04T09:30:00+01:00, with Z for UTC."""
    text = moment.isoformat(timespec="seconds")
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


def read_time(text: str) -> datetime:
    """A time of day, without zone where the text has no offset. Raises AppError."""
    if _TIME.fullmatch(text):
        try:
            found = datetime.fromisoformat(text.upper())
        except ValueError:
            raise _unreadable(text) from None
        if _FIRST_YEAR <= found.year <= _LAST_YEAR:
            return found.replace(microsecond=0)
    raise _unreadable(text)


def read_instant(text: str) -> datetime:
    """A time of day with its offset, as a query parameter must give it. Raises AppError."""
    found = read_time(text) if _TIME.fullmatch(text) else None
    if found is None or found.tzinfo is None:
        raise AppError(400, "Bad Request", "badRequest")
    return found


def read_moment(given: EventTime, name: str, before: Moment | None, zone_name: str) -> Moment:
    """What a request makes of the moment before: fields that it doesn't give stay, one form replaces the other.

    `name` is start or end; `zone_name` is the calendar's zone. Raises AppError.
    """
    if given.date is not None and given.dateTime is not None:
        raise invalid(f"Invalid {name} time.")
    kept_zone = before.timeZone if before is not None and "timeZone" not in given.model_fields_set else None
    named = given.timeZone or kept_zone
    zone = find_zone(named or zone_name)
    if zone is None:
        raise invalid(f"Invalid time zone definition for {name} time.")
    if given.date is not None:
        return Moment(date=_read_day(given.date))
    if given.dateTime is None:
        if before is None or "date" in given.model_fields_set or "dateTime" in given.model_fields_set:
            raise missing(f"Missing {name} time.")
        if before.instant is None:
            return before
        return Moment(dateTime=rfc3339(before.instant.astimezone(zone)), timeZone=zone.key)
    if read_time(given.dateTime).tzinfo is None and named is None:
        raise missing(f"Missing time zone definition for {name} time.")
    return _moment_at(given.dateTime, zone)


@lru_cache(maxsize=4096)
def _moment_at(text: str, zone: ZoneInfo) -> Moment:
    found = read_time(text)
    local = found.replace(tzinfo=zone) if found.tzinfo is None else found
    return Moment(dateTime=rfc3339(local.astimezone(UTC).astimezone(zone)), timeZone=zone.key)


def shifted(moment: Moment, local: datetime, zone: tzinfo) -> Moment:
    """A moment of the same form when calendar and clock show `local` in `zone`."""
    if moment.date is not None:
        return Moment(date=local.date().isoformat())
    return Moment(
        dateTime=rfc3339(local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)), timeZone=moment.timeZone
    )


def _read_day(text: str) -> str:
    if _DAY.fullmatch(text):
        try:
            found = date.fromisoformat(text)
        except ValueError:
            raise _unreadable(text) from None
        if _FIRST_YEAR <= found.year <= _LAST_YEAR:
            return text
    raise _unreadable(text)


def _unreadable(text: str) -> Exception:
    return invalid(f'Invalid value for: Invalid format: "{text[:40]}"')
