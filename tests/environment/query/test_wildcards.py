"""What LIKE matches, and how long it takes."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environment.query.wildcards import like


@given(st.text(st.sampled_from("abA%_"), max_size=8), st.text(st.sampled_from("abAB"), max_size=8))
def test_wildcards_match_what_the_regular_expression_matches(pattern: str, text: str) -> None:
    expression = "".join({"%": ".*", "_": "."}.get(letter, letter) for letter in pattern)
    assert like(pattern)(text) == bool(re.fullmatch(expression, text, re.IGNORECASE))


@pytest.mark.parametrize(
    ("pattern", "text", "matched"),
    [
        ("10\\%", "10%", True),
        ("10\\%", "10x", False),
        ("a\\_%", "a_b", True),
        ("a\\__", "axb", False),
        ("_\\\\", "a\\", True),
        ("a\\", "a", True),
        ("_\n", "a\n", True),
    ],
)
def test_escaped_wildcard_stands_for_itself(pattern: str, text: str, matched: bool) -> None:
    assert like(pattern)(text) is matched


@pytest.mark.parametrize("pattern", ["%a" * 100 + "%b", "%a_" * 100 + "%b", "%_a" * 6000, "_" * 20_000, "%" * 20_000])
def test_no_pattern_is_slow_even_on_a_long_text(pattern: str) -> None:
    matches = like(pattern)
    started = time.process_time()
    matches("a" * 20_000)
    assert time.process_time() - started < 0.05
