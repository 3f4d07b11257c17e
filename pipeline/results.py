"""The results are what a person reads when a command ends."""

from __future__ import annotations

from pathlib import Path

from assets.generation import STAGES
from assets.stages.evaluating import STAGE as EVALUATION
from assets.stages.evaluating import read_comparison
from evaluation.comparison import Comparison, Row
from evaluation.report import finding
from pipeline.bad_input import BadInput
from pipeline.status import status_of
from pipeline.store import Store, StoredGeneration
from pipeline.terminal import columns


def result_text(store: Store, generation: StoredGeneration) -> str:
    """Counts of every stage that is done, the gain, and where the report lies."""
    stages = status_of(store, generation).stages
    rows = [["stage", "in", "kept", "dropped"]]
    for stage in STAGES:
        found = stages[stage]
        if found.state == "done":
            dropped = ", ".join(f"{count} {reason}" for reason, count in (found.dropped or {}).items())
            rows.append([stage, str(found.rows_in), str(found.rows_out), dropped])
    text = columns(rows)
    facts = generation.manifest("benchmark_tasks").facts if generation.is_finished("benchmark_tasks") else {}
    if facts.get("is_stand_in"):
        text += (
            "\n\nCompared with a few invented tasks that stand in for the public benchmark: nothing is said about "
            "overlap with the real one."
        )
    text += "".join(f"\n\nWARNING: {sentence}" for sentence in facts.get("shortfalls", ()))  # type: ignore[union-attr]
    if generation.is_finished(EVALUATION):
        report = generation.folder(EVALUATION) / "report.html"
        text += f"\n\n{comparison_table(read_comparison(generation))}\n\nreport: {report}"
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
    rows += [_cells(row) for row in (whole, *found.domains)]
    return "\n".join([columns(rows), finding(found), *found.notes])


def result_files(path: Path) -> list[Path]:
    """The file itself, or the JSON files of a folder by name."""
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.json"))
    if not found:
        raise BadInput(f"{path} holds no JSON file; give a folder of result files, or one file")
    return found


def _cells(row: Row) -> list[str]:
    interval = "none" if row.low is None or row.high is None else f"{100 * row.low:+.1f} to {100 * row.high:+.1f}"
    rates = [f"{100 * row.base:.1f}%", f"{100 * row.adapter:.1f}%", f"{100 * row.gain:+.1f}"]
    return [row.name, *rates, interval, str(row.tasks), str(row.attempts)]
