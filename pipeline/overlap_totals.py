"""Overlap totals say how many tasks of a generation each rule dropped, and of which benchmark that holds."""

from __future__ import annotations

from typing import Any

from assets.stages.cleaning import STAGE, benchmark_then_and_now
from decontam.report import TITLES
from decontam.verdicts import REPORTED, RULES
from environment.record import Record
from pipeline.store import StoredGeneration
from pipeline.terminal import columns


class OverlapTotals(Record):
    """Of all batches together; kept and dropped add up to `given`."""

    given: int
    kept: int
    dropped: dict[str, int]
    """Every rule -> tasks counted under it."""
    reported: dict[str, int]
    """What is only reported -> tasks, kept or dropped."""
    report: str
    """Path of the first batch's page; those of further batches lie in folders beside it."""
    benchmark_hash: str
    benchmark_hash_now: str
    """That of what the engagement would read now, or why it can't be read any more."""


def overlap_totals(generation: StoredGeneration) -> OverlapTotals:
    """The totals of a generation whose tasks are clean."""
    manifests = [generation.manifest(STAGE, batch) for batch in (0, *generation.batches(STAGE))]
    reported: list[Any] = [manifest.facts["reported"] for manifest in manifests]
    then, now = benchmark_then_and_now(generation)
    return OverlapTotals(
        given=sum(manifest.rows_in for manifest in manifests),
        kept=sum(manifest.rows_out for manifest in manifests),
        dropped={rule: sum(manifest.dropped.get(rule, 0) for manifest in manifests) for rule in RULES},
        reported={notice: sum(counts[notice] for counts in reported) for notice in REPORTED},
        report=str(generation.folder(STAGE) / "report.html"),
        benchmark_hash=then,
        benchmark_hash_now=now,
    )


def overlap_totals_text(totals: OverlapTotals) -> str:
    """The totals as a person reads them."""
    rows = [["decontamination", "tasks"], ["given", str(totals.given)], ["kept", str(totals.kept)]]
    rows += [[f"dropped: {TITLES[rule]}", str(count)] for rule, count in totals.dropped.items()]
    rows += [[f"only reported: {TITLES[notice]}", str(count)] for notice, count in totals.reported.items()]
    text = f"{columns(rows)}\n\nreport: {totals.report}"
    if totals.benchmark_hash != totals.benchmark_hash_now:
        text += (
            f"\n\nThese verdicts are about the benchmark {totals.benchmark_hash[:12]}; the engagement would now read "
            f"{_short(totals.benchmark_hash_now)}. Compare with that one in the next generation, with --new."
        )
    return text


def _short(hash_or_reason: str) -> str:
    return f"nothing ({hash_or_reason})" if " " in hash_or_reason else hash_or_reason[:12]
