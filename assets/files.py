"""An artifact's file is written whole under a temporary name, made durable, then renamed."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from assets.manifest import FileRecord, RowHash
from environment.record import Record, canonical_json

Kind = TypeVar("Kind", bound=Record)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], is_content: bool = True) -> FileRecord:
    """Writes one row a line; rows may be made one at a time."""
    return write_lines(path, map(canonical_json, rows), is_content)


def write_lines(path: Path, lines: Iterable[str], is_content: bool = True) -> FileRecord:
    """Writes rows that are canonical JSON already."""
    digest = RowHash()
    temporary = _temporary(path)
    with temporary.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(line + "\n")
            digest.add(line)
        _settle(file.fileno(), file.flush)
    _put(temporary, path)
    return FileRecord(hash=digest.hexdigest(), rows=len(digest), is_content=is_content)


def write_text(path: Path, text: str, is_content: bool = False) -> FileRecord:
    """Writes a text for people, or JSON."""
    temporary = _temporary(path)
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        _settle(file.fileno(), file.flush)
    _put(temporary, path)
    return file_record(path, is_content)


def write_table(path: Path, table: pa.Table) -> FileRecord:
    """Writes a Parquet file for people who ask in SQL; what it holds is content elsewhere."""
    temporary = _temporary(path)
    with temporary.open("wb") as file:
        pq.write_table(table, file, compression="zstd")
        _settle(file.fileno(), file.flush)
    _put(temporary, path)
    return file_record(path, is_content=False)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, one at a time."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def file_record(path: Path, is_content: bool) -> FileRecord:
    """What a file that is not made of rows holds."""
    return FileRecord(hash=file_hash(path), rows=None, is_content=is_content)


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _temporary(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.with_name(f".{path.name}.partial")


def _settle(descriptor: int, flush: Callable[[], None]) -> None:
    flush()
    os.fsync(descriptor)


def _put(temporary: Path, path: Path) -> None:
    temporary.rename(path)
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_record(path: Path, kind: type[Kind]) -> Kind:
    """The record in a JSON file. Raises ValueError when it isn't one, as when another version wrote it."""
    try:
        return kind.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{path} is missing although its manifest is there; restore it from a copy") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(
            f"{path} does not fit this version of the program ({'.'.join(map(str, first['loc']))}: {first['msg']}); "
            "read it with the version that wrote it, or start the next generation with --new"
        ) from None
