"""JSON lines are a UTF-8 file with one JSON value a line; a byte order mark and CRLF are taken as they come."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from decontam.readers.place import Place

ROW_BYTES = 64 * 2**20
"""Longest line that is read: more is no task, and may be a file without any line end."""
DEPTH = 100
"""Deepest nest of objects and lists that is read: no task is deeper, and what reads texts goes down with it."""
_BOM = b"\xef\xbb\xbf"


def json_lines(path: Path) -> Iterator[tuple[Place, Any]]:
    """The values with their lines. Raises ValueError naming path and line for whatever is no JSON in UTF-8."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(ROW_BYTES + 1):
                number += 1
                place = Place(str(path), "line", number)
                if len(line) > ROW_BYTES:
                    place.refuse(f"is longer than {ROW_BYTES // 2**20} MB; give a file with one JSON object a line")
                text = _text(place, line.removeprefix(_BOM) if number == 1 else line)
                if text.strip():
                    yield place, json_value(place, text, is_cut=not line.endswith(b"\n"))
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; export the benchmark there or name another file") from None
    except IsADirectoryError:
        raise ValueError(f"{path} is a folder; give the JSONL file of the benchmark itself") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}; check the path and its permissions") from None


def json_value(place: Place, text: str, is_cut: bool = False) -> Any:
    """The JSON value of one line; `is_cut` when it has no line end, so that it may be the first part of a row only."""
    if place.number == 1 and text.lstrip().startswith("["):
        place.refuse("begins a JSON array; write one object a line, as `jq -c '.[]'` does")
    try:
        value = strict_json(text)
    except (ValueError, RecursionError) as error:
        # Only what was being written when the disk filled or the copy stopped lacks its newline.
        if is_cut and isinstance(error, json.JSONDecodeError):
            place.refuse("is cut off in the middle of the last row; copy or export the file again")
        place.refuse(f"is not JSON ({error}); each line must hold one JSON object")
    return value


def strict_json(text: str) -> Any:
    """The JSON value of a text. Raises ValueError also for NaN, a deep nest and half characters, or RecursionError."""
    value = json.loads(text, parse_constant=_refuse_constant)
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("it holds half of a surrogate pair, which is no text") from None
    level, depth = [value], 0
    while level := [part for whole in level for part in _parts(whole)]:
        depth += 1
        if depth > DEPTH:
            raise ValueError(f"it is nested deeper than {DEPTH} levels")
    return value


def _parts(whole: Any) -> Iterable[Any]:
    if isinstance(whole, dict):
        return whole.values()
    return whole if isinstance(whole, list) else ()


def _text(place: Place, line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        place.refuse(f"is not UTF-8 text at byte {error.start + 1}; give an uncompressed UTF-8 file")


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")
