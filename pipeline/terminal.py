"""The terminal shows a person what is going on: one line a stage, and one that counts while a stage is long."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Sequence
from typing import TextIO

from assets.generation import batch_name
from assets.manifest import Manifest
from pipeline.layout import terminal_width

_REDRAW_S = 0.2
_LINE_S = 15.0
"""Between two lines of progress where lines can't be drawn over."""
_WIDTH = 18
_OF_DAGSTER = "dagster_meta"
"""Where it keeps a log record's message as it was, having written its run and step before it."""


class Terminal:
    """Watches a store and writes to a stream."""

    def __init__(self, stream: TextIO = sys.stderr) -> None:
        self._stream, self._live = stream, stream.isatty()
        self._shown = 0.0
        self._drawn = False

    def progress(self, stage: str, done: int, total: int | None, detail: str) -> None:
        now = time.monotonic()
        if now - self._shown < (_REDRAW_S if self._live else _LINE_S):
            return
        self._shown = now
        count = f"{done}/{total}" if total else f"{done}"
        line = f"{stage:{_WIDTH}} {count} {detail}".rstrip()
        if self._live:
            self._stream.write(f"\r\x1b[K{line[: terminal_width() - 1]}")  # a line that wraps can't be drawn over
            self._drawn = True
        else:
            self._stream.write(line + "\n")
        self._stream.flush()

    def finished(self, manifest: Manifest, was_stored: bool) -> None:
        self._clear()
        name = batch_name(manifest.stage, manifest.batch)
        took = "stored" if was_stored else f"{manifest.seconds:.1f} s"
        self.say(f"{name:{_WIDTH}} {counts(manifest)}  [{took}]")

    def say(self, sentence: str) -> None:
        """One line."""
        self._clear()
        self._stream.write(sentence + "\n")
        self._stream.flush()
        self._shown = time.monotonic()

    def _clear(self) -> None:
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._drawn = False


class SpokenWarnings(logging.Handler):
    """Says what a package warns of while a stage is at work, such as an endpoint that fails and holds everything up."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(logging.WARNING)
        self._terminal = terminal

    def emit(self, record: logging.LogRecord) -> None:
        said = getattr(record, _OF_DAGSTER, {}).get("orig_message", record.getMessage())
        self._terminal.say(f"WARNING: {said}")


def say_warnings(terminal: Terminal) -> None:
    """From now on the terminal says what models and servers give reason to warn of."""
    logging.getLogger("environment").addHandler(SpokenWarnings(terminal))


def counts(manifest: Manifest) -> str:
    """Such as `780 of 800: 12 reference, 8 mutant`."""
    if manifest.rows_out == manifest.rows_in:
        return f"{manifest.rows_out}"
    dropped = ", ".join(f"{count} {reason}" for reason, count in manifest.dropped.items())
    return f"{manifest.rows_out} of {manifest.rows_in}: {dropped}"


def duration(seconds: float) -> str:
    """Such as `40 s`, `12 min` or `3.5 h`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 100 * 60 else f"{seconds / 3600:.1f} h"


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows as aligned columns; the first is the head."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
