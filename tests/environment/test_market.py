"""Vendors' rarer habits: what is said in headers."""

from __future__ import annotations

import json
import re
from typing import Any

from environment.server import Server, parse_now
from environment.tools import ActionTools, ApiTools
from environment.world import Base, World
from tests.environment.market import APP, Stall

_URL = "https://api.market.example/v2"


class _Desk:
    def __init__(self) -> None:
        rows = {"Stall": tuple({"id": f"ST{number}", "name": f"Stall {number}"} for number in range(1, 6))}
        world = World(Base({"market": rows}, {"market": {"Stall": Stall}}), parse_now("2026-03-04T09:20:00+00:00"))
        server = Server((APP,), world, {})
        self.api = ApiTools(server, (APP,))
        self.actions = ActionTools(server, (APP,), tuple(action.name for action in APP.all_actions))

    def fetch(self, method: str, path: str, **more: Any) -> Any:
        return json.loads(self.api.call("api_fetch", {"method": method, "url": _URL + path, **more}))

    def act(self, action: str, /, **arguments: Any) -> Any:
        return json.loads(self.actions.call(action, arguments))


def test_pages_are_found_by_the_links_in_the_header() -> None:
    desk, path, names, turns = _Desk(), "/stalls?limit=2", [], 0
    while path:
        answer = desk.fetch("GET", path)
        names += [stall["name"] for stall in answer["body"]]
        links = {rel: url for url, rel in re.findall(r'<(.*?)>; rel="(\w+)"', answer["headers"]["Link"])}
        path = links.get("next", "").removeprefix(_URL)
        turns += 1
    assert (names, turns) == ([f"Stall {number}" for number in range(1, 6)], 3)
    assert links == {"prev": f"{_URL}/stalls?page=2&limit=2"}


def test_an_answer_without_headers_is_its_body() -> None:
    desk = _Desk()
    assert desk.fetch("GET", "/stalls?limit=9") == desk.fetch("GET", "/stalls?limit=50")
    assert desk.fetch("GET", "/stalls/ST2") == {"id": "ST2", "name": "Stall 2"}


def test_what_was_created_is_named_in_a_header_for_both_toolsets() -> None:
    desk = _Desk()
    assert desk.fetch("POST", "/stalls", body='{"name": "Nuts"}') == {"headers": {"x-market-id": "ST6"}, "body": None}
    assert desk.act("market_open_stall", name="Figs") == {"id": "ST7"}
    assert desk.fetch("GET", "/stalls/ST7") == {"id": "ST7", "name": "Figs"}
