"""Tables of scores from attempts, and what may be paired with what."""

from __future__ import annotations

import math

import pytest

from environment.attempt import Attempt, End, Judgement, PolicyFingerprint, Verdict
from environment.contract import Change, Contract, Equals
from environment.task import Task, ToolCall, make_task
from evaluation.comparison import compare
from evaluation.scores import Score, Scores, TaskScores, pair, score_attempts, without
from tests.evaluation.tables import score, table


def _task(index: int) -> Task:
    change = Change(label="note", app="crm", collection="Note", action="create", key={"text": (Equals(value="hello"),)})
    return make_task(
        split="held_out",
        domain="sales",
        family="note",
        seed="s",
        index=index,
        generator_version="v",
        knobs={},
        apps=("crm",),
        actions=("crm_create_note",),
        toolset="actions",
        now="2026-03-02T09:00:00+00:00",
        actor={"name": "Ada", "email": "ada@example.com", "company": "Example", "domain": "example.com"},
        prompt="Leave a note that says hello.",
        world={"crm": {"Note": ()}},
        contract=Contract(all_of=(change,)),
        traps=(),
        reference=(ToolCall(tool="crm_create_note", arguments={"text": "hello"}),),
    )


def _attempt(task: Task, number: int, credit: float, collateral: int = 0, end: End = "answered") -> Attempt:
    verdict = Verdict(
        expected=(Judgement(label="note", satisfied=credit > 0, row_id=None),),
        collateral=tuple(f"crm.Note/{n} (create)" for n in range(collateral)),
        strict=credit == 1,
        partial_credit=credit,
    )
    return Attempt(
        task_id=task.id,
        number=number,
        policy="p1",
        seed=1,
        purpose="evaluation",
        end=end,
        verdict=verdict,
        transcript=None,
    )


def _unscored(task: Task, number: int) -> Attempt:
    return Attempt(
        task_id=task.id,
        number=number,
        policy="p1",
        seed=1,
        purpose="evaluation",
        end=None,
        verdict=None,
        transcript=None,
        error="connection reset",
    )


def test_attempts_become_rates_and_unscored_ones_leave_the_denominator() -> None:
    first, second, third = _task(0), _task(1), _task(2)
    attempts = [
        _attempt(first, 2, 0.5, collateral=1, end="turn_limit"),
        _attempt(first, 0, 1.0),
        _unscored(first, 1),
        _attempt(second, 0, 1.0),
        _unscored(third, 0),
    ]
    scores = score_attempts(attempts, [first, second, third], "base")
    rows = {row.task_id: row for row in scores.tasks}
    assert rows[first.id].scored == (score(1.0), score(0.5, collateral=1, incomplete=True))
    assert rows[first.id].pass_rate == 0.5
    assert rows[first.id].partial_credit == 0.75
    assert rows[first.id].collateral_rate == 0.5
    assert rows[first.id].incomplete_rate == 0.5
    assert (scores.scored, scores.solved, scores.unscored, scores.missing) == (3, 2, 2, (third.id,))
    assert scores.pass_rate() == 0.75
    assert scores.settings == {"policy": "p1"}


def test_suite_without_a_scored_attempt_has_no_rate() -> None:
    tasks = [_task(0), _task(1)]
    scores = score_attempts([_unscored(task, 0) for task in tasks], tasks, "base")
    assert math.isnan(scores.pass_rate())
    assert math.isnan(scores.tasks[0].pass_rate)
    assert scores.tasks[0].collateral_rate is None
    assert len(scores.missing) == 2


def test_what_does_not_belong_together_is_refused() -> None:
    first, second = _task(0), _task(1)
    attempt = _attempt(first, 0, 1.0)
    with pytest.raises(ValueError, match="twice"):
        score_attempts([attempt, attempt], [first], "base")
    with pytest.raises(ValueError, match="not among the 1 tasks"):
        score_attempts([attempt], [second], "base")
    with pytest.raises(ValueError, match="policies p1, p2"):
        score_attempts([attempt, attempt.model_copy(update={"policy": "p2", "number": 1})], [first], "base")
    with pytest.raises(ValueError, match="more than once"):
        score_attempts([attempt], [first, first], "base")


@pytest.mark.parametrize(
    ("strict", "credit", "collateral"), [(False, 1.5, 0), (False, -0.1, 0), (True, 0.5, 0), (False, 0.5, -1)]
)
def test_impossible_score_is_refused(strict: bool, credit: float, collateral: int) -> None:
    with pytest.raises(ValueError, match="given"):
        Score(strict, credit, collateral, False)


def test_duplicated_task_is_refused() -> None:
    row = TaskScores("sales.a-1", "sales", "a", (score(1),))
    with pytest.raises(ValueError, match=r"1 task \(sales\.a-1\) more than once"):
        Scores("base", (row, row), {})


def test_pair_orders_both_sides_alike() -> None:
    sides = pair(
        table("b", {"hr.x-2": [0], "hr.x-1": [1]}),
        table("a", {"hr.x-1": [0], "hr.x-2": [1]}),
    )
    assert [task.task_id for task in sides.base.tasks] == [task.task_id for task in sides.adapter.tasks]
    assert sides.notes == ()


def test_task_missing_on_one_side_is_refused_or_left_out_on_request() -> None:
    base = table("b", {"hr.x-1": [1], "hr.x-2": [0]})
    adapter = table("a", {"hr.x-1": [1], "hr.x-2": []}, unscored={"hr.x-2": 1})
    with pytest.raises(ValueError, match=r"1 task \(hr\.x-2\) has a scored attempt on one side only"):
        pair(base, adapter)
    sides = pair(base, adapter, common=True)
    assert [task.task_id for task in sides.adapter.tasks] == ["hr.x-1"]
    assert "1 task (hr.x-2) left out" in sides.notes[0]


def test_unequal_numbers_of_attempts_are_refused_or_cut_on_request() -> None:
    base = table("b", {"hr.x-1": [1, 0, 0]})
    adapter = table("a", {"hr.x-1": [0, 1]})
    with pytest.raises(ValueError, match=r"unequal numbers of scored attempts \(hr\.x-1: 3 and 2\)"):
        pair(base, adapter)
    sides = pair(base, adapter, common=True)
    assert [task.pass_rate for task in (*sides.base.tasks, *sides.adapter.tasks)] == [0.5, 0.5]
    assert "first attempts" in sides.notes[0]


def test_task_scored_on_neither_side_is_left_out_and_noted() -> None:
    both = {"hr.x-1": [1.0], "hr.x-2": []}
    sides = pair(table("b", both), table("a", both))
    assert len(sides.base.tasks) == 1
    assert "not" not in sides.notes[0] and "hr.x-2" in sides.notes[0]


@pytest.mark.parametrize("other", [{}, {"hr.y-1": [1.0]}, {"hr.x-1": []}])
def test_sides_without_a_task_in_common_are_refused(other: dict[str, list[float]]) -> None:
    with pytest.raises(ValueError, match="no scored task in common"):
        pair(table("b", {"hr.x-1": [1]}), table("a", other), common=True)


def test_task_in_another_domain_on_either_side_is_refused() -> None:
    base = Scores("b", (TaskScores("t", "hr", "", (score(1),)),), {})
    adapter = Scores("a", (TaskScores("t", "sales", "", (score(1),)),), {})
    with pytest.raises(ValueError, match="another domain"):
        pair(base, adapter)


def test_pass_at_k_is_nan_when_a_task_has_too_few_attempts() -> None:
    scores = table("b", {"hr.x-1": [1, 0], "hr.x-2": [1]})
    assert scores.pass_at_k(1) == pytest.approx(0.75)
    assert math.isnan(scores.pass_at_k(2))
    assert without(scores, {"hr.x-2"}).pass_at_k(2) == 1.0
    assert without(scores, {"hr.x-2"}).pass_hat_k(2) == 0.0


def test_a_fingerprint_says_how_the_attempts_were_sampled() -> None:
    def fingerprint(temperature: float) -> PolicyFingerprint:
        return PolicyFingerprint(
            model="m",
            revision="r",
            adapter=None,
            sampling={"temperature": temperature, "max_tokens": 96},
            prompt_hash="p",
            toolset_hash="t",
        )

    task = _task(0)
    sides = [score_attempts([_attempt(task, 0, 1.0)], [task], "x", fingerprint(at)) for at in (1.0, 0.3)]
    assert dict(sides[1].settings) == {
        "policy": "p1",
        "prompt": "p",
        "toolset": "t",
        "temperature": 0.3,
        "max_tokens": 96,
    }
    with pytest.raises(ValueError, match=r"the two sides differ in temperature \(1\.0 and 0\.3\)"):
        compare(*sides, seed=1)
    assert {check.state for check in compare(sides[0], sides[0], seed=1).settings} == {"equal"}
