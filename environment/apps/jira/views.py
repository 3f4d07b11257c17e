"""Views are the JSON in which Jira shows its records; of an issue only the fields that were asked for are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from environment.apps.jira import adf
from environment.apps.jira.entry import site
from environment.apps.jira.people import find_user, me, user_view
from environment.apps.jira.rows import (
    Comment,
    CustomField,
    Issue,
    IssueLink,
    Project,
    Version,
    WorkflowStatus,
    Worklog,
)
from environment.apps.jira.site import (
    CATEGORIES,
    FIELDS,
    LINK_TYPES,
    PRIORITIES,
    RESOLUTIONS,
    TYPES_BY_NAME,
    IssueType,
    LinkType,
    Named,
)
from environment.apps.jira.workflow import site_statuses
from environment.apps.kit import Call

_PRIORITIES = {priority.name: priority for priority in PRIORITIES}
_RESOLUTIONS = {resolution.name: resolution for resolution in RESOLUTIONS}
_LINKS = {kind.name: kind for kind in LINK_TYPES}
_IN_LINKS = ("summary", "status", "priority", "issuetype")
_NOT_NAVIGABLE = ("comment", "worklog")
_COMMENTS_SHOWN, _WORKLOGS_SHOWN = 100, 20


@dataclass(frozen=True)
class Viewer:
    """One request's view of the site; what many records share is looked up once."""

    call: Call

    @cached_property
    def root(self) -> str:
        return site(self.call)

    @cached_property
    def statuses(self) -> Mapping[str, tuple[str, WorkflowStatus]]:
        """Name -> id and status."""
        return {status.name: (str(10_000 + at), status) for at, status in enumerate(site_statuses(self.call))}

    @cached_property
    def custom_fields(self) -> list[CustomField]:
        return self.call.tables.all(CustomField)

    @cached_property
    def own_id(self) -> str:
        return me(self.call).accountId

    @cached_property
    def _users(self) -> dict[str, Any]:
        return {}

    @cached_property
    def _statuses_shown(self) -> dict[str, Any]:
        return {}

    def user(self, key: str | None) -> Any:
        """The user as shown, None for none."""
        if key is None:
            return None
        if key not in self._users:
            user = find_user(self.call, key)
            self._users[key] = user_view(self.root, user) if user else {"accountId": key, "active": False}
        return self._users[key]

    def issue(self, issue: Issue, fields: Iterable[str]) -> dict[str, Any]:
        """The issue with these of its fields."""
        return {
            "expand": "renderedFields,names,schema,operations,editmeta,changelog",
            "id": issue.id,
            "self": f"{self.root}/issue/{issue.id}",
            "key": issue.key,
            "fields": {name: self._field(issue, name) for name in fields},
        }

    def field_names(self, wanted: Iterable[str], otherwise: str) -> list[str]:
        """Ids of the fields that a list such as `summary,-comment,*navigable` asks for, in the site's order."""
        pieces = [piece.strip() for item in wanted for piece in item.split(",") if piece.strip()]
        if not any(not piece.startswith("-") for piece in pieces):
            pieces.insert(0, otherwise)
        every = [field.id for field in FIELDS] + [field.id for field in self.custom_fields]
        asked: set[str] = set()
        for piece in pieces:
            if piece == "*all":
                asked.update(every)
            elif piece == "*navigable":
                asked.update(name for name in every if name not in _NOT_NAVIGABLE)
            elif piece.startswith("-"):
                asked.discard(self._id_of(piece[1:]))
            else:
                asked.add(self._id_of(piece))
        return [name for name in every if name in asked]

    def status(self, name: str) -> dict[str, Any]:
        if name not in self._statuses_shown:
            self._statuses_shown[name] = self._status(name)
        return self._statuses_shown[name]

    def _status(self, name: str) -> dict[str, Any]:
        key, status = self.statuses.get(name, ("10999", WorkflowStatus(name=name, category="indeterminate")))
        number, colour, title = CATEGORIES[status.category]
        category = {
            "self": f"{self.root}/statuscategory/{number}",
            "id": number,
            "key": status.category,
            "colorName": colour,
            "name": title,
        }
        return {
            "self": f"{self.root}/status/{key}",
            "description": "",
            "name": name,
            "id": key,
            "statusCategory": category,
        }

    def named(self, kind: str, thing: Named) -> dict[str, Any]:
        """A priority or resolution."""
        return {
            "self": f"{self.root}/{kind}/{thing.id}",
            "id": thing.id,
            "name": thing.name,
            "description": thing.description,
        }

    def issue_type(self, kind: IssueType) -> dict[str, Any]:
        return {
            "self": f"{self.root}/issuetype/{kind.id}",
            "id": kind.id,
            "description": "",
            "name": kind.name,
            "subtask": kind.subtask,
            "hierarchyLevel": kind.level,
        }

    def link_type(self, kind: LinkType) -> dict[str, Any]:
        return {
            "id": kind.id,
            "name": kind.name,
            "inward": kind.inward,
            "outward": kind.outward,
            "self": f"{self.root}/issueLinkType/{kind.id}",
        }

    def project(self, project: Project) -> dict[str, Any]:
        return {
            "self": f"{self.root}/project/{project.id}",
            "id": project.id,
            "key": project.key,
            "name": project.name,
            "projectTypeKey": project.projectTypeKey,
            "simplified": False,
        }

    def version(self, version: Version) -> dict[str, Any]:
        project = self.call.tables.find(Project, version.project)
        optional = {
            "description": version.description,
            "startDate": version.startDate,
            "releaseDate": version.releaseDate,
        }
        overdue = version.releaseDate is not None and version.releaseDate < f"{self.call.now:%Y-%m-%d}"
        return {
            "self": f"{self.root}/version/{version.id}",
            "id": version.id,
            "name": version.name,
            **{name: value for name, value in optional.items() if value},
            "archived": version.archived,
            "released": version.released,
            **({"overdue": overdue} if version.releaseDate and not version.released else {}),
            "projectId": int(project.id) if project else 0,
        }

    def comment(self, comment: Comment) -> dict[str, Any]:
        return {
            "self": f"{self.root}/issue/{comment.issue}/comment/{comment.id}",
            "id": comment.id,
            "author": self.user(comment.author),
            "body": adf.shown(comment.body, comment.bodyAdf),
            "updateAuthor": self.user(comment.author),
            "created": moment(comment.created),
            "updated": moment(comment.updated),
            "jsdPublic": True,
        }

    def worklog(self, worklog: Worklog) -> dict[str, Any]:
        comment = adf.shown(worklog.comment, None)
        return {
            "self": f"{self.root}/issue/{worklog.issue}/worklog/{worklog.id}",
            "author": self.user(worklog.author),
            "updateAuthor": self.user(worklog.author),
            **({"comment": comment} if comment else {}),
            "created": moment(worklog.created),
            "updated": moment(worklog.updated),
            "started": moment(worklog.started),
            "timeSpent": duration(worklog.timeSpentSeconds),
            "timeSpentSeconds": worklog.timeSpentSeconds,
            "id": worklog.id,
            "issueId": self._issue_id(worklog.issue),
        }

    def linked(self, key: str) -> dict[str, Any]:
        """An issue as others refer to it."""
        issue = self.call.tables.find(Issue, key)
        if issue is None:
            return {"key": key}
        shown = self.issue(issue, _IN_LINKS)
        return {name: shown[name] for name in ("id", "key", "self", "fields")}

    def link(self, link: IssueLink, side: str | None = None) -> dict[str, Any]:
        """A link as the issue `side` sees it; both ends for None."""
        ends = {"inwardIssue": link.inwardIssue, "outwardIssue": link.outwardIssue}
        return {
            "id": link.id,
            "self": f"{self.root}/issueLink/{link.id}",
            "type": self.link_type(_LINKS[link.type]),
            **{end: self.linked(key) for end, key in ends.items() if key != side},
        }

    def watches(self, issue: Issue) -> dict[str, Any]:
        return {
            "self": f"{self.root}/issue/{issue.key}/watchers",
            "watchCount": len(issue.watchers),
            "isWatching": self.own_id in issue.watchers,
        }

    def _field(self, issue: Issue, name: str) -> Any:
        if name in _FIELDS:
            return _FIELDS[name](self, issue)
        value = issue.custom(name)
        kind = next((field.type for field in self.custom_fields if field.id == name), "string")
        if value is None:
            return None
        if kind == "option":
            return {"value": value}
        return self.user(str(value)) if kind == "user" else value

    def _id_of(self, name: str) -> str:
        return next((field.id for field in self.custom_fields if field.name == name), name)

    def _issue_id(self, key: str) -> str:
        issue = self.call.tables.find(Issue, key)
        return issue.id if issue else ""

    def _project_of(self, issue: Issue) -> Any:
        project = self.call.tables.find(Project, issue.project)
        return self.project(project) if project else {"key": issue.project}

    def _links_of(self, issue: Issue) -> list[dict[str, Any]]:
        return [self.link(link, issue.key) for link in links_of(self.call, issue.key)]

    def _subtasks_of(self, issue: Issue) -> list[dict[str, Any]]:
        return [self.linked(child.key) for child in subtasks_of(self.call, issue)]

    def _versions_of(self, issue: Issue) -> list[dict[str, Any]]:
        found = (self.call.tables.find(Version, key) for key in issue.fixVersions)
        return [self.version(version) for version in found if version]

    def _comments_of(self, issue: Issue) -> dict[str, Any]:
        comments = self.call.tables.where(Comment, "issue", issue.key)
        return {
            "comments": [self.comment(comment) for comment in comments[:_COMMENTS_SHOWN]],
            "self": f"{self.root}/issue/{issue.id}/comment",
            "maxResults": len(comments),
            "total": len(comments),
            "startAt": 0,
        }

    def _worklogs_of(self, issue: Issue) -> dict[str, Any]:
        worklogs = self.call.tables.where(Worklog, "issue", issue.key)
        shown = [self.worklog(worklog) for worklog in worklogs[:_WORKLOGS_SHOWN]]
        return {"startAt": 0, "maxResults": _WORKLOGS_SHOWN, "total": len(worklogs), "worklogs": shown}

    def _time_spent(self, issue: Issue) -> int | None:
        worklogs = self.call.tables.where(Worklog, "issue", issue.key)
        return sum(worklog.timeSpentSeconds for worklog in worklogs) if worklogs else None

    def _resolution_of(self, issue: Issue) -> Any:
        found = _RESOLUTIONS.get(issue.resolution or "")
        return self.named("resolution", found) if found else None


_FIELDS: Mapping[str, Callable[[Viewer, Issue], Any]] = {
    "summary": lambda viewer, issue: issue.summary,
    "issuetype": lambda viewer, issue: viewer.issue_type(TYPES_BY_NAME[issue.issuetype]),
    "project": Viewer._project_of,
    "parent": lambda viewer, issue: viewer.linked(issue.parent) if issue.parent else None,
    "description": lambda viewer, issue: adf.shown(issue.description, issue.descriptionAdf),
    "status": lambda viewer, issue: viewer.status(issue.status),
    "priority": lambda viewer, issue: viewer.named("priority", _PRIORITIES[issue.priority]),
    "assignee": lambda viewer, issue: viewer.user(issue.assignee),
    "reporter": lambda viewer, issue: viewer.user(issue.reporter),
    "creator": lambda viewer, issue: viewer.user(issue.reporter),
    "labels": lambda viewer, issue: list(issue.labels),
    "duedate": lambda viewer, issue: issue.duedate,
    "fixVersions": Viewer._versions_of,
    "resolution": Viewer._resolution_of,
    "resolutiondate": lambda viewer, issue: moment(issue.resolutiondate),
    "created": lambda viewer, issue: moment(issue.created),
    "updated": lambda viewer, issue: moment(issue.updated),
    "issuelinks": Viewer._links_of,
    "subtasks": Viewer._subtasks_of,
    "comment": Viewer._comments_of,
    "worklog": Viewer._worklogs_of,
    "timespent": Viewer._time_spent,
    "watches": Viewer.watches,
}


def links_of(call: Call, key: str) -> list[IssueLink]:
    """The links that an issue is one end of."""
    outward = call.tables.where(IssueLink, "inwardIssue", key)
    return outward + [link for link in call.tables.where(IssueLink, "outwardIssue", key) if link not in outward]


def subtasks_of(call: Call, issue: Issue) -> list[Issue]:
    """The issue's sub-tasks; what stands below an epic is none."""
    return [child for child in call.tables.where(Issue, "parent", issue.key) if TYPES_BY_NAME[child.issuetype].subtask]


def moment(text: str | None) -> str | None:
    """A time as Jira writes it: 2026-03-04T09:20:00.000+0000."""
    if text is None:
        return None
    return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%dT%H:%M:%S}.000+0000"


def duration(seconds: int) -> str:
    """Working time as Jira writes it, a day having 8 hours and a week 5 days: 1d 2h 30m."""
    parts = []
    for unit, size in (("w", 144_000), ("d", 28_800), ("h", 3_600), ("m", 60)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0m"
