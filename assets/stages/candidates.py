"""The candidates stage generates the tasks of every split, and further ones at wanted knob settings."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from assets.files import write_lines
from assets.generation import Generation, Product
from assets.manifest import Manifest
from calibration.supply import TaskRequest
from environment.rng import derive_rng, derive_seed
from environment.task import Split, Task, task_line
from generators.families import family_named

STAGE = "candidate_tasks"


def generate_candidates(generation: Generation) -> Manifest:
    """As many tasks of each family and split as the engagement asks for."""

    def make(folder: Path) -> Product:
        file = write_lines(folder / "tasks.jsonl", map(task_line, candidates(generation)))
        count = file.rows or 0
        return Product({"tasks.jsonl": file}, count, count, facts={"per_split": _split_counts(generation)})

    return generation.produce(STAGE, make, upstream=())


def generate_batch(generation: Generation, requests: Sequence[TaskRequest], batch: int) -> Manifest:
    """The tasks that calibration asked for."""

    def make(folder: Path) -> Product:
        file = write_lines(folder / "tasks.jsonl", map(task_line, _wanted(generation, requests, batch)))
        facts = {"requests": [request.to_json() for request in requests]}
        return Product({"tasks.jsonl": file}, file.rows or 0, file.rows or 0, facts=facts)

    return generation.produce(STAGE, make, upstream=(), batch=batch)


def candidates(generation: Generation) -> Iterator[Task]:
    """The candidates one at a time; each is a function of the generation's seed, its split, family and index."""
    wishes = generation.engagement.candidates
    for split, count in _counts(generation):
        seed = split_seed(generation, split)
        for name in wishes.families:
            family = family_named(name)
            for index in range(count):
                knobs = family.draw_knobs(derive_rng("knobs", name, seed, index), wishes.profile)
                yield family.generate(seed, index, split, knobs, wishes.toolset)


def split_seed(generation: Generation, split: Split, batch: int = 0) -> str:
    """The seed of one split, unrelated to that of any other."""
    return f"{derive_seed('split', generation.seed, split, batch):016x}"


def _wanted(generation: Generation, requests: Sequence[TaskRequest], batch: int) -> Iterator[Task]:
    seed = split_seed(generation, "train", batch)
    index = 0
    for request in requests:
        family = family_named(request.family)
        knobs = {name: round(value) for name, value in request.knobs.items()}
        for _ in range(request.count):
            yield family.generate(seed, index, "train", knobs, generation.engagement.candidates.toolset)
            index += 1


def _counts(generation: Generation) -> tuple[tuple[Split, int], ...]:
    wishes = generation.engagement.candidates
    return ("train", wishes.train), ("development", wishes.development), ("held_out", wishes.held_out)


def _split_counts(generation: Generation) -> dict[str, int]:
    families = len(generation.engagement.candidates.families)
    return {split: count * families for split, count in _counts(generation)}
