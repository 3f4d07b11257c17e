"""The tasks that the adapter is trained on: exactly the asked counts, of greatest learning signal."""

from collections import Counter

import dagster as dg

from assets.calibrated_tasks import calibrated_tasks
from assets.generation import Workshop, tasks_in
from assets.materialization import picture, result_of, table
from assets.partitions import GENERATIONS, OWNERS, generation_check
from assets.stages.calibrating import pass_rates
from assets.stages.selecting import REPORT, STAGE, read_selection, select_calibrated
from calibration.audit import Audit
from evaluation import plots

_MISCALIBRATED_Z = 3.0
"""Standard errors between audit and belief from which calibration's claim doesn't hold."""


@dg.asset(
    partitions_def=GENERATIONS,
    group_name="engagement",
    code_version="1",
    owners=OWNERS,
    kinds={"python", "json", "scipy"},
    deps=[calibrated_tasks],
)
def training_set(context: dg.AssetExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.MaterializeResult:
    """The tasks that the adapter is trained on: exactly the asked counts, of greatest learning signal."""
    generation = workshop.open(context.partition_key, context.run.run_id)
    manifest = select_calibrated(generation)
    choices = (choice for choice in generation.rows(STAGE, "choices.jsonl") if choice["selected"])
    plot = picture(plots.pass_rates(pass_rates(generation, read_selection(generation).task_ids), narrow=False))
    return result_of(
        manifest,
        selected=table(choices, ("task_id", "reason")),
        pass_rates=plot,
        selection_report=dg.MetadataValue.path(str(generation.folder(STAGE) / REPORT)),
        **dict(manifest.facts),
    )


@generation_check(training_set, blocking=True)
def quotas_are_met(context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.AssetCheckResult:
    """Every domain has exactly the tasks that were asked for."""
    generation = workshop.open(context.partition_key)
    found = Counter(task.domain for task in tasks_in(generation, STAGE))
    asked = {domain: count for domain, count in generation.engagement.selection.quotas.items() if count}
    return dg.AssetCheckResult(passed=dict(found) == asked, metadata={"found": dict(found), "asked": asked})


@generation_check(training_set, blocking=True)
def no_overlap_is_left_in_the_set(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """Decontaminating the selected tasks once more drops none."""
    left = workshop.open(context.partition_key).manifest(STAGE).facts["overlaps_left"]
    return dg.AssetCheckResult(passed=left == 0, metadata={"overlaps left": int(str(left))})


@generation_check(training_set)
def audit_agrees_with_calibration(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """One fresh attempt on every selected task gives the mean pass rate that calibration believes in."""
    facts = workshop.open(context.partition_key).manifest(STAGE).facts
    audit = Audit.model_validate(facts["audit"]) if facts["audit"] else None
    return dg.AssetCheckResult(
        passed=audit is None or audit.z is None or abs(audit.z) <= _MISCALIBRATED_Z,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"audit": dg.MetadataValue.json(audit.to_json() if audit else {})},
    )
