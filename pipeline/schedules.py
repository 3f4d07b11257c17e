"""A schedule begins the next generation of an engagement; it is stopped until somebody starts it."""

import os

import dagster as dg

from assets.partitions import GENERATIONS
from pipeline.store import Store, store_root

ENGAGEMENT_VARIABLE = "WORLDLOOM_SCHEDULED"
"""Environment variable with the engagement that the schedule regenerates; `laptop` when it is not set."""

engagement_job = dg.define_asset_job(
    "engagement",
    selection=dg.AssetSelection.all(),
    description="The whole flow for one generation, from templates to the evaluation report.",
)


@dg.schedule(
    cron_schedule="0 3 * * 1",
    job=engagement_job,
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Every Monday at three the next generation.",
)
def weekly_regeneration(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """The next generation, unless the newest one is not finished yet."""
    name = os.environ.get(ENGAGEMENT_VARIABLE, "laptop")
    store = Store(store_root())
    newest = max(store.numbers(name), default=0)
    if newest and store.open(f"{name}.g{newest}", "").unfinished():
        return dg.SkipReason(f"{name}.g{newest} is not finished")
    key = f"{name}.g{newest + 1}"
    context.instance.add_dynamic_partitions(GENERATIONS.name or "", [key])
    return dg.RunRequest(run_key=key, partition_key=key)
