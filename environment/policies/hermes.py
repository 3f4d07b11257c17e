"""The Hermes form of tool calls, as Qwen3 models write them: JSON between `<tool_call>` tags."""

from __future__ import annotations

import json
import re
from typing import Any

_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


class UnreadableCall(ValueError):
    """A tool call that was begun but is not JSON with a name and arguments."""


def parse_message(text: str) -> dict[str, Any]:
    """The assistant message that a response text stands for, arguments as JSON text.

    Raises UnreadableCall when a call is begun and cannot be read.
    """
    bodies = _CALL.findall(text)
    if len(bodies) != text.count("<tool_call>"):
        raise UnreadableCall("a tool call has no end")
    content = _CALL.sub("", text).strip()
    if not bodies:
        return {"role": "assistant", "content": content}
    return {"role": "assistant", "content": content, "tool_calls": [_call(body, i) for i, body in enumerate(bodies)]}


def _call(body: str, number: int) -> dict[str, Any]:
    try:
        call = json.loads(body)
        name, arguments = call["name"], call["arguments"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UnreadableCall("a tool call is not JSON with a name and arguments") from None
    if not isinstance(name, str):
        raise UnreadableCall("a tool call's name is not text")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    function = {"name": _well_formed(name), "arguments": _well_formed(text)}
    return {"id": f"call_{number}", "type": "function", "function": function}


def _well_formed(text: str) -> str:
    """Halves of surrogate pairs, which JSON can spell and no file can hold, become question marks."""
    return text.encode("utf-8", "replace").decode()
