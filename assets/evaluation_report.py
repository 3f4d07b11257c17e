"""Base and adapter on the held-out tasks, with the uncertainty of the gain: a page and its numbers."""

import dagster as dg

from assets.benchmark_tasks import benchmark_tasks
from assets.clean_tasks import clean_tasks
from assets.generation import Workshop
from assets.lora_adapter import lora_adapter
from assets.materialization import picture, result_of, table
from assets.partitions import GENERATIONS, OWNERS, generation_check
from assets.stages.evaluating import STAGE, evaluate_adapter, read_comparison
from evaluation import plots


@dg.asset(
    partitions_def=GENERATIONS,
    group_name="engagement",
    code_version="1",
    owners=OWNERS,
    kinds={"python", "json", "pytorch"},
    deps=[benchmark_tasks, clean_tasks, lora_adapter],
)
def evaluation_report(context: dg.AssetExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.MaterializeResult:
    """Base and adapter on the held-out tasks, with the uncertainty of the gain: a page and its numbers."""
    generation = workshop.open(context.partition_key, context.run.run_id)
    manifest = evaluate_adapter(generation)
    result = read_comparison(generation)
    preview = table((row.to_json() for row in result.domains), ("name", "base", "adapter", "gain", "low", "high"))
    report = dg.MetadataValue.path(str(generation.folder(STAGE) / "report.html"))
    headline = {name: value for name, value in result.summary().items() if value is not None}
    return result_of(
        manifest, by_domain=preview, gains=picture(plots.gains(result.domains, narrow=False)), report=report, **headline
    )


@generation_check(evaluation_report)
def gain_is_above_zero(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """The whole interval of the gain lies above 0."""
    result = read_comparison(workshop.open(context.partition_key))
    return dg.AssetCheckResult(
        passed=result.low is not None and result.low > 0,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"gain": result.gain, "low": str(result.low), "high": str(result.high)},
    )


@generation_check(evaluation_report)
def every_held_out_task_was_scored(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """No held-out task was lost to the machine, and no attempt to a bug of ours."""
    manifest = workshop.open(context.partition_key).manifest(STAGE)
    unscored, bugs = int(str(manifest.facts["unscored"])), int(str(manifest.facts["bugs"]))
    return dg.AssetCheckResult(
        passed=not unscored and not bugs,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"unscored attempts": unscored, "bugs": bugs},
    )
