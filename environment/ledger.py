"""A ledger keeps every attempt and every plan of attempts on disk, durable the moment they exist.

Plans are stored before anything is sampled. A finished attempt is one line of a segment, a JSONL file of the process
that made it; after a round the segments are compacted into an immutable Parquet part. Attempts are keyed by policy,
task and number: what a killed process had not finished is attempted again under the same number and seed.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from pydantic import model_validator

from environment.attempt import Attempt, Failure
from environment.record import Record, canonical_json
from environment.rng import derive_seed

Key = tuple[str, str, int]
"""Policy, task id, number."""

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_GROUP_BYTES = 8_000_000
"""Attempts that are held in memory at once while a part is written."""
_READ_ROWS = 8
"""Attempts that are held in memory at once while a part is read."""


class PlannedAttempt(Record):
    """An attempt that is to be made."""

    task_id: str
    number: int
    seed: int
    priority: float | None = None
    """What made the planner choose it, where it has such a number."""


class Plan(Record):
    """The attempts of one round, stored before the first of them is made."""

    purpose: str
    policy: str
    """Key of the policy's fingerprint."""
    round: int
    attempts: tuple[PlannedAttempt, ...]
    basis: Mapping[str, Any] = {}
    """What the plan was computed from, for whoever audits it later."""

    @model_validator(mode="after")
    def _names_are_plain_and_attempts_differ(self) -> Plan:
        for name in (self.purpose, self.policy):
            if not _NAME.fullmatch(name):
                raise ValueError(
                    f"a plan is stored under its purpose and policy, {name!r} cannot be part of a file name"
                )
        if len({(planned.task_id, planned.number) for planned in self.attempts}) < len(self.attempts):
            raise ValueError(f"round {self.round} of {self.purpose} plans an attempt twice; number them apart")
        return self


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """What the ledger keeps in memory of an attempt; the rest is read from disk when asked for."""

    task_id: str
    number: int
    policy: str
    seed: int
    purpose: str
    strict: bool | None
    """None when unscored."""
    partial_credit: float | None
    """None when unscored."""
    tokens_in: int
    tokens_out: int
    tokens_cached: int = 0
    failure: Failure | None = None
    """Kind of the error that left it unscored."""

    @property
    def scored(self) -> bool:
        return self.strict is not None

    @property
    def key(self) -> Key:
        return (self.policy, self.task_id, self.number)


_LINE_COLUMNS = tuple(field.name for field in fields(AttemptLine))


class Ledger:
    """The ledger in one folder, which is created when it is not there. One process at a time should write a key."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for part in ("plans", "segments", "parts"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        self._lines: dict[Key, AttemptLine] = {}
        self._next_numbers: dict[tuple[str, str], int] = {}
        self._compacted: dict[Path, set[Key]] = {}
        """What the parts read so far hold; a part never changes."""
        self._segment: int | None = None
        """Descriptor of this process's segment, None before the first attempt."""
        self._segment_path = Path()
        with self._locked():
            self._read_new_parts()
            for path in self._segments():
                for _, _, data in _read_segment(path):
                    self._remember(line_of_json(data))

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of this process's segment, which a later compaction may then take up."""
        if self._segment is not None:
            os.close(self._segment)
            self._segment = None

    def store_plan(self, plan: Plan) -> None:
        """Stores `plan`; storing it again changes nothing. Raises ValueError when another one has its place."""
        path = self._folder / "plans" / f"{plan.purpose}.{plan.policy}.{plan.round:05d}.json"
        text = canonical_json(plan.to_json())
        if path.exists():
            if path.read_text() != text:
                raise ValueError(
                    f"round {plan.round} of {plan.purpose} by {plan.policy} already has another plan in {path}; "
                    "a stored plan is never replaced, resume it or start a new ledger"
                )
            return
        _write_whole(path, lambda temporary: temporary.write_text(text))

    def plans(self, policy: str, purpose: str) -> tuple[Plan, ...]:
        """The plans of a policy and purpose by round."""
        paths = sorted((self._folder / "plans").glob(f"{purpose}.{policy}.[0-9]*.json"))
        return tuple(Plan.model_validate_json(path.read_text()) for path in paths)

    def pending(self, plan: Plan) -> tuple[PlannedAttempt, ...]:
        """What of `plan` is neither scored nor unscored yet, in the order of the plan."""
        return tuple(
            planned for planned in plan.attempts if (plan.policy, planned.task_id, planned.number) not in self._lines
        )

    def append(self, attempt: Attempt) -> bool:
        """Makes `attempt` durable before it returns; False when its key is there already and nothing was written.

        Raises OSError when the disk refuses it, the ledger being as it was before.
        """
        data = attempt.to_json()
        line = line_of_json(data)
        if line.key in self._lines:
            return False
        segment = self._open_segment() if self._segment is None else self._segment
        _append_durably(segment, self._segment_path, data)
        self._remember(line)
        return True

    def compact(self) -> None:
        """Moves the segments of this process and of processes that are gone into one new immutable part.

        Raises OSError when the disk refuses it, the ledger being as it was before.
        """
        self.close()
        with self._locked():
            free = [(path, descriptor) for path in self._segments() if (descriptor := _take(path)) is not None]
            if not free:
                return
            self._read_new_parts()
            kept = set().union(*self._compacted.values())
            places: dict[Key, _Place] = {}
            for path, _ in free:
                for start, size, data in _read_segment(path):
                    line = line_of_json(data)
                    if line.key not in kept:
                        places.setdefault(line.key, _Place(line, path, start, size))
            if places:
                number = max(_last_number(self._parts()) + 1, _last_number(path for path, _ in free))
                path = self._folder / "parts" / f"part-{number:06d}.parquet"
                _write_whole(path, lambda temporary: _write_part(temporary, [places[key] for key in sorted(places)]))
                self._compacted[path] = set(places)
            for path, descriptor in free:
                path.unlink()
                os.close(descriptor)

    def lines(self, policy: str, purpose: str | None = None) -> tuple[AttemptLine, ...]:
        """One policy's attempts, of one purpose or of all, by task and number: policies are never pooled."""
        chosen = [line for line in self._lines.values() if line.policy == policy and purpose in (None, line.purpose)]
        return tuple(sorted(chosen, key=lambda line: line.key))

    def attempts(self, policy: str, purpose: str | None = None) -> Iterator[Attempt]:
        """The whole attempts, transcripts included, part by part: within a part by task and number."""
        seen: set[Key] = set()
        for text in self._texts():
            data = json.loads(text)
            key = (data["policy"], data["task_id"], data["number"])
            if key not in seen and data["policy"] == policy and purpose in (None, data["purpose"]):
                seen.add(key)
                yield Attempt.model_validate(data)

    def next_attempts(
        self, policy: str, task_id: str, count: int, seed: str, priority: float | None = None
    ) -> tuple[PlannedAttempt, ...]:
        """`count` further attempts on a task, under numbers that none of the policy has, whatever its purpose.

        Each has a sampling seed of its own, derived from `seed`, the task and the number and below 2^31.
        """
        first = self._next_numbers.get((policy, task_id), 0)
        return tuple(
            PlannedAttempt(
                task_id=task_id,
                number=number,
                seed=derive_seed("attempt", seed, task_id, number) % 2**31,
                priority=priority,
            )
            for number in range(first, first + count)
        )

    def policies(self) -> tuple[str, ...]:
        """Keys of all policies that have attempts here."""
        return tuple(sorted({line.policy for line in self._lines.values()}))

    def _read_new_parts(self) -> None:
        for path in self._parts():
            if path not in self._compacted:
                lines = lines_of_part(path)
                self._compacted[path] = {line.key for line in lines}
                for line in lines:
                    self._remember(line)

    def _remember(self, line: AttemptLine) -> None:
        if line.key not in self._lines:
            self._lines[line.key] = line
            owner = (line.policy, line.task_id)
            self._next_numbers[owner] = max(self._next_numbers.get(owner, 0), line.number + 1)

    def _texts(self) -> Iterator[str]:
        for path in self._parts():
            yield from _texts_of_part(path)
        for path in self._segments():
            for start, size, _ in _read_segment(path):
                yield _text_at(path, start, size)

    def _parts(self) -> list[Path]:
        return sorted((self._folder / "parts").glob("part-*.parquet"))

    def _segments(self) -> list[Path]:
        return sorted((self._folder / "segments").glob("segment-*.jsonl"))

    def _open_segment(self) -> int:
        """Creates a segment that is this process's own: it holds a lock on it for as long as it lives.

        A part has at least the number of every segment in it and no segment begins below that, so that a name is not
        given again: whoever watches knows by the name how much of a segment was read.
        """
        with self._locked():
            number = 1 + _last_number([*self._segments(), *self._parts()])
            self._segment_path = self._folder / "segments" / f"segment-{number:06d}.jsonl"
            descriptor = os.open(self._segment_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            _sync_folder(self._segment_path.parent)
            self._segment = descriptor
            return descriptor

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keeps other processes from listing, creating or compacting files meanwhile."""
        descriptor = os.open(self._folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


AttemptMany = Callable[[Sequence[PlannedAttempt], str, Callable[[Attempt], None]], Awaitable[None]]
"""Makes the planned attempts for a purpose and hands each on as soon as it is finished."""


async def carry_out(
    plan: Plan, ledger: Ledger, attempt_many: AttemptMany, on_attempt: Callable[[Attempt], None] | None = None
) -> None:
    """Makes what of `plan` is pending, each attempt durable before `on_attempt` sees it, then compacts the ledger.

    Raises OSError when the disk refuses an attempt and RuntimeError when `attempt_many` returns with some not made.
    """

    def keep(attempt: Attempt) -> None:
        if attempt.policy != plan.policy:
            raise ValueError(
                f"round {plan.round} is for policy {plan.policy}, {attempt.task_id} was attempted by {attempt.policy}; "
                "start the policy that was asked for, or make a plan for the other one"
            )
        ledger.append(attempt)
        if on_attempt is not None:
            on_attempt(attempt)

    ledger.store_plan(plan)
    pending = ledger.pending(plan)
    if pending:
        try:
            await attempt_many(pending, plan.purpose, keep)
        except* OSError as refused:
            raise refused.exceptions[0] from None
        except* ValueError as refused:
            raise refused.exceptions[0] from None
    left = ledger.pending(plan)
    if left:
        raise RuntimeError(
            f"{len(left)} attempts of round {plan.round} of {plan.purpose} were never handed on: {left[0]}"
        )
    ledger.compact()


def line_of_json(data: Mapping[str, Any]) -> AttemptLine:
    """The line of an attempt given as JSON data."""
    verdict = data["verdict"]
    return AttemptLine(
        task_id=data["task_id"],
        number=data["number"],
        policy=data["policy"],
        seed=data["seed"],
        purpose=data["purpose"],
        strict=None if verdict is None else verdict["strict"],
        partial_credit=None if verdict is None else verdict["partial_credit"],
        tokens_in=data["tokens_in"],
        tokens_out=data["tokens_out"],
        tokens_cached=data.get("tokens_cached", 0),
        failure=data.get("failure"),
    )


def lines_of_part(path: Path) -> list[AttemptLine]:
    """The lines of the attempts in a compacted part."""
    rows = _read_part(path, _LINE_COLUMNS)
    return [AttemptLine(**{name: row[name] for name in _LINE_COLUMNS if name in row}) for row in rows]


def _last_number(paths: Iterable[Path]) -> int:
    """Greatest number of segments or parts, 0 where there are none."""
    return max((int(path.stem.rpartition("-")[2]) for path in paths), default=0)


def _append_durably(descriptor: int, path: Path, data: Mapping[str, Any]) -> None:
    line = memoryview((canonical_json(data) + "\n").encode())
    size = os.fstat(descriptor).st_size
    try:
        while line:
            line = line[os.write(descriptor, line) :]
        os.fsync(descriptor)
    except OSError as error:
        os.ftruncate(descriptor, size)
        raise OSError(
            error.errno,
            f"the attempt could not be written ({error.strerror}); every earlier one is safe: make room and resume",
            str(path),
        ) from error


def _take(path: Path) -> int | None:
    """A locked descriptor of a segment that no living process writes to, else None."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the text of an attempt lies: transcripts are long, so a round's are never in memory together."""

    line: AttemptLine
    segment: Path
    start: int
    size: int


def _read_segment(path: Path) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Where each line of a segment begins, its size, and what it says.

    A damaged last one was being written when its process ended: that attempt is not done.
    """
    with path.open("rb") as segment:
        start = number = 0
        while (line := segment.readline()).endswith(b"\n"):
            number += 1
            try:
                data = json.loads(line)
            except ValueError as error:
                if not segment.peek(1):
                    return
                raise ValueError(
                    f"line {number} of {path} is not JSON although others follow it; restore the file from a copy"
                ) from error
            yield start, len(line) - 1, data
            start += len(line)


def _text_at(path: Path, start: int, size: int) -> str:
    with path.open("rb") as segment:
        segment.seek(start)
        return segment.read(size).decode()


def _write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Writes a file under a temporary name, makes it durable, then renames it: it is there whole or not at all."""
    temporary = path.with_name(f".{path.name}.partial")
    try:
        write(temporary)
        descriptor = os.open(temporary, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.rename(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise OSError(
            error.errno,
            f"the file could not be written ({error.strerror or error}); nothing is lost: make room and resume",
            str(path),
        ) from error
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_part(path: Path, places: Sequence[_Place]) -> None:
    import pyarrow as pa  # not when Dagster loads the code location
    import pyarrow.parquet as pq

    types = {"number": pa.int64(), "seed": pa.uint64(), "strict": pa.bool_(), "partial_credit": pa.float64()}
    types |= {"tokens_in": pa.int64(), "tokens_out": pa.int64(), "tokens_cached": pa.int64()}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in (*_LINE_COLUMNS, "attempt")])
    with pq.ParquetWriter(path, schema, compression="zstd") as part:
        rows: list[dict[str, Any]] = []
        held = 0
        for place in places:
            rows.append({**asdict(place.line), "attempt": _text_at(place.segment, place.start, place.size)})
            held += place.size
            if held > _GROUP_BYTES or place is places[-1]:
                part.write_table(pa.Table.from_pylist(rows, schema=schema))
                rows, held = [], 0


def _texts_of_part(path: Path) -> Iterator[str]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as part:
        for batch in part.iter_batches(batch_size=_READ_ROWS, columns=["attempt"], use_threads=False):
            yield from batch.column(0).to_pylist()


def _read_part(path: Path, columns: Sequence[str]) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    part = pq.ParquetFile(path)  # one of an earlier version lacks the columns that came later
    known = [name for name in columns if name in part.schema_arrow.names]
    return part.read(columns=known, use_threads=False).to_pylist()
