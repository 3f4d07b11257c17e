"""The kit that every simulated application is declared with: arguments, routes, actions, refusals."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Annotated, Any, Literal, Protocol
from urllib.parse import quote

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetCoreSchemaHandler, ValidationError, create_model
from pydantic_core import CoreSchema

from environment.apps.guide import Guide, Hint
from environment.world import Row, Spell, Tables


def _at_first_complaint(schema: Any) -> None:
    """Make the lists of a schema stop at their first wrong element: nobody reads thirty thousand complaints."""
    if isinstance(schema, dict):
        if schema.get("type") in ("list", "tuple", "set", "frozenset"):
            schema["fail_fast"] = True
        for part in schema.values():
            _at_first_complaint(part)
    elif isinstance(schema, list):
        for part in schema:
            _at_first_complaint(part)


class Args(BaseModel):
    """Arguments of a route or action; an invented argument is refused in words the model can read."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        _at_first_complaint(schema)
        return schema


Many = Annotated[list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]
"""A query parameter that may be repeated."""


_LONGEST_SENTENCE = 1000
"""Characters of a refusal's sentence; many repeat what was sent, however long that was."""


class AppError(Exception):
    """A refusal that the model is meant to see: HTTP status, a sentence, the vendor's error code, further details."""

    def __init__(self, status: int, message: str, code: str = "", details: Any = None) -> None:
        if len(message) > _LONGEST_SENTENCE:
            message = f"{message[:_LONGEST_SENTENCE]}..."
        super().__init__(message)
        self.status, self.message, self.code, self.details = status, message, code, details


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler sees besides its arguments."""

    tables: Tables
    now: datetime
    """The world's clock at this call."""
    actor: Mapping[str, str]
    """`name`, `email`, `company`, `domain` of whom the agent acts as."""
    host: str = ""
    """Host that was asked, for links in the answer."""


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP answer: status, JSON body (None for an empty one) and the headers that matter."""

    status: int
    body: Any
    refusal: str = ""
    """What was refused in a sentence, where the body only says it in the vendor's codes."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Those that a caller needs, such as `Link` of a page or the id of what was created."""

    @property
    def refused(self) -> bool:
        """Whether it is a refusal, whatever status its vendor gives to one."""
        return self.status >= 400 or bool(self.refusal)


@dataclass(frozen=True, eq=False)
class Route:
    """One endpoint of a vendor's API."""

    name: str
    """Verb and noun, such as `list_messages`; unique in its application."""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    """Below the application's base path, with `{names}` of path arguments; `{name*}` also takes slashes."""
    access: Literal["read", "write"]
    args: type[Args]
    handler: Callable[[Call, Any], Any]
    """Returns the body (status 200), or a Response."""
    query: tuple[str, ...] = ()
    """Arguments that travel in the query string; GET and DELETE send all their non-path arguments there."""
    whole_body: str | None = None
    """Argument that is the entire JSON body, for endpoints whose body has no fixed keys."""
    wrapped: str | None = None
    """Argument that holds the fields of the body, as in `{"user": {...}}`; the route's action takes them as its own."""
    as_action: bool = True
    """Whether the `actions` toolset gets this route as a tool; False where a hand-written action does better."""
    keywords: str = ""
    """Further words that a user may look this endpoint up by."""
    hint: Hint | None = None
    """An example and what it answers, unless the application's guide has one."""
    methods_also: tuple[str, ...] = ()
    """Other HTTP methods that do the same."""
    host: str = ""
    """Host, where it is not the application's own; it must be among the application's `hosts_also`."""

    @property
    def doc(self) -> str:
        """What it does: the first line of its handler's docstring."""
        return (self.handler.__doc__ or "").strip().splitlines()[0]

    @cached_property
    def path_names(self) -> tuple[str, ...]:
        return tuple(re.findall(r"\{(\w+)\*?\}", self.path))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        parts = re.split(r"(\{\w+\*?\})", self.path)
        expressions = [_segment(part) if part.startswith("{") else re.escape(part) for part in parts]
        return re.compile("".join(expressions) + r"/?")

    def in_query(self, name: str) -> bool:
        return name in self.query or self.method in ("GET", "DELETE")


@dataclass(frozen=True, eq=False)
class Action:
    """A named function tool: a small script of one or more requests to its application's API."""

    name: str
    """Unique over all applications, such as `gmail_send_email`."""
    access: Literal["read", "write"]
    doc: str
    args: type[Args]
    """Every field has a description; types are str, int, float, bool, Literal of str, or lists of these."""
    run: Callable[[Fetch, Any], Any]
    """Returns what the model reads; a failed request ends it with the vendor's error."""


class Fetch(Protocol):
    """How an action makes requests; `path` is below the base path, or a whole URL. A refusal ends the action."""

    def __call__(self, method: str, path: str, params: Mapping[str, Any] | None = None, body: Any = None) -> Any:
        """The JSON body of the answer."""

    def response(self, method: str, path: str, params: Mapping[str, Any] | None = None, body: Any = None) -> Response:
        """The whole answer, for vendors that say something in its headers."""


def bad_arguments(error: ValidationError) -> AppError:
    """The usual refusal of arguments that are missing, unknown or of the wrong type: 400."""
    return AppError(400, explain(error))


@dataclass(frozen=True, eq=False)
class App:
    """One simulated application."""

    name: str
    title: str
    """The product's name as people write it."""
    host: str
    """Host name; `{org}` stands for any one label, such as the customer's subdomain."""
    base_path: str
    rows: tuple[type[Row], ...]
    ids: Mapping[type[Row], Spell]
    """How the n-th id of a row type is spelled, unless it is made of other fields, or of something that it is in."""
    routes: tuple[Route, ...]
    error_body: Callable[[AppError], Any]
    """The vendor's JSON for a refusal."""
    argument_error: Callable[[ValidationError], AppError] = bad_arguments
    """The vendor's refusal of arguments that are missing, unknown or of the wrong type."""
    derived: Mapping[type[Row], frozenset[str]] = field(default_factory=dict)
    """Fields that the application computes itself; the verdict ignores them unless a matcher asks."""
    actions: tuple[Action, ...] = ()
    """Hand-written actions; every route with `as_action` is one too."""
    error_status: int | None = None
    """HTTP status of every refusal, for vendors that answer errors with 200."""
    hosts_also: tuple[str, ...] = ()
    """Other hosts that are answered too, because people often write them."""
    base_path_also: str | None = None
    """Regular expression of other base paths that are answered alike, such as other versions of the API."""
    forms: bool = False
    """Whether bodies are form-encoded, with `a[b]=c` in them and in query strings; JSON objects are taken too."""
    ending: str = ""
    """Ending that every path may have, such as `.json`; routes are written without."""
    guide: Guide = field(default_factory=Guide)
    """What a search for endpoints knows of it besides its routes."""

    @cached_property
    def host_pattern(self) -> re.Pattern[str]:
        spellings = (self.host, *self.hosts_also)
        return re.compile("|".join(r"[a-z0-9-]+".join(map(re.escape, host.split("{org}"))) for host in spellings))

    @cached_property
    def all_actions(self) -> tuple[Action, ...]:
        return self.actions + tuple(_route_action(self, route) for route in self.routes if route.as_action)

    def below(self, path: str) -> str | None:
        """The part of a path below the base path, None for a path that is not below it."""
        path = path.removesuffix(self.ending)
        if path.startswith(self.base_path):
            return path[len(self.base_path) :]
        other = re.match(self.base_path_also, path) if self.base_path_also else None
        return path[other.end() :] if other else None

    def url(self, path: str, org: str = "acme") -> str:
        return f"https://{self.host.replace('{org}', org)}{self.base_path}{path}"


def bounded(records: Sequence[Any], most: int, more: str) -> Any:
    """A list as an action answers it: whole, or its first `most` records and how to come by the others."""
    if len(records) <= most:
        return records
    return {"records": records[:most], "more": f"{len(records) - most} more; {more}"}


def parse_json(text: Any, what: str) -> Any:
    """`text` as JSON data when it is a string (decoded twice when it was encoded twice), else as it is.

    Numbers beyond all bounds are refused and halves of surrogate pairs become question marks: neither can be written
    down again. Raises AppError 400 with a sentence when the string is not JSON.
    """
    for _ in range(2):
        if not isinstance(text, str):
            return text
        try:
            escaped = "\\ud" in text.lower()
            text = _DECODER.decode(_well_formed(text)) if text.strip() else None
            if escaped:
                text = _DECODER.decode(_well_formed(json.dumps(text, ensure_ascii=False)))
        except (ValueError, RecursionError):
            raise AppError(400, f"{what} is not valid JSON") from None
    return text


def explain(error: ValidationError) -> str:
    """The first complaints of a failed validation as one sentence that names the arguments."""
    complaints = []
    for item in error.errors(include_url=False)[:3]:
        where = ".".join(map(str, item["loc"]))[:80] or "arguments"
        if item["type"] == "extra_forbidden":
            complaints.append(f"unknown argument '{where}'")
        elif item["type"] == "missing":
            complaints.append(f"missing argument '{where}'")
        else:
            complaints.append(f"'{where}': {item['msg'][:200]}")
    return "; ".join(complaints)


def digits_id(prefix: str = "", width: int = 0, start: int = 0) -> Spell:
    """Speller of ids such as AGT-0042: `prefix`, then the count after `start`, zero-padded to `width` digits."""
    return lambda count: f"{prefix}{start + count:0{width}d}"


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is no finite number")
    return number


def _well_formed(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)


def _segment(part: str) -> str:
    name = part.strip("{}")
    return f"(?P<{name[:-1]}>.+?)" if name.endswith("*") else f"(?P<{name}>[^/]+?)"


def _route_action(app: App, route: Route) -> Action:
    def run(fetch: Fetch, args: Args) -> Any:
        given = args.model_dump(exclude_unset=True)
        path = route.path
        for name in route.path_names:
            value = quote(str(given.pop(name)), safe="")
            path = path.replace(f"{{{name}}}", value).replace(f"{{{name}*}}", value)
        params = {name: given.pop(name) for name in list(given) if route.in_query(name)}
        body = given[route.whole_body] if route.whole_body else {route.wrapped: given} if route.wrapped else given
        return fetch(route.method, path, params or None, body if route.method not in ("GET", "DELETE") else None)

    args = _unwrapped(route.args, route.wrapped) if route.wrapped else route.args
    return Action(f"{app.name}_{route.name}", route.access, route.doc, args, run)


def _unwrapped(args: type[Args], name: str) -> type[Args]:
    """The arguments with the fields of the one called `name` in its place."""
    fields = dict(args.model_fields)
    inner: Any = fields.pop(name).annotation
    fields.update(inner.model_fields)
    given: dict[str, Any] = {name: (info.annotation, info) for name, info in fields.items()}
    return create_model(f"{args.__name__}Unwrapped", __base__=inner.__base__, **given)
