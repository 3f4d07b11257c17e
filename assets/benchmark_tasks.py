"""The public benchmark's tasks, which nothing that is delivered may overlap."""

import dagster as dg

from assets.generation import Workshop
from assets.materialization import result_of, table
from assets.partitions import GENERATIONS, OWNERS, generation_check
from assets.stages.benchmark import STAGE, store_benchmark


@dg.asset(
    partitions_def=GENERATIONS, group_name="engagement", code_version="1", owners=OWNERS, kinds={"python", "json"}
)
def benchmark_tasks(context: dg.AssetExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.MaterializeResult:
    """The public benchmark's tasks, which nothing that is delivered may overlap."""
    generation = workshop.open(context.partition_key, context.run.run_id)
    manifest = store_benchmark(generation)
    preview = table(generation.rows(STAGE, "tasks.jsonl"), ("name", "domain", "prompt"))
    return result_of(manifest, preview=preview, source=manifest.facts["source"])


@generation_check(benchmark_tasks)
def benchmark_is_the_real_one(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """A delivery needs the real benchmark, not the invented tasks that stand in for it."""
    facts = workshop.open(context.partition_key).manifest(STAGE).facts
    return dg.AssetCheckResult(
        passed=not facts["is_stand_in"], severity=dg.AssetCheckSeverity.WARN, metadata={"source": str(facts["source"])}
    )
