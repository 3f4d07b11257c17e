"""The guide to Jira's REST API."""

from __future__ import annotations

from typing import Any

from environment.apps.guide import Guide, Hint


def _document(text: str) -> dict[str, Any]:
    """The text as an Atlassian Document."""
    return {
        "type": "doc",
        "version": 1,
        "content": [{"type": "paragraph", "content": [{"type": "text", "text": text}]}],
    }


_ISSUES = "issues: [{id, key, fields: {summary, status, assignee, priority, duedate, ...}}]"
_COMMENT = "{id, author, body, created}"
_WORKLOG = "{id, author, timeSpent, timeSpentSeconds, started}"
_USERS = "[{accountId, displayName, emailAddress, active}]"
_USER = "{accountId, displayName, emailAddress, active}"
_VERSION = "{id, name, released, archived, projectId}"
_PROJECT = "{id, key, name}"

GUIDE = Guide(
    words="issue tracker project development",
    glossary={
        "issue": "ticket bug task story",
        "user": "person people colleague developer",
        "assign": "owner give hand person developer",
        "transition": "status move next workflow",
        "worklog": "time hours work log record spent",
        "version": "release plan",
        "link": "block relate duplicate depend",
        "create_fields": "required must mandatory filled",
        "create_metadata": "required must mandatory filled",
        "watcher": "follow subscribe notify",
        "comment": "note remark",
    },
    paging={
        "nextPageToken": "nextPageToken of the answer is nextPageToken of the next call; isLast ends it",
        "startAt": "startAt counts from 0; go on while startAt + maxResults is below total",
    },
    hints={
        "search_issues": Hint(
            f"{{startAt, maxResults, total, {_ISSUES}}}",
            {
                "jql": 'project = OPS AND status != Done AND assignee = "<account id>" ORDER BY created',
                "maxResults": 50,
            },
        ),
        "search_issues_by_page": Hint(
            "{issues: [{id, key, fields}], isLast, nextPageToken}; without fields only ids are answered",
            {"jql": 'project = OPS AND text ~ "credit"', "fields": "summary,status,assignee", "maxResults": 50},
        ),
        "count_issues": Hint("{count}", body={"jql": "project = OPS"}),
        "create_issue": Hint(
            "{id, key}; list_create_fields says which fields a project wants",
            body={
                "fields": {
                    "project": {"key": "OPS"},
                    "issuetype": {"name": "Task"},
                    "summary": "Refund RMA-554",
                    "description": _document("See the log."),
                    "priority": {"name": "High"},
                    "assignee": {"accountId": "<account id>"},
                    "labels": ["refund"],
                    "duedate": "2026-03-20",
                }
            },
        ),
        "get_issue": Hint(
            "{id, key, fields: {summary, description, status, priority, assignee, labels, comment, issuelinks}}",
            {"fields": "summary,description,status,priority,assignee,labels,comment,issuelinks"},
        ),
        "edit_issue": Hint(
            "Nothing (204); with returnIssue the issue",
            body={
                "fields": {"priority": {"name": "Low"}, "duedate": "2026-03-27"},
                "update": {"labels": [{"add": "checked"}]},
            },
        ),
        "delete_issue": Hint("Nothing (204)"),
        "assign_issue": Hint("Nothing (204)", body={"accountId": "<account id>"}),
        "list_watchers": Hint("{watchCount, isWatching, watchers: [{accountId, displayName}]}"),
        "add_watcher": Hint("Nothing (204)", body="<account id>"),
        "remove_watcher": Hint("Nothing (204)", {"accountId": "<account id>"}),
        "list_transitions": Hint(
            "{transitions: [{id, name, to: {name}}]}; with transitions.fields also what each one asks for",
            {"expand": "transitions.fields"},
        ),
        "transition_issue": Hint(
            "Nothing (204); ids are those of list_transitions; only fields of the transition's screen go with it",
            body={"transition": {"id": "<transition id>"}},
        ),
        "list_comments": Hint("{startAt, maxResults, total, comments: [{id, author, body, created}]}"),
        "get_comment": Hint(_COMMENT),
        "add_comment": Hint(_COMMENT, body={"body": _document("The refund has been sent.")}),
        "update_comment": Hint(_COMMENT, body={"body": _document("The refund was sent today.")}),
        "delete_comment": Hint("Nothing (204)"),
        "list_worklogs": Hint("{startAt, total, worklogs: [{id, author, timeSpentSeconds, started}]}"),
        "get_worklog": Hint(_WORKLOG),
        "add_worklog": Hint(
            _WORKLOG,
            body={"timeSpent": "1h 30m", "started": "2026-03-04T09:00:00.000+0000", "comment": _document("Checked.")},
        ),
        "update_worklog": Hint(_WORKLOG, body={"timeSpentSeconds": 3600}),
        "delete_worklog": Hint("Nothing (204)"),
        "link_issues": Hint(
            "Nothing (201)",
            body={
                "type": {"name": "Blocks"},
                "inwardIssue": {"key": "<issue key>"},
                "outwardIssue": {"key": "<other issue key>"},
            },
        ),
        "get_issue_link": Hint("{id, type: {name}, inwardIssue: {key}, outwardIssue: {key}}"),
        "delete_issue_link": Hint("Nothing (204)"),
        "list_issue_link_types": Hint("{issueLinkTypes: [{id, name, inward, outward}]}"),
        "list_fields": Hint("[{id, name, custom, schema: {type}}]"),
        "list_priorities": Hint("[{id, name}]"),
        "list_resolutions": Hint("[{id, name}]"),
        "list_issue_types": Hint("[{id, name, subtask}]"),
        "list_statuses": Hint("[{id, name, statusCategory: {key, name}}]"),
        "list_status_categories": Hint("[{id, key, name}]"),
        "list_labels": Hint("{values: [<label>], total, isLast}"),
        "list_project_statuses": Hint("[{name, statuses: [{id, name}]}], an element for each issue type"),
        "get_create_metadata": Hint("{projects: [{key, issuetypes: [{id, name}]}]}"),
        "list_creatable_issue_types": Hint("{total, issueTypes: [{id, name, subtask}]}"),
        "list_create_fields": Hint("{total, fields: [{fieldId, name, required, allowedValues}]}"),
        "get_edit_metadata": Hint("{fields: {<field id>: {name, required, allowedValues}}}"),
        "myself": Hint(_USER),
        "get_user": Hint(_USER, {"accountId": "<account id>"}),
        "search_users": Hint(_USERS, {"query": "ann.lee"}),
        "search_assignable_users": Hint(_USERS, {"project": "OPS", "query": "ann"}),
        "list_users": Hint(_USERS),
        "search_projects": Hint("{values: [{id, key, name}], total, isLast}", {"query": "oper"}),
        "list_projects": Hint("[{id, key, name}]"),
        "get_project": Hint("{id, key, name, lead, issueTypes: [{id, name}], versions: [{id, name}]}"),
        "create_project": Hint(
            "{id, key}",
            body={
                "key": "LAUNCH",
                "name": "Launch",
                "projectTypeKey": "business",
                "leadAccountId": "<account id>",
            },
        ),
        "update_project": Hint(_PROJECT, body={"description": "Returns and refunds"}),
        "list_project_versions": Hint("[{id, name, released, archived}]"),
        "search_project_versions": Hint("{values: [{id, name, released, archived}], total, isLast}"),
        "create_version": Hint(_VERSION, body={"name": "April", "project": "OPS", "releaseDate": "2026-04-30"}),
        "get_version": Hint(_VERSION),
        "update_version": Hint(_VERSION, body={"released": True, "releaseDate": "2026-03-04"}),
        "delete_version": Hint("Nothing (204)"),
    },
)
