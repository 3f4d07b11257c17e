"""Training tasks with the target model's pass rate and the chance that it lies in the band."""

import dagster as dg

from assets.clean_tasks import clean_tasks
from assets.generation import Workshop
from assets.materialization import picture, result_of, table
from assets.partitions import GENERATIONS, OWNERS, generation_check
from assets.stages.calibrating import STAGE, calibrate_clean, pass_rates, read_calibration
from calibration.progress import CalibrationProgress
from evaluation import plots

_UNSCORED_MOST = 0.02
"""Share of attempts lost to the machine above which a person should look."""


@dg.asset(
    partitions_def=GENERATIONS,
    group_name="engagement",
    code_version="1",
    owners=OWNERS,
    kinds={"python", "parquet", "pytorch"},
    deps=[clean_tasks],
)
def calibrated_tasks(context: dg.AssetExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.MaterializeResult:
    """Training tasks with the target model's pass rate and the chance that it lies in the band."""
    generation = workshop.open(context.partition_key, context.run.run_id)

    def observe(progress: CalibrationProgress) -> None:
        """A row of the live table: the asset's page and the run's log show it while the stage is at work."""
        context.log.info(f"{progress.attempts} {progress.sentence()}")
        counts = {**progress.to_json(), "accepted": str(dict(progress.accepted)), "wanted": str(dict(progress.wanted))}
        shown = {name: value for name, value in counts.items() if value is not None}
        context.log_event(dg.AssetObservation(context.asset_key, partition=context.partition_key, metadata=shown))

    manifest = calibrate_clean(generation, observe)
    columns = ("task_id", "standing", "passes", "scored", "mean", "in_band")
    best = sorted(generation.rows(STAGE, "ratings.jsonl"), key=lambda row: -(row["in_band"] or 0))
    plot = picture(plots.pass_rates(pass_rates(generation, ()), narrow=False))
    rounds = table(
        (one.to_json() for one in reversed(read_calibration(generation).rounds)),
        ("round", "attempts", "unscored", "accepted", "missing", "claimed"),
    )
    return result_of(
        manifest, preview=table(best, columns), rounds_table=rounds, pass_rates=plot, **dict(manifest.facts)
    )


@generation_check(calibrated_tasks)
def few_attempts_are_unscored(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """Attempts lost to endpoint or machine are in no pass rate; many of them bias it."""
    facts = workshop.open(context.partition_key).manifest(STAGE).facts
    share = int(str(facts["unscored"])) / max(1, int(str(facts["attempts"])))
    return dg.AssetCheckResult(
        passed=share <= _UNSCORED_MOST, severity=dg.AssetCheckSeverity.WARN, metadata={"unscored share": share}
    )


@generation_check(calibrated_tasks)
def no_attempt_met_a_bug(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """An exception of ours leaves its attempt unscored; each one is to be mended."""
    bugs = int(str(workshop.open(context.partition_key).manifest(STAGE).facts["bugs"]))
    return dg.AssetCheckResult(passed=bugs == 0, metadata={"bugs": bugs})
