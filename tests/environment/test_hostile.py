"""Whatever a model sends to a route or an action is answered, as its vendor would or as an error of the tool."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import quote

import pytest
from pydantic import ValidationError

from environment.apps import APPS
from environment.apps.gmail import rows as gmail
from environment.apps.kit import Action, App, Route
from environment.server import parse_now
from environment.world import Base, World
from tests.environment.promises import HOSTILE, check_rows, kept
from tests.environment.sample_calls import ACTIONS, BASE, KINDS, ROUTES, Desk, fetching, located, meant, tries, written
from tests.environment.sample_world import MEANT, NOW, WORLD

_ROUTES = [pytest.param(app, route, id=f"{app.name}.{route.name}") for app, route in ROUTES]
_ACTIONS = [pytest.param(app, action, id=action.name) for app, action in ACTIONS]
_PATHS = (
    *("", "/", "//", "/..", "/../..", "/%2e%2e/%2e%2e", "/%2F", "/%00", "/%ff%fe", "/%zz", "/%ud800", "/\ud800", "/ "),
    *("/" + "a" * 63_000, "/" * 50_000, "/" + "%2F" * 20_000, "/x" * 20_000, "?" + "a=1&" * 300, "?a[]=1&a[]=2"),
    *("?=&=&", "?%00=%00", "#fragment", "?x#y?z", ";x=y", "/:batchUpdate", ":clear", ".json.json", "/{id}", "/*", "\n"),
    "?" * 9_000,
)
"""Endings that make another URL of a URL."""
_HOSTS = (
    *("https://", "https:///x", "//x", "x", "https://[::", "https://[::1]/", "https://exa mple/", "https://\x00/"),
    *("https://slack.com.evil.example/api/users.list", "https://slack.com@evil.example/api/users.list", "javascript:1"),
    *("https://slack.com:99999/api/users.list", "https://ſlack.com/api/users.list", f"https://{'a.' * 20_000}com/"),
    *("https://user:pw@slack.com/api/users.list", "HTTPS://SLACK.COM/api/users.list", "file:///etc/passwd"),
)
_TEXTS = (
    *("", " ", "{", "[]", "null", "7", '"x"', '"{}"', '"{"', "{'a': 1}", '{"a": NaN}', '{"a": 1e999}'),
    *('{"a": -Infinity}', "[" * 90_000, '{"a":' * 15_000, "9" * 5_000, '{"a": ' + "9" * 5_000 + "}", '"\\ud800"'),
    *('{"\\ud800": "\\udc00"}', "\x00", "\ufeff{}", "{}{}", "{} // comment", '{"a": 1, "a": 2}', "a" * 1_000_000),
    *("null" * 9, "true", '""', '"\\"\\""'),
)
"""Texts in the place of a call's arguments."""


def _some(name: str, count: int) -> Iterator[Any]:
    """A few of the hostile values, others for every name."""
    start = zlib.crc32(name.encode()) % len(HOSTILE)
    for step in range(count):
        yield HOSTILE[(start + step * 37) % len(HOSTILE)]


def _sent(app: App, route: Route, arguments: Mapping[str, Any]) -> tuple[str, str]:
    in_path = {
        name: quote(value if isinstance(value, str) else written(value), safe="", errors="replace")[:60_000]
        for name, value in arguments.items()
        if name in route.path_names
    }
    return fetching(*located(app, route, {**arguments, **in_path}))


def _call(app: App, owner: Route | Action, arguments: Mapping[str, Any]) -> tuple[str, str]:
    return _sent(app, owner, arguments) if isinstance(owner, Route) else (owner.name, written(arguments))


@lru_cache
def _answered(app: App, owner: Route | Action) -> Mapping[str, Any]:
    """Arguments that are answered, as far as the sample world has any."""
    for arguments in islice(tries(app.name, owner.args), 200):
        data = json.loads(Desk().call(*_call(app, owner, arguments)))
        if not isinstance(data, dict) or "error" not in data:
            return arguments
    return meant(app.name, owner)


def _nodes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from _nodes(part, (*path, key))


def _replaced(value: Any, path: tuple[Any, ...], part: Any) -> Any:
    if not path:
        return part
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = _replaced(value[path[0]], path[1:], part)
    return copied


# --- arguments -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("app", "route"), _ROUTES)
def test_a_hostile_argument_of_a_route_is_answered(app: App, route: Route) -> None:
    base = _answered(app, route)
    for name, field in route.args.model_fields.items():
        for value in _some(f"{app.name}.{route.name}.{name}", 5):
            desk = Desk()
            kept(desk, *_sent(app, route, {**base, field.alias or name: value}), route.access == "read")
            check_rows(desk.world)


@pytest.mark.parametrize(("app", "route"), _ROUTES)
def test_a_hostile_part_of_a_body_is_answered(app: App, route: Route) -> None:
    base = _answered(app, route)
    for name in route.args.model_fields:
        for number, value in enumerate(MEANT[app.name].get(name, ())):
            for path in list(_nodes(value))[1:]:
                for part in _some(f"{app.name}.{route.name}.{name}.{number}.{path}", 2):
                    desk = Desk()
                    kept(desk, *_sent(app, route, {**base, name: _replaced(value, path, part)}), route.access == "read")
                    check_rows(desk.world)


@pytest.mark.parametrize(("app", "action"), _ACTIONS)
def test_a_hostile_argument_of_an_action_is_answered(app: App, action: Action) -> None:
    base = _answered(app, action)
    for name in action.args.model_fields:
        for value in _some(f"{action.name}.{name}", 12):
            desk = Desk()
            kept(desk, action.name, written({**base, name: value}), action.access == "read")
            check_rows(desk.world)


@pytest.mark.parametrize("text", _TEXTS, ids=lambda text: repr(text[:20]))
def test_what_is_no_object_of_arguments_is_an_error_of_every_tool(text: str) -> None:
    for _, action in ACTIONS:
        if any(field.is_required() for field in action.args.model_fields.values()):
            assert "error" in kept(Desk(), action.name, text, reads=True)
    for name in ("api_search", "api_fetch", "base64_encode", "no_such_tool", "", "\ud800", "a" * 90_000):
        assert "error" in kept(Desk(), name, text, reads=True)


@pytest.mark.parametrize("name", ["api_search", "api_fetch", "base64_encode"])
def test_a_hostile_argument_of_an_api_tool_is_answered(name: str) -> None:
    calls: dict[str, dict[str, Any]] = {
        "api_search": {"query": "send mail", "top_k": 3},
        "api_fetch": {"method": "GET", "url": "https://slack.com/api/users.list", "params": "{}", "body": "{}"},
        "base64_encode": {"text": "x"},
    }
    valid = calls[name]
    for argument in valid:
        for value in HOSTILE:
            kept(Desk(), name, written({**valid, argument: value}), reads=True)
            kept(Desk(), name, {**valid, argument: value}, reads=True)


@pytest.mark.parametrize(
    ("values", "major"),
    [([[1] * 30_000], "ROWS"), ([[1] * 10_000, *([[]] * 10_000)], "COLUMNS"), ([[1] * 10] * 3_000, "ROWS")],
)
def test_more_cells_than_can_be_read_in_time_are_refused_at_once(values: list[list[int]], major: str) -> None:
    book = WORLD["google_sheets"]["Spreadsheet"][0]["id"]
    url = f"https://sheets.googleapis.com/v4/spreadsheets/{book}/values"
    body = {"values": values, "majorDimension": major}
    arguments = fetching("POST", f"{url}/A1:append", {"valueInputOption": "RAW"}, body)
    answer = kept(Desk(), *arguments, reads=True)
    assert "a request may hold 15,000 cells" in answer["error"]["message"]


# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", _PATHS, ids=lambda ending: repr(ending[:20]))
def test_a_url_with_a_hostile_ending_is_answered(ending: str) -> None:
    for app, route in ROUTES:
        if zlib.crc32(f"{app.name}.{route.name}{ending}".encode("utf-8", "replace")) % 6 == 0:
            method, url, params, body = located(app, route, dict(_answered(app, route)))
            kept(Desk(), *fetching(method, url + ending, params, body), route.access == "read")


@pytest.mark.parametrize("url", _HOSTS, ids=lambda url: repr(url[:30]))
def test_a_hostile_address_is_answered(url: str) -> None:
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        kept(Desk(), *fetching(method, url, {"limit": 1}, {"x": 1}), reads=True)


@pytest.mark.parametrize(("app", "route"), _ROUTES)
def test_a_body_that_is_no_object_and_doubled_parameters_are_answered(app: App, route: Route) -> None:
    method, url, params, body = located(app, route, dict(_answered(app, route)))
    doubled = "&".join(f"{quote(name)}=1&{quote(name)}=" for name in route.args.model_fields)
    bodies: tuple[Any, ...] = ([], [[]], "x", 7, True, [{}], [None], '{"a": 1}', written(written(body)))
    for sent in bodies:
        desk = Desk()
        kept(desk, *fetching(method, url, params, sent), route.access == "read")
        check_rows(desk.world)
    for wrong in (f"{url}?{doubled}", f"{url}?{doubled}&{doubled}"):
        kept(Desk(), *fetching(method, wrong, params, body), route.access == "read")
        kept(Desk(), *fetching(method, wrong, {}, {}), route.access == "read")


# --- many writes -----------------------------------------------------------------------------------------------------

_PROSE = ("subject", "text", "summary", "name", "title", "Name", "body", "description", "LastName", "requester_email")


def _varied(value: Any, number: int, name: str = "") -> Any:
    """The arguments with the number in what people read, so that no two calls make the same."""
    if isinstance(value, dict):
        return {key: _varied(part, number, key) for key, part in value.items()}
    if isinstance(value, list):
        return [_varied(part, number, name) for part in value]
    if not isinstance(value, str) or name not in _PROSE:
        return value
    return f"{number}{value}" if "email" in name else f"{value} {number}"


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_after_three_hundred_writes_of_a_kind_calls_are_fast_and_answers_of_actions_short(app: App) -> None:
    reading = [action for action in app.all_actions if action.access == "read"]
    for action in app.all_actions:
        if action.access == "read" or "error" in Desk().call(action.name, written(_answered(app, action)))[:10]:
            continue
        desk = Desk()
        for number in range(300):
            desk.call(action.name, written(_varied(_answered(app, action), number)))
        kept(desk, action.name, written(_varied(_answered(app, action), 300)), reads=False)
        for other in reading:
            arguments = written(_answered(app, other))
            kept(desk, other.name, arguments, reads=True)
            assert len(desk.call(other.name, arguments)) < 30_000, (action.name, other.name)
        check_rows(desk.world)


_LEAD = {"last_name": "Ito {}", "company": "Nimbus"}
_TITLE = {"title": "{}"}
_THREAD = {"thread_id": gmail.message_id(1)}


@pytest.mark.parametrize(
    ("writing", "given", "count", "reading", "asked", "shown", "more"),
    [
        ("gmail_reply", {"id": gmail.message_id(1), "body": "{}"}, 48, "gmail_read_thread", _THREAD, 50, None),
        ("gmail_reply", {"id": gmail.message_id(1), "body": "{}"}, 60, "gmail_read_thread", _THREAD, 50, "12 older"),
        ("gmail_create_label", {"name": "{}"}, 210, "gmail_list_labels", {}, 200, "11 more"),
        (
            "google_sheets_create_spreadsheet",
            {"title": "{}"},
            210,
            "google_sheets_list_spreadsheets",
            {},
            200,
            "11 more",
        ),
        ("salesforce_create_lead", _LEAD, 199, "salesforce_find_leads", {"name": "Ito"}, 200, None),
        ("salesforce_create_lead", _LEAD, 210, "salesforce_find_leads", {"name": "Ito"}, 200, "narrow the search"),
        ("salesforce_create_lead", _LEAD, 210, "salesforce_query", {"soql": "SELECT Id FROM Lead"}, 200, "use LIMIT"),
    ],
)
def test_a_long_list_of_an_action_is_cut_and_says_so(
    writing: str, given: dict[str, str], count: int, reading: str, asked: dict[str, str], shown: int, more: str | None
) -> None:
    desk = Desk()
    for number in range(count):
        answer = desk.call(writing, {name: value.replace("{}", str(number)) for name, value in given.items()})
        assert "error" not in answer[:10], answer
    found = json.loads(desk.call(reading, asked))
    records = found["records"] if more else found
    assert len(records) == shown
    assert more is None or more in found["more"]


# --- ids -------------------------------------------------------------------------------------------------------------


def _renamed(row: Mapping[str, Any], number: int) -> dict[str, Any]:
    """The row under another name, lest a name stand for two."""
    names = ("name", "title", "number", "code", "subject")
    return {field: f"{value} {number}th" if field.lower().endswith(names) else value for field, value in row.items()}


@lru_cache
def _crowded(app: App) -> Base:
    """The sample world with further rows that have the ids which come next."""
    rows = {name: list(found) for name, found in WORLD[app.name].items()}
    for kind, spell in app.ids.items():
        found = rows.get(kind.__name__, [])
        for number in range(len(found) + 1, len(found) + 8) if found else ():
            with suppress(ValidationError):  # the counter is not of what the collection calls its id
                row = {**_renamed(found[0], number), kind.id_field: spell(number)}
                if kind.model_validate(row).row_id not in {each[kind.id_field] for each in found}:
                    found.append(row)
    return Base({**WORLD, app.name: {name: tuple(found) for name, found in rows.items()}}, KINDS)


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_as_many_rows_are_created_where_the_next_ids_are_taken(app: App) -> None:
    owners: tuple[Route | Action, ...] = (*app.routes, *app.all_actions)
    for owner in owners:
        if owner.access == "read":
            continue
        created = []
        for base in (BASE, _crowded(app)):
            desk = Desk(World(base, parse_now(NOW)))
            for number in range(6):
                arguments = _varied(_answered(app, owner), number)
                desk.call(*_sent(app, owner, arguments)) if isinstance(owner, Route) else desk.call(
                    owner.name, arguments
                )
            created.append(sum(change.before is None for change in desk.world.changes()))
        assert created[0] == created[1], owner.name
