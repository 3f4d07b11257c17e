"""The selecting stage picks the training set from the accepted tasks, or says what is missing for one."""

from pathlib import Path
from typing import Any

from assets.files import read_record, write_rows, write_text
from assets.generation import FellShort, Generation, Product
from assets.manifest import Manifest
from assets.stages.benchmark import STAGE as BENCHMARK
from assets.stages.calibrating import STAGE as CALIBRATED
from assets.stages.calibrating import ledger_files, read_calibration, training_candidates, training_tasks
from assets.stages.cleaning import overlaps_left
from assets.stages.sampling import attempts_on, open_policy, run_async, target_served
from assets.stages.selection_findings import selection_inputs
from assets.stages.supply import batch_names
from calibration.audit import PURPOSE as AUDIT
from calibration.audit import Audit, audit
from calibration.rating import Calibration
from calibration.selection import Selection, select
from environment.ledger import Ledger
from evaluation.selection_report import render_selection

STAGE = "training_set"
SHORTAGE = "shortage.json"
"""What is missing, where no training set could be selected."""
REPORT = "selection_report.html"
"""The page on how the set was found, or why it was not."""


def select_calibrated(generation: Generation) -> Manifest:
    """Exactly the asked tasks of each domain, of greatest learning signal.

    Raises FellShort, with what is missing in `shortage.json`, when the accepted tasks don't allow a selection; and when
    the endpoint is down, so that no audit attempt is scored.
    """

    def make(folder: Path) -> Product:
        calibration = read_calibration(generation)
        selection = select(training_candidates(generation), calibration, generation.engagement.selection)
        if selection.shortages:
            write_text(folder / SHORTAGE, selection.model_dump_json(indent=1))
            page = render_selection(selection_inputs(generation, calibration, selection, None, ()))
            write_text(folder / REPORT, page)
            sentences = "; ".join(shortage.sentence for shortage in selection.shortages)
            raise FellShort(f"{sentences} (report: {folder / REPORT})")
        (folder / SHORTAGE).unlink(missing_ok=True)
        known = training_tasks(generation)
        tasks = [known[task_id] for task_id in selection.task_ids]
        audited = _audit(generation, selection, calibration, folder)
        if audited is not None and audited.scored == 0:
            raise FellShort("no audit attempt was scored: mend the endpoint, then the same command goes on from here")
        with Ledger(folder / "ledger") as ledger:
            lines = ledger.lines(calibration.policy, AUDIT)
        page = render_selection(selection_inputs(generation, calibration, selection, audited, lines))
        accepted = calibration.count("accepted")
        return Product(
            files={
                "tasks.jsonl": write_rows(folder / "tasks.jsonl", (task.to_json() for task in tasks)),
                "choices.jsonl": write_rows(folder / "choices.jsonl", (c.to_json() for c in selection.choices)),
                "selection.json": write_text(
                    folder / "selection.json", selection.model_dump_json(indent=1), is_content=True
                ),
                REPORT: write_text(folder / REPORT, page),
                **ledger_files(folder),
            },
            rows_in=accepted,
            rows_out=len(tasks),
            dropped={"not_needed": accepted - len(tasks)},
            facts={
                "claimed": selection.claimed,
                "mean_pass_rate": selection.mean_pass_rate,
                "signal": selection.signal,
                "status": selection.status,
                "gap": selection.gap,
                "audit": audited.to_json() if audited else None,
                "overlaps_left": overlaps_left(generation, tasks),
            },
        )

    return generation.produce(STAGE, make, upstream=(CALIBRATED, BENCHMARK, *batch_names(generation)))


def read_selection(generation: Generation) -> Selection:
    """The selection as it was made."""
    generation.manifest(STAGE)
    return read_record(generation.folder(STAGE) / "selection.json", Selection)


def _audit(generation: Generation, selection: Selection, calibration: Calibration, folder: Path) -> Audit | None:
    if not generation.engagement.calibration.audit:
        return None
    done = 0

    async def run(ledger: Ledger) -> Audit:
        engagement = generation.engagement
        policy = await open_policy(engagement, ledger=folder / "ledger")
        make = attempts_on(training_tasks(generation), policy, engagement.target.limits)

        async def watched(planned: Any, purpose: str, on_attempt: Any) -> None:
            def keep(attempt: Any) -> None:
                nonlocal done
                done += 1
                on_attempt(attempt)
                generation.tell(STAGE, done, len(selection.task_ids), "audit attempts")

            await make(planned, purpose, keep)

        # Numbers begin at 0 in this ledger too, so the seed must be another than calibration's.
        return await audit(selection, calibration, watched, ledger, f"{generation.seed} audit")

    async def run_served(ledger: Ledger) -> Audit:
        async with target_served(generation, STAGE):
            return await run(ledger)

    with Ledger(folder / "ledger") as ledger:
        return run_async(run_served(ledger))
