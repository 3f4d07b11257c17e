"""A small world with a few rows of every application, for tests that hold for all of them."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from environment.apps import APPS

ACTOR = {"name": "Pat Moss", "email": "pat@tarnwick.example", "company": "Tarnwick", "domain": "tarnwick.example"}
NOW = "2026-03-04T09:20:00+00:00"


def sample_of(app: str) -> ModuleType:
    """The module with an application's rows and arguments. Raises LookupError that says what to write."""
    name = f"tests.environment.samples.{app}"
    try:
        sample = import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise LookupError(_WANTED.format(app=app)) from None
    if not {"ROWS", "MEANT"} <= vars(sample).keys():
        raise LookupError(_WANTED.format(app=app))
    return sample


_WANTED = (
    "{app} is not in the sample world; write tests/environment/samples/{app}.py with ROWS (collection -> a few rows) "
    "and MEANT (argument of its routes and actions -> values that make sense there)"
)

WORLD: dict[str, dict[str, tuple[dict[str, Any], ...]]] = {app.name: sample_of(app.name).ROWS for app in APPS}

MEANT: dict[str, dict[str, list[Any]]] = {app.name: sample_of(app.name).MEANT for app in APPS}
"""Application -> argument -> values that make sense there."""

WORDS = (
    *("ann@tarnwick.example", "ann@larkfield.example", "me", "Haddad", "RMA-553"),
    *("2026-03-04", "2026-03-04T09:00:00Z", "2026-03-05T09:00:00Z"),
)
"""Values that mean something in this world, besides the ids of its rows and what is meant for an argument."""
