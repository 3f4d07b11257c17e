"""Gmail rows that families put on stage, and the calls that find them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from environment.apps.gmail.rows import message_id
from environment.task import ToolCall
from generators.business import Person
from generators.family import Scene, call
from generators.staging.small_talk import unrelated_text

SHOWN = 120
"""Characters of a mail that a search shows; a longer one has to be opened."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail on stage."""

    id: str
    long: bool
    """Too long to be read in a search's answer."""


def add_mail(
    scene: Scene, sender: Person, subject: str, body: str, minutes_ago: int, thread: str | None = None
) -> Mail:
    """Add an unread mail to the actor's inbox; `thread` is the id of the mail that it answers.

    From two sentences of `prose` on, the sender also writes about other things.
    """
    if scene.prose > 1:
        before, after = (unrelated_text(scene, max(1, scene.prose // 2)) for _ in range(2))
        body = f"Hello {scene.business.actor.first},\n\n{before}\n\n{body}\n\n{after}\n\n{sender.name}"
    return Mail(deliver(scene, sender, subject, body, scene.sent(minutes_ago), thread), len(body) > SHOWN)


def deliver(scene: Scene, sender: Person, subject: str, body: str, sent: datetime, thread: str | None = None) -> str:
    """Add an unread mail with just this body to the actor's inbox, and return its id."""
    mail_id = message_id(scene.invent.number(10_000, 99_999))
    scene.add(
        "gmail",
        "Message",
        {
            "id": mail_id,
            "threadId": thread or mail_id,
            "from": f"{sender.name} <{sender.email}>",
            "to": [scene.business.actor.email],
            "subject": subject,
            "date": sent.isoformat(),
            "body": body,
            "labels": ["INBOX"],
            "unread": True,
        },
    )
    return mail_id


def find_mails(sender: Person, mails: Sequence[Mail]) -> tuple[ToolCall, ...]:
    """Search for a sender's mails by the last name, and open those that are too long to be read in the answer."""
    search = call("gmail_search_emails", query=f"from:{sender.last}")
    return (search, *(call("gmail_read_email", id=mail.id) for mail in mails if mail.long))
