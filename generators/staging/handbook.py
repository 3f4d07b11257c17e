"""A handbook is a company's clauses about desks, badges, parking and the like, none of which a task asks about."""

from __future__ import annotations

from dataclasses import dataclass

from generators.family import Scene
from generators.staging.sentences import topics
from generators.staging.small_talk import small_talk


@dataclass(frozen=True, slots=True)
class Clause:
    """One section."""

    title: str
    """None of a task's clauses has that of another."""
    text: str


def filler_clauses(scene: Scene, count: int, sentences: int) -> tuple[Clause, ...]:
    """`count` clauses of `sentences` sentences each, on as many matters as there are."""
    talk = small_talk(scene)
    matters = list(topics("shared/handbook"))
    scene.rng.shuffle(matters)
    clauses = []
    for place in range(count):
        matter = matters[place % len(matters)]
        name = matter.rpartition("/")[2].replace("_", " ").capitalize()
        if place >= len(matters):
            section = talk.line("shared/sections")
            name = f"{name}, {section[0].lower()}{section[1:]}"
        clauses.append(Clause(name, " ".join(talk.line(matter) for _ in range(sentences))))
    return tuple(clauses)
