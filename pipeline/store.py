"""The store keeps every generation's artifacts in folders of their own, immutable once their manifest is written."""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from assets.files import read_record, read_rows, write_text
from assets.generation import STAGES, Product
from assets.manifest import CodeVersion, Manifest
from decontam.benchmark import is_import_name
from environment.record import content_hash
from environment.rng import derive_seed
from pipeline.bad_input import BadInput
from pipeline.code_version import code_version
from pipeline.engagement import Engagement, load_engagement
from pipeline.imports import Imports
from pipeline.reuse import REUSED, copied, source_of

STORE_VARIABLE = "WORLDLOOM_STORE"
BENCHMARK_VARIABLE = "WORLDLOOM_BENCHMARK"
MANIFEST = "manifest.json"
_KEY = re.compile(r"(?P<name>.+)\.g(?P<number>[1-9][0-9]*)")


class Watcher(Protocol):
    """Whoever wants to see what is going on."""

    def progress(self, stage: str, done: int, total: int | None, detail: str) -> None:
        """A stage has come this far; `total` is None where nobody knows."""
        ...

    def finished(self, manifest: Manifest, was_stored: bool) -> None:
        """An artifact is there; it was already when `was_stored`."""
        ...


class Unwatched:
    """For whoever doesn't watch."""

    def progress(self, stage: str, done: int, total: int | None, detail: str) -> None:
        """Shows nothing."""

    def finished(self, manifest: Manifest, was_stored: bool) -> None:
        """Shows nothing."""


def store_root() -> Path:
    """Where the store lies: WORLDLOOM_STORE, or ./store. Raises BadInput where no folder can be."""
    root = Path(os.environ.get(STORE_VARIABLE) or "store").expanduser().resolve()
    for place in (root, *root.parents):
        if place.exists():
            if not place.is_dir():
                raise BadInput(f"{place} is a file, the store {root} needs a folder; set {STORE_VARIABLE} to another")
            break
    return root


class Store:
    """All generations under one root."""

    def __init__(self, root: Path, watcher: Watcher | None = None) -> None:
        self.root, self.watcher = root, watcher or Unwatched()
        self._held: dict[str, int] = {}
        """Lock files that this process holds, with how often they were asked for."""

    def open(self, key: str, run_id: str = "") -> StoredGeneration:
        """The generation with this partition key, begun now if it is the next one. Raises BadInput otherwise."""
        match = _KEY.fullmatch(key)
        if match is None:
            raise BadInput(f"{key!r} is not the key of a generation; give one such as laptop.g1")
        name, number = match["name"], int(match["number"])
        if number not in self.numbers(name):
            return self.begin(load_engagement(name), number, run_id)
        engagement = read_record(self._folder(name, number) / "engagement.json", Engagement)
        return StoredGeneration(self, engagement, number, run_id)

    def begin(self, engagement: Engagement, number: int, run_id: str) -> StoredGeneration:
        """Starts generation `number`, which must be the next one. Raises BadInput while another process does that."""
        self._refuse_gap(engagement.name, number)
        with self.locked(f"{engagement.name}.g{number}"):
            self._refuse_gap(engagement.name, number)
            folder = self._folder(engagement.name, number)
            write_text(folder / "engagement.json", engagement.model_dump_json(indent=1) + "\n")
        return StoredGeneration(self, engagement, number, run_id)

    def numbers(self, name: str) -> tuple[int, ...]:
        """Numbers of the engagement's generations that were begun."""
        folders = (self.root / name).glob("g*/engagement.json")
        return tuple(sorted(int(path.parent.name[1:]) for path in folders if path.parent.name[1:].isdigit()))

    @property
    def imports(self) -> Imports:
        """The benchmarks that `worldloom benchmark import` has put here."""
        return Imports(self.root / ".benchmarks")

    def benchmark_paths(self, engagement: Engagement) -> tuple[Path, ...]:
        """Where the engagement's benchmarks lie: those it names, else those of WORLDLOOM_BENCHMARK, else all imports.

        Raises BadInput when it names an import that isn't there.
        """
        if named := engagement.decontamination.benchmarks:
            return tuple(self.imports.folder(one) if is_import_name(one) else Path(one) for one in named)
        given = [part for part in os.environ.get(BENCHMARK_VARIABLE, "").split(os.pathsep) if part]
        if given:
            return tuple(Path(part).expanduser().resolve() for part in given)
        return tuple(self.imports.folder(name) for name in self.imports.names())

    def is_finished(self, key: str, stage: str) -> bool:
        """Whether a stage of a generation is done, whatever version wrote it."""
        name, _, number = key.rpartition(".g")
        return (self._folder(name, int(number)) / stage / MANIFEST).is_file()

    def newest(self, name: str) -> StoredGeneration | None:
        """The engagement's latest generation, None before the first."""
        numbers = self.numbers(name)
        return self.open(f"{name}.g{numbers[-1]}") if numbers else None

    def is_locked(self, key: str) -> bool:
        """Whether another process works on the generation now."""
        if key in self._held:
            return False
        try:
            descriptor = os.open(self._lock(key), os.O_RDONLY)  # whoever only looks may have a read-only store
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def keys(self) -> tuple[str, ...]:
        """Partition keys of everything in the store."""
        names = sorted(path.name for path in self.root.glob("*") if path.is_dir() and not path.name.startswith("."))
        return tuple(f"{name}.g{number}" for name in names for number in self.numbers(name))

    @contextmanager
    def locked(self, key: str) -> Iterator[None]:
        """Keeps other processes off a generation; the lock ends with this process, however that ends."""
        if key in self._held:
            yield
            return
        path = self._lock(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.read(descriptor, 100).decode().strip() or "unknown"
                raise BadInput(f"{key} is being worked on by process {holder}; wait for it or stop it") from None
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
            self._held[key] = descriptor
            yield
        finally:
            self._held.pop(key, None)
            os.close(descriptor)

    def _refuse_gap(self, name: str, number: int) -> None:
        following = max(self.numbers(name), default=0) + 1
        if number != following:
            raise BadInput(f"{name}.g{number} does not follow; the next generation is g{following}")

    def _lock(self, key: str) -> Path:
        name, _, number = key.rpartition(".g")
        return self._folder(name, int(number)) / "lock"

    def _folder(self, name: str, number: int) -> Path:
        return self.root / name / f"g{number}"


class StoredGeneration:
    """One generation in the store."""

    def __init__(self, store: Store, engagement: Engagement, number: int, run_id: str) -> None:
        self._store, self.engagement, self.number, self._run_id = store, engagement, number, run_id

    @property
    def key(self) -> str:
        return f"{self.engagement.name}.g{self.number}"

    @property
    def seed(self) -> str:
        """Sixteen hexadecimal digits of the hash of the engagement's seed and the generation's number."""
        return f"{derive_seed('generation', self.engagement.seed, self.number):016x}"

    @property
    def code(self) -> CodeVersion:
        return code_version()

    @property
    def root(self) -> Path:
        return self._store.root / self.engagement.name / f"g{self.number}"

    @property
    def benchmark_paths(self) -> tuple[Path, ...]:
        return self._store.benchmark_paths(self.engagement)

    def folder(self, stage: str, batch: int = 0) -> Path:
        return self.root / stage / f"batch-{batch + 1}" if batch else self.root / stage

    def is_finished(self, stage: str, batch: int = 0) -> bool:
        return (self.folder(stage, batch) / MANIFEST).is_file()

    def manifest(self, stage: str, batch: int = 0) -> Manifest:
        if not self.is_finished(stage, batch):
            raise BadInput(f"{stage} of {self.key} is not finished; run that stage first")
        return read_record(self.folder(stage, batch) / MANIFEST, Manifest)

    def batches(self, stage: str) -> tuple[int, ...]:
        found = (self.root / stage).glob(f"batch-*/{MANIFEST}")
        return tuple(sorted(int(path.parent.name.removeprefix("batch-")) - 1 for path in found))

    def rows(self, stage: str, file: str, batch: int = 0) -> Iterator[dict[str, Any]]:
        self.manifest(stage, batch)
        path = self.folder(stage, batch) / file
        if not path.is_file():
            raise BadInput(f"{path} is missing although its manifest is there; restore it from a copy")
        yield from read_rows(path)

    def produce(self, stage: str, make: Callable[[Path], Product], upstream: Sequence[str], batch: int = 0) -> Manifest:
        if self.is_finished(stage, batch):
            found = self.manifest(stage, batch)
            self._refuse_other_upstream(found)
            self._store.watcher.finished(found, was_stored=True)
            return found
        with self._store.locked(self.key):
            source = self._source(stage, batch)
            hashes = self._hashes(upstream) if source is None else dict(source.manifest(stage, batch).upstream)
            started, clock = datetime.now(UTC), time.monotonic()
            folder = self.folder(stage, batch)
            folder.mkdir(parents=True, exist_ok=True)
            product = make(folder) if source is None else copied(source, stage, batch, folder)
            manifest = Manifest(
                stage=stage,
                generation=self.key,
                batch=batch,
                content_hash=content_hash({n: file.hash for n, file in product.files.items() if file.is_content}),
                files=product.files,
                rows_in=product.rows_in,
                rows_out=product.rows_out,
                dropped={reason: count for reason, count in product.dropped.items() if count},
                facts=product.facts,
                seed=self.seed,
                engagement_hash=self.engagement.hash,
                upstream={**hashes, **self._hashes(product.also_upstream)},
                code=code_version(),
                run_id=self._run_id,
                started=started.isoformat(timespec="seconds"),
                finished=datetime.now(UTC).isoformat(timespec="seconds"),
                seconds=round(time.monotonic() - clock, 3),
            )
            write_text(folder / MANIFEST, manifest.model_dump_json(indent=1) + "\n")
            self._store.watcher.finished(manifest, was_stored=False)
            return manifest

    def earlier(self) -> tuple[str, ...]:
        name, policy = self.engagement.name, self.engagement.decontamination.earlier.generations
        own = [f"{name}.g{number}" for number in self._store.numbers(name) if number < self.number]
        found = [key for key in own if self._store.is_finished(key, "clean_tasks")]
        if policy == "same_engagement":
            return tuple(found)
        stored = self._store.keys()
        for key in (key for key in stored if key.rpartition(".g")[0] != name):
            delivered, locked = self._store.is_finished(key, "clean_tasks"), self._store.is_locked(key)
            if not (delivered or locked):
                continue
            if policy == "same_customer" and self._store.open(key).engagement.customer != self.engagement.customer:
                continue
            if not delivered:
                raise BadInput(
                    f"{key} is being worked on and its clean tasks are not finished, so that neither {self.key} nor it "
                    "would be held against the other; wait for it or stop it, then run the same command again"
                )
            found.append(key)
        return tuple(found)

    def other(self, key: str) -> StoredGeneration:
        known = self._store.keys()
        if key not in known:
            raise BadInput(f"{key} is no longer in {self._store.root}; restore it from a copy")
        return self._store.open(key, self._run_id)

    def tell(self, stage: str, done: int, total: int | None = None, detail: str = "") -> None:
        self._store.watcher.progress(stage, done, total, detail)

    def unfinished(self) -> tuple[str, ...]:
        """Stages without a manifest, in order."""
        return tuple(stage for stage in STAGES if not self.is_finished(stage))

    def _source(self, stage: str, batch: int) -> StoredGeneration | None:
        """The generation that this artifact is copied from; its clean tasks' further batches come before the first."""
        if stage not in REUSED or self.is_finished(REUSED[-1]):
            return None
        source = source_of(self._store, self.engagement)
        if source is not None and stage == REUSED[-1] and batch == 0:
            for number in source.batches(stage):
                for further in REUSED[1:]:
                    self.produce(further, _never_made, (), number)
        return source

    def _hashes(self, names: Sequence[str]) -> dict[str, str]:
        return {name: self.manifest(*artifact_named(name)).content_hash for name in names}

    def _refuse_other_upstream(self, manifest: Manifest) -> None:
        for name, expected in manifest.upstream.items():
            if self.manifest(*artifact_named(name)).content_hash != expected:
                raise BadInput(
                    f"{manifest.stage} of {self.key} was made from another {name} than the store holds now; "
                    "restore that one from a copy, or start the next generation with --new"
                )


def _never_made(folder: Path) -> Product:
    raise RuntimeError(f"{folder} was to be copied")


def artifact_named(name: str) -> tuple[str, int]:
    """Stage and batch of an artifact's name, such as `clean_tasks/batch-2`."""
    stage, _, batch = name.partition("/batch-")
    return stage, int(batch) - 1 if batch else 0
