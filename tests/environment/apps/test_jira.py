"""Jira: workflows, required fields, keys, hierarchy, documents, JQL on issues, links, and what its actions show."""

from __future__ import annotations

import json
from typing import Any

import pytest

from environment.apps.jira import adf
from environment.apps.jira.app import APP
from environment.apps.jira.rows import (
    Issue,
    Project,
    account_id,
    comment_id,
    field_id,
    issue_id,
    link_id,
    project_id,
    version_id,
    workflow_id,
    worklog_id,
)
from environment.apps.jira.words import holds, stem, wanted
from environment.attempt import RowChange
from environment.server import Response, Server, parse_now
from environment.tools import ActionTools
from environment.world import Base, World

ACTOR = {"name": "Pat Moss", "email": "Pat@tarnwick.example", "company": "Tarnwick", "domain": "tarnwick.example"}
PAT, ANN, GONE, ANNA = (account_id(number) for number in range(1, 5))
SEVERITY, BUDGET, SIGNED, OWNER, NOTE = (field_id(number) for number in range(1, 6))
NOW = "2026-03-04T09:20:00+01:00"  # A Wednesday.


def _issue(number: int, key: str, summary: str, created: str, **more: Any) -> dict[str, Any]:
    row = {"id": issue_id(number), "key": key, "project": key.partition("-")[0], "summary": summary}
    return {**row, "created": created, "updated": created, "reporter": PAT, **more}


ROWS: dict[str, list[dict[str, Any]]] = {
    "User": [
        {"accountId": PAT, "displayName": "Pat Moss", "emailAddress": "pat@tarnwick.example"},
        {"accountId": ANN, "displayName": "Ann Lee", "emailAddress": "ann@tarnwick.example"},
        {"accountId": GONE, "displayName": "Gone Girl", "emailAddress": "gone@tarnwick.example", "active": False},
        {"accountId": ANNA, "displayName": "Anna Lind", "emailAddress": "anna@tarnwick.example"},
    ],
    "Project": [
        {"id": project_id(1), "key": "OPS", "name": "Operations", "lead": ANN},
        {"id": project_id(2), "key": "FIN", "name": "Finance", "requiredFields": ["duedate", BUDGET]},
        {"id": project_id(3), "key": "HR", "name": "People", "issueTypes": ["Task"], "issueCount": 41},
    ],
    "Issue": [
        _issue(
            1,
            "OPS-1",
            "Invoices of Larkfield are late",
            "2026-03-01T08:00:00+00:00",
            assignee=ANN,
            priority="High",
            labels=["Billing"],
            duedate="2026-03-04",
            description="They sent CN-20417 twice.",
            **{SEVERITY: "S1"},
        ),
        _issue(2, "OPS-2", "Move the archive", "2026-03-03T23:30:00+00:00", issuetype="Epic", status="In Progress"),
        _issue(3, "OPS-3", "Label boxes", "2026-03-04T00:30:30+01:00", parent="OPS-2", priority="Lowest"),
        _issue(
            4,
            "OPS-4",
            "Pack",
            "2026-02-20T08:00:00+00:00",
            issuetype="Sub-task",
            parent="OPS-3",
            duedate="2026-03-10",
            fixVersions=[version_id(1)],
        ),
        _issue(
            10,
            "OPS-10",
            "Close the books",
            "2026-02-01T08:00:00+00:00",
            status="Done",
            resolution="Duplicate",
            resolutiondate="2026-02-02T08:00:00+00:00",
            labels=["billing", "year-end"],
            assignee=PAT,
        ),
        _issue(
            20,
            "FIN-7",
            "Pay the rent",
            "2026-03-02T08:00:00+00:00",
            status="Open",
            duedate="2026-02-28",
            priority="Highest",
            **{BUDGET: 1200.0, SIGNED: "2026-02-01", OWNER: ANN, NOTE: "cash only"},
        ),
    ],
    "Comment": [
        {
            "id": comment_id(1),
            "issue": "OPS-2",
            "author": ANN,
            "body": "The landlord phoned about the boxes",
            "created": "2026-03-03T10:00:00+00:00",
            "updated": "2026-03-03T10:00:00+00:00",
        }
    ],
    "Worklog": [
        {
            "id": worklog_id(1),
            "issue": "OPS-2",
            "author": ANN,
            "timeSpentSeconds": 30_600,
            "started": "2026-03-03T10:00:00+00:00",
            "created": "2026-03-03T10:00:00+00:00",
            "updated": "2026-03-03T10:00:00+00:00",
        }
    ],
    "Version": [
        {"id": version_id(1), "project": "OPS", "name": "March", "releaseDate": "2026-03-01"},
        {"id": version_id(2), "project": "OPS", "name": "Old", "released": True},
    ],
    "IssueLink": [{"id": link_id(1), "type": "Blocks", "inwardIssue": "OPS-1", "outwardIssue": "OPS-10"}],
    "Workflow": [
        {
            "id": workflow_id(1),
            "project": "FIN",
            "statuses": [
                {"name": "Open", "category": "new"},
                {"name": "Approved", "category": "indeterminate"},
                {"name": "Closed", "category": "done"},
            ],
            "transitions": [
                {"id": "11", "name": "Approve", "to": "Approved", "sources": ["Open"]},
                {
                    "id": "21",
                    "name": "Close",
                    "to": "Closed",
                    "sources": ["Approved"],
                    "requires": ["resolution"],
                    "offers": ["assignee"],
                },
                {"id": "31", "name": "Reopen", "to": "Open", "sources": ["Closed"]},
            ],
        }
    ],
    "CustomField": [
        {"id": SEVERITY, "name": "Severity", "type": "option", "options": ["S1", "S2"], "projects": ["OPS"]},
        {"id": BUDGET, "name": "Budget", "type": "number", "projects": ["FIN"]},
        {"id": SIGNED, "name": "Signed", "type": "date", "projects": ["FIN"]},
        {"id": OWNER, "name": "Owner", "type": "user", "projects": ["FIN"]},
        {"id": NOTE, "name": "Cost note", "projects": ["FIN"]},
    ],
}
_BASE = Base({"jira": {name: tuple(rows) for name, rows in ROWS.items()}}, {"jira": {k.__name__: k for k in APP.rows}})


class Site:
    """One episode on the rows above."""

    def __init__(self) -> None:
        self.world = World(_BASE, parse_now(NOW))
        self.server = Server((APP,), self.world, ACTOR)
        self.tools = ActionTools(self.server, (APP,), tuple(action.name for action in APP.actions))

    def ask(self, method: str, path: str, params: Any = None, body: Any = None) -> Response:
        return self.server.fetch(method, APP.url(path), params, body)

    def get(self, path: str, **params: Any) -> Any:
        response = self.ask("GET", path, params)
        assert response.status == 200, response.body
        return response.body

    def act(self, name: str, **arguments: Any) -> Any:
        return json.loads(self.tools.call(f"jira_{name}", json.dumps(arguments)))

    def found(self, jql: str) -> list[str]:
        return [issue["key"] for issue in self.get("/search", jql=jql, fields="summary")["issues"]]

    def issue(self, key: str) -> Issue:
        row = self.world.get(("jira", "Issue"), key)
        assert isinstance(row, Issue)
        return row

    def changed(self) -> dict[tuple[str, str], RowChange]:
        return {(change.collection, change.id): change for change in self.world.changes()}


def _document(*texts: str) -> dict[str, Any]:
    paragraphs = [{"type": "paragraph", "content": [{"type": "text", "text": text}]} for text in texts]
    return {"type": "doc", "version": 1, "content": paragraphs}


def _fields(project: str = "OPS", issuetype: str = "Task", summary: Any = "Call", **more: Any) -> dict[str, Any]:
    return {"project": {"key": project}, "issuetype": {"name": issuetype}, "summary": summary, **more}


# --- JQL -------------------------------------------------------------------------------------------------------------

NEWEST = ["OPS-3", "OPS-2", "FIN-7", "OPS-1", "OPS-4", "OPS-10"]


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        ("project = ops", "OPS-3 OPS-2 OPS-1 OPS-4 OPS-10"),
        ("project = Operations", "OPS-3 OPS-2 OPS-1 OPS-4 OPS-10"),
        (f"project = {project_id(2)}", "FIN-7"),
        ("project in (FIN, HR)", "FIN-7"),
        ("key = ops-3", "OPS-3"),
        ("key in (OPS-3, OPS-10)", "OPS-3 OPS-10"),
        ("key > OPS-3", "OPS-4 OPS-10"),
        (f"id = {issue_id(20)}", "FIN-7"),
        ("status = 'in progress'", "OPS-2"),
        ("status not in ('To Do', Open)", "OPS-2 OPS-10"),
        ("statusCategory = Done", "OPS-10"),
        ("statusCategory != Done", "OPS-3 OPS-2 FIN-7 OPS-1 OPS-4"),
        ("assignee = currentUser()", "OPS-10"),
        ("assignee = 'ann lee'", "OPS-1"),
        ("assignee = 'ann@tarnwick.example'", "OPS-1"),
        (f"assignee in ({ANN}, EMPTY)", "OPS-3 OPS-2 FIN-7 OPS-1 OPS-4"),
        ("assignee != 'Ann Lee'", "OPS-10"),
        ("not assignee = 'Ann Lee'", "OPS-10"),
        ("assignee is EMPTY", "OPS-3 OPS-2 FIN-7 OPS-4"),
        ("priority > Medium", "FIN-7 OPS-1"),
        ("priority <= Low", "OPS-3"),
        ("priority = high", "OPS-1"),
        ("labels = billing", "OPS-1 OPS-10"),
        ("labels != year-end", "OPS-1"),
        ("labels is empty", "OPS-3 OPS-2 FIN-7 OPS-4"),
        ("type = Epic", "OPS-2"),
        ("issuetype in subTaskIssueTypes()", "OPS-4"),
        ("resolution is EMPTY", "OPS-3 OPS-2 FIN-7 OPS-1 OPS-4"),
        ("resolution = Unresolved", "OPS-3 OPS-2 FIN-7 OPS-1 OPS-4"),
        ("resolution != Unresolved", "OPS-10"),
        ("resolution = duplicate", "OPS-10"),
        ("parent = OPS-2", "OPS-3"),
        ("parent is not empty", "OPS-3 OPS-4"),
        ("fixVersion = March", "OPS-4"),
        ("fixVersion in unreleasedVersions(OPS)", "OPS-4"),
        ("fixVersion in releasedVersions()", ""),
        ("issue in linkedIssues(OPS-10)", "OPS-1"),
        ("issue in linkedIssues(OPS-1, blocks)", "OPS-10"),
        ("issue in linkedIssues(OPS-10, blocks)", ""),
        ("due = 2026-03-04", "OPS-1"),
        ("due < now()", "FIN-7"),
        ("due <= 0d", "FIN-7 OPS-1"),
        ("due <= 6d", "FIN-7 OPS-1 OPS-4"),
        ("due < 6d and due >= startOfWeek()", "OPS-1"),
        ("duedate > endOfWeek()", "OPS-4"),
        ("duedate >= startOfMonth() AND due <= endOfMonth()", "OPS-1 OPS-4"),
        ("created >= startOfDay()", "OPS-3 OPS-2"),
        ("created >= 2026-03-04", "OPS-3 OPS-2"),
        ("created > '2026-03-04 00:29' and created < '2026/03/04 00:31'", "OPS-3 OPS-2"),
        ("created >= -2d", "OPS-3 OPS-2"),
        ("created >= '-1w 1d'", "OPS-3 OPS-2 FIN-7 OPS-1"),
        ("created < startOfMonth(-1) or created < startOfYear(-1y)", ""),
        ("created < endOfMonth('-1M')", "OPS-4 OPS-10"),
        ("resolved >= -40d", "OPS-10"),
        ("timespent > 30000", "OPS-2"),
        ("summary ~ invoice", "OPS-1"),
        ("summary ~ 'late invoicing'", "OPS-1"),
        ('summary ~ "\\"invoices late\\""', ""),
        ('summary ~ "\\"larkfield are\\""', "OPS-1"),
        ("summary ~ 'arch*'", "OPS-2"),
        ("summary !~ invoice", "OPS-3 OPS-2 FIN-7 OPS-4 OPS-10"),
        ("text ~ 'CN-20417'", "OPS-1"),
        ("text ~ landlords", "OPS-2"),
        ("text ~ cash", "FIN-7"),
        ("text ~ 'landlord archive'", ""),
        ("comment ~ phone", "OPS-2"),
        ("description ~ twice", "OPS-1"),
        ("severity = s1", "OPS-1"),
        ("cf[10002] >= 1200", "FIN-7"),
        ("Budget < 1300.5", "FIN-7"),
        ("Signed = 2026-02-01", "FIN-7"),
        ("Owner = 'Ann Lee'", "FIN-7"),
        ("'Cost note' ~ cash", "FIN-7"),
        ("project = OPS and not (status = Done or priority in (High, Lowest))", "OPS-2 OPS-4"),
    ],
)
def test_jql_finds(condition: str, keys: str) -> None:
    assert Site().found(condition) == keys.split()


@pytest.mark.parametrize(
    ("order", "keys"),
    [
        ("", "OPS-3 OPS-2 FIN-7 OPS-1 OPS-4 OPS-10"),
        ("order by created", "OPS-3 OPS-2 FIN-7 OPS-1 OPS-4 OPS-10"),
        ("order by created asc", "OPS-10 OPS-4 OPS-1 FIN-7 OPS-2 OPS-3"),
        ("order by key", "FIN-7 OPS-1 OPS-2 OPS-3 OPS-4 OPS-10"),
        ("order by priority desc, key desc", "FIN-7 OPS-1 OPS-10 OPS-4 OPS-2 OPS-3"),
        ("order by due asc, key asc", "FIN-7 OPS-1 OPS-4 OPS-2 OPS-3 OPS-10"),
        ("order by due desc, key asc", "OPS-2 OPS-3 OPS-10 OPS-4 OPS-1 FIN-7"),
        ("order by assignee asc, summary asc", "OPS-1 OPS-10 OPS-3 OPS-2 OPS-4 FIN-7"),
        ("order by status asc, Rank asc", "OPS-1 OPS-3 OPS-4 OPS-2 OPS-10 FIN-7"),
        ("order by statusCategory asc, key asc", "FIN-7 OPS-1 OPS-3 OPS-4 OPS-2 OPS-10"),
        ("order by Budget asc, rank desc", "FIN-7 OPS-10 OPS-4 OPS-3 OPS-2 OPS-1"),
    ],
)
def test_jql_orders(order: str, keys: str) -> None:
    assert Site().found(order) == keys.split()


@pytest.mark.parametrize(
    ("jql", "message"),
    [
        ("project = NOPE", "The value 'NOPE' does not exist for the field 'project'."),
        ("status = Closd", "The value 'Closd' does not exist for the field 'status'."),
        ("assignee = bo", "The value 'bo' does not exist for the field 'assignee'."),
        ("fixVersion = May", "The value 'May' does not exist for the field 'fixVersion'."),
        ("key = OPS-99", "An issue with key 'OPS-99' does not exist for field 'issuekey'."),
        ("universe = 42", "Field 'universe' does not exist or you do not have permission to view it."),
        ("summary = x", "The operator '=' is not supported by the 'summary' field."),
        ("project ~ x", "The operator '~' is not supported by the 'project' field."),
        ("status > Done", "The operator '>' is not supported by the 'status' field."),
        ("assignee = owners()", "Unable to find JQL function 'owners()'."),
        ("due = startOfDay(x)", "The arguments of function 'startOfDay' for field 'due' are not valid."),
        ("Budget = lots", "The value 'lots' for field 'Budget' is not a valid number."),
        ("order by universe", "Field 'universe' does not exist or you do not have permission to view it."),
        ("order by comment", "Not able to sort using field 'comment'."),
        (
            "created > soon",
            "Date value 'soon' for field 'created' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', "
            "'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.",
        ),
    ],
)
def test_jql_that_makes_no_sense_is_refused(jql: str, message: str) -> None:
    response = Site().ask("GET", "/search", {"jql": jql})
    assert (response.status, response.body) == (400, {"errorMessages": [message], "warningMessages": []})


def test_every_mistake_of_a_query_is_told() -> None:
    body = Site().ask("POST", "/search", None, {"jql": "project = A or universe = 1 order by comment"}).body
    assert len(body["errorMessages"]) == 3


@pytest.mark.parametrize(
    "moment", ["9999-12-31", "0001-01-01", "-999999w", "endOfYear(99999y)", "2026-02-30", "'1d -1d'"]
)
def test_moments_at_the_ends_of_time_are_answered(moment: str) -> None:
    for field in ("due", "created"):
        assert Site().ask("GET", "/search", {"jql": f"{field} < {moment}"}).status in (200, 400)


@pytest.mark.parametrize(
    "condition",
    ["assignee = 'Ann Lee'", "labels = billing", "due < 2026-03-05", "priority > Low", "text ~ boxes", "status = Done"],
)
def test_a_condition_and_its_opposite_share_out_the_issues_that_have_the_field(condition: str) -> None:
    site, field = Site(), condition.split()[0]
    holding, opposite = site.found(condition), site.found(f"NOT {condition}")
    empty = site.found(f"{field} is EMPTY")
    assert sorted(holding + opposite + empty) == sorted(NEWEST)


def test_words_are_compared_without_endings() -> None:
    groups = [
        "invoice invoices invoiced invoicing",
        "process processes processing",
        "plan planned planning",
        "box boxes",
    ]
    for group in groups:
        assert len({stem(word) for word in group.split()}) == 1, group
    assert stem("bus") == "bus" and stem("gas") != stem("gash")
    assert holds("He invoiced us.", wanted("invoi*")) and not holds("He invoiced us.", wanted(""))


# --- pages and fields ------------------------------------------------------------------------------------------------


def test_pages_by_token_show_every_issue_once() -> None:
    site, seen, token = Site(), [], None
    while True:
        params = {"jql": "project in (OPS, FIN)", "fields": ["key"], "maxResults": 2}
        page = site.get("/search/jql", **params, **({"nextPageToken": token} if token else {}))
        seen += [issue["key"] for issue in page["issues"]]
        token = page.get("nextPageToken")
        assert page["isLast"] == (token is None)
        if token is None:
            break
    assert seen == NEWEST


def test_search_by_token_wants_a_restriction_and_its_own_token() -> None:
    site = Site()
    for jql in ("", "order by created"):
        assert "Unbounded JQL" in site.ask("GET", "/search/jql", {"jql": jql}).body["errorMessages"][0]
    token = site.get("/search/jql", jql="project = OPS", maxResults=1)["nextPageToken"]
    for jql, wrong in (("project = FIN", token), ("project = OPS", token[:-1]), ("project = OPS", "é" * 1000)):
        assert site.ask("GET", "/search/jql", {"jql": jql, "nextPageToken": wrong}).status == 400


def test_search_by_token_shows_ids_alone_unless_fields_are_asked() -> None:
    site = Site()
    assert site.get("/search/jql", jql="key = OPS-1")["issues"] == [{"id": issue_id(1)}]
    shown = site.get("/search/jql", jql="key = OPS-1", fields="summary,Severity")["issues"][0]
    assert shown["key"] == "OPS-1"
    assert shown["fields"] == {"summary": "Invoices of Larkfield are late", SEVERITY: {"value": "S1"}}
    assert site.ask("POST", "/search/approximate-count", None, {"jql": "project = OPS"}).body == {"count": 5}


def test_search_by_number_bounds_its_pages() -> None:
    site = Site()
    page = site.get("/search", startAt=4, maxResults=1000, fields="summary,-summary,*navigable,-status")
    assert (page["total"], page["maxResults"], len(page["issues"])) == (6, 100, 2)
    fields = page["issues"][0]["fields"]
    assert "comment" not in fields and "status" not in fields and "created" in fields
    assert site.get("/search", maxResults=0)["issues"] == []
    assert site.get("/search", startAt=10**400)["issues"] == []
    for params in ({"startAt": -1}, {"maxResults": -1}):
        assert site.ask("GET", "/search", params).status == 400


def test_an_issue_is_shown_as_jira_shows_it() -> None:
    shown = Site().get("/issue/ops-1")
    fields = shown["fields"]
    assert (shown["id"], shown["key"]) == (issue_id(1), "OPS-1")
    assert shown["self"] == f"https://tarnwick.atlassian.net/rest/api/3/issue/{issue_id(1)}"
    assert fields["created"] == "2026-03-01T08:00:00.000+0000"
    assert fields["status"]["statusCategory"]["key"] == "new"
    assert fields["assignee"]["displayName"] == "Ann Lee"
    assert fields["description"] == _document("They sent CN-20417 twice.")
    assert fields["issuelinks"][0]["outwardIssue"]["key"] == "OPS-10"
    assert "inwardIssue" not in fields["issuelinks"][0]
    assert fields["comment"]["total"] == 0 and fields["resolution"] is None


# --- creating and editing --------------------------------------------------------------------------------------------


def test_keys_count_on_in_their_project_and_are_never_used_twice() -> None:
    site = Site()
    keys = [site.ask("POST", "/issue", None, {"fields": _fields()}).body["key"] for _ in range(2)]
    assert keys == ["OPS-11", "OPS-12"]
    assert site.ask("DELETE", "/issue/OPS-12").status == 204
    assert site.ask("POST", "/issue", None, {"fields": _fields()}).body["key"] == "OPS-13"
    assert site.ask("POST", "/issue", None, {"fields": _fields("HR")}).body["key"] == "HR-42"
    ids = [change.after["id"] for change in site.world.changes() if change.after and change.collection == "Issue"]
    assert len(set(ids)) == len(ids) == 3


def test_a_new_issue_has_the_workflows_first_status_and_who_made_it() -> None:
    site = Site()
    body = {"fields": _fields("FIN", duedate="2026-04-01", **{BUDGET: 5}, description=_document("Hello"))}
    response = site.ask("POST", "/issue", None, body)
    assert response.status == 201 and set(response.body) == {"id", "key", "self"}
    issue = site.issue("FIN-8")
    assert (issue.status, issue.reporter, issue.description, issue.custom(BUDGET)) == ("Open", PAT, "Hello", 5.0)


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({}, {"project": "Specify a valid project ID or key"}),
        (_fields("NOPE"), {"project": "Specify a valid project ID or key"}),
        (_fields(issuetype="Chore"), {"issuetype": "Specify a valid issue type"}),
        (_fields("HR", "Epic"), {"issuetype": "Specify a valid issue type"}),
        (
            {"project": {"key": "OPS"}},
            {"issuetype": "Specify an issue type", "summary": "You must specify a summary of the issue."},
        ),
        (_fields(summary=" "), {"summary": "You must specify a summary of the issue."}),
        (_fields(summary="a\nb"), {"summary": "The summary is invalid because it contains newline characters."}),
        (_fields(summary=5), {"summary": "Operation value must be a string"}),
        (_fields("FIN"), {"duedate": "Due date is required.", BUDGET: "Budget is required."}),
        (_fields(duedate="31.03.2026"), {"duedate": "Error parsing date string: 31.03.2026"}),
        (_fields(duedate="2026-02-29"), {"duedate": "Error parsing date string: 2026-02-29"}),
        (_fields(priority={"name": "Urgent"}), {"priority": "The priority selected is invalid."}),
        (_fields(priority="High"), {"priority": "data was not an object"}),
        (_fields(labels=["two words"]), {"labels": "The label 'two words' contains spaces which is invalid."}),
        (_fields(assignee={"accountId": GONE}), {"assignee": "User 'Gone Girl' cannot be assigned issues."}),
        (_fields(assignee={"accountId": "nobody"}), {"assignee": "User 'nobody' does not exist."}),
        (_fields(fixVersions=[{"name": "May"}]), {"fixVersions": "Version name 'May' is not valid"}),
        (_fields(**{SEVERITY: {"value": "S9"}}), {SEVERITY: "Option value 'S9' is not valid"}),
        (
            _fields(**{BUDGET: 5}),
            {BUDGET: f"Field '{BUDGET}' cannot be set. It is not on the appropriate screen, or unknown."},
        ),
        (
            _fields(status={"name": "Done"}),
            {"status": "Field 'status' cannot be set. It is not on the appropriate screen, or unknown."},
        ),
        (
            _fields(description="plain"),
            {"description": "Operation value must be an Atlassian Document (see the Atlassian Document Format)"},
        ),
        (
            _fields(issuetype="Sub-task"),
            {"parent": "Issue type is a sub-task but parent issue key or id not specified."},
        ),
        (
            _fields(issuetype="Sub-task", parent={"key": "OPS-4"}),
            {"parentId": "Given parent issue does not belong to appropriate hierarchy."},
        ),
        (
            _fields(issuetype="Sub-task", parent={"key": "FIN-7"}),
            {"parentId": "Given parent issue does not belong to appropriate hierarchy."},
        ),
        (
            _fields(issuetype="Epic", parent={"key": "OPS-2"}),
            {"parentId": "Given parent issue does not belong to appropriate hierarchy."},
        ),
        (_fields(parent={"key": "OPS-99"}), {"parent": "Could not find issue by id or key."}),
    ],
)
def test_an_issue_that_cannot_be_is_refused_by_field(fields: dict[str, Any], errors: dict[str, str]) -> None:
    site = Site()
    response = site.ask("POST", "/issue", None, {"fields": fields})
    assert (response.status, response.body) == (400, {"errorMessages": [], "errors": errors})
    assert site.world.changes() == ()


def test_a_new_project_has_an_id_that_no_other_has() -> None:
    projects = tuple({"id": project_id(number), "key": f"P{number}", "name": f"Project {number}"} for number in (1, 3))
    world = World(Base({"jira": {"Project": projects}}, {"jira": {"Project": Project}}), parse_now(NOW))
    server = Server((APP,), world, ACTOR)
    made = server.fetch("POST", APP.url("/project"), None, {"key": "NEW", "name": "New"})
    assert made.body["id"] == int(project_id(4))


def test_of_very_many_wrong_fields_fifty_are_named() -> None:
    wrong = {f"customfield_{number}": number for number in range(3000)}
    errors = Site().ask("POST", "/issue", None, {"fields": {**_fields(), **wrong}}).body["errors"]
    assert list(errors) == list(wrong)[:50]


@pytest.mark.parametrize(
    ("issuetype", "parent"), [("Sub-task", "OPS-1"), ("Task", "OPS-2"), ("Story", "OPS-2"), ("Bug", None)]
)
def test_issues_stand_one_level_below_their_parents(issuetype: str, parent: str | None) -> None:
    fields = _fields(issuetype=issuetype, **({"parent": {"key": parent}} if parent else {}))
    assert Site().ask("POST", "/issue", None, {"fields": fields}).status == 201


def test_an_edit_answers_nothing_and_changes_only_what_it_names() -> None:
    site = Site()
    body = {
        "fields": {"summary": "Larkfield is late", "assignee": None, SEVERITY: None},
        "update": {
            "labels": [{"add": "urgent"}, {"remove": "Billing"}],
            "fixVersions": [{"add": {"name": "March"}}],
            "comment": [{"add": {"body": _document("Noted")}}],
            "issuelinks": [{"add": {"type": {"name": "Relates"}, "outwardIssue": {"key": "FIN-7"}}}],
        },
    }
    response = site.ask("PUT", "/issue/OPS-1", None, body)
    assert (response.status, response.body) == (204, None)
    before, after = site.changed()["Issue", "OPS-1"].before, site.changed()["Issue", "OPS-1"].after
    assert before and after
    assert {name for name in after if after[name] != before.get(name)} == {
        *("summary", "assignee", SEVERITY, "labels", "fixVersions", "updated"),
    }
    assert (after["labels"], after["fixVersions"]) == (["urgent"], [version_id(1)])
    assert site.changed()["Comment", comment_id(2)].after["body"] == "Noted"  # type: ignore[index]
    assert site.changed()["IssueLink", link_id(2)].after["outwardIssue"] == "FIN-7"  # type: ignore[index]


def test_an_edit_that_sets_what_is_there_is_no_change() -> None:
    site = Site()
    body = {"fields": {"priority": {"name": "High"}}, "update": {"labels": [{"add": "x"}, {"remove": "x"}]}}
    assert site.ask("PUT", "/issue/OPS-1", None, body).status == 204
    assert site.world.changes() == ()


@pytest.mark.parametrize(
    ("body", "name", "complaint"),
    [
        ({"fields": {"status": {"name": "Done"}}}, "status", "not on the appropriate screen"),
        ({"update": {"status": [{"set": {"name": "Done"}}]}}, "status", "not on the appropriate screen"),
        ({"fields": {"resolution": {"name": "Done"}}}, "resolution", "not on the appropriate screen"),
        ({"fields": {"project": {"key": "FIN"}}}, "project", "not on the appropriate screen"),
        ({"fields": {"colour": "red"}}, "colour", "not on the appropriate screen"),
        ({"fields": {"labels": []}, "update": {"labels": [{"add": "x"}]}}, "labels", "both"),
        ({"update": {"labels": [{"add": "two words"}]}}, "labels", "contains spaces"),
        ({"update": {"summary": [{"add": "x"}]}}, "summary", "does not support the operation 'add'"),
        ({"update": {"comment": [{"add": {"body": "plain"}}]}}, "comment", "not valid"),
        ({"update": {"labels": "x"}}, "labels", "not an array"),
        ({"fields": {"parent": {"key": "OPS-3"}}}, "parentId", "appropriate hierarchy"),
        ({"fields": {"issuetype": {"name": "Sub-task"}}}, "parent", "parent issue key or id not specified"),
        ({"fields": {"reporter": None}}, "reporter", "Reporter is required."),
    ],
)
def test_an_edit_that_cannot_be_is_refused_by_field(body: dict[str, Any], name: str, complaint: str) -> None:
    site = Site()
    response = site.ask("PUT", "/issue/OPS-1", None, body)
    assert response.status == 400 and complaint in response.body["errors"][name]
    assert site.world.changes() == ()


def test_required_fields_cannot_be_cleared() -> None:
    response = Site().ask("PUT", "/issue/FIN-7", None, {"fields": {"duedate": None}})
    assert response.body["errors"] == {"duedate": "Due date is required."}


def test_an_issue_is_assigned_by_account() -> None:
    site, path = Site(), "/issue/OPS-3/assignee"
    for given, holds_then in ((PAT, PAT), ("-1", ANN), (None, None)):
        assert site.ask("PUT", path, None, {"accountId": given}).status == 204
        assert site.issue("OPS-3").assignee == holds_then
    assert site.ask("PUT", path, None, {"accountId": "nobody"}).status == 404
    assert site.ask("PUT", path, None, {}).status == 400
    refused = site.ask("PUT", path, None, {"accountId": GONE})
    assert refused.body["errors"] == {"assignee": "User 'Gone Girl' cannot be assigned issues."}


def test_an_issue_goes_with_its_comments_links_and_subtasks() -> None:
    site = Site()
    refused = site.ask("DELETE", "/issue/OPS-3")
    assert refused.status == 400 and "has subtasks" in refused.body["errorMessages"][0]
    assert site.ask("DELETE", "/issue/OPS-3", {"deleteSubtasks": "true"}).status == 204
    assert site.ask("DELETE", "/issue/OPS-2").status == 204
    assert site.ask("DELETE", "/issue/OPS-1").status == 204
    gone = {key for key, change in site.changed().items() if change.after is None}
    assert gone == {
        *(("Issue", key) for key in ("OPS-1", "OPS-2", "OPS-3", "OPS-4")),
        *(("Comment", comment_id(1)), ("Worklog", worklog_id(1)), ("IssueLink", link_id(1))),
    }


# --- workflows -------------------------------------------------------------------------------------------------------


def test_the_usual_workflow_leads_everywhere_and_resolves_what_is_done() -> None:
    site, path = Site(), "/issue/OPS-1/transitions"
    ways = site.get(path)["transitions"]
    assert [way["to"]["name"] for way in ways] == ["To Do", "In Progress", "In Review", "Done"]
    assert site.ask("POST", path, None, {"transition": {"id": 41}}).status == 204
    assert (site.issue("OPS-1").status, site.issue("OPS-1").resolution) == ("Done", "Done")
    assert site.ask("POST", path, None, {"transition": {"id": "21"}}).status == 204
    assert (site.issue("OPS-1").resolution, site.issue("OPS-1").resolutiondate) == (None, None)


def test_a_projects_own_workflow_offers_only_the_ways_out_of_the_status() -> None:
    site, path = Site(), "/issue/FIN-7/transitions"
    assert [way["name"] for way in site.get(path)["transitions"]] == ["Approve"]
    early = site.ask("POST", path, None, {"transition": {"id": "21"}, "fields": {"resolution": {"name": "Done"}}})
    assert early.body["errorMessages"] == ["Transition id '21' is not valid for this issue."]
    assert site.ask("POST", path, None, {"transition": {"id": "11"}}).status == 204
    assert [way["name"] for way in site.get(path)["transitions"]] == ["Close"]


def test_a_transition_takes_what_its_screen_has_and_demands_what_it_requires() -> None:
    site, path = Site(), "/issue/FIN-7/transitions"
    site.ask("POST", path, None, {"transition": {"id": "11"}})
    fields = site.get(path, expand="transitions.fields")["transitions"][0]["fields"]
    assert {name: meta["required"] for name, meta in fields.items()} == {"resolution": True, "assignee": False}
    assert fields["resolution"]["allowedValues"][0]["name"] == "Done"
    for body, errors in (
        ({}, {"resolution": "Resolution is required."}),
        ({"fields": {"resolution": {"name": "Fixed"}}}, {"resolution": "The resolution selected is invalid."}),
    ):
        assert site.ask("POST", path, None, {"transition": {"id": "21"}, **body}).body["errors"] == errors
    body = {
        "transition": {"id": "21"},
        "fields": {"resolution": {"name": "Won't Do"}, "assignee": {"accountId": ANN}},
        "update": {"comment": [{"add": {"body": _document("No budget")}}]},
    }
    assert site.ask("POST", path, None, body).status == 204
    issue = site.issue("FIN-7")
    assert (issue.status, issue.resolution, issue.assignee) == ("Closed", "Won't Do", ANN)
    assert site.changed()["Comment", comment_id(2)].after["body"] == "No budget"  # type: ignore[index]


def test_a_transition_without_a_screen_takes_no_fields() -> None:
    site = Site()
    body = {"transition": {"id": "41"}, "fields": {"resolution": {"name": "Done"}}}
    response = site.ask("POST", "/issue/OPS-1/transitions", None, body)
    assert "not on the appropriate screen" in response.body["errors"]["resolution"]
    assert site.world.changes() == ()


@pytest.mark.parametrize("transition", [None, {}, {"id": "99"}, {"id": []}, {"id": 10**400}, {"name": "Done"}])
def test_an_unknown_transition_is_refused(transition: Any) -> None:
    response = Site().ask("POST", "/issue/OPS-1/transitions", None, {"transition": transition})
    assert response.status == 400 and "ransition" in response.body["errorMessages"][0]


# --- documents -------------------------------------------------------------------------------------------------------

RICH = {
    "type": "doc",
    "version": 1,
    "content": [
        {"type": "heading", "attrs": {"level": 2}, "content": [{"type": "text", "text": "Plan"}]},
        {
            "type": "paragraph",
            "content": [
                {"type": "text", "text": "Ask ", "marks": [{"type": "strong"}]},
                {"type": "mention", "attrs": {"id": ANN, "text": "@Ann Lee"}},
                {"type": "text", "text": " by "},
                {"type": "date", "attrs": {"timestamp": "1772582400000"}},
                {"type": "hardBreak"},
                {"type": "inlineCard", "attrs": {"url": "https://x.example"}},
            ],
        },
        {
            "type": "orderedList",
            "content": [
                {
                    "type": "listItem",
                    "content": [
                        {"type": "paragraph", "content": [{"type": "text", "text": "one"}]},
                        {
                            "type": "bulletList",
                            "content": [
                                {
                                    "type": "listItem",
                                    "content": [{"type": "paragraph", "content": [{"type": "text", "text": "in"}]}],
                                }
                            ],
                        },
                    ],
                }
            ],
        },
        {
            "type": "table",
            "content": [
                {
                    "type": "tableRow",
                    "content": [
                        {"type": "tableHeader", "content": _document("Bill")["content"]},
                        {"type": "tableCell", "content": _document("GBP 5")["content"]},
                    ],
                }
            ],
        },
    ],
}


def test_a_documents_text_is_what_people_read() -> None:
    expected = "Plan\n\nAsk @Ann Lee by 2026-03-04\nhttps://x.example\n\n1. one\n  - in\n\nBill | GBP 5"
    assert adf.is_document(RICH)
    assert adf.read_text(RICH) == expected


@pytest.mark.parametrize(
    "text",
    ["One line", "Two\nlines", "One\n\nTwo", "Do:\n\n- a\n- b\n\nThen 5 - 3", "1. a\n2. b", "- not - nested", ""],
)
def test_text_survives_the_way_through_a_document(text: str) -> None:
    document = adf.write_document(text)
    assert adf.is_document(document)
    assert adf.read_text(document) == text
    assert adf.stored(document) == (text, None)


def test_a_rich_comment_comes_back_as_it_was_sent() -> None:
    site = Site()
    made = site.ask("POST", "/issue/OPS-1/comment", None, {"body": RICH})
    assert (made.status, made.body["body"]) == (201, RICH)
    stored = site.changed()["Comment", made.body["id"]].after
    assert stored and stored["body"].startswith("Plan\n\nAsk @Ann Lee")
    assert site.found("comment ~ 'ask ann'") == ["OPS-1"]


@pytest.mark.parametrize(
    "body",
    [
        None,
        "plain",
        {},
        {"type": "doc", "version": 2, "content": []},
        {"type": "doc", "version": True, "content": []},
        {"type": "doc", "version": 1},
        {"type": "doc", "version": 1, "content": [{"type": "text", "text": "bare"}]},
        {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [{"type": "text", "text": ""}]}]},
        {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [{"type": "text"}]}]},
        {"type": "doc", "version": 1, "content": [{"type": "paragraph", "colour": "red"}]},
        {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": None}]},
        {"type": "doc", "version": 1, "content": [{"type": []}, None]},
        {"type": "doc", "version": 1, "content": [{"type": "bulletList", "content": []}]},
        {
            "type": "doc",
            "version": 1,
            "content": [{"type": "paragraph", "content": [{"type": "text", "text": "a"}] * 9999}],
        },
        _document("x" * 40_000),
        _document(" "),
    ],
)
def test_what_is_no_document_is_no_comment(body: Any) -> None:
    site = Site()
    assert site.ask("POST", "/issue/OPS-1/comment", None, {"body": body}).status == 400
    assert site.world.changes() == ()


def test_a_document_nested_without_end_is_refused() -> None:
    node: dict[str, Any] = {"type": "paragraph"}
    for _ in range(5_000):
        node = {"type": "blockquote", "content": [node]}
    body = {"body": {"type": "doc", "version": 1, "content": [node]}}
    assert Site().ask("POST", "/issue/OPS-1/comment", None, body).status == 400


# --- links, versions, work, people -----------------------------------------------------------------------------------


def test_the_inward_issue_blocks_the_outward_one() -> None:
    site = Site()
    body = {"type": {"name": "Blocks"}, "inwardIssue": {"key": "OPS-2"}, "outwardIssue": {"key": "ops-3"}}
    assert site.ask("POST", "/issueLink", None, body).status == 201
    assert site.ask("POST", "/issueLink", None, body).status == 201
    assert len(site.world.changes()) == 1
    assert site.act("get_issue", key="OPS-2")["links"] == ["blocks OPS-3"]
    assert site.act("get_issue", key="OPS-3")["links"] == ["is blocked by OPS-2"]
    for end, status in (("OPS-99", 404), ("OPS-2", 400)):
        assert site.ask("POST", "/issueLink", None, {**body, "outwardIssue": {"key": end}}).status == status


def test_a_version_is_unique_in_its_project_and_leaves_its_issues_when_it_goes() -> None:
    site = Site()
    taken = site.ask("POST", "/version", None, {"name": "march", "project": "OPS"})
    assert taken.body["errors"] == {"name": "A version with this name already exists in this project."}
    made = site.ask("POST", "/version", None, {"name": "March", "projectId": int(project_id(2))})
    assert made.status == 201 and made.body["projectId"] == int(project_id(2))
    assert site.get(f"/version/{version_id(1)}")["overdue"] is True
    assert site.ask("PUT", f"/version/{version_id(1)}", None, {"released": True}).body["released"] is True
    assert site.ask("DELETE", f"/version/{version_id(1)}").status == 204
    assert site.issue("OPS-4").fixVersions == ()


@pytest.mark.parametrize(
    ("given", "seconds", "shown"),
    [
        ({"timeSpent": "1h 30m"}, 5_400, "1h 30m"),
        ({"timeSpent": "1w 1d"}, 172_800, "1w 1d"),
        ({"timeSpent": "90"}, 5_400, "1h 30m"),
        ({"timeSpentSeconds": 3_661}, 3_660, "1h 1m"),
    ],
)
def test_time_is_logged_in_working_hours(given: dict[str, Any], seconds: int, shown: str) -> None:
    body = {**given, "started": "2026-03-04T09:00:00.000+0100"}
    made = Site().ask("POST", "/issue/OPS-1/worklog", None, body)
    assert (made.body["timeSpentSeconds"], made.body["timeSpent"]) == (seconds, shown)
    assert made.body["started"] == "2026-03-04T08:00:00.000+0000"


@pytest.mark.parametrize(
    "body",
    [{}, {"timeSpent": "soon"}, {"timeSpent": "0m"}, {"timeSpentSeconds": -60}, {"timeSpent": "9" * 99 + "w"}]
    + [{"timeSpent": "1h", "started": started} for started in ("2026-03-04", "2026-13-04T09:00:00.000+0000")],
)
def test_time_that_is_none_is_refused(body: dict[str, Any]) -> None:
    assert Site().ask("POST", "/issue/OPS-1/worklog", None, body).status == 400


def test_people_are_found_by_the_beginnings_of_their_names_and_addresses() -> None:
    site = Site()
    for query, names in (
        ("an", ["Ann Lee", "Anna Lind"]),
        ("ann l", ["Ann Lee", "Anna Lind"]),
        ("lee", ["Ann Lee"]),
        ("ANNA@", ["Anna Lind"]),
        ("nn", []),
    ):
        assert [user["displayName"] for user in site.get("/user/search", query=query)] == names, query
    assert len(site.get("/user/assignable/search", project="OPS")) == 3
    assert site.ask("GET", "/user/assignable/search", {"issueKey": "OPS-99"}).status == 404


def test_watching_is_a_set_of_people() -> None:
    site, path = Site(), "/issue/OPS-1/watchers"
    for body in (None, PAT, ANN):
        assert site.ask("POST", path, None, body).status == 204
    assert site.get(path)["watchCount"] == 2 and site.get(path)["isWatching"] is True
    assert site.ask("DELETE", path, {"accountId": PAT}).status == 204
    assert site.issue("OPS-1").watchers == (ANN,)
    assert site.ask("POST", path, None, {"accountId": PAT}).status == 400


def test_create_metadata_tells_what_a_project_demands() -> None:
    site = Site()
    kinds = site.get("/issue/createmeta/FIN/issuetypes")["issueTypes"]
    task = next(kind["id"] for kind in kinds if kind["name"] == "Task")
    fields = site.get(f"/issue/createmeta/FIN/issuetypes/{task}")["fields"]
    needed = {field["name"] for field in fields if field["required"]}
    assert needed == {"Project", "Issue Type", "Summary", "Due date", "Budget"}
    old = site.get("/issue/createmeta", projectKeys="OPS", issuetypeNames="Bug", expand="projects.issuetypes.fields")
    assert [project["key"] for project in old["projects"]] == ["OPS"]
    assert SEVERITY in old["projects"][0]["issuetypes"][0]["fields"]


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "status", "message"),
    [
        ("GET", "/issue/OPS-99", 404, "Issue does not exist or you do not have permission to see it."),
        ("GET", "/issue/..%2F..%2Fetc", 404, "Issue does not exist or you do not have permission to see it."),
        ("GET", "/project/NOPE", 404, "No project could be found with key 'NOPE'."),
        ("GET", "/issue/OPS-1/comment/1", 404, "Can not find a comment for the id: 1."),
        ("GET", f"/issue/OPS-1/comment/{comment_id(1)}", 404, f"Can not find a comment for the id: {comment_id(1)}."),
        ("DELETE", "/issueLink/1", 404, "No issue link with id '1' exists."),
        ("GET", "/user/search", 400, "Either the 'query', 'accountId' or 'property' query parameter must be provided."),
    ],
)
def test_refusals_have_jiras_body(method: str, path: str, status: int, message: str) -> None:
    response = Site().ask(method, path)
    assert (response.status, response.body) == (status, {"errorMessages": [message], "errors": {}})


def test_the_gateways_address_reaches_the_same_site() -> None:
    site = Site()
    url = "https://api.atlassian.com/ex/jira/1324a887-45db-1bf4-1e99-ef0ff456d421/rest/api/3/issue/OPS-1"
    assert site.server.fetch("GET", url).body["key"] == "OPS-1"
    assert site.server.fetch("GET", "https://api.atlassian.com/rest/api/3x/issue/OPS-1").status == 404


# --- actions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        ({}, NEWEST),
        ({"query": "invoices"}, ["OPS-1"]),
        ({"query": "ops-10"}, ["OPS-10"]),
        ({"query": "CN-20417"}, ["OPS-1"]),
        ({"query": "due <= 6d ORDER BY due", "project": "OPS"}, ["OPS-4", "OPS-1"]),
        ({"query": "order by key"}, ["FIN-7", "OPS-1", "OPS-2", "OPS-3", "OPS-4", "OPS-10"]),
        ({"query": "assignee is empty or priority = High", "status": "to do"}, ["OPS-3", "OPS-1", "OPS-4"]),
        ({"assignee": "ann@tarnwick.example"}, ["OPS-1"]),
        ({"assignee": "unassigned", "project": "OPS"}, ["OPS-3", "OPS-2", "OPS-4"]),
    ],
)
def test_issues_are_found_by_words_or_by_jql(arguments: dict[str, Any], keys: list[str]) -> None:
    found = Site().act("search_issues", **arguments)
    assert [issue["key"] for issue in found["issues"]] == keys
    assert found["total"] == len(keys) and "more" not in found


def test_a_found_issue_is_short() -> None:
    found = Site().act("search_issues", query="invoices")["issues"]
    assert found == [
        {
            "key": "OPS-1",
            "summary": "Invoices of Larkfield are late",
            "status": "To Do",
            "assignee": "Ann Lee",
            "priority": "High",
            "due_date": "2026-03-04",
        }
    ]


def test_many_issues_come_in_pages() -> None:
    site = Site()
    for number in range(30):
        site.act("create_issue", project="HR", summary=f"Letter {number}")
    first = site.act("search_issues", project="HR")
    second = site.act("search_issues", project="HR", page=2)
    assert (first["total"], len(first["issues"]), first["more"]) == (30, 20, "page 2")
    assert len(second["issues"]) == 10 and "more" not in second
    assert len({issue["key"] for issue in first["issues"] + second["issues"]}) == 30


def test_an_issue_is_read_with_everything_that_is_known_and_nothing_that_is_not() -> None:
    site = Site()
    assert site.act("get_issue", key="fin-7") == {
        "key": "FIN-7",
        "summary": "Pay the rent",
        "status": "Open",
        "priority": "Highest",
        "due_date": "2026-02-28",
        "type": "Task",
        "reporter": "Pat Moss",
        "Budget": 1200.0,
        "Signed": "2026-02-01",
        "Owner": "Ann Lee",
        "Cost note": "cash only",
    }
    comments = site.act("get_issue", key="OPS-2")["comments"]
    assert comments == [{"author": "Ann Lee", "date": "2026-03-03", "text": "The landlord phoned about the boxes"}]


def test_actions_do_what_they_say() -> None:
    site = Site()
    made = site.act(
        "create_issue",
        project="fin",
        summary="Chase",
        type="bug",
        description="Call\n- Ann",
        assignee="lee",
        priority="high",
        due_date="2026-03-09",
        labels=["vip"],
    )
    assert made == {"error": f"{BUDGET}: Budget is required."}
    made = site.act("create_issue", project="ops", summary="Chase", type="sub-task", parent="ops-1", assignee="lee")
    assert made == {"key": "OPS-11"}
    updated = site.act("update_issue", key="ops-11", priority="lowest", due_date="2026-03-09", labels=["b", "a"])
    assert updated == {"key": "OPS-11", "updated": ["priority", "due_date", "labels"]}
    assert site.act("transition_issue", key="OPS-11", status="in review") == {"key": "OPS-11", "status": "In Review"}
    assert site.act("assign_issue", key="OPS-11", assignee="unassigned") == {"key": "OPS-11", "assignee": "unassigned"}
    assert site.act("add_comment", key="OPS-11", text="Rang\n- twice")["key"] == "OPS-11"
    linked = site.act("link_issues", key="OPS-11", relation="is blocked by", other_key="fin-7")
    assert linked == {"linked": "OPS-11 is blocked by FIN-7"}
    assert site.act("log_work", key="OPS-11", time_spent="90m") == {"key": "OPS-11", "time_spent": "1h 30m"}
    issue = site.issue("OPS-11")
    assert (issue.issuetype, issue.parent, issue.priority, issue.status) == ("Sub-task", "OPS-1", "Lowest", "In Review")
    assert (issue.labels, issue.duedate, issue.assignee) == (("a", "b"), "2026-03-09", None)
    shown = site.act("get_issue", key="OPS-11")
    assert shown["links"] == ["is blocked by FIN-7"] and shown["comments"][0]["text"] == "Rang\n\n- twice"


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("get_issue", {"key": "OPS-99"}, "Issue does not exist or you do not have permission to see it."),
        ("get_issue", {"key": ""}, "Issue does not exist or you do not have permission to see it."),
        (
            "transition_issue",
            {"key": "FIN-7", "status": "Closed"},
            "FIN-7 can't go to 'Closed' now; possible: Approved",
        ),
        ("assign_issue", {"key": "OPS-1", "assignee": "Bo"}, "there is no user 'Bo'"),
        ("assign_issue", {"key": "OPS-1", "assignee": "Gone Girl"}, "there is no user 'Gone Girl'"),
        (
            "assign_issue",
            {"key": "OPS-1", "assignee": "an"},
            "several users fit 'an': Ann Lee <ann@tarnwick.example>, Anna Lind <anna@tarnwick.example>; "
            "give the e-mail address",
        ),
        (
            "update_issue",
            {"key": "OPS-1"},
            "give at least one of summary, description, priority, due_date, labels",
        ),
        ("update_issue", {"key": "OPS-1", "priority": "Urgent"}, "priority: The priority selected is invalid."),
        ("search_issues", {"query": "status = Gone"}, "The value 'Gone' does not exist for the field 'status'."),
        ("search_issues", {"query": "!!!"}, "The text query '!!!' for field 'text' is not allowed to be empty."),
    ],
)
def test_actions_say_what_is_wrong(name: str, arguments: dict[str, Any], error: str) -> None:
    site = Site()
    assert site.act(name, **arguments) == {"error": error}
    assert site.world.changes() == ()
