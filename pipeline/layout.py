"""Layout sets text for a terminal: wrapped rather than cut, in aligned columns, without control characters."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH = 110
"""Columns where the terminal does not say how many it has."""
_NARROWEST, _WIDEST = 60, 180
_GAP = "  "
_NARROW_CELL = 8
"""No column is squeezed below this while another is wider."""
_DEEPEST = 12
"""Levels of nesting that are set as an outline; what lies deeper is written as Python writes it, cut."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def terminal_width() -> int:
    """Columns to set text in."""
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((WIDTH, 24)).columns))


def clean(text: str) -> str:
    """The text with control characters spelled out, so that nothing in a world or a line can move the cursor."""
    text = text.replace("\r\n", "\n").expandtabs(4)
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def wrap(text: str, width: int, indent: str = "", hanging: str | None = None) -> list[str]:
    """The lines of a text, each at most `width` wide; `hanging` is the indent of all lines but the first."""
    rest = indent if hanging is None else hanging
    lines: list[str] = []
    for line in clean(text).split("\n"):
        first = rest if lines else indent
        lines += textwrap.wrap(
            line,
            max(width, len(rest) + _NARROW_CELL),
            initial_indent=first,
            subsequent_indent=rest,
            break_on_hyphens=False,
            drop_whitespace=True,
        ) or [first.rstrip()]
    return lines


def cut(text: str, length: int) -> str:
    """The text, or its beginning with the count of the characters left out."""
    if len(text) <= length:
        return text
    return f"{text[:length].rstrip()} … (+{len(text) - length:,} characters)"


def table(rows: Sequence[Sequence[str]], width: int, indent: str = "") -> list[str]:
    """Rows as aligned columns, the first being the head; cells too wide for the room there is are wrapped."""
    cells = [[clean(cell) for cell in row] for row in rows]
    natural = [
        max((len(line) for row in cells for line in row[at].split("\n")), default=1) for at in range(len(rows[0]))
    ]
    widths = _squeezed(natural, width - len(indent) - len(_GAP) * (len(natural) - 1))
    lines: list[str] = []
    for number, row in enumerate(cells):
        parts = [wrap(cell, room) for cell, room in zip(row, widths, strict=True)]
        for at in range(max(map(len, parts))):
            line = _GAP.join(
                f"{part[at] if at < len(part) else '':{room}}" for part, room in zip(parts, widths, strict=True)
            )
            lines.append((indent + line).rstrip())
        if number == 0:
            lines.append(indent + _GAP.join("-" * room for room in widths))
    return lines


def has_room(columns: int, width: int) -> bool:
    """Whether so many columns can stand side by side, each as narrow as a cell may be."""
    return columns * (_NARROW_CELL + len(_GAP)) <= width


def fits(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether a table of these rows has room for every column without squeezing any to slivers."""
    natural = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return sum(min(length, 3 * _NARROW_CELL) + len(_GAP) for length in natural) <= width


def outline(value: Any, width: int, indent: str = "", depth: int = 0) -> list[str]:
    """JSON data as an indented outline, every value in full."""
    if depth == _DEEPEST:
        return wrap(cut(repr(value), 4 * width), width, indent)
    if isinstance(value, Mapping) and value:
        lines: list[str] = []
        for name, item in value.items():
            lines += _entry(f"{indent}{clean(' '.join(str(name).split()))}:", item, width, indent, depth)
        return lines
    if isinstance(value, list | tuple) and value:
        lines = []
        for item in value:
            if isinstance(item, Mapping | list | tuple) and item:
                inner = outline(item, width, indent + "  ", depth + 1)
                lines += [f"{indent}- {inner[0][len(indent) + 2 :]}", *inner[1:]]
            else:
                lines += wrap(scalar(item), width, f"{indent}- ", f"{indent}  ")
        return lines
    return wrap(scalar(value), width, indent)


def scalar(value: Any) -> str:
    """One value as people read it: text as it is, nothing as a dash."""
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping | list | tuple):
        return "none" if not value else _inline(value)
    return str(value)


def _entry(head: str, item: Any, width: int, indent: str, depth: int) -> list[str]:
    if isinstance(item, Mapping | list | tuple) and item:
        flat, nested = _inline(item), any(isinstance(part, Mapping | list | tuple) for part in _parts(item))
        if not nested and "\n" not in flat and len(head) + len(flat) < width:
            return [f"{head} {clean(flat)}"]
        return [head, *outline(item, width, indent + "  ", depth + 1)]
    text = scalar(item)
    if "\n" in text:
        return [head, *wrap(text, width, indent + "  ")]
    return wrap(text, width, f"{head} ", indent + "  ")


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {scalar(item)}" for name, item in value.items())
    return ", ".join(scalar(item) for item in value)


def _parts(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, Mapping) else list(value)


def _squeezed(natural: Sequence[int], room: int) -> list[int]:
    """Widths that add up to the room there is, taken from the widest columns first."""
    widths = [max(1, length) for length in natural]
    while (excess := sum(widths) - room) > 0 and (widest := max(widths)) > _NARROW_CELL:
        at = widths.index(widest)
        below = max((length for length in widths if length < widest), default=_NARROW_CELL)
        widths[at] = max(_NARROW_CELL, widest - excess, below if widths.count(widest) == 1 else widest - 1)
    return widths
