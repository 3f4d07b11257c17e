"""Slack rows that families put on stage."""

from __future__ import annotations

from datetime import datetime

from environment.apps.slack.rows import channel_id, message_id, message_ts, user_id
from generators.business import Person
from generators.family import Scene

_ACTOR = user_id(100)
"""Below those of all others."""


def add_user(scene: Scene, person: Person) -> str:
    """Add a colleague to the workspace, and return the user's id."""
    slack_id = user_id(scene.invent.number(101, 999))
    scene.add("slack", "User", _user(person, slack_id))
    return slack_id


def add_channel(scene: Scene, name: str) -> str:
    """Id of the public channel with this name, which is added when it is not there yet; the actor is in it."""
    for row in scene.rows.get("slack", {}).get("Channel", ()):
        if row["name"] == name:
            return str(row["id"])
    slack_id = channel_id(scene.invent.number(101, 999))
    scene.add("slack", "Channel", {"id": slack_id, "name": name, "members": [_actor(scene)]})
    return slack_id


def colleagues(scene: Scene) -> list[str]:
    """Ids of the users that were added, the actor apart."""
    return [row["id"] for row in scene.rows["slack"].get("User", ()) if row["id"] != _ACTOR]


def add_post(
    scene: Scene, channel: str, user: str, text: str, minutes_ago: int, pinned: bool = False, thread: str | None = None
) -> str:
    """Add a message to a channel, and return its time stamp; `thread` is the time stamp of the message it answers."""
    return post_at(scene, channel, user, text, scene.sent(minutes_ago), pinned, thread)


def _actor(scene: Scene) -> str:
    users = scene.rows.get("slack", {}).get("User", ())
    if not any(row["id"] == _ACTOR for row in users):
        scene.add("slack", "User", _user(scene.business.actor, _ACTOR))
    return _ACTOR


def _user(person: Person, key: str) -> dict[str, str]:
    handle = f"{person.first}.{person.last}".lower()
    return {"id": key, "name": handle, "real_name": person.name, "email": person.email}


def post_at(
    scene: Scene,
    channel: str,
    user: str,
    text: str,
    posted: datetime,
    pinned: bool = False,
    thread: str | None = None,
) -> str:
    """Add a message that was posted at just this time, and return its time stamp."""
    ts = message_ts(int(posted.timestamp()), scene.invent.number(100_000, 999_999))
    row = {"id": message_id(channel, ts), "channel": channel, "ts": ts, "user": user, "text": text, "pinned": pinned}
    scene.add("slack", "Message", row | ({"thread_ts": thread} if thread else {}))
    return ts
