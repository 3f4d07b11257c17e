"""Hidden overlaps: places and spellings in which a run of words or a company might escape whoever compares."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from decontam.benchmark import BenchmarkTask
from decontam.companies import companies_in
from decontam.name_keys import name_keys
from decontam.names import NameIndex
from decontam.passages import Passage, passages_of_benchmark_task, passages_of_task
from decontam.reading import Reading, read
from decontam.structure import fingerprint_of_benchmark_task
from decontam.words import run_position, words_of
from tests.decontam.made_tasks import SENTENCE, WORDS, made_task

HALVES = " ".join(WORDS[:6]), " ".join(WORDS[6:])
LINES = "\n".join(WORDS)


def in_row(**fields: Any) -> dict[str, Any]:
    return {"notes": {"items": ({"id": "r1", **fields},)}}


def in_sheet(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"google_sheets": {"rows": rows}}


def holds(passages: tuple[Passage, ...]) -> bool:
    return any(run_position(words_of(passage.text), tuple(WORDS)) is not None for passage in passages)


@pytest.mark.parametrize(
    "world",
    [
        in_row(page_id="-".join(WORDS)),
        in_row(page_id="\u00a0".join(WORDS)),
        in_row(counts={SENTENCE: 1}),
        in_row(counts={"_".join(WORDS): 1}),
        in_row(counts={"\u00a0".join(WORDS): 1}),
        {"notes": {SENTENCE: ({"id": "r1"},)}},
        in_row(body=[*WORDS[:9], None, *WORDS[9:]]),
        in_row(body=[*WORDS[:9], 3.5, *WORDS[9:]]),
        in_row(body=[[{"deep": SENTENCE}]]),
        in_sheet({"id": "1", "cells": {"A": [SENTENCE]}}),
        in_sheet({"id": "1", "cells": [{"formattedValue": "x", "note": SENTENCE}]}),
        in_sheet({"id": "1", "cells": {"A": "x"}, "comment": SENTENCE}),
        in_sheet({"id": "1", "cells": {"A": "x"}}, {"id": "2", "cells": [SENTENCE]}),
        in_sheet({"id": "1", "cells": {"Key": SENTENCE, "B": "x"}}),
        in_sheet(*({"id": str(n), "cells": {"Key": word, "B": "x"}} for n, word in enumerate(WORDS))),
        {"google_sheets": {"cells": ({"row": 1, "col": 1, "value": "x", "note": SENTENCE},)}},
        in_row(attachments=[{"type": "text", "text": "hi", "title": SENTENCE}]),
        in_row(blocks=[{"type": "context", "elements": [{"type": "image", "alt_text": SENTENCE}]}]),
        in_row(file={"type": "doc", "content": "x", "name": SENTENCE}),
        in_row(page={"plain_text": "x", "title": SENTENCE}),
        in_row(page={"plain_text": "x", "text": {"content": SENTENCE}}),
    ],
)
def test_every_place_in_a_world_is_read(world: dict[str, Any]) -> None:
    assert holds(passages_of_task(made_task("Do it", world)))


@pytest.mark.parametrize(
    "body",
    [
        f"write to mailto:ada@larkfield.test?body={quote(SENTENCE)}",
        f"https://larkfield.test/?q={quote(SENTENCE)}",
        f'the payload was {{"note": "{HALVES[0]}\\n{HALVES[1]}"}} and failed',
        'the payload was {"note": "' + "\\u00a0".join(WORDS) + '"}',
        json.dumps(LINES),
        "\t" + json.dumps({"note": LINES}),
        json.dumps({"note": "x"}) + "\n" + json.dumps({"note": LINES}),
        f"MIME-Version: 1.0\nX-Note: {SENTENCE}\n\nhello",
        f'<p title="{SENTENCE}">x</p>',
        f'<meta name="description" content="{SENTENCE}">',
        f"<input value='{SENTENCE}'>",
        f'<a href="x" aria-label="{SENTENCE}">x</a>',
        f"{HALVES[0]}[^1] {HALVES[1]}",
        " ".join(f"{word[0]}**{word[1:]}**" for word in WORDS),
        "a | b\n---|---\n" + "\n".join(f"{word} | {n}" for n, word in enumerate(WORDS)),
        "a\tb\n" + "\n".join(f"{word}\t{n}" for n, word in enumerate(WORDS)),
        "a,b\n" + "\n".join(f"{word},{n}" for n, word in enumerate(WORDS)),
        "\n".join(f"{n}: {word}" for n, word in enumerate(WORDS, 1)),
        " ".join(f"{word[0]}\u20dd{word[1:]}" for word in WORDS),
        " ".join(f"{word[0]}\x08{word[1:]}" for word in WORDS),
        " ".join(f"{word[0]}\x01{word[1:]}" for word in WORDS),
    ],
)
def test_every_way_to_write_a_text_is_read(body: str) -> None:
    assert holds(passages_of_task(made_task("Do it", in_row(body=body))))


def test_json_is_also_compared_as_it_stands_because_elsewhere_it_may_stand_inside_a_text() -> None:
    data = json.dumps({"first": HALVES[0], "second": HALVES[1]})
    told = words_of(data)
    assert len(told) > len(WORDS)
    for passages in (
        passages_of_task(made_task("Do it", in_row(body=data))),
        passages_of_task(made_task(f"The payload is {data}, look", {})),
    ):
        assert any(run_position(words_of(passage.text), tuple(told)) is not None for passage in passages)


def test_what_a_benchmark_task_says_outside_its_world_is_compared_too() -> None:
    public = BenchmarkTask(name="a.b", domain="a", prompt="x", row=1, other={"answer": SENTENCE, "info.notes": ["y"]})
    assert holds(passages_of_benchmark_task(public))


def test_random_keys_are_still_no_text() -> None:
    keys = ["5b10ac8d82e05b2200001268", "MNT-471", "0b8f3c52-8a4e-4d8e-9c58-1f2b7f7f2a11", "msg_00Q8b00000xYz", "m1"]
    world = {"notes": {"items": tuple({"id": key, "page_id": key} for key in keys)}}
    assert not [passage for passage in passages_of_task(made_task("Do it", world)) if passage.path[:5] == "world"]


def typed(name: str) -> Reading:
    return read([Passage("initial_state.a.Lead[0].Company", name, "initial_state.a.Lead.Company")])


def named(name: str, ours: Reading) -> bool:
    theirs = typed(name)
    return bool(NameIndex(theirs, companies_in(theirs)).shared(ours, companies_in(ours)))


@pytest.mark.parametrize(
    "name",
    [
        "Motel 6",
        "Level 3",
        "3M Company",
        "HP Inc.",
        "Quality Systems, Inc.",
        "Research Ltd",
        "The Law Offices of Anderson Baker Carter and Davis LLP",
        "\u30c8\u30e8\u30bf\u81ea\u52d5\u8eca\u682a\u5f0f\u4f1a\u793e",
    ],
)
def test_names_with_digits_of_few_letters_of_many_words_and_of_ordinary_words_are_names(name: str) -> None:
    assert named(name, typed(name))
    assert named(name, read([Passage("prompt", f"They pay {name} in May", "prompt")]))


@pytest.mark.parametrize("name", ["7-Eleven", "iRobot", "eBay"])
def test_a_name_that_begins_with_no_capital_is_one(name: str) -> None:
    order = read([Passage("world.shop.orders[0].customer", name, "world.shop.orders.customer")])
    assert named(name, order)
    assert named(name, read([Passage("prompt", f"They ask {name} about it", "prompt")]))
    assert set(companies_in(order)) == set(name_keys(name))


@pytest.mark.parametrize("name", ["Support Co", "Google LLC", "HubSpot, Inc.", "X Corp."])
def test_a_legal_suffix_makes_no_company_of_what_is_named_without_it(name: str) -> None:
    bare = name.split()[0].rstrip(",")
    assert not named(name, read([Passage("prompt", f"They ask {bare} about it", "prompt")]))
    assert name_keys(bare) == ()


@pytest.mark.parametrize(
    "text",
    [
        "look at #quantumlabs for it",
        "mail quantumlabs@gmail.com",
        "open quantumlabs_q3.pdf",
        "the channel is ext-quantumlabs",
        "QUANTUM LABS' invoice",
        "Quantum\U0001f680Labs is late",
    ],
)
def test_a_name_of_several_words_is_found_in_handles_and_names_of_files(text: str) -> None:
    assert named("Quantum Labs", read([Passage("prompt", text, "prompt")]))


@pytest.mark.parametrize(
    "text",
    [
        "they pay Zi\u00adnc in May",
        "they pay Z\u200einc in May",
        "they pay Z\u00ednc in May",
        "they pay Zi\x08nc in May",
        "they pay \u201cZinc\u201d in May",
        "ask them at zinc.io today",
        "ask them at shop.zinc.co.uk.",
    ],
)
def test_a_name_of_one_word_is_found_with_invisible_signs_accents_and_as_a_bare_domain(text: str) -> None:
    assert named("Zinc", read([Passage("prompt", text, "prompt")]))


@pytest.mark.parametrize(
    "world",
    [
        in_row(url="https://www.zinc.io/00123456789123"),
        in_row(file="Zinc-20260304093000.pdf"),
        in_row(away={"ada@zinc.io": 1}),
        in_row(body='<img src="https://cdn.zinc.io/x.png">'),
        in_row(account_id="zinc-works-depot"),
    ],
)
def test_a_name_is_found_in_addresses_names_of_files_and_keys_that_are_words(world: dict[str, Any]) -> None:
    name = "Zinc Works" if "account_id" in world["notes"]["items"][0] else "Zinc"
    assert named(name, read(passages_of_task(made_task("Do it", world))))


@pytest.mark.parametrize("text", ["the zinc is on the shelf", "version 2.zinc.iota", "a zinc-plated bolt"])
def test_an_ordinary_word_is_no_company_beside_a_dot_or_a_hyphen(text: str) -> None:
    assert not named("Zinc", read([Passage("prompt", text, "prompt")]))


def test_an_assertion_without_a_type_tells_nothing_of_structure_and_is_compared() -> None:
    public = BenchmarkTask(name="a.b", domain="a", prompt="x", row=1, assertions=({"body_contains": [SENTENCE]},))
    passages = passages_of_benchmark_task(public)
    assert holds(passages)
    assert fingerprint_of_benchmark_task(public, read(passages)) is None
