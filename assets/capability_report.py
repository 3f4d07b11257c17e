"""What else base and adapter can do, benchmark by benchmark: a page and its numbers, where asked for."""

import dagster as dg

from assets.generation import Workshop
from assets.lora_adapter import lora_adapter
from assets.materialization import picture, result_of, table
from assets.partitions import GENERATIONS, OWNERS, generation_check
from assets.stages.capability import NOT_ASKED_FOR, STAGE, check_capability, read_capability
from evaluation.capability.plot import differences


@dg.asset(
    partitions_def=GENERATIONS,
    group_name="engagement",
    code_version="1",
    owners=OWNERS,
    kinds={"python", "json"},
    deps=[lora_adapter],
)
def capability_report(context: dg.AssetExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.MaterializeResult:
    """What else base and adapter can do, benchmark by benchmark: a page and its numbers, where asked for."""
    generation = workshop.open(context.partition_key, context.run.run_id)
    manifest = check_capability(generation)
    found = read_capability(generation)
    if found is None:
        return result_of(manifest, verdict=NOT_ASKED_FOR)
    preview = table((row.to_json() for row in found.rows), ("task", "base", "adapter", "difference", "adjusted_p"))
    report = dg.MetadataValue.path(str(generation.folder(STAGE) / "report.html"))
    plot = picture(differences(found.rows, narrow=False))
    return result_of(manifest, verdict=found.verdict, by_benchmark=preview, differences=plot, report=report)


@generation_check(capability_report)
def no_benchmark_dropped(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """The adapter is not significantly worse than its base on any capability benchmark."""
    found = read_capability(workshop.open(context.partition_key))
    return dg.AssetCheckResult(
        passed=found is None or not found.dropped,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"verdict": NOT_ASKED_FOR if found is None else found.verdict},
    )
