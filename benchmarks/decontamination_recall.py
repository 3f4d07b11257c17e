"""How many planted overlaps decontamination finds, kind by kind, and how many clean tasks it drops.

    python -m benchmarks.decontamination_recall                  # prints the tables
    python -m benchmarks.decontamination_recall --write          # and writes them into docs/decontamination.md
    python -m benchmarks.decontamination_recall --benchmark F    # also holds all families against F, a JSONL file

Overlaps with an invented benchmark are planted into generated tasks of all families, each kind into one task a family,
and as many tasks again stay as they were. `--benchmark` is `$WORLDLOOM_BENCHMARK` where that is set. Exits with 1 when
a verbatim overlap or a name is missed, a control counts as one, or a clean task is dropped.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # beside this file lies environment.py, which is not the package

from benchmarks.doc_section import write_section
from benchmarks.planted_overlaps import KINDS, Group, Source, benchmark_of, invented_sources
from benchmarks.real_prompts import real_prompts_text
from decontam.benchmark import Benchmark, BenchmarkTask
from decontam.decontaminate import decontaminate
from decontam.readers.sources import load_benchmark, stand_in
from decontam.sentence_model import is_installed
from decontam.settings import DecontaminationSettings, MeaningSettings
from decontam.verdicts import RULES, Overlap
from decontam.words import words_of
from environment.rng import derive_rng
from environment.task import Task
from generators.families import FAMILIES
from generators.family import Family

PAGE = Path(__file__).parents[1] / "docs" / "decontamination.md"
PARAPHRASES = Path(__file__).with_name("paraphrases.jsonl")
SOURCES = 96
CLEAN_BY_MEANING = 240
"""Clean tasks that are compared by meaning as well, which takes time."""
RULES_OF: Mapping[Group, tuple[str, ...]] = {
    "verbatim": ("shared_passage",),
    "name": ("company_name",),
    "copy": ("shared_passage", "like_benchmark"),
}
"""Rules that find a kind by what was planted; a copy names companies too, which tells nothing about its words."""
HEADINGS: Mapping[Group, str] = {
    "verbatim": "13 words verbatim",
    "name": "a company's name",
    "copy": "a near-copy",
    "paraphrase": "a paraphrase",
}


@dataclass(frozen=True, slots=True)
class Plant:
    """One task with a planted overlap."""

    kind: str
    group: Group
    task: Task
    source: str
    """Name of the benchmark task that it was taken from."""


@dataclass(frozen=True, slots=True)
class Count:
    """What became of the plants of one kind."""

    kind: str
    group: Group
    planted: int
    found: int

    @property
    def recall(self) -> float:
        return self.found / self.planted


def generated(family: Family, index: int) -> Task:
    """A task of this family, its knobs at the low end, half way and at the top in turn."""
    share = derive_rng("recall", family.name, index).randrange(3) / 2
    knobs = {name: knob.low + round(share * (knob.high - knob.low)) for name, knob in family.knobs.items()}
    return family.generate("recall", index, "train", knobs, "api")


def planted(sources: Sequence[Source], pairs: Sequence[Mapping[str, str]], per_family: int) -> list[Plant]:
    """Every kind in `per_family` tasks of each family, and each paraphrase once."""
    plants: list[Plant] = []
    number = 0
    for kind in KINDS:
        for family in FAMILIES:
            for _ in range(per_family):
                source = sources[number % len(sources)]
                rng = derive_rng("recall", kind.name, family.name, number)
                # A prime number of steps takes each place and each family together in turn.
                task = kind.plant(generated(family, number), source, rng, number // len(FAMILIES) + number)
                plants.append(Plant(kind.name, kind.group, task, source.task.name))
                number += 1
    for pair_number, pair in enumerate(pairs):
        task = generated(FAMILIES[pair_number % len(FAMILIES)], number + pair_number)
        task = task.model_copy(update={"prompt": pair["paraphrase"]})
        plants.append(Plant("a request said in other words", "paraphrase", task, paraphrased(pair_number).name))
    return plants


def paraphrased(number: int, prompt: str = "") -> BenchmarkTask:
    """The benchmark's task whose request is paraphrased."""
    return BenchmarkTask(name=f"operations.paraphrased_{number}", domain="operations", prompt=prompt, row=1)


def counted(plants: Sequence[Plant], dropped: Mapping[str, tuple[Overlap, ...]]) -> list[Count]:
    """Plants found by kind: dropped by the rule that is meant for them, because of the task that they came from."""
    planted, found = Counter[tuple[str, Group]](), Counter[tuple[str, Group]]()
    for plant in plants:
        key = (plant.kind, plant.group)
        planted[key] += 1
        rules = RULES_OF.get(plant.group, RULES)
        found[key] += any(
            overlap.rule in rules and (plant.group == "control" or overlap.other == plant.source)
            for overlap in dropped[plant.task.id]
        )
    return [Count(kind, group, count, found[kind, group]) for (kind, group), count in planted.items()]


def alike(plants: Sequence[Plant], dropped: Mapping[str, tuple[Overlap, ...]]) -> str:
    """How many near-copies likeness of the whole finds by itself, in words."""
    found = Counter[str]()
    for plant in plants:
        if plant.group == "copy":
            found[plant.kind] += any(overlap.rule == "like_benchmark" for overlap in dropped[plant.task.id])
    told = ", ".join(f"{count} with {kind.partition(', ')[2]}" for kind, count in found.items())
    return (
        f"Of the near-copies, likeness of the whole alone finds {told}; the rest was found by 13 words left together."
    )


def by_meaning(plants: Sequence[Plant], clean: Sequence[Task], benchmark: Benchmark) -> str:
    """What becomes of paraphrases, and of clean tasks, when meaning is compared, in words."""
    if not is_installed():
        return "What the optional comparison of meaning adds is not in this table: its sentence model is not installed."
    paraphrases = [plant.task for plant in plants if plant.group == "paraphrase"]
    limits = MeaningSettings()
    result = decontaminate([*paraphrases, *clean], benchmark, (), DecontaminationSettings(meaning=limits))
    rulings = {ruling.task_id: ruling for ruling in result.rulings}

    def outcome(tasks: Sequence[Task]) -> str:
        mine = [rulings[task.id] for task in tasks]
        dropped = sum(any(overlap.rule == "like_meaning" for overlap in ruling.overlaps) for ruling in mine)
        shown = sum(any(overlap.rule == "meaning_near" for overlap in ruling.reported) for ruling in mine)
        return f"{dropped} of {len(mine)} are dropped and {shown} more shown"

    return (
        f"With `meaning` at its usual limits ({limits.drop} drops, {limits.report} shows), of the paraphrases "
        f"{outcome(paraphrases)}; of clean tasks {outcome(clean)}."
    )


def recall_text(counts: Sequence[Count], clean: int, dropped: int, remarks: Sequence[str], benchmark: Benchmark) -> str:
    """The section `recall`."""
    lines = ["| what | planted how | planted | found | recall |", "| --- | --- | ---: | ---: | ---: |"]
    for group, heading in HEADINGS.items():
        mine = [count for count in counts if count.group == group]
        lines += [f"| {heading} | {c.kind} | {c.planted} | {c.found} | {c.recall:.0%} |" for c in mine]
        total, found = sum(count.planted for count in mine), sum(count.found for count in mine)
        lines.append(f"| **{heading}, all** | | **{total}** | **{found}** | **{found / total:.1%}** |")
    lines += [
        "",
        " ".join(remarks),
        "",
        "What must not count:",
        "",
        "| control | planted | dropped |",
        "| --- | ---: | ---: |",
        *(f"| {c.kind} | {c.planted} | {c.found} |" for c in counts if c.group == "control"),
        f"| *nothing: generated tasks as they are* | {clean} | {dropped} |",
        "",
        f"The benchmark of this table has {len(benchmark.tasks)} tasks: the stand-in, {SOURCES} invented ones whose "
        "texts stand in requests, mails, HTML, base64, cells, rows, columns and pages, and the requests of the "
        f"paraphrases. The tasks are of all {len(FAMILIES)} families, with knobs from the lowest to the highest.",
    ]
    return "\n".join(lines)


def failures(counts: Sequence[Count], dropped: Sequence[str]) -> list[str]:
    """What must not be, in words."""
    missed = [c for c in counts if c.group in ("verbatim", "name") and c.found < c.planted]
    wrong = [c for c in counts if c.group == "control" and c.found]
    return [
        *(f"MISSED {count.kind}: {count.found} of {count.planted}" for count in missed),
        *(f"COUNTED {count.kind}: {count.found} of {count.planted}" for count in wrong),
        *(f"DROPPED {task}" for task in dropped),
    ]


def main() -> int:
    """Plant, measure, print, and write when asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-family", type=int, default=1, help="plants of each kind in each family")
    parser.add_argument("--benchmark", type=Path, default=os.environ.get("WORLDLOOM_BENCHMARK"), metavar="FILE")
    parser.add_argument("--write", action="store_true", help=f"write the sections of {PAGE.name}")
    arguments = parser.parse_args()
    shipped = stand_in()
    vocabulary = sorted({word for task in shipped.tasks for word in words_of(task.prompt) if word.isalpha()})
    sources = invented_sources(vocabulary, SOURCES)
    pairs = [json.loads(line) for line in PARAPHRASES.read_text("utf-8").splitlines()]
    originals = [paraphrased(number, pair["prompt"]) for number, pair in enumerate(pairs)]
    benchmark = benchmark_of(sources, [*shipped.tasks, *originals])
    plants = planted(sources, pairs, arguments.per_family)
    clean = [generated(family, 100_000 + n) for family in FAMILIES for n in range(len(plants) // len(FAMILIES))]
    tasks = [plant.task for plant in plants] + clean
    result = decontaminate(tasks, benchmark, (), DecontaminationSettings())
    overlaps = {ruling.task_id: ruling.overlaps for ruling in result.rulings}
    counts = counted(plants, overlaps)
    dropped = [f"{task.id}: {overlaps[task.id]}" for task in clean if overlaps[task.id]]
    remarks = (alike(plants, overlaps), by_meaning(plants, clean[:: len(clean) // CLEAN_BY_MEANING], benchmark))
    text = recall_text(counts, len(clean), len(dropped), remarks, benchmark)
    print(text)
    if arguments.write:
        write_section(PAGE, "recall", text)
    if arguments.benchmark is None:
        print("\nNo real prompts: give their JSONL file as --benchmark or in $WORLDLOOM_BENCHMARK.")
    else:
        real = real_prompts_text(load_benchmark([Path(arguments.benchmark)]), clean, len(FAMILIES))
        print(f"\n{real}")
        if arguments.write:
            write_section(PAGE, "public sample", real)
    wrong = failures(counts, dropped)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
