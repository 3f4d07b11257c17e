"""What every endpoint begins with: the site's address, the issue or project that was named, the page that was asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from environment.apps.jira.rows import Issue, Project
from environment.apps.kit import AppError, Call

T = TypeVar("T")
_FARTHEST = 10**9


def site(call: Call) -> str:
    """Root of the API's URLs on the company's site."""
    name = re.sub(r"[^a-z0-9-]", "", call.actor["domain"].split(".")[0].lower()) or "site"
    return f"https://{name}.atlassian.net/rest/api/3"


def find_issue(call: Call, id_or_key: str) -> Issue | None:
    """The issue with this key, in any case, or this id."""
    found = call.tables.find(Issue, id_or_key.upper())
    if found is None and id_or_key.isdecimal():
        found = next(iter(call.tables.where(Issue, "id", id_or_key)), None)
    return found


def known_issue(call: Call, id_or_key: str) -> Issue:
    """The issue. Raises Jira's 404 for an unknown one."""
    found = find_issue(call, id_or_key)
    if found is None:
        raise AppError(404, "Issue does not exist or you do not have permission to see it.")
    return found


def find_project(call: Call, id_or_key: str) -> Project | None:
    """The project with this key, in any case, or this id."""
    found = call.tables.find(Project, id_or_key.upper())
    return found or next(iter(call.tables.where(Project, "id", id_or_key)), None)


def known_project(call: Call, id_or_key: str) -> Project:
    """The project. Raises Jira's 404 for an unknown one."""
    found = find_project(call, id_or_key)
    if found is None:
        raise AppError(404, f"No project could be found with key '{id_or_key[:80]}'.")
    return found


def page_of(items: Sequence[T], start: int, size: int, most: int) -> Sequence[T]:
    """The part of a list that was asked for. Raises 400 for a negative start or size."""
    if start < 0 or size < 0:
        raise AppError(400, "startAt and maxResults must not be negative.")
    start = min(start, _FARTHEST)
    return items[start : start + min(size, most)]
