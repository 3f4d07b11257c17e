"""A LoRA adapter of the target model, trained with GRPO on the training set."""

import os
from collections.abc import Sequence

import dagster as dg
from dagster._core.errors import DagsterPipesExecutionError

from assets.generation import Workshop
from assets.materialization import picture, result_of, table
from assets.partitions import GENERATIONS, OWNERS, generation_check
from assets.stages.findings import monitor_points, training_update
from assets.stages.training import train_adapter, updates_of
from assets.training_set import training_set
from evaluation import plots


@dg.asset(
    partitions_def=GENERATIONS,
    group_name="engagement",
    code_version="1",
    owners=OWNERS,
    kinds={"python", "pytorch"},
    deps=[training_set],
)
def lora_adapter(
    context: dg.AssetExecutionContext,
    workshop: dg.ResourceParam[Workshop],
    pipes: dg.ResourceParam[dg.PipesSubprocessClient],
) -> dg.MaterializeResult:
    """A LoRA adapter of the target model, trained with GRPO on the training set."""
    generation = workshop.open(context.partition_key, context.run.run_id)

    def run(command: Sequence[str]) -> None:
        try:
            pipes.run(context=context, command=command, env=dict(os.environ))
        except DagsterPipesExecutionError as error:
            context.log.error(str(error))

    manifest = train_adapter(generation, run)
    updates = updates_of(generation)
    columns = ("update", "strict", "scored", "reward_raw", "reward", "entropy", "zero_variance_share", "seconds")
    learned = tuple(training_update(log) for log in updates if log.reward is not None)
    plot = picture(plots.training_curves(learned, monitor_points(generation), narrow=False))
    preview = table((log.to_json() for log in updates[-8:]), columns)
    return result_of(manifest, last_updates=preview, curves=plot, **dict(manifest.facts))


@generation_check(lora_adapter)
def few_groups_teach_nothing(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """Most groups of attempts differ in reward; a group of equal ones has no gradient."""
    updates = updates_of(workshop.open(context.partition_key))
    share = sum(log.zero_variance_share for log in updates) / len(updates)
    return dg.AssetCheckResult(
        passed=share < 0.5, severity=dg.AssetCheckSeverity.WARN, metadata={"groups of equal rewards": share}
    )


@generation_check(lora_adapter)
def no_training_attempt_met_a_bug(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """An exception of ours makes an attempt's reward void; each one is to be mended."""
    bugs = [bug for log in updates_of(workshop.open(context.partition_key)) for bug in log.bugs]
    return dg.AssetCheckResult(passed=not bugs, metadata={"bugs": len(bugs), "first": bugs[0] if bugs else ""})
