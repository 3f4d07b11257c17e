"""Messages are a prompt as chat models take it: a text, or what system and user say in turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def spoken(prompt: Any) -> tuple[str, str]:
    """System text and all other text of a prompt; the content of a message is a string or a list of parts."""
    if isinstance(prompt, str):
        return "", prompt
    texts: dict[str, list[str]] = {"system": [], "user": []}
    for message in prompt if isinstance(prompt, list) else ():
        if isinstance(message, Mapping):
            role = "system" if message.get("role") in ("system", "developer") else "user"
            texts[role].append(_content(message.get("content")))
    return "\n\n".join(texts["system"]), "\n\n".join(texts["user"])


def _content(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""
