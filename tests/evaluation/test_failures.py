"""Failure analysis of outcomes written out by hand; every count is by hand too."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.failures import EXTREMES, KINDS, FailureAnalysis, Share, analyse
from evaluation.outcomes import Check, Outcome

DONE, MISSED = Check("gmail", "create gmail.messages", True), Check("gmail", "create gmail.messages", False)
FILED, LOST = Check("xero", "update xero.Bill", True), Check("xero", "update xero.Bill", False)
STRAY = "slack.Message/M1 (create)"


def made(task_id: str, number: int = 0, strict: bool = False, credit: float | None = None, **more: Any) -> Outcome:
    parts = {
        "domain": "hr",
        "family": task_id.rpartition("-")[0],
        "end": "answered",
        "checks": (),
        "strays": (),
        "traps": {},
        "knobs": {},
    }
    shown = (1.0 if strict else 0.0) if credit is None else credit
    return Outcome(**{**parts, "task_id": task_id, "number": number, "strict": strict, "credit": shown, **more})


def rows(shares: tuple[Share, ...]) -> dict[str, tuple[int, int, int, int]]:
    return {share.name: (share.base, share.base_of, share.adapter, share.adapter_of) for share in shares}


@pytest.fixture
def analysis() -> FailureAnalysis:
    base = [
        made("leave-1", 0, checks=(MISSED, FILED), traps={"old_rule": True}),
        made("leave-1", 1, checks=(MISSED, LOST), strays=(STRAY, STRAY), traps={"old_rule": False}),
        made("quote-1", 0, checks=(DONE,), strays=(STRAY, "xero.Bill/B1 (update)")),
        made("quote-1", 1, strict=True, checks=(DONE,)),
    ]
    adapter = [
        made("leave-1", 0, strict=True, checks=(DONE, FILED), traps={"old_rule": False}),
        made("leave-1", 1, checks=(DONE, LOST), end="turn_limit", traps={"old_rule": False}),
        made("quote-1", 0, strict=True, checks=(DONE,)),
        made("quote-1", 1, strict=True, checks=(DONE,)),
    ]
    return analyse(base, adapter)


def test_attempts_that_failed_are_counted_by_way_family_and_trap(analysis: FailureAnalysis) -> None:
    assert rows((analysis.attempts,)) == {"failed": (3, 4, 1, 4)}
    assert rows(analysis.ways) == {
        "ended without an answer (turn limit)": (0, 4, 1, 4),
        "missed something": (1, 4, 0, 4),
        "missed something and touched what it must not": (1, 4, 0, 4),
        "touched what it must not": (1, 4, 0, 4),
    }
    assert rows(analysis.families) == {"leave": (2, 2, 1, 2), "quote": (1, 2, 0, 2)}
    assert rows(analysis.traps) == {"old_rule": (1, 2, 0, 2)}


def test_expected_changes_are_counted_by_application_and_kind(analysis: FailureAnalysis) -> None:
    assert rows(analysis.apps) == {"gmail": (2, 4, 0, 4), "xero": (1, 2, 1, 2)}
    # Both were missed twice in all: equal counts stand in the order of their names.
    assert rows(analysis.kinds) == {"create gmail.messages": (2, 4, 0, 4), "update xero.Bill": (1, 2, 1, 2)}
    assert [share.name for share in analysis.kinds] == ["create gmail.messages", "update xero.Bill"]
    assert (analysis.apps[0].base_share, analysis.apps[0].adapter_share) == (0.5, 0.0)


def test_strays_count_attempts_not_rows(analysis: FailureAnalysis) -> None:
    assert rows(analysis.strays) == {"slack": (2, 4, 0, 4), "xero": (1, 4, 0, 4)}


def test_kinds_that_nobody_missed_are_left_out_and_only_the_most_missed_stay() -> None:
    checks = tuple(Check("a", f"kind {number:02d}", False) for number in range(KINDS + 5))
    found = analyse([made("x-1", checks=(*checks, DONE))], [made("x-1", checks=(DONE,))])
    assert [share.name for share in found.kinds] == [f"kind {number:02d}" for number in range(KINDS)]


def test_a_knob_is_split_at_the_median_over_tasks_not_over_attempts() -> None:
    # Levels 1, 2, 3 on three tasks; the first has five attempts, which don't move the median of 2.
    levels = {"x-1": 1.0, "x-2": 2.0, "x-3": 3.0}
    base = [made("x-1", number, strict=number > 0, knobs={"depth": 1.0}) for number in range(5)]
    base += [made(task, knobs={"depth": levels[task]}) for task in ("x-2", "x-3")]
    adapter = [made(task, strict=task != "x-3", knobs={"depth": level}) for task, level in levels.items()]
    assert rows(analyse(base, adapter).knobs) == {"depth up to 2": (2, 6, 0, 2), "depth above 2": (1, 1, 1, 1)}


def test_a_median_at_the_highest_level_moves_down_so_that_both_halves_hold_something() -> None:
    side = [made(f"x-{number}", knobs={"depth": level}) for number, level in enumerate((0.0, 5.0, 5.0))]
    assert rows(analyse(side, side).knobs) == {"depth up to 0": (1, 1, 1, 1), "depth above 0": (2, 2, 2, 2)}


def test_a_knob_of_one_level_has_no_line_and_a_task_without_a_knob_is_in_none() -> None:
    side = [made("x-1", knobs={"depth": 4.0, "width": 1.0}), made("x-2", knobs={"width": 2.0}), made("x-3")]
    assert rows(analyse(side, side).knobs) == {"width up to 1": (1, 1, 1, 1), "width above 1": (1, 1, 1, 1)}


def test_the_telling_attempts_are_the_worst_of_who_does_worse_and_the_best_of_the_other() -> None:
    base = [made("x-1", number, credit=credit) for number, credit in enumerate((0.5, 0.25, 0.25))]
    adapter = [made("x-1", 0, credit=0.75), made("x-1", 1, strict=True), made("x-1", 2, strict=True)]
    (gain,) = analyse(base, adapter).gains
    assert (gain.base_number, gain.adapter_number) == (1, 1)
    assert (gain.base_rate, gain.adapter_rate) == (0.0, pytest.approx(2 / 3))
    assert (gain.base_credit, gain.adapter_credit) == (pytest.approx(1 / 3), pytest.approx(2.75 / 3))
    found = analyse(adapter, base)
    assert found.gains == ()
    assert (found.losses[0].base_number, found.losses[0].adapter_number) == (1, 1)


def test_gains_come_largest_first_then_by_partial_credit_then_by_name() -> None:
    base = [made(f"x-{name}") for name in "abcd"]
    adapter = [made("x-d", credit=0.5), made("x-b", strict=True), made("x-c", strict=True), made("x-a", credit=0.25)]
    assert [move.task_id for move in analyse(base, adapter).gains] == ["x-b", "x-c", "x-d", "x-a"]
    assert [move.task_id for move in analyse(adapter, base).losses] == ["x-c", "x-b", "x-d", "x-a"]


def test_thirds_that_are_equal_are_no_move() -> None:
    base = [made("x-1", number, credit=credit) for number, credit in enumerate((0.1, 0.2, 0.3))]
    adapter = [made("x-1", number, credit=credit) for number, credit in enumerate((0.3, 0.1, 0.2))]
    found = analyse(base, adapter)
    assert (found.gains, found.losses) == ((), ())


def test_no_more_than_the_largest_moves_are_kept() -> None:
    base = [made(f"x-{number:02d}") for number in range(EXTREMES + 3)]
    adapter = [made(f"x-{number:02d}", strict=True) for number in range(EXTREMES + 3)]
    assert [move.task_id for move in analyse(base, adapter).gains] == [f"x-{number:02d}" for number in range(EXTREMES)]


def test_tasks_of_one_side_only_are_in_no_table() -> None:
    base = [made("x-1", strict=True), made("y-9", checks=(MISSED,), strays=(STRAY,))]
    found = analyse(base, [made("x-1")])
    assert rows((found.attempts,)) == {"failed": (0, 1, 1, 1)}
    assert (found.apps, found.strays) == ((), ())
    assert [share.name for share in found.families] == ["x"]


@pytest.mark.parametrize(("base", "adapter"), [([], []), (["x-1"], []), (["x-1"], ["x-2"])])
def test_sides_without_a_task_in_common_are_refused(base: list[str], adapter: list[str]) -> None:
    with pytest.raises(ValueError, match="no task has a scored attempt on both sides"):
        analyse(map(made, base), map(made, adapter))


def test_an_analysis_survives_json(analysis: FailureAnalysis) -> None:
    assert FailureAnalysis.model_validate_json(analysis.model_dump_json()) == analysis
