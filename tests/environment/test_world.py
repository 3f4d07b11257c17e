"""Worlds, tables and the server, on a toy helpdesk."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from environment.apps.kit import Action, AppError, Fetch
from environment.server import TICK, Server, parse_now
from environment.tools import ActionTools, ApiTools
from environment.world import Base, RowT, RowTypes, Tables, World
from tests.environment.helpdesk import APP, Answer, OneTicket, Ticket

_NOW = parse_now("2026-03-04T09:20:00+01:00")
_TYPES: RowTypes = {"helpdesk": {"Ticket": Ticket, "Answer": Answer}}
_TICKETS = ("helpdesk", "Ticket")
_ROWS = tuple(
    {"id": f"TCK-{number:03d}", "subject": f"Fault {number}", "priority": ("low", "urgent")[number % 2]}
    for number in (1, 2, 3, 4)
)


def _base() -> Base:
    return Base({"helpdesk": {"Ticket": _ROWS}}, _TYPES)


def _world(base: Base | None = None) -> World:
    return World(base or _base(), _NOW)


def _tables(world: World) -> Tables:
    return Tables(world, "helpdesk", APP.ids)


def _server(world: World) -> Server:
    return Server((APP,), world, {"name": "Pat", "email": "pat@x.example", "company": "X", "domain": "x.example"})


def _found(tables: Tables, kind: type[RowT], key: str) -> RowT:
    row = tables.find(kind, key)
    assert row is not None
    return row


def _ids(rows: Any) -> list[str]:
    return [row.id for row in rows]


# --- base ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"helpdesk": {"Tickets": ()}}, "helpdesk has no collection 'Tickets'"),
        ({"crm": {"Lead": ()}}, "crm has no collection 'Lead'"),
        ({"helpdesk": {"Ticket": ({"id": "TCK-001"},)}}, "helpdesk.Ticket row .* does not fit"),
        ({"helpdesk": {"Ticket": ({**_ROWS[0], "colour": "red"},)}}, "helpdesk.Ticket row .* does not fit"),
        ({"helpdesk": {"Ticket": (_ROWS[0], _ROWS[0])}}, "two rows with id 'TCK-001'"),
    ],
)
def test_rows_that_do_not_fit_are_refused_by_name(rows: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Base(rows, _TYPES)


def test_a_row_changes_only_to_acceptable_values() -> None:
    ticket = Ticket(id="TCK-001", subject="Fault")
    assert ticket.change(priority="urgent").priority == "urgent"
    with pytest.raises(ValidationError):
        ticket.change(priority="whenever")
    with pytest.raises(ValidationError):
        ticket.change(colour="red")


# --- journal ---------------------------------------------------------------------------------------------------------


def test_writes_stay_in_their_own_world() -> None:
    base = _base()
    written, other = _world(base), _world(base)
    tables = _tables(written)
    tables.put(Ticket(id="TCK-009", subject="New"))
    tables.put(_found(tables, Ticket, "TCK-001").change(subject="Changed"))
    tables.delete(_found(tables, Ticket, "TCK-002"))
    assert _ids(tables.all(Ticket)) == ["TCK-001", "TCK-003", "TCK-004", "TCK-009"]
    assert _found(tables, Ticket, "TCK-001").subject == "Changed"
    assert tables.find(Ticket, "TCK-002") is None
    assert [row.model_dump()["subject"] for row in other.all(_TICKETS)] == ["Fault 1", "Fault 2", "Fault 3", "Fault 4"]
    assert other.changes() == ()


def test_changes_say_what_was_and_what_is() -> None:
    world = _world()
    tables = _tables(world)
    tables.put(_found(tables, Ticket, "TCK-001").change(subject="Changed"))
    tables.delete(_found(tables, Ticket, "TCK-002"))
    tables.put(Ticket(id="TCK-009", subject="New"))
    told = [(c.id, c.before and c.before["subject"], c.after and c.after["subject"]) for c in world.changes()]
    assert told == [("TCK-001", "Fault 1", "Changed"), ("TCK-002", "Fault 2", None), ("TCK-009", None, "New")]


def test_rows_set_back_are_no_change() -> None:
    world = _world()
    tables = _tables(world)
    first = _found(tables, Ticket, "TCK-001")
    tables.put(first.change(subject="Changed"))
    tables.put(_found(tables, Ticket, "TCK-001").change(subject="Fault 1"))
    tables.delete(_found(tables, Ticket, "TCK-002"))
    tables.put(Ticket.model_validate(_ROWS[1]))
    tables.put(Ticket(id="TCK-009", subject="New"))
    tables.delete(_found(tables, Ticket, "TCK-009"))
    assert world.changes() == ()


def test_a_deleted_id_is_not_used_again() -> None:
    tables = _tables(_world())
    new = [tables.new_id(Ticket)]
    tables.put(Ticket(id=new[0], subject="New"))
    tables.delete(_found(tables, Ticket, new[0]))
    new.append(tables.new_id(Ticket))
    assert new == ["TCK-005", "TCK-006"]


def test_new_ids_step_over_those_taken() -> None:
    rows = ({"id": "TCK-002", "subject": "Fault"}, {"id": "TCK-003", "subject": "Fault"})
    tables = _tables(_world(Base({"helpdesk": {"Ticket": rows}}, _TYPES)))
    assert [tables.new_id(Ticket), tables.new_id(Ticket), tables.new_id(Answer)] == ["TCK-004", "TCK-005", "ANS-001"]


def test_ids_may_be_counted_within_something_and_step_over_what_is_taken_elsewhere() -> None:
    rows = ({"id": "OPS-1", "subject": "Fault"}, {"id": "OPS-7", "subject": "Fault"}, {"id": "FIN-2", "subject": "Fee"})
    tables = _tables(_world(Base({"helpdesk": {"Ticket": rows}}, _TYPES)))
    made = tables.put(Ticket(id=tables.new_id(Ticket, "OPS-{}".format, after=7), subject="New"))
    tables.delete(made)
    assert [made.id, tables.new_id(Ticket, "OPS-{}".format, after=7)] == ["OPS-8", "OPS-9"]
    assert tables.new_id(Ticket, "FIN-{}".format, after=1) == "FIN-3"
    assert tables.new_id(Ticket, taken={"TCK-004"}.__contains__) == "TCK-005"


def test_what_was_sent_survives_its_deletion() -> None:
    world = _world()
    tables = _tables(world)
    tables.send(Answer(id="ANS-001", ticket_id="TCK-001", text="Sorry"))
    tables.send(Answer(id="ANS-002", ticket_id="TCK-001", text="Sorry again"))
    tables.delete(_found(tables, Answer, "ANS-001"))
    assert tables.find(Answer, "ANS-001") is None
    assert [(c.id, c.sent, c.after and c.after["text"]) for c in world.changes()] == [
        ("ANS-001", True, "Sorry"),
        ("ANS-002", True, "Sorry again"),
    ]


_WRITES = st.lists(
    st.tuples(
        st.sampled_from([f"TCK-{number:03d}" for number in range(1, 8)]),
        st.sampled_from(["low", "normal", "urgent", None]),
    ),
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(_WRITES)
def test_any_writes_leave_what_a_dictionary_would_hold(writes: list[tuple[str, str | None]]) -> None:
    world = _world()
    tables = _tables(world)
    expected = {row["id"]: Ticket.model_validate(row) for row in _ROWS}
    before = dict(expected)
    for key, priority in writes:
        if priority is None and key in expected:
            tables.delete(expected.pop(key))
        elif priority is not None:
            ticket = expected.get(key) or Ticket(id=key, subject="New")
            expected[key] = tables.put(ticket.change(priority=priority))
    assert {row.id: row for row in tables.all(Ticket)} == expected
    for priority in ("low", "normal", "urgent"):
        found = tables.where(Ticket, "priority", priority)
        assert found == [row for row in tables.all(Ticket) if row.priority == priority]
    differing = {key for key in before.keys() | expected.keys() if before.get(key) != expected.get(key)}
    assert {change.id for change in world.changes()} == differing


@settings(max_examples=80, deadline=None)
@given(_WRITES)
def test_differences_asked_for_after_every_write_are_those_of_the_moment(writes: list[tuple[str, str | None]]) -> None:
    base = _base()
    often, once = _world(base), _world(base)
    for world in (often, once):
        tables = _tables(world)
        for key, priority in writes:
            ticket = tables.find(Ticket, key) or Ticket(id=key, subject="New")
            if priority is None:
                tables.delete(ticket)
            else:
                tables.put(ticket.change(priority=priority))
            if world is often:
                world.changes()
    assert often.changes() == once.changes()


def test_a_fork_goes_on_from_the_same_state_and_goes_its_own_way() -> None:
    world = _world()
    tables = _tables(world)
    tables.put(_found(tables, Ticket, "TCK-001").change(subject="Changed"))
    tables.send(Answer(id=tables.new_id(Answer), ticket_id="TCK-001", text="Sorry"))
    twin = world.fork()
    assert (twin.changes(), twin.now) == (world.changes(), world.now)
    before = world.changes()
    others = _tables(twin)
    assert others.new_id(Answer) == "ANS-002"
    others.delete(_found(others, Answer, "ANS-001"))
    others.put(_found(others, Ticket, "TCK-001").change(subject="Changed again"))
    others.put(_found(others, Ticket, "TCK-002").change(subject="Changed too"))
    assert world.changes() == before
    assert {change.id: change.after and change.after.get("subject") for change in twin.changes()} == {
        "TCK-001": "Changed again",
        "TCK-002": "Changed too",
        "ANS-001": None,
    }
    assert tables.new_id(Answer) == "ANS-002"


@settings(max_examples=80, deadline=None)
@given(_WRITES, _WRITES)
def test_undone_writes_leave_nothing_behind(
    kept: list[tuple[str, str | None]], undone: list[tuple[str, str | None]]
) -> None:
    world, other = _world(), _world()
    for each, writes in ((world, kept), (other, kept), (world, undone)):
        saved = each.save()
        tables = _tables(each)
        for key, priority in writes:
            ticket = tables.find(Ticket, key) or Ticket(id=tables.new_id(Ticket), subject="New")
            if priority is None:
                tables.delete(ticket)
            else:
                tables.send(ticket.change(priority=priority))
            tables.where(Ticket, "priority", "low")
    world.restore(saved)
    assert world.changes() == other.changes()
    mine, others = _tables(world), _tables(other)
    assert mine.all(Ticket) == others.all(Ticket)
    for priority in ("low", "normal", "urgent"):
        assert mine.where(Ticket, "priority", priority) == others.where(Ticket, "priority", priority)
    assert mine.new_id(Ticket) == others.new_id(Ticket)


def test_a_part_that_fails_is_undone_alone() -> None:
    tables = _tables(_world())
    with tables.whole():
        tables.put(Ticket(id=tables.new_id(Ticket), subject="First"))
    with suppress(AppError), tables.whole():
        tables.send(Answer(id=tables.new_id(Answer), ticket_id="TCK-005", text="Sorry"))
        raise AppError(422, "no answers today")
    with tables.whole():
        tables.put(Ticket(id=tables.new_id(Ticket), subject="Second"))
    assert [ticket.subject for ticket in tables.all(Ticket)[-2:]] == ["First", "Second"]
    assert (tables.all(Answer), tables.new_id(Answer)) == ([], "ANS-001")


def test_the_last_of_many_writes_and_searches_costs_what_the_first_does() -> None:
    rows = tuple({"id": f"TCK-{number:04d}", "subject": "Fault"} for number in range(4000))
    world = _world(Base({"helpdesk": {"Ticket": rows}}, _TYPES))
    tables = _tables(world)

    def seconds(first: int) -> float:
        started = time.process_time()
        for number in range(first, first + 200):
            world.save()
            tables.put(_found(tables, Ticket, f"TCK-{number:04d}").change(subject=f"Fault {number}"))
            assert [row.subject for row in tables.where(Ticket, "subject", f"Fault {number}")] == [f"Fault {number}"]
        return time.process_time() - started

    seconds(0)
    early = seconds(200)
    for number in range(400, 3800):
        tables.put(_found(tables, Ticket, f"TCK-{number:04d}").change(subject="Old"))
    assert seconds(3800) < 4 * early + 0.01


# --- server ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "url", "status", "says"),
    [
        ("GET", "https://acme.helpdesk.example/v1/tickets", 200, "Fault 1"),
        ("get", "https://ACME.helpdesk.example/v1/tickets/", 200, "Fault 1"),
        ("GET", "https://acme.helpdesk.example/v1/tickets?status=closed", 200, "[]"),
        ("GET", "https://acme.helpdesk.example/v1/tickets/TCK%2D001", 200, "Fault 1"),
        ("GET", "https://acme.helpdesk.example/v1/tickets/TCK-009", 404, "no ticket TCK-009"),
        ("GET", "https://acme.helpdesk.example/v1/tickets?status=ajar", 400, "status"),
        ("GET", "https://acme.helpdesk.example/v1/tickets?colour=red", 400, "unknown argument 'colour'"),
        ("PUT", "https://acme.helpdesk.example/v1/tickets", 405, "not allowed"),
        ("GET", "https://acme.helpdesk.example/v1/contacts", 404, "No such path"),
        ("GET", "https://acme.helpdesk.example/v2/tickets", 404, "No such path"),
        ("GET", "https://acme.evil.helpdesk.example/v1/tickets", 404, "Could not resolve"),
        ("GET", "https://[/v1", 404, "Could not resolve"),
        ("GET", "", 404, "Could not resolve"),
        ("GET", "https://acme.helpdesk.example/v1/tickets?" + "&".join(["a=1"] * 300), 400, "too many"),
    ],
)
def test_urls_are_answered(method: str, url: str, status: int, says: str) -> None:
    response = _server(_world()).fetch(method, url)
    assert response.status == status
    assert says in json.dumps(response.body)


def test_every_request_is_kept_and_moves_the_clock() -> None:
    world = _world()
    server = _server(world)
    server.fetch("POST", APP.url("/tickets"), None, {"subject": "New"})
    server.fetch("GET", "https://nowhere.example/")
    assert [(request.method, request.url) for request in server.requests] == [
        ("POST", "https://acme.helpdesk.example/v1/tickets"),
        ("GET", "https://nowhere.example/"),
    ]
    assert world.now == _NOW + 2 * TICK


def test_a_body_must_be_an_object() -> None:
    response = _server(_world()).fetch("POST", APP.url("/tickets"), None, ["New"])
    assert (response.status, response.body["code"]) == (400, "INVALID_BODY")


def test_a_refused_request_leaves_nothing_behind() -> None:
    world = _world()
    server = _server(world)
    server.fetch("POST", APP.url("/tickets"), None, {"subject": "New"})
    before = world.changes()
    for into in ("TCK-001", "TCK-404"):
        assert server.fetch("POST", APP.url("/tickets/TCK-001/merge"), None, {"into": into}).status in (404, 409)
    assert world.changes() == before
    assert server.fetch("POST", APP.url("/tickets/TCK-001/merge"), None, {"into": "TCK-002"}).status == 200


# --- toolsets --------------------------------------------------------------------------------------------------------


def test_both_toolsets_write_the_same_world() -> None:
    acted, fetched = _world(), _world()
    actions = ActionTools(_server(acted), (APP,), ("helpdesk_update_ticket", "helpdesk_answer_ticket"))
    api = ApiTools(_server(fetched), (APP,))
    actions.call("helpdesk_update_ticket", {"id": "TCK-001", "priority": "urgent"})
    actions.call("helpdesk_answer_ticket", json.dumps({"id": "TCK-001", "text": "Soon"}))
    for method, path, body in (("PATCH", "", {"priority": "urgent"}), ("POST", "/answers", {"text": "Soon"})):
        url = APP.url(f"/tickets/TCK-001{path}")
        api.call("api_fetch", {"method": method, "url": url, "body": json.dumps(body)})
    assert acted.changes() == fetched.changes() != ()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("{", "not valid JSON"),
        ("[]", "must be a JSON object"),
        ({"id": "TCK-001", "colour": "red"}, "unknown argument 'colour'"),
        ({}, "missing argument 'id'"),
        ({"id": ["TCK-001"]}, "'id'"),
        ({"id": "TCK-404"}, "no ticket TCK-404"),
        (None, "missing argument 'id'"),
        ("[" * 10_000, "not valid JSON"),
        ("[" * 100_001, "have 100,001 characters; send at most 100,000"),
        ({"id": "x" * 100_000}, "send at most 100,000"),
        ({"id": float("nan")}, "not valid JSON"),
        ('{"id": NaN}', "not valid JSON"),
        ('{"id": 1e999}', "not valid JSON"),
        ({"id": "\ud800"}, "no ticket ?"),
        ('{"id": "\\ud800"}', "no ticket ?"),
        ('"{\\"id\\": \\"TCK-404\\"}"', "no ticket TCK-404"),
        (7, "must be a JSON object"),
        ("9" * 5000, "not valid JSON"),
    ],
)
def test_wrong_arguments_are_told_in_words(arguments: Any, says: str) -> None:
    tools = ActionTools(_server(_world()), (APP,), ("helpdesk_get_ticket",))
    assert says in json.loads(tools.call("helpdesk_get_ticket", arguments))["error"]


def test_an_action_that_is_refused_half_way_leaves_nothing_behind() -> None:
    def run(fetch: Fetch, args: OneTicket) -> Any:
        fetch("POST", f"/tickets/{args.id}/answers", None, {"text": "Merged."})
        return fetch("POST", f"/tickets/{args.id}/merge", None, {"into": "TCK-001"})

    action = Action("helpdesk_answer_and_merge", "write", "Answer and merge.", OneTicket, run)
    world = _world()
    tools = ActionTools(_server(world), (replace(APP, actions=(action,)),), (action.name,))
    assert "pick a different" in tools.call(action.name, {"id": "TCK-001"})
    assert world.changes() == ()
    assert "closed" in tools.call(action.name, {"id": "TCK-002"})
    assert len(world.changes()) == 2


def test_only_the_offered_tools_can_be_called() -> None:
    tools = ActionTools(_server(_world()), (APP,), ("helpdesk_count_open",))
    assert [spec["function"]["name"] for spec in tools.specs] == ["helpdesk_count_open"]
    assert json.loads(tools.call("helpdesk_count_open", "")) == {"open": 4}
    assert "use one of helpdesk_count_open" in json.loads(tools.call("helpdesk_get_ticket", {"id": "TCK-001"}))["error"]
    with pytest.raises(ValueError, match="no application has an action 'helpdesk_fly'"):
        ActionTools(_server(_world()), (APP,), ("helpdesk_fly",))


def test_api_search_finds_the_endpoint_that_does_it() -> None:
    api = ApiTools(_server(_world()), (APP,))
    found = json.loads(api.call("api_search", {"query": "merge duplicate ticket", "top_k": 2}))
    assert len(found) == 2
    assert (found[0]["name"], found[0]["url"]) == (
        "merge_tickets",
        "https://{org}.helpdesk.example/v1/tickets/{id}/merge",
    )
    assert found[0]["arguments"]["id"] == {"in": "path", "type": "string", "description": "Ticket id", "required": True}


def test_base64_encode_is_url_safe() -> None:
    api = ApiTools(_server(_world()), (APP,))
    assert json.loads(api.call("base64_encode", {"text": "To: ü>?"})) == {"encoded": "VG86IMO8Pj8"}
