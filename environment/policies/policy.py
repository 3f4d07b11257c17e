"""A policy is what produces the agent's messages: chat history and tools in, one assistant message out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from environment.attempt import Failure, PolicyFingerprint


class InfraError(Exception):
    """A sampler or machine failed; the attempt becomes unscored, never a failure of the model."""

    def __init__(self, sentence: str, kind: Failure = "connection") -> None:
        super().__init__(sentence)
        self.kind = kind


class ConfigurationError(ValueError):
    """An endpoint refuses everybody (wrong key, wrong model, wrong request): the whole job stops with the remedy."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a policy."""

    message: Mapping[str, Any]
    """Assistant message in chat-completions form: `content`, and `tool_calls` when it calls tools."""
    finish: Literal["stop", "tool_calls", "length", "context", "malformed"]
    """`length`: response token limit; `context`: the prompt no longer fits; `malformed`: an unreadable call."""
    tokens_in: int
    tokens_out: int
    seconds: float
    """Time that the model took."""
    tokens_cached: int = 0
    """Of `tokens_in`, those read from a prompt cache."""


class Policy(Protocol):
    """Anything that can answer a chat with tools."""

    @property
    def fingerprint(self) -> PolicyFingerprint:
        """What attempts of this policy are keyed by."""
        ...

    async def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], seed: int
    ) -> Completion:
        """The next assistant message. Raises InfraError if there is none now, ConfigurationError if there never is."""
        ...
