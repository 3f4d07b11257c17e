"""Workflows: which statuses an issue can have and which ways lead out of each."""

from __future__ import annotations

from environment.apps.jira.rows import Issue, Workflow, WorkflowStatus, WorkflowTransition
from environment.apps.kit import Call

STATUSES = (
    WorkflowStatus(name="To Do", category="new"),
    WorkflowStatus(name="In Progress", category="indeterminate"),
    WorkflowStatus(name="In Review", category="indeterminate"),
    WorkflowStatus(name="Done", category="done"),
)
TRANSITIONS = tuple(
    WorkflowTransition(id=f"{10 * number + 1}", name=status.name, to=status.name)
    for number, status in enumerate(STATUSES, 1)
)
"""The usual workflow: from everywhere to everywhere."""

_USUAL = Workflow(id="1", project="", statuses=STATUSES, transitions=TRANSITIONS)


def workflow_of(call: Call, project: str, issue_type: str) -> Workflow:
    """The workflow that issues of this type go through in this project."""
    found = call.tables.where(Workflow, "project", project)
    own = [workflow for workflow in found if issue_type in workflow.issueTypes]
    return next(iter([*own, *(workflow for workflow in found if not workflow.issueTypes)]), _USUAL)


def ways_out(call: Call, issue: Issue) -> list[WorkflowTransition]:
    """The transitions that the issue can go through now."""
    ways = workflow_of(call, issue.project, issue.issuetype).transitions
    return [way for way in ways if not way.sources or issue.status in way.sources]


def site_statuses(call: Call) -> list[WorkflowStatus]:
    """Every status of the site, each name once, the usual ones first."""
    found = {status.name: status for status in STATUSES}
    for workflow in call.tables.all(Workflow):
        for status in workflow.statuses:
            found.setdefault(status.name, status)
    return list(found.values())


def status_id(call: Call, name: str) -> str:
    """Ids of statuses count in the order of `site_statuses`: 10000 is To Do."""
    names = [status.name for status in site_statuses(call)]
    return str(10_000 + (names.index(name) if name in names else len(names)))
