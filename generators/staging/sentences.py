"""A sentence is a phrasing whose slots were found once, so that filling it costs next to nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from generators.phrasing import TEMPLATES

_SLOT = re.compile(r"\{\{ (\w+) \}\}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One phrasing of a template that has nothing but plain slots."""

    form: str
    """For `%` with a value for each slot."""
    slots: tuple[str, ...]
    """Names in the order of the text; none twice."""


@cache
def sentences(template: str) -> tuple[Sentence, ...]:
    """Every phrasing of `templates/<template>.j2`, in order.

    Raises ValueError when there is no such file, or when a phrasing has anything but plain slots, each once.
    """
    path = TEMPLATES / f"{template}.j2"
    if not path.is_file():
        raise ValueError(f"there is no template {template!r}; add generators/templates/{template}.j2")
    return tuple(_sentence(part.strip(), template) for part in path.read_text("utf-8").split("\n---\n"))


@cache
def topics(folder: str) -> tuple[str, ...]:
    """Names of the templates in `templates/<folder>`, each as it is given to `sentences`."""
    return tuple(f"{folder}/{path.stem}" for path in sorted((TEMPLATES / folder).glob("*.j2")))


def _sentence(text: str, template: str) -> Sentence:
    literals, slots = _SLOT.split(text)[::2], tuple(_SLOT.findall(text))
    if "{" in "".join(literals) or len(set(slots)) < len(slots):
        raise ValueError(f"{template} says {text!r}; use plain slots such as {{{{ person }}}}, each once in a phrasing")
    return Sentence("%s".join(literal.replace("%", "%%") for literal in literals), slots)
