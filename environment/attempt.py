"""An attempt is one rollout of a policy on a task with its verdict, or unscored with the infrastructure error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import model_validator

from environment.record import Record, content_hash

End = Literal["answered", "turn_limit", "token_limit", "context_overflow", "malformed"]
"""How an episode ended; everything but `answered` is an incomplete attempt."""
Failure = Literal[
    "connection",
    "timeout",
    "stalled",
    "rate_limited",
    "server_error",
    "malformed_response",
    "no_choices",
    "attempt_timeout",
    "bug",
]
"""What kept an attempt from being scored. In this order: refused or reset; no whole answer in time; silence within an
answer; 429; 5xx, 409, 425 or an error in mid-answer; half-written JSON or HTML; an answer of nothing; all calls of an
attempt together too slow; an exception of our own."""


class PolicyFingerprint(Record):
    """What produced the messages; attempts with different fingerprints are never pooled."""

    model: str
    revision: str
    """Commit or content hash of the weights."""
    adapter: str | None
    """Content hash of the LoRA adapter, None for the base."""
    sampling: Mapping[str, float | int | str]
    """Temperature, token limits and whatever else changes what is sampled."""
    prompt_hash: str
    """Hash of the system prompt and of the chat template."""
    toolset_hash: str
    """Hash of the tool specifications' source: toolset name and operations' schemas."""

    def key(self) -> str:
        """Sixteen hexadecimal digits that name this fingerprint in ledgers and file names."""
        return content_hash(self.to_json())[:16]


class RowChange(Record):
    """One row of the net difference between the initial world and the end state."""

    app: str
    collection: str
    id: str
    before: Mapping[str, Any] | None
    """None when the row was created."""
    after: Mapping[str, Any] | None
    """None when the row was deleted."""
    sent: bool = False
    """The row left the company (a mail, a post); it counts although it may have been deleted afterwards."""


class Judgement(Record):
    """What became of one expected change."""

    label: str
    satisfied: bool
    row_id: str | None
    """Row that was matched with it, None when none was."""
    wrong: tuple[str, ...] = ()
    """Paths whose value was not accepted."""


class Verdict(Record):
    """The judgement of an end state against the contract."""

    expected: tuple[Judgement, ...]
    collateral: tuple[str, ...]
    """Stray rows, as `app.collection/id (action)`, one entry a row."""
    strict: bool
    """Everything expected and no collateral."""
    partial_credit: float
    """satisfied / (expected + collateral), in [0, 1]; 0 when nothing expected was done."""


class Transcript(Record):
    """The ordered messages of a rollout in chat-completions form: system, user, assistant (with tool_calls), tool."""

    messages: tuple[Mapping[str, Any], ...]


class Attempt(Record):
    """One attempt; exactly one of `verdict` and `error` is given."""

    task_id: str
    number: int
    """0, 1, 2, ... among the attempts of one policy on one task."""
    policy: str
    """Key of the policy's fingerprint."""
    seed: int
    purpose: str
    """Why it was made: `calibration`, `audit`, `evaluation`, `monitor`, ..."""
    end: End | None
    verdict: Verdict | None
    transcript: Transcript | None
    changes: tuple[RowChange, ...] = ()
    error: str | None = None
    """The infrastructure error that left the attempt unscored."""
    failure: Failure | None = None
    """Its kind; None when scored, or where nobody could tell."""
    tokens_in: int = 0
    """Prompt tokens of all calls together, those read from a cache included."""
    tokens_cached: int = 0
    """Of `tokens_in`, those that the endpoint read from its prompt cache; 0 where it doesn't say."""
    tokens_out: int = 0
    """Tokens written, reasoning included."""
    calls: int = 0
    """Tool calls made."""
    model_s: float = 0.0
    tool_s: float = 0.0

    @model_validator(mode="after")
    def _scored_or_not(self) -> Attempt:
        if (self.verdict is None) == (self.error is None):
            raise ValueError(
                f"attempt {self.number} on {self.task_id} needs either a verdict or an error, not both or none"
            )
        if self.failure is not None and self.verdict is not None:
            raise ValueError(f"attempt {self.number} on {self.task_id} is scored, so nothing failed: leave failure out")
        return self

    @property
    def scored(self) -> bool:
        return self.verdict is not None
