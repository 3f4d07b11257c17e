"""The cleaning stage keeps the tasks that overlap neither the benchmark, nor earlier deliveries, nor each other."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assets.files import write_rows, write_table, write_text
from assets.generation import Generation, Product, batch_name, tasks_in, tasks_of
from assets.manifest import CodeVersion, Manifest
from assets.stages.benchmark import STAGE as BENCHMARK
from assets.stages.benchmark import read_benchmark
from assets.stages.proofs import STAGE as PROVEN
from decontam.decontaminate import decontaminate
from decontam.plain import tasks_sharing_a_run
from decontam.readers.sources import load_benchmark
from decontam.report import Occasion, overlap_rows, report_html, ruling_rows
from decontam.verdicts import RULES, Ruling
from environment.task import Task

STAGE = "clean_tasks"


def clean_proven(generation: Generation, batch: int = 0) -> Manifest:
    """The clean tasks with the rulings on all; a further batch is also held against the tasks that came before it."""

    def make(folder: Path) -> Product:
        tasks = list(tasks_in(generation, PROVEN, batch))
        earlier = earlier_artifacts(generation) if batch else _earlier_now(generation)
        former = dict(_delivered(generation, earlier))
        if batch:
            former[generation.key] = list(tasks_of(generation, STAGE))
        result = decontaminate(
            tasks,
            read_benchmark(generation),
            [task for members in former.values() for task in members],
            generation.engagement.decontamination,
        )
        occasion = Occasion(
            subject=f"{generation.key}, batch {batch + 1}" if batch else generation.key,
            code=_spelled(generation.code),
            earlier={task.id: key for key, members in former.items() for task in members},
        )
        kept = set(result.kept)
        counts = result.counts()
        return Product(
            files={
                "tasks.jsonl": write_rows(
                    folder / "tasks.jsonl", (task.to_json() for task in tasks if task.id in kept)
                ),
                "rulings.jsonl": write_rows(folder / "rulings.jsonl", (ruling.to_json() for ruling in result.rulings)),
                "rulings.parquet": write_table(folder / "rulings.parquet", ruling_rows(result)),
                "overlaps.parquet": write_table(folder / "overlaps.parquet", overlap_rows(result, occasion)),
                "report.html": write_text(folder / "report.html", report_html(result, occasion)),
            },
            rows_in=len(tasks),
            rows_out=len(kept),
            dropped={rule: counts[rule] for rule in RULES},
            facts={
                "ours": result.ours.to_json(),
                "theirs": result.theirs.to_json(),
                "benchmark_sides": {name: side.to_json() for name, side in result.benchmark_sides.items()},
                "earlier": earlier,
                "earlier_tasks": result.earlier_tasks,
                "reported": result.reported_counts(),
                "benchmark": result.benchmark_source,
                "benchmark_hash": result.benchmark_hash,
                "benchmark_is_stand_in": result.benchmark_is_stand_in,
                "clusters": len(set(result.clusters().values())),
            },
        )

    before = () if batch == 0 else (STAGE, *(batch_name(STAGE, number) for number in range(1, batch)))
    return generation.produce(STAGE, make, upstream=(BENCHMARK, batch_name(PROVEN, batch), *before), batch=batch)


def earlier_artifacts(generation: Generation) -> dict[str, list[str]]:
    """Earlier generation -> content hashes of its clean artifacts, batch by batch, when this one was cleaned.

    Whatever others deliver later is compared with this one, not this one with them.
    """
    facts: Mapping[str, Any] = generation.manifest(STAGE).facts
    if "earlier" not in facts:
        raise ValueError(
            f"{STAGE} of {generation.key} was written by another version of the program; "
            "read it with that version, or start the next generation with --new"
        )
    return {key: list(hashes) for key, hashes in facts["earlier"].items()}


def overlaps_left(generation: Generation, tasks: list[Task]) -> int:
    """Overlaps that decontaminating `tasks` once more finds."""
    former = dict(_delivered(generation, earlier_artifacts(generation)))
    result = decontaminate(
        tasks,
        read_benchmark(generation),
        [task for members in former.values() for task in members],
        generation.engagement.decontamination,
    )
    return len(tasks) - len(result.kept)


def runs_left(generation: Generation, tasks: list[Task]) -> tuple[str, ...]:
    """Ids of `tasks` in which a comparison word for word, with no part of the first one's index, finds a shared run."""
    size = generation.engagement.decontamination.ngram_words
    return tasks_sharing_a_run(tasks, read_benchmark(generation), size)


def benchmark_then_and_now(generation: Generation) -> tuple[str, str]:
    """Content hashes of the benchmark that was compared and of what the engagement would read now.

    Instead of the second the reason, where it can't be read any more.
    """
    then = str(generation.manifest(STAGE).facts["benchmark_hash"])
    try:
        return then, load_benchmark(generation.benchmark_paths).content_hash
    except ValueError as gone:
        return then, str(gone)


def rulings(generation: Generation, batch: int = 0) -> Iterator[Ruling]:
    """The rulings of one artifact."""
    return map(Ruling.model_validate, generation.rows(STAGE, "rulings.jsonl", batch))


def clusters(generation: Generation) -> dict[str, str]:
    """Near-duplicate cluster of every clean task, by id."""
    found = {}
    for batch in (0, *generation.batches(STAGE)):
        for ruling in generation.rows(STAGE, "rulings.jsonl", batch):
            if ruling["cluster"] is not None:
                found[ruling["task_id"]] = ruling["cluster"]
    return found


def _earlier_now(generation: Generation) -> dict[str, list[str]]:
    """What the engagement's policy names as delivered earlier."""
    found = {}
    for key in generation.earlier():
        former = generation.other(key)
        found[key] = [former.manifest(STAGE, batch).content_hash for batch in (0, *former.batches(STAGE))]
    return found


def _delivered(generation: Generation, earlier: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, list[Task]]]:
    """Each earlier generation with its clean tasks. Raises ValueError when they are not those that were named."""
    for key, hashes in earlier.items():
        former = generation.other(key)
        tasks: list[Task] = []
        for batch, expected in enumerate(hashes):
            if former.manifest(STAGE, batch).content_hash != expected:
                raise ValueError(
                    f"{generation.key} was compared with another {batch_name(STAGE, batch)} of {key} than the store "
                    "holds now; restore that one from a copy"
                )
            tasks += tasks_in(former, STAGE, batch)
        yield key, tasks


def _spelled(code: CodeVersion) -> str:
    commit = f"commit {code.commit}" if code.commit else "not in a git checkout"
    return ", ".join([commit, *(f"{name} {version}" for name, version in code.packages.items())])
