"""Jira in the sample world."""

from __future__ import annotations

from typing import Any

from environment.apps.jira import rows as jira

_USERS = [jira.account_id(1), jira.account_id(2)]
_PEOPLE = [("Pat Moss", "pat@tarnwick.example"), ("Ann Lee", "ann@tarnwick.example")]
_ISSUES = ["OPS-1", "OPS-2", "OPS-3", "FIN-1"]

ROWS: dict[str, tuple[dict[str, Any], ...]] = {
    "User": tuple(
        {"accountId": key, "displayName": name, "emailAddress": email}
        for key, (name, email) in zip(_USERS, _PEOPLE, strict=True)
    ),
    "Project": (
        {"id": jira.project_id(1), "key": "OPS", "name": "Operations", "lead": _USERS[1]},
        {"id": jira.project_id(2), "key": "FIN", "name": "Finance", "requiredFields": ["duedate"]},
    ),
    "Issue": tuple(
        {
            "id": jira.issue_id(number),
            "key": key,
            "project": key.partition("-")[0],
            "issuetype": "Sub-task" if key == "OPS-3" else "Task",
            "summary": "Credit note RMA-553",
            "status": "Open" if key == "FIN-1" else "To Do",
            "reporter": _USERS[0],
            "assignee": _USERS[1] if key == "OPS-1" else None,
            "parent": "OPS-1" if key == "OPS-3" else None,
            "labels": ["refund"],
            "fixVersions": [jira.version_id(1)] if key == "OPS-2" else [],
            "duedate": "2026-03-06",
            "created": f"2026-03-0{number}T08:00:00+00:00",
            "updated": f"2026-03-0{number}T08:00:00+00:00",
            jira.field_id(1): "S2",
        }
        for number, key in enumerate(_ISSUES, 1)
    ),
    "Comment": (
        {
            "id": jira.comment_id(1),
            "issue": "OPS-1",
            "author": _USERS[1],
            "body": "Where is it?",
            "created": "2026-03-02T08:00:00+00:00",
            "updated": "2026-03-02T08:00:00+00:00",
        },
    ),
    "Worklog": (
        {
            "id": jira.worklog_id(1),
            "issue": "OPS-1",
            "author": _USERS[1],
            "timeSpentSeconds": 5400,
            "started": "2026-03-02T08:00:00+00:00",
            "created": "2026-03-02T08:00:00+00:00",
            "updated": "2026-03-02T08:00:00+00:00",
        },
    ),
    "Version": ({"id": jira.version_id(1), "project": "OPS", "name": "March"},),
    "IssueLink": ({"id": jira.link_id(1), "type": "Blocks", "inwardIssue": "OPS-1", "outwardIssue": "OPS-2"},),
    "Workflow": (
        {
            "id": jira.workflow_id(1),
            "project": "FIN",
            "statuses": [
                {"name": "Open", "category": "new"},
                {"name": "Approved", "category": "indeterminate"},
                {"name": "Closed", "category": "done"},
            ],
            "transitions": [
                {"id": "11", "name": "Approve", "to": "Approved", "sources": ["Open"]},
                {"id": "21", "name": "Close", "to": "Closed", "requires": ["resolution"], "offers": ["assignee"]},
            ],
        },
    ),
    "CustomField": (
        {"id": jira.field_id(1), "name": "Severity", "type": "option", "options": ["S1", "S2"]},
        {"id": jira.field_id(2), "name": "Budget", "type": "number", "projects": ["FIN"]},
    ),
}

_TEXT = {"type": "paragraph", "content": [{"type": "text", "text": "Looking into it"}]}
_DOCUMENT = {"type": "doc", "version": 1, "content": [_TEXT]}

MEANT: dict[str, list[Any]] = {
    "issueIdOrKey": [*_ISSUES, jira.issue_id(2)],
    "key": [*_ISSUES, "HR"],
    "other_key": _ISSUES,
    "parent": ["OPS-1"],
    "projectIdOrKey": ["OPS", "FIN", jira.project_id(1)],
    "project": ["OPS", "FIN"],
    "projectKeys": ["OPS", "OPS,FIN"],
    "issueTypeId": ["10002", "10003"],
    "accountId": _USERS,
    "assignee": ["Ann Lee", "pat@tarnwick.example", "unassigned"],
    "id": [jira.comment_id(1), jira.worklog_id(1), jira.version_id(1)],
    "linkId": [jira.link_id(1)],
    "jql": [
        "project = OPS AND status != Done ORDER BY priority DESC, due",
        "assignee = currentUser() OR text ~ 'credit note' AND created >= -7d",
        "Severity = S2 AND fixVersion is not EMPTY AND issue in linkedIssues(OPS-1)",
    ],
    "query": ["credit note", "project = OPS AND due <= endOfWeek()", "ann"],
    "fields": [
        {"project": {"key": "OPS"}, "issuetype": {"name": "Task"}, "summary": "Call", "description": _DOCUMENT},
        {"project": {"key": "OPS"}, "issuetype": {"name": "Sub-task"}, "summary": "Call", "parent": {"key": "OPS-1"}},
        {"priority": {"name": "High"}, "duedate": "2026-03-31", jira.field_id(1): {"value": "S1"}},
        {"status": {"name": "Done"}},
        {"assignee": None, "fixVersions": [{"name": "March"}]},
        {"resolution": {"name": "Done"}},
        "summary,status,assignee,-labels",
        ["*all"],
        ["key"],
    ],
    "update": [
        {"labels": [{"add": "vip"}, {"remove": "refund"}], "comment": [{"add": {"body": _DOCUMENT}}]},
        {"issuelinks": [{"add": {"type": {"name": "Relates"}, "outwardIssue": {"key": "FIN-1"}}}]},
        {"summary": [{"set": "Chase"}]},
    ],
    "body": [_DOCUMENT],
    "transition": [{"id": "41"}, {"id": "11"}, {"id": "21"}],
    "status": ["Done", "Approved", "in review"],
    "resolution": ["Done", "won't do"],
    "priority": ["High", "lowest"],
    "type": ["Task", "Bug", {"name": "Blocks"}],
    "inwardIssue": [{"key": "OPS-1"}, {"key": "OPS-2"}],
    "outwardIssue": [{"key": "FIN-1"}, {"key": "OPS-2"}],
    "due_date": ["2026-03-31"],
    "labels": [["vip", "refund"], []],
    "timeSpent": ["1h 30m", "2d"],
    "time_spent": ["1h 30m"],
    "started": ["2026-03-04T09:00:00.000+0000"],
    "comment": [_DOCUMENT],
    "name": ["April", "March"],
}

FILLED = {
    "account id": _USERS[0],
    "issue key": "OPS-1",
    "other issue key": "FIN-1",
}
"""What stands in an example's `<...>` -> a value of this world."""
