"""Tasks and benchmarks made by hand for the tests of decontamination."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from decontam.benchmark import Benchmark, BenchmarkTask
from environment.contract import Change, Contract, Equals
from environment.task import Task, ToolCall, make_task

SENTENCE = "please move every crate from the north dock to the cold room before noon and count them twice"
"""Eighteen words that the benchmark of these tests has in a message."""
WORDS = SENTENCE.split()


def made_task(
    prompt: str,
    world: Mapping[str, Mapping[str, tuple[Mapping[str, Any], ...]]] | None = None,
    index: int = 0,
    company: str = "Tarnwick Instruments",
    domain: str = "tarnwickinstruments.com",
    family: str = "made",
) -> Task:
    """A task with this prompt and world."""
    return make_task(
        split="train",
        domain="sales",
        family=family,
        seed="11",
        index=index,
        generator_version="0",
        knobs={},
        apps=("gmail",),
        actions=(),
        toolset="actions",
        now="2026-03-04T09:20:00+00:00",
        actor={"name": "Oren Haddad", "email": f"oren@{domain}", "company": company, "domain": domain},
        prompt=prompt,
        world=world or {},
        contract=Contract(
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
        ),
        traps=(),
        reference=(ToolCall(tool="gmail_read", arguments={"id": "m1"}),),
    )


def mailed(body: str) -> dict[str, dict[str, tuple[dict[str, Any], ...]]]:
    """A world of one message."""
    return {"gmail": {"messages": ({"id": "m1", "subject": "Crates", "body": body},)}}


def made_benchmark(*tasks: BenchmarkTask, **changes: Any) -> Benchmark:
    """A benchmark of these tasks, or of one with SENTENCE in a message and the company Quantum Labs in a field."""
    usual = BenchmarkTask(
        name="operations.crates",
        domain="operations",
        prompt="Look into the inbox and do what the dock asks, then tell the night shift how many there were in all",
        initial_state={
            "gmail": {"messages": [{"id": "b1", "body": f"Hello. {SENTENCE.capitalize()}. Thanks"}]},
            "salesforce": {"Account": [{"Id": "001", "Name": "Quantum Labs, Inc."}]},
        },
        row=1,
    )
    parts: dict[str, Any] = {"source": "made", "content_hash": "0" * 64, "is_stand_in": False}
    return Benchmark(tasks=tasks or (usual,), **(parts | changes))
