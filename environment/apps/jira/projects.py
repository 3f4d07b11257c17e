"""Endpoints of projects and of their versions."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Literal

from pydantic import Field

from environment.apps.jira.entry import find_project, known_project, page_of, site
from environment.apps.jira.fields import is_day
from environment.apps.jira.people import NoArgs, find_user, known_user
from environment.apps.jira.refusal import wrong_fields
from environment.apps.jira.rows import Issue, Project, Version, project_id
from environment.apps.jira.site import TYPES_BY_NAME
from environment.apps.jira.views import Viewer
from environment.apps.kit import AppError, Args, Call, Many, Response, Route


class OneProject(Args):
    projectIdOrKey: str = Field(description="Key or id of the project")
    expand: str | None = Field(None, description="Ignored")


class SearchProjects(Args):
    query: str | None = Field(None, description="Part of the name or key")
    keys: Many | None = Field(None, description="Keys")
    id: Many | None = Field(None, description="Ids")
    typeKey: str | None = Field(None, description="Project types, comma separated")
    orderBy: str = Field("key", description="key or name, with - for descending")
    expand: str | None = Field(None, description="Ignored")
    startAt: int = Field(0, description="Projects to skip")
    maxResults: int = Field(50, description="Projects to return, at most 100")


class CreateProject(Args):
    key: str = Field(description="Key: 2 to 10 capital letters and digits")
    name: str = Field(description="Name")
    projectTypeKey: Literal["software", "business", "service_desk"] = Field("software", description="Type")
    leadAccountId: str | None = Field(None, description="Account id of the lead")
    description: str = Field("", description="Description")
    assigneeType: str | None = Field(None, description="Ignored")
    projectTemplateKey: str | None = Field(None, description="Ignored")


class UpdateProject(Args):
    projectIdOrKey: str = Field(description="Key or id of the project")
    name: str | None = Field(None, description="Name")
    description: str | None = Field(None, description="Description")
    leadAccountId: str | None = Field(None, description="Account id of the lead")


class ListVersions(Args):
    projectIdOrKey: str = Field(description="Key or id of the project")
    query: str | None = Field(None, description="Part of the name")
    status: str | None = Field(None, description="released, unreleased or archived, comma separated")
    orderBy: str | None = Field(None, description="Ignored")
    startAt: int = Field(0, description="Versions to skip")
    maxResults: int = Field(50, description="Versions to return, at most 1000")


class VersionFields(Args):
    description: str | None = Field(None, description="Description")
    startDate: str | None = Field(None, description="First day, YYYY-MM-DD")
    releaseDate: str | None = Field(None, description="Day of release, YYYY-MM-DD")
    released: bool | None = Field(None, description="Whether it is released")
    archived: bool | None = Field(None, description="Whether it is archived")


class CreateVersion(VersionFields):
    name: str = Field(description="Name, unique in the project")
    projectId: int | None = Field(None, description="Id of the project")
    project: str | None = Field(None, description="Key of the project")


class OneVersion(Args):
    id: str = Field(description="Id of the version")


class UpdateVersion(VersionFields):
    id: str = Field(description="Id of the version")
    name: str | None = Field(None, description="Name, unique in the project")


def list_projects(call: Call, args: NoArgs) -> list[dict[str, Any]]:
    """List all projects."""
    viewer = Viewer(call)
    return [viewer.project(project) for project in call.tables.all(Project)]


def search_projects(call: Call, args: SearchProjects) -> dict[str, Any]:
    """Find projects by name or key."""
    wanted = (args.query or "").casefold()
    types = [name.strip() for name in args.typeKey.split(",")] if args.typeKey else None
    found = [
        project
        for project in call.tables.all(Project)
        if (wanted in project.name.casefold() or wanted in project.key.casefold())
        and (args.keys is None or project.key in args.keys)
        and (args.id is None or project.id in args.id)
        and (types is None or project.projectTypeKey in types)
    ]
    order = args.orderBy.lstrip("+-")
    if order not in ("key", "name"):
        raise AppError(400, f"Projects can't be ordered by '{args.orderBy[:80]}'; use key or name.")
    found.sort(
        key=lambda project: project.name.casefold() if order == "name" else project.key,
        reverse=args.orderBy.startswith("-"),
    )
    viewer = Viewer(call)
    return _listed(call, "project/search", args.startAt, min(args.maxResults, 100), found, viewer.project)


def get_project(call: Call, args: OneProject) -> dict[str, Any]:
    """Get a project with its issue types and versions."""
    project, viewer = known_project(call, args.projectIdOrKey), Viewer(call)
    return {
        **viewer.project(project),
        "description": project.description,
        "lead": viewer.user(project.lead),
        "issueTypes": [viewer.issue_type(TYPES_BY_NAME[name]) for name in project.issueTypes],
        "versions": [viewer.version(version) for version in _versions(call, project)],
        "assigneeType": "UNASSIGNED" if project.lead is None else "PROJECT_LEAD",
        "isPrivate": False,
    }


def create_project(call: Call, args: CreateProject) -> Response:
    """Create a project."""
    errors = {}
    if not re.fullmatch(r"[A-Z][A-Z0-9_]{1,9}", args.key):
        errors["projectKey"] = "Project keys must start with an uppercase letter, followed by 1 to 9 of A-Z and 0-9."
    elif find_project(call, args.key):
        errors["projectKey"] = f"Project '{args.key}' uses this project key."
    if not args.name.strip() or len(args.name) > 80:
        errors["projectName"] = "You must specify a valid project name."
    elif any(project.name.casefold() == args.name.strip().casefold() for project in call.tables.all(Project)):
        errors["projectName"] = "A project with that name already exists."
    if args.leadAccountId is not None and find_user(call, args.leadAccountId) is None:
        errors["projectLead"] = "You must specify a valid project lead."
    if errors:
        raise wrong_fields(errors)
    made = call.tables.put(
        Project(
            id=call.tables.new_id(Project, project_id, taken=partial(call.tables.where, Project, "id")),
            key=args.key,
            name=args.name.strip(),
            description=args.description,
            lead=args.leadAccountId,
            projectTypeKey=args.projectTypeKey,
        )
    )
    return Response(201, {"self": f"{site(call)}/project/{made.id}", "id": int(made.id), "key": made.key})


def update_project(call: Call, args: UpdateProject) -> dict[str, Any]:
    """Change a project's name, description or lead."""
    project = known_project(call, args.projectIdOrKey)
    given = {name: getattr(args, name) for name in ("name", "description") if getattr(args, name) is not None}
    if "name" in given and (not given["name"].strip() or len(given["name"]) > 80):
        raise wrong_fields({"projectName": "You must specify a valid project name."})
    lead = project.lead if args.leadAccountId is None else known_user(call, args.leadAccountId).accountId
    return Viewer(call).project(call.tables.put(project.change(**given, lead=lead)))


def list_project_versions(call: Call, args: OneProject) -> list[dict[str, Any]]:
    """List all versions of a project."""
    viewer = Viewer(call)
    return [viewer.version(version) for version in _versions(call, known_project(call, args.projectIdOrKey))]


def search_project_versions(call: Call, args: ListVersions) -> dict[str, Any]:
    """Find versions of a project."""
    wanted = (args.query or "").casefold()
    states = [state.strip() for state in args.status.split(",")] if args.status else None
    versions = [
        version
        for version in _versions(call, known_project(call, args.projectIdOrKey))
        if (wanted in version.name.casefold() or wanted in version.description.casefold())
        and (states is None or _state(version) in states)
    ]
    path = f"project/{args.projectIdOrKey}/version"
    return _listed(call, path, args.startAt, min(args.maxResults, 1000), versions, Viewer(call).version)


def create_version(call: Call, args: CreateVersion) -> Response:
    """Create a version in a project."""
    named = args.project if args.projectId is None else str(args.projectId) if 0 <= args.projectId < 10**15 else None
    project = find_project(call, named) if named else None
    if project is None:
        raise wrong_fields({"project": "Specify a valid project ID or key"})
    _check_version(call, project.key, args.name, args, None)
    made = Version(id=call.tables.new_id(Version), project=project.key, name=args.name.strip(), **_given(args))
    return Response(201, Viewer(call).version(call.tables.put(made)))


def get_version(call: Call, args: OneVersion) -> dict[str, Any]:
    """Get a version."""
    return Viewer(call).version(_find(call, args.id))


def update_version(call: Call, args: UpdateVersion) -> dict[str, Any]:
    """Change, release or archive a version."""
    version = _find(call, args.id)
    name = version.name if args.name is None else args.name
    _check_version(call, version.project, name, args, version)
    return Viewer(call).version(call.tables.put(version.change(name=name.strip(), **_given(args))))


def delete_version(call: Call, args: OneVersion) -> Response:
    """Delete a version; issues that it was to fix lose it."""
    version = _find(call, args.id)
    for issue in call.tables.where(Issue, "project", version.project):
        if version.id in issue.fixVersions:
            rest = tuple(key for key in issue.fixVersions if key != version.id)
            call.tables.put(issue.change(fixVersions=rest, updated=call.now.isoformat()))
    call.tables.delete(version)
    return Response(204, None)


def _versions(call: Call, project: Project) -> list[Version]:
    return call.tables.where(Version, "project", project.key)


def _find(call: Call, key: str) -> Version:
    version = call.tables.find(Version, key)
    if version is None:
        raise AppError(404, f"Could not find version for id '{key[:80]}'")
    return version


def _state(version: Version) -> str:
    return "archived" if version.archived else "released" if version.released else "unreleased"


def _given(args: VersionFields) -> dict[str, Any]:
    names = ("description", "startDate", "releaseDate", "released", "archived")
    return {name: getattr(args, name) for name in names if getattr(args, name) is not None}


def _check_version(call: Call, project: str, name: str, args: VersionFields, own: Version | None) -> None:
    errors = {}
    if not name.strip() or len(name) > 255:
        errors["name"] = "You must specify a valid version name"
    others = (version for version in call.tables.where(Version, "project", project) if version != own)
    if any(version.name.casefold() == name.strip().casefold() for version in others):
        errors["name"] = "A version with this name already exists in this project."
    for field in ("startDate", "releaseDate"):
        day = getattr(args, field)
        if day is not None and not is_day(day):
            errors[field] = "The date is not valid. Please enter it in the format yyyy-MM-dd."
    start = args.startDate or (own.startDate if own else None)
    end = args.releaseDate or (own.releaseDate if own else None)
    if not errors and start and end and end < start:
        errors["releaseDate"] = "Start date can not be after the release date."
    if errors:
        raise wrong_fields(errors)


def _listed(call: Call, path: str, start: int, size: int, rows: list[Any], show: Any) -> dict[str, Any]:
    page = page_of(rows, start, size, size)
    return {
        "self": f"{site(call)}/{path}?startAt={start}&maxResults={size}",
        "maxResults": size,
        "startAt": start,
        "total": len(rows),
        "isLast": start + len(page) >= len(rows),
        "values": [show(row) for row in page],
    }


ROUTES = (
    Route("search_projects", "GET", "/project/search", "read", SearchProjects, search_projects, as_action=False),
    Route("list_projects", "GET", "/project", "read", NoArgs, list_projects, as_action=False),
    Route("create_project", "POST", "/project", "write", CreateProject, create_project, as_action=False),
    Route("get_project", "GET", "/project/{projectIdOrKey}", "read", OneProject, get_project, as_action=False),
    Route(
        "update_project", "PUT", "/project/{projectIdOrKey}", "write", UpdateProject, update_project, as_action=False
    ),
    Route(
        "list_project_versions",
        "GET",
        "/project/{projectIdOrKey}/versions",
        "read",
        OneProject,
        list_project_versions,
        as_action=False,
        keywords="releases",
    ),
    Route(
        "search_project_versions",
        "GET",
        "/project/{projectIdOrKey}/version",
        "read",
        ListVersions,
        search_project_versions,
        as_action=False,
        keywords="releases",
    ),
    Route("create_version", "POST", "/version", "write", CreateVersion, create_version, as_action=False),
    Route("get_version", "GET", "/version/{id}", "read", OneVersion, get_version, as_action=False),
    Route("update_version", "PUT", "/version/{id}", "write", UpdateVersion, update_version, as_action=False),
    Route("delete_version", "DELETE", "/version/{id}", "write", OneVersion, delete_version, as_action=False),
)
