"""The proofs stage keeps the tasks that can be proven, each with its proof, and counts why others could not."""

import gc
import json
import multiprocessing
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from assets.files import write_lines, write_rows
from assets.generation import Generation, Product, batch_name
from assets.manifest import Manifest
from assets.stages.candidates import STAGE as CANDIDATES
from assets.tether import tie
from environment.record import canonical_json
from environment.task import Task, task_line
from generators.families import family_named
from generators.proof import ProofError, prove

STAGE = "proven_tasks"
_PROCESSES = 2
_WINDOW = 512
"""Tasks handed to the pool at once, so that ten thousand need not be held."""


def prove_candidates(generation: Generation, batch: int = 0) -> Manifest:
    """Proves every candidate in a process other than the one that generated it; the order is the candidates'."""

    def make(folder: Path) -> Product:
        failures: list[dict[str, str]] = []
        kept = write_lines(folder / "tasks.jsonl", _proven(generation, batch, failures))
        mutants, equivalents = _totals(folder / "tasks.jsonl")
        return Product(
            files={"tasks.jsonl": kept, "failures.jsonl": write_rows(folder / "failures.jsonl", failures)},
            rows_in=generation.manifest(CANDIDATES, batch).rows_out,
            rows_out=kept.rows or 0,
            dropped=Counter(failure["check"] for failure in failures),
            facts={"mutants_rejected": mutants, "equivalents_accepted": equivalents},
        )

    return generation.produce(STAGE, make, upstream=(batch_name(CANDIDATES, batch),), batch=batch)


def _proven(generation: Generation, batch: int, failures: list[dict[str, str]]) -> Iterator[str]:
    total = generation.manifest(CANDIDATES, batch).rows_out
    lines = (canonical_json(row) for row in generation.rows(CANDIDATES, "tasks.jsonl", batch))
    done = 0
    with _two_processes() as pool:
        while window := list(islice(lines, _WINDOW)):
            for proven, failure in pool.map(prove_line, window, chunksize=8):
                done += 1
                generation.tell(STAGE, done, total)
                if failure is None:
                    yield proven
                else:
                    failures.append(failure)


@contextmanager
def _two_processes() -> Iterator[ProcessPoolExecutor]:
    """A pool tied to this process. Ctrl-C reaches the whole group, but it is for the parent alone to end the pool."""
    with ProcessPoolExecutor(_PROCESSES, multiprocessing.get_context("spawn"), initializer=_begin) as pool:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            # Each starts one process, which inherits the blocked signal: the pool adds one while none of them is idle.
            for _ in range(_PROCESSES):
                pool.submit(tie)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        yield pool


def _begin() -> None:
    tie()
    gc.freeze()  # a collection of garbage would look through everything that was imported, every few tasks


def prove_line(line: str) -> tuple[str, dict[str, str] | None]:
    """A task's canonical JSON with its proof, or why it has none: also when it can't be generated again so."""
    task = Task.model_validate_json(line)
    try:
        knobs = {name: round(value) for name, value in task.knobs.items()}
        again = family_named(task.family).generate(task.seed, task.index, task.split, knobs, task.toolset)
        if task_line(again) != line:
            raise ProofError(task.id, "same bytes", "it comes out different in another process")
        proof = prove(task)
    except ProofError as error:
        return "", {"task_id": task.id, "check": error.check, "detail": error.detail}
    # the same task, whose repeated calls are one object each: written in a fraction of the time
    return task_line(again.model_copy(update={"proof": proof})), None


def _totals(path: Path) -> tuple[dict[str, int], dict[str, int]]:
    mutants, equivalents = Counter[str](), Counter[str]()
    with path.open(encoding="utf-8") as file:
        for line in file:
            proof = json.loads(line)["proof"]
            mutants.update(proof["mutants"])
            equivalents.update(proof["equivalents"])
    return dict(sorted(mutants.items())), dict(sorted(equivalents.items()))
