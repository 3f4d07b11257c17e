"""Words: what normalisation makes equal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decontam.words import BREAK, run_position, spans_of, spelled_words, words_of, words_of_spelled


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't STOP", ["dont", "stop"]),
        ("Don\u2019t \u201cstop\u201d", ["dont", "stop"]),
        ("un\u200bseen so\u00adft \ufeffmark", ["unseen", "soft", "mark"]),
        ("\uff26\uff35\uff2c\uff2c width", ["full", "width"]),
        ("stra\u00dfe STRASSE", ["strasse", "strasse"]),
        ("cafe\u0301 caf\u00e9 cafe", ["cafe", "cafe", "cafe"]),
        ("M\u00f8ller \u0141\u00f3d\u017a \ufb01ne \u00c6on", ["moller", "lodz", "fine", "aeon"]),
        ("Acme\u2122 Acme\u00ae don`t", ["acme", "acme", "dont"]),
        ("\ud55c\uad6d \u304c", ["\ud55c\uad6d", "\u304c"]),
        ("**bold** _slanted_ [link](x)", ["bold", "slanted", "link", "x"]),
        ("line one\nline\ttwo\u00a0three", ["line", "one", "line", "two", "three"]),
        ("\u8acb\u66f4\u65b0 now", ["\u8acb", "\u66f4", "\u65b0", "now"]),
        ("\u0130stanbul", ["istanbul"]),
        ("un\x08seen so\x01ft\x7f mark\x9d \x00", ["unseen", "soft", "mark"]),
        ("o\u20ddver\u1dc4line", ["overline"]),
        ("  \n ", []),
    ],
)
def test_words_forget_case_punctuation_and_invisible_signs(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_plain_ascii_reads_the_same_by_the_fast_and_by_the_general_way(text: str) -> None:
    assert words_of(text + " \u0436") == [*words_of(text), "\u0436"]


@given(st.lists(st.text()))
def test_many_texts_give_each_text_its_words_and_a_break(texts: list[str]) -> None:
    expected = [word for text in texts for word in [*words_of(text), BREAK]]
    assert words_of_spelled(spelled_words(texts)) == expected


@given(st.text())
def test_spans_hold_the_words_in_order(text: str) -> None:
    spans = spans_of(text)
    assert all(span.word in words_of(text[span.start : span.end]) for span in spans)
    assert [span.start for span in spans] == sorted(span.start for span in spans)


def test_a_run_is_found_where_it_begins() -> None:
    assert run_position(["a", "b", "a", "b", "c"], ("a", "b", "c")) == 2
    assert run_position(["a", "b"], ("b", "a")) is None
    assert run_position(["a"], ()) is None
