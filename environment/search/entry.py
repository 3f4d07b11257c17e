"""An entry is what a search shows of one endpoint: all that it takes to call it and to read its answer, cut to size."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, get_args

from pydantic import BaseModel

from environment.apps.guide import Hint
from environment.apps.kit import App, Route
from environment.specs import parameters_schema

_SIZE = 1200
"""Characters of an entry; arguments that it can do without are only named in a longer one."""
_IDLE = ("Ignored", "Read-only", "Deprecated", "Has no effect")
"""Beginnings of the descriptions of arguments that nobody needs."""
_NO_HINT = Hint()


@lru_cache(maxsize=4096)
def entry(app: App, route: Route) -> dict[str, Any]:
    """The entry as JSON data, the same object each time: to be written down, not to be changed."""
    hint = hint_of(app, route)
    arguments = _arguments(app, route)
    shown: dict[str, Any] = {
        "app": app.title,
        "name": route.name,
        "method": route.method,
        "url": f"https://{route.host or app.host}{app.base_path}{route.path}".replace("*}", "}"),
        "description": (route.handler.__doc__ or "").strip(),
        "arguments": arguments,
        "other": [],
    }
    request = {"params": hint.params, "body": hint.body}
    if example := {name: value for name, value in request.items() if value is not None}:
        shown["example"] = example
    if hint.answers:
        shown["answers"] = hint.answers
    if paging := [told for name, told in app.guide.paging.items() if name in arguments]:
        shown["paging"] = paging[0]
    for name in _least_needed(arguments, hint):
        if len(json.dumps(shown, ensure_ascii=False, separators=(",", ":"))) <= _SIZE:
            break
        del arguments[name]
        shown["other"].append(name)
    shown["other"].reverse()
    if not shown["other"]:
        del shown["other"]
    return shown


def hint_of(app: App, route: Route) -> Hint:
    """The example of a route, an empty one when there is none."""
    return app.guide.hints.get(route.name) or route.hint or _NO_HINT


def _arguments(app: App, route: Route) -> dict[str, dict[str, Any]]:
    """Name -> where it goes, its type, what it is and whether it must be given."""
    schema = parameters_schema(route.args)
    found: dict[str, dict[str, Any]] = {}
    if "{org}" in (route.host or app.host):
        found["org"] = {"in": "host", "type": "string", "description": "The company's name in one word"}
    fields = {info.alias or name: info for name, info in route.args.model_fields.items()}
    for name, shape in schema["properties"].items():
        if shape.get("description", "").startswith(_IDLE):
            continue
        told = {"in": _place(route, name), **shape}
        if told.get("items") == {"type": "object"}:
            del told["items"]
        if (inside := _inside(fields[name].annotation)) and inside not in shape.get("description", ""):
            told["fields"] = inside
        if name in schema.get("required", ()):
            told["required"] = True
        found[name] = told
    return found


def _place(route: Route, name: str) -> str:
    if name in route.path_names:
        return "path"
    if name == route.whole_body:
        return "whole body"
    return "query" if route.in_query(name) or route.whole_body else "body"


def _inside(annotation: Any) -> str:
    """What an object holds, in a line: its fields, with the values that one of a few is chosen from."""
    for kind in (annotation, *get_args(annotation)):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return ", ".join(_inside_field(name, shape) for name, shape in _properties(kind).items())
    return ""


def _inside_field(name: str, shape: Mapping[str, Any]) -> str:
    return f"{name} ({'|'.join(shape['enum'])})" if "enum" in shape else name


def _properties(kind: type[BaseModel]) -> dict[str, Any]:
    properties: dict[str, Any] = parameters_schema(kind)["properties"]
    return {name: shape for name, shape in properties.items() if not shape.get("description", "").startswith(_IDLE)}


def _least_needed(arguments: dict[str, dict[str, Any]], hint: Hint) -> list[str]:
    """Arguments that an entry can do without, the last ones first: not required, not in the example."""
    shown = {*(hint.params or {}), *(hint.body if isinstance(hint.body, Mapping) else {})}
    return [name for name in reversed(arguments) if not arguments[name].get("required") and name not in shown]
