"""The public benchmark's tasks, which nothing that is delivered may overlap."""

import dagster as dg

from assets.generation import Workshop
from assets.materialization import result_of, table
from assets.partitions import GENERATIONS, OWNERS, generation_check
from assets.stages.benchmark import STAGE, benchmark_shortfalls, benchmark_sources, store_benchmark

SOURCE_COLUMNS = ("name", "source", "version", "reader", "counts", "content_hash")


@dg.asset(
    partitions_def=GENERATIONS, group_name="engagement", code_version="2", owners=OWNERS, kinds={"python", "json"}
)
def benchmark_tasks(context: dg.AssetExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.MaterializeResult:
    """The public benchmark's tasks, which nothing that is delivered may overlap."""
    generation = workshop.open(context.partition_key, context.run.run_id)
    manifest = store_benchmark(generation)
    preview = table(generation.rows(STAGE, "tasks.jsonl"), ("benchmark", "name", "domain", "prompt"))
    sources = (source.to_json() for source in benchmark_sources(generation))
    return result_of(manifest, preview=preview, sources=table(sources, SOURCE_COLUMNS))


@generation_check(benchmark_tasks)
def benchmark_is_the_real_one(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """A delivery needs the real benchmark, not the invented tasks that stand in for it."""
    facts = workshop.open(context.partition_key).manifest(STAGE).facts
    return dg.AssetCheckResult(
        passed=not facts["is_stand_in"], severity=dg.AssetCheckSeverity.WARN, metadata={"source": str(facts["source"])}
    )


@generation_check(benchmark_tasks)
def benchmark_is_complete(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """Of AutomationBench all 600 scored and 200 simple tasks are there: nothing protects those that are missing."""
    generation = workshop.open(context.partition_key)
    missing = benchmark_shortfalls(generation)
    counts = {source.name: dict(source.counts) for source in benchmark_sources(generation)}
    return dg.AssetCheckResult(
        passed=not missing,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"missing": "; ".join(missing) or "nothing", "tasks": dg.MetadataValue.json(counts)},
    )
