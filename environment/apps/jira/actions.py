"""Jira's actions: short scripts over its REST API in which people, statuses and priorities go by their names."""

from __future__ import annotations

import re
from typing import Any, Literal
from urllib.parse import quote

from pydantic import Field

from environment.apps.jira.adf import read_text, write_document
from environment.apps.kit import Action, AppError, Args, Fetch

_PAGE = 20
_COMMENTS_SHOWN, _TEXT_SHOWN = 10, 1_500
_LISTED = "summary,status,assignee,priority,duedate"
_JQL = re.compile(r"[=~<>]|\b(is|in|not)\b.*\b(empty|null)\b|\bin\s*\(|^\s*order\s+by\b", re.IGNORECASE)
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]{1,9}-[0-9]{1,9}")

_RELATIONS = {
    "blocks": ("Blocks", True),
    "is blocked by": ("Blocks", False),
    "relates to": ("Relates", True),
    "duplicates": ("Duplicate", True),
    "is duplicated by": ("Duplicate", False),
    "clones": ("Cloners", True),
}
"""Words between two issues -> the type of the link, and whether it goes from the first to the second."""


_NOBODY = ("unassigned", "nobody", "none", "")


class SearchIssues(Args):
    query: str | None = Field(None, description="Words or JQL")
    project: str | None = Field(None, description="Project key")
    status: str | None = Field(None, description="Status")
    assignee: str | None = Field(None, description="Name or email")
    page: int = Field(1, description="Page number")


class OneIssue(Args):
    key: str = Field(description="Issue key")


class CreateIssue(Args):
    project: str = Field(description="Project key")
    summary: str = Field(description="Summary")
    type: str = Field("Task", description="Issue type")
    description: str | None = Field(None, description="Description")
    assignee: str | None = Field(None, description="Name or email")
    priority: str | None = Field(None, description="Priority")
    due_date: str | None = Field(None, description="YYYY-MM-DD")
    labels: list[str] | None = Field(None, description="Labels")
    parent: str | None = Field(None, description="Key of parent issue")


class UpdateIssue(Args):
    key: str = Field(description="Issue key")
    summary: str | None = Field(None, description="New summary")
    description: str | None = Field(None, description="New description")
    priority: str | None = Field(None, description="New priority")
    due_date: str | None = Field(None, description="YYYY-MM-DD")
    labels: list[str] | None = Field(None, description="All labels")


class TransitionIssue(Args):
    key: str = Field(description="Issue key")
    status: str = Field(description="New status")
    resolution: str | None = Field(None, description="Resolution, if asked for")


class AssignIssue(Args):
    key: str = Field(description="Issue key")
    assignee: str = Field(description="Name, email or unassigned")


class AddComment(Args):
    key: str = Field(description="Issue key")
    text: str = Field(description="Comment text")


class LinkIssues(Args):
    key: str = Field(description="Issue key")
    relation: Literal["blocks", "is blocked by", "relates to", "duplicates", "is duplicated by", "clones"] = Field(
        description="Relation to other issue"
    )
    other_key: str = Field(description="Key of other issue")


class LogWork(Args):
    key: str = Field(description="Issue key")
    time_spent: str = Field(description="Such as 1h 30m")


def _search(fetch: Fetch, args: SearchIssues) -> dict[str, Any]:
    query = (args.query or "").strip()
    order = ""
    conditions = []
    if _names_an_issue(fetch, query):
        conditions.append(f"key = {query}")
    elif _JQL.search(query):
        where, order = _split_order(query)
        conditions += [f"({where})"] if where else []
    elif query:
        conditions.append(f"text ~ {_quoted(query)}")
    if args.project:
        conditions.append(f"project = {_quoted(args.project)}")
    if args.status:
        conditions.append(f"status = {_quoted(args.status)}")
    if args.assignee:
        person = _person(fetch, args.assignee)
        conditions.append("assignee is EMPTY" if person is None else f"assignee = {_quoted(person['accountId'])}")
    page = min(max(1, args.page), 10**6)
    params = {
        "jql": f"{' AND '.join(conditions)} {order}".strip(),
        "fields": _LISTED,
        "startAt": (page - 1) * _PAGE,
        "maxResults": _PAGE,
    }
    found = fetch("GET", "/search", params)
    more = {"more": f"page {page + 1}"} if page * _PAGE < found["total"] else {}
    return {"total": found["total"], "issues": [_line(issue) for issue in found["issues"]], **more}


def _get(fetch: Fetch, args: OneIssue) -> dict[str, Any]:
    issue = fetch("GET", f"/issue/{_path(args.key)}", {"expand": "names"})
    fields = issue["fields"]
    custom = {
        issue["names"][name]: _plain(value)
        for name, value in fields.items()
        if name.startswith("customfield_") and value is not None
    }
    comments = fields["comment"]["comments"]
    shown: dict[str, Any] = {
        **_line(issue),
        "type": fields["issuetype"]["name"],
        "reporter": (fields["reporter"] or {}).get("displayName"),
        "labels": fields["labels"],
        "resolution": (fields["resolution"] or {}).get("name"),
        "parent": (fields["parent"] or {}).get("key"),
        "versions": [version["name"] for version in fields["fixVersions"]],
        "subtasks": [child["key"] for child in fields["subtasks"]],
        "links": [_link(link) for link in fields["issuelinks"]],
        **custom,
        "description": _short(read_text(fields["description"])) if fields["description"] else None,
        "comments": [_comment(comment) for comment in comments[-_COMMENTS_SHOWN:]],
        "earlier_comments": max(0, fields["comment"]["total"] - _COMMENTS_SHOWN),
    }
    return {name: value for name, value in shown.items() if value not in (None, [], "", 0)}


def _create(fetch: Fetch, args: CreateIssue) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "project": {"key": _key(args.project)},
        "issuetype": {"name": _cased(args.type)},
        "summary": args.summary,
        **_changes(args.description, args.priority, args.due_date, args.labels),
    }
    if args.assignee:
        person = _person(fetch, args.assignee)
        fields["assignee"] = {"accountId": person["accountId"]} if person else None
    if args.parent:
        fields["parent"] = {"key": _key(args.parent)}
    return {"key": fetch("POST", "/issue", None, {"fields": fields})["key"]}


def _update(fetch: Fetch, args: UpdateIssue) -> dict[str, Any]:
    fields = _changes(args.description, args.priority, args.due_date, args.labels)
    if args.summary is not None:
        fields["summary"] = args.summary
    if not fields:
        raise AppError(400, "give at least one of summary, description, priority, due_date, labels")
    fetch("PUT", f"/issue/{_path(args.key)}", None, {"fields": fields})
    changed = args.model_dump(exclude_none=True, exclude={"key"})
    return {"key": _key(args.key), "updated": list(changed)}


def _transition(fetch: Fetch, args: TransitionIssue) -> dict[str, Any]:
    path = f"/issue/{_path(args.key)}/transitions"
    ways = fetch("GET", path)["transitions"]
    wanted = args.status.strip().casefold()
    way = next((way for way in ways if wanted == way["to"]["name"].casefold()), None)
    way = way or next((way for way in ways if wanted == way["name"].casefold()), None)
    if way is None:
        names = ", ".join(dict.fromkeys(way["to"]["name"] for way in ways))
        given = f"{_key(args.key)[:40]} can't go to {args.status[:40]!r} now"
        raise AppError(400, f"{given}; possible: {names or 'nothing'}")
    fields = {"fields": {"resolution": {"name": _cased(args.resolution)}}} if args.resolution else {}
    fetch("POST", path, None, {"transition": {"id": way["id"]}, **fields})
    return {"key": _key(args.key), "status": way["to"]["name"]}


def _assign(fetch: Fetch, args: AssignIssue) -> dict[str, Any]:
    person = _person(fetch, args.assignee)
    fetch("PUT", f"/issue/{_path(args.key)}/assignee", None, {"accountId": person["accountId"] if person else None})
    return {"key": _key(args.key), "assignee": person["displayName"] if person else "unassigned"}


def _add_comment(fetch: Fetch, args: AddComment) -> dict[str, Any]:
    made = fetch("POST", f"/issue/{_path(args.key)}/comment", None, {"body": write_document(args.text)})
    return {"key": _key(args.key), "comment_id": made["id"]}


def _link_issues(fetch: Fetch, args: LinkIssues) -> dict[str, Any]:
    kind, forward = _RELATIONS[args.relation]
    keys = [_key(args.key), _key(args.other_key)]
    inward, outward = keys if forward else reversed(keys)
    ends = {"inwardIssue": {"key": inward}, "outwardIssue": {"key": outward}}
    fetch("POST", "/issueLink", None, {"type": {"name": kind}, **ends})
    return {"linked": f"{keys[0]} {args.relation} {keys[1]}"}


def _log_work(fetch: Fetch, args: LogWork) -> dict[str, Any]:
    made = fetch("POST", f"/issue/{_path(args.key)}/worklog", None, {"timeSpent": args.time_spent})
    return {"key": _key(args.key), "time_spent": made["timeSpent"]}


def _changes(
    description: str | None, priority: str | None, due_date: str | None, labels: list[str] | None
) -> dict[str, Any]:
    """Fields of the API with what was given."""
    fields: dict[str, Any] = {}
    if description is not None:
        fields["description"] = write_document(description)
    if priority is not None:
        fields["priority"] = {"name": _cased(priority)}
    if due_date is not None:
        fields["duedate"] = due_date or None
    if labels is not None:
        fields["labels"] = labels
    return fields


def _person(fetch: Fetch, name: str) -> dict[str, Any] | None:
    """The one active user with this name or e-mail address, None for `unassigned`.

    Raises AppError when there is none or are several.
    """
    if name.strip().casefold() in _NOBODY:
        return None
    found = [user for user in fetch("GET", "/user/search", {"query": name, "maxResults": 50}) if user["active"]]
    wanted = name.strip().casefold()
    exact = [user for user in found if wanted in (user["displayName"].casefold(), user["emailAddress"].casefold())]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if not found:
        raise AppError(404, f"there is no user {name[:80]!r}")
    people = ", ".join(f"{user['displayName']} <{user['emailAddress']}>" for user in (exact or found)[:5])
    raise AppError(400, f"several users fit {name[:80]!r}: {people}; give the e-mail address")


def _line(issue: dict[str, Any]) -> dict[str, Any]:
    fields = issue["fields"]
    return {
        "key": issue["key"],
        "summary": fields["summary"],
        "status": fields["status"]["name"],
        **({"assignee": fields["assignee"].get("displayName")} if fields["assignee"] else {}),
        "priority": fields["priority"]["name"],
        **({"due_date": fields["duedate"]} if fields["duedate"] else {}),
    }


def _comment(comment: dict[str, Any]) -> dict[str, Any]:
    author = comment["author"].get("displayName", "")
    return {"author": author, "date": comment["created"][:10], "text": _short(read_text(comment["body"]))}


def _link(link: dict[str, Any]) -> str:
    side = "outward" if "outwardIssue" in link else "inward"
    other = link[f"{side}Issue"]
    return f"{link['type'][side]} {other['key']}"


def _plain(value: Any) -> Any:
    return value.get("value", value.get("displayName")) if isinstance(value, dict) else value


def _short(text: str) -> str:
    return text if len(text) <= _TEXT_SHOWN else f"{text[:_TEXT_SHOWN].rstrip()}…"


def _cased(name: str) -> str:
    """The name as Jira spells priorities, resolutions and issue types: Won't Do, Sub-task."""
    return " ".join(word.capitalize() for word in name.split())


def _names_an_issue(fetch: Fetch, query: str) -> bool:
    """Whether it is a key of some project's, unlike CN-20417."""
    prefix = _key(query).rpartition("-")[0]
    return bool(_KEY.fullmatch(query)) and fetch("GET", "/project/search", {"keys": prefix})["total"] > 0


def _split_order(jql: str) -> tuple[str, str]:
    """The condition and the ORDER BY of a query."""
    found = re.search(r"\border\s+by\b", jql, re.IGNORECASE)
    return (jql, "") if found is None else (jql[: found.start()].strip(), jql[found.start() :])


def _quoted(text: str) -> str:
    escaped = text.strip().replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _key(text: str) -> str:
    return text.strip().upper()


def _path(key: str) -> str:
    return quote(_key(key), safe="") or "-"


ACTIONS = (
    Action("jira_search_issues", "read", "Find issues, newest first.", SearchIssues, _search),
    Action("jira_get_issue", "read", "Read one issue with its comments.", OneIssue, _get),
    Action("jira_create_issue", "write", "Create an issue.", CreateIssue, _create),
    Action("jira_update_issue", "write", "Change fields of an issue.", UpdateIssue, _update),
    Action("jira_transition_issue", "write", "Move an issue to another status.", TransitionIssue, _transition),
    Action("jira_assign_issue", "write", "Assign an issue to a person.", AssignIssue, _assign),
    Action("jira_add_comment", "write", "Add a comment to an issue.", AddComment, _add_comment),
    Action("jira_link_issues", "write", "Link two issues.", LinkIssues, _link_issues),
    Action("jira_log_work", "write", "Log time spent on an issue.", LogWork, _log_work),
)
