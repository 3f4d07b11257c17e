"""A benchmark is the set of public tasks that nothing we train on may overlap."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from environment.record import Record, content_hash

STAND_IN = Path(__file__).parent / "sample" / "automationbench_format.jsonl"


_IMPORT = re.compile(r"[a-z0-9][a-z0-9_-]*")


class BenchmarkTask(Record):
    """One public task."""

    name: str
    """`<domain>.<slug>`, unique in its benchmark."""
    domain: str
    prompt: str
    """The user's messages."""
    system: str = ""
    """The system message that a benchmark's tasks share."""
    initial_state: Mapping[str, JsonValue] = {}
    """app -> collections -> records; empty when the source doesn't tell."""
    tools: tuple[str, ...] = ()
    assertions: tuple[JsonValue, ...] = ()
    row: int
    """Line of the source, from 1."""
    benchmark: str = "automationbench"
    """Name of the import that it came with."""
    example_id: int | str | None = None
    other: Mapping[str, JsonValue] = {}
    """Keys of the row and of its info that have no place above."""


class BenchmarkSource(Record):
    """One import: where the tasks of one name came from."""

    name: str
    """Short, unique among the imports: `automationbench`."""
    source: str
    """Path or package that was read."""
    version: str
    """Of a package; the git commit of a folder; else `sha256:` and the hash of the file's bytes."""
    content_hash: str
    """Of the tasks sorted by name, whatever their order and spacing in the source."""
    counts: Mapping[str, int]
    """Domain -> tasks."""
    reader: str
    """What it was read as."""


class Benchmark(Record):
    """The tasks of one import or of several."""

    tasks: tuple[BenchmarkTask, ...]
    source: str
    """Where they were read from; several are joined by a comma."""
    content_hash: str
    """That of the only import, or of the hashes of several by name."""
    is_stand_in: bool
    """True for the few invented tasks shipped with this package; a delivery needs the real benchmark."""
    sources: tuple[BenchmarkSource, ...] = ()
    """The imports, in the order in which the engagement names them."""

    def key(self, task: BenchmarkTask) -> str:
        """What reports call a task: its name, after that of its benchmark where there are several."""
        return f"{task.benchmark}/{task.name}" if len(self.sources) > 1 else task.name

    def counts(self) -> dict[str, int]:
        """Tasks per domain, by name of domain."""
        return dict(sorted(Counter(task.domain for task in self.tasks).items()))


def is_import_name(text: str) -> bool:
    """Whether an import may be called so: unlike a path, it has no slash and no dot."""
    return _IMPORT.fullmatch(text) is not None


def tasks_hash(tasks: Iterable[BenchmarkTask]) -> str:
    """Hash of the tasks sorted by name, whatever they are called together and wherever each stood."""
    ordered = sorted(tasks, key=lambda task: task.name)
    return content_hash([task.model_dump(mode="json", exclude={"row", "benchmark"}) for task in ordered])


def united(benchmarks: Sequence[Benchmark]) -> Benchmark:
    """The tasks of all. Raises ValueError when two imports have one name, by which reports tell tasks apart."""
    if len(benchmarks) == 1:
        return benchmarks[0]
    sources = tuple(source for benchmark in benchmarks for source in benchmark.sources)
    named: dict[str, BenchmarkSource] = {}
    for source in sources:
        if other := named.get(source.name):
            raise ValueError(
                f"{other.source} and {source.source} are both called {source.name}; "
                "import one of them with another --name and name the import instead of the path"
            )
        named[source.name] = source
    return Benchmark(
        tasks=tuple(task for benchmark in benchmarks for task in benchmark.tasks),
        source=", ".join(source.source for source in sources),
        content_hash=content_hash({source.name: source.content_hash for source in sources}),
        is_stand_in=False,
        sources=sources,
    )
