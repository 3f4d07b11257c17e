"""How Slack writes its objects in answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from environment.apps.slack.rows import Channel, File, Message, Reaction, User
from environment.apps.slack.text import wire
from environment.apps.slack.workspace import TEAM_ID

Reactions = Mapping[str, Sequence[Reaction]]
"""ts -> the reactions on that message."""


def user_view(user: User) -> dict[str, Any]:
    profile = {"real_name": user.real_name, "display_name": user.name, "title": user.title}
    if user.email:
        profile["email"] = user.email
    return {
        "id": user.id,
        "team_id": TEAM_ID,
        "name": user.name,
        "deleted": user.deleted,
        "real_name": user.real_name,
        "tz": user.tz,
        "profile": profile,
        "is_bot": user.is_bot,
    }


def channel_view(channel: Channel, me: User) -> dict[str, Any]:
    base: dict[str, Any] = {"id": channel.id, "created": channel.created, "is_archived": channel.is_archived}
    if channel.is_im:
        return {**base, "is_im": True, "is_private": True, "user": channel.user}
    return {
        **base,
        "name": channel.name,
        "is_channel": not channel.is_private,
        "is_group": channel.is_private,
        "is_im": False,
        "is_mpim": False,
        "is_private": channel.is_private,
        "is_general": channel.name == "general",
        "name_normalized": channel.name,
        "creator": channel.creator,
        "is_member": me.id in channel.members,
        "topic": {"value": wire(channel.topic), "creator": "", "last_set": 0},
        "purpose": {"value": wire(channel.purpose), "creator": "", "last_set": 0},
        "num_members": len(channel.members),
    }


def message_view(message: Message, reactions: Reactions, replies: Sequence[Message] = ()) -> dict[str, Any]:
    """The message; `replies` are those of its thread, given for the message that began it."""
    view: dict[str, Any] = {
        "type": "message",
        "user": message.user,
        "text": wire(message.text),
        "ts": message.ts,
        "team": TEAM_ID,
    }
    if replies:
        view["thread_ts"] = message.ts
        view["reply_count"] = len(replies)
        view["reply_users"] = list(dict.fromkeys(reply.user for reply in replies))
        view["latest_reply"] = max(reply.ts for reply in replies)
    elif message.thread_ts:
        view["thread_ts"] = message.thread_ts
    if message.edited:
        view["edited"] = {"user": message.user, "ts": message.edited}
    if message.pinned:
        view["pinned_to"] = [message.channel]
    if reactions.get(message.ts):
        view["reactions"] = reactions_view(reactions[message.ts])
    return view


def reactions_view(reactions: Iterable[Reaction]) -> list[dict[str, Any]]:
    users: dict[str, list[str]] = defaultdict(list)
    for reaction in reactions:
        users[reaction.name].append(reaction.user)
    return [{"name": name, "users": who, "count": len(who)} for name, who in users.items()]


def file_view(file: File) -> dict[str, Any]:
    return {**file.model_dump(exclude={"channels"}), "channels": list(file.channels), "title": file.title or file.name}
