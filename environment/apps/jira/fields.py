"""Fields of an issue as requests set them: each reader turns a JSON value into what the row keeps, or complains."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from environment.apps.jira import adf
from environment.apps.jira.entry import find_issue
from environment.apps.jira.people import find_user
from environment.apps.jira.rows import CustomField, Issue, Project, Version
from environment.apps.jira.site import FIELD_NAMES, PRIORITIES, RESOLUTIONS, TYPES_BY_NAME, IssueType, Named
from environment.apps.kit import Call

ON_SCREEN = (
    *("summary", "issuetype", "parent", "description", "priority", "assignee", "reporter", "labels", "duedate"),
    "fixVersions",
)
"""System fields that can be set when an issue is created or edited."""

_MAX_SUMMARY, _MAX_TEXT, _MAX_LABEL = 255, 32_767, 255


@dataclass(frozen=True, slots=True)
class Place:
    """Where a field is to be set."""

    call: Call
    project: Project


Reading = Mapping[str, Any] | str
"""Fields of the row, or the complaint about the value."""


def custom_fields(call: Call, project: str) -> list[CustomField]:
    """The custom fields that issues of the project have."""
    return [field for field in call.tables.all(CustomField) if not field.projects or project in field.projects]


def field_name(call: Call, name: str) -> str:
    """What people call the field."""
    custom = call.tables.find(CustomField, name)
    return custom.name if custom else FIELD_NAMES.get(name, name)


def read_field(place: Place, name: str, value: Any) -> Reading | None:
    """What the row keeps of the value; None when issues of this project have no such field."""
    if name in _READERS:
        return _READERS[name](place, value)
    for field in custom_fields(place.call, place.project.key):
        if field.id == name:
            return _custom(place, field, value)
    return None


def find_type(project: Project, value: Any) -> IssueType | None:
    """The issue type that `{id}` or `{name}` stands for in this project."""
    if not isinstance(value, dict):
        return None
    for name in project.issueTypes:
        kind = TYPES_BY_NAME[name]
        if kind.id == _text(value.get("id")) or ("id" not in value and kind.name == value.get("name")):
            return kind
    return None


def check_parent(project: Project, issue_type: str, parent: Issue | None) -> str | None:
    """The complaint about an issue of this type and project standing below this parent."""
    kind = TYPES_BY_NAME[issue_type]
    if parent is None:
        return "Issue type is a sub-task but parent issue key or id not specified." if kind.subtask else None
    if TYPES_BY_NAME[parent.issuetype].level != kind.level + 1 or (kind.subtask and parent.project != project.key):
        return "Given parent issue does not belong to appropriate hierarchy."
    return None


def _summary(place: Place, value: Any) -> Reading:
    if value is not None and not isinstance(value, str):
        return "Operation value must be a string"
    if value is None or not value.strip():
        return "You must specify a summary of the issue."
    if "\n" in value or "\r" in value:
        return "The summary is invalid because it contains newline characters."
    if len(value) > _MAX_SUMMARY:
        return "Summary can't exceed 255 characters."
    return {"summary": value.strip()}


def _description(place: Place, value: Any) -> Reading:
    if value is None:
        return {"description": "", "descriptionAdf": None}
    if not adf.is_document(value):
        return "Operation value must be an Atlassian Document (see the Atlassian Document Format)"
    text, document = adf.stored(value)
    if len(text) > _MAX_TEXT:
        return "The entered text is too long. It exceeds the allowed limit of 32,767 characters."
    return {"description": text, "descriptionAdf": document}


def _issue_type(place: Place, value: Any) -> Reading:
    if not isinstance(value, dict):
        return "Specify an issue type" if value is None else "data was not an object"
    kind = find_type(place.project, value)
    return {"issuetype": kind.name} if kind else "Specify a valid issue type"


def _parent(place: Place, value: Any) -> Reading:
    if value is None:
        return {"parent": None}
    if not isinstance(value, dict):
        return "data was not an object"
    parent = find_issue(place.call, _text(value.get("key") or value.get("id")))
    if parent is None:
        return "Could not find issue by id or key."
    return {"parent": parent.key}


def _priority(place: Place, value: Any) -> Reading:
    return _one_of("priority", PRIORITIES, value, "The priority selected is invalid.")


def _resolution(place: Place, value: Any) -> Reading:
    reading = _one_of("resolution", RESOLUTIONS, value, "The resolution selected is invalid.")
    return reading if isinstance(reading, str) else {**reading, "resolutiondate": place.call.now.isoformat()}


def _one_of(name: str, things: tuple[Named, ...], value: Any, complaint: str) -> Reading:
    if not isinstance(value, dict):
        return complaint if value is None else "data was not an object"
    for thing in things:
        if thing.id == _text(value.get("id")) or ("id" not in value and thing.name == value.get("name")):
            return {name: thing.name}
    return complaint


def _assignee(place: Place, value: Any) -> Reading:
    return _user(place, "assignee", value)


def _reporter(place: Place, value: Any) -> Reading:
    return "Reporter is required." if value is None else _user(place, "reporter", value)


def _user(place: Place, name: str, value: Any) -> Reading:
    if value is None:
        return {name: None}
    if not isinstance(value, dict):
        return "data was not an object"
    key = value.get("accountId", value.get("id"))
    if key is None and {"accountId", "id"} & value.keys():
        return {name: None}
    if key == "-1" and name == "assignee":
        return {name: place.project.lead}
    user = find_user(place.call, key) if isinstance(key, str) else None
    if user is None:
        return f"User '{_text(key)[:80]}' does not exist."
    if not user.active:
        return f"User '{user.displayName}' cannot be assigned issues." if name == "assignee" else "User is inactive."
    return {name: user.accountId}


def _labels(place: Place, value: Any) -> Reading:
    if value is None:
        return {"labels": ()}
    if not isinstance(value, list) or not all(isinstance(label, str) for label in value):
        return "data was not an array of strings"
    for label in value:
        if not label or any(letter.isspace() for letter in label):
            return f"The label '{label[:80]}' contains spaces which is invalid."
        if len(label) > _MAX_LABEL:
            return f"The label '{label[:80]}' exceeds the maximum length for a single label of 255 characters."
    return {"labels": tuple(value)}


def _due(place: Place, value: Any) -> Reading:
    return _day("duedate", value)


def _day(name: str, value: Any) -> Reading:
    if value is None or value == "":
        return {name: None}
    if not isinstance(value, str):
        return "data was not a string"
    return {name: value} if is_day(value) else f"Error parsing date string: {value[:80]}"


def is_day(text: str) -> bool:
    """Whether the text is a date of the calendar such as 2026-03-04."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) or text.startswith("0000"):
        return False
    year, month, day = map(int, text.split("-"))
    return 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def _versions(place: Place, value: Any) -> Reading:
    if value is None:
        return {"fixVersions": ()}
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return "data was not an array of objects"
    known = place.call.tables.where(Version, "project", place.project.key)
    found = []
    for item in value:
        key, name = _text(item.get("id")), item.get("name")
        match = [version.id for version in known if version.id == key or (not key and version.name == name)]
        if not match:
            return f"Version {'id' if key else 'name'} '{(key or _text(name))[:80]}' is not valid"
        found.append(match[0])
    return {"fixVersions": tuple(found)}


def _custom(place: Place, field: CustomField, value: Any) -> Reading:
    if value is None:
        return {field.id: None}
    if field.type == "number":
        number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e14
        return {field.id: float(value)} if number else "Operation value must be a number"
    if field.type == "string":
        return {field.id: value} if isinstance(value, str) else "Operation value must be a string"
    if field.type == "date":
        return _day(field.id, value)
    if field.type == "user":
        return _user(place, field.id, value)
    option = value.get("value") if isinstance(value, dict) else None
    return {field.id: option} if option in field.options else f"Option value '{_text(option)[:80]}' is not valid"


def _text(value: Any) -> str:
    """An id or key as text, "" for what can't be one."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15:
        return str(value)
    return value if isinstance(value, str) else ""


_READERS: Mapping[str, Callable[[Place, Any], Reading]] = {
    "summary": _summary,
    "description": _description,
    "issuetype": _issue_type,
    "parent": _parent,
    "priority": _priority,
    "resolution": _resolution,
    "assignee": _assignee,
    "reporter": _reporter,
    "labels": _labels,
    "duedate": _due,
    "fixVersions": _versions,
}
