"""Telephone numbers in texts, against the regular expression that says the same more slowly."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from environment.spellings import Span, find_phone


def spans_by_expression(text: str, digits: str) -> list[Span]:
    spread = r"[\s().\-/]{0,3}".join(digits)
    prefix = r"(?<![\w.])(?<!\d[ .)\-])(?<!\d\) )(?:\+|00)?\(?(?:1[\s.\-(]{0,2})?"
    return [match.span() for match in re.finditer(rf"{prefix}{spread}(?!\w|[.\-/]\d)", text)]


_PIECES = st.lists(st.sampled_from(["+", "00", "1", "(", ")", "-", ".", "/", " ", "5", "555", "0142", "x", ",", "\n"]))


@settings(max_examples=400, deadline=None)
@given(_PIECES, st.sampled_from(["5550142", "1555", "11", "555"]))
@example(["1", "555", "0142"], "5550142")
@example(["+", "1", " ", "(", "555", ")", " ", "0142"], "5550142")
@example(["1", "555", " ", "5"], "1555")
def test_a_telephone_number_is_found_wherever_the_expression_finds_it(pieces: list[str], digits: str) -> None:
    text = "".join(pieces)
    assert list(find_phone(text, digits)) == spans_by_expression(text, digits)
