"""The training stage runs the training program on the selected tasks and keeps the adapter that comes out."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assets.files import file_record, read_record, write_rows, write_text
from assets.generation import FellShort, Generation, Product, tasks_of
from assets.manifest import Manifest
from assets.stages.cleaning import STAGE as CLEAN
from assets.stages.sampling import weights_folder
from assets.stages.selecting import STAGE as TRAINING_SET
from assets.stages.supply import batch_names
from training.diagnostics import UPDATES, UpdateLog, read_updates
from training.monitor import MONITOR, MonitorLog, read_monitor
from training.plan import PLAN, UpdatePlan
from training.result import ADAPTER, TrainingResult, read_result
from training.settings import TrainingJob

STAGE = "lora_adapter"
_JOB = "job.json"
_MONITORED = "monitored.jsonl"
_LOG = "training.log"
_POLL_S = 0.5

RunCommand = Callable[[Sequence[str]], None]
"""Runs a command to its end, whatever that is."""


def train_adapter(generation: Generation, run: RunCommand) -> Manifest:
    """The adapter after all updates; killed at any moment, it goes on from the last checkpoint.

    Raises FellShort with the program's last words when it ends without a result.
    """

    def make(folder: Path) -> Product:
        engagement = generation.engagement
        monitored = engagement.training.monitor is not None
        if monitored:
            write_rows(
                folder / _MONITORED, (t.to_json() for t in tasks_of(generation, CLEAN) if t.split == "development")
            )
        job = TrainingJob(
            model=weights_folder(engagement.target).resolve(),
            tasks=generation.folder(TRAINING_SET) / "tasks.jsonl",
            monitor_tasks=folder / _MONITORED if monitored else None,
            output=folder,
            seed=generation.seed,
            settings=engagement.training,
        )
        write_text(folder / _JOB, job.model_dump_json(indent=1))
        with _watched(generation, folder, engagement.training.updates):
            run(
                [
                    sys.executable,
                    "-m",
                    "assets.tether",
                    str(folder / _LOG),
                    "training.grpo",
                    "--config",
                    str(folder / _JOB),
                ]
            )
        result = read_result(folder)
        if result is None:
            raise FellShort(f"the training program ended without a result: {_last_words(folder / _LOG)}")
        return _product(generation, folder, result)

    return generation.produce(STAGE, make, upstream=(TRAINING_SET, *batch_names(generation)))


def read_adapter(generation: Generation) -> tuple[Path, str]:
    """Folder of the adapter, with the hash of its weights."""
    return generation.folder(STAGE) / ADAPTER, str(generation.manifest(STAGE).facts["adapter_sha256"])


def updates_of(generation: Generation) -> tuple[UpdateLog, ...]:
    """The log of every update."""
    generation.manifest(STAGE)
    return read_updates(generation.folder(STAGE) / UPDATES)


def monitor_of(generation: Generation) -> tuple[MonitorLog, ...]:
    """The measurements on the development tasks, none where the engagement wants none."""
    generation.manifest(STAGE)
    return read_monitor(generation.folder(STAGE) / MONITOR)


def plan_of(generation: Generation) -> UpdatePlan:
    """Which tasks each update attempted."""
    generation.manifest(STAGE)
    return read_record(generation.folder(STAGE) / PLAN, UpdatePlan)


def _product(generation: Generation, folder: Path, result: TrainingResult) -> Product:
    updates = read_updates(folder / UPDATES)
    selected = generation.manifest(TRAINING_SET).rows_out
    used = len({task_id for update in updates for task_id in update.task_ids})
    attempts, scored = sum(update.attempts for update in updates), sum(update.scored for update in updates)
    logs = [folder / name for name in (UPDATES, MONITOR) if (folder / name).exists()]
    adapter = sorted(path for path in (folder / ADAPTER).iterdir() if path.is_file())
    return Product(
        files={
            PLAN: file_record(folder / PLAN, is_content=True),
            **{path.name: file_record(path, is_content=False) for path in logs},
            **{f"{ADAPTER}/{path.name}": file_record(path, path.suffix == ".safetensors") for path in adapter},
        },
        rows_in=selected,
        rows_out=used,
        dropped={"not_reached": selected - used},
        facts={
            "adapter_sha256": result.adapter_sha256,
            "updates": result.updates,
            "stopped": result.stopped,
            "attempts": attempts,
            "unscored": attempts - scored,
            "response_tokens": sum(update.response_tokens for update in updates),
            "resumed": sum(update.resumed for update in updates),
            "training_s": round(sum(update.seconds for update in updates), 1),
        },
    )


def _last_words(log: Path) -> str:
    lines = [line for line in log.read_text(encoding="utf-8").splitlines() if line.strip()] if log.exists() else []
    return f"{lines[-1] if lines else 'it said nothing'} (see {log}; run again to go on from the last checkpoint)"


@contextmanager
def _watched(generation: Generation, folder: Path, updates: int) -> Iterator[None]:
    """Shows the updates as they are logged."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_POLL_S):
            logs = read_updates(folder / UPDATES)
            if logs:
                worth = "nothing scored" if logs[-1].reward is None else f"reward {logs[-1].reward:.2f}"
                generation.tell(STAGE, len(logs), updates, f"updates, {worth}, entropy {logs[-1].entropy:.2f}")

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
