"""Real prompts are those of a public benchmark: held against each other and against what all families generate."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from decontam.benchmark import Benchmark
from decontam.decontaminate import decontaminate
from decontam.joint_reading import joined
from decontam.ngrams import NgramIndex
from decontam.passages import Passage, passages_of_benchmark_task, passages_of_task
from decontam.reading import Reading, read
from decontam.settings import DecontaminationSettings
from decontam.verdicts import RULES
from decontam.words import words_of
from environment.task import Task
from generators.phrasing import TEMPLATES

RUN = 13
_SENTENCE_END = re.compile(r"(?<=[.!?)])\s+")
_FEWEST_WORDS = 5


def real_prompts_text(benchmark: Benchmark, tasks: Sequence[Task], families: int) -> str:
    """What the prompts share with each other, and the tasks with them; counts only, no word of theirs."""
    prompts = [task.prompt for task in benchmark.tasks]
    readings = [read([Passage("prompt", prompt, "prompt")]) for prompt in prompts]
    boilerplate = [
        n for n in range(len(prompts)) if _shares(readings[n], _index([*readings[:n], *readings[n + 1 :]], RUN))
    ]
    sentences = _shared_sentences(prompts)
    theirs = [read(passages_of_benchmark_task(task)) for task in benchmark.tasks]
    ours = [read(passages_of_task(task)) for task in tasks]
    templates = [
        read([Passage(path.name, path.read_text("utf-8"), "template")])
        for path in sorted(TEMPLATES.rglob("*"))
        if path.is_file()
    ]
    result = decontaminate(tasks, benchmark, (), DecontaminationSettings())
    counts = result.counts()
    against = sum(counts[rule] for rule in RULES if rule != "copy_in_set")
    lines = [
        f"{len(prompts)} prompts of `{Path(benchmark.source).name}`, each against the others: "
        f"{len(boilerplate)} share a run of {RUN} words with another. {len(sentences)} sentences of {_FEWEST_WORDS} "
        "words or more stand in several of them:",
        "",
        "| shared sentence | words | prompts | at the end of |",
        "| --- | ---: | ---: | ---: |",
        *(
            f"| {number} | {len(sentence)} | {count} | {ends} |"
            for number, (sentence, count, ends) in enumerate(sentences, 1)
        ),
        "",
        f"{len(tasks)} tasks of all {families} families, knobs from the lowest to the highest, against the prompts: "
        f"{against} dropped ("
        + ", ".join(f"`{rule}` {counts[rule]}" for rule in RULES if rule != "copy_in_set")
        + f"). {result.ours.passages:,} passages with {result.ours.words:,} words and {result.ours.names:,} company "
        f"names were held against {result.theirs.words:,} words and {result.theirs.names} names. The longest run of "
        f"words that a task shares with a prompt has {_longest(ours, theirs)}, the longest that one of "
        f"{len(templates)} files of phrasings shares {_longest(templates, theirs)}.",
    ]
    return "\n".join(lines)


def _index(readings: Sequence[Reading], size: int) -> NgramIndex:
    return NgramIndex(joined(readings), size)


def _shares(reading: Reading, index: NgramIndex) -> bool:
    return bool(index.shared_runs(reading))


def _longest(ours: Sequence[Reading], theirs: Sequence[Reading]) -> int:
    """Words of the longest run that one of ours has in common with one of theirs, up to RUN."""
    for size in range(RUN, 1, -1):
        index = _index(theirs, size)
        if any(_shares(reading, index) for reading in ours):
            return size
    return 1


def _shared_sentences(prompts: Sequence[str]) -> list[tuple[tuple[str, ...], int, int]]:
    """Sentences of several prompts, with how many have and how many end with them, the most frequent first."""
    having, ending = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for prompt in prompts:
        sentences = [tuple(words_of(sentence)) for sentence in _SENTENCE_END.split(prompt.strip())]
        having.update(set(sentences))
        ending[sentences[-1]] += 1
    shared = [(sentence, count, ending[sentence]) for sentence, count in having.items()]
    kept = [entry for entry in shared if entry[1] > 1 and len(entry[0]) >= _FEWEST_WORDS]
    return sorted(kept, key=lambda entry: (-entry[1], -len(entry[0]), entry[0]))
