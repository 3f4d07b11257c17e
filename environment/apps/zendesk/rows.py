"""The rows of Zendesk Support: tickets with their comments and fields, people, organizations, groups, macros."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from environment.apps.crud import NumericId
from environment.query.zendesk_search import word_line
from environment.world import Row

STATUSES = ("new", "open", "pending", "hold", "solved", "closed")
"""In the order in which `status<solved` compares them."""
PRIORITIES = ("low", "normal", "high", "urgent")
AGENTS = ("agent", "admin")
"""Roles that can be assigned tickets and work on them."""

Channel = Literal["web", "email", "api", "chat", "voice", "mobile", "facebook", "twitter"]


def ticket_id(count: int) -> str:
    """The count-th ticket's id, such as 20012; it is the number that people know the ticket by."""
    return f"{20_000 + count}"


def comment_id(count: int) -> str:
    return f"363{count:09d}"


def user_id(count: int) -> str:
    """The count-th user's id, such as 360000000012."""
    return f"360{count:09d}"


def group_id(count: int) -> str:
    return f"361{count:09d}"


def organization_id(count: int) -> str:
    return f"362{count:09d}"


def membership_id(count: int) -> str:
    return f"364{count:09d}"


def macro_id(count: int) -> str:
    return f"365{count:09d}"


def field_id(count: int) -> str:
    return f"366{count:09d}"


def tag_set(tags: Any) -> Any:
    """Tags as Zendesk keeps them: in lower case, none twice, sorted; blanks and commas part one from the next."""
    texts = [tags] if isinstance(tags, str) else tags
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        return tags
    return tuple(sorted({tag for text in texts for tag in re.split(r"[\s,]+", text.lower()) if tag}))


def _instant(value: Any) -> Any:
    """A date and time in UTC, to the second: 2026-03-04T09:20:00Z."""
    if not isinstance(value, str):
        return value
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError(f"date {value!r} has no UTC offset; add one, such as +00:00")
    try:
        return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    except OverflowError:
        raise ValueError(f"date {value!r} is out of range") from None


Instant = Annotated[str, BeforeValidator(_instant)]
Tags = Annotated[tuple[str, ...], BeforeValidator(tag_set)]
Lower = Annotated[str, BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value)]
Text = Annotated[str, Field(max_length=65_535)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)]


class CustomField(BaseModel):
    """The value of one custom field."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: NumericId
    value: Text | bool | int | float | tuple[Text, ...] | None = None


class Ticket(Row):
    """One request and how far it has got; what was said is in its comments, the first of which is its description."""

    id: NumericId
    subject: Name
    status: Literal["new", "open", "pending", "hold", "solved", "closed"] = "new"
    priority: Literal["low", "normal", "high", "urgent"] | None = None
    type: Literal["problem", "incident", "question", "task"] | None = None
    requester_id: NumericId
    submitter_id: NumericId | None = None
    assignee_id: NumericId | None = None
    group_id: NumericId | None = None
    organization_id: NumericId | None = None
    tags: Tags = ()
    custom_fields: tuple[CustomField, ...] = ()
    """Those that hold a value, by id."""
    external_id: Name | None = None
    problem_id: NumericId | None = None
    due_at: Instant | None = None
    via: Channel = "email"
    created_at: Instant
    updated_at: Instant | None = None
    """None for a ticket that was not changed since it was created."""

    @property
    def changed_at(self) -> str:
        return self.updated_at or self.created_at

    @cached_property
    def words(self) -> str:
        """What a search finds the ticket by, besides its comments."""
        return word_line(f"{self.id} {self.subject} {' '.join(self.tags)}")


class Comment(Row):
    """One public reply or internal note."""

    id: NumericId
    ticket_id: NumericId
    author_id: NumericId
    body: Text = Field(min_length=1)
    public: bool = True
    via: Channel = "email"
    created_at: Instant

    @cached_property
    def words(self) -> str:
        return word_line(self.body)


class User(Row):
    """A customer (end-user) or one of the staff (agent, admin)."""

    id: NumericId
    name: Name
    email: Annotated[Lower, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=255)] | None = None
    role: Literal["end-user", "agent", "admin"] = "end-user"
    organization_id: NumericId | None = None
    default_group_id: NumericId | None = None
    phone: Name | None = None
    alias: Name | None = None
    details: Text | None = None
    notes: Text | None = None
    external_id: Name | None = None
    time_zone: Name = "UTC"
    tags: Tags = ()
    verified: bool = True
    suspended: bool = False
    active: bool = True
    """False for a deleted user."""
    created_at: Instant | None = None
    updated_at: Instant | None = None

    @cached_property
    def words(self) -> str:
        texts = (self.name, self.email, self.alias, self.phone, self.notes, self.details, *self.tags)
        return word_line(" ".join(text for text in texts if text))


class Organization(Row):
    """A customer company."""

    id: NumericId
    name: Name
    domain_names: tuple[Lower, ...] = ()
    """A new user whose address is at one of these becomes a member."""
    details: Text | None = None
    notes: Text | None = None
    group_id: NumericId | None = None
    shared_tickets: bool = False
    shared_comments: bool = False
    external_id: Name | None = None
    tags: Tags = ()
    created_at: Instant | None = None
    updated_at: Instant | None = None

    @cached_property
    def words(self) -> str:
        texts = (self.name, self.details, self.notes, *self.domain_names, *self.tags)
        return word_line(" ".join(text for text in texts if text))


class Group(Row):
    """A team of agents."""

    id: NumericId
    name: Name
    description: Annotated[str, Field(max_length=1024)] = ""
    is_public: bool = True
    default: bool = False
    created_at: Instant | None = None
    updated_at: Instant | None = None

    @cached_property
    def words(self) -> str:
        return word_line(self.name)


class GroupMembership(Row):
    """One agent in one group."""

    id: NumericId
    user_id: NumericId
    group_id: NumericId
    default: bool = False
    """Whether tickets that are assigned to the agent go to this group when no other is named."""
    created_at: Instant | None = None
    updated_at: Instant | None = None


class MacroAction(BaseModel):
    """One thing that a macro does to a ticket."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    field: Name
    value: Text | bool | int | tuple[Text, ...]


class Macro(Row):
    """A prepared change of a ticket, often with a reply."""

    id: NumericId
    title: Name
    description: Text | None = None
    active: bool = True
    position: int = 9999
    actions: tuple[MacroAction, ...] = Field(min_length=1)
    created_at: Instant | None = None
    updated_at: Instant | None = None


class FieldOption(BaseModel):
    """One choice of a drop-down field."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: Name
    value: Annotated[str, Field(pattern=r"^[\w./-]+$", max_length=255)]


class TicketField(Row):
    """A custom field of tickets."""

    id: NumericId
    title: Name
    type: Literal["text", "textarea", "checkbox", "date", "integer", "decimal", "regexp", "tagger", "multiselect"] = (
        "text"
    )
    description: Text = ""
    required: bool = False
    """Whether a ticket can only be solved with a value in it."""
    active: bool = True
    position: int = 9999
    custom_field_options: tuple[FieldOption, ...] = ()
    created_at: Instant | None = None
    updated_at: Instant | None = None
