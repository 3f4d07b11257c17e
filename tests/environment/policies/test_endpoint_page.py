"""What the page on endpoints says of settings and failures is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from environment.attempt import Failure
from environment.policies.endpoint import Endpoint

PAGE = (Path(__file__).parents[3] / "docs" / "endpoints.md").read_text("utf-8")


def first_cells(heading: str) -> list[str]:
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_every_setting_is_in_the_table() -> None:
    assert sorted(first_cells("Settings")) == sorted(Endpoint.model_fields)


def test_every_kind_of_failure_is_in_the_table() -> None:
    assert first_cells("What left an attempt unscored") == list(get_args(Failure))


def test_defaults_are_those_of_the_table() -> None:
    needed = {"base_url": "http://a/v1", "model": "m", "revision": "r", "temperature": 1, "max_tokens": 9}
    defaults = Endpoint.model_validate(needed)
    seen = 0
    for row in PAGE.splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        names = re.findall(r"`(\w+)`", cells[0])
        if len(cells) == 3 and names and names[0] not in needed and names[0] in Endpoint.model_fields:
            seen += 1
            told = cells[1].replace("`", "").split(", ")
            assert told == [shown(getattr(defaults, name)) for name in names]
    assert seen > 8


def shown(value: object) -> str:
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value).lower()
