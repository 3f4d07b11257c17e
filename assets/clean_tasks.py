"""Tasks that overlap neither the benchmark, nor earlier deliveries, nor each other."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import dagster as dg
import pyarrow.parquet as pq

from assets.benchmark_tasks import benchmark_tasks
from assets.generation import Workshop, batch_name, tasks_in, tasks_of
from assets.materialization import result_of, table
from assets.partitions import GENERATIONS, OWNERS, generation_check
from assets.proven_tasks import proven_tasks
from assets.stages.benchmark import read_benchmark
from assets.stages.cleaning import (
    STAGE,
    benchmark_then_and_now,
    clean_proven,
    overlaps_left,
    rulings,
    runs_left,
)
from assets.stages.proofs import STAGE as PROVEN
from decontam.public_side import READERS_OF_PROSE
from decontam.verdicts import Side


@dg.asset(
    partitions_def=GENERATIONS,
    group_name="engagement",
    code_version="2",
    owners=OWNERS,
    kinds={"python", "json", "parquet"},
    deps=[proven_tasks, benchmark_tasks],
)
def clean_tasks(context: dg.AssetExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.MaterializeResult:
    """Tasks that overlap neither the benchmark, nor earlier deliveries, nor each other."""
    generation = workshop.open(context.partition_key, context.run.run_id)
    manifest = clean_proven(generation)
    dropped = (overlap.to_json() for ruling in rulings(generation) for overlap in ruling.overlaps)
    reported = (overlap.to_json() for ruling in rulings(generation) for overlap in ruling.reported)
    columns = ("rule", "text", "other_text")
    return result_of(
        manifest,
        dropped_beside_overlap=table(dropped, columns),
        reported_beside_look_alike=table(reported, columns),
        report=dg.MetadataValue.path(str(generation.folder(STAGE) / "report.html")),
        compared=manifest.facts["theirs"],
        earlier=manifest.facts["earlier"],
    )


@generation_check(clean_tasks, blocking=True)
def no_overlap_is_left(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """Decontaminating the clean tasks once more drops none, and comparing them word for word finds no shared run."""
    generation = workshop.open(context.partition_key)
    tasks = list(tasks_of(generation, STAGE))
    left, word_for_word = overlaps_left(generation, tasks), runs_left(generation, tasks)
    return dg.AssetCheckResult(
        passed=left == 0 and not word_for_word,
        metadata={"overlaps left": left, "found word for word": len(word_for_word), "ids": list(word_for_word[:20])},
    )


@generation_check(clean_tasks, blocking=True)
def something_was_compared(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """This set, and every benchmark, brought passages, n-grams and company names; prose among others may name none."""
    generation = workshop.open(context.partition_key)
    facts: Mapping[str, Any] = generation.manifest(STAGE).facts
    in_prose = {one.name for one in read_benchmark(generation).sources if one.reader in READERS_OF_PROSE}
    named = {"ours": facts["ours"], "theirs": facts["theirs"], **facts["benchmark_sides"]}
    counts: dict[str, dict[str, int]] = {name: Side.model_validate(side).to_json() for name, side in named.items()}
    empty = [
        f"{name} {part}"
        for name, parts in counts.items()
        for part, count in parts.items()
        if not count and (part != "names" or name not in in_prose)
    ]
    sides = {f"{name} {part}": count for name, parts in counts.items() for part, count in parts.items()}
    return dg.AssetCheckResult(
        passed=not empty and bool(facts["benchmark_sides"]), metadata={**sides, "compared nothing": empty}
    )


@generation_check(clean_tasks, blocking=True)
def report_adds_up(context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]) -> dg.AssetCheckResult:
    """Tasks in are tasks kept and dropped, by rule; the Parquet files have a row for each ruling and each overlap."""
    generation = workshop.open(context.partition_key)
    wrong: list[str] = []
    for batch in (0, *generation.batches(STAGE)):
        manifest, folder = generation.manifest(STAGE, batch), generation.folder(STAGE, batch)
        found = list(rulings(generation, batch))
        kept = {ruling.task_id for ruling in found if ruling.kept}
        clean = {task.id for task in tasks_in(generation, STAGE, batch)}
        dropped = Counter(str(ruling.rule) for ruling in found if not ruling.kept)
        overlaps = sum(len(ruling.overlaps) + len(ruling.reported) for ruling in found)
        proven = generation.manifest(PROVEN, batch)
        claims = {
            "rulings are not one a proven task": len(found) == manifest.rows_in == proven.rows_out,
            "kept and dropped are not what came in": len(kept) + dropped.total() == manifest.rows_in,
            "the clean tasks are not those kept": kept == clean,
            "drops by rule differ from the manifest's": dict(dropped) == dict(manifest.dropped),
            "rulings.parquet has other rows": pq.read_metadata(folder / "rulings.parquet").num_rows == len(found),
            "overlaps.parquet has other rows": pq.read_metadata(folder / "overlaps.parquet").num_rows == overlaps,
        }
        wrong += [f"{batch_name(STAGE, batch)}: {claim}" for claim, holds in claims.items() if not holds]
    return dg.AssetCheckResult(passed=not wrong, metadata={"wrong": wrong})


@generation_check(clean_tasks)
def benchmark_is_the_newest(
    context: dg.AssetCheckExecutionContext, workshop: dg.ResourceParam[Workshop]
) -> dg.AssetCheckResult:
    """The tasks were compared with the benchmark as it is now; a newer one needs the next generation (--new)."""
    compared, now = benchmark_then_and_now(workshop.open(context.partition_key))
    return dg.AssetCheckResult(
        passed=compared == now,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"compared with": compared, "now": now},
    )
