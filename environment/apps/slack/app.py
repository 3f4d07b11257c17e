"""Slack as a simulated application.

After the Web API reference at docs.slack.dev/reference/methods: names of methods, arguments, answers and
error codes; every answer has HTTP status 200. The agent acts as the user with the actor's e-mail, else as the
workspace's first bot; public channels can be read and posted to without joining, as a user token allows. Kept simple:
a message laid out in blocks is stored as the text that people read of them; search sorts by time and matches whole
words (`word*` for beginnings). Left out: group direct messages, ephemeral and scheduled messages, attachments, file
uploads, bookmarks, reminders, user groups, stars, presence, views, Enterprise Grid, rate limits.
"""

from __future__ import annotations

from typing import Any

from environment.apps.kit import App, AppError
from environment.apps.slack import chat, conversations, people
from environment.apps.slack.actions import ACTIONS
from environment.apps.slack.guide import GUIDE
from environment.apps.slack.rows import Channel, File, Message, Reaction, User, channel_id, file_id, user_id


def _error_body(error: AppError) -> Any:
    if error.code in ("NOT_FOUND", "METHOD_NOT_ALLOWED"):
        return {"ok": False, "error": "unknown_method"}
    if error.code and error.code.islower():
        return {"ok": False, "error": error.code}
    messages = {"messages": [f"[ERROR] {error.message}"]}
    return {"ok": False, "error": "invalid_arguments", "response_metadata": messages}


APP = App(
    name="slack",
    title="Slack",
    host="slack.com",
    hosts_also=("www.slack.com", "api.slack.com", "slack.googleapis.com"),
    base_path="/api",
    rows=(User, Channel, Message, Reaction, File),
    ids={User: user_id, Channel: channel_id, File: file_id},
    routes=(*chat.ROUTES, *conversations.ROUTES, *people.ROUTES),
    error_body=_error_body,
    error_status=200,
    derived={Message: frozenset({"edited"})},
    actions=ACTIONS,
    guide=GUIDE,
)
