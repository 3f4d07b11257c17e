"""The cleaning stage keeps the tasks that overlap neither the benchmark, nor earlier generations, nor each other."""

from pathlib import Path

from assets.files import write_rows, write_text
from assets.generation import Generation, Product, batch_name, tasks_in, tasks_of
from assets.manifest import Manifest
from assets.stages.benchmark import STAGE as BENCHMARK
from assets.stages.benchmark import read_benchmark
from assets.stages.proofs import STAGE as PROVEN
from decontam.decontaminate import decontaminate
from decontam.report import report_html
from decontam.verdicts import RULES
from environment.task import Task

STAGE = "clean_tasks"


def clean_proven(generation: Generation, batch: int = 0) -> Manifest:
    """The clean tasks with the rulings on all; a further batch is also held against the tasks that came before it."""

    def make(folder: Path) -> Product:
        tasks = list(tasks_in(generation, PROVEN, batch))
        before = list(tasks_of(generation, STAGE)) if batch else []
        result = decontaminate(
            tasks, read_benchmark(generation), [*delivered(generation), *before], generation.engagement.decontamination
        )
        kept = set(result.kept)
        counts = result.counts()
        return Product(
            files={
                "tasks.jsonl": write_rows(
                    folder / "tasks.jsonl", (task.to_json() for task in tasks if task.id in kept)
                ),
                "rulings.jsonl": write_rows(folder / "rulings.jsonl", (ruling.to_json() for ruling in result.rulings)),
                "report.html": write_text(folder / "report.html", report_html(result)),
            },
            rows_in=len(tasks),
            rows_out=len(kept),
            dropped={rule: counts[rule] for rule in RULES},
            facts={
                "ours": result.ours.to_json(),
                "theirs": result.theirs.to_json(),
                "earlier_tasks": result.earlier_tasks,
                "benchmark": result.benchmark_source,
                "benchmark_hash": result.benchmark_hash,
                "benchmark_is_stand_in": result.benchmark_is_stand_in,
                "clusters": len(set(result.clusters().values())),
            },
        )

    earlier = () if batch == 0 else (STAGE, *(batch_name(STAGE, number) for number in range(1, batch)))
    return generation.produce(STAGE, make, upstream=(BENCHMARK, batch_name(PROVEN, batch), *earlier), batch=batch)


def delivered(generation: Generation) -> list[Task]:
    """The clean tasks of earlier generations."""
    return [task for former in generation.earlier() for task in tasks_of(former, STAGE)]


def overlaps_left(generation: Generation, tasks: list[Task]) -> int:
    """Overlaps that decontaminating `tasks` once more finds."""
    result = decontaminate(
        tasks, read_benchmark(generation), delivered(generation), generation.engagement.decontamination
    )
    return len(tasks) - len(result.kept)


def clusters(generation: Generation) -> dict[str, str]:
    """Near-duplicate cluster of every clean task, by id."""
    found = {}
    for batch in (0, *generation.batches(STAGE)):
        for ruling in generation.rows(STAGE, "rulings.jsonl", batch):
            if ruling["cluster"] is not None:
                found[ruling["task_id"]] = ruling["cluster"]
    return found
