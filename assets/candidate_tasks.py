"""Generated tasks of every split, not yet shown to be sound."""

import dagster as dg

from assets.generation import Workshop
from assets.materialization import result_of, table
from assets.partitions import GENERATIONS, OWNERS
from assets.stages.candidates import STAGE, generate_candidates


@dg.asset(
    partitions_def=GENERATIONS, group_name="engagement", code_version="1", owners=OWNERS, kinds={"python", "json"}
)
def candidate_tasks(context: dg.AssetExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.MaterializeResult:
    """Generated tasks of every split, not yet shown to be sound."""
    generation = workshop.open(context.partition_key, context.run.run_id)
    manifest = generate_candidates(generation)
    preview = table(generation.rows(STAGE, "tasks.jsonl"), ("id", "split", "apps", "knobs", "prompt"))
    return result_of(manifest, preview=preview, per_split=manifest.facts["per_split"])
