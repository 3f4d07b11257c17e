"""The training program: `python -m training.grpo --config JOB.json` trains a LoRA adapter with GRPO.

The configuration is a `TrainingJob`. Started again after an interruption it goes on from the last checkpoint. Under
Dagster Pipes it also reports each update to the asset that started it. Exit codes: 0 done, 2 bad input, 130
interrupted and resumable.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from training.diagnostics import UpdateLog
from training.monitor import MonitorLog
from training.settings import TrainingJob

logger = logging.getLogger("training.grpo")

_SURROUNDINGS = {
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
"""What the libraries read when they are imported."""


def main() -> int:
    """Run the program on the command line's arguments and say its exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.grpo", description=__doc__.splitlines()[0])
    parser.add_argument("--config", type=Path, required=True, metavar="JOB.json", help="a TrainingJob as JSON")
    path = parser.parse_args().config
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        job = TrainingJob.model_validate_json(path.read_text(encoding="utf-8"))
        _prepare(job)
        from training.learning import learn  # seconds of imports, and the surroundings come first

        with _reporting() as report:
            learn(job, report)
    except (ValueError, FileNotFoundError) as error:
        logger.error("%s", error)
        return 2
    except KeyboardInterrupt:
        logger.info("interrupted; the same command goes on from the last checkpoint")
        return 130
    return 0


def _prepare(job: TrainingJob) -> None:
    for name, value in _SURROUNDINGS.items():
        os.environ.setdefault(name, value)
    if job.settings.generation == "in_process":
        # A model small enough to be trained in process is slowed down by a second thread.
        os.environ.setdefault("OMP_NUM_THREADS", "1")


@contextmanager
def _reporting() -> Iterator[Callable[[UpdateLog | MonitorLog], None]]:
    """What to do with each update: say it in the log and, under Dagster, report it to the asset."""
    if "DAGSTER_PIPES_CONTEXT" not in os.environ:
        yield lambda log: logger.info("%s", sentence(log))
        return
    from dagster_pipes import open_dagster_pipes

    with open_dagster_pipes() as pipes:

        def report(log: UpdateLog | MonitorLog) -> None:
            pipes.log.info(sentence(log))
            pipes.report_custom_message(log.to_json())

        yield report


def sentence(log: UpdateLog | MonitorLog) -> str:
    """One line of either log in words."""
    if isinstance(log, MonitorLog):
        return f"monitor after update {log.update}: {log.strict} of {log.scored} strict, {log.decision}: {log.reason}"
    worth = "nothing scored" if log.reward is None else f"reward {log.reward:.3f} (raw {log.reward_raw:.3f})"
    return (
        f"update {log.update}: {worth}, {log.strict} of {log.scored} strict, entropy {log.entropy:.3f} nats, "
        f"{log.zero_variance_share:.0%} of groups equal, {log.truncated_share:.0%} truncated, {log.seconds:.1f} s"
    )


if __name__ == "__main__":
    sys.exit(main())
