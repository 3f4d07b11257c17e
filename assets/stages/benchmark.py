"""The benchmark stage stores the public tasks that nothing may overlap, as they were read."""

from pathlib import Path
from typing import Any

from assets.files import write_rows
from assets.generation import Generation, Product
from assets.manifest import Manifest
from decontam.benchmark import Benchmark, BenchmarkSource
from decontam.readers.sources import load_benchmark
from decontam.scored_set import shortfalls

STAGE = "benchmark_tasks"


def store_benchmark(generation: Generation) -> Manifest:
    """Reads the benchmarks and keeps a copy of their union, so that later stages don't depend on the sources."""

    def make(folder: Path) -> Product:
        benchmark = load_benchmark(generation.benchmark_paths)
        tasks = write_rows(folder / "tasks.jsonl", (task.to_json() for task in benchmark.tasks))
        facts = {name: value for name, value in benchmark.to_json().items() if name != "tasks"}
        count = len(benchmark.tasks)
        more = {"domains": benchmark.counts(), "shortfalls": list(shortfalls(benchmark))}
        return Product({"tasks.jsonl": tasks}, count, count, facts={**facts, **more})

    return generation.produce(STAGE, make, upstream=())


def benchmark_sources(generation: Generation) -> tuple[BenchmarkSource, ...]:
    """Where the tasks that were stored came from."""
    stated: Any = generation.manifest(STAGE).facts["sources"]
    return tuple(map(BenchmarkSource.model_validate, stated))


def benchmark_shortfalls(generation: Generation) -> tuple[str, ...]:
    """What was missing of the scored set when it was stored."""
    stated: Any = generation.manifest(STAGE).facts["shortfalls"]
    return tuple(stated)


def read_benchmark(generation: Generation) -> Benchmark:
    """The benchmark as it was stored."""
    facts = generation.manifest(STAGE).facts
    stated = {name: value for name, value in facts.items() if name in Benchmark.model_fields}
    return Benchmark.model_validate({**stated, "tasks": list(generation.rows(STAGE, "tasks.jsonl"))})
