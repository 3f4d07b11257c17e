"""Jira rows that families put on stage, and the calls that list them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from environment.apps.jira.rows import account_id, comment_id, issue_id, issue_key, project_id
from environment.task import ToolCall
from generators.business import Person
from generators.family import Scene, call

PAGE = 20
"""Issues that one search answers with."""


def add_project(scene: Scene, key: str, name: str) -> str:
    """Add a project with the usual workflow, and return its key."""
    scene.add("jira", "Project", {"id": project_id(scene.invent.number(101, 999)), "key": key, "name": name})
    return key


def add_jira_user(scene: Scene, person: Person) -> str:
    """Add somebody who can be assigned issues, and return the account id."""
    key = account_id(scene.invent.number(101, 9_999))
    row = {"accountId": key, "displayName": person.name, "emailAddress": person.email}
    scene.add("jira", "User", row)
    return key


def add_issue(scene: Scene, project: str, summary: str, days_old: int, **fields: Any) -> str:
    """Add an issue, and return its key; `fields` are status, priority, assignee (account id), duedate, labels, ..."""
    number = scene.invent.number(11, 999)
    key = issue_key(project, number)
    made = (scene.business.now - timedelta(days=days_old)).isoformat()
    row = {"id": issue_id(number), "key": key, "project": project, "summary": summary, "created": made, "updated": made}
    scene.add("jira", "Issue", {**row, **fields})
    return key


def add_comment(scene: Scene, issue: str, author: str, body: str, minutes_ago: int) -> str:
    """Add a comment by the user with this account id, and return its id."""
    key = comment_id(scene.invent.number(101, 9_999))
    made = scene.sent(minutes_ago).isoformat()
    row = {"id": key, "issue": issue, "author": author, "body": body, "created": made, "updated": made}
    scene.add("jira", "Comment", row)
    return key


def list_issues(scene: Scene, project: str, status: str) -> tuple[ToolCall, ...]:
    """The calls that list every staged issue of a project in a status, page by page."""
    staged = scene.rows["jira"]["Issue"]
    count = sum(row["project"] == project and row.get("status", "To Do") == status for row in staged)
    pages = range(1, max(1, -(-count // PAGE)) + 1)
    whole = "jira_search_issues"
    return tuple(call(whole, project=project, status=status, **({"page": n} if n > 1 else {})) for n in pages)
