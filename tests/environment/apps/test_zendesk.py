"""Zendesk: ticket rules, comments, merging, people, tags, macros, search, pages, refusals, its actions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environment.apps.zendesk import (
    APP,
    comment_id,
    field_id,
    group_id,
    macro_id,
    membership_id,
    organization_id,
    ticket_id,
    user_id,
)
from environment.apps.zendesk.rows import STATUSES, tag_set
from environment.server import Server, parse_now
from environment.tools import ActionTools
from environment.world import Base, World

ACTOR = {"name": "Mara Lind", "email": "Mara@tarnwick.example", "company": "Tarnwick", "domain": "tarnwick.example"}
MARA, ANN, OREN, ORIN, GONE = (user_id(number) for number in range(1, 6))
RETURNS, BILLING = group_id(1), group_id(2)
LARK = organization_id(1)
RMA, COLOUR, PAID = (field_id(number) for number in (1, 2, 3))
NEW, OPEN, PENDING, HOLD, SOLVED, CLOSED, LOOSE = (ticket_id(number) for number in range(1, 8))


def _ticket(number: int, status: str, subject: str, **more: Any) -> dict[str, Any]:
    at = f"2026-03-0{number}T08:00:00Z"
    return {
        "id": ticket_id(number),
        "subject": subject,
        "status": status,
        "requester_id": OREN,
        "created_at": at,
        **more,
    }


def _said(count: int, ticket: str, author: str, body: str, **more: Any) -> dict[str, Any]:
    return {
        "id": comment_id(count),
        "ticket_id": ticket,
        "author_id": author,
        "body": body,
        "created_at": f"2026-03-01T09:0{count}:00Z",
        **more,
    }


OURS = {"assignee_id": MARA, "group_id": RETURNS}
ROWS: dict[str, Any] = {
    "User": [
        {"id": MARA, "name": "Mara Lind", "email": "mara@tarnwick.example", "role": "admin"},
        {"id": ANN, "name": "Ann Lee", "email": "ann@tarnwick.example", "role": "agent"},
        {"id": OREN, "name": "Oren Haddad", "email": "oren@larkfield.example", "organization_id": LARK},
        {"id": ORIN, "name": "Orin Haddad", "email": "orin@nimbus.example", "tags": ["vip"]},
        {"id": GONE, "name": "Gone Agent", "email": "gone@tarnwick.example", "role": "agent", "active": False},
    ],
    "Organization": [{"id": LARK, "name": "Larkfield Optics", "domain_names": ["larkfield.example"]}],
    "Group": [{"id": RETURNS, "name": "Returns"}, {"id": BILLING, "name": "Billing"}],
    "GroupMembership": [
        {"id": membership_id(1), "user_id": MARA, "group_id": RETURNS, "default": True},
        {"id": membership_id(2), "user_id": MARA, "group_id": BILLING},
        {"id": membership_id(3), "user_id": ANN, "group_id": BILLING, "default": True},
    ],
    "Ticket": [
        _ticket(1, "new", "Refund for RMA-553", priority="high"),
        _ticket(2, "open", "Late refund", **OURS, tags=["vip", "refund"], priority="normal"),
        _ticket(3, "pending", "Broken lens", **OURS, requester_id=ORIN, organization_id=LARK),
        _ticket(4, "hold", "Wrong colour", **OURS, priority="urgent", type="question"),
        _ticket(5, "solved", "Invoice copy", assignee_id=ANN, group_id=BILLING, updated_at="2026-03-08T08:00:00Z"),
        _ticket(6, "closed", "Old matter", **OURS, custom_fields=[{"id": RMA, "value": "RMA-100"}]),
        _ticket(7, "open", "No one's ticket"),
    ],
    "Comment": [
        _said(1, NEW, OREN, "When is RMA-553 paid back?"),
        _said(2, OPEN, OREN, "My refund is late."),
        _said(3, OPEN, MARA, "Ask the bank about it", public=False),
        _said(4, PENDING, ORIN, "The lens arrived broken."),
    ],
    "Macro": [
        {
            "id": macro_id(1),
            "title": "Close politely",
            "actions": [
                {"field": "status", "value": "solved"},
                {"field": "assignee_id", "value": "current_user"},
                {"field": "current_tags", "value": "polite Done"},
                {"field": "comment_value", "value": ["channel:all", "Dear {{ticket.requester.first_name}}, all done."]},
            ],
        },
        {"id": macro_id(2), "title": "Old", "active": False, "actions": [{"field": "priority", "value": "low"}]},
    ],
    "TicketField": [
        {"id": RMA, "title": "RMA"},
        {
            "id": COLOUR,
            "title": "Colour",
            "type": "tagger",
            "custom_field_options": [{"name": "Red", "value": "red"}, {"name": "Blue", "value": "blue"}],
        },
        {"id": PAID, "title": "Paid", "type": "checkbox", "active": False, "required": True},
    ],
}
_KINDS = {"zendesk": {kind.__name__: kind for kind in APP.rows}}


class Desk:
    """One episode at the support desk."""

    def __init__(self, **more: Any) -> None:
        self.world = World(Base({"zendesk": {**ROWS, **more}}, _KINDS), parse_now("2026-03-09T09:20:00+00:00"))
        self.server = Server((APP,), self.world, ACTOR)

    def __call__(self, method: str, path: str, params: Any = None, body: Any = None) -> tuple[int, Any]:
        answer = self.server.fetch(method, f"https://tarnwick.zendesk.com/api/v2{path}", params, body)
        return answer.status, answer.body

    def update(self, key: str, **fields: Any) -> tuple[int, Any]:
        return self("PUT", f"/tickets/{key}.json", None, {"ticket": fields})

    def row(self, key: str) -> dict[str, Any]:
        return self("GET", f"/tickets/{key}")[1]["ticket"]

    def changed(self) -> dict[str, list[dict[str, Any]]]:
        """Collection -> what was made or changed, each only with the fields that differ."""
        found: dict[str, list[dict[str, Any]]] = {}
        for change in self.world.changes():
            before, after = change.before or {}, change.after or {}
            found.setdefault(change.collection, []).append({k: v for k, v in after.items() if before.get(k) != v})
        return found

    def found(self, query: str, **params: Any) -> list[str]:
        """Ids that a search answers."""
        status, body = self("GET", "/search.json", {"query": query, **params})
        assert status == 200, body
        return [str(result["id"]) for result in body["results"]]

    def tool(self, name: str, **arguments: Any) -> Any:
        return json.loads(ActionTools(self.server, (APP,), (name,)).call(name, arguments))


# --- status rules ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "fields", "status"),
    [
        (NEW, {"assignee_id": int(MARA)}, "open"),
        (NEW, {"assignee_email": "ann@tarnwick.example"}, "open"),
        (NEW, {"assignee_id": int(MARA), "status": "pending"}, "pending"),
        (NEW, {"priority": "low"}, "new"),
        (NEW, {"status": "solved", "assignee_id": MARA}, "solved"),
        (OPEN, {"status": "solved"}, "solved"),
        (OPEN, {"status": "closed"}, "closed"),
        (SOLVED, {"status": "open"}, "open"),
        (PENDING, {"comment": {"body": "It came", "author_id": int(ORIN)}}, "open"),
        (SOLVED, {"comment": {"body": "Still not", "author_id": int(OREN)}}, "open"),
        (PENDING, {"comment": {"body": "We look", "author_id": int(ANN)}}, "pending"),
    ],
)
def test_status_follows_the_rules(key: str, fields: dict[str, Any], status: str) -> None:
    desk = Desk()
    answer = desk.update(key, **fields)
    assert (answer[0], answer[1]["ticket"]["status"]) == (200, status)


@pytest.mark.parametrize(
    ("key", "fields", "place", "words"),
    [
        (CLOSED, {"status": "open"}, "status", "Status closed prevents ticket update"),
        (CLOSED, {"comment": {"body": "x"}}, "status", "Status closed prevents ticket update"),
        (CLOSED, {"tags": ["x"]}, "status", "Status closed prevents ticket update"),
        (OPEN, {"status": "new"}, "status", "can't be set back to New"),
        (LOOSE, {"status": "solved"}, "base", "Assignee: is required when solving a ticket"),
        (OPEN, {"status": "solved", "assignee_id": None}, "base", "Assignee: is required"),
        (OPEN, {"status": "asleep"}, "status", "Status:"),
        (OPEN, {"priority": None}, "priority", "can't be cleared"),
        (OPEN, {"subject": None}, "subject", "Subject: cannot be blank"),
        (OPEN, {"assignee_id": int(OREN)}, "assignee_id", "not an agent"),
        (OPEN, {"assignee_id": int(GONE)}, "assignee_id", "not an agent"),
        (OPEN, {"assignee_id": 1}, "assignee_id", "does not exist"),
        (OPEN, {"assignee_id": int(ANN), "group_id": int(RETURNS)}, "assignee_id", "not a member of the group"),
        (OPEN, {"assignee_email": "oren@larkfield.example"}, "assignee_email", "no agent has this address"),
        (OPEN, {"group_id": 7}, "group_id", "does not exist"),
        (OPEN, {"requester_id": None}, "requester_id", "cannot be blank"),
        (OPEN, {"comment": {"body": " "}}, "comment", "cannot be blank"),
        (OPEN, {"comment": {"body": "x" * 65_536}}, "body", "Body:"),
        (OPEN, {"comment": {"html_body": "<br" * 10**5}}, "body", "Body:"),
        (OPEN, {"subject": " \n"}, "subject", "Subject: cannot be blank"),
        (OPEN, {"custom_fields": [{"id": 5, "value": "x"}]}, "custom_fields", "does not exist"),
        (OPEN, {"custom_fields": [{"id": int(COLOUR), "value": "green"}]}, "base", "Colour: is one of red, blue"),
        (OPEN, {"custom_fields": [{"id": int(PAID), "value": "yes"}]}, "base", "Paid: is true or false"),
        (OPEN, {"due_at": "tomorrow"}, "due_at", "Due at:"),
    ],
)
def test_what_breaks_a_rule_is_refused_at_its_field(key: str, fields: dict[str, Any], place: str, words: str) -> None:
    desk = Desk()
    status, body = desk.update(key, **fields)
    assert (status, body["error"], body["description"]) == (422, "RecordInvalid", "Record validation errors")
    assert words in body["details"][place][0]["description"]
    assert desk.world.changes() == ()


def test_a_required_field_must_be_filled_before_solving() -> None:
    required = [{**ROWS["TicketField"][0], "required": True}]
    desk = Desk(TicketField=required)
    body = desk.update(OPEN, status="solved")[1]
    assert body["details"]["base"][0]["description"] == "RMA: is required when solving a ticket"
    assert body["details"]["base"][0]["ticket_field_id"] == int(RMA)
    assert desk.update(OPEN, status="solved", custom_fields=[{"id": int(RMA), "value": "RMA-553"}])[0] == 200


def test_custom_fields_keep_what_is_not_named() -> None:
    desk = Desk()
    desk.update(OPEN, custom_fields=[{"id": int(RMA), "value": "RMA-1"}, {"id": int(COLOUR), "value": "red"}])
    desk.update(OPEN, custom_fields=[{"id": int(RMA), "value": None}])
    assert desk.row(OPEN)["custom_fields"] == [
        {"id": int(RMA), "value": None},
        {"id": int(COLOUR), "value": "red"},
        {"id": int(PAID), "value": None},
    ]


@pytest.mark.parametrize(
    ("key", "fields", "group", "assignee"),
    [
        (NEW, {"assignee_id": MARA}, RETURNS, MARA),
        (OPEN, {"assignee_id": ANN}, BILLING, ANN),
        (OPEN, {"group_id": BILLING}, BILLING, MARA),
        (SOLVED, {"group_id": RETURNS, "status": "open"}, RETURNS, None),
        (OPEN, {"group_id": BILLING, "assignee_id": ANN}, BILLING, ANN),
        (OPEN, {"assignee_id": None}, RETURNS, None),
    ],
)
def test_group_and_assignee_fit_each_other(key: str, fields: Any, group: str, assignee: str | None) -> None:
    desk = Desk()
    ticket = desk.update(key, **fields)[1]["ticket"]
    assert (str(ticket["group_id"]), ticket["assignee_id"]) == (group, int(assignee) if assignee else None)


def test_an_update_that_changes_nothing_leaves_no_trace() -> None:
    desk = Desk()
    assert desk.update(OPEN, status="open", tags=["Refund", "vip"])[0] == 200
    assert desk.world.changes() == ()


def test_safe_update_refuses_a_stale_stamp() -> None:
    desk = Desk()
    stamp = desk.row(OPEN)["updated_at"]
    assert desk.update(OPEN, priority="low", safe_update=True, updated_stamp=stamp)[0] == 200
    status, body = desk.update(OPEN, priority="high", safe_update=True, updated_stamp=stamp)
    assert (status, body["error"]) == (409, "UpdateConflict")


# --- comments --------------------------------------------------------------------------------------------------------


def test_public_replies_leave_the_company_and_notes_do_not() -> None:
    desk = Desk()
    desk.update(OPEN, comment={"body": "Paid today."})
    desk.update(OPEN, comment={"body": "Bank says so.", "public": False})
    desk.update(OPEN, comment={"body": "Thank you", "author_id": int(OREN)})
    sent = {change.after["body"]: change.sent for change in desk.world.changes() if change.collection == "Comment"}  # type: ignore[index]
    assert sent == {"Paid today.": True, "Bank says so.": False, "Thank you": False}
    assert all(change.collection == "Comment" for change in desk.world.changes())


def test_comments_are_listed_in_order_with_their_authors() -> None:
    desk = Desk()
    desk.update(OPEN, comment={"html_body": "<p>Paid &amp; done.<br>Bye</p>"})
    body = desk("GET", f"/tickets/{OPEN}/comments.json", {"include": "users"})[1]
    assert [(item["body"], item["public"]) for item in body["comments"]] == [
        ("My refund is late.", True),
        ("Ask the bank about it", False),
        ("Paid & done.\nBye", True),
    ]
    assert [user["name"] for user in body["users"]] == ["Oren Haddad", "Mara Lind"]
    newest = desk("GET", f"/tickets/{OPEN}/comments.json", {"sort_order": "desc", "per_page": 1})[1]
    assert newest["comments"][0]["body"] == "Paid & done.\nBye"
    assert newest["count"] == 3


# --- creating --------------------------------------------------------------------------------------------------------


def test_an_unknown_requester_becomes_a_customer_of_the_domains_organization() -> None:
    desk = Desk()
    requester = {"name": "Bo Lind", "email": "Bo@Larkfield.example"}
    status, body = desk(
        "POST", "/tickets.json", None, {"ticket": {"comment": {"body": "Hello"}, "requester": requester}}
    )
    assert (status, body["ticket"]["status"], body["ticket"]["subject"]) == (201, "new", "Hello")
    changed = desk.changed()
    user, made, comment = changed["User"][0], changed["Ticket"][0], changed["Comment"][0]
    assert (user["email"], user["role"], user["organization_id"]) == ("bo@larkfield.example", "end-user", LARK)
    assert (made["requester_id"], made["organization_id"]) == (user["id"], LARK)
    assert (comment["ticket_id"], comment["author_id"]) == (made["id"], MARA)
    again = desk("POST", "/tickets", None, {"ticket": {"description": "Again", "requester": {"email": user["email"]}}})
    assert str(again[1]["ticket"]["requester_id"]) == user["id"]


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({}, "base"),
        ({"comment": {"body": ""}}, "base"),
        ({"comment": {"body": "x"}, "requester": {"email": "new@x.example"}}, "requester"),
        ({"comment": {"body": "x"}, "requester": {"email": "nobody", "name": "No"}}, "email"),
        ({"comment": {"body": "x"}, "requester_id": 5}, "requester_id"),
        ({"comment": {"body": "x"}, "status": "solved"}, "base"),
        ({"comment": {"body": "x"}, "status": "gone"}, "status"),
    ],
)
def test_an_incomplete_ticket_is_refused_and_leaves_nothing(fields: Any, place: str) -> None:
    desk = Desk()
    status, body = desk("POST", "/tickets", None, {"ticket": fields})
    assert status == 422
    assert place in body["details"]
    assert desk.world.changes() == ()


def test_many_are_updated_each_for_itself() -> None:
    desk = Desk()
    change = {"ticket": {"additional_tags": ["b2b"], "remove_tags": ["vip"]}}
    status, body = desk("PUT", "/tickets/update_many.json", {"ids": f"{OPEN},{CLOSED},{LOOSE},99"}, change)
    job = body["job_status"]
    assert (status, job["status"], [item["success"] for item in job["results"]]) == (
        200,
        "completed",
        [True, False, True, False],
    )
    assert desk.row(OPEN)["tags"] == ["b2b", "refund"]
    assert desk.row(LOOSE)["tags"] == ["b2b"]
    each = {"tickets": [{"id": int(OPEN), "priority": "low"}, {"id": int(NEW), "status": "open"}]}
    assert desk("PUT", "/tickets/update_many", None, each)[0] == 200
    assert (desk.row(OPEN)["priority"], desk.row(NEW)["status"]) == ("low", "open")


def test_one_of_many_that_is_refused_leaves_nothing_of_its_own() -> None:
    desk = Desk()
    stranger = {"name": "Bo Lind", "email": "bo@elsewhere.example"}
    both = {
        "tickets": [{"id": int(OPEN), "requester": stranger, "status": "new"}, {"id": int(OPEN), "priority": "low"}]
    }
    _, body = desk("PUT", "/tickets/update_many", None, both)
    assert [item["success"] for item in body["job_status"]["results"]] == [False, True]
    assert [(change.collection, change.id) for change in desk.world.changes()] == [("Ticket", OPEN)]


# --- merging ---------------------------------------------------------------------------------------------------------


def test_a_merge_closes_the_sources_and_tells_the_target() -> None:
    desk = Desk()
    status, body = desk("POST", f"/tickets/{OPEN}/merge.json", None, {"ids": [int(NEW), PENDING]})
    assert (status, body["job_status"]["status"], body["job_status"]["total"]) == (200, "completed", 3)
    changed = desk.changed()
    assert [ticket["status"] for ticket in changed["Ticket"]] == ["closed", "closed"]
    assert desk.row(NEW)["tags"] == ["closed_by_merge"]
    told = {comment["ticket_id"]: comment for comment in changed["Comment"]}
    assert "When is RMA-553 paid back?" in told[OPEN]["body"] and "The lens arrived broken." in told[OPEN]["body"]
    assert f"merged into request #{OPEN}" in told[NEW]["body"]
    assert not any(comment["public"] for comment in changed["Comment"])
    assert desk.update(NEW, status="open")[0] == 422


@pytest.mark.parametrize(
    ("target", "ids", "status"),
    [
        (SOLVED, [OPEN], 422),
        (CLOSED, [OPEN], 422),
        (OPEN, [CLOSED], 422),
        (OPEN, [OPEN], 422),
        (OPEN, [], 422),
        (OPEN, ["99"], 404),
        ("99", [OPEN], 404),
        (OPEN, "x", 400),
        (OPEN, [SOLVED], 200),
    ],
)
def test_what_can_be_merged(target: str, ids: Any, status: int) -> None:
    desk = Desk()
    assert desk("POST", f"/tickets/{target}/merge", None, {"ids": ids})[0] == status
    assert (desk.world.changes() == ()) is (status != 200)


def test_a_public_merge_comment_leaves_the_company() -> None:
    desk = Desk()
    told = {"ids": [NEW], "source_comment": "See the other one", "source_comment_is_public": True}
    desk("POST", f"/tickets/{OPEN}/merge", None, told)
    sent = [change.after["ticket_id"] for change in desk.world.changes() if change.sent]  # type: ignore[index]
    assert sent == [NEW]


# --- people and tags -------------------------------------------------------------------------------------------------


def test_an_address_belongs_to_one_user() -> None:
    desk = Desk()
    status, body = desk("POST", "/users", None, {"user": {"name": "Oren", "email": "OREN@larkfield.example"}})
    assert (status, body["details"]["email"][0]["error"]) == (422, "DuplicateValue")
    assert desk("PUT", f"/users/{ORIN}", None, {"user": {"email": "oren@larkfield.example"}})[0] == 422
    assert desk("PUT", f"/users/{OREN}", None, {"user": {"email": "oren@larkfield.example"}})[0] == 200
    assert desk("POST", "/organizations", None, {"organization": {"name": "larkfield optics"}})[0] == 422


def test_a_deleted_user_stays_inactive_and_one_with_tickets_stays_active() -> None:
    desk = Desk()
    assert desk("DELETE", f"/users/{OREN}")[0] == 422
    status, body = desk("DELETE", f"/users/{ANN}")
    assert (status, body["user"]["active"]) == (200, False)
    assert desk("GET", "/users/search", {"query": "ann lee"})[1]["users"] == []


def test_memberships_are_for_agents_and_come_once() -> None:
    desk = Desk()
    for user, group, status in ((OREN, RETURNS, 422), (ANN, BILLING, 422), (ANN, RETURNS, 201), ("5", RETURNS, 422)):
        body = {"group_membership": {"user_id": int(user), "group_id": int(group), "default": True}}
        assert desk("POST", "/group_memberships", None, body)[0] == status
    held = desk("GET", "/group_memberships", {"user_id": ANN})[1]["group_memberships"]
    assert [(row["group_id"], row["default"]) for row in held] == [(int(BILLING), False), (int(RETURNS), True)]
    assert [group["name"] for group in desk("GET", f"/users/{ANN}/groups")[1]["groups"]] == ["Billing", "Returns"]
    assert len(desk("GET", f"/groups/{RETURNS}/users")[1]["users"]) == 2


@pytest.mark.parametrize(
    ("method", "given", "status", "tags"),
    [
        ("PUT", ["Paid Back", "vip"], 200, ["back", "paid", "refund", "vip"]),
        ("DELETE", ["vip", "never"], 200, ["refund"]),
        ("POST", "a,b", 201, ["a", "b"]),
        ("POST", [], 201, []),
    ],
)
def test_tags_are_added_removed_or_replaced(method: str, given: Any, status: int, tags: list[str]) -> None:
    desk = Desk()
    assert desk(method, f"/tickets/{OPEN}/tags.json", None, {"tags": given}) == (status, {"tags": tags})
    assert desk.row(OPEN)["tags"] == tags
    assert desk(method, f"/tickets/{CLOSED}/tags.json", None, {"tags": given})[0] == 422
    assert desk(method, f"/users/{ORIN}/tags.json", None, {"tags": given})[0] == status


@given(st.lists(st.text(max_size=8), max_size=6))
@settings(max_examples=50)
def test_a_set_of_tags_is_its_own_set_of_tags(texts: list[str]) -> None:
    tags = tag_set(texts)
    assert tag_set(tags) == tags == tuple(sorted(set(tags)))
    assert all(tag == tag.strip() and "," not in tag for tag in tags)


# --- macros ----------------------------------------------------------------------------------------------------------


def test_a_macro_shows_the_change_and_makes_none() -> None:
    desk = Desk()
    shown = desk("GET", f"/macros/{macro_id(1)}/apply.json")[1]["result"]["ticket"]
    assert shown == {
        "status": "solved",
        "assignee_id": int(MARA),
        "tags": ["done", "polite"],
        "comment": {"body": "Dear {{ticket.requester.first_name}}, all done.", "public": True},
    }
    result = desk("GET", f"/tickets/{OPEN}/macros/{macro_id(1)}/apply.json")[1]["result"]
    assert result["comment"] == {"body": "Dear Oren, all done.", "public": True}
    assert (result["ticket"]["status"], result["ticket"]["tags"]) == ("solved", ["done", "polite", "refund", "vip"])
    assert desk.world.changes() == ()
    assert [macro["title"] for macro in desk("GET", "/macros/active")[1]["macros"]] == ["Close politely"]


# --- search ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("type:ticket status<solved", [LOOSE, HOLD, PENDING, OPEN, NEW]),
        ("type:ticket status>=solved", [CLOSED, SOLVED]),
        ("status:open status:pending", [LOOSE, PENDING, OPEN]),
        ("type:ticket -status:open -status:closed", [SOLVED, HOLD, PENDING, NEW]),
        ("priority>normal", [HOLD, NEW]),
        ("priority:none status<pending", [LOOSE]),
        ("assignee:me status<solved", [HOLD, PENDING, OPEN]),
        ('assignee:"Ann Lee"', [SOLVED]),
        ("assignee:none", [LOOSE, NEW]),
        ("requester:orin@nimbus.example", [PENDING]),
        ("requester:haddad status:pending", [PENDING]),
        ("commenter:mara", [OPEN]),
        ("group:billing type:ticket", [SOLVED]),
        (f"group:{RETURNS} -tags:vip status<hold", [PENDING]),
        ("organization:larkfield type:ticket", [PENDING]),
        ("tags:vip type:ticket", [OPEN]),
        ('tags:"vip refund"', [OPEN]),
        ("tags:ref*", [OPEN]),
        ("subject:refund", [OPEN, NEW]),
        ('subject:"late refund"', [OPEN]),
        ("description:broken", [PENDING]),
        ("comment:bank", [OPEN]),
        ("bank", [OPEN]),
        ("type:ticket refun", [OPEN, NEW]),
        ('type:ticket "refun"', []),
        ("type:ticket RMA-553", [NEW]),
        ("type:ticket -refund status<pending", [LOOSE]),
        (OPEN, [OPEN]),
        ("ticket_type:question", [HOLD]),
        ("created>2026-03-05 type:ticket", [LOOSE, CLOSED]),
        ("created>=2026-03-05 type:ticket", [LOOSE, CLOSED, SOLVED]),
        ("created<2026-03-02 type:ticket", [NEW]),
        ("created<=2026-03-02 type:ticket", [OPEN, NEW]),
        ("created:2026-03-02 type:ticket", [OPEN]),
        ("created>2026-03-02T08:00:00Z created<=2026-03-04T10:00:00+02:00 type:ticket", [HOLD, PENDING]),
        ("updated>3days type:ticket", [LOOSE, SOLVED]),
        ("created>80hours type:ticket", [LOOSE, CLOSED]),
        (f"custom_field_{RMA}:rma-100", [CLOSED]),
        ("fieldvalue:RMA-100", [CLOSED]),
        ("type:user haddad", [ORIN, OREN]),
        ("type:user role:agent", [ANN]),
        ("type:user group:billing", [ANN, MARA]),
        ("type:user email:oren@larkfield.example", [OREN]),
        ("type:organization lark", [LARK]),
        ("type:group returns", [RETURNS]),
        ("tags:vip", [OPEN, ORIN]),
        ("larkfield", [LARK, OREN]),
    ],
)
def test_a_search_finds(query: str, ids: list[str]) -> None:
    assert sorted(Desk().found(query)) == sorted(ids)
    assert Desk()("GET", "/search/count", {"query": query}) == (200, {"count": len(ids)})


@pytest.mark.parametrize(
    ("query", "params", "ids"),
    [
        ("type:ticket status<solved", {}, [LOOSE, HOLD, PENDING, OPEN, NEW]),
        ("type:ticket order_by:created sort:asc status<hold", {}, [NEW, OPEN, PENDING, LOOSE]),
        ("type:ticket status<hold", {"sort_by": "created_at", "sort_order": "asc"}, [NEW, OPEN, PENDING, LOOSE]),
        ("type:ticket order_by:priority priority>low", {}, [HOLD, NEW, OPEN]),
        ("type:ticket order_by:status sort:asc -status:open", {}, [NEW, PENDING, HOLD, SOLVED, CLOSED]),
        ("type:ticket order_by:updated status>hold", {}, [SOLVED, CLOSED]),
    ],
)
def test_a_search_is_sorted(query: str, params: Any, ids: list[str]) -> None:
    assert Desk().found(query, **params) == ids


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 400),
        ("   ", 400),
        ('"open', 422),
        ("status:", 422),
        ("created>yesterday", 422),
        ("created:2026-02-30", 422),
        ("created>9999-12-31", 422),
        ("created>9999years", 422),
        ("status<asleep", 422),
        ("order_by:colour x", 422),
        ("x " * 200, 422),
        ("a" * 10**6, 422),
    ],
)
def test_a_search_without_a_reading_is_refused(query: str, status: int) -> None:
    answer = Desk()("GET", "/search", {"query": query})
    assert answer[0] == status
    assert status == 400 or answer[1]["error"] == "invalid"


def test_statuses_compare_in_their_order() -> None:
    desk = Desk()
    for rank, status in enumerate(STATUSES):
        below = {ticket["status"] for ticket in ROWS["Ticket"] if STATUSES.index(ticket["status"]) < rank}
        found = desk("GET", "/search", {"query": f"type:ticket status<{status}"})[1]["results"]
        assert {ticket["status"] for ticket in found} == below


# --- lists -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params", [{"per_page": 2}, {"page[size]": 2}, {"per_page": 3, "page": 1}, {"page[size]": "3"}]
)
def test_following_next_reads_every_ticket_once(params: Any) -> None:
    desk = Desk()
    status, body = desk("GET", "/tickets.json", params)
    read = [ticket["id"] for ticket in body["tickets"]]
    while following := body["links"]["next"] if "links" in body else body["next_page"]:
        answer = desk.server.fetch("GET", following)
        body = answer.body
        read += [ticket["id"] for ticket in body["tickets"]]
    assert (status, read) == (200, [int(ticket["id"]) for ticket in ROWS["Ticket"]])


def test_cursors_lead_back() -> None:
    desk = Desk()
    first = desk("GET", "/tickets", {"page[size]": 3})[1]
    assert first["links"]["prev"] is None and first["meta"]["has_more"] is True
    second = desk.server.fetch("GET", first["links"]["next"]).body
    assert desk.server.fetch("GET", second["links"]["prev"]).body["tickets"] == first["tickets"]


def test_related_records_are_loaded_beside_the_tickets() -> None:
    desk = Desk()
    body = desk("GET", f"/tickets/{PENDING}", {"include": "users,groups,organizations,unheard_of"})[1]
    assert [user["name"] for user in body["users"]] == ["Orin Haddad", "Mara Lind"]
    assert [group["name"] for group in body["groups"]] == ["Returns"]
    assert [row["name"] for row in body["organizations"]] == ["Larkfield Optics"]
    listed = desk("GET", "/tickets", {"include": "users", "per_page": 1})[1]
    assert [user["name"] for user in listed["users"]] == ["Oren Haddad"]
    found = desk("GET", "/search", {"query": "status:pending", "include": "tickets(users,groups)"})[1]
    assert (len(found["users"]), len(found["groups"])) == (2, 1)


def test_a_ticket_has_its_vendors_form() -> None:
    ticket = Desk().row(OPEN)
    assert ticket["url"] == f"https://tarnwick.zendesk.com/api/v2/tickets/{OPEN}.json"
    assert (ticket["id"], ticket["requester_id"], ticket["problem_id"]) == (int(OPEN), int(OREN), None)
    assert (ticket["description"], ticket["via"]["channel"]) == ("My refund is late.", "email")
    assert ticket["created_at"] == ticket["updated_at"] == "2026-03-02T08:00:00Z"


def test_lists_of_tickets_narrow_and_sort() -> None:
    desk = Desk()
    by_user = desk("GET", f"/users/{MARA}/tickets/assigned", {"sort_by": "priority", "sort_order": "desc"})[1]
    assert [ticket["priority"] for ticket in by_user["tickets"]] == ["urgent", "normal", None, None]
    assert len(desk("GET", f"/users/{ORIN}/tickets/requested")[1]["tickets"]) == 1
    assert len(desk("GET", f"/organizations/{LARK}/tickets")[1]["tickets"]) == 1
    newest = desk("GET", "/tickets", {"sort": "-created_at", "per_page": 1})[1]["tickets"]
    assert newest[0]["id"] == int(LOOSE)
    many = desk("GET", "/tickets/show_many", {"ids": f"{OPEN},99,{NEW}"})[1]
    assert [ticket["id"] for ticket in many["tickets"]] == [int(OPEN), int(NEW)]


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "params", "body", "status", "error"),
    [
        ("GET", "/tickets/99999.json", None, None, 404, "RecordNotFound"),
        ("GET", "/tickets/abc.json", None, None, 400, "Invalid attribute"),
        ("GET", "/tickets/../users", None, None, 404, "InvalidEndpoint"),
        ("GET", "/tickets/%2e%2e%2fusers", None, None, 400, "Invalid attribute"),
        ("GET", "/tickets/²", None, None, 400, "Invalid attribute"),
        ("GET", "/views.json", None, None, 404, "InvalidEndpoint"),
        ("PATCH", f"/tickets/{OPEN}", None, {}, 405, "InvalidEndpoint"),
        ("GET", "/tickets", {"page": "two"}, None, 400, "Invalid attribute"),
        ("GET", "/tickets", {"page": 10**9}, None, 400, "Invalid page"),
        ("GET", "/tickets", {"sort_by": "colour"}, None, 400, "Invalid attribute"),
        ("GET", "/tickets", {"page[after]": "x"}, None, 400, "InvalidPaginationParameter"),
        ("GET", "/tickets", {"page[after]": "W1tbW1tb" * 99}, None, 400, "InvalidPaginationParameter"),
        ("GET", "/search", {"query": "x", "page": 11}, None, 422, "invalid"),
        ("PUT", f"/tickets/{OPEN}", None, {"ticket": "solved"}, 400, "Invalid attribute"),
        ("PUT", f"/tickets/{OPEN}", None, {"status": "solved"}, 400, "Invalid attribute"),
        ("PUT", f"/tickets/{OPEN}", None, {"ticket": {"comment": "hi"}}, 400, "Invalid attribute"),
        ("PUT", f"/tickets/{OPEN}", None, {"ticket": {"colour": "red"}}, 400, "Invalid attribute"),
        ("PUT", f"/tickets/{OPEN}", None, {"ticket": {"subject": "x" * 10**6}}, 422, "RecordInvalid"),
        ("PUT", f"/tickets/{OPEN}", None, {"ticket": {"tags": [1, {}]}}, 400, "Invalid attribute"),
        ("PUT", "/tickets/update_many", None, {}, 400, "Invalid attribute"),
        ("PUT", "/tickets/update_many", {"ids": "a,b"}, {"ticket": {}}, 400, "Invalid attribute"),
        ("POST", "/macros", None, {"macro": {"title": "x", "actions": []}}, 422, "RecordInvalid"),
        ("POST", "/users", None, {"user": {"name": ""}}, 422, "RecordInvalid"),
        ("POST", "/users", None, {"user": {"name": "x", "email": "x"}}, 422, "RecordInvalid"),
        ("POST", "/users", None, {"user": {"name": "x", "organization_id": 9}}, 422, "RecordInvalid"),
        ("DELETE", "/tickets/1", None, None, 404, "RecordNotFound"),
    ],
)
def test_wrong_requests_are_refused_in_zendesks_words(
    method: str, path: str, params: Any, body: Any, status: int, error: str
) -> None:
    desk = Desk()
    answer, refusal = desk(method, path, params, body)
    found = refusal["error"]
    assert (answer, found["title"] if isinstance(found, dict) else found) == (status, error)
    assert desk.world.changes() == ()


def test_an_account_without_agents_lets_nobody_write() -> None:
    desk = Desk(User=[ROWS["User"][2]], GroupMembership=[])
    assert desk("PUT", f"/tickets/{LOOSE}", None, {"ticket": {"comment": {"body": "x"}}})[0] == 401


# --- actions ---------------------------------------------------------------------------------------------------------


def test_actions_read_compactly() -> None:
    desk = Desk()
    assert desk.tool("zendesk_search_tickets", query="status:open assignee:me") == {
        "tickets": [
            {
                "id": OPEN,
                "subject": "Late refund",
                "status": "open",
                "priority": "normal",
                "requester": "Oren Haddad",
                "assignee": "Mara Lind",
                "tags": ["refund", "vip"],
                "created": "2026-03-02",
            }
        ]
    }
    ticket = desk.tool("zendesk_get_ticket", id=int(PENDING))
    assert (ticket["requester_email"], ticket["organization"], ticket["group"]) == (
        "orin@nimbus.example",
        "Larkfield Optics",
        "Returns",
    )
    assert ticket["comments"] == [
        {"author": "Orin Haddad", "at": "2026-03-01 09:04", "body": "The lens arrived broken."}
    ]
    assert desk.tool("zendesk_get_ticket", id=CLOSED)["RMA"] == "RMA-100"
    assert desk.tool("zendesk_find_user", query="oren") == [
        {
            "id": OREN,
            "name": "Oren Haddad",
            "email": "oren@larkfield.example",
            "role": "end-user",
            "organization": "Larkfield Optics",
        }
    ]
    assert desk.world.changes() == ()


def test_long_lists_say_how_to_go_on() -> None:
    many = [_ticket(1, "open", f"Order {number}") | {"id": ticket_id(number)} for number in range(1, 24)]
    said = [_said(1, OPEN, OREN, f"Word {number}") | {"id": comment_id(number)} for number in range(1, 31)]
    desk = Desk(Ticket=many, Comment=said)
    pages: list[int] = []
    page: int | None = 1
    while page:
        answer = desk.tool("zendesk_search_tickets", query="order", page=page)
        pages.append(len(answer["tickets"]))
        page = answer.get("next_page")
    assert pages == [10, 10, 3]
    ticket = desk.tool("zendesk_get_ticket", id=OPEN)
    assert (ticket["earlier_comments"], ticket["comments"][-1]["body"]) == (10, "Word 30")


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("reply", {"id": f"#{OPEN}", "text": "Paid."}, {"id": f"#{OPEN}", "replied": True}),
        ("add_note", {"id": OPEN, "text": "Paid."}, {"id": OPEN, "noted": True}),
        (
            "update_ticket",
            {"id": NEW, "assignee": "Ann", "group": "billing", "priority": "low"},
            {"id": NEW, "status": "open", "priority": "low", "group": "Billing", "assignee": "Ann Lee"},
        ),
        ("update_ticket", {"id": OPEN, "assignee": ANN}, {"id": OPEN, "status": "open", "assignee": "Ann Lee"}),
        ("add_tags", {"id": OPEN, "tags": ["Paid"]}, {"id": OPEN, "tags": ["paid", "refund", "vip"]}),
        ("remove_tags", {"id": OPEN, "tags": ["vip"]}, {"id": OPEN, "tags": ["refund"]}),
        ("merge_tickets", {"source": NEW, "target": OPEN}, {"id": OPEN, "merged": NEW}),
        (
            "create_ticket",
            {"subject": "Lens", "text": "Sent.", "requester_email": "orin@nimbus.example"},
            {"id": ticket_id(8), "status": "new"},
        ),
        (
            "apply_macro",
            {"id": OPEN, "macro": "close politely"},
            {
                "id": OPEN,
                "macro": "Close politely",
                "status": "solved",
                "comment": "Dear Oren, all done.",
                "public": True,
            },
        ),
    ],
)
def test_actions_answer_what_they_did(name: str, arguments: Any, answer: Any) -> None:
    desk = Desk()
    assert desk.tool(f"zendesk_{name}", **arguments) == answer
    assert desk.world.changes()


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("reply", {"id": CLOSED, "text": "Hi"}, "Status closed prevents ticket update"),
        ("reply", {"id": "99", "text": "Hi"}, "ticket 99 was not found"),
        ("reply", {"id": "../users/1", "text": "Hi"}, "is no ticket id"),
        ("update_ticket", {"id": LOOSE, "status": "solved"}, "Assignee: is required when solving a ticket"),
        ("update_ticket", {"id": OPEN}, "give at least one field"),
        ("update_ticket", {"id": OPEN, "assignee": "Oren"}, "there is no single agent 'Oren'; choices: none"),
        ("update_ticket", {"id": OPEN, "group": "Sales"}, "choices: Returns"),
        ("apply_macro", {"id": OPEN, "macro": "Old"}, "choices: Close politely"),
        ("merge_tickets", {"source": OPEN, "target": SOLVED}, "prevents merging into it"),
        ("search_tickets", {"query": "created>soon"}, "takes a date"),
    ],
)
def test_actions_say_what_was_refused(name: str, arguments: Any, words: str) -> None:
    desk = Desk()
    assert words in desk.tool(f"zendesk_{name}", **arguments)["error"]
    assert desk.world.changes() == ()
