"""The rows of a Slack workspace, and how their ids are spelled."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated

from pydantic import Field

from environment.world import Row

Ts = Annotated[str, Field(pattern=r"^\d{10}\.\d{6}$")]
"""A message's time stamp, which is also its name within its channel: seconds, a point, six digits."""


class User(Row):
    id: str
    name: str
    """The handle, such as `oren.haddad`."""
    real_name: str
    email: str | None = None
    title: str = ""
    tz: str = "Europe/London"
    deleted: bool = False
    is_bot: bool = False


class Channel(Row):
    id: str
    name: str
    """Without the hash; empty for a direct message."""
    is_private: bool = False
    is_archived: bool = False
    is_im: bool = False
    """A direct message between the acting user and `user`."""
    user: str | None = None
    members: tuple[str, ...] = ()
    topic: str = ""
    purpose: str = ""
    created: int = 0
    creator: str = ""


class Message(Row):
    id: str
    """`<channel>/<ts>`."""
    channel: str
    ts: Ts
    user: str
    text: str
    """As people read it: `&`, `<` and `>` are not escaped; mentions stay in Slack's `<@U…>` form."""
    thread_ts: Ts | None = None
    """`ts` of the message that it replies to, None for one that stands in the channel itself."""
    pinned: bool = False
    edited: Ts | None = None

    @cached_property
    def plain_text(self) -> str | None:
        """The text in lower case; None for one with markup, which reads as people and channels are named now."""
        return None if "<" in self.text else self.text.lower()


class Reaction(Row):
    id: str
    """`<channel>/<ts>/<name>/<user>`."""
    channel: str
    ts: Ts
    name: str
    user: str


class File(Row):
    id: str
    name: str
    title: str = ""
    filetype: str = "text"
    mimetype: str = "text/plain"
    user: str = ""
    channels: tuple[str, ...] = ()
    created: int = 0
    size: int = 0


def user_id(count: int) -> str:
    return f"U{count:010d}"


def channel_id(count: int) -> str:
    return f"C{count:010d}"


def im_id(user: str) -> str:
    """Id of the direct message with this user; it follows from the user's, whether the row exists yet or not."""
    return f"D{user[1:]}"


def file_id(count: int) -> str:
    return f"F{count:010d}"


def message_ts(seconds: int, count: int) -> str:
    """Time stamp of the `count`-th message, posted at `seconds` of Unix time."""
    return f"{seconds:010d}.{count % 1_000_000:06d}"


def message_id(channel: str, ts: str) -> str:
    return f"{channel}/{ts}"


def reaction_id(channel: str, ts: str, name: str, user: str) -> str:
    return f"{channel}/{ts}/{name}/{user}"
