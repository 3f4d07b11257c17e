"""Noise is mail and chatter that has nothing to do with the task; it names nobody that the task is about."""

from __future__ import annotations

from generators.family import Scene
from generators.staging.gmail import add_mail
from generators.staging.slack import add_post


def add_unrelated_mail(scene: Scene, count: int) -> None:
    """Add `count` mails of bystanders, over the last days."""
    for _ in range(count):
        sender = scene.invent.bystander(scene.business.company.domain)
        subject = scene.phrase("shared/unrelated_subject")
        body = scene.phrase("shared/unrelated_mail", number=scene.rng.randint(2, 99))
        add_mail(scene, sender, subject, body, minutes_ago=scene.rng.randint(30, 9_000))


def add_chatter(scene: Scene, channel: str, user: str, count: int) -> None:
    """Add `count` posts of small talk to a channel, over the last days."""
    for _ in range(count):
        text = scene.phrase("shared/chatter", number=scene.rng.randint(2, 99))
        add_post(scene, channel, user, text, minutes_ago=scene.rng.randint(30, 9_000))
