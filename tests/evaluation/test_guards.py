"""Guards: settings on both sides that are equal, differ or aren't stated, whatever their form."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.guards import caveats, check_settings
from evaluation.scores import Scores, pair
from tests.evaluation.tables import table


def side(label: str, **settings: Any) -> Scores:
    return Scores(label, table(label, {"hr.x-1": [1.0], "hr.x-2": [0.0]}).tasks, settings)


@pytest.mark.parametrize(
    ("base", "adapter", "state"),
    [
        ({"toolset": "api"}, {"toolset": "api"}, "equal"),
        ({"toolset": "api"}, {}, "unverified"),
        ({}, {"toolset": "api"}, "unverified"),
        ({"toolset": None}, {"toolset": "api"}, "unverified"),
        ({"toolset": None}, {"toolset": None}, "unverified"),
        ({"toolset": 1}, {"toolset": 1.0}, "equal"),
        ({"toolset": {"a": [1, {"b": None}]}}, {"toolset": {"a": [1, {"b": None}]}}, "equal"),
        ({"toolset": {"a": 1, "b": 2}}, {"toolset": {"b": 2, "a": 1}}, "equal"),
    ],
)
def test_a_setting_is_equal_or_unverified(base: dict[str, Any], adapter: dict[str, Any], state: str) -> None:
    (check,) = check_settings(side("base", **base), side("adapter", **adapter))
    assert (check.name, check.state) == ("toolset", state)
    assert (check.base, check.adapter) == (base.get("toolset"), adapter.get("toolset"))


@pytest.mark.parametrize(
    ("base", "adapter"),
    [
        ("api", "zapier"),
        (0, 1),
        (0.7, 0.70001),
        ("1", 1),
        ("", "api"),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": 0}]}),
        (["a", "b"], ["b", "a"]),
        (False, "no"),
    ],
)
def test_sides_that_differ_are_refused_unless_allowed(base: Any, adapter: Any) -> None:
    sides = side("base", toolset=base), side("adapter", toolset=adapter)
    with pytest.raises(ValueError, match=r"differ in toolset .*compare like with like, or allow toolset"):
        check_settings(*sides)
    (check,) = check_settings(*sides, allowed=["toolset"])
    assert check.state == "different"


def test_a_setting_of_zero_is_stated() -> None:
    (check,) = check_settings(side("base", temperature=0), side("adapter", temperature=0.0))
    assert check.state == "equal"


def test_the_models_are_meant_to_differ() -> None:
    assert check_settings(side("base", model="a", policy="p"), side("adapter", model="b", policy="q")) == ()


def test_allowing_what_is_no_setting_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="'tolset' is no setting that the two sides state; allow one of toolset"):
        check_settings(side("base", toolset="a"), side("adapter"), allowed=["tolset"])


def test_a_long_value_is_cut_in_sentences() -> None:
    sides = side("base", toolset="a" * 10_000), side("adapter", toolset="b")
    with pytest.raises(ValueError, match=r"\(a{80}\.\.\. and b\)") as refusal:
        check_settings(*sides)
    assert len(str(refusal.value)) < 400
    checks = check_settings(*sides, allowed=["toolset"])
    assert f"{'a' * 80}... and b" in caveats(pair(*sides), checks)[0]


def test_few_attempts_are_counted_task_by_task() -> None:
    credits = {"hr.x-1": [1.0] * 3, "hr.x-2": [0.0] * 2, "hr.x-3": [0.0]}
    notes = caveats(pair(table("base", credits), table("adapter", credits)), ())
    assert notes == (
        "2 of 3 tasks have fewer than 3 scored attempts a side (the fewest: 1); another run of the same models would "
        "move the rates.",
    )
    enough = {task: [0.0] * 3 for task in credits}
    assert caveats(pair(table("base", enough), table("adapter", enough)), ()) == ()


def test_monitored_tasks_outside_the_headline_need_no_word() -> None:
    credits = {"hr.x-1": [1.0] * 3, "hr.x-2": [0.0] * 3}
    sides = pair(table("base", credits), table("adapter", credits))
    assert caveats(sides, (), monitored=["hr.x-9"]) == ()
    assert caveats(sides, (), monitored=["hr.x-9", "hr.x-2"])[0].startswith("The headline includes 1 task (hr.x-2)")
