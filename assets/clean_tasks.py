"""Tasks that overlap neither the benchmark, nor earlier generations, nor each other."""

import dagster as dg

from assets.benchmark_tasks import benchmark_tasks
from assets.generation import Workshop, tasks_of
from assets.materialization import result_of, table
from assets.partitions import GENERATIONS, OWNERS, generation_check
from assets.proven_tasks import proven_tasks
from assets.stages.cleaning import STAGE, clean_proven, overlaps_left
from decontam.verdicts import Side


@dg.asset(
    partitions_def=GENERATIONS,
    group_name="engagement",
    code_version="1",
    owners=OWNERS,
    kinds={"python", "json"},
    deps=[proven_tasks, benchmark_tasks],
)
def clean_tasks(context: dg.AssetExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.MaterializeResult:
    """Tasks that overlap neither the benchmark, nor earlier generations, nor each other."""
    generation = workshop.open(context.partition_key, context.run.run_id)
    manifest = clean_proven(generation)
    dropped = (ruling for ruling in generation.rows(STAGE, "rulings.jsonl") if not ruling["kept"])
    preview = table((overlap for ruling in dropped for overlap in ruling["overlaps"]), ("rule", "text", "other_text"))
    report = dg.MetadataValue.path(str(generation.folder(STAGE) / "report.html"))
    return result_of(manifest, dropped_beside_overlap=preview, report=report, compared=manifest.facts["theirs"])


@generation_check(clean_tasks, blocking=True)
def no_overlap_is_left(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """Decontaminating the clean tasks once more drops none."""
    generation = workshop.open(context.partition_key)
    left = overlaps_left(generation, list(tasks_of(generation, STAGE)))
    return dg.AssetCheckResult(passed=left == 0, metadata={"overlaps left": left})


@generation_check(clean_tasks, blocking=True)
def something_was_compared(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """Both sides of the comparison had tasks, passages, n-grams and company names."""
    facts = workshop.open(context.partition_key).manifest(STAGE).facts
    counts = {side: Side.model_validate(facts[side]).to_json() for side in ("ours", "theirs")}
    sides = {f"{side} {part}": count for side, parts in counts.items() for part, count in parts.items()}
    return dg.AssetCheckResult(passed=all(sides.values()), metadata=sides)
