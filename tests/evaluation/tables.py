"""Tables of scores written out by hand."""

from __future__ import annotations

from evaluation.scores import Score, Scores, TaskScores


def score(credit: float, collateral: int | None = 0, incomplete: bool | None = False) -> Score:
    return Score(strict=credit == 1, partial_credit=credit, collateral=collateral, incomplete=incomplete)


def table(label: str, credits: dict[str, list[float]], unscored: dict[str, int] | None = None) -> Scores:
    """Task id (`domain.family-number`) -> partial credit of each scored attempt."""
    rows = tuple(
        TaskScores(
            task_id,
            domain=task_id.split(".")[0],
            family=task_id.split(".")[1].split("-")[0],
            scored=tuple(score(credit) for credit in attempts),
            unscored=(unscored or {}).get(task_id, 0),
        )
        for task_id, attempts in credits.items()
    )
    return Scores(label, rows, {})
