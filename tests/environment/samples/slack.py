"""Slack in the sample world."""

from __future__ import annotations

from typing import Any

from environment.apps.slack import rows as slack

_PEOPLE = (("pat.moss", "Pat Moss", "pat@tarnwick.example"), ("ann.lee", "Ann Lee", "ann@tarnwick.example"))
_CHANNEL = slack.channel_id(1)
_POSTS = (slack.message_ts(1772611200, 1), slack.message_ts(1772611300, 2))

ROWS: dict[str, tuple[dict[str, Any], ...]] = {
    "User": tuple(
        {"id": slack.user_id(number), "name": name, "real_name": real, "email": email}
        for number, (name, real, email) in enumerate(_PEOPLE, 1)
    ),
    "Channel": (
        {"id": _CHANNEL, "name": "ap-run", "members": [slack.user_id(1), slack.user_id(2)]},
        {"id": slack.channel_id(2), "name": "old", "is_archived": True},
    ),
    "Message": tuple(
        {
            "id": slack.message_id(_CHANNEL, ts),
            "channel": _CHANNEL,
            "ts": ts,
            "user": slack.user_id(number),
            "text": "Post the rest of each bill",
            "pinned": number == 1,
        }
        for number, ts in enumerate(_POSTS, 1)
    ),
    "Reaction": (
        {
            "id": slack.reaction_id(_CHANNEL, _POSTS[0], "eyes", slack.user_id(2)),
            "channel": _CHANNEL,
            "ts": _POSTS[0],
            "name": "eyes",
            "user": slack.user_id(2),
        },
    ),
    "File": ({"id": slack.file_id(1), "name": "bills.txt", "channels": [_CHANNEL]},),
}

_USERS = [slack.user_id(1), slack.user_id(2)]
_BLOCKS = [
    {"type": "section", "text": {"type": "mrkdwn", "text": "*Paid* <https://x.example|note>"}},
    {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "Paid"}]}]},
]

MEANT: dict[str, list[Any]] = {
    "channel": [_CHANNEL, "#ap-run", "ap-run", slack.channel_id(2), slack.im_id(_USERS[1])],
    "ts": [*_POSTS],
    "timestamp": [*_POSTS],
    "thread_ts": [*_POSTS],
    "user": _USERS,
    "user_id": _USERS,
    "users": [*_USERS, ",".join(_USERS)],
    "file": [slack.file_id(1)],
    "email": ["ann@tarnwick.example"],
    "name": ["eyes", "white_check_mark", "new-channel", "Ann"],
    "query": ["bill", "in:#ap-run from:@ann.lee"],
    "blocks": [_BLOCKS],
}

FILLED = {
    "channel id": _CHANNEL,
    "archived channel id": slack.channel_id(2),
    "user id": slack.user_id(2),
    "colleague id": slack.user_id(2),
    "user email": "ann@tarnwick.example",
    "message ts": _POSTS[1],
    "own message ts": _POSTS[0],
    "pinned message ts": _POSTS[0],
    "newcomer id": slack.user_id(2),
    "file id": slack.file_id(1),
}
"""What stands in an example's `<...>` -> a value of this world."""
