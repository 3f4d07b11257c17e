"""Gmail rows that families put on stage."""

from __future__ import annotations

from datetime import timedelta

from environment.apps.gmail.rows import message_id
from generators.business import Person
from generators.family import Scene


def add_mail(scene: Scene, sender: Person, subject: str, body: str, minutes_ago: int, thread: str | None = None) -> str:
    """Add an unread mail to the actor's inbox, and return its id; `thread` is the id of the mail that it answers."""
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
            "date": (scene.business.now - timedelta(minutes=minutes_ago)).isoformat(),
            "body": body,
            "labels": ["INBOX"],
            "unread": True,
        },
    )
    return mail_id
