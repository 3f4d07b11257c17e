"""The guide to Slack's Web API."""

from __future__ import annotations

from environment.apps.guide import Guide, Hint

_OK = "{ok}; {ok: false, error} when refused"
_MESSAGES = "{ok, messages: [{user, text, ts, thread_ts, reply_count, reactions}], has_more}"
_CHANNEL = "{ok, channel: {id, name, topic, purpose, is_member, is_archived, num_members}}"
_USER = "{ok, user: {id, name, real_name, profile: {email, title}}}"
_ITEM = {"channel": "<channel id>", "timestamp": "<message ts>"}
_PINNED = {"channel": "<channel id>", "timestamp": "<pinned message ts>"}

GUIDE = Guide(
    words="chat messenger team",
    glossary={
        "channel": "room group conversation",
        "conversation": "private direct chat",
        "user": "person colleague people",
        "member": "person colleague people who",
        "replies": "thread conversation",
        "history": "messages said conversation posts",
        "reaction": "emoji thumbs",
        "pin": "keep message",
        "auth": "me myself",
    },
    paging={
        "cursor": "response_metadata.next_cursor of the answer is cursor of the next call; empty on the last page",
        "page": "page counts from 1; messages.paging.pages of the answer says how many there are",
    },
    hints={
        "post_message": Hint(
            "{ok, channel, ts, message: {user, text}}; ts is the id of the message in its channel",
            body={"channel": "<channel id>", "text": "The order <https://shop.example/42|42> has been sent."},
        ),
        "update_message": Hint(
            "{ok, channel, ts, text}", body={"channel": "<channel id>", "ts": "<own message ts>", "text": "Corrected"}
        ),
        "delete_message": Hint("{ok, channel, ts}", body={"channel": "<channel id>", "ts": "<own message ts>"}),
        "add_reaction": Hint(_OK, body={**_ITEM, "name": "thumbsup"}),
        "remove_reaction": Hint(_OK, body={**_ITEM, "name": "thumbsup"}),
        "get_reactions": Hint("{ok, message: {text, ts, reactions: [{name, users, count}]}}", _ITEM),
        "add_pin": Hint(_OK, body=_ITEM),
        "remove_pin": Hint(_OK, body=_PINNED),
        "list_pins": Hint("{ok, items: [{message: {text, ts, user}}]}", {"channel": "<channel id>"}),
        "search_messages": Hint(
            "{ok, messages: {total, paging, matches: [{channel: {id, name}, user, text, ts}]}}",
            {"query": "bill in:#ap-run after:2026-02-28", "sort": "timestamp", "count": 20},
        ),
        "list_channels": Hint(
            "{ok, channels: [{id, name, topic, purpose, is_member}], response_metadata: {next_cursor}}",
            {"exclude_archived": True, "limit": 200},
        ),
        "get_channel": Hint(_CHANNEL, {"channel": "<channel id>"}),
        "read_history": Hint(_MESSAGES, {"channel": "<channel id>", "oldest": "1772000000", "limit": 50}),
        "read_replies": Hint(_MESSAGES, {"channel": "<channel id>", "ts": "<message ts>"}),
        "list_members": Hint("{ok, members: [<user id>]}", {"channel": "<channel id>"}),
        "open_conversation": Hint(
            "{ok, channel: {id}}; post to that id, or straight to the user's id", body={"users": "<user id>"}
        ),
        "create_channel": Hint(_CHANNEL, body={"name": "spring-launch", "is_private": False}),
        "invite_members": Hint(_CHANNEL, body={"channel": "<channel id>", "users": "<newcomer id>"}),
        "kick_member": Hint(_OK, body={"channel": "<channel id>", "user": "<colleague id>"}),
        "join_channel": Hint(_CHANNEL, body={"channel": "<channel id>"}),
        "leave_channel": Hint(_OK, body={"channel": "<channel id>"}),
        "archive_channel": Hint(_OK, body={"channel": "<channel id>"}),
        "unarchive_channel": Hint(_OK, body={"channel": "<archived channel id>"}),
        "rename_channel": Hint(_CHANNEL, body={"channel": "<channel id>", "name": "spring-launch"}),
        "set_topic": Hint(_CHANNEL, body={"channel": "<channel id>", "topic": "Launch on 9 March"}),
        "set_purpose": Hint("{ok, purpose}", body={"channel": "<channel id>", "purpose": "All about the launch"}),
        "test_auth": Hint("{ok, user, user_id, team, team_id}"),
        "list_users": Hint(
            "{ok, members: [{id, name, real_name, deleted, profile: {email, title}}], response_metadata}",
            {"limit": 200},
        ),
        "get_user": Hint(_USER, {"user": "<user id>"}),
        "find_user_by_email": Hint(_USER, {"email": "<user email>"}),
        "list_files": Hint("{ok, files: [{id, name, title, channels}], paging}", {"channel": "<channel id>"}),
        "get_file": Hint("{ok, file: {id, name, title, channels}}", {"file": "<file id>"}),
    },
)
