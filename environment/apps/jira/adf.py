"""An Atlassian Document is rich text as a tree of nodes; this module checks one, reads its text and writes one of text.

Structure after developer.atlassian.com/cloud/jira/platform/apis/document/structure (version 1): which node may stand
in which, keys of a node, non-empty text. Attributes and combinations of marks are not checked.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

_MAX_DEPTH, _MAX_NODES = 30, 5_000
_INLINE = ("text", "hardBreak", "mention", "emoji", "inlineCard", "date", "status", "mediaInline", "placeholder")
_LISTS = ("bulletList", "orderedList", "taskList", "decisionList")
_BLOCKS = ("paragraph", "heading", "codeBlock", "rule", "blockquote", "panel", "mediaSingle", "mediaGroup", *_LISTS)
_TOP = (*_BLOCKS, "table", "expand", "blockCard", "embedCard", "extension", "bodiedExtension", "layoutSection")
_CHILDREN: dict[str, tuple[str, ...]] = {
    "doc": _TOP,
    "paragraph": _INLINE,
    "heading": _INLINE,
    "codeBlock": ("text",),
    "blockquote": _BLOCKS,
    "panel": _BLOCKS,
    "expand": (*_TOP, "nestedExpand"),
    "nestedExpand": _BLOCKS,
    "bulletList": ("listItem",),
    "orderedList": ("listItem",),
    "listItem": ("paragraph", "codeBlock", "mediaSingle", *_LISTS),
    "taskList": ("taskItem", "taskList"),
    "taskItem": _INLINE,
    "decisionList": ("decisionItem",),
    "decisionItem": _INLINE,
    "table": ("tableRow",),
    "tableRow": ("tableCell", "tableHeader"),
    "tableCell": (*_BLOCKS, "nestedExpand", "blockCard"),
    "tableHeader": (*_BLOCKS, "nestedExpand"),
    "mediaSingle": ("media", "caption"),
    "mediaGroup": ("media",),
    "caption": _INLINE,
    "bodiedExtension": _TOP,
    "layoutSection": ("layoutColumn",),
    "layoutColumn": _TOP,
}
_NEEDS_CONTENT = ("doc", "bulletList", "orderedList", "listItem", "table", "tableRow", "taskList", "decisionList")
_KEYS = frozenset({"type", "attrs", "content", "text", "marks", "version"})
_MARKS = (
    *("strong", "em", "code", "link", "strike", "underline", "subsup", "textColor", "backgroundColor", "annotation"),
    *("border", "alignment", "indentation", "breakout", "fragment", "dataConsumer"),
)
_BULLET = re.compile(r"^[-*•] +(.*)$")
_NUMBERED = re.compile(r"^\d{1,3}[.)] +(.*)$")


def is_document(value: Any) -> bool:
    """Whether it is a well-formed Atlassian Document."""
    budget = [_MAX_NODES]
    if not isinstance(value, dict) or value.get("type") != "doc" or value.get("version") != 1:
        return False
    return type(value["version"]) is int and _sound(value, 0, budget)


def read_text(document: Any) -> str:
    """The text of a document as people read it: a blank line between blocks, a line for each list item or row."""
    return _block(document, "").strip("\n")


def write_document(text: str) -> dict[str, Any]:
    """A document of the text: paragraphs between blank lines, lists of lines that start with `- ` or `1. `."""
    content: list[dict[str, Any]] = []
    for piece in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")):
        content.extend(_blocks_of(piece.strip("\n").split("\n")))
    return {"type": "doc", "version": 1, "content": content}


def stored(document: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """What a row keeps of a document: its text, and itself unless the text says it all."""
    text = read_text(document)
    return text, None if write_document(text) == document else document


def shown(text: str, document: dict[str, Any] | None) -> dict[str, Any] | None:
    """The document that a row keeps, None for an empty one."""
    return document or (write_document(text) if text else None)


def _sound(node: dict[str, Any], depth: int, budget: list[int]) -> bool:
    budget[0] -= 1
    kind, content = node["type"], node.get("content")
    if depth > _MAX_DEPTH or budget[0] < 0 or not node.keys() <= _KEYS:
        return False
    if kind == "text" and not (isinstance(node.get("text"), str) and node["text"]):
        return False
    if not isinstance(node.get("attrs", {}), dict) or not _sound_marks(node.get("marks", [])):
        return False
    if "content" not in node:
        return kind not in _NEEDS_CONTENT
    if not isinstance(content, list) or (not content and kind in _NEEDS_CONTENT and kind != "doc"):
        return False
    allowed = _CHILDREN.get(kind, ())
    return all(
        isinstance(child, dict) and child.get("type") in allowed and _sound(child, depth + 1, budget)
        for child in content
    )


def _sound_marks(marks: Any) -> bool:
    return isinstance(marks, list) and all(isinstance(mark, dict) and mark.get("type") in _MARKS for mark in marks)


def _block(node: dict[str, Any], indent: str) -> str:
    kind, content = node["type"], node.get("content", [])
    if kind in ("paragraph", "heading", "codeBlock", "taskItem", "decisionItem", "caption"):
        return "".join(map(_inline, content))
    if kind in ("bulletList", "orderedList", "taskList", "decisionList"):
        return "\n".join(_item(child, number, kind, indent) for number, child in enumerate(content, 1))
    if kind == "tableRow":
        return " | ".join(_block(cell, "").replace("\n", " ") for cell in content)
    if kind == "rule":
        return "---"
    if kind in ("blockCard", "embedCard"):
        return _attribute(node, "url")
    between = "\n" if kind in ("table", "listItem") else "\n\n"
    return between.join(text for text in (_block(child, indent) for child in content) if text)


def _item(node: dict[str, Any], number: int, kind: str, indent: str) -> str:
    if node["type"] == "taskList":
        return _block(node, indent + "  ")
    mark = f"{number}. " if kind == "orderedList" else "- "
    if node["type"] == "listItem":
        return indent + mark + _block(node, indent + "  ")
    return indent + mark + _block(node, "")


def _inline(node: dict[str, Any]) -> str:
    kind = node["type"]
    if kind == "text":
        return node["text"]
    if kind == "hardBreak":
        return "\n"
    if kind == "date":
        return _date(_attribute(node, "timestamp"))
    return _attribute(node, {"inlineCard": "url", "emoji": "shortName"}.get(kind, "text"))


def _attribute(node: dict[str, Any], name: str) -> str:
    value = node.get("attrs", {}).get(name, "")
    return value if isinstance(value, str) else ""


def _date(milliseconds: str) -> str:
    if not milliseconds.isdecimal() or len(milliseconds) > 14:
        return ""
    return f"{datetime.fromtimestamp(int(milliseconds) // 1000, UTC):%Y-%m-%d}"


def _blocks_of(lines: list[str]) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for line in lines:
        kind, text = _kind_of(line)
        last = blocks[-1] if blocks else None
        if kind == "paragraph":
            inline = [{"type": "text", "text": text}] if text else []
            if last is not None and last["type"] == "paragraph":
                last["content"] += [{"type": "hardBreak"}, *inline]
            elif inline:
                blocks.append({"type": "paragraph", "content": inline})
            continue
        if last is None or last["type"] != kind:
            last = {"type": kind, "content": []}
            blocks.append(last)
        paragraph = {"type": "paragraph", "content": [{"type": "text", "text": text}]}
        last["content"].append({"type": "listItem", "content": [paragraph]})
    return blocks


def _kind_of(line: str) -> tuple[str, str]:
    for kind, pattern in (("bulletList", _BULLET), ("orderedList", _NUMBERED)):
        found = pattern.match(line)
        if found and found[1].strip():
            return kind, found[1].strip()
    return "paragraph", line
