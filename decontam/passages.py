"""A passage is text that a person reads as one piece: a message, a document, a field, a row or a column of a sheet.

Two different fields are never one passage; the lines of one document are, and so are the cells of one row and those of
one column, in order. Our own system prompt is in no passage.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any, NamedTuple

from decontam.benchmark import BenchmarkTask
from decontam.readable import decoded_base64, mail_texts, without_markup
from environment.task import Task


class Passage(NamedTuple):  # made by the million: a tuple costs a third of a frozen dataclass
    """One passage and where it stands."""

    path: str
    """JSON path into the task, such as `world.gmail.messages[3].body`; `|base64` and the like name a decoding."""
    text: str
    field: str
    """The path without indices: which field of which collection this is."""


def passages_of_task(task: Task) -> tuple[Passage, ...]:
    """The prompt, the actor's company and every readable string of the world."""
    found: list[Passage] = []
    _add_text(task.prompt, "prompt", "prompt", found)
    for part in ("company", "domain"):
        if part in task.actor:
            _add_text(task.actor[part], f"actor.{part}", f"actor.{part}", found)
    _add_world(task.world, "world", found)
    return tuple(found)


def passages_of_benchmark_task(task: BenchmarkTask) -> tuple[Passage, ...]:
    """The system and user messages, every readable string of the initial world and of the assertions."""
    found: list[Passage] = []
    _add_text(task.system, "system", "system", found)
    _add_text(task.prompt, "prompt", "prompt", found)
    _add_world(task.initial_state, "initial_state", found)
    _add_any(task.assertions, "assertions", "assertions", found)
    return tuple(found)


def seen_by_the_agent(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages but shared system prompts and assertions: what two tasks are compared on as wholes."""
    return tuple(passage for passage in passages if not passage.field.startswith(("system", "assertions")))


def _add_world(world: Mapping[str, Any], root: str, found: list[Passage]) -> None:
    for app, collections in world.items():
        if not isinstance(collections, (dict, Mapping)):
            _add_any(collections, f"{root}.{app}", f"{root}.{app}", found)
            continue
        for name, rows in collections.items():
            path = f"{root}.{app}.{name}"
            if isinstance(rows, (list, tuple)) and _are_records(rows) and not _are_sheet_rows(path, rows):
                _add_records(rows, path, found)
            else:
                _add_any(rows, path, path, found)


_LINES = frozenset("block blocks line lines paragraph paragraphs".split())
_DOCUMENT_KEYS = ("page_id", "document_id", "parent_id", "parent")


def _add_records(rows: Sequence[Mapping[str, Any]], path: str, found: list[Passage]) -> None:
    """Each row by itself; where the rows are lines, those of one document also as one passage."""
    documents: dict[str, list[tuple[float, int, str]]] = {}
    are_lines = path.rpartition(".")[2].lower() in _LINES
    for number, row in enumerate(rows):
        before = len(found)
        _add_mapping(row, f"{path}[{number}]", path, found)
        if are_lines:
            document = next((str(row[key]) for key in _DOCUMENT_KEYS if key in row), "")
            line = "\n".join(passage.text for passage in found[before:])
            documents.setdefault(document, []).append((_position(row, number), number, line))
    for document, lines in documents.items():
        text = "\n".join(line for _, _, line in sorted(lines))
        found.append(Passage(f"{path}[{document}].lines", text, f"{path}.lines"))


def _are_records(rows: Sequence[Any]) -> bool:
    return all(isinstance(row, (dict, Mapping)) for row in rows)


def _position(row: Mapping[str, Any], number: int) -> float:
    position = row.get("position", number)
    return position if isinstance(position, (int, float)) else number


def _add_any(value: Any, path: str, field: str, found: list[Passage]) -> None:
    if isinstance(value, str):
        _add_text(value, path, field, found)
    elif isinstance(value, (dict, Mapping)):
        if _is_rich(value):
            _add_text(_rich_text(value), path, field, found)
        else:
            _add_mapping(value, path, field, found)
    elif isinstance(value, (list, tuple)):
        _add_list(value, path, field, found)


def _add_mapping(value: Mapping[str, Any], path: str, field: str, found: list[Passage]) -> None:
    for key, item in value.items():
        if isinstance(item, str):
            _add_text(item, f"{path}.{key}", f"{field}.{key}", found)
        elif item is not None:
            _add_any(item, f"{path}.{key}", f"{field}.{key}", found)


def _add_list(values: Sequence[Any], path: str, field: str, found: list[Passage]) -> None:
    first = values[0] if values else None
    if isinstance(first, str) and all(isinstance(value, str) for value in values):
        _add_text("\n".join(values), path, field, found)
    elif isinstance(first, (dict, Mapping)) and _are_sheet_rows(field, values):
        _add_sheet_rows(values, path, field, found)
    elif isinstance(first, (list, tuple)) and all(isinstance(value, (list, tuple)) for value in values):
        _add_grid([(path, number, list(row)) for number, row in enumerate(values)], path, field, found)
    elif isinstance(first, (dict, Mapping)) and _is_rich(first):
        _add_text(_rich_text(values), path, field, found)
    else:
        for number, value in enumerate(values):
            _add_any(value, f"{path}[{number}]", field, found)


def _add_text(text: str, path: str, field: str, found: list[Passage]) -> None:
    if " " not in text:
        # Keys, dates and amounts differ between copies of one problem and would hide how alike they are.
        if not text or _is_key(field):
            return
        if len(text) >= 16 and "@" not in text and (decoded := decoded_base64(text)) is not None:
            _add_text(decoded, f"{path}|base64", field, found)
            return
        if not (text.isalpha() or _has_letters(text)):
            return
    elif text[0].isdigit() and not _has_letters(text):
        return
    if "<" in text or "&" in text:
        text = without_markup(text)
    if text[:1] in ("{", "[") and (data := _json_inside(text)) is not None:
        _add_any(data, f"{path}|json", field, found)
    elif "\n" in text and ":" in text and (parts := mail_texts(text)):
        for name, part in parts.items():
            found.append(Passage(f"{path}|mail.{name}", without_markup(part), f"{field}.{name}"))
    else:
        found.append(Passage(path, text, field))


_LETTERS_BESIDE_A_TIME = re.compile(r"[^\W\d_TZtz]")


def _has_letters(text: str) -> bool:
    return _LETTERS_BESIDE_A_TIME.search(text) is not None


_KEY_NAME = re.compile(r"_ids?$|[a-z](?:Id|ID|Ids)$")


@lru_cache(maxsize=65536)
def _is_key(field: str) -> bool:
    name = field.rpartition(".")[2]
    return (
        name.lower() in ("id", "ids", "gid", "uuid", "etag", "key")
        or re.search(r"_ids?$|[a-z](?:Id|ID|Ids)$", name) is not None
    )


def _json_inside(text: str) -> Any:
    """The object or list that `text` spells, None when it spells none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, (dict, list)) else None


# Sheets


def _are_sheet_rows(field: str, rows: Sequence[Any]) -> bool:
    """Rows that hold `cells`, or flat rows of a collection that says it belongs to a sheet."""
    if not _are_records(rows):
        return False
    if any("cells" in row and isinstance(row["cells"], (list, tuple, Mapping)) for row in rows):
        return True
    if "sheet" not in field.lower() or field.rpartition(".")[2].lower() not in ("rows", "records", "data"):
        return False
    return all(not isinstance(value, (list, tuple, Mapping)) for row in rows for value in row.values())


def _add_sheet_rows(rows: Sequence[Mapping[str, Any]], path: str, field: str, found: list[Passage]) -> None:
    sheets: dict[str, list[tuple[float, int, Any]]] = {}
    for number, row in enumerate(rows):
        cells = row.get("cells", row)
        if cells is not row:
            others = {key: value for key, value in row.items() if key != "cells"}
            _add_mapping(others, f"{path}[{number}]", field, found)
        sheet = "/".join(str(row[key]) for key in ("spreadsheet_id", "sheet_id", "worksheet_id") if key in row)
        sheets.setdefault(sheet, []).append((_position(row, number), number, cells))
    for sheet, members in sheets.items():
        members.sort(key=lambda member: member[:2])
        headed = [cells for _, _, cells in members if isinstance(cells, Mapping)]
        if headed:
            headers = list(dict.fromkeys(key for cells in headed for key in cells if not _is_key(key)))
            grid = [(path, -1, list(headers))]
            grid += [
                (path, number, [cells.get(header) for header in headers])
                for _, number, cells in members
                if isinstance(cells, Mapping)
            ]
        else:
            grid = [(path, number, list(cells)) for _, number, cells in members if isinstance(cells, (list, tuple))]
        _add_grid(grid, f"{path}[{sheet}]" if sheet else path, field, found)


def _add_grid(grid: list[tuple[str, int, list[Any]]], path: str, field: str, found: list[Passage]) -> None:
    """Each row of cells as one passage and each column as one; a row numbered -1 is the headings."""
    texts = [list(map(_cell_text, cells)) for _, _, cells in grid]
    for (row_path, number, _), cells in zip(grid, texts, strict=True):
        text = "\t".join(filter(None, cells))
        if text:
            found.append(
                Passage(f"{row_path}[{number}].cells" if number >= 0 else f"{path}.header", text, f"{field}.row")
            )
    for column, column_cells in enumerate(zip_longest(*texts, fillvalue="")):
        text = "\n".join(filter(None, column_cells))
        if text:
            found.append(Passage(f"{path}.column[{column}]", text, f"{field}.column"))


def _cell_text(cell: Any) -> str:
    """What a cell shows on one line, "" when it is empty."""
    if isinstance(cell, str) and cell.isprintable() and "<" not in cell and "&" not in cell:
        return cell
    if cell is None or isinstance(cell, (list, tuple, Mapping)):
        return ""
    return " ".join(without_markup(str(cell)).split())


# Rich text: nodes of Google Docs, Atlassian documents, Notion and Slack blocks

_NODE_TYPES = frozenset(
    "doc paragraph heading text bulletList orderedList listItem blockquote codeBlock panel table tableRow tableCell "
    "tableHeader rich_text rich_text_section rich_text_list section header context mrkdwn plain_text".split()
)
_NODE_KEYS = frozenset("textRun paragraph elements plain_text rich_text".split())
_NODE_BODIES = frozenset(("text", "content", "fields"))


def _is_rich(value: Mapping[str, Any]) -> bool:
    if not _NODE_KEYS.isdisjoint(value):
        nested = any(isinstance(value.get(key), (list, tuple, Mapping)) for key in _NODE_KEYS)
        return nested or isinstance(value.get("plain_text"), str)
    kind = value.get("type")
    return isinstance(kind, str) and kind in _NODE_TYPES and not _NODE_BODIES.isdisjoint(value)


def _rich_text(value: Any) -> str:
    """The text of a node: runs of one line stand together, blocks on lines of their own."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        inline = any(isinstance(node, Mapping) and _is_run(node) for node in value)
        return ("" if inline else "\n").join(filter(None, map(_rich_text, value)))
    if not isinstance(value, Mapping):
        return ""
    if isinstance(value.get("plain_text"), str):
        return str(value["plain_text"])
    nested = (item for item in value.values() if isinstance(item, (list, tuple, Mapping)))
    own = (value[key] for key in ("text", "content") if isinstance(value.get(key), str))
    return "\n".join(filter(None, [*own, *map(_rich_text, nested)]))


def _is_run(node: Mapping[str, Any]) -> bool:
    return "textRun" in node or "plain_text" in node or (node.get("type") == "text" and "text" in node)
