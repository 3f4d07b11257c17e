"""A change of one row in words: field by field, what it was and what it is now."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from environment.apps import APPS
from environment.attempt import RowChange
from environment.episode import derived_fields
from environment.matchers import same_value
from pipeline.layout import scalar, wrap
from pipeline.row_text import RowNames, is_empty, row_name

_INLINE = 60
"""Characters up to which old and new stand on one line."""
_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field, or one part of it, that differs."""

    path: str
    """Such as `cells[3]` or `address.city`, as contracts write it."""
    before: Any
    after: Any


def action_of(change: RowChange) -> str:
    """`create`, `update` or `delete`."""
    return "create" if change.before is None else "delete" if change.after is None else "update"


def field_changes(change: RowChange) -> tuple[FieldChange, ...]:
    """What differs in an updated row, and what a created or deleted one holds, empty fields left out."""
    return tuple(_differences("", change.before or {}, change.after or {}, 0))


def change_lines(changes: Sequence[RowChange], names: RowNames, width: int) -> list[str]:
    """Every changed row, those of one application together."""
    lines: list[str] = []
    for app in dict.fromkeys(change.app for change in changes):
        lines.append(app)
        for change in changes:
            if change.app == app:
                lines += row_lines(change, names, width, "  ")
    return lines


def row_lines(change: RowChange, names: RowNames, width: int, indent: str) -> list[str]:
    """One changed row with its fields; those that the application keeps by itself are only named."""
    derived = derived_fields(APPS).get(change.app, {}).get(change.collection, frozenset())
    fields = field_changes(change)
    lines = wrap(heading(change, names), width, indent, indent + "  ")
    for one in fields:
        if _top(one.path) not in derived and change.id not in (one.before, one.after):
            lines += _field(one, change, names, width, indent + "    ")
    kept = dict.fromkeys(_top(one.path) for one in fields if _top(one.path) in derived)
    if kept and action_of(change) == "update":
        lines += wrap(f"(and, by the application itself, {', '.join(kept)})", width, indent + "    ", indent + "     ")
    return lines


def heading(change: RowChange, names: RowNames) -> str:
    """Such as `Opportunity 0065…AAA (Tarnwick deal): updated`."""
    name = row_name(change.before or {}) or names.of(change.app, change.id)
    done = {"create": "created", "update": "updated", "delete": "deleted"}[action_of(change)]
    sent = ", and it has left the company" if change.sent else ""
    return f"{change.collection} {change.id}{f' ({name})' if name and change.before is not None else ''}: {done}{sent}"


def quoted(value: Any, app: str, names: RowNames) -> str:
    """A value as it stands in a sentence: text in quotes, nothing as `nothing`."""
    if is_empty(value):
        return "nothing"
    if isinstance(value, str):
        spelled = names.spelled(app, value)
        return f'"{value}"{spelled[len(value) :]}'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {quoted(item, app, names)}" for name, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(quoted(item, app, names) for item in value) + "]"
    return names.spelled(app, value)


def _field(one: FieldChange, change: RowChange, names: RowNames, width: int, indent: str) -> list[str]:
    action = action_of(change)
    if action != "update":
        value = one.after if action == "create" else one.before
        return _held(one.path, value, change.app, names, width, indent)
    before, after = quoted(one.before, change.app, names), quoted(one.after, change.app, names)
    if len(before) + len(after) <= 2 * _INLINE and "\n" not in before + after:
        return wrap(f"{one.path}: {before} -> {after}", width, indent, indent + "  ")
    return [f"{indent}{one.path}:", *_line_difference(one, width, indent + "  ")]


def _held(path: str, value: Any, app: str, names: RowNames, width: int, indent: str) -> list[str]:
    text = names.spelled(app, value)
    if "\n" in text:
        return [f"{indent}{path}:", *wrap(text, width, indent + "  ")]
    return wrap(f"{path}: {text}", width, indent, indent + "  ")


def _line_difference(one: FieldChange, width: int, indent: str) -> Iterator[str]:
    """Lines taken out and put in; a line that stayed is left out."""
    before, after = ([] if is_empty(value) else scalar(value).split("\n") for value in (one.before, one.after))
    for line in difflib.ndiff(before, after):
        if line.startswith(("- ", "+ ")):
            yield from wrap(line, width, indent, indent + "  ")


def _differences(path: str, before: Any, after: Any, depth: int) -> Iterator[FieldChange]:
    if same_value(before, after):
        return
    if depth < _DEEPEST and _both(before, after, Mapping):
        for name in dict.fromkeys((*(before or {}), *(after or {}))):
            inner = f"{path}.{name}" if path else str(name)
            yield from _differences(inner, (before or {}).get(name), (after or {}).get(name), depth + 1)
    elif depth < _DEEPEST and _both(before, after, list | tuple) and _is_nested(before, after):
        old, new = before or (), after or ()
        for at in range(max(len(old), len(new))):
            pair = (old[at] if at < len(old) else None), (new[at] if at < len(new) else None)
            yield from _differences(f"{path}[{at}]", *pair, depth + 1)
    else:
        yield FieldChange(path, before, after)


def _is_nested(before: Any, after: Any) -> bool:
    """Whether a list is better read element by element: when it holds rows, or is a row of a sheet."""
    elements = [*(before or ()), *(after or ())]
    if any(isinstance(one, Mapping | list | tuple) for one in elements):
        return True
    return before is not None and after is not None and len(before) == len(after) > 1


def _both(before: Any, after: Any, kind: Any) -> bool:
    return all(value is None or isinstance(value, kind) for value in (before, after))


def _top(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]
