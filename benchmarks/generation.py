"""Time and memory to generate and prove tasks of all families, and what a proof spends its time on.

    python -m benchmarks.generation
    python -m benchmarks.generation --tasks 10000 --profile full

Budgets for 10,000 tasks on 2 cores: generated in 60 s, proven in 10 min, under 2 GB. Tasks are made in this process one
after the other and written to a file; then two others generate each again, compare the bytes and prove it, as a
generation does. Fewer tasks are projected to 10,000, from processor time shared by the cores: wall time, which stands
beside it, is that of a busy machine too. Only memory ends it with exit code 1.

Checks are timed one by one in this process, and with each of two shortcuts left out: what a judge keeps of a row it has
judged, and hurried solutions that go on from the reference's own calls.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).parents[1]))  # beside this file lies environment.py, which is not the package

from assets.stages.proofs import prove_line
from environment.apps import APPS
from environment.assignment import best_assignment
from environment.attempt import RowChange
from environment.episode import base_of, derived_fields
from environment.record import canonical_json
from environment.rng import derive_rng
from environment.task import Proof, Task, ToolCall, task_line
from environment.verifier import verify
from generators.families import FAMILIES
from generators.family import Family
from generators.proof import Case, End, is_refusal

FULL_SIZE, GENERATE_S, PROVE_S, MEMORY_MB, CORES = 10_000, 60.0, 600.0, 2048.0, 2
Profile = Literal["starter", "full"]


@dataclass(frozen=True, slots=True)
class Stage:
    """All tasks through one stage."""

    what: str
    tasks: int
    wall_s: float
    cpu_s: float
    """Of all processes together."""
    cores: int
    budget_s: float
    """For 10,000 tasks."""

    @property
    def projected_s(self) -> float:
        return self.cpu_s / self.cores * FULL_SIZE / self.tasks

    @property
    def verdict(self) -> str:
        return "ok" if self.projected_s <= self.budget_s else "short"


@dataclass(frozen=True, slots=True)
class FamilySpeed:
    """What a family's tasks are like and take."""

    name: str
    tasks: int
    per_s: float
    """Generated, by one core."""
    prove_ms: float
    worst_ms: float
    calls: float
    """Of the reference, on average."""
    characters: float
    """Of the world as JSON, on average."""
    checks_ms: dict[str, float]
    """Check of the proof -> milliseconds a task."""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A proof with and without one of its shortcuts."""

    what: str
    with_ms: float
    without_ms: float


class ForgetfulCase(Case):
    """A proof whose every verdict begins from nothing."""

    def is_strict(self, changes: Sequence[RowChange]) -> bool:
        return verify(self.task.contract, changes, derived_fields(self.apps)).strict


class RepeatingCase(Case):
    """A proof that does every hurried worker's solution from the first call."""

    def write(self, calls: Sequence[ToolCall]) -> End:
        run = self.run([call for call in calls if self.access.get(call.tool) != "read"])
        return End(run.changes, any(map(is_refusal, run.results)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=1200, help="tasks over all families (default 1200)")
    parser.add_argument("--profile", choices=["starter", "full"], default="full", help="how high knobs go")
    parser.add_argument("--sample", type=int, default=12, help="tasks of each family whose checks are timed")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the tables")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tasks.jsonl"
        generating = generate_all(file, arguments.tasks, arguments.profile)
        proving = prove_all(file, arguments.tasks)
    memory = peak_memory_mb()
    best_assignment({(0, 0): 1.0, (1, 0): 1.0})  # the first tie of a process loads SciPy
    families = [family_speed(family, arguments.profile, arguments.sample) for family in FAMILIES]
    shortcuts = measure_shortcuts(arguments.profile)
    if arguments.json:
        stages = [
            {**asdict(stage), "projected_s": stage.projected_s, "verdict": stage.verdict}
            for stage in (generating, proving)
        ]
        found = {
            "stages": stages,
            "memory_mb": memory,
            "families": [asdict(family) for family in families],
            "shortcuts": [asdict(shortcut) for shortcut in shortcuts],
        }
        print(json.dumps(found, indent=1))
    else:
        show((generating, proving), memory, families, shortcuts)
    return 0 if memory <= MEMORY_MB else 1


def show(
    stages: Sequence[Stage], memory: float, families: Sequence[FamilySpeed], shortcuts: Sequence[Shortcut]
) -> None:
    print(f"{'':12s} {'tasks':>6s} {'wall s':>8s} {'cpu s':>8s} {'cores':>5s} {'of 10,000 s':>11s} {'budget s':>8s}")
    for stage in stages:
        print(
            f"{stage.what:12s} {stage.tasks:6d} {stage.wall_s:8.1f} {stage.cpu_s:8.1f} {stage.cores:5d} "
            f"{stage.projected_s:11.0f} {stage.budget_s:8.0f} {stage.verdict}"
        )
    print(f"peak memory of all processes {memory:.0f} MB, budget {MEMORY_MB:.0f} MB\n")
    checks = list(families[0].checks_ms)
    print(f"{'family':28s} {'tasks/s':>7s} {'calls':>5s} {'chars':>7s} {'proof ms':>8s} {'worst':>6s}  ", end="")
    print(" ".join(f"{check[:9]:>9s}" for check in checks))
    for family in families:
        print(
            f"{family.name:28s} {family.per_s:7.0f} {family.calls:5.1f} {family.characters:7.0f} "
            f"{family.prove_ms:8.1f} {family.worst_ms:6.0f}  "
            + " ".join(f"{family.checks_ms[check]:9.1f}" for check in checks)
        )
    print(
        f"{'all':28s} {mean(f.per_s for f in families):7.0f} {mean(f.calls for f in families):5.1f} "
        f"{mean(f.characters for f in families):7.0f} {mean(f.prove_ms for f in families):8.1f} "
        f"{max(f.worst_ms for f in families):6.0f}  "
        + " ".join(f"{mean(f.checks_ms[check] for f in families):9.1f}" for check in checks)
    )
    print()
    for shortcut in shortcuts:
        print(
            f"{shortcut.what:44s} with {shortcut.with_ms:6.1f} ms, without {shortcut.without_ms:6.1f} ms a proof: "
            f"{shortcut.without_ms / shortcut.with_ms:.1f} times"
        )


def make(family: Family, index: int, profile: Profile) -> Task:
    """One task as a generation's candidates are made."""
    seed = f"speed {profile}"
    knobs = family.draw_knobs(derive_rng("knobs", family.name, seed, index), profile)
    return family.generate(seed, index, "train", knobs, "actions")


def generate_all(file: Path, count: int, profile: Profile) -> Stage:
    """Tasks written to a file, families taking turns."""
    wall, cpu = time.perf_counter(), time.process_time()
    with file.open("w", encoding="utf-8") as out:
        for number in range(count):
            task = make(FAMILIES[number % len(FAMILIES)], number // len(FAMILIES), profile)
            out.write(task_line(task) + "\n")
    return Stage("generated", count, time.perf_counter() - wall, time.process_time() - cpu, 1, GENERATE_S)


def prove_all(file: Path, count: int) -> Stage:
    """Tasks of a file proven in two processes."""
    wall, cpu = time.perf_counter(), _children_s()
    with (
        file.open(encoding="utf-8") as lines,
        ProcessPoolExecutor(CORES, multiprocessing.get_context("spawn"), initializer=gc.freeze) as pool,
    ):
        for batch in _batches(line.rstrip("\n") for line in lines):
            for _, failure in pool.map(prove_line, batch, chunksize=8):
                if failure is not None:
                    raise SystemExit(
                        f"{failure['task_id']} could not be proven ({failure['check']}): {failure['detail']}"
                    )
    return Stage("proven", count, time.perf_counter() - wall, _children_s() - cpu, CORES, PROVE_S)


def _batches(lines: Iterator[str], size: int = 512) -> Iterator[list[str]]:
    batch: list[str] = []
    for line in lines:
        batch.append(line)
        if len(batch) == size:
            yield batch
            batch = []
    yield batch


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_memory_mb() -> float:
    """Peak of this process plus that of the largest child for each of the cores."""
    own, child = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return (own + CORES * child) / 1024


def family_speed(family: Family, profile: Profile, count: int) -> FamilySpeed:
    """A family's tasks, generated and proven here one check at a time."""
    start = time.process_time()
    tasks = [make(family, index, profile) for index in range(count)]
    generated = time.process_time() - start
    checks: dict[str, float] = defaultdict(float)
    proofs = []
    for task in tasks:
        start = time.process_time()
        case = Case(task, APPS, base_of(task))
        checks["parsing"] += time.process_time() - start
        for name, check in case.checks().items():
            before = time.process_time()
            check()
            checks[name] += time.process_time() - before
        proofs.append((time.process_time() - start) * 1000)
    return FamilySpeed(
        name=family.name,
        tasks=count,
        per_s=count / generated,
        prove_ms=mean(proofs),
        worst_ms=max(proofs),
        calls=mean(len(task.reference) for task in tasks),
        characters=mean(len(canonical_json(_world(task))) for task in tasks),
        checks_ms={name: spent * 1000 / count for name, spent in checks.items()},
    )


def _world(task: Task) -> dict[str, Any]:
    return task.to_json()["world"]


def measure_shortcuts(profile: Profile, count: int = 2) -> list[Shortcut]:
    """Proofs with and without each shortcut, taking turns; both must count the same."""
    tasks = [make(family, index, profile) for family in FAMILIES for index in range(count)]
    spent: dict[type[Case], float] = defaultdict(float)
    kinds = [Case, ForgetfulCase, RepeatingCase]
    for task in tasks:
        proofs = [_proven(Case, task)[0]]  # whoever reads a text first pays for it
        for kind in kinds:
            proof, seconds = _proven(kind, task)
            proofs.append(proof)
            spent[kind] += seconds * 1000
        kinds.append(kinds.pop(0))
        assert all(proof == proofs[0] for proof in proofs), task.id
    ordinary = spent[Case] / len(tasks)
    return [
        Shortcut("what was found out about a row is kept", ordinary, spent[ForgetfulCase] / len(tasks)),
        Shortcut("hurried solutions go on from the reference's", ordinary, spent[RepeatingCase] / len(tasks)),
    ]


def _proven(kind: type[Case], task: Task) -> tuple[Proof, float]:
    """The proof, and seconds of processor time."""
    start = time.process_time()
    case = kind(task, APPS, base_of(task))
    for check in case.checks().values():
        check()
    return case.proof(), time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
