"""A verdict as text: the sum, then each expected change, each wrong field and each stray row."""

from __future__ import annotations

from typing import Literal

from environment.task import Task
from pipeline.change_text import row_lines
from pipeline.contract_text import change_demands
from pipeline.layout import wrap
from pipeline.reasons import Explanation, wrong_sentence
from pipeline.row_text import RowNames

Extent = Literal["whole", "faults", "rows unseen"]
"""How much is told: also what was found and all that a missing row must hold; what is wrong; no fields of strays."""


def verdict_text(task: Task, explanation: Explanation, width: int) -> str:
    """The verdict as text, the sum first."""
    found = explanation
    done = sum(one.satisfied for one in found.expected)
    lines = [
        f"{'strict pass' if found.strict else 'no pass'}, partial credit {found.partial_credit:.2f}: "
        f"{done} of {len(found.expected)} expected changes found, {len(found.collateral)} collateral"
    ]
    lines += reason_lines(task, found, width, "  ")
    return "\n".join(lines)


def reason_lines(task: Task, explanation: Explanation, width: int, indent: str, extent: Extent = "whole") -> list[str]:
    """Expected changes with their reasons, then the collateral with what changed in it."""
    names = RowNames(task, (one.change for one in explanation.collateral))
    by_label = {change.label: change for change in task.contract.changes()}
    lines: list[str] = []
    for one in explanation.expected:
        if one.satisfied:
            if extent == "whole":
                lines += wrap(f"found   {one.label}: {one.demand}", width, indent, indent + " " * 10)
            continue
        lines += wrap(f"missed  {one.label}: {one.reason}", width, indent, indent + " " * 10)
        for field in one.wrong:
            sentence = wrong_sentence(field, by_label[one.label].app, names)
            lines += wrap(sentence, width, indent + " " * 8, indent + " " * 10)
        if one.row_id is None and extent == "whole":
            lines += change_demands(by_label[one.label], names, width, indent + " " * 6)[1:]
    for stray in explanation.collateral:
        lines += wrap(f"stray   {stray.row}: {stray.reason}", width, indent, indent + " " * 10)
        if extent != "rows unseen":
            lines += row_lines(stray.change, names, width, indent + " " * 8)[1:]
    return lines
