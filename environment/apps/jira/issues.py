"""Endpoints of issues: create, read, edit, assign, watch, delete."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import Field

from environment.apps.jira.comments import add_comment
from environment.apps.jira.drafts import Draft
from environment.apps.jira.entry import find_project, known_issue, known_project, site
from environment.apps.jira.fields import ON_SCREEN, Place, check_parent, find_type, read_field
from environment.apps.jira.links import make_link
from environment.apps.jira.metadata import edit_fields
from environment.apps.jira.people import find_user, known_user, me
from environment.apps.jira.refusal import wrong_fields
from environment.apps.jira.rows import Comment, Issue, Project, Worklog, issue_id, issue_key
from environment.apps.jira.views import Viewer, links_of, subtasks_of
from environment.apps.jira.workflow import workflow_of
from environment.apps.kit import AppError, Args, Call, Many, Response, Route

_ON_CREATE = ("project", *ON_SCREEN, "issuelinks")
_ON_EDIT = (*ON_SCREEN, "comment", "issuelinks")


class CreateIssue(Args):
    fields: dict[str, Any] = Field(
        {}, description="An object {project: {key}, issuetype: {name}, summary, ...}; description is a document"
    )
    update: dict[str, Any] = Field({}, description="Operations on fields, such as {labels: [{add}]}")
    updateHistory: bool = Field(False, description="Ignored")
    properties: list[dict[str, Any]] | None = Field(None, description="Ignored")
    historyMetadata: dict[str, Any] | None = Field(None, description="Ignored")
    transition: dict[str, Any] | None = Field(None, description="Ignored")


class OneIssue(Args):
    issueIdOrKey: str = Field(description="Key or id of the issue")


class GetIssue(OneIssue):
    fields: Many | None = Field(None, description="Comma-separated fields; *all, *navigable and -field too")
    expand: str | None = Field(None, description="names shows what the fields are called")
    properties: Many | None = Field(None, description="Ignored")
    fieldsByKeys: bool = Field(False, description="Ignored")
    updateHistory: bool = Field(False, description="Ignored")


class EditIssue(OneIssue):
    fields: dict[str, Any] = Field({}, description="Fields and their new values; the status can't be set here")
    update: dict[str, Any] = Field({}, description="Operations on fields, such as {labels: [{add}, {remove}]}")
    notifyUsers: bool = Field(True, description="Ignored")
    returnIssue: bool = Field(False, description="Answer the issue as it is then")
    overrideScreenSecurity: bool = Field(False, description="Ignored")
    overrideEditableFlag: bool = Field(False, description="Ignored")
    expand: str | None = Field(None, description="Ignored")
    properties: list[dict[str, Any]] | None = Field(None, description="Ignored")
    historyMetadata: dict[str, Any] | None = Field(None, description="Ignored")


class AssignIssue(OneIssue):
    accountId: str | None = Field(None, description="Account id; null unassigns, -1 takes the project's default")


class DeleteIssue(OneIssue):
    deleteSubtasks: bool = Field(False, description="Delete its sub-tasks too")


class Watch(OneIssue):
    accountId: Any = Field(None, description="Account id as a JSON string; yourself without")


class Unwatch(OneIssue):
    accountId: str = Field(description="Account id")


def create_issue(call: Call, args: CreateIssue) -> Response:
    """Create an issue in a project."""
    fields = dict(args.fields)
    project = _project(call, fields.pop("project", None))
    kind = find_type(project, fields.get("issuetype"))
    draft = Draft(Place(call, project), _ON_CREATE)
    if kind is None:
        reading = read_field(draft.place, "issuetype", fields.pop("issuetype", None))
        draft.complaints["issuetype"] = str(reading)
    draft.read(fields, args.update)
    if "summary" not in draft.values and "summary" not in draft.complaints:
        draft.complaints["summary"] = "You must specify a summary of the issue."
    draft.demand(project.requiredFields)
    if kind is not None:
        _place_below(call, draft, kind.name, draft.values.get("parent"))
    draft.check()
    key = call.tables.new_id(Issue, partial(issue_key, project.key), after=_newest_number(call, project))
    now = call.now.isoformat()
    made = Issue.model_validate(
        {
            "id": call.tables.new_id(Issue, issue_id, taken=partial(call.tables.where, Issue, "id")),
            "key": key,
            "project": project.key,
            "status": workflow_of(call, project.key, draft.values["issuetype"]).statuses[0].name,
            "reporter": me(call).accountId,
            **draft.values,
            "created": now,
            "updated": now,
        }
    )
    call.tables.put(project.change(issueCount=int(key.rpartition("-")[2])))
    call.tables.put(made)
    for ends in draft.links:
        make_link(call, ends, made.key)
    return Response(201, {"id": made.id, "key": made.key, "self": f"{site(call)}/issue/{made.id}"})


def get_issue(call: Call, args: GetIssue) -> dict[str, Any]:
    """Get an issue with its fields, comments and links."""
    issue, viewer = known_issue(call, args.issueIdOrKey), Viewer(call)
    shown = viewer.issue(issue, viewer.field_names(args.fields or [], "*all"))
    if "names" in (args.expand or ""):
        names = {field.id: field.name for field in viewer.custom_fields}
        shown["names"] = {name: names.get(name, name) for name in shown["fields"]}
    return shown


def edit_issue(call: Call, args: EditIssue) -> Response:
    """Change fields of an issue; its status only changes through a transition."""
    issue = known_issue(call, args.issueIdOrKey)
    project = known_project(call, issue.project)
    if not args.fields and not args.update:
        raise AppError(400, "One of 'fields' or 'update' required")
    draft = Draft(Place(call, project), _ON_EDIT, issue)
    draft.read(args.fields, args.update)
    draft.demand(name for name in project.requiredFields if name in draft.values)
    kind = draft.values.get("issuetype", issue.issuetype)
    if "parent" in draft.values or kind != issue.issuetype:
        _place_below(call, draft, kind, draft.values.get("parent", issue.parent))
    if kind != issue.issuetype and issue.status not in (
        way.name for way in workflow_of(call, project.key, kind).statuses
    ):
        draft.complaints["issuetype"] = "The issue type selected is invalid."
    draft.check()
    changed = issue.change(**draft.values)
    if changed != issue:
        changed = call.tables.put(changed.change(updated=call.now.isoformat()))
    for body in draft.comments:
        add_comment(call, issue.key, body)
    for ends in draft.links:
        make_link(call, ends, issue.key)
    if not args.returnIssue:
        return Response(204, None)
    viewer = Viewer(call)
    return Response(200, viewer.issue(changed, viewer.field_names([], "*all")))


def assign_issue(call: Call, args: AssignIssue) -> Response:
    """Assign an issue to a user, or to nobody."""
    issue = known_issue(call, args.issueIdOrKey)
    if "accountId" not in args.model_fields_set:
        raise AppError(400, "'accountId' must be the only user identifying query parameter and it must be given.")
    assignee = args.accountId
    if assignee == "-1":
        assignee = known_project(call, issue.project).lead
    elif assignee is not None:
        user = known_user(call, assignee)
        if not user.active:
            raise wrong_fields({"assignee": f"User '{user.displayName}' cannot be assigned issues."})
        assignee = user.accountId
    if assignee != issue.assignee:
        call.tables.put(issue.change(assignee=assignee, updated=call.now.isoformat()))
    return Response(204, None)


def delete_issue(call: Call, args: DeleteIssue) -> Response:
    """Delete an issue with its comments, work logs and links."""
    issue = known_issue(call, args.issueIdOrKey)
    subtasks = subtasks_of(call, issue)
    if subtasks and not args.deleteSubtasks:
        raise AppError(
            400,
            f"The issue '{issue.key}' has subtasks.  You must specify the 'deleteSubtasks' parameter to delete "
            "this issue and all its subtasks.",
        )
    for gone in (*subtasks, issue):
        _delete(call, gone)
    for child in call.tables.where(Issue, "parent", issue.key):
        call.tables.put(child.change(parent=None))
    return Response(204, None)


def get_edit_metadata(call: Call, args: OneIssue) -> dict[str, Any]:
    """List the fields that an issue can be edited in."""
    issue = known_issue(call, args.issueIdOrKey)
    return {"fields": edit_fields(Viewer(call), known_project(call, issue.project))}


def list_watchers(call: Call, args: OneIssue) -> dict[str, Any]:
    """List who watches an issue."""
    issue, viewer = known_issue(call, args.issueIdOrKey), Viewer(call)
    return {**viewer.watches(issue), "watchers": [viewer.user(key) for key in issue.watchers]}


def add_watcher(call: Call, args: Watch) -> Response:
    """Let a user watch an issue, yourself if none is given."""
    issue = known_issue(call, args.issueIdOrKey)
    key = args.accountId if args.accountId not in (None, {}, "") else me(call).accountId
    user = find_user(call, key) if isinstance(key, str) else None
    if user is None:
        raise AppError(400, "The user to watch the issue must be given as a JSON string that is an account id.")
    call.tables.put(issue.change(watchers=(*issue.watchers, user.accountId)))
    return Response(204, None)


def remove_watcher(call: Call, args: Unwatch) -> Response:
    """Let a user watch an issue no longer."""
    issue, user = known_issue(call, args.issueIdOrKey), known_user(call, args.accountId)
    call.tables.put(issue.change(watchers=tuple(key for key in issue.watchers if key != user.accountId)))
    return Response(204, None)


def _project(call: Call, given: Any) -> Project:
    key = (given.get("key") or given.get("id")) if isinstance(given, dict) else None
    project = find_project(call, key) if isinstance(key, str) else None
    if project is None:
        raise wrong_fields({"project": "Specify a valid project ID or key"})
    return project


def _place_below(call: Call, draft: Draft, issue_type: str, parent: str | None) -> None:
    """Complain about a parent that the issue can't stand below."""
    complaint = check_parent(draft.place.project, issue_type, call.tables.find(Issue, parent) if parent else None)
    if complaint and "parent" not in draft.complaints:
        draft.complaints["parent" if parent is None else "parentId"] = complaint


def _newest_number(call: Call, project: Project) -> int:
    """The highest that the project has ever given to an issue."""
    if project.issueCount:
        return project.issueCount
    issues = call.tables.where(Issue, "project", project.key)
    return max((int(issue.key.rpartition("-")[2]) for issue in issues), default=0)


def _delete(call: Call, issue: Issue) -> None:
    rows = (
        *call.tables.where(Comment, "issue", issue.key),
        *call.tables.where(Worklog, "issue", issue.key),
        *links_of(call, issue.key),
    )
    for row in rows:
        call.tables.delete(row)
    call.tables.delete(issue)


ROUTES = (
    Route(
        "create_issue",
        "POST",
        "/issue",
        "write",
        CreateIssue,
        create_issue,
        query=("updateHistory",),
        as_action=False,
        keywords="ticket bug task story",
    ),
    Route("get_issue", "GET", "/issue/{issueIdOrKey}", "read", GetIssue, get_issue, as_action=False),
    Route(
        "edit_issue",
        "PUT",
        "/issue/{issueIdOrKey}",
        "write",
        EditIssue,
        edit_issue,
        query=("notifyUsers", "returnIssue", "overrideScreenSecurity", "overrideEditableFlag", "expand"),
        as_action=False,
        keywords="update priority labels due date summary",
    ),
    Route("delete_issue", "DELETE", "/issue/{issueIdOrKey}", "write", DeleteIssue, delete_issue, as_action=False),
    Route("assign_issue", "PUT", "/issue/{issueIdOrKey}/assignee", "write", AssignIssue, assign_issue, as_action=False),
    Route(
        "get_edit_metadata",
        "GET",
        "/issue/{issueIdOrKey}/editmeta",
        "read",
        OneIssue,
        get_edit_metadata,
        as_action=False,
    ),
    Route("list_watchers", "GET", "/issue/{issueIdOrKey}/watchers", "read", OneIssue, list_watchers, as_action=False),
    Route(
        "add_watcher",
        "POST",
        "/issue/{issueIdOrKey}/watchers",
        "write",
        Watch,
        add_watcher,
        whole_body="accountId",
        as_action=False,
    ),
    Route(
        "remove_watcher", "DELETE", "/issue/{issueIdOrKey}/watchers", "write", Unwatch, remove_watcher, as_action=False
    ),
)
