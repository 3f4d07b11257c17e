"""Gmail API v1: messages, threads, drafts and labels of one mailbox.

Source: developers.google.com/workspace/gmail/api/reference/rest (v1, pages of July 2025) and the guides "Manage
threads", "Sending email", "Manage labels", "Create and send drafts". Left out: history, watch, settings, import and
insert, attachments' content (names only), label colours, uploads, HTTP batches, other people's mailboxes.
"""

from __future__ import annotations

from typing import Any

from environment.apps.gmail import actions, drafts, labels, messages, threads
from environment.apps.gmail.guide import GUIDE
from environment.apps.gmail.rows import Draft, Label, Message, draft_id, label_id, message_id
from environment.apps.kit import App, AppError

__all__ = ["APP", "Draft", "Label", "Message", "draft_id", "label_id", "message_id"]

_MADE_BY_GMAIL = frozenset({"threadId", "date", "message_id", "in_reply_to", "references"})
_STATUS = {
    400: ("invalidArgument", "INVALID_ARGUMENT"),
    403: ("forbidden", "PERMISSION_DENIED"),
    404: ("notFound", "NOT_FOUND"),
    405: ("httpMethodNotAllowed", "UNIMPLEMENTED"),
    409: ("aborted", "ABORTED"),
}


def _error_body(error: AppError) -> dict[str, Any]:
    reason, status = _STATUS[error.status]
    detail = {"message": error.message, "domain": "global", "reason": reason}
    return {"error": {"code": error.status, "message": error.message, "errors": [detail], "status": status}}


APP = App(
    name="gmail",
    title="Gmail",
    host="gmail.googleapis.com",
    hosts_also=("www.googleapis.com",),
    base_path="/gmail/v1",
    rows=(Message, Draft, Label),
    ids={Message: message_id, Draft: draft_id, Label: label_id},
    routes=messages.ROUTES + threads.ROUTES + drafts.ROUTES + labels.ROUTES,
    error_body=_error_body,
    derived={
        Message: _MADE_BY_GMAIL,
        Draft: frozenset({"message.id", *(f"message.{name}" for name in _MADE_BY_GMAIL)}),
    },
    actions=actions.ACTIONS,
    guide=GUIDE,
)
