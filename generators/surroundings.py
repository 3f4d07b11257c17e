"""Surroundings are mails and posts that have nothing to do with the task, mixed with those that have."""

from __future__ import annotations

from generators.family import Scene
from generators.staging.noise import add_chatter, add_unrelated_mail
from generators.staging.slack import add_user, colleagues

_MIXED = (
    ("gmail", "Message"),
    ("salesforce", "Contact"),
    ("salesforce", "Lead"),
    ("salesforce", "Opportunity"),
    ("salesforce", "Account"),
    ("salesforce", "Case"),
    ("google_calendar", "Event"),
    ("jira", "Issue"),
    ("zendesk", "Ticket"),
    ("xero", "Contact"),
    ("xero", "Invoice"),
)
"""Collections whose order would tell what matters."""


def surround(scene: Scene, count: int) -> None:
    """Add `count` unrelated mails to a staged mailbox and as many posts to each staged channel; mix what has an order.

    They are as long as the scene's `prose` says.
    """
    if "gmail" in scene.rows:
        add_unrelated_mail(scene, count, scene.prose)
    channels = [row["id"] for row in scene.rows.get("slack", {}).get("Channel", ())]
    if channels and count:
        talkers = colleagues(scene) or [add_user(scene, scene.invent.person(scene.business.company.domain))]
        for channel in channels:
            add_chatter(scene, channel, talkers, count, scene.prose)
    for app, collection in _MIXED:
        if collection in scene.rows.get(app, {}):
            scene.shuffle(app, collection)
