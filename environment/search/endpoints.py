"""Search for endpoints: what a caller who knows what to do, but not the vendor, finds to do it with."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from environment.apps.kit import App
from environment.search.entry import entry
from environment.search.index import Index
from environment.search.words import aim, meant, reworded

_LONGEST = 2000
"""Characters of a question that are read."""
_MOST = 20
_OTHER_PRODUCT = 0.25
"""What an endpoint of another product than the one that is named is worth."""
_OTHER_ACCESS = 0.7
"""What an endpoint that writes is worth to a question that asks to look something up, and the other way round."""


def search(apps: tuple[App, ...], query: str, top_k: int) -> list[dict[str, Any]]:
    """The `top_k` endpoints (1 to 20) that fit the words of `query` best, best first; equals stand as declared."""
    index, question = _index(apps), reworded(query[:_LONGEST])
    scores = index.scores(meant(question))
    named, access = _named(apps, question.lower()), aim(question)
    for position in scores:
        app, route = index.entries[position]
        if named and app not in named:
            scores[position] *= _OTHER_PRODUCT
        if access and route.access != access:
            scores[position] *= _OTHER_ACCESS
    best = sorted(scores, key=lambda position: (-scores[position], position))
    return [entry(*index.entries[position]) for position in best[: max(1, min(top_k, _MOST))]]


def _named(apps: tuple[App, ...], query: str) -> list[App]:
    """The applications whose product is named by its whole name."""
    return [app for app in apps if re.search(rf"\b{re.escape(app.title.lower())}\b", query)]


@cache
def _index(apps: tuple[App, ...]) -> Index:
    return Index(apps)
