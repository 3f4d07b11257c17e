"""The server stands for every vendor's API: it finds the route of a URL, checks the arguments and calls the handler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import ValidationError

from environment.apps.forms import nested, read_form
from environment.apps.kit import App, AppError, Call, Response, Route
from environment.world import Tables, Whole, World

TICK = timedelta(seconds=1)
"""How far the world's clock moves with every request."""
_LONGEST_HOST = 253
"""Characters of a host's name, after RFC 1035; hosts are looked up once and kept."""
_LONGEST_PATH = 64_000
"""Characters of a path; finding the route of a longer one would take long, and nothing has a name so long."""

_SHORT = 300
"""Characters of a URL whose place and route are kept; actions ask for the same few again and again."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it was made: method, absolute URL, query parameters, JSON body."""

    method: str
    url: str
    params: Mapping[str, Any] | None
    body: Any


class Server:
    """All applications over one world."""

    def __init__(self, apps: tuple[App, ...], world: World, actor: Mapping[str, str]) -> None:
        self._apps, self._world, self._actor = apps, world, actor
        self.requests: list[Request] = []

    def fetch(self, method: str, url: str, params: Mapping[str, Any] | None = None, body: Any = None) -> Response:
        """The vendor's answer. Never raises for anything a caller sends; an exception here is a bug of ours."""
        self.requests.append(Request(method, url, params, body))
        self._world.now += TICK
        place = (_kept_place if len(url) <= _SHORT else _place)(self._apps, url)
        if place is None:
            return _unreachable(url)
        app = place.app
        try:
            query = _query(place.query, params)
            return self._answer(app, method.upper(), place.host, place.path, query, body)
        except AppError as error:
            return Response(app.error_status or error.status, app.error_body(error), error.message or "refused")

    def takes_forms(self, url: str) -> bool:
        """Whether a body sent there may be a form, so that its text is not JSON."""
        place = _place(self._apps, url)
        return place is not None and place.app.forms

    def whole(self) -> Whole:
        """Requests that are one piece of work: refused, it leaves the world as it was, however far it had got."""
        return self._world.whole()

    def _answer(self, app: App, method: str, host: str, path: str, query: dict[str, Any], body: Any) -> Response:
        route, found = (_kept_route if len(path) <= _SHORT else _route)(app, method, path)
        if app.forms:
            query, body = nested(query), read_form(body)
        given = _arguments(route, found, query, body)
        try:
            args = route.args.model_validate(given)
        except ValidationError as error:
            raise app.argument_error(error) from None
        tables = Tables(self._world, app.name, app.ids)
        call = Call(tables, self._world.now, self._actor, host)
        with self.whole():
            answer = route.handler(call, args)
        return answer if isinstance(answer, Response) else Response(200, answer)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a URL leads."""

    app: App
    host: str
    path: str
    query: str


def _place(apps: tuple[App, ...], url: str) -> _Place | None:
    """None for a URL of no application's host."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return None
    hosted = _hosted(apps, host) if len(host) <= _LONGEST_HOST else ()
    if not hosted:
        return None
    app = hosted[0]
    if len(hosted) > 1:
        app = max(hosted, key=lambda app: (app.below(parts.path) is not None, len(app.base_path)))
    return _Place(app, host, parts.path, parts.query)


_kept_place = lru_cache(maxsize=4096)(_place)


@lru_cache(maxsize=1024)
def _hosted(apps: tuple[App, ...], host: str) -> tuple[App, ...]:
    return tuple(app for app in apps if app.host_pattern.fullmatch(host))


def _unreachable(url: str) -> Response:
    return Response(404, {"error": {"code": 404, "message": f"Could not resolve the host of {url[:200]!r}"}})


def _query(text: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
    query: dict[str, Any] = {}
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=200) if text else []
    except ValueError:
        raise AppError(400, "too many query parameters") from None
    for name, value in pairs:
        if name in query:
            query[name] = [*(query[name] if isinstance(query[name], list) else [query[name]]), value]
        else:
            query[name] = value
    return {**query, **(params or {})}


def _route(app: App, method: str, path: str) -> tuple[Route, Mapping[str, str]]:
    rest = app.below(path)
    if rest is None or len(rest) > _LONGEST_PATH:
        raise AppError(404, f"No such path: {path[:200]}", "NOT_FOUND")
    routes = _routes(app, rest.count("/"), rest.endswith("/"))
    for route in routes.get(method, ()):
        match = route.pattern.fullmatch(rest)
        if match:
            return route, {name: unquote(value) for name, value in match.groupdict().items()}
    if any(route.pattern.fullmatch(rest) for others in routes.values() for route in others):
        raise AppError(405, f"Method {method[:20]} is not allowed for {path[:200]}", "METHOD_NOT_ALLOWED")
    raise AppError(404, f"No such path: {path[:200]}", "NOT_FOUND")


_kept_route = lru_cache(maxsize=4096)(_route)


@lru_cache(maxsize=4096)
def _routes(app: App, slashes: int, trailing: bool) -> Mapping[str, tuple[Route, ...]]:
    """Method -> the routes that a path with so many slashes can be one of, in the order of the table."""
    fitting = {slashes, slashes - trailing}
    found: dict[str, tuple[Route, ...]] = {}
    for route in app.routes:
        depth = route.path.count("/")
        if depth in fitting or ("*}" in route.path and depth <= slashes):
            for method in dict.fromkeys((route.method, *route.methods_also)):
                found[method] = (*found.get(method, ()), route)
    return found


def _arguments(route: Route, found: Mapping[str, str], query: dict[str, Any], body: Any) -> dict[str, Any]:
    if route.whole_body:
        return {**query, route.whole_body: {} if body is None else body, **found}
    if body is None or body == "":
        return {**query, **found}
    if not isinstance(body, Mapping):
        raise AppError(400, f"The body must be a JSON object, given {type(body).__name__}", "INVALID_BODY")
    return {**query, **body, **found}


Fetcher = Callable[[str, str, Mapping[str, Any] | None, Any], Response]
"""The shape of `Server.fetch`."""


def parse_now(text: str) -> datetime:
    """The world's clock from ISO 8601 with an offset. Raises ValueError without one."""
    now = datetime.fromisoformat(text)
    if now.tzinfo is None:
        raise ValueError(f"the world's clock {text!r} has no UTC offset; add one, such as +00:00")
    return now
