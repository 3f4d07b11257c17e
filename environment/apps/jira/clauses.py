"""Clauses are the fields that JQL can ask for: what an issue holds there, which values there are, how it sorts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Literal

from environment.apps.jira.entry import find_issue, find_project
from environment.apps.jira.people import me
from environment.apps.jira.rows import Comment, CustomField, Issue, Project, User, Version, Worklog
from environment.apps.jira.site import CATEGORIES, ISSUE_TYPES, LINK_TYPES, PRIORITIES, RESOLUTIONS
from environment.apps.jira.views import links_of
from environment.apps.jira.workflow import site_statuses
from environment.apps.kit import Call

Kind = Literal["choice", "ranked", "key", "moment", "day", "number", "text", "sort"]
_RANKS = {priority.name: -position for position, priority in enumerate(PRIORITIES)}
_CATEGORY_ORDER = {key: position for position, key in enumerate(CATEGORIES)}
_TYPE_ORDER = {kind.name: position for position, kind in enumerate(ISSUE_TYPES)}


@dataclass(frozen=True)
class Scope:
    """The site as one query sees it; what many issues share is looked up once."""

    call: Call

    @cached_property
    def categories(self) -> Mapping[str, str]:
        """Status -> id of its category."""
        return {status.name: status.category for status in site_statuses(self.call)}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Account id -> name in lower case."""
        return {user.accountId: user.displayName.casefold() for user in self.call.tables.all(User)}

    @cached_property
    def status_order(self) -> Mapping[str, int]:
        return {name: position for position, name in enumerate(self.categories)}

    @cached_property
    def versions(self) -> Mapping[str, Version]:
        return {version.id: version for version in self.call.tables.all(Version)}

    @cached_property
    def comments(self) -> Mapping[str, list[str]]:
        """Key -> texts of the issue's comments."""
        found: dict[str, list[str]] = {}
        for comment in self.call.tables.all(Comment):
            found.setdefault(comment.issue, []).append(comment.body)
        return found


Known = frozenset[Any] | None
"""Values of the row that an operand stands for; None when there is no such value."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One field of JQL."""

    name: str
    kind: Kind
    read: Callable[[Scope, Issue], Any]
    """What the issue holds: None or () for nothing, a tuple for several values."""
    resolve: Callable[[Scope, str], Known] = lambda scope, text: frozenset({text})
    """What a written value stands for, for choices."""
    functions: Mapping[str, Callable[[Scope, tuple[str, ...]], Known]] = field(default_factory=dict)
    """Functions that give its values, by name in lower case."""
    order: Callable[[Scope, Any], Any] | None = None
    """What a value that is held sorts by, where that isn't the value itself."""
    newest_first: bool = False
    """Whether it sorts descending when a query doesn't say."""


def find_clause(call: Call, name: str) -> Clause | None:
    """The field with this name, in any case; custom fields by name, id or cf[10012]."""
    wanted = name.casefold()
    found = _CLAUSES.get(wanted)
    if found is not None:
        return found
    for custom in call.tables.all(CustomField):
        number = custom.id.removeprefix("customfield_")
        if wanted in (custom.name.casefold(), custom.id, f"cf[{number}]"):
            return _custom(custom)
    return None


def _custom(custom: CustomField) -> Clause:
    def read(scope: Scope, issue: Issue) -> Any:
        return issue.custom(custom.id)

    def text(scope: Scope, issue: Issue) -> Any:
        value = issue.custom(custom.id)
        return () if value is None else (str(value),)

    def option(scope: Scope, value: str) -> Known:
        return _some(name for name in custom.options if name.casefold() == value.casefold())

    if custom.type == "option":
        return Clause(custom.name, "choice", read, option)
    if custom.type == "user":
        return Clause(custom.name, "choice", read, _user, _PEOPLE, _name_order)
    kinds: dict[str, Kind] = {"number": "number", "date": "day"}
    return Clause(custom.name, kinds[custom.type], read) if custom.type in kinds else Clause(custom.name, "text", text)


def _some(values: Iterable[Any]) -> Known:
    return frozenset(values) or None


def _project(scope: Scope, text: str) -> Known:
    found = find_project(scope.call, text)
    if found is not None:
        return frozenset({found.key})
    named = (p.key for p in scope.call.tables.all(Project) if p.name.casefold() == text.casefold())
    return _some(named)


def _key(scope: Scope, text: str) -> Known:
    found = find_issue(scope.call, text)
    return frozenset({found.key}) if found else None


def _issue_type(scope: Scope, text: str) -> Known:
    return _some(kind.name for kind in ISSUE_TYPES if text.casefold() in (kind.name.casefold(), kind.id))


def _status(scope: Scope, text: str) -> Known:
    wanted = text.casefold()
    return _some(
        name
        for position, name in enumerate(scope.categories)
        if wanted == name.casefold() or text == str(10_000 + position)
    )


def _category(scope: Scope, text: str) -> Known:
    wanted = text.casefold()
    return _some(key for key, (number, _, name) in CATEGORIES.items() if wanted in (key, name.casefold(), str(number)))


def _resolution(scope: Scope, text: str) -> Known:
    if text.casefold() == "unresolved":
        return frozenset({None})
    return _some(item.name for item in RESOLUTIONS if text.casefold() in (item.name.casefold(), item.id))


def _priority(scope: Scope, text: str) -> Known:
    return _some(item.name for item in PRIORITIES if text.casefold() in (item.name.casefold(), item.id))


def _user(scope: Scope, text: str) -> Known:
    wanted = text.casefold()
    return _some(
        user.accountId
        for user in scope.call.tables.all(User)
        if wanted in (user.accountId.casefold(), user.displayName.casefold(), user.emailAddress.casefold())
    )


def _label(scope: Scope, text: str) -> Known:
    return frozenset({text.casefold()})


def _version(scope: Scope, text: str) -> Known:
    return _some(
        version.id
        for version in scope.versions.values()
        if version.id == text or version.name.casefold() == text.casefold()
    )


def _versions_by_state(released: bool) -> Callable[[Scope, tuple[str, ...]], Known]:
    def values(scope: Scope, arguments: tuple[str, ...]) -> Known:
        projects = [key for text in arguments for key in _project(scope, text) or ()]
        return frozenset(
            version.id
            for version in scope.versions.values()
            if version.released == released and not version.archived and (not arguments or version.project in projects)
        )

    return values


def _types_by_level(subtask: bool) -> Callable[[Scope, tuple[str, ...]], Known]:
    names = frozenset(kind.name for kind in ISSUE_TYPES if kind.subtask == subtask)
    return lambda scope, arguments: names


def _linked(scope: Scope, arguments: tuple[str, ...]) -> Known:
    """Issues that are linked with the first argument, in the way the second one says."""
    issue = find_issue(scope.call, arguments[0]) if arguments else None
    if issue is None:
        return None
    words = {kind.name: (kind.inward, kind.outward) for kind in LINK_TYPES}
    found = set()
    for link in links_of(scope.call, issue.key):
        outward = link.inwardIssue == issue.key
        if len(arguments) < 2 or arguments[1].casefold() == words[link.type][outward]:
            found.add(link.outwardIssue if outward else link.inwardIssue)
    return frozenset(found)


def _watched(scope: Scope, arguments: tuple[str, ...]) -> Known:
    own = me(scope.call).accountId
    return frozenset(issue.key for issue in scope.call.tables.all(Issue) if own in issue.watchers)


def _name_order(scope: Scope, key: str) -> Any:
    return scope.names.get(key, key)


def _spent(scope: Scope, issue: Issue) -> Any:
    worklogs = scope.call.tables.where(Worklog, "issue", issue.key)
    return float(sum(worklog.timeSpentSeconds for worklog in worklogs)) if worklogs else None


def key_order(key: str) -> tuple[str, int]:
    """Keys sort by project, then by number."""
    project, _, number = key.rpartition("-")
    return project, int(number)


def _all_texts(scope: Scope, issue: Issue) -> tuple[str, ...]:
    texts = (issue.summary, issue.description, *scope.comments.get(issue.key, ()))
    values = issue.__pydantic_extra__
    return (*texts, *(value for value in values.values() if isinstance(value, str))) if values else texts


_PEOPLE: Mapping[str, Callable[[Scope, tuple[str, ...]], Known]] = {
    "currentuser": lambda scope, arguments: frozenset({me(scope.call).accountId})
}
_KEYS: Mapping[str, Callable[[Scope, tuple[str, ...]], Known]] = {"linkedissues": _linked, "watchedissues": _watched}
_VERSIONS: Mapping[str, Callable[[Scope, tuple[str, ...]], Known]] = {
    "releasedversions": _versions_by_state(True),
    "unreleasedversions": _versions_by_state(False),
}
_KINDS: Mapping[str, Callable[[Scope, tuple[str, ...]], Known]] = {
    "standardissuetypes": _types_by_level(False),
    "subtaskissuetypes": _types_by_level(True),
}


@lru_cache(maxsize=8192)
def instant(text: str) -> datetime:
    """The moment that a row keeps as text."""
    return datetime.fromisoformat(text)


def _moment(value: str | None) -> datetime | None:
    return None if value is None else instant(value)


_DECLARED: tuple[tuple[tuple[str, ...], Clause], ...] = (
    (("project",), Clause("project", "choice", lambda scope, issue: issue.project, _project)),
    (
        ("issuekey", "key", "id", "issue"),
        Clause("issuekey", "key", lambda scope, issue: issue.key, _key, _KEYS, lambda scope, key: key_order(key)),
    ),
    (
        ("issuetype", "type"),
        Clause(
            "issuetype",
            "choice",
            lambda scope, issue: issue.issuetype,
            _issue_type,
            _KINDS,
            lambda scope, name: _TYPE_ORDER[name],
        ),
    ),
    (
        ("status",),
        Clause(
            "status",
            "choice",
            lambda scope, issue: issue.status,
            _status,
            order=lambda scope, name: scope.status_order.get(name, len(scope.status_order)),
        ),
    ),
    (
        ("statuscategory",),
        Clause(
            "statusCategory",
            "choice",
            lambda scope, issue: scope.categories.get(issue.status),
            _category,
            order=lambda scope, key: _CATEGORY_ORDER[key],
        ),
    ),
    (
        ("resolution",),
        Clause("resolution", "choice", lambda scope, issue: issue.resolution, _resolution),
    ),
    (
        ("priority",),
        Clause(
            "priority",
            "ranked",
            lambda scope, issue: issue.priority,
            _priority,
            order=lambda scope, name: _RANKS[name],
            newest_first=True,
        ),
    ),
    (
        ("assignee",),
        Clause("assignee", "choice", lambda scope, issue: issue.assignee, _user, _PEOPLE, _name_order),
    ),
    (
        ("reporter", "creator"),
        Clause("reporter", "choice", lambda scope, issue: issue.reporter, _user, _PEOPLE, _name_order),
    ),
    (("watcher",), Clause("watcher", "choice", lambda scope, issue: issue.watchers, _user, _PEOPLE)),
    (
        ("labels",),
        Clause("labels", "choice", lambda scope, issue: tuple(map(str.casefold, issue.labels)), _label),
    ),
    (
        ("fixversion",),
        Clause("fixVersion", "choice", lambda scope, issue: issue.fixVersions, _version, _VERSIONS),
    ),
    (("parent",), Clause("parent", "choice", lambda scope, issue: issue.parent, _key, {}, lambda s, k: key_order(k))),
    (
        ("created", "createddate"),
        Clause("created", "moment", lambda scope, issue: _moment(issue.created), newest_first=True),
    ),
    (
        ("updated", "updateddate"),
        Clause("updated", "moment", lambda scope, issue: _moment(issue.updated), newest_first=True),
    ),
    (
        ("resolved", "resolutiondate"),
        Clause("resolved", "moment", lambda scope, issue: _moment(issue.resolutiondate), newest_first=True),
    ),
    (("due", "duedate"), Clause("due", "day", lambda scope, issue: issue.duedate, newest_first=True)),
    (("timespent",), Clause("timespent", "number", _spent, newest_first=True)),
    (("summary",), Clause("summary", "text", lambda scope, issue: (issue.summary,))),
    (("description",), Clause("description", "text", lambda scope, issue: (issue.description,))),
    (("comment",), Clause("comment", "text", lambda scope, issue: scope.comments.get(issue.key, ()))),
    (("text",), Clause("text", "text", _all_texts)),
    (("rank",), Clause("Rank", "sort", lambda scope, issue: issue.id.zfill(12))),
)
_CLAUSES = {name: clause for names, clause in _DECLARED for name in names}
