"""Endpoints of messages: list, get, send, modify, trash, delete and their batches."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from environment.apps.gmail.mailbox import (
    Mailbox,
    One,
    check_labels,
    check_owner,
    compose,
    delete_mail,
    find_mail,
    page_of,
    relabel,
    save_mail,
    search_mails,
    send,
)
from environment.apps.gmail.mime import parse_raw
from environment.apps.gmail.resource import Format, message_resource, short_resource
from environment.apps.kit import AppError, Call, Many, Response, Route


class ListMessages(Mailbox):
    q: str | None = Field(None, description="Search as in Gmail's search box, such as from:ann is:unread newer_than:7d")
    labelIds: Many = Field([], description="Only messages that have all of these label ids")
    maxResults: int | None = Field(None, description="Messages a page, 100 unless given, at most 500")
    pageToken: str | None = Field(None, description="nextPageToken of the page before")
    includeSpamTrash: bool = Field(False, description="Also look in SPAM and TRASH")


class GetMessage(One):
    format: Format = Field("full", description="full, metadata (headers only), minimal or raw")
    metadataHeaders: Many = Field([], description="With format metadata: only these headers")


class SendMessage(Mailbox):
    raw: str | None = Field(None, description="The whole RFC 2822 message (headers To, Subject, ...) in base64url")
    threadId: str | None = Field(
        None, description="Thread to join; set In-Reply-To and References and keep the subject too"
    )


class ModifyLabels(One):
    addLabelIds: Many = Field([], description="Ids of labels to add; UNREAD marks as unread")
    removeLabelIds: Many = Field([], description="Ids of labels to remove; UNREAD marks as read, INBOX archives")


class BatchModify(Mailbox):
    ids: list[str] = Field(description="Ids of at most 1000 messages")
    addLabelIds: Many = Field([], description="Ids of labels to add")
    removeLabelIds: Many = Field([], description="Ids of labels to remove")


class BatchDelete(Mailbox):
    ids: list[str] = Field(description="Ids of at most 1000 messages")


def list_messages(call: Call, args: ListMessages) -> dict[str, Any]:
    """List the messages of the mailbox, newest first, as ids; get each one for its content."""
    check_owner(call, args.userId)
    found = search_mails(call, args.q, args.labelIds, args.includeSpamTrash)
    page, token = page_of(found, args.maxResults, args.pageToken)
    return {
        **({"messages": [{"id": mail.id, "threadId": mail.threadId} for mail in page]} if page else {}),
        **({"nextPageToken": token} if token else {}),
        "resultSizeEstimate": len(found),
    }


def get_message(call: Call, args: GetMessage) -> dict[str, Any]:
    """Get one message (an email); bodies are base64url. Does not mark it as read."""
    check_owner(call, args.userId)
    message, _ = find_mail(call, args.id)
    return message_resource(message, args.format, args.metadataHeaders)


def send_message(call: Call, args: SendMessage) -> dict[str, Any]:
    """Send an email to the recipients in the To, Cc and Bcc headers of a raw RFC 2822 message."""
    check_owner(call, args.userId)
    return short_resource(send(call, compose(call, parse_raw(args.raw), args.threadId, ("SENT",))))


def modify_message(call: Call, args: ModifyLabels) -> dict[str, Any]:
    """Add labels to a message and remove labels from it: mark as read, archive, star, file."""
    check_owner(call, args.userId)
    message, draft = find_mail(call, args.id)
    check_labels(call, args.addLabelIds, args.removeLabelIds)
    changed = relabel(message, args.addLabelIds, args.removeLabelIds)
    return short_resource(save_mail(call, changed, draft))


def trash_message(call: Call, args: One) -> dict[str, Any]:
    """Move a message to the trash."""
    check_owner(call, args.userId)
    message, draft = find_mail(call, args.id)
    return short_resource(save_mail(call, relabel(message, {"TRASH"}, ()), draft))


def untrash_message(call: Call, args: One) -> dict[str, Any]:
    """Take a message out of the trash, back to the labels it had."""
    check_owner(call, args.userId)
    message, draft = find_mail(call, args.id)
    return short_resource(save_mail(call, relabel(message, (), {"TRASH"}), draft))


def delete_message(call: Call, args: One) -> Response:
    """Delete a message for good, past the trash."""
    check_owner(call, args.userId)
    delete_mail(call, *find_mail(call, args.id))
    return Response(204, None)


def batch_modify(call: Call, args: BatchModify) -> Response:
    """Add and remove labels on many messages; ids that don't exist are skipped."""
    check_owner(call, args.userId)
    check_labels(call, args.addLabelIds, args.removeLabelIds)
    for message, draft in _existing(call, args.ids):
        save_mail(call, relabel(message, args.addLabelIds, args.removeLabelIds), draft)
    return Response(204, None)


def batch_delete(call: Call, args: BatchDelete) -> Response:
    """Delete many messages for good; ids that don't exist are skipped."""
    check_owner(call, args.userId)
    for message, draft in _existing(call, args.ids):
        delete_mail(call, message, draft)
    return Response(204, None)


def _existing(call: Call, ids: list[str]) -> list[tuple[Any, Any]]:
    if not ids:
        raise AppError(400, "No message ids specified")
    if len(ids) > 1000:
        raise AppError(400, "Too many message ids: at most 1000")
    found = []
    for key in dict.fromkeys(ids):
        try:
            found.append(find_mail(call, key))
        except AppError as error:
            if error.status != 404:
                raise
    return found


_PATH = "/users/{userId}/messages"
ROUTES = (
    Route(
        "list_messages",
        "GET",
        _PATH,
        "read",
        ListMessages,
        list_messages,
        as_action=False,
        keywords="search find email mail inbox",
    ),
    Route(
        "send_message",
        "POST",
        f"{_PATH}/send",
        "write",
        SendMessage,
        send_message,
        as_action=False,
        keywords="mail reply forward compose",
    ),
    Route("batch_modify_messages", "POST", f"{_PATH}/batchModify", "write", BatchModify, batch_modify, as_action=False),
    Route("batch_delete_messages", "POST", f"{_PATH}/batchDelete", "write", BatchDelete, batch_delete, as_action=False),
    Route(
        "get_message",
        "GET",
        f"{_PATH}/{{id}}",
        "read",
        GetMessage,
        get_message,
        as_action=False,
        keywords="read open email mail",
    ),
    Route("delete_message", "DELETE", f"{_PATH}/{{id}}", "write", One, delete_message, as_action=False),
    Route(
        "modify_message",
        "POST",
        f"{_PATH}/{{id}}/modify",
        "write",
        ModifyLabels,
        modify_message,
        as_action=False,
        keywords="email mark read unread archive star label",
    ),
    Route("trash_message", "POST", f"{_PATH}/{{id}}/trash", "write", One, trash_message, as_action=False),
    Route("untrash_message", "POST", f"{_PATH}/{{id}}/untrash", "write", One, untrash_message, as_action=False),
)
