"""Zendesk rows that families put on stage."""

from __future__ import annotations

from typing import Any

from environment.apps.zendesk.rows import comment_id, group_id, organization_id, ticket_id, user_id
from generators.business import Company, Person
from generators.family import Scene

_HOURS, _AN_HOUR = 24 * 100, 12
"""How far back ticket numbers reach, and how many there are for each hour: later tickets have higher ones."""


def add_customer(scene: Scene, person: Person, organization: str | None = None) -> str:
    """Add an end-user, and return the id."""
    return _add_user(scene, person, "end-user", organization)


def add_agent(scene: Scene, person: Person) -> str:
    """Add one of the staff, and return the id; the actor must be one to write."""
    return _add_user(scene, person, "agent", None)


def add_organization(scene: Scene, company: Company, **fields: Any) -> str:
    """Add a customer company, and return the id."""
    key = organization_id(scene.invent.number(101, 9_999))
    row = {"id": key, "name": company.name, "domain_names": [company.domain]}
    scene.add("zendesk", "Organization", {**row, **fields})
    return key


def add_group(scene: Scene, name: str) -> str:
    """Add a team of agents, and return the id."""
    key = group_id(scene.invent.number(101, 999))
    scene.add("zendesk", "Group", {"id": key, "name": name})
    return key


def add_ticket(scene: Scene, requester: str, subject: str, body: str, minutes_ago: int, **fields: Any) -> str:
    """Add an open ticket with its first comment, and return its id; `fields` are status, priority, tags, ...

    It belongs to the requester's organization. At most a hundred days old; a few in the same hour at most.
    """
    first = (_HOURS - minutes_ago // 60) * _AN_HOUR
    key = ticket_id(scene.invent.number(first, first + _AN_HOUR - 1))
    made = scene.sent(minutes_ago).isoformat()
    row = {"id": key, "subject": subject, "requester_id": requester, "status": "open", "created_at": made}
    users = scene.rows["zendesk"]["User"]
    organization = next(user["organization_id"] for user in users if user["id"] == requester)
    scene.add("zendesk", "Ticket", {**row, "organization_id": organization, **fields})
    add_said(scene, key, requester, body, minutes_ago)
    return key


def add_said(scene: Scene, ticket: str, author: str, body: str, minutes_ago: int, public: bool = True) -> str:
    """Add a comment to a ticket, later than those that it has, and return its id."""
    key = comment_id(scene.invent.number(100_000, 999_999))
    made = scene.sent(minutes_ago).isoformat()
    row = {"id": key, "ticket_id": ticket, "author_id": author, "body": body, "public": public, "created_at": made}
    scene.add("zendesk", "Comment", row)
    return key


def _add_user(scene: Scene, person: Person, role: str, organization: str | None) -> str:
    key = user_id(scene.invent.number(101, 9_999))
    row = {"id": key, "name": person.name, "email": person.email, "role": role, "organization_id": organization}
    scene.add("zendesk", "User", row)
    return key
