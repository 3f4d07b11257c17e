"""A scripted policy plays calls that were written down; it is for proofs and tests, and its name says so."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from environment.attempt import PolicyFingerprint
from environment.policies.policy import Completion
from environment.record import content_hash
from environment.task import ToolCall


class ScriptedPolicy:
    """Makes the given calls one a turn, then answers; its place in the script is read off the chat."""

    def __init__(self, name: str, calls: Sequence[ToolCall], answer: str = "Done.") -> None:
        self._name, self._calls, self._answer = name, tuple(calls), answer

    @property
    def fingerprint(self) -> PolicyFingerprint:
        return PolicyFingerprint(
            model=f"scripted:{self._name}",
            revision=content_hash([call.to_json() for call in self._calls])[:16],
            adapter=None,
            sampling={},
            prompt_hash="",
            toolset_hash="",
        )

    async def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], seed: int
    ) -> Completion:
        turn = sum(message["role"] == "assistant" for message in messages)
        if turn >= len(self._calls):
            return Completion({"role": "assistant", "content": self._answer}, "stop", 0, 0, 0.0)
        return Completion(call_message(self._calls[turn], turn), "tool_calls", 0, 0, 0.0)


def call_message(call: ToolCall, number: int) -> dict[str, Any]:
    """The assistant message that makes one call; `number` makes its id."""
    function = {"name": call.tool, "arguments": json.dumps(dict(call.arguments), ensure_ascii=False)}
    tool_calls = [{"id": f"call_{number}", "type": "function", "function": function}]
    return {"role": "assistant", "content": "", "tool_calls": tool_calls}
