"""Endpoint search: BM25 over what each endpoint is called and does (Robertson and Zaragoza 2009, k1 1.2, b 0.75)."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from typing import Any

from environment.apps.kit import App, Route
from environment.specs import parameters_schema

_K1, _B = 1.2, 0.75


def search(apps: tuple[App, ...], query: str, top_k: int) -> list[dict[str, Any]]:
    """The `top_k` endpoints that fit the words of `query` best, best first, each with its URL and arguments."""
    index = _index(apps)
    words = _words(query[:2000])
    scores = [(index.score(words, position), -position) for position in range(len(index.entries))]
    best = sorted((pair for pair in scores if pair[0] > 0), reverse=True)[: max(1, min(top_k, 20))]
    return [_entry(*index.entries[-position]) for _, position in best]


class _Index:
    def __init__(self, apps: tuple[App, ...]) -> None:
        self.entries = [(app, route) for app in apps for route in app.routes]
        self._counts = [Counter(_words(_text(app, route))) for app, route in self.entries]
        lengths = [counts.total() for counts in self._counts]
        mean = sum(lengths) / max(1, len(lengths))
        self._norms = [_K1 * (1 - _B + _B * length / mean) for length in lengths]
        self._spread = Counter(word for counts in self._counts for word in counts)

    def score(self, words: list[str], position: int) -> float:
        counts, norm, total = self._counts[position], self._norms[position], len(self.entries)
        score = 0.0
        for word in words:
            if counts[word]:
                rarity = math.log(1 + (total - self._spread[word] + 0.5) / (self._spread[word] + 0.5))
                score += rarity * counts[word] * (_K1 + 1) / (counts[word] + norm)
        return score


@cache
def _index(apps: tuple[App, ...]) -> _Index:
    return _Index(apps)


def _text(app: App, route: Route) -> str:
    name = route.name.replace("_", " ")
    return f"{app.title} {app.name} {name} {name} {route.doc} {route.keywords} {' '.join(route.args.model_fields)}"


def _entry(app: App, route: Route) -> dict[str, Any]:
    schema = parameters_schema(route.args)
    located = {
        name: {"in": _place(route, name), **shape, **({"required": True} if name in schema.get("required", ()) else {})}
        for name, shape in schema["properties"].items()
    }
    return {
        "app": app.title,
        "name": route.name,
        "method": route.method,
        "url": f"https://{route.host or app.host}{app.base_path}{route.path}".replace("*}", "}"),
        "description": (route.handler.__doc__ or "").strip(),
        "arguments": located,
    }


def _place(route: Route, name: str) -> str:
    if name in route.path_names:
        return "path"
    if name == route.whole_body:
        return "whole body"
    return "query" if route.in_query(name) else "body"


def _words(text: str) -> list[str]:
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    return [_stem(word) for word in re.findall(r"[a-z0-9]+", spaced.lower())]


def _stem(word: str) -> str:
    for ending in ("ing", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
