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
    scores = index.scores(_words(query[:2000]))
    best = sorted(((score, -position) for position, score in scores.items()), reverse=True)[: max(1, min(top_k, 20))]
    return [_entry(*index.entries[-position]) for _, position in best]


class _Index:
    def __init__(self, apps: tuple[App, ...]) -> None:
        self.entries = [(app, route) for app in apps for route in app.routes]
        counted = [Counter(_words(_text(app, route))) for app, route in self.entries]
        lengths = [counts.total() for counts in counted]
        mean = sum(lengths) / max(1, len(lengths))
        spread = Counter(word for counts in counted for word in counts)
        self._worth: dict[str, list[tuple[int, float]]] = {}
        """Word -> the entries that have it, each with what the word adds to its score."""
        for position, (counts, length) in enumerate(zip(counted, lengths, strict=True)):
            norm = _K1 * (1 - _B + _B * length / mean)
            for word, count in counts.items():
                rarity = math.log(1 + (len(self.entries) - spread[word] + 0.5) / (spread[word] + 0.5))
                worth = rarity * count * (_K1 + 1) / (count + norm)
                self._worth.setdefault(word, []).append((position, worth))

    def scores(self, words: list[str]) -> dict[int, float]:
        """Position of every entry that has one of the words -> its score."""
        scores: dict[int, float] = {}
        for word in words:
            for position, worth in self._worth.get(word, ()):
                scores[position] = scores.get(position, 0.0) + worth
        return scores


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
