"""Seconds and memory to decontaminate 10,000 tasks of 5,000 words against a benchmark of 600.

`python -m benchmarks.decontam_speed [TASKS]`; budget for 10,000: 30 s and 1 GB above the records themselves.
"""

from __future__ import annotations

import resource
import sys
import time
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))  # beside this file lies environment.py, which is not the package

from decontam.benchmark import Benchmark, BenchmarkTask
from decontam.decontaminate import decontaminate
from decontam.settings import DecontaminationSettings
from environment.contract import Change, Contract, Equals
from environment.rng import derive_rng
from environment.task import Task, ToolCall

FAMILIES = 40
MESSAGES, MESSAGE_WORDS = 40, 70
ROWS, CELLS = 60, 7
CONTACTS = 100
SHARED_OF_FAMILY = 12
"""Messages that all tasks of a family have in common, as template text would be."""


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rng = derive_rng("decontam_speed", 1)
    vocabulary = ["".join(rng.choices("abcdefghilmnoprstu", k=rng.randint(2, 10))) for _ in range(30_000)]
    benchmark = Benchmark(
        tasks=tuple(_benchmark_task(rng, vocabulary, number) for number in range(600)),
        source="synthetic",
        content_hash="0" * 64,
        is_stand_in=True,
    )
    shared = [[_sentence(rng, vocabulary, MESSAGE_WORDS) for _ in range(SHARED_OF_FAMILY)] for _ in range(FAMILIES)]
    # A pool keeps the records small: the measure is of the comparison, not of a hundred million letters.
    pool = [_sentence(rng, vocabulary, MESSAGE_WORDS) for _ in range(20_000)]
    tasks = [_task(rng, vocabulary, pool, shared[number % FAMILIES], number) for number in range(count)]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, cpu_start = time.perf_counter(), time.process_time()
    result = decontaminate(tasks, benchmark, (), DecontaminationSettings())
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{result.counts()}")
    print(f"ours: {result.ours}")
    print(f"theirs: {result.theirs}")
    words = result.ours.words / count
    print(f"{seconds:.1f} s ({cpu_seconds:.1f} s of processor time) for {count} tasks of {words:.0f} words read")
    print(f"peak memory {after / 1024:.0f} MB, of which {before / 1024:.0f} MB records")


def _sentence(rng: Random, vocabulary: list[str], words: int) -> str:
    """Words as frequent as in real text: the n-th has weight 1/n (Zipf)."""
    return " ".join(rng.choices(vocabulary, cum_weights=_zipf(len(vocabulary)), k=words)).capitalize() + "."


@lru_cache
def _zipf(count: int) -> list[float]:
    return list(accumulate(1 / rank for rank in range(1, count + 1)))


def _benchmark_task(rng: Random, vocabulary: list[str], number: int) -> BenchmarkTask:
    messages = [{"subject": _sentence(rng, vocabulary, 5), "body": _sentence(rng, vocabulary, 60)} for _ in range(25)]
    accounts = [{"Name": _firm(rng, "their").capitalize() + " Inc"} for _ in range(5)]
    return BenchmarkTask(
        name=f"sales.synthetic_{number}",
        domain="sales",
        prompt=_sentence(rng, vocabulary, 80),
        initial_state={"gmail": {"messages": messages}, "salesforce": {"Account": accounts}},
        row=number + 1,
    )


def _firm(rng: Random, side: str) -> str:
    return side + "".join(rng.choices("vwxyz", k=6))


def _task(rng: Random, vocabulary: list[str], pool: list[str], shared: list[str], number: int) -> Task:
    bodies = shared + [rng.choice(pool) for _ in range(MESSAGES - len(shared))]
    messages = tuple(
        {"id": f"m{i}", "from": f"{rng.choice(vocabulary)}@{_firm(rng, 'our')}.com", "subject": body[:30], "body": body}
        for i, body in enumerate(bodies)
    )
    rows = tuple(
        {"id": f"r{i}", "sheet_id": "s1", "position": i, "cells": rng.choices(vocabulary, k=CELLS)} for i in range(ROWS)
    )
    contacts = tuple(
        {
            "Id": f"003{i:015d}",
            "Name": f"{rng.choice(vocabulary)} {rng.choice(vocabulary)}",
            "Email": f"{rng.choice(vocabulary)}@{_firm(rng, 'our')}.com",
            "Title": rng.choice(vocabulary),
            "Company": _firm(rng, "our").capitalize() + " Ltd" if i % 20 == 0 else "",
        }
        for i in range(CONTACTS)
    )
    change = Change(
        label="a", app="gmail", collection="messages", action="update", id="m1", fields={"x": (Equals(value=1),)}
    )
    return Task.model_construct(
        id=f"sales.synthetic-{number:012x}",
        domain="sales",
        family=f"family{number % FAMILIES}",
        seed="1",
        index=number // FAMILIES,
        actor={"name": "A B", "email": "a@b.test", "company": "Tarnwick Instruments", "domain": "tarnwick.test"},
        prompt=_sentence(rng, vocabulary, 60),
        world={"gmail": {"messages": messages}, "google_sheets": {"rows": rows}, "salesforce": {"Contact": contacts}},
        contract=Contract(all_of=(change,)),
        reference=(ToolCall(tool="gmail_update"),),
    )


if __name__ == "__main__":
    main()
