"""Endpoints that tell what there is to choose from: fields, types, priorities, statuses, what a new issue needs."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from environment.apps.jira.entry import known_project, page_of
from environment.apps.jira.fields import ON_SCREEN, custom_fields
from environment.apps.jira.people import NoArgs
from environment.apps.jira.rows import CustomField, Issue, Project, Version
from environment.apps.jira.site import (
    CATEGORIES,
    FIELDS,
    ISSUE_TYPES,
    PRIORITIES,
    RESOLUTIONS,
    TYPES_BY_NAME,
    IssueType,
)
from environment.apps.jira.views import Viewer
from environment.apps.jira.workflow import workflow_of
from environment.apps.kit import AppError, Args, Call, Many, Route

_SYSTEM = {field.id: field for field in FIELDS}
_ALWAYS_NEEDED = ("project", "issuetype", "summary")


class ListLabels(Args):
    startAt: int = Field(0, description="Labels to skip")
    maxResults: int = Field(1000, description="Labels to return, at most 1000")


class CreateMeta(Args):
    projectKeys: Many | None = Field(None, description="Keys of projects, comma separated")
    projectIds: Many | None = Field(None, description="Ids of projects, comma separated")
    issuetypeNames: Many | None = Field(None, description="Names of issue types")
    issuetypeIds: Many | None = Field(None, description="Ids of issue types")
    expand: str | None = Field(None, description="projects.issuetypes.fields shows the fields")


class ProjectTypes(Args):
    projectIdOrKey: str = Field(description="Key or id of the project")
    startAt: int = Field(0, description="Items to skip")
    maxResults: int = Field(50, description="Items to return, at most 200")


class TypeFields(ProjectTypes):
    issueTypeId: str = Field(description="Id of the issue type")


class OneProject(Args):
    projectIdOrKey: str = Field(description="Key or id of the project")


def list_fields(call: Call, args: NoArgs) -> list[dict[str, Any]]:
    """List the fields of issues, the company's own ones included."""
    system = [
        {
            "id": field.id,
            "key": field.id,
            "name": field.name,
            "custom": False,
            "orderable": field.id in ON_SCREEN,
            "navigable": field.id not in ("comment", "worklog"),
            "searchable": bool(field.clauses),
            "clauseNames": list(field.clauses),
            "schema": _schema(field.id),
        }
        for field in FIELDS
    ]
    return system + [
        {
            "id": field.id,
            "key": field.id,
            "name": field.name,
            "custom": True,
            "orderable": True,
            "navigable": True,
            "searchable": True,
            "clauseNames": [f"cf[{field.id.removeprefix('customfield_')}]", field.name],
            "schema": _custom_schema(field),
        }
        for field in call.tables.all(CustomField)
    ]


def list_priorities(call: Call, args: NoArgs) -> list[dict[str, Any]]:
    """List the priorities, the most urgent first."""
    return [Viewer(call).named("priority", priority) for priority in PRIORITIES]


def list_resolutions(call: Call, args: NoArgs) -> list[dict[str, Any]]:
    """List the resolutions."""
    return [Viewer(call).named("resolution", resolution) for resolution in RESOLUTIONS]


def list_issue_types(call: Call, args: NoArgs) -> list[dict[str, Any]]:
    """List the issue types."""
    return [Viewer(call).issue_type(kind) for kind in ISSUE_TYPES]


def list_statuses(call: Call, args: NoArgs) -> list[dict[str, Any]]:
    """List the statuses of all workflows."""
    viewer = Viewer(call)
    return [viewer.status(name) for name in viewer.statuses]


def list_labels(call: Call, args: ListLabels) -> dict[str, Any]:
    """List the labels that issues have."""
    labels = sorted({label for issue in call.tables.all(Issue) for label in issue.labels})
    page = page_of(labels, args.startAt, args.maxResults, 1000)
    return {
        "maxResults": min(args.maxResults, 1000),
        "startAt": args.startAt,
        "total": len(labels),
        "isLast": args.startAt + len(page) >= len(labels),
        "values": list(page),
    }


def list_project_statuses(call: Call, args: OneProject) -> list[dict[str, Any]]:
    """List the statuses that issues of a project go through, by issue type."""
    project, viewer = known_project(call, args.projectIdOrKey), Viewer(call)
    return [
        {
            **viewer.issue_type(TYPES_BY_NAME[name]),
            "statuses": [viewer.status(status.name) for status in workflow_of(call, project.key, name).statuses],
        }
        for name in project.issueTypes
    ]


def create_meta(call: Call, args: CreateMeta) -> dict[str, Any]:
    """List the projects, issue types and fields that an issue can be created with."""
    viewer = Viewer(call)
    keys, ids = _pieces(args.projectKeys), _pieces(args.projectIds)
    names, type_ids = args.issuetypeNames or [], _pieces(args.issuetypeIds)
    with_fields = "projects.issuetypes.fields" in (args.expand or "")
    projects = []
    for project in call.tables.all(Project):
        if (keys or ids) and project.key not in keys and project.id not in ids:
            continue
        kinds = [TYPES_BY_NAME[name] for name in project.issueTypes]
        if names or type_ids:
            kinds = [kind for kind in kinds if kind.name in names or kind.id in type_ids]
        shown = [
            {
                **viewer.issue_type(kind),
                **({"expand": "fields", "fields": _fields(viewer, project, kind)} if with_fields else {}),
            }
            for kind in kinds
        ]
        projects.append({**viewer.project(project), "issuetypes": shown})
    return {"expand": "projects", "projects": projects}


def create_meta_types(call: Call, args: ProjectTypes) -> dict[str, Any]:
    """List the issue types that can be created in a project."""
    project, viewer = known_project(call, args.projectIdOrKey), Viewer(call)
    page = page_of(project.issueTypes, args.startAt, args.maxResults, 200)
    return {
        "startAt": args.startAt,
        "maxResults": min(args.maxResults, 200),
        "total": len(project.issueTypes),
        "issueTypes": [viewer.issue_type(TYPES_BY_NAME[name]) for name in page],
    }


def create_meta_fields(call: Call, args: TypeFields) -> dict[str, Any]:
    """List the fields that an issue of this type can or must be created with in a project."""
    project, viewer = known_project(call, args.projectIdOrKey), Viewer(call)
    kind = next(
        (TYPES_BY_NAME[name] for name in project.issueTypes if TYPES_BY_NAME[name].id == args.issueTypeId), None
    )
    if kind is None:
        raise AppError(404, f"The issue type '{args.issueTypeId[:80]}' is not available in this project.")
    fields = list(_fields(viewer, project, kind).values())
    return {
        "startAt": args.startAt,
        "maxResults": min(args.maxResults, 200),
        "total": len(fields),
        "fields": list(page_of(fields, args.startAt, args.maxResults, 200)),
    }


def field_meta(viewer: Viewer, project: Project, name: str, required: bool) -> dict[str, Any]:
    """What is to be known of a field before setting it."""
    custom = viewer.call.tables.find(CustomField, name)
    choices = _choices(viewer, project, name, custom)
    adds = (_schema(name) if custom is None else _custom_schema(custom))["type"] == "array"
    return {
        "required": required,
        "schema": _custom_schema(custom) if custom else _schema(name),
        "name": custom.name if custom else _SYSTEM[name].name,
        "key": name,
        "fieldId": name,
        "hasDefaultValue": name in ("priority", "reporter"),
        "operations": ["add", "set", "remove"] if adds else ["set"],
        **({"allowedValues": choices} if choices is not None else {}),
    }


def edit_fields(viewer: Viewer, project: Project) -> dict[str, Any]:
    """The fields that an issue of the project can be edited in."""
    custom = [field.id for field in custom_fields(viewer.call, project.key)]
    needed = ("issuetype", "summary", *project.requiredFields)
    return {name: field_meta(viewer, project, name, name in needed) for name in (*ON_SCREEN, *custom)}


def _fields(viewer: Viewer, project: Project, kind: IssueType) -> dict[str, Any]:
    custom = [field.id for field in custom_fields(viewer.call, project.key)]
    needed = (*_ALWAYS_NEEDED, *project.requiredFields, *(("parent",) if kind.subtask else ()))
    return {name: field_meta(viewer, project, name, name in needed) for name in ("project", *ON_SCREEN, *custom)}


def _choices(viewer: Viewer, project: Project, name: str, custom: CustomField | None) -> list[Any] | None:
    if custom is not None:
        return [{"value": option} for option in custom.options] if custom.type == "option" else None
    if name == "priority":
        return [viewer.named("priority", priority) for priority in PRIORITIES]
    if name == "resolution":
        return [viewer.named("resolution", resolution) for resolution in RESOLUTIONS]
    if name == "issuetype":
        return [viewer.issue_type(TYPES_BY_NAME[kind]) for kind in project.issueTypes]
    if name == "project":
        return [viewer.project(project)]
    if name == "fixVersions":
        versions = viewer.call.tables.where(Version, "project", project.key)
        return [viewer.version(version) for version in versions if not version.archived]
    return None


def _schema(name: str) -> dict[str, Any]:
    field = _SYSTEM[name]
    return {"type": field.type, **({"items": field.items} if field.items else {}), "system": name}


def _custom_schema(field: CustomField) -> dict[str, Any]:
    return {"type": field.type, "customId": int(field.id.removeprefix("customfield_"))}


def _pieces(given: list[str] | None) -> list[str]:
    return [piece.strip() for item in given or [] for piece in item.split(",") if piece.strip()]


def list_status_categories(call: Call, args: NoArgs) -> list[dict[str, Any]]:
    """List what statuses count as: to do, in progress or done."""
    return [
        {"id": number, "key": key, "colorName": colour, "name": name}
        for key, (number, colour, name) in CATEGORIES.items()
    ]


ROUTES = (
    Route("list_fields", "GET", "/field", "read", NoArgs, list_fields, as_action=False, keywords="custom"),
    Route("list_priorities", "GET", "/priority", "read", NoArgs, list_priorities, as_action=False),
    Route("list_resolutions", "GET", "/resolution", "read", NoArgs, list_resolutions, as_action=False),
    Route("list_issue_types", "GET", "/issuetype", "read", NoArgs, list_issue_types, as_action=False),
    Route("list_statuses", "GET", "/status", "read", NoArgs, list_statuses, as_action=False),
    Route("list_status_categories", "GET", "/statuscategory", "read", NoArgs, list_status_categories, as_action=False),
    Route("list_labels", "GET", "/label", "read", ListLabels, list_labels, as_action=False),
    Route(
        "list_project_statuses",
        "GET",
        "/project/{projectIdOrKey}/statuses",
        "read",
        OneProject,
        list_project_statuses,
        as_action=False,
    ),
    Route("get_create_metadata", "GET", "/issue/createmeta", "read", CreateMeta, create_meta, as_action=False),
    Route(
        "list_creatable_issue_types",
        "GET",
        "/issue/createmeta/{projectIdOrKey}/issuetypes",
        "read",
        ProjectTypes,
        create_meta_types,
        as_action=False,
    ),
    Route(
        "list_create_fields",
        "GET",
        "/issue/createmeta/{projectIdOrKey}/issuetypes/{issueTypeId}",
        "read",
        TypeFields,
        create_meta_fields,
        as_action=False,
        keywords="required fields",
    ),
)
