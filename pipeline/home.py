"""The home is the folder in the store where Dagster keeps its runs and events; nothing is reported to anybody."""

from __future__ import annotations

import logging
from pathlib import Path

import dagster as dg
import yaml

from assets.files import write_text
from assets.partitions import GENERATIONS
from pipeline.store import Store

HOME_VARIABLE = "DAGSTER_HOME"
LOG = "worldloom.log"
_SETTINGS = {
    "telemetry": {"enabled": False},
    "nux": {"enabled": False},
    # What packages log goes to the event log; copying the terminal would cost two processes a run.
    "python_logs": {
        "managed_python_loggers": ["calibration", "decontam", "environment", "evaluation", "generators", "training"],
        "python_log_level": "INFO",
    },
    "compute_logs": {
        "module": "dagster._core.storage.noop_compute_log_manager",
        "class": "NoOpComputeLogManager",
    },
}
"""Of Dagster: nothing is sent to anybody, and no dialog invites to anything."""


def dagster_home(root: Path) -> Path:
    """The home of a store, set up when it is not there yet."""
    home = root / ".dagster"
    settings = home / "dagster.yaml"
    if not settings.exists():
        write_text(settings, yaml.safe_dump(_SETTINGS))
    return home


def open_instance(store: Store, *further: str) -> dg.DagsterInstance:
    """Dagster's instance of a store, which knows every generation in it and the `further` keys."""
    instance = dg.DagsterInstance.from_config(str(dagster_home(store.root)))
    name = str(GENERATIONS.name)
    known = set(instance.get_dynamic_partitions(name))
    missing = [key for key in (*store.keys(), *further) if key not in known]
    if missing:
        instance.add_dynamic_partitions(name, missing)
    return instance


def log_to_file(root: Path) -> Path:
    """Sends what packages log to a file in the home: the terminal is for progress and results."""
    path = dagster_home(root) / LOG
    handler = logging.FileHandler(path)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.captureWarnings(True)
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # a line a request would bury all others
    return path
