"""Every kind of planted overlap is found in a task, and none of the controls is."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from benchmarks.planted_overlaps import KINDS, Kind, benchmark_of, invented_sources
from decontam.decontaminate import decontaminate
from decontam.readers.sources import stand_in
from decontam.settings import DecontaminationSettings
from decontam.verdicts import Overlap
from decontam.words import words_of
from environment.rng import derive_rng
from environment.task import Task
from generators.families import FAMILIES

SOURCES = 8
RULES = {"verbatim": "shared_passage", "name": "company_name", "copy": "shared_passage"}


def host(number: int) -> Task:
    """A generated task, half way up every knob, of each family in turn."""
    family = FAMILIES[number % len(FAMILIES)]
    knobs = {name: (knob.low + knob.high) // 2 for name, knob in family.knobs.items()}
    return family.generate("planted", number, "train", knobs, "api")


@pytest.fixture(scope="module")
def found() -> Mapping[str, tuple[Task, str, tuple[Overlap, ...]]]:
    """Kind -> the task that it was planted into, where it came from, and what was found."""
    vocabulary = sorted({word for task in stand_in().tasks for word in words_of(task.prompt) if word.isalpha()})
    sources = invented_sources(vocabulary, SOURCES)
    planted = {}
    for number, kind in enumerate(KINDS):
        source = sources[number % SOURCES]
        task = kind.plant(host(number), source, derive_rng("planted", kind.name), number)
        planted[kind.name] = (task, source.task.name)
    tasks = [task for task, _ in planted.values()]
    result = decontaminate(tasks, benchmark_of(sources, ()), (), DecontaminationSettings(), processes=1)
    return {
        name: (task, source, ruling.overlaps)
        for (name, (task, source)), ruling in zip(planted.items(), result.rulings, strict=True)
    }


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.group != "control"], ids=lambda kind: kind.name)
def test_planted_overlaps_are_found_in_the_task_that_they_came_from(
    kind: Kind, found: Mapping[str, tuple[Task, str, tuple[Overlap, ...]]]
) -> None:
    _, source, overlaps = found[kind.name]
    assert (RULES[kind.group], source) in [(overlap.rule, overlap.other) for overlap in overlaps]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.group == "control"], ids=lambda kind: kind.name)
def test_what_is_no_overlap_drops_no_task(
    kind: Kind, found: Mapping[str, tuple[Task, str, tuple[Overlap, ...]]]
) -> None:
    task, _, overlaps = found[kind.name]
    assert overlaps == ()
    assert task.world != host(KINDS.index(kind)).world
