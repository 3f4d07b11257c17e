"""The conversations.* methods: channels and direct messages, who is in them and what was said."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from pydantic import Field

from environment.apps.kit import Args, Call
from environment.apps.slack.method import method
from environment.apps.slack.rows import Channel, Message, Reaction, User, im_id
from environment.apps.slack.views import channel_view, message_view
from environment.apps.slack.workspace import (
    acting_user,
    bound_ts,
    channel_of,
    may_see,
    message_of,
    page,
    paged,
    refuse,
    user_of,
)

_MAX_TOPIC, _MAX_NAME = 250, 80


class ChannelArgs(Args):
    channel: str = Field(description="ID of the conversation")


class InfoArgs(ChannelArgs):
    include_num_members: bool = Field(True, description="Whether to count members; they are always counted here")
    include_locale: bool = Field(False, description="Ignored here")


class ListArgs(Args):
    types: str = Field("public_channel", description="public_channel, private_channel, im, mpim, separated by commas")
    exclude_archived: bool = Field(False, description="Whether to leave out archived channels")
    limit: int | None = Field(None, description="Items a page, at most 1000; 100 by default")
    cursor: str | None = Field(None, description="next_cursor of the page before")
    team_id: str | None = Field(None, description="Ignored here")


class HistoryArgs(ChannelArgs):
    oldest: str | None = Field(None, coerce_numbers_to_str=True, description="Only messages after this ts")
    latest: str | None = Field(None, coerce_numbers_to_str=True, description="Only messages before this ts")
    inclusive: bool = Field(False, description="Whether messages with ts oldest or latest count too")
    limit: int | None = Field(None, description="Messages a page, at most 999; 100 by default")
    cursor: str | None = Field(None, description="next_cursor of the page before")
    include_all_metadata: bool = Field(False, description="Ignored here")


class RepliesArgs(HistoryArgs):
    ts: str = Field(coerce_numbers_to_str=True, description="ts of the message that began the thread")


class MembersArgs(ChannelArgs):
    limit: int | None = Field(None, description="Members a page, at most 1000; 100 by default")
    cursor: str | None = Field(None, description="next_cursor of the page before")


class OpenArgs(Args):
    users: str | None = Field(None, description="ID of the user to open a direct message with")
    channel: str | None = Field(None, description="ID of a direct message to resume")
    return_im: bool = Field(False, description="Whether to answer the whole channel")
    prevent_creation: bool = Field(False, description="Whether to refuse to make a new one")


class CreateArgs(Args):
    name: str = Field(description="Lower-case name of the new channel")
    is_private: bool = Field(False, description="Whether only members can see it")
    team_id: str | None = Field(None, description="Ignored here")


class InviteArgs(ChannelArgs):
    users: str = Field(description="User IDs, separated by commas")
    force: bool = Field(False, description="Ignored here")


class KickArgs(ChannelArgs):
    user: str = Field(description="ID of the user to remove")


class TopicArgs(ChannelArgs):
    topic: str = Field(description="New topic, at most 250 characters")


class PurposeArgs(ChannelArgs):
    purpose: str = Field(description="New description, at most 250 characters")


class RenameArgs(ChannelArgs):
    name: str = Field(description="New lower-case name")


def list_channels(call: Call, args: ListArgs) -> Any:
    """Lists all channels in a Slack team."""
    kinds = {kind.strip() for kind in args.types.split(",")}
    if not kinds <= {"public_channel", "private_channel", "im", "mpim"}:
        refuse("invalid_types")
    me = acting_user(call)
    found = [
        channel
        for channel in call.tables.all(Channel)
        if _kind(channel) in kinds and may_see(channel, me) and not (args.exclude_archived and channel.is_archived)
    ]
    shown, cursor = page(found, args.limit, args.cursor, 100)
    return {"ok": True, "channels": [channel_view(channel, me) for channel in shown], **paged(cursor)}


def get_channel(call: Call, args: InfoArgs) -> Any:
    """Retrieve information about a conversation."""
    return {"ok": True, "channel": channel_view(channel_of(call, args.channel), acting_user(call))}


def read_history(call: Call, args: HistoryArgs) -> Any:
    """Fetches a conversation's history of messages, newest first, without thread replies."""
    channel = channel_of(call, args.channel)
    replies: dict[str, list[Message]] = defaultdict(list)
    roots = []
    for message in call.tables.where(Message, "channel", channel.id):
        if message.thread_ts is None or message.thread_ts == message.ts:
            roots.append(message)
        else:
            replies[message.thread_ts].append(message)
    found = sorted(_between(roots, args), key=lambda message: message.ts, reverse=True)
    shown, cursor = page(found, min(args.limit, 999) if args.limit else None, args.cursor, 100)
    reactions = _reactions(call, channel)
    return {
        "ok": True,
        "messages": [message_view(message, reactions, replies.get(message.ts, ())) for message in shown],
        "has_more": bool(cursor),
        "pin_count": sum(message.pinned for message in roots),
        **(paged(cursor) if cursor else {}),
    }


def read_replies(call: Call, args: RepliesArgs) -> Any:
    """Retrieve a thread of messages posted to a conversation, oldest first."""
    channel = channel_of(call, args.channel)
    asked = message_of(call, channel, args.ts, "thread_not_found")
    root = message_of(call, channel, asked.thread_ts or asked.ts, "thread_not_found")
    in_channel = call.tables.where(Message, "channel", channel.id)
    replies = [message for message in in_channel if message.thread_ts == root.ts and message.ts != root.ts]
    thread = [root, *sorted(_between(replies, args), key=lambda message: message.ts)]
    shown, cursor = page(thread, args.limit, args.cursor, 1000)
    reactions = _reactions(call, channel)
    views = [message_view(message, reactions, replies if message is root else ()) for message in shown]
    return {"ok": True, "messages": views, "has_more": bool(cursor), **(paged(cursor) if cursor else {})}


def list_members(call: Call, args: MembersArgs) -> Any:
    """Retrieve members of a conversation."""
    channel = channel_of(call, args.channel)
    members = channel.members or ((acting_user(call).id, channel.user) if channel.user else ())
    shown, cursor = page(members, args.limit, args.cursor, 100)
    return {"ok": True, "members": list(shown), **paged(cursor)}


def open_im(call: Call, args: OpenArgs) -> Any:
    """Opens or resumes a direct message with one person."""
    if args.channel:
        channel = channel_of(call, args.channel)
        return {"ok": True, "no_op": True, "already_open": True, "channel": {"id": channel.id}}
    wanted = [part.strip() for part in (args.users or "").split(",") if part.strip()]
    if not wanted:
        refuse("users_list_not_supplied")
    if len(wanted) > 1:
        refuse("too_many_users")
    existed = call.tables.find(Channel, im_id(wanted[0])) is not None
    if args.prevent_creation and not existed:
        refuse("channel_not_found")
    channel = im_with(call, user_of(call, wanted[0]))
    view = channel_view(channel, acting_user(call)) if args.return_im else {"id": channel.id}
    return {"ok": True, **({"no_op": True, "already_open": True} if existed else {}), "channel": view}


def im_with(call: Call, user: User) -> Channel:
    """The direct message with this user, made when there is none."""
    if user.deleted:
        refuse("user_disabled")
    me = acting_user(call)
    for channel in call.tables.where(Channel, "user", user.id):
        if channel.is_im and may_see(channel, me):
            return channel
    return call.tables.put(
        Channel(id=im_id(user.id), name="", is_im=True, user=user.id, members=(me.id, user.id), created=_seconds(call))
    )


def create_channel(call: Call, args: CreateArgs) -> Any:
    """Initiates a public or private channel-based conversation."""
    me = acting_user(call)
    channel = Channel(
        id=call.tables.new_id(Channel),
        name=_new_name(call, args.name),
        is_private=args.is_private,
        members=(me.id,),
        creator=me.id,
        created=_seconds(call),
    )
    return {"ok": True, "channel": channel_view(call.tables.put(channel), me)}


def invite_members(call: Call, args: InviteArgs) -> Any:
    """Invites users to a channel."""
    channel = _open_channel(call, args.channel)
    me = acting_user(call)
    if me.id not in channel.members:
        refuse("not_in_channel")
    wanted = [part.strip() for part in args.users.split(",") if part.strip()] or refuse("no_user")
    for user in [user_of(call, user_id) for user_id in wanted]:
        if user.id == me.id:
            refuse("cant_invite_self")
        if user.id in channel.members:
            refuse("already_in_channel")
        if user.deleted:
            refuse("user_disabled")
    members = dict.fromkeys((*channel.members, *wanted))
    return {"ok": True, "channel": channel_view(call.tables.put(channel.change(members=tuple(members))), me)}


def kick_member(call: Call, args: KickArgs) -> Any:
    """Removes a user from a conversation."""
    channel = _open_channel(call, args.channel)
    me = acting_user(call)
    if args.user == me.id:
        refuse("cant_kick_self")
    if channel.name == "general":
        refuse("cant_kick_from_general")
    if user_of(call, args.user).id not in channel.members:
        refuse("not_in_channel")
    _without(call, channel, args.user)
    return {"ok": True}


def join_channel(call: Call, args: ChannelArgs) -> Any:
    """Joins an existing conversation."""
    channel = _open_channel(call, args.channel)
    me = acting_user(call)
    if channel.is_private:
        refuse("method_not_supported_for_channel_type")
    if me.id in channel.members:
        return {"ok": True, "channel": channel_view(channel, me), "warning": "already_in_channel"}
    joined = call.tables.put(channel.change(members=(*channel.members, me.id)))
    return {"ok": True, "channel": channel_view(joined, me)}


def leave_channel(call: Call, args: ChannelArgs) -> Any:
    """Leaves a conversation."""
    channel = _open_channel(call, args.channel)
    me = acting_user(call)
    if channel.name == "general":
        refuse("cant_leave_general")
    if me.id not in channel.members:
        return {"ok": False, "not_in_channel": True}
    _without(call, channel, me.id)
    return {"ok": True}


def archive_channel(call: Call, args: ChannelArgs) -> Any:
    """Archives a conversation."""
    channel = _not_im(channel_of(call, args.channel))
    if channel.is_archived:
        refuse("already_archived")
    if channel.name == "general":
        refuse("cant_archive_general")
    call.tables.put(channel.change(is_archived=True))
    return {"ok": True}


def unarchive_channel(call: Call, args: ChannelArgs) -> Any:
    """Reverses conversation archival."""
    channel = _not_im(channel_of(call, args.channel))
    if not channel.is_archived:
        refuse("not_archived")
    call.tables.put(channel.change(is_archived=False))
    return {"ok": True}


def rename_channel(call: Call, args: RenameArgs) -> Any:
    """Renames a conversation."""
    channel = _open_channel(call, args.channel)
    renamed = call.tables.put(channel.change(name=_new_name(call, args.name)))
    return {"ok": True, "channel": channel_view(renamed, acting_user(call))}


def set_topic(call: Call, args: TopicArgs) -> Any:
    """Sets the topic for a conversation."""
    channel = _open_channel(call, args.channel)
    if len(args.topic) > _MAX_TOPIC:
        refuse("too_long")
    changed = call.tables.put(channel.change(topic=args.topic))
    return {"ok": True, "channel": channel_view(changed, acting_user(call))}


def set_purpose(call: Call, args: PurposeArgs) -> Any:
    """Sets the channel description."""
    channel = _open_channel(call, args.channel)
    if len(args.purpose) > _MAX_TOPIC:
        refuse("too_long")
    changed = call.tables.put(channel.change(purpose=args.purpose))
    return {"ok": True, "purpose": changed.purpose, "channel": channel_view(changed, acting_user(call))}


def _kind(channel: Channel) -> str:
    return "im" if channel.is_im else "private_channel" if channel.is_private else "public_channel"


def _between(messages: list[Message], args: HistoryArgs) -> list[Message]:
    oldest, latest = bound_ts(args.oldest, "invalid_ts_oldest"), bound_ts(args.latest, "invalid_ts_latest")
    if oldest is None and latest is None:
        return messages
    return [
        message
        for message in messages
        if (oldest is None or message.ts > oldest or (args.inclusive and message.ts == oldest))
        and (latest is None or message.ts < latest or (args.inclusive and message.ts == latest))
    ]


def _reactions(call: Call, channel: Channel) -> dict[str, list[Reaction]]:
    found: dict[str, list[Reaction]] = defaultdict(list)
    for reaction in call.tables.where(Reaction, "channel", channel.id):
        found[reaction.ts].append(reaction)
    return found


def _seconds(call: Call) -> int:
    return int(call.now.timestamp())


def _not_im(channel: Channel) -> Channel:
    return refuse("method_not_supported_for_channel_type") if channel.is_im else channel


def _open_channel(call: Call, channel_id: str) -> Channel:
    channel = _not_im(channel_of(call, channel_id))
    return refuse("is_archived") if channel.is_archived else channel


def _without(call: Call, channel: Channel, user_id: str) -> None:
    call.tables.put(channel.change(members=tuple(member for member in channel.members if member != user_id)))


def _new_name(call: Call, given: str) -> str:
    name = given.removeprefix("#")
    if not name:
        refuse("invalid_name_required")
    if len(name) > _MAX_NAME:
        refuse("invalid_name_maxlength")
    if not re.fullmatch(r"[\w-]+", name) or name != name.lower():
        refuse("invalid_name_specials")
    if call.tables.where(Channel, "name", name):
        refuse("name_taken")
    return name


ROUTES = (
    method("list_channels", "conversations.list", "read", ListArgs, list_channels, "find channel by name"),
    method("get_channel", "conversations.info", "read", InfoArgs, get_channel, "topic purpose"),
    method("read_history", "conversations.history", "read", HistoryArgs, read_history, "read channel messages"),
    method("read_replies", "conversations.replies", "read", RepliesArgs, read_replies, "read thread"),
    method("list_members", "conversations.members", "read", MembersArgs, list_members),
    method("open_conversation", "conversations.open", "write", OpenArgs, open_im, "dm direct message"),
    method("create_channel", "conversations.create", "write", CreateArgs, create_channel),
    method("invite_members", "conversations.invite", "write", InviteArgs, invite_members, "add people to channel"),
    method("kick_member", "conversations.kick", "write", KickArgs, kick_member, "remove person from channel"),
    method("join_channel", "conversations.join", "write", ChannelArgs, join_channel),
    method("leave_channel", "conversations.leave", "write", ChannelArgs, leave_channel),
    method("archive_channel", "conversations.archive", "write", ChannelArgs, archive_channel),
    method("unarchive_channel", "conversations.unarchive", "write", ChannelArgs, unarchive_channel),
    method("rename_channel", "conversations.rename", "write", RenameArgs, rename_channel),
    method("set_topic", "conversations.setTopic", "write", TopicArgs, set_topic),
    method("set_purpose", "conversations.setPurpose", "write", PurposeArgs, set_purpose, "description"),
)
