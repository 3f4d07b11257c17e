"""A stored import is a folder with the tasks of one benchmark as they were read, and where they came from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from decontam.benchmark import Benchmark, BenchmarkSource, BenchmarkTask
from decontam.readers.collected import collected
from decontam.readers.lines import json_lines
from decontam.readers.place import Place
from environment.record import Record

TASKS, STATEMENT = "tasks.jsonl", "import.json"


class ImportStatement(Record):
    """Beside the tasks: what was imported and when."""

    source: BenchmarkSource
    imported: str
    """ISO 8601, UTC."""


def read_statement(folder: Path) -> ImportStatement:
    """What is said about the import. Raises ValueError when the folder holds none."""
    path = folder / STATEMENT
    try:
        return ImportStatement.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"{folder} holds no import; make one with worldloom benchmark import") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(
            f"{path} does not fit this version of the program ({'.'.join(map(str, first['loc']))}: {first['msg']}); "
            "import the benchmark again with --replace"
        ) from None


def read_import(folder: Path) -> Benchmark:
    """The benchmark as it was imported. Raises ValueError when its tasks are no longer those."""
    stated = read_statement(folder).source
    found = collected(
        _tasks(folder / TASKS),
        name=stated.name,
        source=stated.source,
        version=stated.version,
        reader=stated.reader,
    )
    if found.content_hash != stated.content_hash:
        raise ValueError(
            f"{folder / TASKS} was altered since it was imported; import the benchmark again with --replace"
        )
    return found


def _tasks(path: Path) -> Iterator[tuple[Place, BenchmarkTask]]:
    for place, row in json_lines(path):
        try:
            yield place, BenchmarkTask.model_validate(row)
        except ValidationError as error:
            place.refuse(f"is no stored task ({error.errors()[0]['msg']}); import the benchmark again with --replace")
