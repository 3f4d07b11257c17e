"""Outcomes of AutomationBench attempts, from its exports: each assertion that counts is one thing to be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.automationbench import UNSCORED_DOMAIN, export_rows, read_result_file
from evaluation.exhibits import Exhibit, Shown, lines_of
from evaluation.failures import Move
from evaluation.outcomes import Check, Outcome

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


def export_outcomes(paths: Sequence[Path]) -> list[Outcome]:
    """Scored attempts in the files' order. Raises ValueError when a file is no export."""
    return [outcome for outcome, _ in _outcomes(paths)]


def export_exhibits(moves: Sequence[Move], base: Sequence[Path], adapter: Sequence[Path]) -> tuple[Exhibit, ...]:
    """The moves with both sides' attempts; transcripts only where an export is a full one."""
    wanted = (
        {(move.task_id, move.base_number) for move in moves},
        {(move.task_id, move.adapter_number) for move in moves},
    )
    found: list[dict[tuple[str, int], tuple[Outcome, Mapping[str, Any]]]] = [
        {
            (outcome.task_id, outcome.number): (outcome, row)
            for outcome, row in _outcomes(paths)
            if (outcome.task_id, outcome.number) in keys
        }
        for paths, keys in zip((base, adapter), wanted, strict=True)
    ]
    return tuple(
        Exhibit(
            move=move,
            prompt=_prompt(found[0][move.task_id, move.base_number][1]),
            base=_shown(*found[0][move.task_id, move.base_number]),
            adapter=_shown(*found[1][move.task_id, move.adapter_number]),
        )
        for move in moves
    )


def _outcomes(paths: Sequence[Path]) -> Iterator[tuple[Outcome, Mapping[str, Any]]]:
    numbers: Counter[str] = Counter()
    for path in paths:
        _, rows = export_rows(path)
        for (name, score), row in zip(read_result_file(path).entries, rows, strict=True):
            domain = name.partition(".")[0]
            if score is None or domain == UNSCORED_DOMAIN:
                continue
            outcome = Outcome(
                task_id=name,
                domain=domain,
                family="",
                number=numbers[name],
                strict=score.strict,
                credit=score.partial_credit,
                end="",
                checks=tuple(_checks(row)),
                strays=(),
                traps={},
                knobs={},
            )
            numbers[name] += 1
            yield outcome, row


def _checks(row: Mapping[str, Any]) -> Iterator[Check]:
    results = row.get("assertions", row.get("_assertion_results"))
    for assertion in results if isinstance(results, list) else ():
        if isinstance(assertion, dict) and not assertion.get("excluded") and "passed" in assertion:
            kind = str(assertion.get("type", "unknown"))
            yield Check(_application(kind), kind, bool(assertion["passed"]))


def _application(kind: str) -> str:
    return next((name for name in LONG_NAMES if kind.startswith(f"{name}_")), kind.partition("_")[0])


def _shown(outcome: Outcome, row: Mapping[str, Any]) -> Shown:
    messages = row.get("messages") or row.get("completion")
    return Shown(
        number=outcome.number,
        strict=outcome.strict,
        credit=outcome.credit,
        end="",
        missed=tuple(check.kind for check in outcome.checks if not check.passed),
        strays=(),
        lines=lines_of([one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else ()),
    )


def _prompt(row: Mapping[str, Any]) -> str:
    messages = row.get("messages") or row.get("prompt")
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and message.get("role") == "user" and isinstance(message.get("content"), str):
            return str(message["content"])
    return ""
