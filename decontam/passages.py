"""A passage is text that a person reads as one piece: a message, a document, a field, a row or a column of a sheet.

Two different fields are never one passage; the lines of one document are, and so are the cells of one row and those of
one column, in order. Our own system prompt is in no passage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from decontam.benchmark import BenchmarkTask
from decontam.encodings import decoded_base64
from decontam.grids import Grid, are_sheet_rows, grid_of_lists, grids_of_rows, position_of
from decontam.keys import has_letters, is_code, is_given_name, is_key, is_machine_key
from decontam.readable import is_plain, readable_texts
from decontam.rich_text import are_rich, is_rich, links_of, rich_text, texts_beside
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
    """The system and user messages, every readable string of the initial world, of the assertions and of the rest."""
    found: list[Passage] = []
    _add_text(task.system, "system", "system", found)
    _add_text(task.prompt, "prompt", "prompt", found)
    _add_world(task.initial_state, "initial_state", found)
    _add_any(task.assertions, "assertions", "assertions", found)
    _add_mapping(task.other, "other", "other", found)
    return tuple(found)


def seen_by_the_agent(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages of prompt and world: what two tasks are compared on as wholes."""
    return tuple(passage for passage in passages if not passage.field.startswith(("system", "assertions", "other")))


def _add_world(world: Mapping[str, Any], root: str, found: list[Passage]) -> None:
    for app, collections in world.items():
        _add_key(app, root, root, found)
        if not isinstance(collections, (dict, Mapping)):
            _add_any(collections, f"{root}.{app}", f"{root}.{app}", found)
            continue
        for name, rows in collections.items():
            path = f"{root}.{app}.{name}"
            _add_key(name, f"{root}.{app}", f"{root}.{app}", found)
            if isinstance(rows, (list, tuple)) and _are_records(rows) and not are_sheet_rows(path, rows):
                _add_records(rows, path, path, found)
            else:
                _add_any(rows, path, path, found)


def _are_records(rows: Sequence[Any]) -> bool:
    return all(isinstance(row, (dict, Mapping)) for row in rows)


_LINES = frozenset(
    "block blocks bullets checkitem checkitems checklist_items children line lines paragraph paragraphs steps "
    "todo todos".split()
)
_KINDS_OF_LINES = frozenset("type object color kind style language state status".split())
_DOCUMENT_KEYS = (
    "page_id document_id doc_id checklist_id list_id todolist_id parent_id parent idChecklist board_id".split()
)


def _add_records(rows: Sequence[Mapping[str, Any]], path: str, field: str, found: list[Passage]) -> None:
    """Each row by itself; where the rows are lines, those of one document also as one passage."""
    documents: dict[str, list[tuple[float, int, list[Passage]]]] = {}
    are_lines = field.rpartition(".")[2].lower() in _LINES
    for number, row in enumerate(rows):
        before = len(found)
        _add_mapping(row, f"{path}[{number}]", field, found)
        if are_lines:
            document = next((str(row[key]) for key in _DOCUMENT_KEYS if key in row), "")
            documents.setdefault(document, []).append((position_of(row, number), number, found[before:]))
    for document, lines in documents.items():
        if len(lines) > 1:
            whole = f"{path}[{document}]" if document else path
            _add_lines([line for _, _, line in sorted(lines)], whole, field, found)


def _add_lines(lines: Sequence[Sequence[Passage]], path: str, field: str, found: list[Passage]) -> None:
    """The main text of every line, which different kinds of line keep in different fields, then each field's lines."""
    main = "\n".join(filter(None, map(_main_text, lines)))
    _add_text(main, f"{path}.lines", f"{field}.lines", found)
    columns: dict[str, list[str]] = {}
    for line in lines:
        for passage in line:
            if "|" not in passage.path:
                columns.setdefault(passage.field, []).append(passage.text)
    for name, texts in columns.items():
        text = "\n".join(texts)
        if len(texts) > 1 and text != main:
            _add_text(text, f"{path}.lines{name.removeprefix(field)}", f"{field}.lines", found)


def _main_text(line: Sequence[Passage]) -> str:
    """The longest text of a line that isn't the name of its kind, "" when there is none."""
    texts = [passage.text for passage in line if passage.field.rpartition(".")[2] not in _KINDS_OF_LINES]
    return max(texts, key=len, default="")


def _add_any(value: Any, path: str, field: str, found: list[Passage]) -> None:
    if isinstance(value, str):
        _add_text(value, path, field, found)
    elif isinstance(value, (dict, Mapping)):
        if is_rich(value):
            _add_rich(value, path, field, found)
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
        if is_given_name(key):
            _add_key(key, path, field, found)


def _add_key(key: str, path: str, field: str, found: list[Passage]) -> None:
    if is_given_name(key):
        found.append(Passage(f"{path}|key[{key}]", key, f"{field}.keys"))


def _add_list(values: Sequence[Any], path: str, field: str, found: list[Passage]) -> None:
    first = values[0] if values else None
    if isinstance(first, str) and all(isinstance(value, str) for value in values):
        if not all(" " not in value and is_code(value) for value in values):
            _add_text("\n".join(values), path, field, found)
            for number, value in enumerate(values if len(values) > 1 else ()):
                if "\n" in value or value[:1] == "{" or (len(value) >= 16 and " " not in value):
                    _add_encoded(value, f"{path}[{number}]", field, found)
    elif isinstance(first, (dict, Mapping)) and are_sheet_rows(field, values):
        for grid in grids_of_rows(values):
            _add_grid(grid, path, field, found)
    elif isinstance(first, (list, tuple)) and all(isinstance(value, (list, tuple)) for value in values):
        _add_grid(grid_of_lists(values), path, field, found)
    elif isinstance(first, (dict, Mapping)) and are_rich(values):
        _add_rich(values, path, field, found)
    elif isinstance(first, (dict, Mapping)) and _are_records(values):
        _add_records(values, path, field, found)
    else:
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) > 1:
            _add_list(texts, f"{path}.texts", field, found)
        for number, value in enumerate(values):
            _add_any(value, f"{path}[{number}]", field, found)


_EDGES = " \t\ufeff"


def _add_text(text: str, path: str, field: str, found: list[Passage]) -> None:
    if text[:1] in _EDGES or text[-1:] in _EDGES:
        text = text.strip(_EDGES)
    if " " not in text:
        if not text or (is_key(field) and is_machine_key(text)):
            return
        if len(text) >= 16 and "@" not in text:
            _add_encoded(text, path, field, found)
            return
        if not (text.isalpha() or has_letters(text)) or is_code(text):
            return
    elif text[0].isdigit() and not has_letters(text):
        return
    if is_plain(text):
        found.append(Passage(path, text, field))
    else:
        _add_readable(text, path, field, found)


def _add_readable(text: str, path: str, field: str, found: list[Passage]) -> None:
    for suffix, seen, part, data in readable_texts(text):
        if data is None:
            found.append(Passage(path + suffix, seen, field + part))
        else:
            _add_any(data, f"{path}{suffix}|json", field + part, found)


def _add_encoded(text: str, path: str, field: str, found: list[Passage]) -> None:
    """A long string without blanks: base64, or as it stands where it has letters and is no key."""
    if decoded_base64(text) is not None or not is_plain(text):
        _add_readable(text, path, field, found)
    elif has_letters(text) and not is_code(text):
        found.append(Passage(path, text, field))


def _add_rich(value: Any, path: str, field: str, found: list[Passage]) -> None:
    _add_text(rich_text(value), path, field, found)
    for inner, key, text in texts_beside(value):
        _add_text(text, path + inner, f"{field}.{key}" if key else field, found)
    links = "\n".join(dict.fromkeys(links_of(value)))
    if links:
        found.append(Passage(f"{path}|links", links, f"{field}.links"))


def _add_grid(grid: Grid, path: str, field: str, found: list[Passage]) -> None:
    """Each row of cells as one passage and each column as one, and cells with more than one reading by themselves."""
    for row, cells in grid.rows:
        text = "\t".join(filter(None, cells))
        if text:
            found.append(Passage(path + row, text, f"{field}.row"))
    base = f"{path}[{grid.sheet}]" if grid.sheet else path
    for number, column in enumerate(grid.columns()):
        text = "\n".join(filter(None, column))
        if text:
            found.append(Passage(f"{base}.column[{number}]", text, f"{field}.column"))
    for cell, content in grid.raw:
        _add_any(content, path + cell, f"{field}.cell", found)
    for inner, key, content in grid.beside:
        _add_any(content, path + inner, f"{field}.{key}", found)
