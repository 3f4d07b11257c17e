"""The benchmark stage stores the public tasks that nothing may overlap, as they were read."""

from pathlib import Path

from assets.files import write_rows
from assets.generation import Generation, Product
from assets.manifest import Manifest
from decontam.benchmark import Benchmark
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


def read_benchmark(generation: Generation) -> Benchmark:
    """The benchmark as it was stored."""
    facts = generation.manifest(STAGE).facts
    stated = {name: value for name, value in facts.items() if name in Benchmark.model_fields}
    return Benchmark.model_validate({**stated, "tasks": list(generation.rows(STAGE, "tasks.jsonl"))})
