"""Clauses of a company handbook that have nothing to do with any task."""

from __future__ import annotations

from dataclasses import dataclass

from generators.family import Scene
from generators.staging.small_talk import unrelated_text


@dataclass(frozen=True, slots=True)
class Clause:
    title: str
    text: str


def filler_clauses(scene: Scene, count: int, sentences: int) -> tuple[Clause, ...]:
    """So many clauses of so many sentences."""
    return tuple(Clause(scene.phrase("shared/unrelated_subject"), unrelated_text(scene, sentences)) for _ in range(count))
