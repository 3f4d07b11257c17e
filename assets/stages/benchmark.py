"""The benchmark stage stores the public tasks that nothing may overlap, as they were read."""

from pathlib import Path

from assets.files import write_rows
from assets.generation import Generation, Product
from assets.manifest import Manifest
from decontam.benchmark import Benchmark, load_benchmark

STAGE = "benchmark_tasks"


def store_benchmark(generation: Generation) -> Manifest:
    """Reads the benchmark and keeps a copy, so that later stages don't depend on the file."""

    def make(folder: Path) -> Product:
        benchmark = load_benchmark(generation.benchmark_path)
        tasks = write_rows(folder / "tasks.jsonl", (task.to_json() for task in benchmark.tasks))
        facts = {name: value for name, value in benchmark.to_json().items() if name != "tasks"}
        count = len(benchmark.tasks)
        return Product({"tasks.jsonl": tasks}, count, count, facts={**facts, "domains": benchmark.counts()})

    return generation.produce(STAGE, make, upstream=())


def read_benchmark(generation: Generation) -> Benchmark:
    """The benchmark as it was stored."""
    facts = generation.manifest(STAGE).facts
    stated = {name: value for name, value in facts.items() if name in Benchmark.model_fields}
    return Benchmark.model_validate({**stated, "tasks": list(generation.rows(STAGE, "tasks.jsonl"))})
