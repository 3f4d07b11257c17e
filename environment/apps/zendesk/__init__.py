"""Zendesk Support API v2: tickets and their comments, people, groups, tags, macros, ticket fields, search.

Source: developer.zendesk.com/api-reference/ticketing (v2, pages of 2025: Tickets, Ticket Comments, Users,
Organizations, Groups, Group Memberships, Tags, Macros, Ticket Fields, Search, Side-Loading, Pagination) and the system
ticket rules. Left out: audits and metrics, attachments and uploads, CCs and followers, satisfaction ratings, custom
statuses and ticket forms, system ticket fields, views, triggers and automations, brands, suspended and deleted tickets,
user identities, custom fields of users and organizations, imports and incremental exports, changes to tags, subject and
priority of closed tickets, the tags that drop-down fields add, stored jobs (they are done at once), create_many and
destroy_many.
"""

from __future__ import annotations

from environment.apps.kit import App
from environment.apps.zendesk import actions, comments, macros, merge, people, search, tags, ticket_fields, tickets
from environment.apps.zendesk.guide import GUIDE
from environment.apps.zendesk.rows import (
    Comment,
    Group,
    GroupMembership,
    Macro,
    Organization,
    Ticket,
    TicketField,
    User,
    comment_id,
    field_id,
    group_id,
    macro_id,
    membership_id,
    organization_id,
    ticket_id,
    user_id,
)
from environment.apps.zendesk.style import BASE_PATH, bad_arguments, error_body

_STAMPS = frozenset({"created_at", "updated_at"})

APP = App(
    name="zendesk",
    title="Zendesk",
    host="{org}.zendesk.com",
    base_path=BASE_PATH,
    ending=".json",
    rows=(Ticket, Comment, User, Organization, Group, GroupMembership, Macro, TicketField),
    ids={
        Ticket: ticket_id,
        Comment: comment_id,
        User: user_id,
        Organization: organization_id,
        Group: group_id,
        GroupMembership: membership_id,
        Macro: macro_id,
        TicketField: field_id,
    },
    routes=(
        *tickets.ROUTES,
        *comments.ROUTES,
        *merge.ROUTES,
        *tags.ROUTES,
        *people.ROUTES,
        *macros.ROUTES,
        *ticket_fields.ROUTES,
        *search.ROUTES,
    ),
    error_body=error_body,
    argument_error=bad_arguments,
    derived={
        Ticket: _STAMPS | {"submitter_id", "via"},
        Comment: frozenset({"created_at", "via"}),
        User: _STAMPS | {"verified"},
        Organization: _STAMPS,
        Group: _STAMPS,
        GroupMembership: _STAMPS,
        Macro: _STAMPS,
        TicketField: _STAMPS,
    },
    actions=actions.ACTIONS,
    guide=GUIDE,
)
