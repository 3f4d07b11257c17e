"""A zone is an IANA time zone, read from the installed tzdata package so that every machine has the same rules."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo


def find_zone(name: str) -> ZoneInfo | None:
    """The zone of this name, such as Europe/Berlin; None when there is none."""
    return _load(name) if name in _names() else None


@cache
def _load(name: str) -> ZoneInfo:
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as rules:
        return ZoneInfo.from_file(rules, key=name)


@cache
def _names() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text("utf-8").split())
