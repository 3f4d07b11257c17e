"""What Google Calendar does that a plain table of events would not."""

from __future__ import annotations

import json
import time
from datetime import date, datetime, timedelta
from itertools import takewhile
from typing import Any

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from environment.apps import APPS
from environment.apps.google_calendar import APP, attendee_id, calendar_id, event_id, invitation_id, room_id
from environment.apps.google_calendar.moments import Moment
from environment.apps.google_calendar.recurrence import HORIZON, occurrences
from environment.apps.google_calendar.rows import Event
from environment.apps.google_calendar.zones import find_zone
from environment.contract import Change, Contract, Equals, Instant, Ref
from environment.episode import derived_fields
from environment.server import Server, parse_now
from environment.tools import ActionTools
from environment.verifier import verify
from environment.world import Base, World

_ACTOR = {"name": "Pat Moss", "email": "pat@tarnwick.example", "company": "Tarnwick", "domain": "tarnwick.example"}
_PAT, _ANN, _BO, _EVE = "pat@tarnwick.example", "ann@tarnwick.example", "bo@tarnwick.example", "eve@client.example"
_LONDON, _NEW_YORK, _ROOM, _TEAM = "Europe/London", "America/New_York", room_id(1), calendar_id(1)
_REVIEW, _STANDUP, _INVITED, _PANEL, _BOARD, _FAIR, _SECRET = (event_id(number) for number in range(1, 8))


def _at(text: str, zone: str = _LONDON) -> dict[str, str]:
    where = find_zone(zone)
    return {"dateTime": datetime.fromisoformat(text).replace(tzinfo=where).isoformat(), "timeZone": zone}


def _event(key: str, calendar: str, title: str, start: str, end: str, **more: Any) -> dict[str, Any]:
    return {"id": key, "calendarId": calendar, "summary": title, "start": _at(start), "end": _at(end), **more}


def _guest(event: str, email: str, answer: str = "needsAction", **more: Any) -> dict[str, Any]:
    return {"id": attendee_id(event, email), "eventId": event, "email": email, "responseStatus": answer, **more}


_BASE = Base(
    {
        "google_calendar": {
            "Calendar": (
                {"id": _PAT, "summary": "Pat Moss", "timeZone": _LONDON},
                {"id": _ANN, "summary": "Ann Lee", "timeZone": _NEW_YORK, "listed": True},
                {"id": _BO, "summary": "Bo Ito", "timeZone": _LONDON, "accessRole": "writer"},
                {"id": "cy@tarnwick.example", "summary": "Cy", "accessRole": "freeBusyReader"},
                {"id": _ROOM, "summary": "Board room", "timeZone": _LONDON, "listed": True},
                {"id": _TEAM, "summary": "Launches", "timeZone": _LONDON, "accessRole": "owner", "listed": True},
            ),
            "Event": (
                _event(_REVIEW, _PAT, "Returns review", "2026-03-04T10:00", "2026-03-04T10:45"),
                _event(
                    _STANDUP,
                    _PAT,
                    "Stand-up",
                    "2026-03-23T09:00",
                    "2026-03-23T09:15",
                    recurrence=["RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4", "EXDATE;TZID=Europe/London:20260406T090000"],
                ),
                _event(_INVITED, _ANN, "Budget", "2026-03-05T14:00", "2026-03-05T15:00"),
                _event(_PANEL, _EVE, "Panel", "2026-03-06T09:00", "2026-03-06T10:00"),
                _event(_BOARD, _BO, "Board", "2026-03-04T15:00", "2026-03-04T16:00"),
                {
                    "id": _FAIR,
                    "calendarId": _TEAM,
                    "summary": "Trade fair",
                    "start": {"date": "2026-03-10"},
                    "end": {"date": "2026-03-12"},
                },
                _event(_SECRET, _ANN, "Dentist", "2026-03-05T16:00", "2026-03-05T17:00", visibility="private"),
            ),
            "Attendee": (
                _guest(_REVIEW, _ANN, "accepted"),
                _guest(_REVIEW, _EVE, "accepted"),
                _guest(_STANDUP, _ANN),
                _guest(_INVITED, _PAT),
                _guest(_PANEL, _PAT, "accepted"),
                _guest(_BOARD, _ROOM, "accepted"),
            ),
        }
    },
    {"google_calendar": {kind.__name__: kind for kind in APP.rows}},
)
_DERIVED = derived_fields((APP,))


class Desk:
    """A fresh world with both ways in."""

    def __init__(self, base: Base = _BASE) -> None:
        self.world = World(base, parse_now("2026-03-04T09:20:00+00:00"))
        self.server = Server((APP,), self.world, _ACTOR)
        self.tools = ActionTools(self.server, (APP,), tuple(action.name for action in APP.all_actions))

    def api(self, method: str, path: str, body: Any = None, **params: Any) -> tuple[int, Any]:
        response = self.server.fetch(method, APP.url(path), params, body)
        return response.status, response.body

    def ok(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        status, answer = self.api(method, path, body, **params)
        assert status in (200, 204), answer
        return answer

    def refused(self, method: str, path: str, body: Any = None, **params: Any) -> tuple[int, str, str]:
        status, answer = self.api(method, path, body, **params)
        (detail,) = answer["error"]["errors"]
        assert (answer["error"]["code"], answer["error"]["message"]) == (status, detail["message"])
        return status, detail["reason"], detail["message"]

    def titles(self, calendar: str = "primary", **params: Any) -> list[str]:
        items = self.ok("GET", f"/calendars/{calendar}/events", **params)["items"]
        return [item.get("summary", "-") for item in items]

    def act(self, name: str, /, **arguments: Any) -> Any:
        return json.loads(self.tools.call(f"google_calendar_{name}", arguments))

    def changed(self) -> list[tuple[str, str, bool]]:
        """Collection and id of every changed row, and whether it was sent."""
        return [(change.collection, change.id, change.sent) for change in self.world.changes()]

    def collateral(self) -> tuple[str, ...]:
        """What counts against an episode that should have done something else."""
        other = Change(label="x", app="google_calendar", collection="Event", action="update", id="elsewhere")
        return verify(Contract(all_of=(other,)), self.world.changes(), _DERIVED).collateral

    def told(self) -> list[tuple[str, str]]:
        """Whom notifications went to outside the company, and of which kind."""
        changes = [change for change in self.world.changes() if change.collection == "Invitation"]
        assert all(change.sent for change in changes)
        return [(change.after["to"], change.after["kind"]) for change in changes if change.after]


@pytest.fixture
def desk() -> Desk:
    return Desk()


_MINE = "/calendars/primary/events"


def _day(day: str, **more: Any) -> dict[str, Any]:
    return {"timeMin": f"{day}T00:00:00Z", "timeMax": f"{day}T23:59:59Z", "singleEvents": True, **more}


# --- calendars -------------------------------------------------------------------------------------------------------


def test_www_googleapis_com_is_answered_by_the_application_that_the_path_names() -> None:
    server = Server(APPS, World(_BASE, parse_now("2026-03-04T09:20:00+00:00")), _ACTOR)
    answers = {
        path: server.fetch("GET", f"https://www.googleapis.com{path}", None, None).body.get("kind")
        for path in ("/calendar/v3/users/me/calendarList", "/drive/v3/files")
    }
    assert list(answers.values()) == ["calendar#calendarList", "drive#fileList"]
    profile = server.fetch("GET", "https://www.googleapis.com/gmail/v1/users/me/profile", None, None)
    assert profile.body["emailAddress"] == _PAT


def test_primary_is_the_actors_own_calendar_even_without_a_row(desk: Desk) -> None:
    assert desk.ok("GET", "/calendars/primary")["id"] == _PAT
    empty = Desk(Base({}, {}))
    assert empty.ok("GET", "/calendars/primary") == {
        "kind": "calendar#calendar",
        "etag": '"1767600000000000"',
        "id": _PAT,
        "summary": _PAT,
        "timeZone": "UTC",
    }
    assert empty.titles() == []


def test_the_calendar_list_holds_the_primary_and_what_was_added(desk: Desk) -> None:
    def listed() -> list[str]:
        return [entry["summary"] for entry in desk.ok("GET", "/users/me/calendarList")["items"]]

    assert listed() == ["Pat Moss", "Ann Lee", "Board room", "Launches"]
    desk.ok("POST", "/users/me/calendarList", {"id": _BO})
    desk.ok("DELETE", f"/users/me/calendarList/{_ANN}")
    assert listed() == ["Pat Moss", "Bo Ito", "Board room", "Launches"]
    assert desk.refused("DELETE", "/users/me/calendarList/primary")[0] == 403
    assert desk.refused("GET", f"/users/me/calendarList/{_ANN}")[:2] == (404, "notFound")


def test_calendars_are_listed_when_the_own_one_is_hidden(desk: Desk) -> None:
    before = json.loads(desk.tools.call("google_calendar_list_calendars", {}))
    desk.ok("PATCH", "/users/me/calendarList/primary", {"hidden": True})
    assert json.loads(desk.tools.call("google_calendar_list_calendars", {})) == before[1:]


@pytest.mark.parametrize(
    ("calendar", "method", "refusal"),
    [
        ("nobody@tarnwick.example", "GET", (404, "notFound", "Not Found")),
        (
            "cy@tarnwick.example",
            "GET",
            (403, "requiredAccessLevel", "You need to have reader access to this calendar."),
        ),
        (_ANN, "POST", (403, "requiredAccessLevel", "You need to have writer access to this calendar.")),
    ],
)
def test_access_to_a_calendar_decides_what_is_answered(
    desk: Desk, calendar: str, method: str, refusal: tuple[int, str, str]
) -> None:
    assert desk.refused(method, f"/calendars/{calendar}/events") == refusal


# --- moments ---------------------------------------------------------------------------------------------------------

_HALF_TEN = {"dateTime": "2026-03-05T10:30:00Z"}
_EMPTY = (400, "timeRangeEmpty", "The specified time range is empty.")


@pytest.mark.parametrize(
    ("start", "end", "refusal"),
    [
        (None, _HALF_TEN, (400, "required", "Missing start time.")),
        (_HALF_TEN, None, (400, "required", "Missing end time.")),
        (_HALF_TEN, {"dateTime": "2026-03-05T10:00:00Z"}, _EMPTY),
        (_HALF_TEN, _HALF_TEN, _EMPTY),
        ({"date": "2026-03-05"}, {"date": "2026-03-05"}, _EMPTY),
        (
            _HALF_TEN,
            {"date": "2026-03-06"},
            (400, "invalid", "Start and end times must either both be date or both be dateTime."),
        ),
        (
            {"dateTime": "2026-03-05T10:00:00"},
            _HALF_TEN,
            (400, "required", "Missing time zone definition for start time."),
        ),
        (
            {"dateTime": "2026-03-05T10:00:00", "timeZone": "Mars/Base"},
            _HALF_TEN,
            (400, "invalid", "Invalid time zone definition for start time."),
        ),
        ({"date": "2026-03-05", **_HALF_TEN}, _HALF_TEN, (400, "invalid", "Invalid start time.")),
        (
            {"dateTime": "2026-02-30T10:00:00Z"},
            _HALF_TEN,
            (400, "invalid", 'Invalid value for: Invalid format: "2026-02-30T10:00:00Z"'),
        ),
    ],
)
def test_times_that_make_no_event_are_refused(desk: Desk, start: Any, end: Any, refusal: tuple[int, str, str]) -> None:
    given = {name: value for name, value in (("start", start), ("end", end)) if value}
    assert desk.refused("POST", _MINE, {"summary": "x", **given}) == refusal
    assert desk.changed() == []


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"dateTime": "2026-07-01T09:30:00", "timeZone": _NEW_YORK}, "2026-07-01T14:30:00+01:00"),
        ({"dateTime": "2026-07-01T09:30:00+02:00"}, "2026-07-01T08:30:00+01:00"),
        ({"dateTime": "2026-03-05T09:30:00.123Z", "timeZone": _LONDON}, "2026-03-05T09:30:00Z"),
    ],
)
def test_a_time_is_shown_on_the_clocks_of_the_calendar_or_of_the_zone_asked_for(
    desk: Desk, given: dict[str, str], shown: str
) -> None:
    made = desk.ok("POST", _MINE, {"start": given, "end": {"dateTime": "2026-07-02T00:00:00Z"}})
    assert made["start"]["dateTime"] == shown
    again = desk.ok("GET", f"{_MINE}/{made['id']}", timeZone=_NEW_YORK)["start"]["dateTime"]
    assert datetime.fromisoformat(again) == datetime.fromisoformat(shown)
    assert again.endswith("-04:00" if "-07-" in shown else "-05:00")


def test_an_all_day_event_lasts_from_midnight_to_midnight_of_the_reader(desk: Desk) -> None:
    path = f"/calendars/{_TEAM}/events"
    hour = {"timeMin": "2026-03-11T23:00:00Z", "timeMax": "2026-03-11T23:30:00Z"}
    assert len(desk.ok("GET", path, **hour)["items"]) == 1
    assert desk.ok("GET", path, timeMin="2026-03-12T00:00:00Z")["items"] == []
    assert desk.ok("GET", f"{path}/{_FAIR}")["start"] == {"date": "2026-03-10"}


def test_moving_an_event_there_and_back_is_no_change(desk: Desk) -> None:
    before = desk.ok("GET", f"{_MINE}/{_REVIEW}")
    for hour in (13, 10):
        body = {"start": {"dateTime": f"2026-03-04T{hour}:00:00Z"}, "end": {"dateTime": f"2026-03-04T{hour}:45:00Z"}}
        after = desk.ok("PATCH", f"{_MINE}/{_REVIEW}", body)
    assert (after["sequence"], after["start"]) == (before["sequence"] + 2, before["start"])
    assert after["etag"] != before["etag"]
    assert desk.collateral() == ()


@pytest.mark.parametrize("time", [{"dateTime": "2026-03-04T10:00:00"}, {"date": "2026-03-04", "timeZone": "X/Y"}, {}])
def test_a_moment_of_the_world_that_is_none_is_refused(time: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"offset|zone|either"):
        Moment(**time)


# --- lists -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "titles"),
    [
        ({}, ["Returns review", "Stand-up", "Budget", "Panel"]),
        ({"q": "returns EVE@client"}, ["Returns review"]),
        ({"q": "returns budget"}, []),
        ({"timeMin": "2026-03-04T10:44:59Z", "timeMax": "2026-03-05T14:00:01Z"}, ["Returns review", "Budget"]),
        ({"timeMin": "2026-03-04T10:45:00Z", "timeMax": "2026-03-05T14:00:00Z"}, []),
        (
            {"singleEvents": True, "orderBy": "startTime", "timeMin": "2026-03-06T09:30:00Z"},
            ["Panel", *["Stand-up"] * 3],
        ),
        ({"eventTypes": "outOfOffice"}, []),
        ({"iCalUID": f"{_INVITED}@google.com"}, ["Budget"]),
    ],
)
def test_events_are_found_by_words_and_by_time(desk: Desk, params: dict[str, Any], titles: list[str]) -> None:
    assert desk.titles(**params) == titles


@pytest.mark.parametrize(
    ("params", "refusal"),
    [
        (
            {"orderBy": "startTime"},
            (400, "invalid", "The requested ordering is not available for the particular query."),
        ),
        ({"timeMin": "2026-03-04"}, (400, "badRequest", "Bad Request")),
        ({"timeMin": "2026-03-04T00:00:00"}, (400, "badRequest", "Bad Request")),
        ({"timeMin": "2026-03-04T00:00:00Z", "timeMax": "2026-03-04T00:00:00Z"}, _EMPTY),
        ({"pageToken": "2"}, (400, "invalid", "Invalid page token value.")),
        ({"maxResults": 0}, (400, "invalid", "Invalid value '0'. Values must be within the range: [1, 2500]")),
        ({"timeZone": "../UTC"}, (400, "invalid", "Invalid time zone.")),
    ],
)
def test_a_list_that_cannot_be_is_refused(desk: Desk, params: dict[str, Any], refusal: tuple[int, str, str]) -> None:
    assert desk.refused("GET", _MINE, **params) == refusal


def test_pages_together_are_the_whole_list(desk: Desk) -> None:
    titles, token = [], None
    for _ in range(9):
        page = desk.ok("GET", _MINE, maxResults=3, singleEvents=True, **({"pageToken": token} if token else {}))
        titles += [item["summary"] for item in page["items"]]
        token = page.get("nextPageToken")
        if token is None:
            break
    assert titles == desk.titles(singleEvents=True)
    assert len(titles) == 6


def test_a_private_event_of_a_colleague_shows_no_more_than_its_time(desk: Desk) -> None:
    event = desk.ok("GET", f"/calendars/{_ANN}/events/{_SECRET}")
    assert event["start"]["dateTime"] == "2026-03-05T11:00:00-05:00"
    assert not {"summary", "attendees", "organizer", "description"} & event.keys()
    assert desk.titles(_ANN, q="dentist") == []


# --- series ----------------------------------------------------------------------------------------------------------

_FIRST, _SECOND, _FOURTH = (
    f"{_STANDUP}_{stamp}" for stamp in ("20260323T090000Z", "20260330T080000Z", "20260413T080000Z")
)


def test_a_series_keeps_its_clock_time_over_the_change_of_clocks_and_leaves_out_exdates(desk: Desk) -> None:
    items = desk.ok("GET", f"{_MINE}/{_STANDUP}/instances")["items"]
    assert [item["id"] for item in items] == [_FIRST, _SECOND, _FOURTH]
    assert [item["start"]["dateTime"] for item in items] == [
        "2026-03-23T09:00:00Z",
        "2026-03-30T09:00:00+01:00",
        "2026-04-13T09:00:00+01:00",
    ]
    assert {item["recurringEventId"] for item in items} == {_STANDUP}
    assert not any("recurrence" in item for item in items)


def test_a_changed_instance_is_a_row_of_its_own_and_the_others_stay(desk: Desk) -> None:
    body = {"start": {"dateTime": "2026-03-31T16:00:00+01:00"}, "end": {"dateTime": "2026-03-31T16:15:00+01:00"}}
    desk.ok("PATCH", f"{_MINE}/{_SECOND}", body)
    assert desk.changed() == [("Event", _SECOND, False)]
    items = desk.ok("GET", f"{_MINE}/{_STANDUP}/instances")["items"]
    assert [item["start"]["dateTime"][:16] for item in items] == [
        "2026-03-23T09:00",
        "2026-03-31T16:00",
        "2026-04-13T09:00",
    ]
    assert items[1]["originalStartTime"]["dateTime"] == "2026-03-30T09:00:00+01:00"
    assert desk.titles(**_day("2026-03-30")) == []
    assert desk.titles(_ANN, **_day("2026-03-31")) == ["Stand-up"]
    expected = Change(
        label="moved",
        app="google_calendar",
        collection="Event",
        action="create",
        key={
            "recurringEventId": (Equals(value=_STANDUP),),
            "originalStartTime.dateTime": (Instant(at="2026-03-30T08:00:00Z"),),
        },
        fields={"start.dateTime": (Instant(at="2026-03-31T15:00:00Z"),)},
    )
    assert verify(Contract(all_of=(expected,)), desk.world.changes(), _DERIVED).strict


def test_a_cancelled_instance_goes_and_the_series_stays(desk: Desk) -> None:
    desk.ok("DELETE", f"{_MINE}/{_SECOND}")
    assert desk.changed() == [("Event", _SECOND, False)]
    items = desk.ok("GET", f"{_MINE}/{_STANDUP}/instances")["items"]
    assert [item["id"] for item in items] == [_FIRST, _FOURTH]
    shown = desk.ok("GET", _MINE, q="stand-up")["items"]
    assert [(item["id"], item["status"]) for item in shown] == [(_STANDUP, "confirmed"), (_SECOND, "cancelled")]
    assert desk.refused("DELETE", f"{_MINE}/{_SECOND}") == (410, "deleted", "Resource has been deleted")


def test_a_cancelled_series_takes_its_instances_along(desk: Desk) -> None:
    desk.ok("PATCH", f"{_MINE}/{_SECOND}", {"summary": "Long stand-up"})
    desk.ok("DELETE", f"{_MINE}/{_STANDUP}")
    assert [title for title in desk.titles(singleEvents=True) if "tand-up" in title] == []
    assert [title for title in desk.titles() if "tand-up" in title] == []
    assert desk.ok("GET", f"{_MINE}/{_FIRST}")["status"] == "cancelled"
    assert len(desk.ok("GET", _MINE, singleEvents=True, showDeleted=True)["items"]) == 6


def test_a_guest_of_one_instance_sees_that_one_alone(desk: Desk) -> None:
    guests = desk.ok("GET", f"{_MINE}/{_SECOND}")["attendees"]
    desk.ok("PATCH", f"{_MINE}/{_SECOND}", {"attendees": [*guests, {"email": _BO}]})
    desk.ok("PATCH", f"{_MINE}/{_FIRST}", {"attendees": []})
    assert desk.changed() == [
        ("Attendee", attendee_id(_SECOND, _BO), False),
        ("Attendee", attendee_id(_FIRST, _ANN), False),
    ]
    on_bo = desk.ok("GET", f"/calendars/{_BO}/events", singleEvents=True, q="stand")["items"]
    on_ann = desk.ok("GET", f"/calendars/{_ANN}/events", singleEvents=True, q="stand")["items"]
    assert [item["id"] for item in on_bo] == [_SECOND]
    assert [item["id"] for item in on_ann] == [_SECOND, _FOURTH]
    assert desk.refused("GET", f"/calendars/{_BO}/events/{_FIRST}")[0] == 404


@pytest.mark.parametrize(
    "lines",
    [
        ["RRULE:FREQ=HOURLY"],
        ["RRULE:FREQ=DAILY;COUNT=0"],
        ["RRULE:FREQ=DAILY;COUNT=2;UNTIL=20260401"],
        ["RRULE:FREQ=WEEKLY;BYDAY=2MO"],
        ["RRULE:FREQ=MONTHLY;BYMONTHDAY=32"],
        ["FREQ=DAILY"],
        ["RRULE:FREQ=DAILY", "RRULE:FREQ=DAILY"],
        ["EXDATE;TZID=No/Where:20260401T090000"],
        ["RRULE:FREQ=DAILY;UNTIL=99999999"],
        ["RRULE:" + "9" * 100_000],
        ["x"] * 1000,
    ],
)
def test_a_rule_that_cannot_be_read_is_refused(desk: Desk, lines: list[str]) -> None:
    assert desk.refused("PATCH", f"{_MINE}/{_REVIEW}", {"recurrence": lines}) == (
        400,
        "invalid",
        "Invalid recurrence rule.",
    )


def test_a_series_needs_a_zone_and_an_instance_cannot_become_one(desk: Desk) -> None:
    body = {"start": _HALF_TEN, "end": {"dateTime": "2026-03-05T11:00:00Z"}, "recurrence": ["RRULE:FREQ=DAILY"]}
    assert desk.refused("POST", _MINE, body)[2] == "Missing time zone definition for start time."
    refusal = desk.refused("PATCH", f"{_MINE}/{_SECOND}", {"recurrence": ["RRULE:FREQ=DAILY"]})
    assert refusal[2] == "Cannot turn an instance of a recurring event into a recurring event itself."
    assert desk.refused("GET", f"{_MINE}/{_STANDUP}_20260324T090000Z")[0] == 404


_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@st.composite
def _rules(draw: st.DrawFn) -> str:
    """Rules that come true again and again: for one that doesn't, dateutil looks until the year 9999."""
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    interval = draw(st.integers(1, 6))
    parts = [f"FREQ={frequency}", f"INTERVAL={interval}"]
    days = draw(st.lists(st.sampled_from(_DAYS), max_size=3, unique=True))
    if frequency in ("MONTHLY", "YEARLY") and draw(st.booleans()):
        # all days or none: dateutil wants a day to be both where some have a number
        days = [f"{draw(st.sampled_from([1, 2, -1, -2]))}{day}" for day in days]
    month_days = st.lists(st.sampled_from(["1", "13", "28", "-1", "-3"]), max_size=2, unique=True)
    months = st.lists(st.sampled_from(["1", "2", "6", "12"]), max_size=2, unique=True)
    by_date = [] if days or frequency == "DAILY" else draw(month_days)
    by_month = draw(months) if days or by_date else []
    if frequency != "YEARLY" and interval > 1:
        by_month = []
    for name, values in (("BYDAY", days), ("BYMONTHDAY", by_date), ("BYMONTH", by_month)):
        parts += [f"{name}={','.join(values)}"] if values else []
    if (days or by_date) and frequency in ("MONTHLY", "YEARLY"):
        parts += draw(st.sampled_from([[], ["BYSETPOS=1"], ["BYSETPOS=-1,2"]]))
    parts += draw(st.sampled_from([[], ["WKST=SU"], ["WKST=WE"]]))
    parts += draw(st.sampled_from([[], ["COUNT=7"], ["UNTIL=20271231T093000Z"]]))
    return ";".join(parts)


@settings(max_examples=150, deadline=None)
@given(_rules(), st.dates(date(2024, 1, 1), date(2027, 1, 1)))
def test_a_rule_selects_the_dates_that_dateutil_selects(rule: str, day: date) -> None:
    start = datetime(day.year, day.month, day.day, 9, 30)
    zone = find_zone("UTC")
    assert zone is not None
    wanted = takewhile(lambda moment: moment <= start + HORIZON, rrulestr(rule.replace("00Z", "00"), dtstart=start))
    assert occurrences((f"RRULE:{rule}",), start, zone, False).local == tuple(wanted)


@pytest.mark.parametrize(
    "rule", ["FREQ=DAILY;INTERVAL=7;BYDAY=TU", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYSETPOS=366"]
)
def test_a_rule_that_never_comes_true_ends_at_once(rule: str) -> None:
    zone = find_zone(_LONDON)
    assert zone is not None
    began = time.process_time()
    assert occurrences((f"RRULE:{rule}",), datetime(2026, 3, 2, 9), zone, False).local == ()
    assert time.process_time() - began < 0.5


def test_a_series_of_days_repeats_by_date(desk: Desk) -> None:
    body = {"start": {"date": "2026-03-27"}, "end": {"date": "2026-03-28"}, "recurrence": ["RRULE:FREQ=DAILY;COUNT=3"]}
    made = desk.ok("POST", _MINE, {"summary": "Audit", **body})
    items = desk.ok("GET", f"{_MINE}/{made['id']}/instances")["items"]
    assert [item["id"].rpartition("_")[2] for item in items] == ["20260327", "20260328", "20260329"]
    assert [item["end"]["date"] for item in items] == ["2026-03-28", "2026-03-29", "2026-03-30"]
    assert desk.titles(q="audit", **_day("2026-03-29")) == ["Audit"]


# --- guests ----------------------------------------------------------------------------------------------------------


def test_a_guest_has_the_event_on_their_calendar_too(desk: Desk) -> None:
    assert desk.titles(_ANN, timeMax="2026-03-05T00:00:00Z") == ["Returns review"]
    guests = desk.ok("GET", f"/calendars/{_ANN}/events/{_REVIEW}")["attendees"]
    assert guests == [
        {"email": _PAT, "organizer": True, "responseStatus": "accepted"},
        {"email": _ANN, "self": True, "responseStatus": "accepted"},
        {"email": _EVE, "responseStatus": "accepted"},
    ]


def test_a_guest_answers_for_themself_and_changes_nothing_else(desk: Desk) -> None:
    path = f"{_MINE}/{_INVITED}"
    refusal = (403, "forbiddenForNonOrganizer", "Shared properties can only be changed by the organizer of the event.")
    assert desk.refused("PATCH", path, {"summary": "Mine now"}) == refusal
    desk.ok("PATCH", path, {"attendees": [{"email": _PAT, "responseStatus": "tentative"}]})
    assert desk.changed() == [("Attendee", attendee_id(_INVITED, _PAT), False)]
    assert desk.ok("GET", path)["attendees"][1]["responseStatus"] == "tentative"


def test_an_organizer_cannot_answer_for_others(desk: Desk) -> None:
    guests = [
        {"email": _ANN, "responseStatus": "declined"},
        {"email": _EVE},
        {"email": _BO, "responseStatus": "accepted"},
    ]
    answer = desk.ok("PATCH", f"{_MINE}/{_REVIEW}", {"attendees": guests})
    assert [guest["responseStatus"] for guest in answer["attendees"][1:]] == ["accepted", "accepted", "needsAction"]
    assert desk.changed() == [("Attendee", attendee_id(_REVIEW, _BO), False)]


def test_naming_the_organizer_among_the_guests_changes_nothing(desk: Desk) -> None:
    guests = desk.ok("GET", f"{_MINE}/{_REVIEW}")["attendees"]
    assert guests[0]["organizer"]
    desk.ok("PATCH", f"{_MINE}/{_REVIEW}", {"attendees": guests}, sendUpdates="all")
    assert desk.changed() == []


def test_a_guest_who_deletes_an_event_declines_it(desk: Desk) -> None:
    desk.ok("DELETE", f"{_MINE}/{_PANEL}", sendUpdates="all")
    assert "Panel" not in desk.titles()
    assert desk.ok("GET", f"{_MINE}/{_PANEL}")["status"] == "cancelled"
    assert desk.told() == [(_EVE, "reply")]
    (guest,) = [change.after for change in desk.world.changes() if change.collection == "Attendee"]
    assert guest is not None and guest["responseStatus"] == "declined"


def test_a_guest_who_deletes_a_series_deletes_the_instances_they_answered_too(desk: Desk) -> None:
    series = {**_LATER, "recurrence": ["RRULE:FREQ=DAILY;COUNT=3"], "summary": "Clinic"}
    made = desk.ok("POST", f"/calendars/{_BO}/events", {**series, "attendees": [{"email": _PAT}]})["id"]
    assert desk.act("respond", id=f"{made}_20260305T120000Z", answer="tentative")["answer"] == "tentative"
    assert desk.titles(singleEvents=True, q="clinic") == ["Clinic"] * 3
    desk.ok("DELETE", f"{_MINE}/{made}_20260304T120000Z")
    assert desk.titles(singleEvents=True, q="clinic") == ["Clinic"] * 2
    desk.ok("DELETE", f"{_MINE}/{made}")
    assert desk.titles(singleEvents=True, q="clinic") == []


@pytest.mark.parametrize(
    ("attendee", "refusal"),
    [
        ({"displayName": "Ann"}, (400, "required", "Missing attendee email.")),
        ({"email": "ann"}, (400, "invalid", "Invalid attendee email.")),
        ({"email": "a b@x.example"}, (400, "invalid", "Invalid attendee email.")),
    ],
)
def test_a_guest_needs_an_address(desk: Desk, attendee: dict[str, str], refusal: tuple[int, str, str]) -> None:
    assert desk.refused("PATCH", f"{_MINE}/{_REVIEW}", {"summary": "x", "attendees": [attendee]}) == refusal
    assert desk.changed() == []


@pytest.mark.parametrize(("hour", "answer"), [("11", "accepted"), ("15", "declined"), ("16", "accepted")])
def test_a_room_says_whether_it_is_free(desk: Desk, hour: str, answer: str) -> None:
    times = {"start": _at(f"2026-03-04T{hour}:00"), "end": _at(f"2026-03-04T{hour}:30")}
    made = desk.ok("POST", _MINE, {**times, "attendees": [{"email": _ROOM}]})
    assert made["attendees"][1]["responseStatus"] == answer
    moved = desk.ok(
        "PATCH", f"{_MINE}/{made['id']}", {"start": _at("2026-03-04T15:30"), "end": _at("2026-03-04T17:00")}
    )
    assert moved["attendees"][1]["responseStatus"] == "declined"


def test_a_double_booked_room_says_no_only_when_it_is_asked_again(desk: Desk) -> None:
    times = {"start": _at("2026-03-04T15:30"), "end": _at("2026-03-04T16:00")}
    made = desk.ok("POST", _MINE, {**times, "attendees": [{"email": _ROOM}]})
    collection = ("google_calendar", "Attendee")
    answered = desk.world.get(collection, attendee_id(made["id"], _ROOM))
    assert answered is not None
    desk.world.put(collection, answered.change(responseStatus="accepted"))
    path = f"{_MINE}/{made['id']}"
    renamed = desk.ok("PATCH", path, {"summary": "Demo", "attendees": [{"email": _ROOM}, {"email": _ANN}]})
    assert renamed["attendees"][1]["responseStatus"] == "accepted"
    assert desk.ok("PATCH", path, {"end": _at("2026-03-04T16:30")})["attendees"][1]["responseStatus"] == "declined"


# --- who is told -----------------------------------------------------------------------------------------------------

_WELCOME = [("f@x.example", "invitation")]
_LATER = {"start": _at("2026-03-04T12:00"), "end": _at("2026-03-04T12:45")}


@pytest.mark.parametrize(
    ("method", "body", "params", "told"),
    [
        ("PATCH", _LATER, {"sendUpdates": "all"}, [(_EVE, "update")]),
        ("PATCH", _LATER, {"sendUpdates": "externalOnly"}, [(_EVE, "update")]),
        ("PATCH", _LATER, {"sendNotifications": True}, [(_EVE, "update")]),
        ("PATCH", _LATER, {"sendUpdates": "none"}, []),
        ("PATCH", _LATER, {}, []),
        ("PATCH", {"colorId": "3"}, {"sendUpdates": "all"}, []),
        ("PATCH", {"attendees": [{"email": _EVE}, {"email": "f@x.example"}]}, {"sendUpdates": "all"}, _WELCOME),
        ("PATCH", {"attendees": [{"email": _ANN}]}, {"sendUpdates": "all"}, [(_EVE, "cancellation")]),
        ("PATCH", {"status": "cancelled"}, {"sendUpdates": "all"}, [(_EVE, "cancellation")]),
        ("DELETE", None, {"sendUpdates": "all"}, [(_EVE, "cancellation")]),
    ],
)  # fmt: skip
def test_guests_outside_are_told_as_sendupdates_says(
    desk: Desk, method: str, body: Any, params: dict[str, Any], told: list[tuple[str, str]]
) -> None:
    desk.ok(method, f"{_MINE}/{_REVIEW}", body, **params)
    assert desk.told() == told


def test_what_left_the_company_stays_in_the_outbox(desk: Desk) -> None:
    body = {**_LATER, "attendees": [{"email": _EVE}, {"email": _BO}]}
    made = desk.ok("POST", _MINE, {"summary": "Demo", **body}, sendUpdates="all")
    desk.ok("DELETE", f"{_MINE}/{made['id']}")
    (row,) = [change for change in desk.world.changes() if change.collection == "Invitation"]
    start = Moment(dateTime="2026-03-04T12:00:00Z")
    assert (row.id, row.sent) == (invitation_id(made["id"], _EVE, "invitation", start), True)
    expected = (
        Change(
            label="demo",
            app="google_calendar",
            collection="Event",
            action="create",
            key={"summary": (Equals(value="Demo"),)},
            fields={"status": (Equals(value="confirmed"),)},
        ),
        Change(
            label="invitation",
            app="google_calendar",
            collection="Invitation",
            action="create",
            key={"eventId": (Ref(label="demo"),), "to": (Equals(value=_EVE),)},
        ),
    )
    verdict = verify(Contract(all_of=expected), desk.world.changes(), _DERIVED)
    assert [judgement.satisfied for judgement in verdict.expected] == [False, True]


def test_a_second_update_about_the_same_time_is_no_second_notification(desk: Desk) -> None:
    desk.act("move_event", id=_REVIEW, start="2026-03-04T12:00")
    desk.act("update_event", id=_REVIEW, title="Review", location="Hall")
    assert desk.told() == [(_EVE, "update")]
    desk.act("move_event", id=_REVIEW, start="2026-03-04T13:00")
    assert desk.told() == [(_EVE, "update")] * 2


# --- other writes ----------------------------------------------------------------------------------------------------


def test_update_clears_what_it_does_not_give_and_patch_leaves_it(desk: Desk) -> None:
    path = f"{_MINE}/{_REVIEW}"
    desk.ok("PATCH", path, {"location": "Hall", "description": "Bring notes"})
    patched = desk.ok("PATCH", path, {"description": None})
    assert (patched["summary"], patched["location"], "description" in patched) == ("Returns review", "Hall", False)
    updated = desk.ok("PUT", path, _LATER)
    assert not {"summary", "location", "attendees"} & updated.keys()
    assert desk.refused("PUT", path, {"summary": "x"}) == (400, "required", "Missing start time.")


def test_a_cancelled_event_stays_and_can_be_restored(desk: Desk) -> None:
    path = f"{_MINE}/{_REVIEW}"
    desk.ok("DELETE", path)
    assert "Returns review" not in desk.titles()
    assert "Returns review" in desk.titles(showDeleted=True)
    assert desk.ok("GET", path)["status"] == "cancelled"
    gone = (410, "deleted", "Resource has been deleted")
    assert desk.refused("DELETE", path) == desk.refused("PATCH", path, {"summary": "x"}) == gone
    desk.ok("PATCH", path, {"status": "confirmed"})
    assert desk.collateral() == ()


def test_an_event_moves_to_another_organizer(desk: Desk) -> None:
    moved = desk.ok("POST", f"{_MINE}/{_REVIEW}/move", destination=_TEAM)
    assert (moved["organizer"]["email"], moved["creator"]["email"]) == (_TEAM, _PAT)
    assert "Returns review" in desk.titles(_TEAM)
    assert desk.refused("POST", f"{_MINE}/{_SECOND}/move", destination=_TEAM)[1] == "cannotChangeOrganizerOfInstance"
    assert desk.refused("POST", f"{_MINE}/{_STANDUP}/move", destination=_ANN)[:2] == (403, "requiredAccessLevel")
    assert desk.refused("POST", f"{_MINE}/{_INVITED}/move", destination=_TEAM)[1] == "forbiddenForNonOrganizer"


def test_ids_may_be_chosen_once(desk: Desk) -> None:
    body = {"id": "abcde12345", "start": {"date": "2026-03-09"}, "end": {"date": "2026-03-10"}}
    assert desk.ok("POST", _MINE, body)["id"] == "abcde12345"
    assert desk.refused("POST", _MINE, body) == (409, "duplicate", "The requested identifier already exists.")
    assert desk.refused("POST", _MINE, {**body, "id": "UPPER"}) == (400, "invalid", "Invalid resource id value.")
    assert event_id(8) == desk.ok("POST", _MINE, {**body, "id": None})["id"]


def test_a_meet_link_is_made_on_request(desk: Desk) -> None:
    body = {"conferenceData": {"createRequest": {"requestId": "1"}}}
    assert "hangoutLink" not in desk.ok("PATCH", f"{_MINE}/{_REVIEW}", body)
    made = desk.ok("PATCH", f"{_MINE}/{_REVIEW}", body, conferenceDataVersion=1)
    assert made["hangoutLink"] == made["conferenceData"]["entryPoints"][0]["uri"]
    assert made["hangoutLink"].startswith("https://meet.google.com/")


# --- free and busy ---------------------------------------------------------------------------------------------------


def _busy(desk: Desk, *calendars: str, day: str = "2026-03-04", **more: Any) -> Any:
    body = {"timeMin": f"{day}T08:00:00Z", "timeMax": f"{day}T18:00:00Z", "items": [{"id": key} for key in calendars]}
    return desk.ok("POST", "/freeBusy", {**body, **more})["calendars"]


def test_busy_times_are_joined_clipped_and_without_details(desk: Desk) -> None:
    for start, end, more in (
        ("07:00", "08:30", {}),
        ("10:30", "11:00", {}),
        ("11:00", "11:15", {}),
        ("12:00", "13:00", {"transparency": "transparent"}),
        ("13:00", "14:00", {"eventType": "workingLocation"}),
    ):
        desk.ok("POST", _MINE, {"start": _at(f"2026-03-04T{start}"), "end": _at(f"2026-03-04T{end}"), **more})
    answer = _busy(desk, "primary", "nobody@x.example", "cy@tarnwick.example")
    assert answer["primary"]["busy"] == [
        {"start": "2026-03-04T08:00:00Z", "end": "2026-03-04T08:30:00Z"},
        {"start": "2026-03-04T10:00:00Z", "end": "2026-03-04T11:15:00Z"},
    ]
    assert answer["nobody@x.example"] == {"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}
    assert answer["cy@tarnwick.example"] == {"busy": []}


def test_who_declined_is_free_and_who_did_not_answer_is_busy(desk: Desk) -> None:
    assert len(_busy(desk, _PAT, day="2026-03-05")[_PAT]["busy"]) == 1
    desk.act("respond", id=_INVITED, answer="declined")
    assert _busy(desk, _PAT, day="2026-03-05")[_PAT]["busy"] == []
    (period, *_) = _busy(desk, _ANN, day="2026-03-05", timeZone=_NEW_YORK)[_ANN]["busy"]
    assert period == {"start": "2026-03-05T09:00:00-05:00", "end": "2026-03-05T10:00:00-05:00"}


# --- actions ---------------------------------------------------------------------------------------------------------


def test_actions_show_local_minutes_and_name_a_zone_only_elsewhere(desk: Desk) -> None:
    assert desk.act("find_events", day="2026-03-04") == {
        "events": [{"id": _REVIEW, "title": "Returns review", "start": "2026-03-04T10:00", "end": "2026-03-04T10:45"}]
    }
    (event,) = desk.act("find_events", day="2026-03-04", calendar="Ann Lee")["events"]
    assert (event["start"], event["zone"]) == ("2026-03-04T05:00", _NEW_YORK)
    (fair,) = desk.act("find_events", calendar="Launches")["events"]
    assert (fair["start"], fair["end"]) == ("2026-03-10", "2026-03-11")
    (series,) = desk.act("find_events", query="stand-up")["events"]
    assert series["repeats"].startswith("RRULE:FREQ=WEEKLY")
    private = desk.act("find_events", day="2026-03-05", calendar=_ANN)["events"][-1]
    assert private["title"] == "busy"


def test_find_events_has_further_pages() -> None:
    rows = [_event(event_id(n), _PAT, f"Call {n}", f"2026-03-04T09:{n:02d}", "2026-03-04T10:30") for n in range(1, 46)]
    desk = Desk(Base({"google_calendar": {"Event": tuple(rows)}}, {"google_calendar": {"Event": Event}}))
    pages = [desk.act("find_events", day="2026-03-04", page=page) for page in (1, 2, 3)]
    assert [len(page["events"]) for page in pages] == [20, 20, 5]
    assert [page.get("next_page") for page in pages] == [2, 3, None]
    assert [event["title"] for page in pages for event in page["events"]] == [f"Call {n}" for n in range(1, 46)]


def test_a_moved_event_keeps_its_length_over_the_change_of_clocks(desk: Desk) -> None:
    assert desk.act("move_event", id=_REVIEW, start="2026-03-29T00:30") == {
        "id": _REVIEW,
        "title": "Returns review",
        "start": "2026-03-29T00:30",
        "end": "2026-03-29T02:15",
    }
    event = desk.ok("GET", f"{_MINE}/{_REVIEW}")
    lasted = datetime.fromisoformat(event["end"]["dateTime"]) - datetime.fromisoformat(event["start"]["dateTime"])
    assert lasted == timedelta(minutes=45)


@pytest.mark.parametrize(
    ("start", "zone", "local"),
    [
        ("2026-03-05T09:30", None, "2026-03-05T09:30"),
        ("2026-03-05T09:30", _NEW_YORK, "2026-03-05T14:30"),
        ("2026-03-05T09:30:00+01:00", None, "2026-03-05T08:30"),
        ("2026-03-05 09:30", None, "2026-03-05T09:30"),
    ],
)
def test_a_start_is_read_on_the_clocks_of_its_zone(desk: Desk, start: str, zone: str | None, local: str) -> None:
    made = desk.act("create_event", title="Call", start=start, **({"zone": zone} if zone else {}))
    assert made["start"] == local


def test_an_event_is_created_with_guests_rooms_and_repetition(desk: Desk) -> None:
    made = desk.act(
        "create_event",
        title="Panel",
        start="2026-03-04T15:30",
        minutes=60,
        attendees=[_ANN, "Board room", _EVE],
        repeat="FREQ=WEEKLY;COUNT=2",
    )
    answers = {_PAT: "accepted", _ANN: "needsAction", "Board room": "declined", _EVE: "needsAction"}
    assert made["attendees"] == answers
    before = desk.changed()
    desk.act("add_attendee", id=made["id"], email="Board room")
    assert desk.changed() == before
    assert desk.told() == [(_EVE, "invitation")]
    days = desk.act("create_event", title="Off", start="2026-03-09", last_day="2026-03-13")
    assert (days["start"], days["end"]) == ("2026-03-09", "2026-03-13")


def test_guests_are_added_and_removed_one_at_a_time(desk: Desk) -> None:
    assert list(desk.act("add_attendee", id=_REVIEW, email=_BO)["attendees"]) == [_PAT, _ANN, _EVE, _BO]
    assert list(desk.act("remove_attendee", id=_REVIEW, email=_EVE)["attendees"]) == [_PAT, _ANN, _BO]
    assert desk.told() == [(_EVE, "cancellation")]
    assert desk.act("remove_attendee", id=_REVIEW, email=_EVE)["error"].startswith(f"{_EVE} is no guest")


def test_free_times_are_free_for_everybody(desk: Desk) -> None:
    found = desk.act(
        "find_free_times", attendees=[_PAT, _BO, "Board room"], day="2026-03-04", minutes=60, latest="17:30"
    )
    assert found["free"] == [
        {"start": "2026-03-04T09:00", "end": "2026-03-04T10:00"},
        {"start": "2026-03-04T10:45", "end": "2026-03-04T15:00"},
        {"start": "2026-03-04T16:00", "end": "2026-03-04T17:30"},
    ]
    assert "no calendar" in desk.act("find_free_times", attendees=["x@y.example"], day="2026-03-04")["error"]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("create_event", {"title": "x", "start": "tomorrow"}, "must be YYYY-MM-DDTHH:MM"),
        ("create_event", {"title": "x", "start": "2026-02-30"}, "is no day"),
        ("create_event", {"title": "x", "start": "2026-03-05T25:00"}, "is no time of day"),
        ("create_event", {"title": "x", "start": "2026-03-05T10:00+99:00"}, "no possible offset"),
        ("create_event", {"title": "x", "start": "2026-03-05T10:00", "minutes": 0}, "minutes must be from 1"),
        ("create_event", {"title": "x", "start": "2026-03-05T10:00", "zone": "EST5"}, "is no time zone"),
        ("create_event", {"title": "x", "start": "2026-03-05", "last_day": "2026-03-04"}, "range is empty"),
        ("move_event", {"id": _REVIEW, "start": "2026-03-05"}, "must be YYYY-MM-DDTHH:MM"),
        ("move_event", {"id": _INVITED, "start": "2026-03-05T10:00"}, "only be changed by the organizer"),
        ("update_event", {"id": _REVIEW}, "at least one field"),
        ("respond", {"id": _FAIR, "answer": "declined"}, "Not Found"),
        ("find_events", {"calendar": "Nowhere"}, "no calendar is called 'Nowhere'"),
        ("find_free_times", {"attendees": [_PAT], "day": "2026-03-04", "earliest": "18:00"}, "must be before"),
    ],
)
def test_wrong_arguments_are_answered_in_words(desk: Desk, name: str, arguments: dict[str, Any], said: str) -> None:
    assert said in desk.act(name, **arguments)["error"]
    assert desk.changed() == []


# --- anything --------------------------------------------------------------------------------------------------------

_ODD = st.sampled_from(
    ["", "\x00", "../..", "x" * 1_000_000, "9" * 400, "_", "a_b", "🙂", -1, 10**400, [], {}, [None], True]
)


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_odd_values_are_answered_within_moments(data: st.DataObject) -> None:
    route = data.draw(st.sampled_from(APP.routes))
    values = {name: data.draw(_ODD, label=name) for name in route.args.model_fields if data.draw(st.booleans())}
    path = route.path
    for name in route.path_names:
        value = data.draw(st.sampled_from(["primary", _REVIEW, _SECOND, _ANN, "%00", "%2e%2e", "a" * 5000]))
        path = path.replace(f"{{{name}}}", value)
    desk = Desk()
    began = time.process_time()
    status, _ = desk.api(route.method, path, None if route.method in ("GET", "DELETE") else values, **values)
    assert status in (200, 204, 400, 403, 404, 409, 410)
    assert time.process_time() - began < 0.5
