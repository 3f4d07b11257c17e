"""The failing attempts of an evaluation: what they lack and do too much, and the tasks on which the sides part most."""

from collections.abc import Mapping, Sequence

from environment.ledger import Ledger
from environment.task import Task
from evaluation.exhibits import Exhibit, Shown, shown_attempt
from evaluation.failures import FailureAnalysis, analyse
from evaluation.outcomes import Outcome, outcome_of

Failing = tuple[FailureAnalysis, tuple[Exhibit, ...]]


def failing(ledger: Ledger, base: str, adapter: str, purpose: str, tasks: Sequence[Task]) -> Failing | None:
    """The analysis of two policies' attempts in the ledger, by the policies' keys; None where a side has none scored.

    The ledger is read once for the analysis and once for the few transcripts that are shown.
    """
    by_id = {task.id: task for task in tasks}

    def outcomes(policy: str) -> list[Outcome]:
        found = (outcome_of(attempt, by_id[attempt.task_id]) for attempt in ledger.attempts(policy, purpose))
        return [outcome for outcome in found if outcome is not None]

    def shown(policy: str, wanted: set[tuple[str, int]]) -> Mapping[tuple[str, int], Shown]:
        return {
            (attempt.task_id, attempt.number): shown_attempt(attempt, by_id[attempt.task_id])
            for attempt in ledger.attempts(policy, purpose)
            if (attempt.task_id, attempt.number) in wanted
        }

    sides = outcomes(base), outcomes(adapter)
    if not all(sides):
        return None
    analysis = analyse(*sides)
    moves = (*analysis.gains, *analysis.losses)
    bases = shown(base, {(move.task_id, move.base_number) for move in moves})
    adapters = shown(adapter, {(move.task_id, move.adapter_number) for move in moves})
    exhibits = tuple(
        Exhibit(
            move=move,
            prompt=by_id[move.task_id].prompt,
            base=bases[move.task_id, move.base_number],
            adapter=adapters[move.task_id, move.adapter_number],
        )
        for move in moves
    )
    return analysis, exhibits
