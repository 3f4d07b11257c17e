"""What every route and action of every application keeps to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice, product
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from environment.apps import APPS
from environment.apps.kit import Action, App, Route
from environment.record import canonical_json
from environment.server import Response, Server, parse_now
from environment.specs import function_spec
from environment.tools import ActionTools, ApiTools
from environment.world import Base, World
from tests.environment.sample_world import ACTOR, MEANT, NOW, WORDS, WORLD

_KINDS = {app.name: {kind.__name__: kind for kind in app.rows} for app in APPS}
_BASE = Base({app.name: WORLD[app.name] for app in APPS}, _KINDS)
_ROUTES = [pytest.param(app, route, id=f"{app.name}.{route.name}") for app in APPS for route in app.routes]
_ACTIONS = [pytest.param(action, id=action.name) for app in APPS for action in app.all_actions]
_NAMES = tuple(action.name for app in APPS for action in app.all_actions)
_IDS = (
    "id",
    "channel",
    "user",
    "file",
    "ts",
    "timestamp",
    "spreadsheetId",
    "sheetId",
    "object",
    "locator",
    "calendarId",
    "eventId",
)
"""Names of arguments that name an existing thing in some application."""
_AFTER_ANOTHER = ("query_more",)
"""Routes that answer only for what another answer has named, so that no sample makes them."""
_ROW_IDS = {
    app.name: [row.key for kind in app.rows for row in _BASE.rows((app.name, kind.__name__)).values()] for app in APPS
}


def _world() -> World:
    return World(_BASE, parse_now(NOW))


def _server(world: World) -> Server:
    return Server(APPS, world, ACTOR)


def _tools(world: World) -> ActionTools:
    return ActionTools(_server(world), APPS, _NAMES)


def _located(app: App, route: Route, arguments: dict[str, Any]) -> tuple[str, str, dict[str, Any], Any]:
    """Method, URL, parameters and body that carry these arguments, each where it belongs."""
    path = route.path
    params: dict[str, Any] = {}
    body: Any = {}
    for name, value in arguments.items():
        if name in route.path_names:
            path = path.replace(f"{{{name}}}", str(value)).replace(f"{{{name}*}}", str(value))
        elif name == route.whole_body:
            body = value
        elif route.in_query(name) or route.whole_body:
            params[name] = value
        else:
            body[name] = value
    url = app.url(path) if not route.host else f"https://{route.host}{app.base_path}{path}"
    return route.method, url, params, None if route.method in ("GET", "DELETE") else body


def _request(server: Server, app: App, route: Route, arguments: dict[str, Any]) -> Response:
    return server.fetch(*_located(app, route, arguments))


def _refused(app: App, response: Response) -> bool:
    if app.error_status:
        return response.body["ok"] is False
    return response.status >= 400


def _filled(annotation: Any, text: str) -> Any:
    """Some value of the type, made of `text`."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _filled(inner[0], text)
    if origin is Union or str(origin) == "<class 'types.UnionType'>":
        return _filled(inner[0], text)
    if origin is Literal:
        return inner[0]
    if origin in (list, tuple):
        return [_filled(inner[0], text)]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {name: _filled(field.annotation, text) for name, field in annotation.model_fields.items()}
    return {int: 1, float: 1.0, bool: True, str: text}.get(annotation, {})


def _required(args: type[BaseModel], text: str) -> dict[str, Any]:
    return {
        field.alias or name: "me" if name == "userId" else _filled(field.annotation, text)
        for name, field in args.model_fields.items()
        if field.is_required()
    }


def _reads(action: Any) -> bool:
    return action.access == "read"


def _names_a_thing(route: Any) -> bool:
    return any(name in _IDS and field.is_required() for name, field in route.args.model_fields.items())


def _tries(app: str, args: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """Required arguments, with texts of the sample world in all combinations, as far as 3,000 go.

    Then each value that is meant for some argument, for vendors that want one of several optional ones.
    """
    required = _required(args, "?")
    texts = [name for name, value in required.items() if value in ("?", ["?"])]
    pool = [*_ROW_IDS[app], *WORDS]
    for values in islice(product(pool, repeat=len(texts)), 3000):
        filled = {name: value if required[name] == "?" else [value] for name, value in zip(texts, values, strict=True)}
        yield {**required, **filled}
    for name in args.model_fields:
        yield from ({**required, name: value} for value in MEANT[app].get(name, ()))


# --- lists -----------------------------------------------------------------------------------------------------------


def test_names_are_unique_over_all_applications() -> None:
    assert len(set(_NAMES)) == len(_NAMES)
    assert len({app.name for app in APPS}) == len(APPS)
    for app in APPS:
        names = [route.name for route in app.routes]
        assert len(set(names)) == len(names)
        assert all(action.name.startswith(f"{app.name}_") for action in app.all_actions)


def test_every_route_is_listed_once() -> None:
    for app in APPS:
        keys = [(method, route.path) for route in app.routes for method in (route.method, *route.methods_also)]
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(("app", "route"), _ROUTES)
def test_a_route_can_be_reached_and_read_about(app: App, route: Route) -> None:
    first = next(other for other in app.routes if other.method == route.method and other.pattern.fullmatch(route.path))
    assert first is route, f"{first.name} hides {route.name}"
    assert route.doc.endswith(".")
    assert set(route.path_names) <= route.args.model_fields.keys()
    assert all(field.description for field in route.args.model_fields.values())


@pytest.mark.parametrize("action", _ACTIONS)
def test_an_action_is_described_in_few_words(action: Action) -> None:
    assert action.doc.endswith(".") and len(action.doc.split()) <= 10
    for name, field in action.args.model_fields.items():
        assert field.description and len(field.description.split()) <= 5, name


# --- schemas ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", _ACTIONS)
def test_schema_is_what_transformers_derives_from_a_signature(action: Action) -> None:
    derive = pytest.importorskip("transformers.utils").get_json_schema
    spec = function_spec(action.name, action.doc, action.args)
    assert json.dumps(spec) == json.dumps(derive(_function(action)))


def _function(action: Action) -> Any:
    """A Python function with the action's signature and a docstring in Google's form."""
    fields = action.args.model_fields
    names: dict[str, Any] = {}
    signature = []
    for position, (name, field) in enumerate(fields.items()):
        kinds = [kind for kind in get_args(field.annotation) if kind is not type(None)]
        optional = type(None) in get_args(field.annotation)
        names[f"kind_{position}"] = kinds[0] if optional else field.annotation
        default = "" if field.is_required() else f" = {field.default!r}"
        signature.append(f"{name}: kind_{position}{default}")
    told = "".join(f"\n    {name}: {field.description}" for name, field in fields.items())
    exec(f"def {action.name}({', '.join(signature)}): pass", names)
    function = names[action.name]
    function.__doc__ = f"{action.doc}\n\nArgs:{told}" if told else action.doc  # type: ignore[attr-defined]
    return function


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("app", "route"), _ROUTES)
def test_a_route_refuses_unknown_arguments_by_name(app: App, route: Route) -> None:
    world = _world()
    arguments = {**_required(route.args, "unknown"), "colour": "red"}
    response = _request(_server(world), app, route, arguments)
    assert _refused(app, response)
    assert "colour" in json.dumps(response.body)
    assert world.changes() == ()


@pytest.mark.parametrize(("app", "route"), [param for param in _ROUTES if _names_a_thing(param.values[1])])
def test_unknown_ids_are_refused(app: App, route: Route) -> None:
    world = _world()
    response = _request(_server(world), app, route, _required(route.args, "0123456789abcdef"))
    assert _refused(app, response)
    assert response.status in (400, 404, 422, app.error_status)
    assert world.changes() == ()


@pytest.mark.parametrize("action", _ACTIONS)
def test_an_action_answers_wrong_arguments_in_words(action: Action) -> None:
    world = _world()
    tools = _tools(world)
    arguments = {**_required(action.args, "0123456789abcdef"), "colour": "red"}
    assert "unknown argument 'colour'" in json.loads(tools.call(action.name, arguments))["error"]
    for name in _required(action.args, ""):
        without = {key: value for key, value in _required(action.args, "x").items() if key != name}
        assert f"missing argument '{name}'" in json.loads(tools.call(action.name, without))["error"]
    assert world.changes() == ()


# --- reads and writes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("app", "route"), _ROUTES)
def test_a_route_answers_json_and_a_reading_one_changes_nothing(app: App, route: Route) -> None:
    world = _world()
    server = _server(world)
    answered = False
    for arguments in _tries(app.name, route.args):
        response = _request(server, app, route, arguments)
        json.dumps(response.body, allow_nan=False).encode()
        answered = not _refused(app, response)
        if answered:
            break
    assert answered or route.access == "write" or route.name in _AFTER_ANOTHER, (
        "no value of the sample world makes it answer"
    )
    if route.access == "read":
        assert world.changes() == ()


@pytest.mark.parametrize("action", [param for param in _ACTIONS if _reads(param.values[0])])
def test_a_reading_action_changes_nothing(action: Action) -> None:
    world = _world()
    tools = _tools(world)
    app = next(app.name for app in APPS if action in app.all_actions)
    answers = (json.loads(tools.call(action.name, arguments)) for arguments in _tries(app, action.args))
    assert any("error" not in answer for answer in answers), "no value of the sample world makes it answer"
    assert world.changes() == ()


# --- anything a model may send ---------------------------------------------------------------------------------------

_HOSTILE: st.SearchStrategy[Any] = st.sampled_from(
    [
        *("", " ", "\x00\x1f", "\ud800", "../../etc/passwd", "%2e%2e%2f", "' OR 1=1 --", "(((((", '"', "\\", "-1"),
        *("{{7*7}}", "é" * 50, "🙂", "a" * 100_000, "1e999", "NaN", "2026-02-30", "9" * 400, "null", "A1:ZZZZ99999999"),
        *(None, True, False, 0, -1, 2**63, 10**400, 1.5, 1e308, [], {}, [[]], ["x", 1, None], {"a": {"b": []}}),
    ]
)


@st.composite
def _values(draw: st.DrawFn, app: str, name: str, annotation: Any) -> Any:
    """Mostly what makes sense as this argument, sometimes what makes sense elsewhere, sometimes what nowhere does."""
    die = draw(st.integers(0, 19))
    if die == 11:
        return draw(_HOSTILE)
    if name in MEANT[app] and die not in (13, 17):
        return draw(st.sampled_from(MEANT[app][name]))
    words = () if name.lower().endswith("id") and die != 13 else WORDS
    return _filled(annotation, draw(st.sampled_from([*_ROW_IDS[app], *words])))


@st.composite
def _arguments(draw: st.DrawFn, app: str, args: type[BaseModel]) -> dict[str, Any]:
    """Required arguments, some optional ones, rarely one less or one that there is none of."""
    given = {}
    for name, field in args.model_fields.items():
        if draw(st.integers(0, 29)) != 17 if field.is_required() else draw(st.integers(0, 2)) == 0:
            given[name] = draw(_values(app, name, field.annotation))
    if draw(st.integers(0, 19)) == 11:
        given[draw(st.sampled_from(["colour", "", "\ud800"]))] = draw(_HOSTILE)
    return given


@st.composite
def _action_calls(draw: st.DrawFn) -> tuple[str, str]:
    app, action = draw(st.sampled_from([(app, action) for app in APPS for action in app.all_actions]))
    return action.name, json.dumps(draw(_arguments(app.name, action.args)))


@st.composite
def _fetch_calls(draw: st.DrawFn) -> tuple[str, str]:
    app, route = draw(st.sampled_from([(app, route) for app in APPS for route in app.routes]))
    method, url, params, body = _located(app, route, draw(_arguments(app.name, route.args)))
    if draw(st.integers(0, 19)) == 11:
        method = draw(st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE"]))
    sent = {"method": method, "url": url, "params": json.dumps(params), "body": json.dumps(body)}
    return "api_fetch", json.dumps(sent)


_OTHER_CALLS = st.sampled_from(
    [
        *(("api_search", '{"query": "send \\ud800 mail", "top_k": -5}'), ("api_search", '{"query": ""}')),
        *(("base64_encode", '{"text": "\\ud800"}'), ("no_such_tool", "{}"), ("api_fetch", "{"), ("api_fetch", "null")),
        *(("api_fetch", '{"method": "GET", "url": "https://[::"}'), ("api_fetch", '{"method": "GET", "url": "x"}')),
        ("api_fetch", '{"method": "GET", "url": "https://slack.com/api/users.list", "params": "[]", "body": "{"}'),
    ]
)


def _played(calls: list[tuple[str, str]]) -> tuple[list[str], str]:
    """Answers and changes of an episode of these calls."""
    world = _world()
    actions, api = _tools(world), ApiTools(_server(world), APPS)
    answers = [
        (api if name in ("api_fetch", "api_search", "base64_encode") else actions).call(name, text)
        for name, text in calls
    ]
    return answers, canonical_json([change.to_json() for change in world.changes()])


def _base_content() -> str:
    return canonical_json(
        [[row.model_dump(mode="json") for row in _BASE.rows(name).values()] for name in _BASE.collections()]
    )


_CONTENT = _base_content()


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(st.one_of(_action_calls(), _fetch_calls(), _OTHER_CALLS), min_size=1, max_size=8))
def test_whatever_is_called_is_answered_and_stays_in_its_episode(calls: list[tuple[str, str]]) -> None:
    answers, changes = _played(calls)
    for answer in answers:
        json.loads(answer, parse_constant=_no_constant)
        answer.encode()
    changes.encode()
    assert _base_content() == _CONTENT
    assert _played(calls) == (answers, changes)


def _no_constant(text: str) -> None:
    raise AssertionError(f"{text} is not JSON")
