"""A place is where in a source something stands: a line of a file, a row of a table, a task's folder."""

from __future__ import annotations

from typing import Literal, NamedTuple, NoReturn


class Place(NamedTuple):
    """One of the things that a source lists."""

    source: str
    """Path or package."""
    unit: Literal["line", "row", "task"]
    number: int
    """From 1."""

    def refuse(self, sentence: str) -> NoReturn:
        """Raises ValueError: `public.jsonl line 7 is not JSON; ...`."""
        raise ValueError(f"{self.source} {self.unit} {self.number} {sentence}")
