"""Text set for a terminal keeps every word, stays within its width and moves no cursor."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.layout import clean, cut, outline, table, wrap

WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=12), min_size=1, max_size=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(WORDS, st.integers(20, 100))
def test_wrapped_text_keeps_every_word_within_the_width(words: list[str], width: int) -> None:
    lines = wrap(" ".join(words), width, "  ", "    ")
    assert " ".join(lines).split() == words
    assert max(map(len, lines)) <= width


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.text("abc ", max_size=60)] * 4), min_size=1, max_size=6))
def test_a_table_stays_within_its_width_and_keeps_every_letter(rows: list[tuple[str, ...]]) -> None:
    lines = table(rows, 70, "  ")
    assert max(map(len, lines)) <= 70
    letters = sorted("".join(lines).replace(" ", "").replace("-", ""))
    assert letters == sorted("".join(cell for row in rows for cell in row).replace(" ", ""))


@settings(deadline=None)
@given(VALUES)
def test_an_outline_of_any_data_has_no_control_character(value: Any) -> None:
    text = "".join(outline(value, 60))
    assert not any(ord(letter) < 32 or ord(letter) == 127 for letter in text)


def test_an_outline_of_endless_nesting_is_finite() -> None:
    value: Any = "core"
    for _ in range(500):
        value = [value]
    assert len(outline(value, 60)) < 40


@pytest.mark.parametrize(
    ("text", "shown"),
    [("\x1b[2Jx", "\\x1b[2Jx"), ("a\x00b", "a\\x00b"), ("a\r\nb", "a\nb"), ("\u202egnp", "\\x202egnp"), ("é😀", "é😀")],
)
def test_control_characters_are_spelled_out(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_what_is_cut_says_how_much_is_missing() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 3) == "abc … (+4 characters)"
