"""Attempts of an evaluation that infrastructure left unscored are made once more, under new numbers and seeds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from assets.stages.evaluating import make_up
from environment.attempt import Attempt, Verdict
from environment.ledger import Ledger, Plan, PlannedAttempt, carry_out

PASS = Verdict(expected=(), collateral=(), strict=True, partial_credit=1.0)


def attempts_but(lost: set[tuple[str, int]]) -> Callable[..., object]:
    """Makes planned attempts, of which those in `lost` meet a dead endpoint."""

    async def make(planned: Sequence[PlannedAttempt], purpose: str, keep: Callable[[Attempt], None]) -> None:
        for one in planned:
            is_lost = (one.task_id, one.number) in lost
            keep(
                Attempt(
                    task_id=one.task_id,
                    number=one.number,
                    policy="base",
                    seed=one.seed,
                    purpose=purpose,
                    end=None if is_lost else "answered",
                    verdict=None if is_lost else PASS,
                    transcript=None,
                    error="connection reset" if is_lost else None,
                )
            )

    return make


def test_only_what_is_unscored_is_made_once_more_and_a_second_outage_leaves_a_third_round(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        planned = tuple(one for task in ("a", "b", "c") for one in ledger.next_attempts("base", task, 3, "s"))
        wanted = Plan(purpose="evaluation", policy="base", round=0, attempts=planned)
        asyncio.run(carry_out(wanted, ledger, attempts_but({("a", 1), ("c", 0), ("c", 2)})))
        again = make_up(wanted, ledger, "s")
        assert [(one.task_id, one.number) for one in again.attempts] == [("a", 3), ("c", 3), ("c", 4)]
        assert again.round == 1
        assert not {one.seed for one in again.attempts} & {one.seed for one in planned}
        asyncio.run(carry_out(again, ledger, attempts_but({("c", 4)})))
    with Ledger(tmp_path) as ledger:
        third = make_up(wanted, ledger, "s")
        assert [(one.task_id, one.number) for one in third.attempts] == [("c", 5)]
        asyncio.run(carry_out(third, ledger, attempts_but(set())))
        assert make_up(wanted, ledger, "s") is None
        lines = ledger.lines("base", "evaluation")
        assert sum(line.scored for line in lines) == 9
        assert len(lines) == 13
