"""Synthetic tasks have the shape and size of real ones and words as frequent as in real text (Zipf), but no meaning.

A task has some 5,000 words: 48 messages of 80 words, 60 rows of a sheet, 100 contacts with addresses. What is planted
is known, so that whoever measures the comparison can see that it also finds something.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np

from decontam.benchmark import Benchmark, BenchmarkTask
from environment.contract import Change, Contract, Equals
from environment.rng import derive_rng
from environment.task import Task, ToolCall, make_task

FAMILIES = 40
MESSAGES, MESSAGE_WORDS = 48, 80
FIXED_MESSAGES = 12
"""Messages that all tasks of a family have in common, as template text would be."""
ROWS, CELLS = 60, 7
CONTACTS = 100
VOCABULARY = 30_000

Plant = Literal["shared_passage", "company_name", "copy_in_set", "near_duplicate"]
_PLANTS: Mapping[int, Plant] = {17: "shared_passage", 37: "company_name", 57: "copy_in_set", 77: "near_duplicate"}
"""By the last two digits of a task's number; the last of them is clustered, not dropped."""


def planted(number: int) -> Plant | None:
    """What the task of this number has planted."""
    return _PLANTS.get(number % 100)


class Words:
    """Random words; equal seeds give equal words."""

    def __init__(self, *seed: str | int) -> None:
        self._rng = np.random.default_rng(derive_rng("synthetic_tasks", *seed).getrandbits(64))

    def text(self, count: int) -> str:
        """A sentence of so many words."""
        return " ".join(self.list(count)).capitalize() + "."

    def list(self, count: int) -> list[str]:
        """So many words; the n-th most frequent has weight 1/n."""
        return [_VOCABULARY[place] for place in np.searchsorted(_ZIPF, self._rng.random(count)).tolist()]

    def letters(self, count: int) -> str:
        """So many letters out of v to z, which no word of the vocabulary has."""
        return "".join("vwxyz"[place] for place in self._rng.integers(0, 5, count).tolist())


_spelling = derive_rng("synthetic_tasks", "vocabulary")
_VOCABULARY = ["".join(_spelling.choices("abcdefghilmnoprstu", k=_spelling.randint(2, 10))) for _ in range(VOCABULARY)]
_WEIGHTS = 1 / np.arange(1, VOCABULARY + 1)
_ZIPF = np.cumsum(_WEIGHTS) / _WEIGHTS.sum()


def synthetic_benchmark(count: int = 600) -> Benchmark:
    """Public tasks of the same size as ours."""
    tasks = []
    for number in range(count):
        words = Words("public", number)
        accounts = [{"Id": f"001{i}", "Name": _public_firm(number, i)} for i in range(5)]
        world = _world(words, [words.text(MESSAGE_WORDS) for _ in range(MESSAGES)], "their")
        tasks.append(
            BenchmarkTask(
                name=f"sales.synthetic_{number}",
                domain="sales",
                prompt=words.text(60),
                initial_state={**world, "salesforce": {**world["salesforce"], "Account": accounts}},
                row=number + 1,
            )
        )
    return Benchmark(tasks=tuple(tasks), source="synthetic", content_hash="0" * 64, is_stand_in=True)


def synthetic_tasks(count: int, benchmark: Benchmark, has_fixed_text: bool = True) -> Iterator[Task]:
    """So many tasks, one in 25 with a plant; without fixed text no two tasks have a message in common but by plant."""
    fixed = {
        number: [Words("fixed", number, i).text(MESSAGE_WORDS) for i in range(FIXED_MESSAGES)]
        for number in range(FAMILIES)
    }
    for number in range(count):
        family = number // 100 % FAMILIES
        yield _task(number, family, fixed[family] if has_fixed_text else [], benchmark)


def _task(number: int, family: int, fixed: list[str], benchmark: Benchmark) -> Task:
    plant = planted(number)
    # A copy of the task before it but for a few messages: one to be dropped, one to be in its cluster.
    source = number - 1 if plant in ("copy_in_set", "near_duplicate") else number
    words, changed = Words("ours", source), Words("changed", number)
    bodies = [*fixed, *(words.text(MESSAGE_WORDS) for _ in range(MESSAGES - len(fixed)))]
    prompt = words.text(60)
    world = _world(words, bodies, "our")
    messages = world["gmail"]["messages"]
    for place in range({"copy_in_set": 1, "near_duplicate": 4}.get(plant or "", 0)):
        messages[-1 - place]["body"] = changed.text(MESSAGE_WORDS)
    if plant in ("shared_passage", "company_name"):
        public = benchmark.tasks[number % len(benchmark.tasks)]
        run = " ".join(public.prompt.split()[20:33])
        name = _public_firm(number % len(benchmark.tasks), 2)
        messages[20]["body"] += f" {run}" if plant == "shared_passage" else f" Best wishes, {name.removesuffix(' Inc')}"
    return make_task(
        split="train",
        domain="sales",
        family=f"family{family}",
        seed="1",
        index=number,
        generator_version="0",
        knobs={},
        apps=("gmail", "google_sheets", "salesforce"),
        actions=(),
        toolset="actions",
        now="2026-03-04T09:20:00+00:00",
        actor={"name": "A B", "email": "a@b.test", "company": "Tarnwick Instruments", "domain": "tarnwick.test"},
        prompt=prompt,
        world={app: {name: tuple(rows) for name, rows in tables.items()} for app, tables in world.items()},
        contract=_CONTRACT,
        traps=(),
        reference=(ToolCall(tool="gmail_read", arguments={"id": "m1"}),),
    )


_CONTRACT = Contract(
    all_of=(
        Change(
            label="read",
            app="gmail",
            collection="messages",
            action="update",
            id="m1",
            fields={"is_read": (Equals(value=True),)},
        ),
    )
)


def _world(words: Words, bodies: list[str], side: str) -> dict[str, dict[str, list[dict[str, Any]]]]:
    def address() -> str:
        return f"{words.list(1)[0]}@{side}{words.letters(6)}.com"

    names = words.list(4 * CONTACTS)
    return {
        "gmail": {
            "messages": [
                {"id": f"m{i}", "from": address(), "subject": words.text(5), "body": body}
                for i, body in enumerate(bodies)
            ]
        },
        "google_sheets": {
            "rows": [{"id": f"r{i}", "sheet_id": "s1", "position": i, "cells": words.list(CELLS)} for i in range(ROWS)]
        },
        "salesforce": {
            "Contact": [
                {
                    "Id": f"003{i:015d}",
                    "Name": f"{names[4 * i]} {names[4 * i + 1]}",
                    "Email": address(),
                    "Title": names[4 * i + 2],
                    "Description": names[4 * i + 3],
                    "Company": f"{side}{words.letters(6)}".capitalize() + " Ltd" if i % 20 == 0 else "",
                }
                for i in range(CONTACTS)
            ]
        },
    }


def _public_firm(number: int, account: int) -> str:
    return f"Their{Words('firm', number, account).letters(8)} Inc"
