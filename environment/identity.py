"""A key that stands for one object itself, so that what is made of a record can be kept without comparing records."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Identity(Generic[T]):
    """Equal to another key of the very same object; the object lives as long as the key does."""

    __slots__ = ("of",)

    def __init__(self, of: T) -> None:
        self.of = of

    def __hash__(self) -> int:
        return id(self.of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.of is self.of
