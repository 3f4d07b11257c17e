"""A source is what a benchmark is read from; its kind is recognised from what it is, or said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from decontam.benchmark import STAND_IN, Benchmark, united
from decontam.readers.automationbench import automationbench_lines, is_automationbench_row
from decontam.readers.collected import collected, name_from
from decontam.readers.harbor import harbor_tasks, is_harbor
from decontam.readers.lines import json_lines
from decontam.readers.package import PACKAGE, package_tasks
from decontam.readers.parquet import parquet_rows
from decontam.readers.plain import Columns, tasks_of_rows
from decontam.readers.stored import STATEMENT, read_import
from decontam.readers.version import version_of_file, version_of_folder

Kind = Literal["automationbench", "harbor", "jsonl", "parquet"]


class Request(NamedTuple):
    """What somebody wants to be read, and how."""

    source: str
    """Path, or the name of the AutomationBench package."""
    kind: Kind | None = None
    """None for what is recognised."""
    name: str | None = None
    """None calls it after its source."""
    python: Path | None = None
    """Interpreter that has the package."""
    columns: Columns | None = None


PACKAGE_READER = "automationbench package"
_PARQUET = (".parquet", ".pq")


def load_benchmark(paths: Sequence[Path]) -> Benchmark:
    """All tasks of the sources or stored imports at `paths`; those of the stand-in when there are none."""
    if not paths:
        return stand_in()
    return united([read_import(path) if (path / STATEMENT).is_file() else read_source(path) for path in paths])


def stand_in() -> Benchmark:
    """A dozen invented tasks in AutomationBench's format, so that every stage has something to compare with."""
    found = read_source(STAND_IN, "automationbench", name="stand-in")
    sources = tuple(one.model_copy(update={"source": STAND_IN.name}) for one in found.sources)
    return found.model_copy(update={"source": STAND_IN.name, "sources": sources, "is_stand_in": True})


def read_source(
    path: Path, kind: Kind | None = None, name: str | None = None, columns: Columns | None = None
) -> Benchmark:
    """The benchmark in a file or folder, called `name` or after the path. Raises ValueError for what isn't one.

    `columns` are those of a plain table, and make a JSONL file be read as one.
    """
    if kind is None:
        kind = _kind(path, columns)
    if columns is not None and kind not in ("jsonl", "parquet"):
        raise ValueError(f"{path} is read as {kind}, which has no columns; leave out the column options")
    if kind == "harbor" and not is_harbor(path):
        raise ValueError(f"{path} holds no task folder; give a folder of folders with task.toml and instruction.md")
    match kind:
        case "automationbench":
            tasks = automationbench_lines(path)
        case "harbor":
            tasks = harbor_tasks(path)
        case "jsonl":
            tasks = tasks_of_rows(json_lines(path), columns or Columns())
        case "parquet":
            tasks = tasks_of_rows(parquet_rows(path, columns or Columns()), columns or Columns())
    named = name or name_from(path.resolve().name if path.is_dir() else path.resolve().stem) or "benchmark"
    found = list(tasks)
    version = version_of_folder(path) if path.is_dir() else version_of_file(path)
    return collected(found, name=named, source=str(path), version=version, reader=kind)


def read_requested(request: Request) -> Benchmark:
    """The benchmark that is asked for. Raises ValueError where its options don't go together, too."""
    path = Path(request.source).expanduser()
    if request.python is None:
        if request.source == PACKAGE and not path.exists():
            raise ValueError(f"there is no file {PACKAGE}; to read the package, give its interpreter with --python")
        return read_source(path, request.kind, request.name, request.columns)
    if request.source != PACKAGE:
        raise ValueError(
            f"--python reads the package {PACKAGE}, not {request.source}; name that, or leave --python out"
        )
    if request.kind not in (None, "automationbench") or request.columns:
        raise ValueError(f"--python reads the package {PACKAGE}; leave out --as and the column options")
    handed = package_tasks(request.python.expanduser())
    return collected(
        handed.tasks, name=request.name or PACKAGE, source=PACKAGE, version=handed.version, reader=PACKAGE_READER
    )


def _kind(path: Path, columns: Columns | None) -> Kind:
    """What a path looks like: by its ending, and a JSONL file by its first row."""
    if path.is_dir():
        return "harbor"
    if path.suffix.lower() in _PARQUET or _begins(path, b"PAR1"):
        return "parquet"
    if columns is not None:
        return "jsonl"
    for _, row in json_lines(path):
        return "automationbench" if is_automationbench_row(row) else "jsonl"
    return "automationbench"


def _begins(path: Path, mark: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(mark)) == mark
    except OSError:  # whoever reads the rows says what is wrong with the path
        return False
