"""The failing attempts of a small ledger: two policies, two tasks, one attempt lost."""

from __future__ import annotations

from pathlib import Path

from assets.stages.failing import failing
from environment.attempt import Transcript
from environment.ledger import Ledger
from environment.policies.scripted import call_message
from environment.task import Trap
from tests.environment.small_task import POST, STRAY, make_small_task
from tests.evaluation.test_outcomes import played

HURRIED = Trap(name="chatty", note="Posts something else.", sprung=(STRAY,))
FIRST, SECOND = make_small_task(1, traps=(HURRIED,)), make_small_task(2)
TASKS = (FIRST, SECOND)


def filled(folder: Path) -> Ledger:
    said = Transcript(messages=({"role": "user", "content": FIRST.prompt}, call_message(STRAY, 0)))
    ledger = Ledger(folder)
    for attempt in (
        played(FIRST, (STRAY,), policy="base", transcript=said),
        played(FIRST, (POST, STRAY), number=1, policy="base"),
        played(FIRST, (POST,), number=7, policy="base", purpose="monitor"),
        played(SECOND, (POST,), policy="base"),
        played(SECOND, (), number=1, policy="base", verdict=None, end=None, error="reset", failure="connection"),
        played(FIRST, (POST,), policy="adapter"),
        played(SECOND, (), policy="adapter", end="turn_limit"),
    ):
        ledger.append(attempt)
    return ledger


def test_scored_attempts_of_the_purpose_are_analysed(tmp_path: Path) -> None:
    with filled(tmp_path) as ledger:
        found = failing(ledger, "base", "adapter", "evaluation", TASKS)
    assert found is not None
    analysis, exhibits = found
    counts = {share.name: (share.base, share.base_of, share.adapter, share.adapter_of) for share in analysis.ways}
    assert (analysis.attempts.base, analysis.attempts.base_of) == (2, 3)
    assert (analysis.attempts.adapter, analysis.attempts.adapter_of) == (1, 2)
    assert counts == {
        "ended without an answer (turn limit)": (0, 3, 1, 2),
        "missed something": (1, 3, 0, 2),
        "touched what it must not": (1, 3, 0, 2),
    }
    assert [(share.name, share.base, share.base_of) for share in analysis.traps] == [("chatty", 1, 2)]
    gain, loss = exhibits
    assert (gain.move.task_id, gain.prompt) == (FIRST.id, FIRST.prompt)
    assert [line.role for line in gain.base.lines] == ["call"]
    assert gain.base.missed == ("post: create slack.Message; wrong: text",)
    assert (gain.base.number, gain.base.strict, gain.adapter.strict) == (0, False, True)
    assert (loss.move.task_id, loss.base.strict, loss.adapter.end) == (SECOND.id, True, "turn_limit")
    assert loss.adapter.missed == ("post: create slack.Message",)


def test_a_side_without_a_scored_attempt_has_no_analysis(tmp_path: Path) -> None:
    with filled(tmp_path) as ledger:
        assert failing(ledger, "base", "nobody", "evaluation", TASKS) is None
        assert failing(ledger, "base", "adapter", "another purpose", TASKS) is None
