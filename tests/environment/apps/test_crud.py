"""Crud: declared collections answer, page, narrow, clear and refuse, in any vendor's envelope."""

from __future__ import annotations

import json
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

import pytest
from pydantic import Field, ValidationError

from environment.apps.crud import NumericId, Style, crud, shown
from environment.apps.guide import Hint
from environment.apps.kit import App, AppError, Call, Response, digits_id, explain
from environment.apps.paging import Page, cursors, link, offsets, page_numbers, whole_list
from environment.server import Server, parse_now
from environment.specs import function_spec
from environment.tools import ActionTools
from environment.world import Base, Row, World

NOW = "2026-03-04T09:20:00+02:00"


class Project(Row):
    id: str
    name: str


class Todo(Row):
    id: str
    project_id: str
    title: str = Field(min_length=1, max_length=20)
    note: str | None = "none yet"
    color: str = "grey"
    owner_ids: tuple[NumericId, ...] = ()
    points: int | None = None
    state: Literal["open", "done"] = "open"
    created_at: str = ""
    updated_at: str = ""


class Person(Row):
    id: NumericId
    name: str
    boss_id: NumericId | None = None


def _many(page: Page) -> Any:
    return {page.plural: page.records, "count": page.total, "next": page.next, "previous": page.previous}


def _no_merging_back(call: Call, before: Todo | None, after: Todo) -> Todo:
    if before and before.state == "done" and after.state == "open":
        raise AppError(409, "done is done")
    return after


WRAPPED = Style(
    one=lambda noun, record: {noun: record},
    many=_many,
    paging=page_numbers(default=2, most=3),
    wrapped=True,
    update_method="PUT",
    deleted=Response(200, {"deleted": True}),
    missing=lambda noun, key: AppError(404, f"no {noun}"),
    invalid=lambda error: AppError(422, explain(error)),
)
PLAIN = Style()


def _app(*routes: Any, **more: Any) -> App:
    return App(
        name="desk",
        title="Desk",
        host="desk.example",
        base_path="/v1",
        rows=(Project, Todo, Person),
        ids={Project: digits_id("P", 3), Todo: digits_id("T", 3), Person: digits_id("90", 3)},
        routes=routes,
        error_body=lambda error: {"error": error.message},
        **more,
    )


APP = _app(
    *crud(Project, PLAIN, "list", "get", "create", "update", "delete", writable=("name",), required=("name",)),
    *crud(
        Person, WRAPPED, "list", "create", "update", plural="people", writable=("name", "boss_id"), required=("name",)
    ),
    *crud(
        Todo,
        WRAPPED,
        *("list", "get", "create", "update", "delete"),
        path="/projects/{project_id}/todos",
        parent=Project,
        writable=("title", "note", "color", "owner_ids", "points", "state"),
        required=("title",),
        filters=("state", "points"),
        rule=_no_merging_back,
    ),
    argument_error=WRAPPED.invalid,
)
ROWS: dict[str, Any] = {
    "Project": [{"id": "P001", "name": "Roof"}, {"id": "P002", "name": "Cellar"}],
    "Todo": [
        {"id": f"T00{n}", "project_id": "P002" if n == 5 else "P001", "title": f"Tile {n}", "points": n % 2 or None}
        for n in range(1, 7)
    ],
    "Person": [{"id": "90001", "name": "Ann"}, {"id": "90002", "name": "Bo", "boss_id": "90001"}],
}
TODOS = "/projects/P001/todos"


class Desk:
    """One episode at the desk."""

    def __init__(self, app: App = APP) -> None:
        kinds = {"desk": {kind.__name__: kind for kind in app.rows}}
        self.world = World(Base({"desk": ROWS}, kinds), parse_now(NOW))
        self.app, self.server = app, Server((app,), self.world, {})

    def __call__(self, method: str, path: str, params: Any = None, body: Any = None) -> tuple[int, Any]:
        answer = self.server.fetch(method, f"https://desk.example/v1{path}", params, body)
        return answer.status, answer.body


def _titles(answer: tuple[int, Any]) -> list[str]:
    return [record["title"] for record in answer[1]["todos"]]


def test_plain_style_answers_bare_rows() -> None:
    desk = Desk()
    assert desk("GET", "/projects") == (200, ROWS["Project"])
    assert desk("GET", "/projects/P002") == (200, ROWS["Project"][1])
    assert desk("POST", "/projects", None, {"name": "Barn"}) == (201, {"id": "P003", "name": "Barn"})
    assert desk("PATCH", "/projects/P003", None, {"name": "Shed"}) == (200, {"id": "P003", "name": "Shed"})
    assert desk("DELETE", "/projects/P003") == (204, None)
    assert desk("GET", "/projects/P003")[0] == 404
    assert desk("POST", "/projects", None, {"name": "Hut"})[1]["id"] == "P004"


def test_wrapped_style_takes_and_gives_the_noun() -> None:
    desk = Desk()
    status, body = desk("POST", TODOS, None, {"todo": {"title": "Gutter", "owner_ids": [90001]}})
    assert status == 201
    assert body["todo"]["owner_ids"] == [90001] and body["todo"]["project_id"] == "P001"
    assert desk("GET", f"{TODOS}/{body['todo']['id']}") == (200, body)
    assert desk("DELETE", f"{TODOS}/T001") == (200, {"deleted": True})
    assert desk("POST", TODOS, None, {"title": "Gutter"})[0] == 422


def test_numeric_ids_are_digits_in_rows_and_numbers_in_answers() -> None:
    desk = Desk()
    assert desk("GET", "/people")[1]["people"][1] == {"id": 90002, "name": "Bo", "boss_id": 90001}
    assert desk("POST", "/people", None, {"person": {"name": "Cy", "boss_id": 90002}})[1]["person"]["id"] == 90003
    assert desk.world.changes()[0].after == {"id": "90003", "name": "Cy", "boss_id": "90002"}
    assert desk("PUT", "/people/90003", None, {"person": {"boss_id": "soon"}})[0] == 422
    assert shown(Person(id="7", name="x")) == {"id": 7, "name": "x", "boss_id": None}


def test_absent_is_left_alone_and_null_clears() -> None:
    desk = Desk()
    path = f"{TODOS}/T001"
    desk("PUT", path, None, {"todo": {"note": "wet", "color": "red", "points": 5}})
    assert desk("PUT", path, None, {"todo": {"title": "Tile"}})[1]["todo"]["note"] == "wet"
    cleared = desk("PUT", path, None, {"todo": {"note": None, "color": None, "points": None}})[1]["todo"]
    assert (cleared["note"], cleared["color"], cleared["points"]) == (None, "grey", None)
    assert desk("PUT", path, None, {"todo": {"title": None}})[0] == 422


def test_time_stamps_follow_changes_only() -> None:
    desk = Desk()
    made = desk("POST", TODOS, None, {"todo": {"title": "Gutter"}})[1]["todo"]
    assert made["created_at"] == made["updated_at"] == "2026-03-04T07:20:01Z"
    path = f"{TODOS}/{made['id']}"
    assert desk("PUT", path, None, {"todo": {"title": "Gutter"}})[1]["todo"] == made
    later = desk("PUT", path, None, {"todo": {"points": 3}})[1]["todo"]
    assert (later["created_at"], later["updated_at"]) == (made["created_at"], "2026-03-04T07:20:03Z")


def test_a_rule_sees_both_rows_and_refuses() -> None:
    desk = Desk()
    path = f"{TODOS}/T001"
    assert desk("PUT", path, None, {"todo": {"state": "done"}})[0] == 200
    assert desk("PUT", path, None, {"todo": {"state": "open"}}) == (409, {"error": "done is done"})
    assert desk.world.changes()[0].after["state"] == "done"  # type: ignore[index]


def test_lists_stay_within_their_parent_and_filters() -> None:
    desk = Desk()
    assert _titles(desk("GET", TODOS, {"per_page": 3})) == ["Tile 1", "Tile 2", "Tile 3"]
    assert _titles(desk("GET", "/projects/P002/todos")) == ["Tile 5"]
    assert _titles(desk("GET", TODOS, {"points": "1"})) == ["Tile 1", "Tile 3"]
    assert _titles(desk("GET", TODOS, {"points": 1, "state": "done"})) == []
    assert desk("GET", TODOS, {"state": "asleep"})[0] == 422
    assert desk("GET", "/projects/P009/todos") == (404, {"error": "no project"})
    assert desk("POST", "/projects/P009/todos", None, {"todo": {"title": "x"}}) == (404, {"error": "no project"})
    assert desk("GET", "/projects/P002/todos/T001") == (404, {"error": "no todo"})
    assert desk("DELETE", "/projects/P002/todos/T001")[0] == 404


@pytest.mark.parametrize(
    ("params", "titles", "after", "before"),
    [
        ({}, [1, 2], {"page": 2}, None),
        ({"page": 2}, [3, 4], {"page": 3}, {"page": 1}),
        ({"page": "3"}, [6], None, {"page": 2}),
        ({"page": 9**30}, [], None, {"page": 2}),
        ({"page": -4, "per_page": 0}, [1], {"page": 2}, None),
        ({"per_page": 900}, [1, 2, 3], {"page": 2}, None),
    ],
)
def test_page_numbers_reach_every_record_once(params: Any, titles: Any, after: Any, before: Any) -> None:
    answer = Desk()("GET", TODOS, params)
    assert _titles(answer) == [f"Tile {number}" for number in titles]
    assert answer[1]["count"] == 5
    assert answer[1]["next"] == after
    assert (answer[1]["previous"] is None) == (before is None)


@pytest.mark.parametrize("paging", [page_numbers(size="limit"), offsets(), cursors(), whole_list()])
def test_following_next_reads_the_whole_list_in_order(paging: Any) -> None:
    app = _app(*crud(Todo, Style(many=_many, paging=paging), "list"))
    desk, read, more = Desk(app), [], {}
    while more is not None:
        limit = {} if not paging.fields else {"limit": 4}
        body = desk("GET", "/todos", {**limit, **more})[1]
        read += [record["id"] for record in body["todos"]]
        more = body["next"]
    assert read == [row["id"] for row in ROWS["Todo"]]


def test_a_cursor_of_another_list_is_refused() -> None:
    desk = Desk(_app(*crud(Todo, Style(many=_many, paging=cursors()), "list")))
    assert desk("GET", "/todos", {"after": "P001"})[0] == 400


def test_a_link_can_be_followed_whatever_was_asked() -> None:
    desk = Desk()
    asked = {"name": "a&b=c é", "page[size]": 2, "odd": "\ud800"}
    address = link("https://desk.example/v1/projects", asked)
    assert dict(parse_qsl(urlsplit(address).query)) == {"name": "a&b=c é", "page[size]": "2", "odd": "?"}
    assert desk.server.fetch("GET", address).status == 422


def test_routes_are_tools_where_that_is_asked() -> None:
    fields: Any = {"writable": ("project_id", "title", "owner_ids"), "required": ("project_id", "title")}
    app = _app(*crud(Todo, PLAIN, "list", "create", "update", as_action=True, **fields))
    desk = Desk(app)
    spec = {action.name: function_spec(action.name, action.doc, action.args) for action in app.all_actions}
    shape = spec["desk_create_todo"]["function"]
    assert shape["description"] == "Create a todo."
    assert shape["parameters"]["required"] == ["project_id", "title"]
    assert shape["parameters"]["properties"]["owner_ids"] == {
        "type": "array",
        "items": {"type": "string"},
        "description": "Owner ids",
    }
    tools = ActionTools(desk.server, (app,), ("desk_create_todo",))
    made = json.loads(tools.call("desk_create_todo", {"project_id": "P001", "title": "Gutter"}))
    assert made["title"] == "Gutter"


@pytest.mark.parametrize(
    "declaration",
    [{"writable": ("colour",)}, {"filters": ("owner_ids",)}, {"required": ("title",)}, {"path": "/{house_id}/todos"}],
)
def test_a_declaration_that_does_not_fit_the_row_is_refused(declaration: Any) -> None:
    with pytest.raises(ValueError, match="crud\\(Todo\\)"):
        crud(Todo, PLAIN, "list", **declaration)


@pytest.mark.parametrize(
    "body",
    [
        *(None, [], "x", {"todo": None}, {"todo": "x"}, {"todo": {}}, {"todo": {"colour": 1}}, {"todo": {"title": {}}}),
        *({"todo": {"title": "x" * 10**6}}, {"todo": {"title": "x", "owner_ids": "1"}}),
    ],
)
def test_a_body_of_any_shape_is_refused_in_the_vendors_way(body: Any) -> None:
    desk = Desk()
    assert desk("POST", TODOS, None, body)[0] in (400, 422)
    assert desk.world.changes() == ()


def test_numeric_id_refuses_words() -> None:
    with pytest.raises(ValidationError):
        Person(id="x1", name="x")


def test_an_endpoint_says_what_it_answers_and_shows_an_example_that_is_accepted() -> None:
    more: Any = {"writable": ("name", "boss_id"), "plural": "people", "tells": ("id", "name")}
    example = {"name": "Bo", "boss_id": 1}
    routes = crud(Person, WRAPPED, "list", "create", "update", "delete", example=example, keywords="staff", **more)
    assert [(route.hint, route.keywords) for route in routes] == [
        (Hint("{people: [{id, name}], count, next, previous}"), "staff"),
        (Hint("{person: {id, name}}", body={"person": example}), "staff"),
        (Hint("{person: {id, name}}", body={"person": {"boss_id": 1}}), "staff"),
        (Hint("{deleted}"), "staff"),
    ]
