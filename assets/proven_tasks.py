"""Tasks with a proof: solvable, only by solving them, in every fair spelling, from what can be seen."""

import dagster as dg

from assets.candidate_tasks import candidate_tasks
from assets.generation import Workshop, tasks_of
from assets.materialization import result_of, table
from assets.partitions import GENERATIONS, OWNERS, generation_check
from assets.stages.proofs import STAGE, prove_candidates


@dg.asset(
    partitions_def=GENERATIONS,
    group_name="engagement",
    code_version="1",
    owners=OWNERS,
    kinds={"python", "json"},
    deps=[candidate_tasks],
)
def proven_tasks(context: dg.AssetExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.MaterializeResult:
    """Tasks with a proof: solvable, only by solving them, in every fair spelling, from what can be seen."""
    generation = workshop.open(context.partition_key, context.run.run_id)
    manifest = prove_candidates(generation)
    failures = table(generation.rows(STAGE, "failures.jsonl"), ("task_id", "check", "detail"))
    return result_of(manifest, failures=failures, **dict(manifest.facts))


@generation_check(proven_tasks, blocking=True)
def every_task_is_proven(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """Tasks go on, and none without its proof or with a proof that rejected no mutant or accepted no reference."""
    generation = workshop.open(context.partition_key)
    tasks, unproven = 0, []
    for task in tasks_of(generation, STAGE):
        tasks += 1
        if not (task.proof and task.proof.references and task.proof.mutants):
            unproven.append(task.id)
    return dg.AssetCheckResult(
        passed=bool(tasks) and not unproven,
        metadata={"tasks": tasks, "unproven": len(unproven), "ids": unproven[:20]},
    )


@generation_check(proven_tasks)
def no_candidate_failed_its_proof(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """A failed proof is a mistake in a family: the task is dropped and a person should look."""
    manifest = workshop.open(context.partition_key).manifest(STAGE)
    failed = sum(manifest.dropped.values())
    return dg.AssetCheckResult(
        passed=failed == 0, severity=dg.AssetCheckSeverity.WARN, metadata={"failed": failed, **manifest.dropped}
    )
