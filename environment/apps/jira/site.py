"""What every Jira site starts with: priorities, issue types, resolutions, link types, system fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Category = Literal["new", "indeterminate", "done"]
"""To Do, In Progress, Done: what every status counts as."""


@dataclass(frozen=True, slots=True)
class Named:
    """A priority or resolution."""

    id: str
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class IssueType:
    id: str
    name: str
    subtask: bool = False
    level: int = 0
    """1 for an epic, 0 for what stands below one, -1 for a sub-task."""


@dataclass(frozen=True, slots=True)
class LinkType:
    id: str
    name: str
    inward: str
    outward: str


@dataclass(frozen=True, slots=True)
class SystemField:
    id: str
    name: str
    type: str
    items: str | None = None
    clauses: tuple[str, ...] = ()
    """What JQL calls it."""


PRIORITIES = (
    Named("1", "Highest", "This problem will block progress."),
    Named("2", "High", "Serious problem that could block progress."),
    Named("3", "Medium", "Has the potential to affect progress."),
    Named("4", "Low", "Minor problem or easily worked around."),
    Named("5", "Lowest", "Trivial problem with little or no impact on progress."),
)
"""Most urgent first."""

RESOLUTIONS = (
    Named("10000", "Done", "Work has been completed on this issue."),
    Named("10001", "Won't Do", "This issue won't be actioned."),
    Named("10002", "Duplicate", "The problem is a duplicate of an existing issue."),
    Named("10003", "Cannot Reproduce", "All attempts at reproducing this issue failed."),
)

ISSUE_TYPES = (
    IssueType("10000", "Epic", level=1),
    IssueType("10001", "Story"),
    IssueType("10002", "Task"),
    IssueType("10003", "Sub-task", subtask=True, level=-1),
    IssueType("10004", "Bug"),
    IssueType("10005", "Incident"),
    IssueType("10006", "Service Request"),
    IssueType("10007", "Change"),
)

TYPES_BY_NAME = {kind.name: kind for kind in ISSUE_TYPES}

LINK_TYPES = (
    LinkType("10000", "Blocks", "is blocked by", "blocks"),
    LinkType("10001", "Cloners", "is cloned by", "clones"),
    LinkType("10002", "Duplicate", "is duplicated by", "duplicates"),
    LinkType("10003", "Relates", "relates to", "relates to"),
)

CATEGORIES: dict[Category, tuple[int, str, str]] = {
    "new": (2, "blue-gray", "To Do"),
    "indeterminate": (4, "yellow", "In Progress"),
    "done": (3, "green", "Done"),
}
"""Category -> its id, colour and name."""

FIELDS = (
    SystemField("summary", "Summary", "string", clauses=("summary",)),
    SystemField("issuetype", "Issue Type", "issuetype", clauses=("issuetype", "type")),
    SystemField("project", "Project", "project", clauses=("project",)),
    SystemField("parent", "Parent", "issuelink", clauses=("parent",)),
    SystemField("description", "Description", "string", clauses=("description",)),
    SystemField("status", "Status", "status", clauses=("status",)),
    SystemField("priority", "Priority", "priority", clauses=("priority",)),
    SystemField("assignee", "Assignee", "user", clauses=("assignee",)),
    SystemField("reporter", "Reporter", "user", clauses=("reporter",)),
    SystemField("creator", "Creator", "user", clauses=("creator",)),
    SystemField("labels", "Labels", "array", "string", ("labels",)),
    SystemField("duedate", "Due date", "date", clauses=("due", "duedate")),
    SystemField("fixVersions", "Fix versions", "array", "version", ("fixVersion",)),
    SystemField("resolution", "Resolution", "resolution", clauses=("resolution",)),
    SystemField("resolutiondate", "Resolved", "datetime", clauses=("resolutiondate", "resolved")),
    SystemField("created", "Created", "datetime", clauses=("created", "createdDate")),
    SystemField("updated", "Updated", "datetime", clauses=("updated", "updatedDate")),
    SystemField("issuelinks", "Linked Issues", "array", "issuelinks"),
    SystemField("subtasks", "Sub-tasks", "array", "issuelinks", ("subtasks",)),
    SystemField("comment", "Comment", "comments-page", clauses=("comment",)),
    SystemField("worklog", "Log Work", "array", "worklog"),
    SystemField("timespent", "Time Spent", "number", clauses=("timespent",)),
    SystemField("watches", "Watchers", "watches", clauses=("watchers",)),
)

FIELD_NAMES = {field.id: field.name for field in FIELDS}
