"""A watched ledger is read while another process writes it: what is new since the last look, without any lock."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from environment.ledger import AttemptLine, Key, Plan, line_of_json, lines_of_part


class WatchedLedger:
    """The ledger in a folder, which need not be there yet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: dict[Key, AttemptLine] = {}
        self._parts: set[Path] = set()
        self._read: dict[Path, int] = {}
        """Bytes of each segment that were read."""

    def look(self) -> None:
        """Takes up what was written since the last look."""
        for path in sorted(self._folder.glob("segments/segment-*.jsonl")):
            for line in self._new_lines(path):
                self._lines.setdefault(line.key, line)
        for path in sorted(self._folder.glob("parts/part-*.parquet")):
            if path not in self._parts:
                self._parts.add(path)
                for line in lines_of_part(path):
                    self._lines.setdefault(line.key, line)

    def lines(self, policy: str, purpose: str) -> tuple[AttemptLine, ...]:
        """One policy's attempts of a purpose, as of the last look."""
        return tuple(line for line in self._lines.values() if (line.policy, line.purpose) == (policy, purpose))

    def policies(self) -> tuple[str, ...]:
        """Keys of all policies that have attempts here, as of the last look."""
        return tuple(sorted({policy for policy, _, _ in self._lines}))

    def newest_plan(self, purpose: str) -> Plan | None:
        """The plan that was stored last, None before the first."""
        paths = sorted(
            self._folder.glob(f"plans/{purpose}.*.[0-9]*.json"), key=lambda path: (path.stat().st_mtime_ns, path.name)
        )
        return Plan.model_validate_json(paths[-1].read_text(encoding="utf-8")) if paths else None

    def last_written(self) -> float | None:
        """When attempts were written last, in seconds since 1970; None before the first."""
        moments = []
        for path in (*self._folder.glob("segments/segment-*.jsonl"), *self._folder.glob("parts/part-*.parquet")):
            with suppress(FileNotFoundError):  # compacted meanwhile
                moments.append(path.stat().st_mtime)
        return max(moments, default=None)

    def _new_lines(self, path: Path) -> Iterator[AttemptLine]:
        """Whole lines of a segment that come after those read; one that was compacted meanwhile is in a part."""
        try:
            segment = path.open("rb")
        except FileNotFoundError:
            return
        with segment:
            segment.seek(self._read.get(path, 0))
            while (text := segment.readline()).endswith(b"\n"):
                self._read[path] = segment.tell()
                yield line_of_json(json.loads(text))
