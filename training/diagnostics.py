"""An update log is the record of one update: what was attempted, what it was worth and what the step looked like."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from environment.attempt import End
from environment.record import Record
from training.durable import append_durably, read_lines, write_durably

UPDATES = "updates.jsonl"
"""The log's name in a job's output folder."""


class UpdateLog(Record):
    """One line of `updates.jsonl`. Rates over no scored attempt are None."""

    update: int = Field(ge=1)
    task_ids: tuple[str, ...]
    attempts: int
    scored: int
    """Attempts with a verdict; the others met a bug of ours and moved nothing."""
    strict: int
    """Scored attempts that passed strictly."""
    partial_credit: float | None
    """Mean over the scored attempts."""
    reward_raw: float | None
    """Mean reward before penalties."""
    reward: float | None
    """Mean reward after penalties, from which advantages come."""
    zero_variance_share: float
    """Groups whose rewards are all equal: they teach nothing."""
    ends: Mapping[End, int]
    """How the scored attempts ended; all but `answered` are incomplete."""
    truncated_share: float
    """Attempts cut at the response or context limit."""
    clipped_share: float
    """Tokens whose probability ratio left the clip range; 0 when each batch is used for one step."""
    entropy: float
    """Of the sampled distribution, nats per token written by the model."""
    loss: float
    grad_norm: float
    """Before clipping."""
    learning_rate: float
    kl: float | None
    """Mean divergence from the base in nats per token; None when it is not part of the loss."""
    prompt_tokens: int
    """Of first prompts, counted once an attempt."""
    tool_tokens: int
    """Of tool results."""
    response_tokens: int
    """Written by the model."""
    turns: float
    """Mean responses an attempt."""
    generation_s: float
    """Seconds spent on attempts: responses and tools."""
    seconds: float
    """Of the whole update."""
    resumed: bool
    """This is the first update after the program was started on a checkpoint."""
    task_rewards: Mapping[str, float | None] = {}
    """Task id -> mean reward of its scored attempts after penalties, None when none was scored."""
    bugs: tuple[str, ...] = ()
    """Tracebacks of the unscored attempts, each once."""

    @property
    def incomplete_share(self) -> float | None:
        """Share of the scored attempts that ended without an answer."""
        return None if not self.scored else 1 - self.ends.get("answered", 0) / self.scored


def append_update(path: Path, log: UpdateLog) -> None:
    """Write one line and make it durable."""
    append_durably(path, log.model_dump_json())


def read_updates(path: Path) -> tuple[UpdateLog, ...]:
    """Every complete line of an `updates.jsonl`; none when it does not exist."""
    return tuple(UpdateLog.model_validate_json(line) for line in read_lines(path))


def truncate_updates(path: Path, last: int) -> None:
    """Drop every line after update `last`, so that updates that are made again count once."""
    kept = [log.model_dump_json() + "\n" for log in read_updates(path) if log.update <= last]
    write_durably(path, "".join(kept))
