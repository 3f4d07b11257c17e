"""A rich text is a document stored as nodes: of Google Docs, Atlassian documents, Notion and Slack blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_NODE_TYPES = frozenset(
    "doc paragraph heading text bulletList orderedList listItem blockquote codeBlock panel table tableRow tableCell "
    "tableHeader taskList taskItem rich_text rich_text_section rich_text_list rich_text_quote section header context "
    "mrkdwn plain_text".split()
)
_NODE_KEYS = frozenset("textRun paragraph elements plain_text rich_text sectionBreak tableRows".split())
_NODE_BODIES = frozenset(("text", "content", "fields", "elements"))
_TEXT_KEYS = frozenset(("text", "content"))
_SETTINGS = frozenset("color kind language object state status style type".split())
_TARGET_KEYS = frozenset(("href", "url"))


def is_rich(value: Mapping[str, Any]) -> bool:
    """Whether `value` is a node of a rich text."""
    if not _NODE_KEYS.isdisjoint(value):
        nested = any(isinstance(value.get(key), (list, tuple, Mapping)) for key in _NODE_KEYS)
        return nested or isinstance(value.get("plain_text"), str)
    kind = value.get("type")
    return isinstance(kind, str) and kind in _NODE_TYPES and not _NODE_BODIES.isdisjoint(value)


def are_rich(values: Sequence[Any]) -> bool:
    """Whether `values` are the nodes of one text."""
    return any(isinstance(value, Mapping) and is_rich(value) for value in values)


def rich_text(value: Any) -> str:
    """The text of a node: runs of one line stand together, blocks on lines of their own."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        inline = any(isinstance(node, Mapping) and _is_run(node) for node in value)
        return ("" if inline else "\n").join(filter(None, map(rich_text, value)))
    if not isinstance(value, Mapping):
        return ""
    if isinstance(value.get("plain_text"), str):
        return str(value["plain_text"])
    nested = (item for item in value.values() if isinstance(item, (list, tuple, Mapping)))
    own = (value[key] for key in ("text", "content") if isinstance(value.get(key), str))
    return "\n".join(filter(None, [*own, *map(rich_text, nested)]))


def links_of(value: Any) -> Iterator[str]:
    """Addresses behind the links of a node."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from links_of(item)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key in _TARGET_KEYS and isinstance(item, str):
                yield item
            else:
                yield from links_of(item)


def texts_beside(value: Any, path: str = "", is_shown: bool = True) -> Iterator[tuple[str, str, str]]:
    """What nodes hold beside the text and the links: titles, alternative texts. Path, key and text of each."""
    if isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            if isinstance(item, str):
                if not is_shown:
                    yield f"{path}[{number}]", "", item
            else:
                yield from texts_beside(item, f"{path}[{number}]", is_shown)
    elif isinstance(value, Mapping):
        plain = value.get("plain_text")
        hides_text = not is_shown or isinstance(plain, str)
        for key, item in value.items():
            if not isinstance(item, str):
                yield from texts_beside(item, f"{path}.{key}", not hides_text)
            elif item != plain and (hides_text or key not in _TEXT_KEYS) and not _is_setting(key, item):
                yield f"{path}.{key}", key, item


def _is_setting(key: str, text: str) -> bool:
    return key in _TARGET_KEYS or (key in _SETTINGS and " " not in text)


def _is_run(node: Mapping[str, Any]) -> bool:
    return "textRun" in node or "plain_text" in node or (node.get("type") in ("text", "link") and "text" in node)
