"""Slack's text: the escaped form that travels, the form that is stored, and the plain form that people read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_MARKUP = re.compile(r"<(?:[@#!]|https?://|mailto:|tel:)[^<>]{0,3000}>")
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
_MAX_DEPTH = 12


def stored(text: str) -> str:
    """The text as it is kept: escapes undone."""
    if "&" in text:
        for escape, plain in _ESCAPES:
            text = text.replace(escape, plain)
    return text


def wire(text: str) -> str:
    """The text as the API answers it: `&`, `<` and `>` escaped wherever they are not part of a mention or link."""
    if "&" not in text and "<" not in text and ">" not in text:
        return text
    parts, end = [], 0
    for match in _MARKUP.finditer(text):
        parts += [_escape(text[end : match.start()]), match.group()]
        end = match.end()
    return "".join(parts) + _escape(text[end:])


def readable(text: str, users: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """The text as people see it: mentions as @name and #name, links as label and address."""
    if "<" not in text:
        return text
    names = {"@": users, "#": channels}
    return "".join(
        [
            piece if isinstance(piece, str) else piece.sign + (names[piece.sign].get(piece.id) or piece.otherwise)
            for piece in _pieces(text)
        ]
    )


def blocks_text(blocks: Any) -> str:
    """What people read of a message laid out in blocks, one block a line; unknown shapes read as nothing."""
    return "\n".join(filter(None, (_words(block, 0) for block in blocks))) if isinstance(blocks, list) else ""


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@dataclass(frozen=True, slots=True)
class _Mention:
    """A person (@) or channel (#) in a text."""

    sign: str
    id: str
    otherwise: str
    """What is read when nobody has this id."""


@lru_cache(maxsize=1024)
def _pieces(text: str) -> tuple[str | _Mention, ...]:
    """The text with its mentions taken out and its other markup resolved."""
    pieces: list[str | _Mention] = []
    end = 0
    for match in _MARKUP.finditer(text):
        pieces += [text[end : match.start()], _shown(match.group()[1:-1])]
        end = match.end()
    return (*pieces, text[end:])


def _shown(inside: str) -> str | _Mention:
    target, _, label = inside.partition("|")
    if target[0] in "@#":
        return _Mention(target[0], target[1:], label or target[1:])
    if target.startswith("!"):
        return label or "@" + target[1:]
    address = re.sub("^(?:mailto|tel):", "", target)
    return f"{label} ({address})" if label and label != address else address


def _words(node: Any, depth: int) -> str:
    if depth > _MAX_DEPTH:
        return ""
    if isinstance(node, list):
        return " ".join(filter(None, (_words(item, depth + 1) for item in node)))
    if not isinstance(node, Mapping):
        return ""
    if isinstance(node.get("text"), str):
        return node["text"]
    if node.get("type") == "user":
        return f"<@{node.get('user_id')}>"
    if node.get("type") == "channel":
        return f"<#{node.get('channel_id')}>"
    return " ".join(filter(None, (_words(node.get(name), depth + 1) for name in ("text", "fields", "elements"))))
