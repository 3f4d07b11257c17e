"""An index finds the endpoints that fit a question best: BM25F over what each is called, does and takes.

BM25F is that of Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.6:
a term's counts in the fields of an endpoint are weighted, normalised by each field's length and added up before they
saturate. k1 is its usual 1.2; weights and b of the fields are those of `_FIELDS`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from environment.apps.kit import App, Route
from environment.search.words import terms
from environment.specs import parameters_schema

_K1 = 1.2
_UNSAID = 0.4
"""What an endpoint loses when no word of its name was said: `add_contact_history` when somebody adds a contact."""


@dataclass(frozen=True, slots=True)
class _Field:
    weight: float
    b: float
    """How much a longer text counts for less, from 0 to 1."""


_FIELDS: Mapping[str, _Field] = {
    "name": _Field(3.0, 0.4),
    "doc": _Field(2.0, 0.5),
    "keywords": _Field(2.0, 0.5),
    "product": _Field(1.5, 0.0),
    "path": _Field(0.6, 0.5),
    "arguments": _Field(0.3, 0.6),
}


class Index:
    """What is known of every endpoint of some applications; built once."""

    def __init__(self, apps: tuple[App, ...]) -> None:
        self.entries: tuple[tuple[App, Route], ...] = tuple((app, route) for app in apps for route in app.routes)
        self._found: dict[str, list[tuple[int, float]]] = {}
        """Term -> the endpoints that have it, each with how much it has of it, from 0 to 1."""
        self._names = [_name_parts(app, route) for app, route in self.entries]
        texts = [_texts(app, route) for app, route in self.entries]
        counted = [{name: Counter(terms(text)) for name, text in fields.items()} for fields in texts]
        weighed = _weighed(counted)
        for position, found in enumerate(weighed):
            for term, count in found.items():
                self._found.setdefault(term, []).append((position, count / (_K1 + count)))

    def scores(self, wanted: Sequence[Mapping[str, float]]) -> dict[int, float]:
        """Position of every endpoint that fits -> its score. Each wanted word is given as terms and what they weigh.

        The terms of a word count as one: the best of them, as rare as the first that is known. Otherwise a seldom
        word that merely says the same would be worth more than the word itself.
        """
        scores: dict[int, float] = {}
        for word in wanted:
            best: dict[int, float] = {}
            for term, weight in word.items():
                for position, share in self._found.get(term, ()):
                    best[position] = max(best.get(position, 0.0), weight * share)
            spread = next((len(self._found[term]) for term in word if term in self._found), 0)
            rarity = math.log(1 + (len(self.entries) - spread + 0.5) / (spread + 0.5))
            for position, share in best.items():
                scores[position] = scores.get(position, 0.0) + rarity * share
        said = {term for word in wanted for term in word}
        for position in scores:
            parts = self._names[position]
            scores[position] *= 1 - _UNSAID * sum(map(said.isdisjoint, parts)) / max(1, len(parts))
        return scores


def _texts(app: App, route: Route) -> dict[str, str]:
    properties = parameters_schema(route.args)["properties"]
    told = (f"{name} {shape.get('description', '')}" for name, shape in properties.items())
    return {
        "name": route.name,
        "doc": route.handler.__doc__ or "",
        "keywords": f"{route.keywords} {_called(app, route)}",
        "product": f"{app.title} {app.guide.words}",
        "path": route.path,
        "arguments": " ".join(told),
    }


def _called(app: App, route: Route) -> str:
    """What people call the things that the route is named after."""
    name = set(terms(route.name.replace("_", " ")))
    glossary = app.guide.glossary.items()
    return " ".join(words for thing, words in glossary if name.issuperset(terms(thing.replace("_", " "))))


def _name_parts(app: App, route: Route) -> list[frozenset[str]]:
    """For each word of the route's name, the terms that say it."""
    parts = []
    for word in terms(route.name.replace("_", " ")):
        called = (words for thing, words in app.guide.glossary.items() if word in terms(thing.replace("_", " ")))
        parts.append(frozenset([word, *terms(" ".join(called)), *terms(route.keywords)]))
    return parts


def _weighed(counted: Sequence[Mapping[str, Counter[str]]]) -> list[dict[str, float]]:
    """For each endpoint, term -> its count over all fields, weighted and normalised."""
    mean = {name: sum(fields[name].total() for fields in counted) / max(1, len(counted)) for name in _FIELDS}
    weighed = []
    for fields in counted:
        found: dict[str, float] = {}
        for name, field in _FIELDS.items():
            norm = 1 - field.b + field.b * fields[name].total() / (mean[name] or 1)
            for term, count in fields[name].items():
                found[term] = found.get(term, 0.0) + field.weight * count / norm
        weighed.append(found)
    return weighed
