"""Imports are the benchmarks that a store keeps, each in a folder under its name, as they were when they were read."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from assets.files import write_rows, write_text
from decontam.benchmark import Benchmark, BenchmarkSource
from decontam.readers.stored import STATEMENT, TASKS, ImportStatement, read_import, read_statement
from decontam.scored_set import shortfall
from environment.record import Record
from pipeline.bad_input import BadInput

Outcome = Literal["kept", "replaced", "already there"]


class StoredImport(Record):
    """One import."""

    source: BenchmarkSource
    imported: str
    """ISO 8601, UTC."""
    folder: str
    shortfall: str | None
    """What it lacks of what it should hold."""


class Imports:
    """The imports of one store."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def names(self) -> tuple[str, ...]:
        """In alphabetical order."""
        found = (path.parent.name for path in self.root.glob(f"*/{STATEMENT}"))
        return tuple(sorted(name for name in found if not name.startswith(".")))

    def folder(self, name: str) -> Path:
        """Where an import lies. Raises BadInput for one that isn't there."""
        if name not in self.names():
            listed = ", ".join(self.names()) or "none"
            raise BadInput(
                f"no benchmark {name!r} is imported in {self.root.parent}, there is {listed}; "
                "import it with worldloom benchmark import, or give a path with a slash or a dot in it"
            )
        return self.root / name

    def find(self, name: str) -> StoredImport:
        """What is known of an import. Raises BadInput for one that isn't there."""
        folder = self.folder(name)
        statement = read_statement(folder)
        source = statement.source
        return StoredImport(source=source, imported=statement.imported, folder=str(folder), shortfall=shortfall(source))

    def keep(self, benchmark: Benchmark, *, replace: bool) -> Outcome:
        """Stores a benchmark of one source, whole or not at all; one with the same tasks is left as it is.

        Raises BadInput when another one has its name and is not to be replaced.
        """
        (source,) = benchmark.sources
        folder = self.root / source.name
        is_there = folder.exists()
        if is_there and not replace:
            stored = read_import(folder)
            if stored.content_hash == benchmark.content_hash:
                return "already there"
            raise BadInput(
                f"{source.name} is imported already with other content ({len(stored.tasks)} tasks of "
                f"{stored.sources[0].source}, {stored.sources[0].version}); replace it with --replace or give "
                "this one another --name"
            )
        partial = self.root / f".{source.name}.{os.getpid()}"
        shutil.rmtree(partial, ignore_errors=True)
        write_rows(partial / TASKS, (task.to_json() for task in benchmark.tasks))
        statement = ImportStatement(source=source, imported=datetime.now(UTC).isoformat(timespec="seconds"))
        write_text(partial / STATEMENT, statement.model_dump_json(indent=1) + "\n")
        if is_there:
            former = self.root / f".{source.name}.{os.getpid()}.former"
            folder.rename(former)
            partial.rename(folder)
            shutil.rmtree(former)
        else:
            partial.rename(folder)
        return "replaced" if is_there else "kept"
