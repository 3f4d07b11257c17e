"""Real prompts: what they are told to share, with each other and with our tasks."""

from __future__ import annotations

from benchmarks.real_prompts import real_prompts_text
from decontam.benchmark import BenchmarkTask
from tests.decontam.made_tasks import SENTENCE, made_benchmark, made_task, mailed

FIXED = "Always write the dock's number into the subject and never ship on a Sunday, please."
"""Fifteen words that two prompts have in common."""


def prompt(number: int, text: str) -> BenchmarkTask:
    return BenchmarkTask(name=f"operations.{number}", domain="operations", prompt=text, row=number)


def test_shared_sentences_and_the_tasks_that_overlap_are_counted() -> None:
    benchmark = made_benchmark(
        prompt(1, f"Move the crates of Quantum Labs, Inc. to the cold room. {FIXED}"),
        prompt(2, f"Count the pallets. {FIXED.upper()} Then tell Ana."),
        prompt(3, f"Do it: {SENTENCE}. Then tell Ana."),
    )
    tasks = [
        made_task("Nothing of that kind", index=0),
        made_task("Do it", mailed(" ".join(SENTENCE.split()[:13])), index=1),
    ]
    text = real_prompts_text(benchmark, tasks, 1)
    assert "2 share a run of 13 words with another. 1 sentences of 5 words or more" in text
    assert "| 1 | 15 | 2 | 1 |" in text
    assert "against the prompts: 1 dropped (`shared_passage` 1," in text
    assert "that a task shares with a prompt has 13" in text
    assert "dock" not in text
