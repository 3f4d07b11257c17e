"""A sample call is a request to a route, or a call of an action, with arguments that the sample world gives sense."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice, product
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from environment.apps import APPS
from environment.apps.kit import Action, App, Route
from environment.server import Server, parse_now
from environment.tools import ActionTools, ApiTools
from environment.world import Base, World
from tests.environment.sample_world import ACTOR, MEANT, NOW, WORDS, WORLD

KINDS = {app.name: {kind.__name__: kind for kind in app.rows} for app in APPS}
BASE = Base({app.name: WORLD[app.name] for app in APPS}, KINDS)
ROUTES = tuple((app, route) for app in APPS for route in app.routes)
ACTIONS = tuple((app, action) for app in APPS for action in app.all_actions)
NAMES = tuple(action.name for _, action in ACTIONS)
ROW_IDS = {
    app.name: [row.row_id for kind in app.rows for row in BASE.rows((app.name, kind.__name__)).values()] for app in APPS
}
"""Application -> ids of the sample world's rows."""


class Desk:
    """Both toolsets over one world, a fresh one unless given."""

    def __init__(self, world: World | None = None) -> None:
        self.world = world or World(BASE, parse_now(NOW))
        self.server = Server(APPS, self.world, ACTOR)
        self._actions = ActionTools(self.server, APPS, NAMES)
        self._api = ApiTools(self.server, APPS)

    def call(self, name: str, arguments: Any) -> str:
        tools = self._api if name in ("api_fetch", "api_search", "base64_encode") else self._actions
        return tools.call(name, arguments)

    def fork(self) -> Desk:
        """A desk in the same state that goes its own way."""
        return Desk(self.world.fork())


def located(app: App, route: Route, arguments: dict[str, Any]) -> tuple[str, str, dict[str, Any], Any]:
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


def fetching(method: str, url: str, params: Any, body: Any) -> tuple[str, str]:
    """The call of `api_fetch` that makes a request, params and body as JSON in strings."""
    sent = {"method": method, "url": url, "params": written(params), "body": written(body)}
    return "api_fetch", written(sent)


def written(value: Any) -> str:
    """JSON text, as short as it can be said."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def filled(annotation: Any, text: str) -> Any:
    """Some value of the type, made of `text`."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return filled(inner[0], text)
    if origin is Union or str(origin) == "<class 'types.UnionType'>":
        return filled(inner[0], text)
    if origin is Literal:
        return inner[0]
    if origin in (list, tuple):
        return [filled(inner[0], text)]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {name: filled(field.annotation, text) for name, field in annotation.model_fields.items()}
    return {int: 1, float: 1.0, bool: True, str: text}.get(annotation, {})


def required(args: type[BaseModel], text: str) -> dict[str, Any]:
    """The arguments that must be given, made of `text`."""
    return {
        field.alias or name: "me" if name == "userId" else filled(field.annotation, text)
        for name, field in args.model_fields.items()
        if field.is_required()
    }


def tries(app: str, args: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """Required arguments, with texts of the sample world in all combinations, as far as 3,000 go.

    Ids come first, then what is meant for the argument; at last, each value that is meant for some argument, for
    vendors that want one of several optional ones.
    """
    needed = required(args, "?")
    texts = [name for name, value in needed.items() if value in ("?", ["?"])]
    told = {name: [value for value in MEANT[app].get(name, ()) if isinstance(value, str)] for name in texts}
    pools = ([*ROW_IDS[app], *told[name], *WORDS] for name in texts)
    for values in islice(product(*pools), 3000):
        made = {name: value if needed[name] == "?" else [value] for name, value in zip(texts, values, strict=True)}
        yield {**needed, **made}
    for name in args.model_fields:
        yield from ({**needed, name: value} for value in MEANT[app].get(name, ()))


def meant(app: str, owner: Route | Action) -> dict[str, Any]:
    """Required arguments that make sense by their names, though perhaps not together."""
    needed = required(owner.args, "?")
    return {name: MEANT[app].get(name, [value])[0] for name, value in needed.items()}
