"""The methods about single messages: chat.*, reactions.*, pins.* and search.messages."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from operator import attrgetter
from typing import Any, Literal

from pydantic import Field

from environment.apps.kit import Args, Call, parse_json
from environment.apps.slack.conversations import im_with
from environment.apps.slack.method import method
from environment.apps.slack.query import Names, compile_query
from environment.apps.slack.rows import Channel, Message, Reaction, User, message_id, message_ts, reaction_id
from environment.apps.slack.text import blocks_text, readable, stored, wire
from environment.apps.slack.views import message_view, reactions_view
from environment.apps.slack.workspace import (
    TEAM_ID,
    acting_user,
    bound_ts,
    channel_named,
    channel_of,
    may_see,
    message_of,
    refuse,
)

_MAX_TEXT = 40_000
_REACTION = re.compile(r"[\w+'-]{1,100}(::skin-tone-[2-6])?")


class PostArgs(Args):
    channel: str = Field(description="Channel ID, #name or name; a user ID posts a direct message")
    text: str | None = Field(None, description="Text of the message; required without blocks")
    thread_ts: str | None = Field(None, coerce_numbers_to_str=True, description="ts of the message to reply to")
    blocks: Any = Field(None, description="JSON array of blocks, read instead of the text")
    reply_broadcast: bool = Field(False, description="Ignored here")
    mrkdwn: bool = Field(True, description="Ignored here")
    unfurl_links: bool = Field(False, description="Ignored here")
    unfurl_media: bool = Field(False, description="Ignored here")
    link_names: bool = Field(False, description="Ignored here")
    as_user: bool = Field(False, description="Ignored here; messages come from the acting user")


class UpdateArgs(Args):
    channel: str = Field(description="ID of the channel with the message")
    ts: str = Field(coerce_numbers_to_str=True, description="ts of the message to change")
    text: str | None = Field(None, description="New text; required without blocks")
    blocks: Any = Field(None, description="JSON array of blocks, read instead of the text")
    as_user: bool = Field(False, description="Ignored here")


class DeleteArgs(Args):
    channel: str = Field(description="ID of the channel with the message")
    ts: str = Field(coerce_numbers_to_str=True, description="ts of the message to delete")
    as_user: bool = Field(False, description="Ignored here")


class ReactionArgs(Args):
    channel: str = Field(description="ID of the channel with the message")
    timestamp: str = Field(coerce_numbers_to_str=True, description="ts of the message")
    name: str = Field(description="Name of the emoji, without colons")


class ReactionsArgs(Args):
    channel: str = Field(description="ID of the channel with the message")
    timestamp: str = Field(coerce_numbers_to_str=True, description="ts of the message")
    full: bool = Field(True, description="Ignored here; all reactions are always listed")


class PinArgs(Args):
    channel: str = Field(description="ID of the channel with the message")
    timestamp: str = Field(coerce_numbers_to_str=True, description="ts of the message")


class PinsArgs(Args):
    channel: str = Field(description="ID of the channel")


class SearchArgs(Args):
    query: str = Field(description='Words, "quoted words", in:#channel, from:@user, before:, after:, on:, has:pin')
    count: int = Field(20, description="Matches a page, at most 100")
    page: int = Field(1, description="Number of the page")
    sort: Literal["score", "timestamp"] = Field("score", description="Order; both are by time here")
    sort_dir: Literal["asc", "desc"] = Field("desc", description="Newest first (desc) or oldest first (asc)")
    highlight: bool = Field(False, description="Ignored here")


def post_message(call: Call, args: PostArgs) -> Any:
    """Sends a message to a channel, a thread or a person."""
    channel = _not_archived(_target(call, args.channel))
    text = _text(args.text, args.blocks)
    thread = _thread(call, channel, args.thread_ts) if args.thread_ts else None
    ts = _new_ts(call, channel)
    message = Message(
        id=message_id(channel.id, ts),
        channel=channel.id,
        ts=ts,
        user=acting_user(call).id,
        text=text,
        thread_ts=thread,
    )
    call.tables.send(message)
    return {"ok": True, "channel": channel.id, "ts": ts, "message": message_view(message, {})}


def update_message(call: Call, args: UpdateArgs) -> Any:
    """Updates a message of the acting user."""
    channel = channel_of(call, args.channel)
    message = message_of(call, channel, args.ts)
    if message.user != acting_user(call).id:
        refuse("cant_update_message")
    text = _text(args.text, args.blocks)
    edited = f"{int(call.now.timestamp()):010d}.000000"
    changed = call.tables.send(message.change(text=text, edited=edited))
    return {
        "ok": True,
        "channel": channel.id,
        "ts": message.ts,
        "text": wire(text),
        "message": message_view(changed, {}),
    }


def delete_message(call: Call, args: DeleteArgs) -> Any:
    """Deletes a message of the acting user."""
    channel = channel_of(call, args.channel)
    message = message_of(call, channel, args.ts)
    if message.user != acting_user(call).id:
        refuse("cant_delete_message")
    call.tables.delete(message)
    for reaction in call.tables.where(Reaction, "channel", channel.id):
        if reaction.ts == message.ts:
            call.tables.delete(reaction)
    return {"ok": True, "channel": channel.id, "ts": message.ts}


def add_reaction(call: Call, args: ReactionArgs) -> Any:
    """Adds a reaction to an item."""
    reaction = _reaction(call, args)
    if call.tables.find(Reaction, reaction.id):
        refuse("already_reacted")
    call.tables.put(reaction)
    return {"ok": True}


def remove_reaction(call: Call, args: ReactionArgs) -> Any:
    """Removes a reaction from an item."""
    reaction = _reaction(call, args)
    if call.tables.find(Reaction, reaction.id) is None:
        refuse("no_reaction")
    call.tables.delete(reaction)
    return {"ok": True}


def get_reactions(call: Call, args: ReactionsArgs) -> Any:
    """Gets reactions for an item."""
    channel = channel_of(call, args.channel)
    message = message_of(call, channel, args.timestamp)
    found = [r for r in call.tables.where(Reaction, "channel", channel.id) if r.ts == message.ts]
    view = {**message_view(message, {}), "reactions": reactions_view(found)}
    return {"ok": True, "type": "message", "channel": channel.id, "message": view}


def add_pin(call: Call, args: PinArgs) -> Any:
    """Pins an item to a channel."""
    channel = _not_archived(channel_of(call, args.channel))
    message = message_of(call, channel, args.timestamp)
    if message.pinned:
        refuse("already_pinned")
    call.tables.put(message.change(pinned=True))
    return {"ok": True}


def remove_pin(call: Call, args: PinArgs) -> Any:
    """Un-pins an item from a channel."""
    channel = _not_archived(channel_of(call, args.channel))
    message = message_of(call, channel, args.timestamp)
    if not message.pinned:
        refuse("no_pin")
    call.tables.put(message.change(pinned=False))
    return {"ok": True}


def list_pins(call: Call, args: PinsArgs) -> Any:
    """Lists items pinned to a channel."""
    channel = channel_of(call, args.channel)
    pinned = [message for message in call.tables.where(Message, "channel", channel.id) if message.pinned]
    newest_first = sorted(pinned, key=lambda message: message.ts, reverse=True)
    items = [
        {
            "type": "message",
            "channel": channel.id,
            "created": int(message.ts[:10]),
            "created_by": message.user,
            "message": message_view(message, {}),
        }
        for message in newest_first
    ]
    return {"ok": True, "items": items}


def search_messages(call: Call, args: SearchArgs) -> Any:
    """Searches for messages matching a query."""
    if not args.query.strip():
        refuse("no_query")
    users = {user.id: user for user in call.tables.all(User)}
    me = acting_user(call)
    channels = {channel.id: channel for channel in call.tables.all(Channel) if may_see(channel, me)}
    found = [message for message in call.tables.all(Message) if message.channel in channels]
    for passing in compile_query(args.query, _names(call, users, channels, me)):
        found = passing(found)
    found.sort(key=attrgetter("ts"), reverse=args.sort_dir == "desc")
    size, number = min(max(args.count, 1), 100), min(max(args.page, 1), 1_000_000)
    pages = max(1, -(-len(found) // size))
    shown = found[(number - 1) * size : number * size]
    first = (number - 1) * size + 1
    return {
        "ok": True,
        "query": args.query,
        "messages": {
            "total": len(found),
            "pagination": {
                "total_count": len(found),
                "page": number,
                "per_page": size,
                "page_count": pages,
                "first": first,
                "last": first + len(shown) - 1,
            },
            "paging": {"count": size, "total": len(found), "page": number, "pages": pages},
            "matches": [_match(message, channels[message.channel], users) for message in shown],
        },
    }


def _target(call: Call, given: str) -> Channel:
    """The conversation to post to: by id, by name, or the direct message with a user."""
    channel = call.tables.find(Channel, given)
    if channel is not None:
        return channel_of(call, given)
    user = call.tables.find(User, given)
    if user is not None:
        return im_with(call, user)
    return channel_named(call, given) or refuse("channel_not_found")


def _not_archived(channel: Channel) -> Channel:
    return refuse("is_archived") if channel.is_archived else channel


def _text(text: str | None, blocks: Any) -> str:
    laid_out = blocks_text(parse_json(blocks, "blocks")) if blocks else ""
    found = stored(laid_out or text or "")
    if not found.strip():
        refuse("no_text")
    if len(found) > _MAX_TEXT:
        refuse("msg_too_long")
    return found


def _new_ts(call: Call, channel: Channel) -> str:
    second = int(call.now.timestamp())
    key = call.tables.new_id(Message, lambda count: message_id(channel.id, message_ts(second, count)))
    return key.rpartition("/")[2]


def _thread(call: Call, channel: Channel, given: str) -> str:
    ts = bound_ts(given, "invalid_thread_ts") or refuse("invalid_thread_ts")
    replied_to = message_of(call, channel, ts, "thread_not_found")
    return replied_to.thread_ts or replied_to.ts


def _reaction(call: Call, args: ReactionArgs) -> Reaction:
    name = args.name.strip(":")
    channel = _not_archived(channel_of(call, args.channel))
    if bound_ts(args.timestamp, "bad_timestamp") is None:
        refuse("no_item_specified")
    message = message_of(call, channel, args.timestamp)
    if not _REACTION.fullmatch(name):
        refuse("invalid_name")
    me = acting_user(call).id
    return Reaction(
        id=reaction_id(channel.id, message.ts, name, me), channel=channel.id, ts=message.ts, name=name, user=me
    )


def _names(call: Call, users: dict[str, User], channels: dict[str, Channel], me: User) -> Names:
    handles = {user.name.lower(): user.id for user in users.values()}
    named = {channel.name.lower(): channel.id for channel in channels.values() if channel.name}
    shown_users = {user.id: user.name for user in users.values()}
    shown_channels = {channel.id: channel.name for channel in channels.values()}

    @cache
    def reactions() -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for reaction in call.tables.all(Reaction):
            found[message_id(reaction.channel, reaction.ts)].add(reaction.name)
        return found

    def user_named(value: str) -> str | None:
        bare = value.strip("<>@").partition("|")[0]
        return bare if bare in users else handles.get(bare.lower())

    def channel_at(value: str) -> str | None:
        bare = value.strip("<>#").partition("|")[0]
        if bare.startswith("@"):
            user = user_named(bare)
            return next((c.id for c in channels.values() if c.is_im and c.user == user), None) if user else None
        return bare if bare in channels else named.get(bare.lower())

    return Names(
        me=me.id,
        user_named=user_named,
        channel_named=channel_at,
        readable=cache(lambda text: readable(text, shown_users, shown_channels)),
        reacted=lambda message, name: name in reactions().get(message.id, ()) if name else message.id in reactions(),
    )


def _match(message: Message, channel: Channel, users: dict[str, User]) -> dict[str, Any]:
    author = users.get(message.user)
    where = {"id": channel.id, "name": channel.name or channel.user, "is_private": channel.is_private or channel.is_im}
    return {
        "iid": message.id,
        "team": TEAM_ID,
        "channel": {**where, "is_im": channel.is_im, "is_mpim": False},
        "type": "message",
        "user": message.user,
        "username": author.name if author else "",
        "ts": message.ts,
        "text": wire(message.text),
        "permalink": _permalink(message),
    }


def _permalink(message: Message) -> str:
    address = f"https://acme.slack.com/archives/{message.channel}/p{message.ts.replace('.', '')}"
    return f"{address}?thread_ts={message.thread_ts}" if message.thread_ts else address


ROUTES = (
    method("post_message", "chat.postMessage", "write", PostArgs, post_message, "send post reply thread announce"),
    method("update_message", "chat.update", "write", UpdateArgs, update_message, "edit message"),
    method("delete_message", "chat.delete", "write", DeleteArgs, delete_message, "remove message"),
    method("add_reaction", "reactions.add", "write", ReactionArgs, add_reaction, "emoji"),
    method("remove_reaction", "reactions.remove", "write", ReactionArgs, remove_reaction, "emoji"),
    method("get_reactions", "reactions.get", "read", ReactionsArgs, get_reactions, "emoji"),
    method("add_pin", "pins.add", "write", PinArgs, add_pin, "pin message"),
    method("remove_pin", "pins.remove", "write", PinArgs, remove_pin, "unpin message"),
    method("list_pins", "pins.list", "read", PinsArgs, list_pins, "pinned messages"),
    method("search_messages", "search.messages", "read", SearchArgs, search_messages, "find text"),
)
