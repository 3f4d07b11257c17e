"""The rows of Gmail: messages, drafts, labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import format_datetime
from functools import cached_property
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, field_validator

from environment.query.gmail_search import Words, find_words
from environment.world import Row

SYSTEM_LABELS = (
    *("INBOX", "SENT", "DRAFT", "TRASH", "SPAM", "STARRED", "IMPORTANT", "UNREAD", "CHAT"),
    *("CATEGORY_PERSONAL", "CATEGORY_SOCIAL", "CATEGORY_PROMOTIONS", "CATEGORY_UPDATES", "CATEGORY_FORUMS"),
)
"""Labels that every mailbox has; they are no rows."""


def message_id(count: int) -> str:
    """The count-th message's id, such as 19a4c2e000041703; a thread has the id of its first message."""
    return f"19a4c2e{count:09d}"


def label_id(count: int) -> str:
    """The count-th user label's id, such as Label_12."""
    return f"Label_{count}"


def draft_id(count: int) -> str:
    """The count-th draft's id, such as r7000000000000000012."""
    return f"r7{count:018d}"


def _lower(address: str) -> str:
    return address.strip().lower()


def _sorted(labels: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(labels)))


Address = Annotated[str, BeforeValidator(lambda value: _lower(value) if isinstance(value, str) else value)]


class Message(Row):
    """One mail as its owner sees it."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True, serialize_by_alias=True
    )
    id: str
    threadId: str
    sender: str = Field(alias="from")
    """`ann@shop.example` or `Ann Lee <ann@shop.example>`; a row says `from`."""
    to: tuple[Address, ...]
    """Addresses alone, in lower case."""
    cc: tuple[Address, ...] = ()
    bcc: tuple[Address, ...] = ()
    subject: str
    date: str
    """ISO 8601 with an offset."""
    body: str
    """Plain text."""
    labels: Annotated[tuple[str, ...], AfterValidator(_sorted)] = ("INBOX",)
    """Ids, sorted, so that a label taken off and put back is no change; UNREAD is not among them."""
    unread: bool = False
    message_id: str = ""
    """The Message-ID header; "" for one made of the id."""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    """File names."""

    @field_validator("date")
    @classmethod
    def _with_offset(cls, date: str) -> str:
        if datetime.fromisoformat(date).tzinfo is None:
            raise ValueError(f"date {date!r} has no UTC offset; add one, such as +00:00")
        return date

    @field_validator("labels")
    @classmethod
    def _without_unread(cls, labels: tuple[str, ...]) -> tuple[str, ...]:
        if "UNREAD" in labels:
            raise ValueError("say unread=true instead of the label UNREAD")
        return labels

    @property
    def label_ids(self) -> list[str]:
        """Labels as the API shows them, UNREAD included."""
        return [*(("UNREAD",) if self.unread else ()), *self.labels]

    @property
    def rfc_id(self) -> str:
        return self.message_id or f"<{self.id}@mail.gmail.com>"

    @cached_property
    def instant_ms(self) -> int:
        """Milliseconds since 1970."""
        return round(datetime.fromisoformat(self.date).timestamp() * 1000)

    @cached_property
    def rfc_date(self) -> str:
        """The Date header."""
        return format_datetime(datetime.fromisoformat(self.date))

    @cached_property
    def snippet(self) -> str:
        """The first words of the body on one line."""
        return " ".join(self.body[:400].split())[:200]

    @cached_property
    def words(self) -> Mapping[str, Words]:
        """What a search finds it by."""
        texts = {
            "from": self.sender,
            "to": " ".join((*self.to, *self.cc, *self.bcc)),
            "cc": " ".join(self.cc),
            "bcc": " ".join(self.bcc),
            "subject": self.subject,
            "filename": " ".join(self.attachments),
        }
        everything = " · ".join((texts["subject"], texts["from"], texts["to"], self.body, texts["filename"]))
        return {**{name: find_words(text) for name, text in texts.items()}, "any": find_words(everything)}


class Draft(Row):
    """A mail that was not sent; its message is nested here, so that a draft is one row and no Message."""

    id: str
    message: Message


class Label(Row):
    """A label that the user made."""

    id: str
    name: str = Field(min_length=1, max_length=225)
    messageListVisibility: Literal["show", "hide"] = "show"
    labelListVisibility: Literal["labelShow", "labelShowIfUnread", "labelHide"] = "labelShow"


def base_subject(subject: str) -> str:
    """The subject without Re: and Fwd:, folded, by which replies are recognised."""
    return re.sub(r"^(?:\s*(?:re|fwd?|aw)\s*:)+", "", subject[:1000], flags=re.IGNORECASE).strip().casefold()
