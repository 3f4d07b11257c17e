"""Knobs make tasks longer and never shorter, from two calls to more than twenty."""

from __future__ import annotations

import json

import pytest

from generators.depth import Depth, KnobDepth, highest, knob_depth, lowest, mean_depth, task_depth
from generators.families import FAMILIES
from generators.family import Family

CASES = [pytest.param(family, name, id=f"{family.name}-{name}") for family in FAMILIES for name in family.knobs]
IDS = [family.name for family in FAMILIES]


def around(family: Family, name: str) -> dict[str, int]:
    """Low settings of all knobs but those without which this one has no effect."""
    settings = {**lowest(family), "entities": 2}
    needed = family.knobs[name].needs
    while needed:
        settings[needed[0]] = max(settings[needed[0]], needed[1])
        needed = family.knobs[needed[0]].needs
    return settings


@pytest.mark.parametrize(("family", "name"), CASES)
def test_raising_a_knob_never_makes_a_task_smaller_and_in_the_end_makes_it_larger(family, name):
    measured = knob_depth(family, name, around(family, name), [f"depth-{n}" for n in range(6)], steps=3)
    assert not measured.falls, measured
    assert measured.rises, measured


@pytest.mark.parametrize("family", FAMILIES, ids=IDS)
def test_the_lowest_settings_are_a_task_of_two_calls(family):
    assert mean_depth(family, lowest(family), ["low-1", "low-2", "low-3"]).calls == 2


@pytest.mark.parametrize("family", FAMILIES, ids=IDS)
def test_the_highest_settings_ask_for_twenty_calls_in_thirty_thousand_tokens_over_several_applications(family):
    task = family.generate("high", 0, "development", highest(family), "api")
    assert len(task.reference) >= 20
    assert task_depth(task).tokens >= 30_000
    assert len(task.apps) >= 3
    assert len({trap.name for trap in task.traps}) >= 5
    assert task.derivations


def test_depth_counts_the_texts_of_rows_and_the_calls():
    task = FAMILIES[0].generate("low", 0, "development", lowest(FAMILIES[0]), "api")
    texts = json.dumps([rows for found in task.to_json()["world"].values() for rows in found.values()])
    assert 0 < task_depth(task).tokens * 4 < len(texts)
    assert task_depth(task).calls == len(task.reference)


@pytest.mark.parametrize(
    ("depths", "falls", "rises"),
    [
        (((2, 100), (3, 100)), False, True),
        (((3, 100), (2, 200)), True, True),
        (((2, 200), (2, 100)), True, False),
        (((2, 100), (2, 100)), False, False),
    ],
)
def test_a_knob_falls_when_either_measure_does(depths, falls, rises):
    measured = KnobDepth("records", (0, 1), tuple(Depth(*depth) for depth in depths))
    assert (measured.falls, measured.rises) == (falls, rises)
