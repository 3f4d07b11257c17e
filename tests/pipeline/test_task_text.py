"""The page of a task has everything an auditor asks for, in full unless cut."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from environment.task import Derivation, Proof, Task
from generators.families import FAMILIES
from pipeline.task_source import Wish, generated
from pipeline.task_text import task_text
from tests.pipeline.contact_task import NUMBER, OREN, OREN_TOO, RULES, contact_task

FAMILY_NAMES = [family.name for family in FAMILIES]


def page(task: Task, brief: bool = False) -> str:
    return task_text(task, 110, brief)


def section(text: str, title: str) -> str:
    """The section of this title, up to the next line that is not indented, blanks made single."""
    lines = text.splitlines()
    start = lines.index(title)
    inside = itertools.takewhile(lambda line: not line or line.startswith(" "), lines[start + 1 :])
    return " ".join(" ".join([title, *inside]).split())


def long_texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from long_texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from long_texts(item)
    elif isinstance(value, str) and len(value) > 70:
        yield value


def packed(text: str) -> str:
    return "".join(text.split())


def test_a_page_says_who_asks_what_and_how_big_it_is() -> None:
    task = contact_task()
    text = page(task)
    assert text.startswith(task.id)
    assert "knobs: entities 1" in text
    assert "you act as Mira Solberg <mira@tarn.com> of Tarn\nit is Thursday 2026-07-09 15:40:00+00:00" in text
    assert section(text, "request") == f"request {task.prompt}"
    size = section(text, "size")
    assert "reference: 4 calls, 2 of them writing" in size
    assert "World: 6 rows in 2 applications" in size
    assert f"Prompt: {len(task.prompt)} characters (about {(len(task.prompt) + 3) // 4} tokens)" in size
    assert "approximated as characters / 4" in size


def test_rows_stand_in_tables_with_what_the_reference_and_the_traps_touch() -> None:
    lines = page(contact_task()).splitlines()
    assert any(line.split() == [">", OREN, "Oren", "Haddad", "555-0100"] for line in lines)
    assert any(line.split() == ["!", OREN_TOO, "Orin", "Haddad", "555-0101"] for line in lines)


def test_documents_are_in_full_and_cut_only_when_asked() -> None:
    task = contact_task()
    assert packed(RULES) in packed(page(task))
    assert "ts 1782900000.000001 (2026-07-01 10:00 UTC); user U0000000301 (Ann Varga)" in " ".join(page(task).split())
    short = page(task, brief=True)
    assert packed(RULES) not in packed(short)
    assert "characters)" in short


def test_a_brief_page_keeps_the_rows_that_reference_and_traps_change() -> None:
    task = contact_task()
    people = [
        {"Id": f"003000000000{n}AAA", "FirstName": "P", "LastName": f"N{n}", "Phone": "1"} for n in range(300, 320)
    ]
    world = task.to_json()["world"]
    world["salesforce"]["Contact"] = [*people, *world["salesforce"]["Contact"]]
    short = page(contact_task(world=world), brief=True)
    assert "  … 16 more rows" in short.splitlines()
    assert [line.split()[0] for line in short.splitlines() if "Haddad" in line and "555-010" in line][:2] == [">", "!"]
    assert "Phone: " not in section(short, "traps")


def test_the_contract_is_told_in_words() -> None:
    text = page(contact_task())
    expected = section(text, "expected changes")
    assert f"number: update salesforce.Contact {OREN} (Oren Haddad)" in expected
    assert f"Phone is the telephone number {NUMBER}, in any spelling" in expected
    assert 'channel is "C0000000201" (desk) (this makes it the row that is meant)' in expected
    assert f'text states "Oren Haddad" with "{NUMBER}" as phone (in one clause or line)' in expected
    assert 'text does not claim "Orin Haddad"' in expected
    assert section(text, "allowed") == "allowed updating rows of slack.Channel in topic only"


def test_a_trap_is_told_with_what_it_leaves() -> None:
    trap = section(page(contact_task()), "traps")
    assert "near_duplicate: Takes Orin for Oren. leaves no pass, partial credit 0.33" in trap
    assert "missed number:" in trap
    assert f"stray salesforce.Contact/{OREN_TOO} (update)" in trap
    assert f'Phone: "555-0101" -> "{NUMBER}"' in trap


def test_the_reference_is_shown_with_its_answers_and_the_proof_with_its_counts() -> None:
    proof = Proof(
        references=2, mutants={"altered": 5, "trap": 1}, equivalents={}, replayed=3, values_traced=7, code_hash="c0de"
    )
    text = page(contact_task(proof=proof, derivations=(Derivation(value="3", rule="1 + 2"),)))
    assert f'3. salesforce_update_contact id="{OREN}" phone="{NUMBER}"' in text
    assert f"Phone: {NUMBER}" in section(text, "reference")
    assert section(text, "derivations") == "derivations 3 = 1 + 2"
    assert "6 mutants rejected (5 altered, 1 trap) 0 equivalents accepted (none)" in section(text, "proof")
    assert "has not been proven" in section(page(contact_task()), "proof")


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_every_long_text_of_a_hard_world_stands_on_the_page_in_full(name: str) -> None:
    task = generated(name, Wish(profile="full", seed="page", index=1))
    whole = page(task)
    assert [text for text in long_texts(task.to_json()["world"]) if packed(text) not in packed(whole)] == []
    assert max(map(len, whole.splitlines())) <= 110
    assert len(page(task, brief=True)) < len(whole)


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_top_means_every_knob_at_its_highest(name: str) -> None:
    (family,) = (one for one in FAMILIES if one.name == name)
    knobs = generated(name, Wish(profile="top")).knobs
    assert knobs == {knob: found.high for knob, found in family.knobs.items()}
