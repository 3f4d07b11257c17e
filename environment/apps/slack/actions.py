"""Slack's operations as named tools; channels are given as #name, name or id."""

from __future__ import annotations

import html
import re
from typing import Any

from pydantic import Field

from environment.apps.kit import Action, AppError, Args, Fetch
from environment.apps.slack.text import readable

_ID = re.compile(r"[CDGU]\d{4,}")
_EVERY_CHANNEL = {"types": "public_channel,private_channel", "limit": 1000}
_READ_LIMIT, _FIND_LIMIT = 20, 20


class NoArgs(Args):
    pass


class ReadArgs(Args):
    channel: str = Field(description="Channel name or id")
    limit: int | None = Field(None, description="Number of messages")


class ThreadArgs(Args):
    channel: str = Field(description="Channel name or id")
    ts: str = Field(coerce_numbers_to_str=True, description="ts of first message")


class PostArgs(Args):
    channel: str = Field(description="Channel name or id")
    text: str = Field(description="Message text")
    thread_ts: str | None = Field(None, coerce_numbers_to_str=True, description="ts of message answered")


class SearchArgs(Args):
    query: str = Field(description="Words, in:#channel, from:@user")


class FindUserArgs(Args):
    name: str | None = Field(None, description="Part of the name")
    email: str | None = Field(None, description="E-mail address")


class DirectArgs(Args):
    user_id: str = Field(description="Id of the user")
    text: str = Field(description="Message text")


class ReactArgs(Args):
    channel: str = Field(description="Channel name or id")
    ts: str = Field(coerce_numbers_to_str=True, description="ts of the message")
    name: str = Field(description="Emoji name")


class MessageArgs(Args):
    channel: str = Field(description="Channel name or id")
    ts: str = Field(coerce_numbers_to_str=True, description="ts of the message")


class UpdateArgs(MessageArgs):
    text: str = Field(description="New text")


class CreateArgs(Args):
    name: str = Field(description="Channel name")
    is_private: bool | None = Field(None, description="True if private")


class InviteArgs(Args):
    channel: str = Field(description="Channel name or id")
    user_id: str = Field(description="Id of the user")


class ChannelArgs(Args):
    channel: str = Field(description="Channel name or id")


class TopicArgs(Args):
    channel: str = Field(description="Channel name or id")
    topic: str = Field(description="New topic")


def _list_channels(fetch: Fetch, args: NoArgs) -> Any:
    return [_channel(channel) for channel in fetch("GET", "/conversations.list", _EVERY_CHANNEL)["channels"]]


def _read_channel(fetch: Fetch, args: ReadArgs) -> Any:
    channel = _resolve(fetch, args.channel)
    read = fetch("GET", "/conversations.history", {"channel": channel, "limit": args.limit or _READ_LIMIT})
    messages = read["messages"]
    if read["pin_count"] > sum("pinned_to" in message for message in messages):
        oldest = messages[-1]["ts"]
        pins = [pin["message"] for pin in fetch("GET", "/pins.list", {"channel": channel})["items"]]
        messages += [pin for pin in pins if pin["ts"] < oldest]
    return _messages(fetch, messages)


def _read_thread(fetch: Fetch, args: ThreadArgs) -> Any:
    params = {"channel": _resolve(fetch, args.channel), "ts": args.ts}
    return _messages(fetch, fetch("GET", "/conversations.replies", params)["messages"])


def _post_message(fetch: Fetch, args: PostArgs) -> Any:
    body = {"channel": args.channel, "text": args.text}
    if args.thread_ts:
        body["thread_ts"] = args.thread_ts
    return _posted(fetch("POST", "/chat.postMessage", None, body))


def _search_messages(fetch: Fetch, args: SearchArgs) -> Any:
    found = fetch("GET", "/search.messages", {"query": args.query, "count": _FIND_LIMIT})["messages"]["matches"]
    users = _user_names(fetch)
    return [
        {
            "channel": match["channel"]["id" if match["channel"]["is_im"] else "name"],
            "ts": match["ts"],
            "user": users.get(match["user"], match["user"]),
            "text": _plain(match["text"], users),
        }
        for match in found
    ]


def _find_user(fetch: Fetch, args: FindUserArgs) -> Any:
    if args.email:
        found = [fetch("GET", "/users.lookupByEmail", {"email": args.email})["user"]]
    else:
        found = fetch("GET", "/users.list")["members"]
    wanted = (args.name or "").strip().lstrip("@").lower()
    named = [user for user in found if wanted in user["real_name"].lower() or wanted in user["name"].lower()]
    return [_user(user) for user in named[:_FIND_LIMIT]]


def _send_direct_message(fetch: Fetch, args: DirectArgs) -> Any:
    channel = fetch("POST", "/conversations.open", None, {"users": args.user_id})["channel"]["id"]
    return _posted(fetch("POST", "/chat.postMessage", None, {"channel": channel, "text": args.text}))


def _add_reaction(fetch: Fetch, args: ReactArgs) -> Any:
    body = {"channel": _resolve(fetch, args.channel), "timestamp": args.ts, "name": args.name.strip(":")}
    fetch("POST", "/reactions.add", None, body)
    return {"ts": args.ts, "name": body["name"]}


def _pin_message(fetch: Fetch, args: MessageArgs) -> Any:
    fetch("POST", "/pins.add", None, {"channel": _resolve(fetch, args.channel), "timestamp": args.ts})
    return {"ts": args.ts, "pinned": True}


def _update_message(fetch: Fetch, args: UpdateArgs) -> Any:
    body = {"channel": _resolve(fetch, args.channel), "ts": args.ts, "text": args.text}
    return _posted(fetch("POST", "/chat.update", None, body))


def _delete_message(fetch: Fetch, args: MessageArgs) -> Any:
    body = {"channel": _resolve(fetch, args.channel), "ts": args.ts}
    return {**_posted(fetch("POST", "/chat.delete", None, body)), "deleted": True}


def _create_channel(fetch: Fetch, args: CreateArgs) -> Any:
    body = {"name": args.name.strip().lstrip("#"), "is_private": bool(args.is_private)}
    return _channel(fetch("POST", "/conversations.create", None, body)["channel"])


def _invite_to_channel(fetch: Fetch, args: InviteArgs) -> Any:
    channel = _resolve(fetch, args.channel)
    fetch("POST", "/conversations.invite", None, {"channel": channel, "users": args.user_id})
    return {"channel": channel, "user_id": args.user_id}


def _archive_channel(fetch: Fetch, args: ChannelArgs) -> Any:
    channel = _resolve(fetch, args.channel)
    fetch("POST", "/conversations.archive", None, {"channel": channel})
    return {"channel": channel, "archived": True}


def _set_channel_topic(fetch: Fetch, args: TopicArgs) -> Any:
    channel = _resolve(fetch, args.channel)
    fetch("POST", "/conversations.setTopic", None, {"channel": channel, "topic": args.topic})
    return {"channel": channel, "topic": args.topic}


def _resolve(fetch: Fetch, channel: str) -> str:
    """Id of the channel with this name; what already looks like an id stays."""
    if _ID.fullmatch(channel):
        return channel
    wanted = channel.strip().lstrip("#").lower()
    for found in fetch("GET", "/conversations.list", _EVERY_CHANNEL)["channels"]:
        if found["name"] == wanted:
            return found["id"]
    raise AppError(200, "channel_not_found")


def _user_names(fetch: Fetch) -> dict[str, str]:
    return {user["id"]: user["real_name"] for user in fetch("GET", "/users.list")["members"]}


def _messages(fetch: Fetch, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    users = _user_names(fetch)
    return [_message(message, users) for message in messages]


def _message(message: dict[str, Any], users: dict[str, str]) -> dict[str, Any]:
    shown: dict[str, Any] = {"ts": message["ts"], "user": users.get(message["user"], message["user"])}
    if "pinned_to" in message:
        shown["pinned"] = True
    if "reply_count" in message:
        shown["replies"] = message["reply_count"]
    shown["text"] = _plain(message["text"], users)
    return shown


def _plain(text: str, users: dict[str, str]) -> str:
    return html.unescape(readable(text, users, {})) if "<" in text or "&" in text else text


def _posted(answer: dict[str, Any]) -> dict[str, Any]:
    return {"channel": answer["channel"], "ts": answer["ts"]}


def _channel(channel: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": channel["id"], "name": channel["name"]}
    if channel["topic"]["value"]:
        shown["topic"] = html.unescape(channel["topic"]["value"])
    if channel["is_private"]:
        shown["private"] = True
    if channel["is_archived"]:
        shown["archived"] = True
    return shown


def _user(user: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": user["id"], "name": user["real_name"]}
    if "email" in user["profile"]:
        shown["email"] = user["profile"]["email"]
    if user["deleted"]:
        shown["deactivated"] = True
    return shown


ACTIONS = (
    Action("slack_list_channels", "read", "List channels.", NoArgs, _list_channels),
    Action("slack_read_channel", "read", "Read newest and pinned messages.", ReadArgs, _read_channel),
    Action("slack_read_thread", "read", "Read a thread's messages.", ThreadArgs, _read_thread),
    Action("slack_post_message", "write", "Post a message in a channel.", PostArgs, _post_message),
    Action("slack_search_messages", "read", "Search messages.", SearchArgs, _search_messages),
    Action("slack_find_user", "read", "Find users by name or e-mail.", FindUserArgs, _find_user),
    Action("slack_send_direct_message", "write", "Send a direct message.", DirectArgs, _send_direct_message),
    Action("slack_add_reaction", "write", "Add an emoji to a message.", ReactArgs, _add_reaction),
    Action("slack_pin_message", "write", "Pin a message.", MessageArgs, _pin_message),
    Action("slack_update_message", "write", "Change your message.", UpdateArgs, _update_message),
    Action("slack_delete_message", "write", "Delete your message.", MessageArgs, _delete_message),
    Action("slack_create_channel", "write", "Create a channel.", CreateArgs, _create_channel),
    Action("slack_invite_to_channel", "write", "Add a user to a channel.", InviteArgs, _invite_to_channel),
    Action("slack_archive_channel", "write", "Archive a channel.", ChannelArgs, _archive_channel),
    Action("slack_set_channel_topic", "write", "Set a channel's topic.", TopicArgs, _set_channel_topic),
)
