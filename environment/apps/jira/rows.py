"""The rows of a Jira site, and how their ids are spelled."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from environment.apps.jira.site import ISSUE_TYPES, LINK_TYPES, PRIORITIES, RESOLUTIONS, Category
from environment.world import Row

_OPEN_ROW = ConfigDict(frozen=True, extra="allow")
Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


def account_id(count: int) -> str:
    """The count-th user's account id, such as 5b10ac8d82e05b2200000012."""
    return f"5b10ac8d82e05b22{count:08d}"


def project_id(count: int) -> str:
    return str(10_000 + count)


def issue_id(count: int) -> str:
    return str(20_000 + count)


def issue_key(project: str, number: int) -> str:
    """OPS-12 for the twelfth issue of project OPS."""
    return f"{project}-{number}"


def comment_id(count: int) -> str:
    return str(30_000 + count)


def worklog_id(count: int) -> str:
    return str(40_000 + count)


def version_id(count: int) -> str:
    return str(50_000 + count)


def link_id(count: int) -> str:
    return str(60_000 + count)


def workflow_id(count: int) -> str:
    return str(70_000 + count)


def field_id(count: int) -> str:
    """The count-th custom field's id, such as customfield_10012."""
    return f"customfield_{10_000 + count}"


def _sorted(value: Any) -> Any:
    """Sorted, each once, so that what was taken off and put back is no change."""
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return tuple(sorted(set(value)))
    return value


def _with_offset(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError(f"{text!r} has no UTC offset; write it like 2026-03-04T09:20:00+00:00")
    return text


Moment = Annotated[str, AfterValidator(_with_offset)]
"""ISO 8601 with an offset."""
Names = Annotated[tuple[str, ...], BeforeValidator(_sorted)]


def _one_of(what: str, names: tuple[str, ...]) -> AfterValidator:
    def known(name: str) -> str:
        if name not in names:
            raise ValueError(f"{name!r} is no {what}; the site has {', '.join(names)}")
        return name

    return AfterValidator(known)


IssueTypeName = Annotated[str, _one_of("issue type", tuple(kind.name for kind in ISSUE_TYPES))]
PriorityName = Annotated[str, _one_of("priority", tuple(priority.name for priority in PRIORITIES))]
ResolutionName = Annotated[str, _one_of("resolution", tuple(resolution.name for resolution in RESOLUTIONS))]
LinkTypeName = Annotated[str, _one_of("type of link", tuple(kind.name for kind in LINK_TYPES))]


class User(Row):
    id_field: ClassVar[str] = "accountId"
    accountId: str
    displayName: str
    emailAddress: str = ""
    active: bool = True
    timeZone: str = "Europe/London"


class Project(Row):
    id_field: ClassVar[str] = "key"
    id: str
    key: str = Field(pattern=r"^[A-Z][A-Z0-9_]{1,9}$")
    name: str
    description: str = ""
    lead: str | None = None
    """Account id."""
    projectTypeKey: Literal["software", "business", "service_desk"] = "software"
    issueTypes: tuple[IssueTypeName, ...] = ("Epic", "Story", "Task", "Bug", "Sub-task")
    requiredFields: tuple[str, ...] = ()
    """Ids of fields that an issue must have besides the usual ones, such as `duedate` or `customfield_10012`."""
    issueCount: int = 0
    """Number of the newest issue that was ever made; 0 counts those there are."""


class WorkflowStatus(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    category: Category


class WorkflowTransition(BaseModel):
    """One way from status to status."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: str
    name: str
    to: str
    """Name of the status that it leads to."""
    sources: tuple[str, ...] = ()
    """Names of the statuses that it starts from; none stands for all."""
    requires: tuple[str, ...] = ()
    """Ids of fields that its screen demands, such as `resolution`."""
    offers: tuple[str, ...] = ()
    """Ids of further fields on its screen."""


class Workflow(Row):
    """Statuses of the issues of a project and the ways between them; a project without one has the site's usual."""

    id: str
    project: str
    """Key."""
    issueTypes: tuple[IssueTypeName, ...] = ()
    """Names; none stands for all."""
    statuses: tuple[WorkflowStatus, ...]
    """The first one is that of a new issue."""
    transitions: tuple[WorkflowTransition, ...]

    @model_validator(mode="after")
    def _connected(self) -> Self:
        names = {status.name for status in self.statuses}
        for way in self.transitions:
            if unknown := sorted({way.to, *way.sources} - names):
                raise ValueError(f"transition {way.name!r} names {unknown}, the workflow has only {sorted(names)}")
        return self


class CustomField(Row):
    """A field that the company added; values stand in issues under its id."""

    id: str = Field(pattern=r"^customfield_\d+$")
    name: str
    type: Literal["string", "number", "date", "option", "user"] = "string"
    options: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    """Keys; none stands for all."""


class Issue(Row):
    """An issue. Custom fields stand beside the others, users as account ids, options as names."""

    model_config = _OPEN_ROW
    id_field: ClassVar[str] = "key"
    id: str
    key: str = Field(pattern=r"^[A-Z][A-Z0-9_]{1,9}-[1-9]\d*$")
    project: str
    """Key."""
    issuetype: IssueTypeName = "Task"
    summary: str
    description: str = ""
    """Its text."""
    descriptionAdf: dict[str, Any] | None = None
    """The document, where it is more than the paragraphs and lists of its text."""
    status: str = "To Do"
    priority: PriorityName = "Medium"
    assignee: str | None = None
    """Account id, like `reporter`."""
    reporter: str | None = None
    labels: Names = ()
    duedate: Day | None = None
    parent: str | None = None
    """Key."""
    fixVersions: Names = ()
    """Ids."""
    resolution: ResolutionName | None = None
    resolutiondate: Moment | None = None
    watchers: Names = ()
    """Account ids."""
    created: Moment
    updated: Moment

    @model_validator(mode="after")
    def _known(self) -> Self:
        for name, value in (self.__pydantic_extra__ or {}).items():
            if not name.startswith("customfield_"):
                raise ValueError(f"{name!r} is no field of an issue; custom fields are named customfield_10012")
            if not isinstance(value, str | int | float | None):
                raise ValueError(f"{name} holds {type(value).__name__}, it takes a text or a number")
        return self

    def custom(self, name: str) -> str | float | None:
        """The value of a custom field, None when it has none."""
        return (self.__pydantic_extra__ or {}).get(name)


class Comment(Row):
    id: str
    issue: str
    """Key."""
    author: str
    body: str
    """Its text."""
    bodyAdf: dict[str, Any] | None = None
    """The document, where it is more than the paragraphs and lists of its text."""
    created: Moment
    updated: Moment


class Worklog(Row):
    id: str
    issue: str
    author: str
    timeSpentSeconds: int
    started: Moment
    comment: str = ""
    created: Moment
    updated: Moment


class Version(Row):
    id: str
    project: str
    """Key."""
    name: str
    description: str = ""
    startDate: Day | None = None
    releaseDate: Day | None = None
    released: bool = False
    archived: bool = False


class IssueLink(Row):
    """`inwardIssue` <outward words of the type> `outwardIssue`: OPS-1 blocks OPS-2."""

    id: str
    type: LinkTypeName
    inwardIssue: str
    outwardIssue: str
