"""The chats that the miniature model has memorised."""

from __future__ import annotations

from typing import Any

SYSTEM = "You do office work with the tools given."
TOOLS: list[dict[Any, Any]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"{name} in a sheet.",
            "parameters": {
                "type": "object",
                "properties": {"sheet": {"type": "string"}, "value": {"type": "string"}},
                "required": ["sheet"],
            },
        },
    }
    for name in ("look_up", "write_down")
]
FOUND = '{"row": 7, "status": "Shipped"}'


def call_text(value: str) -> str:
    """A call as Qwen3 models write it."""
    return f'<tool_call>\n{{"name": "look_up", "arguments": {{"sheet": "Orders", "value": "{value}"}}}}\n</tool_call>'


ANSWERS = {
    "Greet.": "Good morning to you all.",
    "Look up 5174.": call_text("5174"),
    "Look up two of them.": call_text("12") + "\n" + call_text("34"),
    "Miswrite.": '<tool_call>\n{"name": "look_up", "arguments": {"sheet"\n</tool_call>',
    "Count.": " ".join(str(number) for number in range(1, 17)),
    "What came of it?": "It is in row 7.",
    "Say nothing.": "",
    "Close the day.": "All done, nothing is left.",
}
"""Prompt -> response. "What came of it?" stands for a chat with a call and its result before the answer."""


def chat(prompt: str) -> list[dict[str, Any]]:
    """The messages that the model answers."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}]
    if prompt == "What came of it?":
        messages[1]["content"] = "Look up 5174."
        function = {"name": "look_up", "arguments": '{"sheet": "Orders", "value": "5174"}'}
        call = {"id": "call_0", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": "call_0", "name": "look_up", "content": FOUND})
    return messages
