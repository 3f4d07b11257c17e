"""Vendors' rarer habits: headers, forms, wrapped bodies, query languages."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from environment.server import Server, parse_now
from environment.tools import ActionTools, ApiTools
from environment.world import Base, World
from tests.environment.market import APP

_URL = "https://api.market.example/v2"


class _Desk:
    def __init__(self) -> None:
        rows = {"Stall": tuple({"id": f"ST{number}", "name": f"Stall {number}"} for number in range(1, 6))}
        kinds = {"market": {kind.__name__: kind for kind in APP.rows}}
        world = World(Base({"market": rows}, kinds), parse_now("2026-03-04T09:20:00+00:00"))
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


@pytest.mark.parametrize(
    "body",
    [
        "amount=1250&paid=true&tags[]=a&tags[]=b&card[name]=Ann+Lee&lines[0][sku]=fig&lines[1][sku]=nut",
        "amount=1250&paid=true&tags=a&tags=b&card%5Bname%5D=Ann%20Lee&lines[][sku]=fig&lines[][sku]=nut",
        '{"amount": 1250, "paid": true, "tags": ["a", "b"], "card[name]": "Ann Lee", "lines[0]": {"sku": "fig"},'
        ' "lines[1][sku]": "nut"}',
        {
            "amount": "1250",
            "paid": True,
            "tags": ["a", "b"],
            "card": {"name": "Ann Lee"},
            "lines": [{"sku": "fig"}, {"sku": "nut"}],
        },
    ],
)
def test_a_form_is_read_however_it_is_spelled(body: Any) -> None:
    sale = {"id": "SA1", "amount": 1250, "paid": True, "tags": ["a", "b"], "card": {"name": "Ann Lee"}}
    assert _Desk().fetch("POST", "/sales", body=body) == {**sale, "lines": [{"sku": "fig"}, {"sku": "nut"}]}


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("amount=12&amount[pence]=3", "amount is given both as a whole and in parts"),
        ("amount[pence]=3&amount=12", "amount is given both as a whole and in parts"),
        ("amount=x", "'amount': Input should be a valid integer, unable to parse string as an integer"),
        ("amount=1&colour[x]=red", "unknown argument 'colour'"),
        ("amount=1&colour[=red", "unknown argument 'colour['"),
        ("a" + "[b]" * 20_000 + "=1", "missing argument 'amount'"),
        ("&".join(f"tags[{number}]=x" for number in range(3000)), "a form may have 1000 fields"),
        ("amount", "'amount': Input should be a valid integer"),
        ("{amount", "body is not valid JSON"),
        ("[1]", "missing argument 'amount'"),
    ],
)
def test_a_wrong_form_is_refused_in_words(body: str, sentence: str) -> None:
    error = _Desk().fetch("POST", "/sales", body=body)["error"]
    assert (error["code"], error["message"][: len(sentence)]) == (400, sentence)


def test_names_in_a_query_string_lie_in_one_another_too() -> None:
    desk = _Desk()
    for amount in (5, 10, 20):
        desk.act("market_make_sale", amount=amount)
    assert [sale["amount"] for sale in desk.fetch("GET", "/sales?amount[gte]=6&amount[lte]=19")] == [10]
    assert [sale["amount"] for sale in desk.fetch("GET", "/sales", params={"amount[gte]": 6})] == [10, 20]


def test_an_action_takes_the_fields_of_a_wrapped_body_as_its_own() -> None:
    desk = _Desk()
    assert desk.fetch("POST", "/traders", body={"trader": {"name": "Ann"}})["trader"]["id"] == "TR1"
    assert desk.act("market_create_trader", name="Bo", phone="555-0142")["trader"]["id"] == "TR2"
    changed = desk.act("market_update_trader", id="TR2", phone=None)
    assert changed == {"trader": {"id": "TR2", "name": "Bo", "phone": None}}
    assert desk.act("market_update_trader", id="TR2", trader={})["error"] == "unknown argument 'trader'"
    action = next(action for action in APP.all_actions if action.name == "market_update_trader")
    assert list(action.args.model_fields) == ["id", "name", "phone"]


def test_queries_are_answered_with_errors_beside_data_and_refused_to_an_action() -> None:
    desk = _Desk()
    body = desk.fetch("POST", "/graphql", body={"query": "openStall stalls"})
    assert body["errors"] == [{"message": "openStall needs a name", "path": ["openStall"]}]
    assert len(body["data"]["stalls"]) == 5
    assert desk.act("market_ask", query="openStall")["error"] == "openStall needs a name"
    assert desk.act("market_ask", query="openStall", variables={"name": "Figs"})["openStall"]["name"] == "Figs"
