"""Outcomes of our own attempts: what was to be done, what went astray, and whether a trap was fallen for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from environment.attempt import Attempt, Verdict
from environment.contract import Change, Contract, Equals
from environment.episode import Episode
from environment.task import Task, ToolCall, Trap
from evaluation.outcomes import Check, outcome_of
from generators.families import FAMILIES, family_named
from tests.environment.sample_world import WORLD
from tests.environment.small_task import CHANNEL, POST, STRAY, make_small_task
from tests.generators.test_families import starter_task


def played(task: Task, calls: Sequence[ToolCall], **more: object) -> Attempt:
    """An attempt that makes these calls and answers."""
    episode = Episode(task, "actions")
    for call in calls:
        episode.call(call.tool, dict(call.arguments))
    parts = {"number": 0, "policy": "p", "seed": 1, "purpose": "evaluation", "end": "answered", "transcript": None}
    return Attempt(**{**parts, "task_id": task.id, "verdict": episode.verdict(), **more})


@pytest.mark.parametrize("family", FAMILIES, ids=[family.name for family in FAMILIES])
def test_whoever_plays_a_trap_is_recognised_and_the_reference_is_not(family) -> None:
    task = starter_task(family, "seven", 1)
    idle = Episode(task, "actions").verdict()
    reference = outcome_of(played(task, task.reference), task)
    assert reference is not None and reference.strict
    assert not any(reference.traps.values())
    assert {trap.name for trap in task.traps} >= set(reference.traps)
    for trap in task.traps:
        attempt = played(task, trap.sprung)
        outcome = outcome_of(attempt, task)
        assert outcome is not None and not outcome.strict
        assert attempt.verdict is not None
        if _left(attempt.verdict) != _left(idle):
            assert outcome.traps[trap.name], trap.note


def test_doing_nothing_falls_for_no_trap() -> None:
    for name in ("ticket_triage", "supplier_credits", "deal_stage"):
        for index in range(4):
            task = starter_task(family_named(name), "seven", index)
            outcome = outcome_of(played(task, ()), task)
            assert outcome is not None
            assert not any(outcome.traps.values())


def test_an_attempt_that_ran_out_of_turns_half_way_is_no_hurried_worker() -> None:
    trap = Trap(name="chatty", note="Posts something else.", sprung=(STRAY,))
    task = make_small_task(traps=(trap,))
    answered, cut = (outcome_of(played(task, (STRAY,), end=end), task) for end in ("answered", "turn_limit"))
    assert answered is not None and cut is not None
    assert (answered.traps, cut.traps) == ({"chatty": True}, {"chatty": False})


def test_every_field_of_an_outcome() -> None:
    task = make_small_task(knobs={"depth": 2.0})
    outcome = outcome_of(played(task, (POST, STRAY), number=4), task)
    assert outcome is not None
    assert (outcome.task_id, outcome.domain, outcome.family, outcome.number) == (task.id, "finance", "small", 4)
    assert (outcome.strict, outcome.credit, outcome.end) == (False, 0.5, "answered")
    assert outcome.checks == (Check("slack", "create slack.Message", True),)
    (stray,) = outcome.strays
    assert stray.startswith("slack.Message/") and stray.endswith("(create)")
    assert (outcome.traps, outcome.knobs) == ({}, {"depth": 2.0})


@pytest.mark.parametrize(("said", "passed"), [("One.", True), ("Two.", True), ("Three.", False)])
def test_a_group_of_equivalent_changes_is_one_check(said: str, passed: bool) -> None:
    group = tuple(
        Change(
            label=text,
            app="slack",
            collection="Message",
            action="create",
            key={"channel": (Equals(value=CHANNEL),)},
            fields={"text": (Equals(value=text),)},
        )
        for text in ("One.", "Two.")
    )
    task = make_small_task(contract=Contract(any_of=(group,)))
    call = ToolCall(tool="slack_post_message", arguments={"channel": "#ap-run", "text": said})
    outcome = outcome_of(played(task, (call,)), task)
    assert outcome is not None
    assert outcome.checks == (Check("slack", "create slack.Message", passed),)


def test_an_unscored_attempt_has_no_outcome() -> None:
    task = make_small_task(world={"slack": WORLD["slack"]})
    lost = played(task, (), verdict=None, end=None, error="connection reset", failure="connection")
    assert outcome_of(lost, task) is None


def _left(verdict: Verdict) -> object:
    wrong = sorted((one.label, one.wrong) for one in verdict.expected if not one.satisfied)
    return wrong, sorted(verdict.collateral)
