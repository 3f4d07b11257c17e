"""Search for endpoints: what it finds, and that what it shows of them is true."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any
from urllib.parse import quote

import pytest

from environment.apps import APPS
from environment.apps.kit import App, Route
from environment.search.endpoints import search
from environment.search.entry import entry, hint_of
from environment.server import Response, Server, parse_now
from environment.tools import ApiTools, compact
from environment.world import Base, World
from pipeline.tool_text import endpoint_lines
from tests.environment.sample_world import ACTOR, MEANT, NOW, WORDS, WORLD, sample_of

_BASE = Base(
    {app.name: WORLD[app.name] for app in APPS}, {app.name: {kind.__name__: kind for kind in app.rows} for app in APPS}
)
_HINTED = [
    pytest.param(app, route, id=f"{app.name}.{route.name}")
    for app in APPS
    for route in app.routes
    if hint_of(app, route).answers and route.name != "query_more"  # which answers what a query of 2,000 rows named
]
_BEFORE = {
    "slack.remove_reaction": "add_reaction",
    "slack.get_reactions": "add_reaction",
    "slack.invite_members": "kick_member",
    "xero.update_payment": "create_payments",
    "zendesk.create_group_membership": "create_group",
}
"""Routes whose example wants that of another one to come first."""
_NOT_ALWAYS = (
    "nextPageToken next_cursor thread_ts reply_count reactions parts nextRecordsUrl recurringEventId attendees error "
    "response_metadata Phones description priority allowedValues DeliveryDate ExpiryDate".split()
)
"""Keys that an answer has only when there is something to say, which the sample world doesn't always give."""


_FILLED = {app.name: dict(vars(sample_of(app.name)).get("FILLED", {})) for app in APPS}
"""Application -> what stands in an example's `<...>` -> a value of the sample world."""


def _found(query: str, top_k: int = 3) -> list[str]:
    return [f"{one['app']} {one['name']}" for one in search(APPS, query, top_k)]


# --- what is found ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_the_product_that_is_named_comes_first(app: App) -> None:
    for question in ("list {}", "{} create something new", "find a customer's email message in {}"):
        named = search(APPS, question.format(app.title), 5)
        assert named[0]["app"] == app.title, question


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("archive emails", "Gmail modify_message"),
        ("archived email", "Gmail modify_message"),
        ("rename channel", "Slack rename_channel"),
        ("renaming channels", "Slack rename_channel"),
        ("merging duplicated tickets", "Zendesk merge_tickets"),
        ("the instances of a series", "Google Calendar list_instances"),
    ],
)
def test_endings_of_words_make_no_difference(question: str, right: str) -> None:
    assert right in _found(question)


@pytest.mark.parametrize(
    ("everyday", "right"),
    [
        ("bill", "Xero list_invoices"),
        ("appointment", "Google Calendar list_events"),
        ("crm", "Salesforce query"),
        ("helpdesk ticket", "Zendesk get_ticket"),
        ("canned answer", "Zendesk list_macros"),
    ],
)
def test_everyday_words_find_what_a_vendor_calls_otherwise(everyday: str, right: str) -> None:
    assert right in _found(everyday, 20)


@pytest.mark.parametrize("method", ["chat.postMessage", "conversations.history", "users.lookupByEmail"])
def test_a_vendors_own_name_of_a_method_finds_it_first(method: str) -> None:
    assert search(APPS, method, 1)[0]["url"].endswith(f"/{method}")


def test_every_route_is_found_by_its_product_and_name() -> None:
    for app in APPS:
        for route in app.routes:
            found = search(APPS, f"{app.title} {route.name.replace('_', ' ')}", 10)
            assert (app.title, route.name) in [(one["app"], one["name"]) for one in found], route.name


@pytest.mark.parametrize("question", ["", "   ", "the of and to", "zyx qwv", "\U0001f4a5", "请", "\x00\ud800", "?*[("])
def test_words_that_nothing_is_called_find_nothing(question: str) -> None:
    assert search(APPS, question, 5) == []


@pytest.mark.parametrize(
    "question",
    ["a" * 1_000_000, "send an email " * 80_000, "é" * 500_000, "A1" * 400_000, "{}[]\"'\\" * 1000, "-1 OR 1=1", "ſKİ"],
)
@pytest.mark.parametrize("top_k", [-5, 0, 3, 10**30])
def test_whatever_is_asked_is_answered_with_as_many_as_wanted(question: str, top_k: int) -> None:
    found = search(APPS, question, top_k)
    assert len(found) <= max(1, min(top_k, 20))
    json.loads(compact(found))


def test_order_is_the_same_each_time_and_equals_stand_as_declared() -> None:
    first = _found("list", 20)
    assert first == _found("list", 20)
    titles = [app.title for app in APPS]
    tags = [name for name in _found("zendesk add tags to a record", 6) if "add_" in name and name.endswith("tags")]
    assert tags[0] == "Zendesk add_ticket_tags"
    assert {name.rpartition(" ")[0] for name in first} <= set(titles)


def test_fewer_results_begin_with_the_same() -> None:
    assert _found("find unread mail", 12)[:4] == _found("find unread mail", 4)


# --- what is shown ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_an_entry_says_all_that_a_call_needs_and_stays_short(app: App) -> None:
    for route in app.routes:
        shown = entry(app, route)
        assert len(compact(shown)) <= 1700, route.name
        names = {info.alias or name for name, info in route.args.model_fields.items()}
        assert shown["arguments"].keys() - {"org"} <= names
        required = {info.alias or name for name, info in route.args.model_fields.items() if info.is_required()}
        assert required <= {name for name, told in shown["arguments"].items() if told.get("required")}
        in_url = set(re.findall(r"\{(\w+)\}", shown["url"]))
        assert in_url == {name for name, told in shown["arguments"].items() if told["in"] in ("path", "host")}
        assert shown["description"] and all(told["in"] for told in shown["arguments"].values())


def test_what_is_inside_a_body_is_shown_with_its_allowed_values() -> None:
    (shown,) = search(APPS, "zendesk create_user", 1)
    assert "role (" in shown["arguments"]["user"]["fields"]
    assert "end-user" in shown["arguments"]["user"]["fields"]


def test_arguments_that_do_nothing_are_not_shown() -> None:
    (shown,) = search(APPS, "slack chat.postMessage", 1)
    assert "unfurl_links" not in shown["arguments"]


def test_a_guide_has_a_hint_for_every_route_and_speaks_of_nothing_else() -> None:
    for app in APPS:
        assert app.guide.hints.keys() <= {route.name for route in app.routes}, app.name
        if app.guide.hints:
            assert [route.name for route in app.routes if not hint_of(app, route).answers] == []
        arguments = {info.alias or name for route in app.routes for name, info in route.args.model_fields.items()}
        assert app.guide.paging.keys() <= arguments
        words = {word for route in app.routes for word in route.name.split("_")}
        for thing in app.guide.glossary:
            stems = {word[:4] for word in thing.split("_")}
            assert stems <= {word[:4] for word in words}, f"{app.name} has no routes named after {thing}"


@pytest.mark.parametrize(("app", "route"), _HINTED)
def test_an_example_is_accepted_and_answered_as_it_says(app: App, route: Route) -> None:
    hint = hint_of(app, route)
    accepted = list(_accepted(app, route))
    assert accepted, f"{hint.params} {hint.body} is refused"
    if hint.answers.startswith("Nothing"):
        assert accepted[0].status in (201, 202, 204)
        assert accepted[0].body in (None, {})
        return
    promised = re.findall(r"\b[a-zA-Z_]\w+", _skeleton(hint.answers))
    fewest = min((_missing(promised, response.body) for response in accepted), key=len)
    assert fewest == []


def _missing(promised: list[str], body: Any) -> list[str]:
    said = json.dumps(body)
    empty = any(value == [] for value in (body.values() if isinstance(body, dict) else [body]))
    return [name for name in promised if not empty and f'"{name}"' not in said and name not in _NOT_ALWAYS]


def _accepted(app: App, route: Route) -> Iterator[Response]:
    """The answers to the example, with all ids of the sample world in turn in its path, that are no refusals."""
    earlier = next((other for other in app.routes if other.name == _BEFORE.get(f"{app.name}.{route.name}")), None)
    rows = [row.row_id for kind in app.rows for row in _BASE.rows((app.name, kind.__name__)).values()]
    told = {
        name: [each for each in MEANT[app.name].get(name, ()) if isinstance(each, str)] for name in route.path_names
    }
    pools = ([*told[name], *WORDS, "10001", *rows] for name in route.path_names)
    for values in islice(product(*pools), 4000):
        server = Server(APPS, World(_BASE, parse_now(NOW)), ACTOR)
        if earlier is not None:
            made = re.search(r'"(?:id|PaymentID)": "?([\w-]+)', json.dumps(_ask(server, app, earlier, ()).body))
            values = tuple(made[1] if made else value for value in values)
            _FILLED[app.name]["new group id"] = made[1] if made else ""
        response = _ask(server, app, route, values)
        if not response.refused:
            yield response


def _ask(server: Server, app: App, route: Route, values: Sequence[str]) -> Response:
    """The answer to the route's example with these values in its path."""
    path = route.path
    for name, value in zip(route.path_names, values, strict=True):
        path = re.sub(rf"\{{{name}\*?\}}", quote(value, safe=""), path)
    url = app.url(path) if not route.host else f"https://{route.host}{app.base_path}{path}"
    filled = _fill(app.name, entry(app, route).get("example", {}))
    body = filled.get("body")
    if route.name == "transition_issue":
        ways = server.fetch("GET", url).body.get("transitions")
        body = {"transition": {"id": ways[0]["id"] if ways else "0"}}
    return server.fetch(route.method, url, filled.get("params"), body)


def _fill(app: str, value: Any) -> Any:
    """The value with ids of the sample world for every `<...>`."""
    if isinstance(value, dict):
        return {name: _fill(app, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_fill(app, inner) for inner in value]
    if not isinstance(value, str):
        return value
    if value.startswith("<base64url of: "):
        text = value[len("<base64url of: ") : -1].encode().decode("unicode_escape")
        return base64.urlsafe_b64encode(text.encode()).decode()
    known = {"transition id": "", **_FILLED.get(app, {})}
    return re.sub(r"<([a-z][a-z ]*)>", lambda found: known[found[1]], value)


def _skeleton(answers: str) -> str:
    """The part of the line that spells an answer: from its first bracket to the one that closes it."""
    answers = re.sub(r"<[^<>]*>", "", answers)
    start = next((place for place, letter in enumerate(answers) if letter in "{["), None)
    if start is None:
        return ""
    depth = 0
    for place in range(start, len(answers)):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(answers[place], 0)
        if depth == 0:
            return answers[start:place]
    raise AssertionError(f"unbalanced: {answers}")


# --- through the tool ------------------------------------------------------------------------------------------------


def test_a_found_endpoint_can_be_called_as_it_is_shown() -> None:
    tools = ApiTools(Server(APPS, World(_BASE, parse_now(NOW)), ACTOR), APPS)
    (shown,) = json.loads(tools.call("api_search", {"query": "reply to a customer's support ticket", "top_k": 1}))
    url = shown["url"].replace("{org}", "tarnwick").replace("{id}", _FILLED["zendesk"]["ticket id"])
    body = json.dumps(_fill("zendesk", shown["example"]["body"]))
    answer = json.loads(tools.call("api_fetch", {"method": shown["method"], "url": url, "body": body}))
    assert answer["ticket"]["status"] == "solved"


def test_search_shows_a_person_what_it_tells_an_agent() -> None:
    lines = " ".join(endpoint_lines(search(APPS, "zendesk update_ticket", 1), 100))
    assert "for example body=" in lines and "answers {ticket:" in lines and "in the path, required" in lines
