"""Endpoints of transitions, the only way from one status to another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from environment.apps.jira.comments import add_comment
from environment.apps.jira.drafts import Draft
from environment.apps.jira.entry import known_issue, known_project
from environment.apps.jira.fields import Place
from environment.apps.jira.metadata import field_meta
from environment.apps.jira.rows import Issue, WorkflowTransition
from environment.apps.jira.site import RESOLUTIONS
from environment.apps.jira.views import Viewer
from environment.apps.jira.workflow import ways_out, workflow_of
from environment.apps.kit import AppError, Args, Call, Response, Route


class ListTransitions(Args):
    issueIdOrKey: str = Field(description="Key or id of the issue")
    expand: str | None = Field(None, description="transitions.fields shows the fields of each screen")
    transitionId: str | None = Field(None, description="Only this one")


class DoTransition(Args):
    issueIdOrKey: str = Field(description="Key or id of the issue")
    transition: dict[str, Any] | None = Field(None, description="An object {id} of one of the issue's transitions")
    fields: dict[str, Any] = Field({}, description="Fields of the transition's screen, such as {resolution: {name}}")
    update: dict[str, Any] = Field({}, description="Operations on fields, such as {comment: [{add: {body}}]}")


def list_transitions(call: Call, args: ListTransitions) -> dict[str, Any]:
    """List the transitions that an issue can go through now."""
    issue = known_issue(call, args.issueIdOrKey)
    viewer = Viewer(call)
    with_fields = "transitions.fields" in (args.expand or "")
    shown = [
        {
            "id": way.id,
            "name": way.name,
            "to": viewer.status(way.to),
            "hasScreen": bool(_screen(way)),
            "isGlobal": not way.sources,
            "isInitial": False,
            "isAvailable": True,
            "isConditional": False,
            "isLooped": False,
            **({"fields": _fields(viewer, issue, way)} if with_fields else {}),
        }
        for way in ways_out(call, issue)
        if args.transitionId in (None, way.id)
    ]
    return {"expand": "transitions", "transitions": shown}


def do_transition(call: Call, args: DoTransition) -> Response:
    """Move an issue to another status through one of its transitions."""
    issue = known_issue(call, args.issueIdOrKey)
    way = _chosen(call, issue, args.transition)
    place = Place(call, known_project(call, issue.project))
    screen = _screen(way)
    draft = Draft(place, (*screen, "comment") if screen else (), issue.change(resolution=None))
    draft.read(args.fields, args.update)
    draft.demand(way.requires)
    draft.check()
    now = call.now.isoformat()
    outcome = {**_resolved(call, issue, way, now), **draft.values, "status": way.to, "updated": now}
    call.tables.put(issue.change(**outcome))
    for body in draft.comments:
        add_comment(call, issue.key, body)
    return Response(204, None)


def _chosen(call: Call, issue: Issue, given: Mapping[str, Any] | None) -> WorkflowTransition:
    key = (given or {}).get("id")
    if key is None:
        raise AppError(400, "Missing 'transition' identifier")
    for way in ways_out(call, issue):
        if key == way.id or (type(key) is int and way.id.isdecimal() and key == int(way.id)):
            return way
    named = key[:40] if isinstance(key, str) else key if type(key) is int and abs(key) < 10**9 else "null"
    raise AppError(400, f"Transition id '{named}' is not valid for this issue.")


def _screen(way: WorkflowTransition) -> tuple[str, ...]:
    return (*way.requires, *way.offers)


def _resolved(call: Call, issue: Issue, way: WorkflowTransition, now: str) -> dict[str, Any]:
    """What becomes of the resolution: what is done has one, Done unless the screen says another; nothing else has."""
    statuses = workflow_of(call, issue.project, issue.issuetype).statuses
    if not any(status.name == way.to and status.category == "done" for status in statuses):
        return {"resolution": None, "resolutiondate": None}
    if issue.resolution is None:
        return {"resolution": RESOLUTIONS[0].name, "resolutiondate": now}
    return {}


def _fields(viewer: Viewer, issue: Issue, way: WorkflowTransition) -> dict[str, Any]:
    project = known_project(viewer.call, issue.project)
    return {name: field_meta(viewer, project, name, name in way.requires) for name in _screen(way)}


ROUTES = (
    Route(
        "list_transitions",
        "GET",
        "/issue/{issueIdOrKey}/transitions",
        "read",
        ListTransitions,
        list_transitions,
        as_action=False,
        keywords="status workflow",
    ),
    Route(
        "transition_issue",
        "POST",
        "/issue/{issueIdOrKey}/transitions",
        "write",
        DoTransition,
        do_transition,
        as_action=False,
        keywords="status change move done close resolve workflow",
    ),
)
