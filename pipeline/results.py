"""The results are what a person reads when a command ends."""

from __future__ import annotations

from assets.generation import STAGES
from assets.stages.benchmark import benchmark_shortfalls
from assets.stages.capability import STAGE as CAPABILITY
from assets.stages.capability import read_capability
from assets.stages.evaluating import STAGE as EVALUATION
from assets.stages.evaluating import read_comparison
from evaluation.capability.comparison import CapabilityComparison
from evaluation.comparison import Comparison, Row
from evaluation.report import finding
from pipeline.status import status_of
from pipeline.store import Store, StoredGeneration
from pipeline.terminal import columns


def result_text(store: Store, generation: StoredGeneration) -> str:
    """Counts of every stage that is done, the gain, and where the report lies."""
    stages = status_of(store, generation).stages
    rows = [["stage", "in", "kept", "dropped"]]
    for stage in STAGES:
        found = stages[stage]
        if found.state == "done" and not (stage == CAPABILITY and read_capability(generation) is None):
            dropped = ", ".join(f"{count} {reason}" for reason, count in (found.dropped or {}).items())
            rows.append([stage, str(found.rows_in), str(found.rows_out), dropped])
    text = columns(rows)
    facts = generation.manifest("benchmark_tasks").facts if generation.is_finished("benchmark_tasks") else {}
    if facts.get("is_stand_in"):
        text += (
            "\n\nCompared with a few invented tasks that stand in for the public benchmark: nothing is said about "
            "overlap with the real one."
        )
    if facts:
        text += "".join(f"\n\nWARNING: {sentence}" for sentence in benchmark_shortfalls(generation))
    if generation.is_finished(EVALUATION):
        report = generation.folder(EVALUATION) / "report.html"
        text += f"\n\n{comparison_table(read_comparison(generation))}\n\nreport: {report}"
    if generation.is_finished(CAPABILITY) and (capability := read_capability(generation)):
        report = generation.folder(CAPABILITY) / "report.html"
        text += f"\n\n{capability_table(capability)}\n\nreport: {report}"
    return text


def comparison_table(found: Comparison) -> str:
    """Base and adapter, overall and by domain."""
    whole = Row(
        name="all",
        base=found.base,
        adapter=found.adapter,
        gain=found.gain,
        low=found.low,
        high=found.high,
        tasks=found.tasks,
        attempts=found.attempts,
    )
    rows = [[found.metric, "base", "adapter", "gain", f"{100 * found.confidence:g}% interval", "tasks", "attempts"]]
    clustered = (found.by_cluster,) if found.by_cluster else ()
    rows += [_cells(row) for row in (whole, *found.domains, *found.subsets, *clustered)]
    unverified = [check.name for check in found.settings if check.state == "unverified"]
    lines = [*found.notes, columns(rows), finding(found)]
    if unverified:
        lines.append(f"Unverified, since a side doesn't say: {', '.join(unverified)}.")
    return "\n".join(lines)


def capability_table(found: CapabilityComparison) -> str:
    """Base and adapter on every capability benchmark."""
    rows = [["benchmark", "base", "adapter", "difference", "95% interval", "questions", "p, Holm", "finding"]]
    for row in found.rows:
        interval = "none" if row.low is None or row.high is None else f"{100 * row.low:+.1f} to {100 * row.high:+.1f}"
        rates = [f"{100 * row.base:.1f}%", f"{100 * row.adapter:.1f}%", f"{100 * row.difference:+.1f}"]
        questions = "unknown" if row.questions is None else str(row.questions)
        adjusted = "none" if row.adjusted_p is None else f"{row.adjusted_p:.3f}"
        rows.append([row.task, *rates, interval, questions, adjusted, row.outcome])
    return "\n".join([*found.notes, columns(rows), found.verdict])


def _cells(row: Row) -> list[str]:
    interval = "none" if row.low is None or row.high is None else f"{100 * row.low:+.1f} to {100 * row.high:+.1f}"
    rates = [f"{100 * row.base:.1f}%", f"{100 * row.adapter:.1f}%", f"{100 * row.gain:+.1f}"]
    return [row.name, *rates, interval, str(row.tasks), str(row.attempts)]
