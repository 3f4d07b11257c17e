"""What every route and action of every application keeps to."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from environment.apps import APPS
from environment.apps.kit import Action, App, Route
from environment.server import Response, Server
from environment.specs import function_spec
from tests.environment.sample_calls import ACTIONS, NAMES, ROUTES, Desk, located, required, tries
from tests.environment.sample_world import sample_of

_ROUTES = [pytest.param(app, route, id=f"{app.name}.{route.name}") for app, route in ROUTES]
_ACTIONS = [pytest.param(action, id=action.name) for _, action in ACTIONS]
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


def _request(server: Server, app: App, route: Route, arguments: dict[str, Any]) -> Response:
    return server.fetch(*located(app, route, arguments))


def _reads(action: Any) -> bool:
    return action.access == "read"


def _names_a_thing(route: Any) -> bool:
    return any(name in _IDS and field.is_required() for name, field in route.args.model_fields.items())


# --- lists -----------------------------------------------------------------------------------------------------------


def test_names_are_unique_over_all_applications() -> None:
    assert len(set(NAMES)) == len(NAMES)
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


def test_an_application_without_a_sample_is_told_what_to_write() -> None:
    with pytest.raises(LookupError, match=r"parcels is not .*; write tests/environment/samples/parcels\.py with ROWS"):
        sample_of("parcels")


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
    desk = Desk()
    arguments = {**required(route.args, "unknown"), "colour": "red"}
    response = _request(desk.server, app, route, arguments)
    assert response.refused
    assert "colour" in json.dumps(response.body)
    assert desk.world.changes() == ()


@pytest.mark.parametrize(("app", "route"), [param for param in _ROUTES if _names_a_thing(param.values[1])])
def test_unknown_ids_are_refused(app: App, route: Route) -> None:
    desk = Desk()
    response = _request(desk.server, app, route, required(route.args, "0123456789abcdef"))
    assert response.refused
    assert response.status in (400, 404, 422, app.error_status)
    assert desk.world.changes() == ()


@pytest.mark.parametrize("action", _ACTIONS)
def test_an_action_answers_wrong_arguments_in_words(action: Action) -> None:
    desk = Desk()
    arguments = {**required(action.args, "0123456789abcdef"), "colour": "red"}
    assert "unknown argument 'colour'" in json.loads(desk.call(action.name, arguments))["error"]
    for name in required(action.args, ""):
        without = {key: value for key, value in required(action.args, "x").items() if key != name}
        assert f"missing argument '{name}'" in json.loads(desk.call(action.name, without))["error"]
    assert desk.world.changes() == ()


# --- reads and writes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("app", "route"), _ROUTES)
def test_a_route_answers_json_and_a_reading_one_changes_nothing(app: App, route: Route) -> None:
    desk = Desk()
    answered = False
    for arguments in tries(app.name, route.args):
        response = _request(desk.server, app, route, arguments)
        json.dumps(response.body, allow_nan=False).encode()
        answered = not response.refused
        if answered:
            break
    assert answered or route.access == "write" or route.name in _AFTER_ANOTHER, (
        "no value of the sample world makes it answer"
    )
    if route.access == "read":
        assert desk.world.changes() == ()


@pytest.mark.parametrize("action", [param for param in _ACTIONS if _reads(param.values[0])])
def test_a_reading_action_changes_nothing(action: Action) -> None:
    desk = Desk()
    app = next(app.name for app in APPS if action in app.all_actions)
    answers = (json.loads(desk.call(action.name, arguments)) for arguments in tries(app, action.args))
    assert any("error" not in answer for answer in answers), "no value of the sample world makes it answer"
    assert desk.world.changes() == ()
