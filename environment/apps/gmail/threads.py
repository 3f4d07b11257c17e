"""Endpoints of threads: a thread is the messages that share a threadId, never a row of its own."""

from __future__ import annotations

import html
from typing import Any, Literal

from pydantic import Field

from environment.apps.gmail.mailbox import (
    One,
    check_labels,
    check_owner,
    delete_mail,
    find_mail,
    page_of,
    relabel,
    save_mail,
    search_mails,
    thread_mails,
)
from environment.apps.gmail.messages import ListMessages, ModifyLabels
from environment.apps.gmail.resource import message_resource, short_resource
from environment.apps.gmail.rows import Message
from environment.apps.kit import Call, Many, Response, Route


class GetThread(One):
    format: Literal["full", "metadata", "minimal"] = Field("full", description="full, metadata or minimal")
    metadataHeaders: Many = Field([], description="With format metadata: only these headers")


def list_threads(call: Call, args: ListMessages) -> dict[str, Any]:
    """List the threads (conversations) that have a message which fits, newest first."""
    check_owner(call, args.userId)
    found = search_mails(call, args.q, args.labelIds, args.includeSpamTrash)
    newest: dict[str, Message] = {}
    for mail in found:
        newest.setdefault(mail.threadId, mail)
    page, token = page_of(list(newest.values()), args.maxResults, args.pageToken)
    threads = [
        {"id": mail.threadId, "snippet": html.escape(mail.snippet), "historyId": str(mail.instant_ms // 1000)}
        for mail in page
    ]
    return {
        **({"threads": threads} if threads else {}),
        **({"nextPageToken": token} if token else {}),
        "resultSizeEstimate": len(newest),
    }


def get_thread(call: Call, args: GetThread) -> dict[str, Any]:
    """Get a thread with all its messages, oldest first."""
    check_owner(call, args.userId)
    found = thread_mails(call, args.id)
    messages = [message_resource(mail, args.format, args.metadataHeaders) for mail in found]
    return {"id": args.id, "historyId": messages[-1]["historyId"], "messages": messages}


def modify_thread(call: Call, args: ModifyLabels) -> dict[str, Any]:
    """Add labels to all messages of a thread and remove labels from them."""
    check_owner(call, args.userId)
    found = thread_mails(call, args.id)
    check_labels(call, args.addLabelIds, args.removeLabelIds)
    return _relabel_all(call, args.id, found, args.addLabelIds, args.removeLabelIds)


def trash_thread(call: Call, args: One) -> dict[str, Any]:
    """Move a thread to the trash."""
    check_owner(call, args.userId)
    return _relabel_all(call, args.id, thread_mails(call, args.id), ["TRASH"], [])


def untrash_thread(call: Call, args: One) -> dict[str, Any]:
    """Take a thread out of the trash."""
    check_owner(call, args.userId)
    return _relabel_all(call, args.id, thread_mails(call, args.id), [], ["TRASH"])


def delete_thread(call: Call, args: One) -> Response:
    """Delete a thread and its messages for good, past the trash."""
    check_owner(call, args.userId)
    for mail in thread_mails(call, args.id):
        delete_mail(call, *find_mail(call, mail.id))
    return Response(204, None)


def _relabel_all(call: Call, key: str, found: list[Message], add: list[str], remove: list[str]) -> dict[str, Any]:
    saved = []
    for mail in found:
        message, draft = find_mail(call, mail.id)
        saved.append(short_resource(save_mail(call, relabel(message, add, remove), draft)))
    return {"id": key, "messages": saved}


_PATH = "/users/{userId}/threads"
ROUTES = (
    Route(
        "list_threads",
        "GET",
        _PATH,
        "read",
        ListMessages,
        list_threads,
        as_action=False,
        keywords="search find conversation email",
    ),
    Route(
        "get_thread",
        "GET",
        f"{_PATH}/{{id}}",
        "read",
        GetThread,
        get_thread,
        as_action=False,
        keywords="read conversation email",
    ),
    Route("modify_thread", "POST", f"{_PATH}/{{id}}/modify", "write", ModifyLabels, modify_thread, as_action=False),
    Route("trash_thread", "POST", f"{_PATH}/{{id}}/trash", "write", One, trash_thread, as_action=False),
    Route("untrash_thread", "POST", f"{_PATH}/{{id}}/untrash", "write", One, untrash_thread, as_action=False),
    Route("delete_thread", "DELETE", f"{_PATH}/{{id}}", "write", One, delete_thread, as_action=False),
)
