"""The partitions are the generations of all engagements, such as `laptop.g1` and `qwen3.8-27b.g7`."""

import warnings
from collections.abc import Callable

import dagster as dg

GENERATIONS = dg.DynamicPartitionsDefinition(name="generations")
OWNERS = ["team:post-training"]

Check = Callable[..., dg.AssetCheckResult]


def generation_check(
    asset: dg.AssetsDefinition, *, blocking: bool = False
) -> Callable[[Check], dg.AssetChecksDefinition]:
    """A check of one generation's artifact; a blocking one that fails stops everything made from it."""

    def decorate(check: Check) -> dg.AssetChecksDefinition:
        with warnings.catch_warnings():
            # Without partitions the check would look at every generation; that Dagster may still change how they are
            # declared is a matter for whoever raises its version.
            warnings.simplefilter("ignore", dg.PreviewWarning)
            return dg.asset_check(asset=asset, partitions_def=GENERATIONS, blocking=blocking)(check)

    return decorate
