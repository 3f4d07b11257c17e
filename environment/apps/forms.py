"""A form is a request's body as `name=value` pairs, whose names may lie in one another: `card[number]=42`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from environment.apps.kit import AppError, parse_json

_MOST = 1000
"""Pairs of a form."""
_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\]){1,8})")


def read_form(body: Any) -> Any:
    """The arguments that a form-encoded body holds; a JSON object is taken too. Raises AppError 400."""
    if isinstance(body, str):
        body = parse_json(body, "body") if body.lstrip().startswith("{") else _pairs(body)
    return nested(body) if isinstance(body, Mapping) else body


def nested(pairs: Mapping[str, Any]) -> dict[str, Any]:
    """`{"a[b]": 1, "c[]": [2], "d[0][e]": 3}` as `{"a": {"b": 1}, "c": [2], "d": [{"e": 3}]}`. Raises AppError 400."""
    found = _Parts()
    for name, value in pairs.items():
        match = _NAME.fullmatch(name)
        names = [match[1], *re.findall(r"\[(.*?)\]", match[2])] if match else [name]
        for each in value if "" in names and isinstance(value, list) else [value]:
            found.put(names, each)
    return {name: _told(value) for name, value in found.items()}


class _Parts(dict[str, Any]):
    """What was told in parts, by the names of the parts."""

    def put(self, names: Sequence[str], value: Any) -> None:
        parts, *inner = names
        name = parts or str(len(self))
        if inner:
            within = self.setdefault(name, _Parts())
            if not isinstance(within, _Parts):
                raise AppError(400, f"{name[:40]} is given both as a whole and in parts")
            within.put(inner, value)
        elif isinstance(self.get(name), _Parts):
            raise AppError(400, f"{name[:40]} is given both as a whole and in parts")
        else:
            self[name] = value


def _told(value: Any) -> Any:
    """Parts named 0, 1, 2, ... are a list."""
    if not isinstance(value, _Parts):
        return value
    told = {name: _told(part) for name, part in value.items()}
    places = [str(place) for place in range(len(told))]
    return [told[place] for place in places] if told.keys() == set(places) else told


def _pairs(text: str) -> dict[str, Any]:
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST)
    except ValueError:
        raise AppError(400, f"a form may have {_MOST} fields") from None
    found: dict[str, Any] = {}
    for name, value in pairs:
        held = found.get(name)
        found[name] = value if held is None else [*(held if isinstance(held, list) else [held]), value]
    return found
