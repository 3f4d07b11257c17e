from __future__ import annotations

import pytest
from jinja2 import Environment, StrictUndefined, UndefinedError

from generators.phrasing import TEMPLATES, Plain, phrasings

ENGINE = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)


class Anything:
    """A fact that has every attribute, and says which one it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __getattr__(self, name: str) -> Anything:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(f"{self.text} of {name} 100%")

    def __str__(self) -> str:
        return self.text


def test_every_plain_phrasing_says_what_the_template_engine_says():
    plain = 0
    for path in sorted(TEMPLATES.rglob("*.j2")):
        texts = path.read_text("utf-8").split("\n---\n")
        for text, phrasing in zip(texts, phrasings(str(path.relative_to(TEMPLATES)).removesuffix(".j2")), strict=True):
            if isinstance(phrasing, Plain):
                facts = {slot[0]: Anything(slot[0].upper()) for slot in phrasing.slots}
                assert phrasing.render(**facts) == ENGINE.from_string(text.strip()).render(**facts), path
                plain += 1
    assert plain > 1000


@pytest.mark.parametrize(("slot", "facts"), [(("who",), {}), (("who", "name"), {}), (("who", "name"), {"who": 3})])
def test_a_fact_that_is_missing_ends_a_plain_phrasing(slot: tuple[str, ...], facts: dict[str, int]):
    with pytest.raises(UndefinedError):
        Plain("%s is here", (slot,)).render(**facts)
