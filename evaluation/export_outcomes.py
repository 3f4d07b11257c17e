"""Outcomes of AutomationBench attempts, from its exports: each assertion that counts is one thing to be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from evaluation.exhibits import Exhibit, Shown, lines_of, printable, prompt_of
from evaluation.failures import Move
from evaluation.outcomes import Check, Outcome
from evaluation.result_file import UNSCORED_DOMAIN, ResultFile

LONG_NAMES = (
    "bamboo_hr",
    "facebook_pages",
    "google_ads",
    "google_calendar",
    "google_docs",
    "google_drive",
    "google_sheets",
    "help_scout",
    "zoho_desk",
)
"""Applications of two words in the types of assertions; of all others the first word is the application."""


def export_outcomes(files: Sequence[ResultFile]) -> list[Outcome]:
    """Scored attempts on one side, in the files' order."""
    return [outcome for outcome, _ in _outcomes(files)]


def export_exhibits(
    moves: Sequence[Move], base: Sequence[ResultFile], adapter: Sequence[ResultFile]
) -> tuple[Exhibit, ...]:
    """The moves with both sides' attempts; transcripts only where an export is a full one."""
    bases = _found(base, {(move.task_id, move.base_number) for move in moves})
    adapters = _found(adapter, {(move.task_id, move.adapter_number) for move in moves})
    return tuple(
        Exhibit(
            move=move,
            prompt=prompt_of(_messages(bases[move.task_id, move.base_number][1], "prompt")),
            base=_shown(*bases[move.task_id, move.base_number]),
            adapter=_shown(*adapters[move.task_id, move.adapter_number]),
        )
        for move in moves
    )


Told = tuple[Outcome, Mapping[str, Any]]
"""An outcome and the export's row on it."""


def _found(files: Sequence[ResultFile], wanted: Collection[tuple[str, int]]) -> Mapping[tuple[str, int], Told]:
    return {
        (told[0].task_id, told[0].number): told
        for told in _outcomes(files)
        if (told[0].task_id, told[0].number) in wanted
    }


def _outcomes(files: Sequence[ResultFile]) -> Iterator[Told]:
    numbers: Counter[str] = Counter()
    for file in files:
        for entry in file.entries:
            if entry.score is None or entry.domain == UNSCORED_DOMAIN:
                continue
            outcome = Outcome(
                task_id=entry.name,
                domain=entry.domain,
                family="",
                number=numbers[entry.name],
                strict=entry.score.strict,
                credit=entry.score.partial_credit,
                end="",
                checks=tuple(_checks(entry.row)),
                strays=(),
                traps={},
                knobs={},
            )
            numbers[entry.name] += 1
            yield outcome, entry.row


def _checks(row: Mapping[str, Any]) -> Iterator[Check]:
    results = row.get("assertions", row.get("_assertion_results"))
    for assertion in results if isinstance(results, list) else ():
        if isinstance(assertion, dict) and not assertion.get("excluded") and isinstance(assertion.get("passed"), bool):
            kind = printable(str(assertion.get("type", "unknown")))
            yield Check(_application(kind), kind, assertion["passed"])


def _application(kind: str) -> str:
    return next((name for name in LONG_NAMES if kind.startswith(f"{name}_")), kind.partition("_")[0])


def _shown(outcome: Outcome, row: Mapping[str, Any]) -> Shown:
    return Shown(
        number=outcome.number,
        strict=outcome.strict,
        credit=outcome.credit,
        end="",
        missed=tuple(check.kind for check in outcome.checks if not check.passed),
        strays=(),
        lines=lines_of(_messages(row, "completion")),
    )


def _messages(row: Mapping[str, Any], half: str) -> list[Mapping[str, Any]]:
    """The conversation of a full export; of raw output the `half` that is asked for."""
    messages = row.get("messages") or row.get(half)
    return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []
