"""The code location: all assets with their checks, the job for the whole flow, its schedule and its resources."""

from __future__ import annotations

import dagster as dg

import assets
from pipeline.schedules import engagement_job, weekly_regeneration
from pipeline.store import Store, store_root

ASSETS: list[dg.AssetsDefinition] = [
    found for found in dg.load_assets_from_package_module(assets) if isinstance(found, dg.AssetsDefinition)
]
CHECKS = dg.load_asset_checks_from_package_module(assets)


def definitions_of(store: Store) -> dg.Definitions:
    """Everything, working on one store."""
    return dg.Definitions(
        assets=ASSETS,
        asset_checks=CHECKS,
        jobs=[engagement_job],
        schedules=[weekly_regeneration],
        resources={"workshop": store, "pipes": dg.PipesSubprocessClient()},
        executor=dg.in_process_executor,
    )


defs = definitions_of(Store(store_root()))
