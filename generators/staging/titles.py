"""A title is what a published piece is called; two pieces of one series have titles of which one begins the other."""

from __future__ import annotations

from dataclasses import dataclass

from generators.family import Scene

_LOOKS = (
    "Quiet Modern Simple Clever Honest Sturdy Gentle Lasting Careful Playful Curious Patient Frugal Elegant Nimble "
    "Humble Vivid Mellow Rugged Tidy"
).split()
_MATTERS = (
    "engines kitchens bridges gardens pumps windows markets recipes harbours textiles machines colours workshops "
    "journeys packages tables rivers orchards printers cities ladders lanterns seasons mirrors boats offices lamps "
    "roofs staircases bakeries"
).split()
_SEQUELS = ("abroad", "at home", "for schools", "in winter", "at night", "for beginners")
_OWN = 12


@dataclass(frozen=True, slots=True)
class Titles:
    """Titles of one task that were not used yet."""

    own: list[str]
    """About matters that no other title is about."""
    others: list[str]

    @classmethod
    def draw(cls, scene: Scene) -> Titles:
        """Twelve titles that can be searched for, and many others."""
        matters = scene.rng.sample(_MATTERS, len(_MATTERS))
        own = [f"{scene.rng.choice(_LOOKS)} {matter}" for matter in matters[:_OWN]]
        others = [f"{look} {matter}" for look in _LOOKS for matter in matters[_OWN:]]
        return cls(own, scene.rng.sample(others, len(others)))


def sequels(scene: Scene, title: str, count: int) -> list[str]:
    """Longer titles, up to six, that begin with this one."""
    return [f"{title} {sequel}" for sequel in scene.rng.sample(_SEQUELS, count)]
