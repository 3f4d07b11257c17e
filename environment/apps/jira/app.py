"""Jira Cloud: projects, issues, workflows, comments, work logs, versions, links and JQL of one site.

After the Jira Cloud platform REST API v3, developer.atlassian.com/cloud/jira/platform/rest/v3 (OpenAPI document
1001.0.0-SNAPSHOT of 2025: groups Issues, Issue search, Issue comments, Issue worklogs, Issue watchers, Issue links,
Issue fields, Projects, Project versions, Users, Myself, JQL) and "Atlassian Document Format" version 1. `search`
answers as it did until it was replaced by `search/jql`.

Every issue has a priority. Without a row of its own a project has the usual workflow, from every status to every
other; what reaches a status that counts as done gets the resolution Done unless a screen asks for another, and loses it
on the way back. Leaves out permissions, boards and sprints, components, attachments, votes, estimates, change logs and
the history operators of JQL, issue security, bulk operations, notifications, properties, deletion of projects,
automatic watching, moves between projects, administration of workflows and fields.
"""

from __future__ import annotations

from pydantic import ValidationError

from environment.apps.jira import comments, issues, links, metadata, people, projects, searches, transitions, worklogs
from environment.apps.jira.actions import ACTIONS
from environment.apps.jira.guide import GUIDE
from environment.apps.jira.refusal import error_body
from environment.apps.jira.rows import (
    Comment,
    CustomField,
    Issue,
    IssueLink,
    Project,
    User,
    Version,
    Workflow,
    Worklog,
    account_id,
    comment_id,
    field_id,
    link_id,
    version_id,
    workflow_id,
    worklog_id,
)
from environment.apps.kit import App, AppError, explain


def _argument_error(error: ValidationError) -> AppError:
    return AppError(
        400, f"Invalid request payload. Refer to the REST API documentation and try again: {explain(error)}"
    )


APP = App(
    name="jira",
    title="Jira",
    host="{org}.atlassian.net",
    hosts_also=("api.atlassian.com",),
    base_path="/rest/api/3",
    base_path_also=r"/ex/jira/[^/]+/rest/api/3",
    rows=(Project, User, Issue, Comment, Worklog, Version, IssueLink, Workflow, CustomField),
    ids={
        User: account_id,
        Comment: comment_id,
        Worklog: worklog_id,
        Version: version_id,
        IssueLink: link_id,
        Workflow: workflow_id,
        CustomField: field_id,
    },
    routes=(
        *searches.ROUTES,
        *metadata.ROUTES,
        *issues.ROUTES,
        *transitions.ROUTES,
        *comments.ROUTES,
        *worklogs.ROUTES,
        *links.ROUTES,
        *people.ROUTES,
        *projects.ROUTES,
    ),
    error_body=error_body,
    argument_error=_argument_error,
    derived={
        Project: frozenset({"issueCount"}),
        Issue: frozenset({"updated", "resolution", "resolutiondate", "descriptionAdf"}),
        Comment: frozenset({"updated", "bodyAdf"}),
        Worklog: frozenset({"updated"}),
    },
    actions=ACTIONS,
    guide=GUIDE,
)
