"""A toolset is the way in to a world that a model is given: the tools it is shown and what a call of one answers."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from environment.apps.kit import Action, App, AppError, Response, explain, parse_json
from environment.record import content_hash
from environment.search.endpoints import search
from environment.server import Server
from environment.specs import function_spec

_LONGEST_ARGUMENTS = 100_000
"""Characters of a call's arguments: more than a model writes in one turn, and few enough to read in milliseconds."""
_ArgsT = TypeVar("_ArgsT", bound=BaseModel)
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_WRITTEN = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


class Toolset(Protocol):
    """What an episode needs of a toolset."""

    @property
    def specs(self) -> list[dict[str, Any]]:
        """Tool specifications in the order in which the model sees them."""

    def call(self, name: str, arguments: Any) -> str:
        """The tool's answer as JSON text; whatever a model sends is answered, never raised."""


class ActionTools:
    """One named function tool per operation."""

    def __init__(self, server: Server, apps: tuple[App, ...], names: tuple[str, ...]) -> None:
        """Offers `names` in their order. Raises ValueError for a name that no application has."""
        self._server = server
        known = _all_actions(apps, tuple(app.all_actions for app in apps))
        if unknown := [name for name in names if name not in known]:
            raise ValueError(f"no application has an action {unknown[0]!r}; see environment/apps for their names")
        self._actions = {name: known[name] for name in names}

    @cached_property
    def specs(self) -> list[dict[str, Any]]:
        return [function_spec(action.name, action.doc, action.args) for _, action in self._actions.values()]

    def call(self, name: str, arguments: Any) -> str:
        if name not in self._actions:
            return _error(f"there is no tool {name[:80]!r}; use one of {', '.join(self._actions)}")
        app, action = self._actions[name]
        try:
            given = _read(action.args, arguments)
            with self._server.whole():
                result = action.run(_Fetch(self._server, app), given)
        except AppError as error:
            return _error(error.message)
        return compact({"ok": True} if result is None else result)


class _SearchArgs(BaseModel):
    model_config = ConfigDict(extra="forbid")
    query: str = Field(description="What you want to do, in words")
    top_k: int = Field(5, description="How many endpoints to return, 1 to 20")


class _FetchArgs(BaseModel):
    model_config = ConfigDict(extra="forbid")
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = Field(description="HTTP method")
    url: str = Field(description="Full URL of the vendor's API")
    params: Any = Field(None, description="Query parameters as a JSON object in a string")
    body: Any = Field(None, description="Request body as JSON in a string")


class _EncodeArgs(BaseModel):
    model_config = ConfigDict(extra="forbid")
    text: str = Field(description="Text to encode")


class ApiTools:
    """Three tools over the vendors' own APIs: find an endpoint, call it, encode text as base64url."""

    def __init__(self, server: Server, apps: tuple[App, ...]) -> None:
        self._server, self._apps = server, apps

    @cached_property
    def specs(self) -> list[dict[str, Any]]:
        return [
            function_spec("api_search", "Find endpoints of the connected applications.", _SearchArgs),
            _text_arguments(function_spec("api_fetch", "Call an endpoint; answers its JSON.", _FetchArgs)),
            function_spec("base64_encode", "Encode text as URL-safe base64 without padding.", _EncodeArgs),
        ]

    def call(self, name: str, arguments: Any) -> str:
        try:
            if name == "api_search":
                wanted = _read(_SearchArgs, arguments)
                return compact(search(self._apps, wanted.query, wanted.top_k))
            if name == "api_fetch":
                return self._fetch(_read(_FetchArgs, arguments))
            if name == "base64_encode":
                text = _read(_EncodeArgs, arguments).text
                encoded = base64.urlsafe_b64encode(text.encode("utf-8", "replace")).decode().rstrip("=")
                return compact({"encoded": encoded})
        except AppError as error:
            return _error(error.message)
        return _error(f"there is no tool {name[:80]!r}; use api_search, api_fetch or base64_encode")

    def _fetch(self, args: _FetchArgs) -> str:
        params = parse_json(args.params, "params")
        if params is not None and not isinstance(params, Mapping):
            raise AppError(400, "params must be a JSON object")
        body = args.body if self._server.takes_forms(args.url) else parse_json(args.body, "body")
        response = self._server.fetch(args.method, args.url, params, body)
        if response.status >= 400:
            return compact({"error": {"code": response.status, "message": _refusal(response), "body": response.body}})
        if response.headers:
            return compact({"headers": response.headers, "body": response.body})
        return compact({} if response.body is None else response.body)


def toolset_hash(apps: tuple[App, ...]) -> str:
    """Hash of every action's specification: a policy trained on other tools must not be mistaken for this one's."""
    specs = [function_spec(action.name, action.doc, action.args) for app in apps for action in app.all_actions]
    return content_hash(specs)


def compact(value: Any) -> str:
    """JSON without blanks, the way every tool answers."""
    return _COMPACT.encode(value)


@lru_cache
def _all_actions(apps: tuple[App, ...], actions: tuple[tuple[Action, ...], ...]) -> Mapping[str, tuple[App, Action]]:
    """Name -> the application and its action; `actions` are those of each of the applications."""
    return {action.name: (app, action) for app, offered in zip(apps, actions, strict=True) for action in offered}


class _Fetch:
    """An action's requests to its application."""

    __slots__ = ("_app", "_server")

    def __init__(self, server: Server, app: App) -> None:
        self._server, self._app = server, app

    def __call__(self, method: str, path: str, params: Mapping[str, Any] | None = None, body: Any = None) -> Any:
        return self.response(method, path, params, body).body

    def response(self, method: str, path: str, params: Mapping[str, Any] | None = None, body: Any = None) -> Response:
        url = path if path.startswith("https://") else self._app.url(path)
        response = self._server.fetch(method, url, params, body)
        if response.refused:
            raise AppError(response.status, _refusal(response))
        return response


def _read(kind: type[_ArgsT], arguments: Any) -> _ArgsT:
    """A tool's arguments from JSON text or data. Raises AppError 400 with a sentence for whatever is none."""
    text = arguments if isinstance(arguments, str) else _written(arguments)
    if len(text) > _LONGEST_ARGUMENTS:
        raise AppError(400, f"the arguments have {len(text):,} characters; send at most {_LONGEST_ARGUMENTS:,}")
    given = parse_json(text if text is arguments or not _is_well_formed(text) else arguments, "the arguments")
    if given is not None and not isinstance(given, Mapping):
        raise AppError(400, "the arguments must be a JSON object")
    try:
        return kind.model_validate({} if given is None else given)
    except ValidationError as error:
        raise AppError(400, explain(error)) from None


def _written(arguments: Any) -> str:
    """Arguments that come as data, as JSON text: they are held to the same as those that come as text."""
    try:
        return _WRITTEN.encode(arguments)
    except (ValueError, RecursionError):
        raise AppError(400, "the arguments are not valid JSON") from None


def _is_well_formed(text: str) -> bool:
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _refusal(response: Response) -> str:
    return response.refusal or _sentence(response.body)


def _sentence(body: Any) -> str:
    """The human-readable sentence inside a vendor's error body."""
    if isinstance(body, list):
        return _sentence(body[0]) if body else "refused"
    if isinstance(body, Mapping):
        for name in ("message", "error_description", "detail", "Message", "title"):
            if isinstance(body.get(name), str):
                return body[name]
        return _sentence(body["error"]) if "error" in body else compact(body)
    return str(body)


def _error(sentence: str) -> str:
    return compact({"error": sentence})


def _text_arguments(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification of api_fetch says that params and body are strings; objects are taken too."""
    for name in ("params", "body"):
        shape = spec["function"]["parameters"]["properties"][name]
        spec["function"]["parameters"]["properties"][name] = {"type": "string", **shape}
    return spec
