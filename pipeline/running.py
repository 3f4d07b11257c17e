"""Running makes the stages of one generation, through Dagster in this process, up to a wanted one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import dagster as dg
from dagster._core.errors import DagsterAssetCheckFailedError, DagsterExecutionInterruptedError
from sqlalchemy.exc import OperationalError

from assets.generation import STAGES, FellShort
from pipeline.bad_input import BadInput
from pipeline.definitions import CHECKS, definitions_of
from pipeline.engagement import Engagement
from pipeline.home import dagster_home, open_instance
from pipeline.schedules import engagement_job
from pipeline.store import Store, StoredGeneration

_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}

_DEMANDS = {spec.key: spec.description or "" for check in CHECKS for spec in check.check_specs}


@dataclass(frozen=True, slots=True)
class Finding:
    """A check that did not pass."""

    asset: str
    check: str
    demand: str
    """What it wants to be true."""


def choose_generation(store: Store, engagement: Engagement, *, new: bool) -> StoredGeneration:
    """The newest unfinished generation of these settings, else the newest; the next one when `new` or there is none.

    Raises BadInput when the engagement was edited since the newest generation began, and for a new generation beside
    one that is being worked on: neither would see what the other delivers.
    """
    newest = store.newest(engagement.name)
    if new and newest is not None and store.is_locked(newest.key):
        raise BadInput(f"{newest.key} is being worked on; wait for it or stop it before you start the next generation")
    if newest is None or new:
        return store.begin(engagement, 1 if newest is None else newest.number + 1, "")
    for number in reversed(store.numbers(engagement.name)):
        generation = store.open(f"{engagement.name}.g{number}")
        if not generation.is_finished(STAGES[-1]) and generation.engagement.hash == engagement.hash:
            return generation
    if newest.engagement.hash != engagement.hash:
        changed = [
            name
            for name in type(engagement).model_fields
            if getattr(engagement, name) != getattr(newest.engagement, name)
        ]
        raise BadInput(
            f"{', '.join(changed)} of {engagement.name} changed since {newest.key} began; "
            "put the old values back to finish it, or start the next generation with --new"
        )
    return newest


def run_stages(store: Store, generation: StoredGeneration, until: str) -> tuple[Finding, ...]:
    """Makes everything up to the stage `until`; what is stored is not made again. Returns the checks that failed.

    Raises FellShort when a stage could not deliver or a blocking check failed, KeyboardInterrupt when interrupted, and
    whatever a stage raised.
    """
    wanted = STAGES[: STAGES.index(until) + 1]
    with store.locked(generation.key), _recording(store) as instance:
        try:
            result = (
                definitions_of(store)
                .resolve_job_def(engagement_job.name)
                .execute_in_process(
                    instance=instance,
                    partition_key=generation.key,
                    asset_selection=[dg.AssetKey(stage) for stage in wanted],
                    run_config=_QUIET,
                )
            )
        except DagsterExecutionInterruptedError:
            raise KeyboardInterrupt from None
        except DagsterAssetCheckFailedError as failed:
            raise FellShort(_stopped(str(failed))) from None
    return tuple(
        Finding(evaluation.asset_key.to_user_string(), evaluation.check_name, _DEMANDS[evaluation.asset_check_key])
        for evaluation in result.get_asset_check_evaluations()
        if not evaluation.passed
    )


def _stopped(message: str) -> str:
    """What the checks demand that stopped a run: Dagster names them, a line an asset, after a first line."""
    told = [line.partition(": ") for line in message.splitlines()[1:]]
    sentences = [
        f"{asset}: the check {check} did not pass, so that nothing further is made of it. It demands: "
        f"{_DEMANDS[dg.AssetCheckKey(dg.AssetKey(asset), check)]}"
        for asset, _, checks in told
        for check in checks.split(",")
    ]
    return " ".join(sentences)


@contextmanager
def _recording(store: Store) -> Iterator[dg.DagsterInstance]:
    """Dagster's instance of a store. Raises FellShort when its database cannot be written, as on a full disk."""
    try:
        with open_instance(store) as instance:
            yield instance
    except OperationalError as error:
        raise FellShort(
            f"Dagster's records in {dagster_home(store.root)} cannot be written ({error.orig}); "
            "mend that, then the same command goes on from here"
        ) from None
