"""Endpoints of drafts: mails that are written and not yet sent."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from environment.apps.gmail.mailbox import (
    Mailbox,
    One,
    check_owner,
    compose,
    new_mail_id,
    not_found,
    now_date,
    page_of,
    search_mails,
    send,
)
from environment.apps.gmail.mime import parse_raw
from environment.apps.gmail.resource import Format, message_resource, short_resource
from environment.apps.gmail.rows import Draft
from environment.apps.kit import Args, Call, Response, Route


class DraftMessage(Args):
    raw: str | None = Field(None, description="The whole RFC 2822 message in base64url")
    threadId: str | None = Field(None, description="Thread to join")


class CreateDraft(Mailbox):
    message: DraftMessage = Field(description="An object {raw, threadId}; raw is the RFC 2822 message in base64url")


class UpdateDraft(One):
    message: DraftMessage = Field(description="An object {raw, threadId} that replaces the draft's message")


class SendDraft(Mailbox):
    id: str = Field(description="Id of the draft")
    message: DraftMessage | None = Field(None, description="An object {raw} that replaces the draft's message first")


class GetDraft(One):
    format: Format = Field("full", description="full, metadata, minimal or raw")


class ListDrafts(Mailbox):
    q: str | None = Field(None, description="Search as in Gmail's search box")
    maxResults: int | None = Field(None, description="Drafts a page, 100 unless given, at most 500")
    pageToken: str | None = Field(None, description="nextPageToken of the page before")
    includeSpamTrash: bool = Field(False, description="Also look in SPAM and TRASH")


def list_drafts(call: Call, args: ListDrafts) -> dict[str, Any]:
    """List the drafts, newest first."""
    check_owner(call, args.userId)
    by_message = {draft.message.id: draft for draft in call.tables.all(Draft)}
    mails = search_mails(call, args.q, [], args.includeSpamTrash)
    found = [by_message[mail.id] for mail in mails if mail.id in by_message]
    page, token = page_of(found, args.maxResults, args.pageToken)
    drafts = [
        {"id": draft.id, "message": {"id": draft.message.id, "threadId": draft.message.threadId}} for draft in page
    ]
    return {
        **({"drafts": drafts} if drafts else {}),
        **({"nextPageToken": token} if token else {}),
        "resultSizeEstimate": len(found),
    }


def get_draft(call: Call, args: GetDraft) -> dict[str, Any]:
    """Get a draft with its message."""
    check_owner(call, args.userId)
    draft = _find(call, args.id)
    return {"id": draft.id, "message": message_resource(draft.message, args.format)}


def create_draft(call: Call, args: CreateDraft) -> dict[str, Any]:
    """Write a draft of an email without sending it."""
    check_owner(call, args.userId)
    message = compose(call, parse_raw(args.message.raw), args.message.threadId, ("DRAFT",))
    return _resource(call.tables.put(Draft(id=call.tables.new_id(Draft), message=message)))


def update_draft(call: Call, args: UpdateDraft) -> dict[str, Any]:
    """Replace the message of a draft; it gets a new message id."""
    check_owner(call, args.userId)
    return _resource(call.tables.put(_replaced(call, _find(call, args.id), args.message)))


def send_draft(call: Call, args: SendDraft) -> dict[str, Any]:
    """Send a draft to its recipients; the draft is gone afterwards and the sent message has a new id."""
    check_owner(call, args.userId)
    draft = _find(call, args.id)
    if args.message is not None and args.message.raw:
        draft = _replaced(call, draft, args.message)
    sent = send(call, draft.message.change(id=new_mail_id(call), date=now_date(call)))
    call.tables.delete(draft)
    return short_resource(sent)


def delete_draft(call: Call, args: One) -> Response:
    """Delete a draft for good."""
    check_owner(call, args.userId)
    call.tables.delete(_find(call, args.id))
    return Response(204, None)


def _find(call: Call, key: str) -> Draft:
    draft = call.tables.find(Draft, key)
    if draft is None:
        raise not_found()
    return draft


def _replaced(call: Call, draft: Draft, message: DraftMessage) -> Draft:
    thread = message.threadId or draft.message.threadId
    renewed = compose(call, parse_raw(message.raw), None, ("DRAFT",))
    return draft.change(message=renewed.change(threadId=thread))


def _resource(draft: Draft) -> dict[str, Any]:
    return {"id": draft.id, "message": short_resource(draft.message)}


_PATH = "/users/{userId}/drafts"
ROUTES = (
    Route("list_drafts", "GET", _PATH, "read", ListDrafts, list_drafts, as_action=False, keywords="email unsent"),
    Route("create_draft", "POST", _PATH, "write", CreateDraft, create_draft, as_action=False, keywords="email unsent"),
    Route("send_draft", "POST", f"{_PATH}/send", "write", SendDraft, send_draft, as_action=False, keywords="email"),
    Route("get_draft", "GET", f"{_PATH}/{{id}}", "read", GetDraft, get_draft, as_action=False, keywords="email unsent"),
    Route(
        "update_draft",
        "PUT",
        f"{_PATH}/{{id}}",
        "write",
        UpdateDraft,
        update_draft,
        as_action=False,
        keywords="edit email unsent",
    ),
    Route(
        "delete_draft",
        "DELETE",
        f"{_PATH}/{{id}}",
        "write",
        One,
        delete_draft,
        as_action=False,
        keywords="discard email",
    ),
)
