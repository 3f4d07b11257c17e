"""Markings: to the word, around the shared words, however long the texts are."""

from __future__ import annotations

from decontam.marking import Piece, marked
from decontam.verdicts import Overlap
from tests.decontam.made_tasks import SENTENCE, WORDS


def overlap(text: str, shared: tuple[str, ...], other: str = "", similarity: float | None = None) -> Overlap:
    return Overlap(
        rule="shared_passage" if similarity is None else "copy_in_set",
        path="p",
        text=text,
        other="o",
        other_path="q",
        other_text=other,
        shared=shared,
        other_shared=shared,
        similarity=similarity,
    )


def test_a_run_is_marked_to_the_word() -> None:
    assert marked(overlap("Now, ONE two\nthree! End.", ("one", "two", "three")), ours=True, size=5) == (
        Piece("Now, ", False),
        Piece("ONE two\nthree!", True),
        Piece(" End.", False),
    )


def test_words_without_a_blank_between_them_are_marked_when_one_is_shared() -> None:
    assert marked(overlap("to ann@quantum-labs.com/x now", ("quantum", "labs")), ours=True, size=5) == (
        Piece("to ", False),
        Piece("ann@quantum-labs.com/x", True),
        Piece(" now", False),
    )


def test_long_texts_are_cut_around_the_marks() -> None:
    text = " ".join([*(f"a{n}" for n in range(100)), *WORDS, *(f"b{n}" for n in range(100))])
    before, middle, after = marked(overlap(text, tuple(WORDS)), ours=True, size=5)
    assert middle == Piece(SENTENCE, True)
    assert before.text.split() == ["…", *(f"a{n}" for n in range(60, 100))]
    assert after.text.split() == [*(f"b{n}" for n in range(40)), "…"]


def test_texts_alike_as_wholes_are_marked_where_shingles_agree() -> None:
    ours, theirs = "a b c d e x f g h i j", "z a b c d e y f g h i j"
    pieces = marked(overlap(ours, (), theirs, 0.5), ours=True, size=5)
    assert pieces == (Piece("a b c d e", True), Piece(" x ", False), Piece("f g h i j", True))


def test_the_middle_of_a_long_shared_stretch_is_left_out() -> None:
    text = " ".join(f"w{n}" for n in range(5000))
    pieces = marked(overlap(text, (), text, 1.0), ours=True, size=5)
    assert [piece.is_shared for piece in pieces] == [True, False, True]
    assert pieces[0].text.split() == [f"w{n}" for n in range(200)]
    assert pieces[1].text == " … "
    assert pieces[2].text.split() == [f"w{n}" for n in range(4800, 5000)]


def test_what_lies_between_two_distant_marks_is_left_out() -> None:
    gap = " ".join(f"g{n}" for n in range(200))
    pieces = marked(overlap(f"a b c d e {gap} f g h i j", (), "a b c d e y f g h i j", 0.5), ours=True, size=5)
    assert [piece.text for piece in pieces if piece.is_shared] == ["a b c d e", "f g h i j"]
    assert pieces[1].text.split() == [*(f"g{n}" for n in range(40)), "…", *(f"g{n}" for n in range(160, 200))]


def test_a_run_that_is_nowhere_in_one_piece_is_marked_in_parts() -> None:
    pieces = marked(overlap("a b c d e - x - f g h i j", tuple("abcdefghij")), ours=True, size=5)
    assert [piece.text for piece in pieces if piece.is_shared] == ["a b c d e", "f g h i j"]


def test_of_two_fingerprints_the_parts_that_are_equal_under_one_aspect_are_marked() -> None:
    ours = "applications: gmail, salesforce\nchanges: update x2, create"
    theirs = "applications: salesforce\nchanges: gmail, create"
    alike = overlap(ours, (), theirs, 0.8).model_copy(update={"rule": "look_alike"})
    assert [piece.text for piece in marked(alike, ours=True, size=5) if piece.is_shared] == ["salesforce", "create"]
    assert "".join(piece.text for piece in marked(alike, ours=True, size=5)) == ours
    assert [piece.text for piece in marked(alike, ours=False, size=5) if piece.is_shared] == ["salesforce", "create"]


def test_a_text_that_shares_nothing_or_has_no_word_is_shown_unmarked() -> None:
    assert marked(overlap("one two", ()), ours=True, size=5) == (Piece("one two", False),)
    assert marked(overlap("--- !", ("one",)), ours=True, size=5) == (Piece("--- !", False),)


def test_a_word_of_a_thousand_letters_is_cut() -> None:
    (piece,) = marked(overlap("x" * 1000, ("x" * 1000,)), ours=True, size=5)
    assert piece == Piece("x" * 400 + " … (600 more characters)", True)
