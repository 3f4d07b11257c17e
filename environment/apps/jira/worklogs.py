"""Endpoints of work logs: time that was spent on an issue."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from pydantic import Field

from environment.apps.jira import adf
from environment.apps.jira.entry import known_issue, page_of
from environment.apps.jira.people import me
from environment.apps.jira.refusal import wrong_fields
from environment.apps.jira.rows import Worklog
from environment.apps.jira.views import Viewer
from environment.apps.kit import AppError, Args, Call, Response, Route

_UNITS = {"w": 144_000, "d": 28_800, "h": 3_600, "m": 60}
_TEN_YEARS = 10 * 52 * 144_000


class ListWorklogs(Args):
    issueIdOrKey: str = Field(description="Key or id of the issue")
    startAt: int = Field(0, description="Work logs to skip")
    maxResults: int = Field(5000, description="Work logs to return, at most 5000")


class WorklogFields(Args):
    timeSpent: str | None = Field(None, description="Time spent such as 3h 20m; a day has 8 hours, a week 5 days")
    timeSpentSeconds: int | None = Field(None, description="Time spent in seconds")
    started: str | None = Field(None, description="Beginning, such as 2026-03-04T09:00:00.000+0000; now without")
    comment: Any = Field(None, description="What was done, as an Atlassian Document")
    notifyUsers: bool = Field(True, description="Ignored")
    adjustEstimate: str = Field("auto", description="Ignored")


class AddWorklog(WorklogFields):
    issueIdOrKey: str = Field(description="Key or id of the issue")


class OneWorklog(Args):
    issueIdOrKey: str = Field(description="Key or id of the issue")
    id: str = Field(description="Id of the work log")


class EditWorklog(WorklogFields):
    issueIdOrKey: str = Field(description="Key or id of the issue")
    id: str = Field(description="Id of the work log")


def list_worklogs(call: Call, args: ListWorklogs) -> dict[str, Any]:
    """List the time that was logged on an issue."""
    issue, viewer = known_issue(call, args.issueIdOrKey), Viewer(call)
    worklogs = call.tables.where(Worklog, "issue", issue.key)
    page = page_of(worklogs, args.startAt, args.maxResults, 5000)
    return {
        "startAt": args.startAt,
        "maxResults": min(args.maxResults, 5000),
        "total": len(worklogs),
        "worklogs": [viewer.worklog(worklog) for worklog in page],
    }


def get_worklog(call: Call, args: OneWorklog) -> dict[str, Any]:
    """Get a work log."""
    return Viewer(call).worklog(_find(call, args.issueIdOrKey, args.id))


def add_worklog(call: Call, args: AddWorklog) -> Response:
    """Log time that was spent on an issue."""
    issue = known_issue(call, args.issueIdOrKey)
    given = _read(args)
    if "timeSpentSeconds" not in given:
        raise wrong_fields({"timeLogged": "You must indicate the time spent."})
    now = call.now.isoformat()
    fields = {"started": now, **given, "author": me(call).accountId, "created": now, "updated": now}
    made = Worklog.model_validate({"id": call.tables.new_id(Worklog), "issue": issue.key, **fields})
    call.tables.put(issue.change(updated=now))
    return Response(201, Viewer(call).worklog(call.tables.put(made)))


def edit_worklog(call: Call, args: EditWorklog) -> dict[str, Any]:
    """Change a work log."""
    worklog = _find(call, args.issueIdOrKey, args.id)
    changed = worklog.change(**_read(args), updated=call.now.isoformat())
    return Viewer(call).worklog(call.tables.put(changed))


def delete_worklog(call: Call, args: OneWorklog) -> Response:
    """Delete a work log."""
    call.tables.delete(_find(call, args.issueIdOrKey, args.id))
    return Response(204, None)


def _find(call: Call, issue_key: str, key: str) -> Worklog:
    issue = known_issue(call, issue_key)
    worklog = call.tables.find(Worklog, key)
    if worklog is None or worklog.issue != issue.key:
        raise AppError(404, f"Cannot find worklog with id: '{key[:80]}'.")
    return worklog


def _read(args: WorklogFields) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if args.timeSpent is not None or args.timeSpentSeconds is not None:
        seconds = args.timeSpentSeconds if args.timeSpent is None else _seconds(args.timeSpent)
        if seconds is None or not 60 <= seconds <= _TEN_YEARS:
            raise wrong_fields({"timeLogged": "Invalid time duration entered."})
        given["timeSpentSeconds"] = seconds - seconds % 60
    if args.started is not None:
        given["started"] = _started(args.started)
    if args.comment is not None:
        if not adf.is_document(args.comment):
            raise wrong_fields({"comment": "Comment body is not valid!"})
        given["comment"] = adf.read_text(args.comment)
    return given


def _seconds(text: str) -> int | None:
    """The working time that `3h 20m` stands for; minutes where a number has no unit."""
    if not re.fullmatch(r"\s*([0-9]{1,5}\s*[wdhm]\s*)+|\s*[0-9]{1,5}\s*", text[:100]):
        return None
    pieces = re.findall(r"([0-9]+)\s*([wdhm]?)", text)
    return sum(int(count) * _UNITS[unit or "m"] for count, unit in pieces)


def _started(text: str) -> str:
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}([+-][0-9]{4}|Z)", text):
        try:
            return datetime.fromisoformat(text).isoformat()
        except ValueError:
            pass
    raise wrong_fields({"started": f"Operation value must be of the form yyyy-MM-dd'T'HH:mm:ss.SSSZ: {text[:80]}"})


_OF_ISSUE = "/issue/{issueIdOrKey}/worklog"
_QUERY = ("notifyUsers", "adjustEstimate")
ROUTES = (
    Route("list_worklogs", "GET", _OF_ISSUE, "read", ListWorklogs, list_worklogs, as_action=False),
    Route("add_worklog", "POST", _OF_ISSUE, "write", AddWorklog, add_worklog, query=_QUERY, as_action=False),
    Route("get_worklog", "GET", f"{_OF_ISSUE}/{{id}}", "read", OneWorklog, get_worklog, as_action=False),
    Route(
        "update_worklog",
        "PUT",
        f"{_OF_ISSUE}/{{id}}",
        "write",
        EditWorklog,
        edit_worklog,
        query=_QUERY,
        as_action=False,
    ),
    Route("delete_worklog", "DELETE", f"{_OF_ISSUE}/{{id}}", "write", OneWorklog, delete_worklog, as_action=False),
)
