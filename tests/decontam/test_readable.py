"""Readable texts: what a person sees of a string, and that no reading hides what another shows."""

from __future__ import annotations

import base64
import json
import quopri
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decontam.ngrams import NgramIndex
from decontam.passages import Passage, passages_of_task
from decontam.readable import is_plain, readable_texts
from decontam.reading import read
from decontam.words import run_position, words_of
from tests.decontam.made_tasks import SENTENCE, WORDS, made_task

BODY = "move every crate from the north dock to the cold room"


def texts(text: str) -> dict[str, str]:
    return {reading.suffix: reading.text for reading in readable_texts(text)}


def words(text: str) -> dict[str, list[str]]:
    return {suffix: words_of(seen) for suffix, seen in texts(text).items()}


def holds(text: str, run: list[str] = WORDS) -> bool:
    """Whether the words stand in a row in one of the readings."""
    return any(run_position(seen, tuple(run)) is not None for seen in words(text).values())


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("1. move\n2. every\n3. crate", "move every crate"),
        ("1) move\n2) every", "move every"),
        ("(a) move\n(b) every", "move every"),
        ("i. move\nii. every\niii. crate", "move every crate"),
        ("- [ ] move\n- [x] every", "move every"),
        ("\u2460 move\n\u2461 every", "move every"),
        ("1\ufe0f\u20e3 move\n2\ufe0f\u20e3 every", "move every"),
        ("> 1. move\n> 2. every", "move every"),
        ("> move recon-\n> ciliation", "move reconciliation"),
        ("soft\u00ad\nware", "software"),
        ("JB> move\nJB> every", "move every"),
        ("move [every crate](https://a.test/b) now", "move every crate now"),
        ("move <https://a.test/b|every crate> now <@U0123>", "move every crate now"),
        ("move [every crate|https://a.test/b] now [12]", "move every crate now"),
    ],
)
def test_marks_are_dropped_in_a_reading_of_their_own(text: str, bare: str) -> None:
    found = words(text)
    assert found["|unmarked"] == bare.split()
    assert found[""] == words_of(text)


@pytest.mark.parametrize(
    "text", ["Come in March\n4. Then we go", "see room\nB. Birk waits", "A table\nfor two - or\nmore"]
)
def test_a_line_that_begins_like_a_list_by_chance_is_left_alone(text: str) -> None:
    assert list(texts(text)) == [""]


@pytest.mark.parametrize(
    "head",
    [
        "On Tue, 3 Mar 2026 at 09:20, Ana Birk <ana@birk.test> wrote:",
        "On Tue, 3 Mar 2026 at 09:20, Ana Birk\n<ana@birk.test> wrote:",
        "Am Di., 3. M\u00e4rz 2026 um 09:20 Uhr schrieb Ana Birk:",
        "-----Original Message-----\nFrom: Ana Birk\nSent: Tuesday\nTo: Team\nSubject: Crates",
        "---------- Forwarded message ---------\nFrom: Ana <a@birk.test>\nDate: Tue\nSubject: Crates\nTo: Bo",
        "*From:* Ana Birk\n*Sent:* Tuesday\n*To:* Team",
    ],
)
def test_heads_of_quoted_mails_stand_apart_and_the_quoted_words_stay(head: str) -> None:
    found = texts(f"We agreed on it\n\n{head}\n\n> {BODY}")
    assert words_of(found["|unmarked"]) == words_of(f"We agreed on it {BODY}")
    assert words_of("\n".join(text for suffix, text in found.items() if "|head" in suffix)) == words_of(head)


def test_a_single_line_that_looks_like_a_header_is_text() -> None:
    assert list(texts("Hello,\nSubject: crates\nare here")) == [""]


def test_cells_of_a_table_in_html_or_between_pipes_are_columns() -> None:
    html = (
        "<table><tr><th>No<th>Do</tr><tr><td>1</td><td>move</td></tr><tr><td>2</td><td>ev<b>ery</b></td></tr></table>"
    )
    assert words(html)["|column[1]"] == ["do", "move", "every"]
    assert words("| No | Do |\n|---|---|\n| 1 | move |\n| 2 | every |")["|column[1]"] == ["do", "move", "every"]


def test_what_html_keeps_beside_its_text_is_read_apart() -> None:
    found = texts("<p>Mo<wbr>ve<!-- the crate --> it</p><a href='https://larkfield.test/x'>on</a><img alt='a dock'>")
    assert words_of(found[""]) == ["move", "it", "on", "a", "dock"]
    assert (found["|links"], found["|unseen[0]"].strip()) == ("https://larkfield.test/x", "the crate")


@pytest.mark.parametrize("text", ["if a <b and c> d", "put <contact_id> there", "say <script> and go on", "a <!-- b"])
def test_signs_that_are_no_markup_hide_nothing(text: str) -> None:
    assert words(text)[""] == words_of(text)


def test_escaped_markup_is_taken_off_too() -> None:
    assert words("&lt;p&gt;mo&lt;b&gt;ve&lt;/b&gt; A&amp;amp;B&lt;/p&gt;")[""] == ["move", "a", "b"]


WRAPPED = base64.encodebytes(f"{BODY}. ".encode() * 3).decode()
ENCODED = {
    "base64": base64.b64encode(BODY.encode()).decode(),
    "base64url": base64.urlsafe_b64encode(f"{BODY}?>~".encode()).decode().rstrip("="),
    "UTF-16": base64.b64encode(BODY.encode("utf-16")).decode(),
    "Windows-1252": base64.b64encode(f"{BODY} at the caf\u00e9".encode("cp1252")).decode(),
    "twice": base64.b64encode(base64.b64encode(BODY.encode())).decode(),
    "lines between text": f"Attached:\n{base64.encodebytes(f'{BODY}. '.encode() * 3).decode()}Regards",
    "quoted lines": "> " + base64.encodebytes(f"{BODY}. ".encode() * 3).decode().strip().replace("\n", "\n> "),
    "data address": f"see data:text/plain;base64,{base64.b64encode(BODY.encode()).decode()} there",
    "named in prose": f"base64 is {base64.b64encode(BODY.encode()).decode()} so decode it",
    "quoted-printable": quopri.encodestring(BODY.replace("north", "n\u00f6rth").encode(), quotetabs=True).decode(),
}


@pytest.mark.parametrize("encoded", ENCODED.values(), ids=ENCODED)
def test_encodings_are_undone(encoded: str) -> None:
    assert holds(encoded, BODY.split())


@pytest.mark.parametrize("text", ["00Q000000000727EAAAAA", "Zm9vYmFyYmF6cXV4", "https://a.test/x?id=AB&y=2", "a = b"])
def test_what_only_looks_encoded_has_one_reading(text: str) -> None:
    assert list(texts(text)) == [""]


def test_a_raw_mail_shows_its_heads_its_attachments_and_what_was_never_encoded() -> None:
    raw = (
        "From: =?utf-8?q?M=C3=B8ller?= <m@larkfield.test>\nSubject: Crates\nMIME-Version: 1.0\n"
        'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\n'
        "Gr\u00fc\u00dfe \u2014 bis morgen\n--b\nContent-Type: application/json\nContent-Transfer-Encoding: base64\n"
        'Content-Disposition: attachment; filename="crate list.json"\n\n'
        + base64.b64encode(json.dumps({"note": BODY}).encode()).decode()
        + "\n--b--\n"
    )
    found = {reading.suffix: reading for reading in readable_texts(raw)}
    assert found["|mail.from"].text == "M\u00f8ller <m@larkfield.test>"
    assert found["|mail.part1"].text.strip() == "Gr\u00fc\u00dfe \u2014 bis morgen"
    assert found["|mail.part2.filename"].text == "crate list.json"
    assert found["|mail.part2"].data == {"note": BODY}


def test_a_text_of_brackets_without_end_is_read_as_it_stands() -> None:
    deep = '{"a":' * 400 + '"b c"' + "}" * 400
    assert list(texts(deep)) == [""]


@pytest.mark.parametrize(
    "piece",
    ["<script>", "<!--", "<a b='", "[a](", "\nOn x", "\n1. a", "\nFrom: x", "=20", "<table><tr><td>a", "<https://"],
)
def test_a_long_string_of_signs_is_read_in_one_go(piece: str) -> None:
    assert any(len(reading.text) for reading in readable_texts(piece * 100_000))


# Nothing hides a shared run


WORD = st.text("abcdefghijklmnopqrstuvwxyz\u00e9\u00fc\u0436\u03bb0123456789", min_size=1, max_size=8)
GAPS = st.sampled_from(
    [" ", "  ", "\n", "\r\n", "\t", ", ", "; ", " \u2014 ", "\u00a0", " \u200b", "\u3000", '" "', "\n> ", "\n>> "]
)


@st.composite
def disguised(draw: st.DrawFn) -> tuple[list[str], str]:
    """Thirteen words, and a text that says them with other case, gaps, quotation marks and zero-width characters."""
    run = draw(st.lists(WORD, min_size=13, max_size=13))
    text = draw(st.sampled_from(["", "Hello. ", "1. ", "On it, Ana wrote:\n> ", "From: x\nTo: y\n"]))
    for word in run:
        cut = draw(st.integers(0, len(word)))
        shown = word[:cut] + draw(st.sampled_from(["", "\u200b", "\u00ad", "\u2060", "\ufeff"])) + word[cut:]
        text += (shown.upper() if draw(st.booleans()) else shown) + draw(GAPS)
    return run, text + draw(st.sampled_from(["", "Bye", "\n2. next"]))


@given(disguised())
@settings(max_examples=300)
def test_case_blanks_quoting_and_zero_width_signs_hide_no_run(given_run: tuple[list[str], str]) -> None:
    run, text = given_run
    assert holds(text, [word for part in run for word in words_of(part)])


@given(st.text(max_size=200))
@settings(max_examples=300)
def test_a_plain_text_has_one_reading_and_every_text_keeps_its_letters_in_some(text: str) -> None:
    readings = list(readable_texts(text))
    assert readings
    if text and is_plain(text) and text[0] not in " [":
        assert [reading.text for reading in readings if "base64" not in reading.suffix] in ([text], [])


@given(st.integers(1, 17), st.sampled_from([("subject", "body"), ("body", "note"), ("from", "to")]))
def test_two_fields_never_join(cut: int, names: tuple[str, str]) -> None:
    first, second = " ".join(WORDS[:cut]), " ".join(WORDS[cut:])
    worlds: list[dict[str, Any]] = [
        {"gmail": {"messages": ({"id": "m1", names[0]: first, names[1]: second},)}},
        {"gmail": {"messages": ({"id": "m1", "body": first}, {"id": "m2", "body": second})}},
        {"hubspot": {"notes": ({"id": "n1", "properties": {names[0]: first, "more": {names[1]: second}}},)}},
        {"trello": {"cards": ({"id": "c1", "comments": [{"text": first}, {"text": second}]},)}},
    ]
    index = NgramIndex(read([Passage("b", SENTENCE, "b")]), max(cut, 18 - cut) + 1)
    for world in worlds:
        assert index.shared_runs(read(passages_of_task(made_task("Do it", world)))) == ()
