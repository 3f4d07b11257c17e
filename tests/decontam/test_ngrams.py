"""N-grams: which runs of words count as shared."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from decontam.joint_reading import joined
from decontam.ngrams import NgramIndex
from decontam.passages import Passage, passages_of_task
from decontam.reading import read, shingles_of, window_codes
from decontam.words import BREAK, words_of
from tests.decontam.made_tasks import SENTENCE, WORDS, made_task, mailed


def shared_words(world: dict[str, Any]) -> list[int]:
    """Lengths of the runs that a task with this world shares with SENTENCE."""
    index = NgramIndex(read([Passage("b", f"Hello. {SENTENCE}, thanks", "b")]), 13)
    runs = index.shared_runs(read(passages_of_task(made_task("Do it", world))))
    return [len(run.words) for run in runs]


def test_thirteen_words_in_a_row_are_shared_and_twelve_are_not() -> None:
    assert shared_words(mailed("so " + " ".join(WORDS[:13]) + " or else")) == [13]
    assert shared_words(mailed("so " + " ".join(WORDS[:12]) + " or else")) == []
    assert shared_words(mailed(" ".join(WORDS[3:16]))) == [13]


def test_a_longer_run_is_found_once_and_whole() -> None:
    assert shared_words(mailed(f"Dear all, {SENTENCE}. Bye")) == [18]


@pytest.mark.parametrize(
    "body",
    [
        SENTENCE.replace(" to the ", " to\n> the\n"),
        SENTENCE.upper(),
        SENTENCE.replace(" ", ", "),
        SENTENCE.replace("crate", "\u201ccr\u200bate").replace("noon", "noon\u201d"),
        "".join(chr(ord(letter) + 0xFEE0) if letter.isalpha() else letter for letter in SENTENCE),
        "<div>" + SENTENCE.replace("cold", "<b>co</b>ld").replace(" and ", "<br>and&nbsp;") + "</div>",
        base64.b64encode(SENTENCE.encode()).decode(),
        base64.urlsafe_b64encode(SENTENCE.encode()).decode().rstrip("="),
    ],
    ids=["line breaks", "case", "punctuation", "quotes and zero width", "full width", "markup", "base64", "base64url"],
)
def test_disguises_do_not_hide_a_run(body: str) -> None:
    assert shared_words(mailed(body)) == [18]


def test_cells_of_a_row_or_of_a_column_make_a_run() -> None:
    across = [{"id": "1", "sheet_id": "s", "position": 0, "cells": WORDS}]
    assert 18 in shared_words({"google_sheets": {"rows": tuple(across)}})
    down = [{"id": str(n), "sheet_id": "s", "position": n, "cells": ["x", word]} for n, word in enumerate(WORDS)]
    assert shared_words({"google_sheets": {"rows": tuple(reversed(down))}}) == [18]
    half = [
        {"id": str(n), "sheet_id": f"s{n // 9}", "position": n, "cells": ["x", word]} for n, word in enumerate(WORDS)
    ]
    assert shared_words({"google_sheets": {"rows": tuple(half)}}) == []


def test_two_fields_never_make_a_run() -> None:
    row = {"id": "m1", "subject": " ".join(WORDS[:9]), "body": " ".join(WORDS[9:])}
    assert shared_words({"gmail": {"messages": (row,)}}) == []


def test_a_benchmark_sentence_repeated_in_many_tasks_still_counts() -> None:
    passages = [Passage(f"t{n}", SENTENCE, "prompt") for n in range(50)]
    index = NgramIndex(joined([read([passage]) for passage in passages]), 13)
    (run,) = index.shared_runs(read(passages[:1]))
    assert (run.other_number, run.other.path, len(index)) == (0, "t0", 6)


@pytest.fixture
def texts() -> Iterator[list[str]]:
    """Many short random texts of few words, so that runs are shared often and in odd places."""
    rng = Random(5)
    yield [" ".join(rng.choices("abc", k=rng.randint(0, 12))) for _ in range(300)]


def test_shared_runs_agree_with_a_plain_search_over_all_windows(texts: list[str]) -> None:
    size = 6
    public, ours = texts[:150], texts[150:]
    index = NgramIndex(read([Passage(str(n), text, "b") for n, text in enumerate(public)]), size)
    known = {tuple(words[i : i + size]) for words in map(words_of, public) for i in range(len(words) - size + 1)}
    for text in ours:
        words = words_of(text)
        expected = [i for i in range(len(words) - size + 1) if tuple(words[i : i + size]) in known]
        runs = index.shared_runs(read([Passage("p", text, "p")]))
        assert bool(runs) == bool(expected)
        for run in runs:
            assert " ".join(run.words) in " ".join(words)
            assert " ".join(run.words) in " ".join(words_of(run.other.text))
    assert len(index) == len(known)


def test_same_code_with_other_words_is_no_shared_run() -> None:
    index = NgramIndex(read([Passage("b", SENTENCE, "b")]), 13)
    reading = read([Passage("p", SENTENCE, "p")])
    # The codes stay those of SENTENCE while the words are others, as if two runs had one code.
    forged = type(reading)(reading.passages, ["x"] * len(reading.words), reading.codes, reading.starts, reading.left)
    assert index.shared_runs(reading)
    assert index.shared_runs(forged) == ()


def test_windows_stay_inside_passages_and_short_passages_are_one_shingle() -> None:
    reading = read([Passage("a", "one two three", "a"), Passage("b", "", "b"), Passage("c", "four five", "c")])
    assert list(reading.words) == ["one", "two", "three", BREAK, BREAK, "four", "five", BREAK]
    assert [passage.path for passage in reading.passages] == ["a", "c"]
    assert reading.word_count() == 5
    assert [reading.passage_at(position) for position in (0, 2, 5, 6)] == [0, 0, 1, 1]
    _, positions = window_codes(reading, 2)
    assert positions.tolist() == [0, 1, 5]
    assert len(shingles_of(reading, 3)) == 2
    alone = shingles_of(read([Passage("c", "four five", "c")]), 3)
    assert np.isin(alone, shingles_of(reading, 3)).all()
    assert not np.isin(alone, shingles_of(read([Passage("c", "four five six", "c")]), 3)).any()
