"""The worked example of docs/adding-an-application.md does what the page says."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from environment.apps.kit import App
from environment.server import Server, parse_now
from environment.specs import function_spec
from environment.tools import ActionTools
from environment.world import Base, World

_ROOT = Path(__file__).parent.parent
_PAGE = (_ROOT / "docs/adding-an-application.md").read_text("utf-8")


def _block(language: str) -> str:
    """The only block of the page in this language."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", _PAGE, re.DOTALL | re.MULTILINE)
    return block


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> App:
    """The page's application, imported as a module of its own."""
    (tmp_path / "parcels_of_the_page.py").write_text(_block("python"), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return importlib.import_module("parcels_of_the_page").APP


def _server(app: App) -> tuple[World, Server]:
    kinds = {app.name: {kind.__name__: kind for kind in app.rows}}
    world = World(Base({app.name: json.loads(_block("json"))}, kinds), parse_now("2026-03-04T09:20:00+00:00"))
    return world, Server((app,), world, {})


def test_the_example_answers_as_shown(app: App) -> None:
    _, server = _server(app)
    exchanges = _block("http").strip().split("\n\n")
    assert len(exchanges) >= 8
    for exchange in exchanges:
        request, answer = exchange.splitlines()
        method, path, *body = request.split(" ", 2)
        found = server.fetch(method, app.url(path), None, json.loads(body[0]) if body else None)
        status, shown = answer.split(" ", 1)
        assert (found.status, found.body) == (int(status), json.loads(shown)), request


def test_the_example_is_within_the_limits_it_names(app: App) -> None:
    assert 60 <= len(_block("python").splitlines()) <= 110
    for action in app.all_actions:
        spec: Any = function_spec(action.name, action.doc, action.args)["function"]
        assert len(spec["description"].split()) <= 10
        assert all(len(shape["description"].split()) <= 5 for shape in spec["parameters"]["properties"].values())


def test_the_examples_action_finds_what_waits(app: App) -> None:
    world, server = _server(app)
    answer = ActionTools(server, (app,), ("parcels_find",)).call("parcels_find", {"recipient": "Oren Haddad"})
    assert json.loads(answer) == [{"id": "PA000001", "shelf": "SH001"}]
    assert world.changes() == ()


def test_what_the_page_points_at_is_there() -> None:
    paths = re.findall(r"`((?:environment|tests)/[\w./]+(?:\.\w+|/))`", _PAGE)
    assert paths
    assert [path for path in paths if not (_ROOT / path).exists()] == []
