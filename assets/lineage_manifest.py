"""Which artifact was made from which, and which updates used which task: where an auditor begins."""

import dagster as dg

from assets.capability_report import capability_report
from assets.evaluation_report import evaluation_report
from assets.generation import Workshop
from assets.materialization import result_of, table
from assets.partitions import GENERATIONS, OWNERS
from assets.stages.lineage import STAGE, write_lineage


@dg.asset(
    partitions_def=GENERATIONS,
    group_name="engagement",
    code_version="1",
    owners=OWNERS,
    kinds={"python", "json"},
    deps=[evaluation_report, capability_report],
)
def lineage_manifest(context: dg.AssetExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.MaterializeResult:
    """Which artifact was made from which, and which updates used which task: where an auditor begins."""
    generation = workshop.open(context.partition_key, context.run.run_id)
    manifest = write_lineage(generation)
    columns = ("artifact", "rows_in", "rows_out", "dropped", "content_hash")
    return result_of(manifest, artifacts=table(generation.rows(STAGE, "artifacts.jsonl"), columns))
