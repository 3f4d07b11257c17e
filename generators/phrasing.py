"""A phrasing is one of the ways in which a template says the same thing; a template file holds several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

TEMPLATES = Path(__file__).parent / "templates"
_ENGINE = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
_SLOT = re.compile(r"\{\{ (\w+(?:\.\w+)*) \}\}")


@dataclass(frozen=True, slots=True)
class Plain:
    """A phrasing with nothing but slots such as `{{ name }}` and `{{ bill.total }}`: the same text, much faster."""

    form: str
    """For `%` with a value for each slot."""
    slots: tuple[tuple[str, ...], ...]
    """A fact and the attributes that lead on from it."""

    def render(self, **facts: Any) -> str:
        """The text. Raises jinja2.UndefinedError when a fact is missing."""
        return self.form % tuple([str(_found(facts, slot)) for slot in self.slots])


def phrase(rng: Random, template: str, **facts: Any) -> str:
    """One phrasing of `templates/<template>.j2`, filled with the facts.

    Phrasings are separated by a line of three dashes. Raises jinja2.UndefinedError when a fact is missing.
    """
    return rng.choice(phrasings(template)).render(**facts)


def joined(sentences: Sequence[str]) -> str:
    """One text of several; only its very first letter may be a small one."""
    text = " ".join(text if not place else sentence(text) for place, text in enumerate(sentences))
    return text.replace("\n ", "\n").rstrip()


def sentence(text: str) -> str:
    """The text with a capital letter first."""
    return text[:1].upper() + text[1:]


def one_post_each(count: int) -> tuple[str, ...]:
    """The sentence that a request for several posts owes, since each is judged by itself; nothing for a single one."""
    return ("One post for each, please, naming it.",) if count > 1 else ()


@cache
def phrasings(template: str) -> tuple[Plain | Template, ...]:
    """Every phrasing of a template file, in order. Raises ValueError when there is no such file."""
    path = TEMPLATES / f"{template}.j2"
    if not path.is_file():
        raise ValueError(f"there is no template {template!r}; add generators/templates/{template}.j2")
    return tuple(_phrasing(part.strip()) for part in path.read_text("utf-8").split("\n---\n"))


def _phrasing(text: str) -> Plain | Template:
    parts = _SLOT.split(text)
    if "{" in "".join(parts[::2]):
        return _ENGINE.from_string(text)
    form = "%s".join(part.replace("%", "%%") for part in parts[::2])
    return Plain(form, tuple(tuple(slot.split(".")) for slot in parts[1::2]))


def _found(facts: dict[str, Any], slot: tuple[str, ...]) -> Any:
    name, *attributes = slot
    value = facts[name] if name in facts else _ENGINE.undefined(name=name)
    for attribute in attributes:
        value = _ENGINE.getattr(value, attribute)
    return value
