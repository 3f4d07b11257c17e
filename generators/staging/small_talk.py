"""Small talk is prose that has nothing to do with the task."""

from __future__ import annotations

from generators.family import Scene


def unrelated_text(scene: Scene, sentences: int) -> str:
    """So many sentences on one topic."""
    return " ".join(scene.phrase("shared/unrelated_mail", number=scene.rng.randint(2, 99)) for _ in range(sentences))
