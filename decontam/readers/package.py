"""The AutomationBench package is read in an interpreter of its own, which hands its tasks over line by line."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import IO, Any, NoReturn

from decontam.benchmark import BenchmarkTask
from decontam.readers.automationbench import task_of_row
from decontam.readers.lines import ROW_BYTES, strict_json
from decontam.readers.place import Place

PACKAGE = "automationbench"
_SCRIPT = Path(__file__).parent / "elsewhere" / "hand_over.py"
_REMEDY = "give with --python a Python 3.13 or newer that has the package automation-bench"
_TIMEOUT_S = 900
"""Many times what loading all tasks takes on a slow machine."""
_SHOWN = 160
"""Letters of an answer or an error that a message repeats."""


@dataclass(frozen=True, slots=True)
class Handed:
    """What the package handed over."""

    tasks: tuple[tuple[Place, BenchmarkTask], ...]
    version: str
    """Of the package."""


def package_tasks(python: Path) -> Handed:
    """The public tasks of the package that is installed for the interpreter `python`.

    Raises ValueError when there is no such interpreter, when the package isn't there or fails, and when anything but
    all its rows comes back.
    """
    interpreter, version, count = str(python), "", -1
    tasks: list[tuple[Place, BenchmarkTask]] = []
    with tempfile.TemporaryFile() as errors, _started(python, errors) as process:
        for line in _lines(process):
            match _answer(line):
                case {"python": str(found)}:
                    interpreter = f"{python} (Python {found})"
                case {"version": str(found)}:
                    version = found
                case {"rows": int(handed)}:
                    count = handed
                case {"row": row} if version:
                    place = Place(PACKAGE, "row", len(tasks) + 1)
                    tasks.append((place, task_of_row(row, place)))
                case _:
                    shown = line[:_SHOWN].decode(errors="replace").strip()
                    raise ValueError(f"{interpreter} answered {shown!r} instead of row {len(tasks) + 1}; {_REMEDY}")
        code = process.wait()
        if code or count != len(tasks):
            _refuse(interpreter, code, _last_line(errors), len(tasks))
    return Handed(tasks=tuple(tasks), version=version)


@contextmanager
def _started(python: Path, errors: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The hand-over at work; it ends with this block, and after the time limit."""
    surroundings = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
    try:
        process = subprocess.Popen(
            [str(python), str(_SCRIPT)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=surroundings,
        )
    except OSError as error:
        raise ValueError(f"{python} is no interpreter that can be started ({error.strerror}); {_REMEDY}") from None
    alarm = Timer(_TIMEOUT_S, process.kill)
    alarm.start()
    try:
        with process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.kill()
    finally:
        alarm.cancel()


def _lines(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    stream = process.stdout
    while stream is not None and (line := stream.readline(ROW_BYTES)):
        yield line


def _answer(line: bytes) -> Any:
    """What a line says; None for one that is no JSON of ours."""
    try:
        return strict_json(line.decode())
    except (ValueError, RecursionError):
        return None


def _last_line(errors: IO[bytes]) -> str:
    """What the interpreter complained about in the end."""
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return lines[-1].strip()[:_SHOWN] if lines else ""


def _refuse(interpreter: str, code: int, complaint: str, rows: int) -> NoReturn:
    """Raises ValueError with what happened before everything was handed over."""
    if f"No module named '{PACKAGE}'" in complaint:
        raise ValueError(f"{PACKAGE} is not installed in {interpreter}; {_REMEDY}")
    if code == -signal.SIGKILL:
        ended = f"was killed, or took more than {_TIMEOUT_S} s,"
    else:
        ended = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    reason = f" ({complaint})" if complaint else ""
    raise ValueError(f"{interpreter} {ended} after {rows} rows{reason}; {_REMEDY}")
