"""The workspace as the acting user sees it: who they are, which conversations they can see, and pages of a list."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Any, NoReturn, TypeVar

from environment.apps.kit import AppError, Call
from environment.apps.slack.rows import Channel, Message, User, message_id

T = TypeVar("T")
TEAM_ID = "T0000000001"
_NOBODY = User(id="USLACKBOT", name="slackbot", real_name="Slackbot", is_bot=True)


def refuse(code: str) -> NoReturn:
    """End the call with `ok: false` and this error code."""
    raise AppError(200, code, code)


def acting_user(call: Call) -> User:
    """The user with the actor's e-mail, else the first bot of the workspace, else Slack's own."""
    email = call.actor.get("email", "").lower()
    if email:
        for user in call.tables.where(User, "email", email) or call.tables.all(User):
            if (user.email or "").lower() == email:
                return user
    bots = call.tables.where(User, "is_bot", True)
    return bots[0] if bots else _NOBODY


def user_of(call: Call, user_id: str) -> User:
    return call.tables.find(User, user_id) or refuse("user_not_found")


def may_see(channel: Channel, me: User) -> bool:
    """Public channels are open to all; private ones and direct messages to their members."""
    if channel.is_im:
        return not channel.members or me.id in channel.members
    return not channel.is_private or me.id in channel.members


def channel_of(call: Call, channel_id: str) -> Channel:
    """The conversation with this id. Refuses ids that don't exist or that the acting user can't see."""
    channel = call.tables.find(Channel, channel_id)
    if channel is None or not may_see(channel, acting_user(call)):
        refuse("channel_not_found")
    return channel


def channel_named(call: Call, name: str) -> Channel | None:
    """The visible channel with this name, with or without hash; one that is not archived if there are several."""
    me = acting_user(call)
    found = [c for c in call.tables.where(Channel, "name", name.removeprefix("#")) if not c.is_im and may_see(c, me)]
    return min(found, key=lambda channel: channel.is_archived, default=None)


def message_of(call: Call, channel: Channel, ts: str, missing: str = "message_not_found") -> Message:
    return call.tables.find(Message, message_id(channel.id, ts)) or refuse(missing)


def bound_ts(text: str | None, code: str) -> str | None:
    """A moment given as seconds, with or without fraction, in the spelling that time stamps compare with."""
    if text is None or text in ("", "now"):
        return None
    match = re.fullmatch(r"(\d{1,10})(?:\.(\d{1,6})\d*)?", text[:64])
    if match is None:
        refuse(code)
    return f"{match[1]:0>10}.{match[2] or '':0<6}"


def page(items: Sequence[T], limit: int | None, cursor: str | None, default: int) -> tuple[Sequence[T], str]:
    """The items of one page, and the cursor of the next, which is empty after the last."""
    size = default if limit in (None, 0) else limit
    if size is None or not 1 <= size <= 1000:
        refuse("invalid_limit")
    start = _position(cursor) if cursor else 0
    end = start + size
    return items[start:end], base64.b64encode(f"next:{end}".encode()).decode() if end < len(items) else ""


def paged(next_cursor: str) -> dict[str, Any]:
    return {"response_metadata": {"next_cursor": next_cursor}}


def _position(cursor: str) -> int:
    try:
        text = base64.b64decode(cursor[:64], validate=True).decode()
    except (binascii.Error, ValueError):
        refuse("invalid_cursor")
    match = re.fullmatch(r"next:(\d{1,9})", text)
    return int(match[1]) if match else refuse("invalid_cursor")
