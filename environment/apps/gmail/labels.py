"""Endpoints of labels, the mailbox's own ones and those its owner made, with the mailbox's profile."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from environment.apps.gmail.mailbox import Mailbox, One, check_owner, mails, not_found, relabel, save_mail
from environment.apps.gmail.rows import SYSTEM_LABELS, Draft, Label, Message
from environment.apps.kit import AppError, Call, Response, Route

_RESERVED_NAMES = ("ALL MAIL", "CHATS", "DRAFTS", "MUTED", "SCHEDULED", "SENT MAIL", "SNOOZED")
ListVisibility = Literal["labelShow", "labelShowIfUnread", "labelHide"]
MessageVisibility = Literal["show", "hide"]


class CreateLabel(Mailbox):
    name: str = Field(description="Display name; Parent/Child nests")
    labelListVisibility: ListVisibility = Field("labelShow", description="Shown in the label list or not")
    messageListVisibility: MessageVisibility = Field("show", description="Shown in the message list or not")


class PatchLabel(One):
    name: str | None = Field(None, description="New display name")
    labelListVisibility: ListVisibility | None = Field(None, description="Shown in the label list or not")
    messageListVisibility: MessageVisibility | None = Field(None, description="Shown in the message list or not")


def get_profile(call: Call, args: Mailbox) -> dict[str, Any]:
    """Get the mailbox's address and how many messages and threads it holds."""
    check_owner(call, args.userId)
    found = list(mails(call))
    return {
        "emailAddress": call.actor["email"],
        "messagesTotal": len(found),
        "threadsTotal": len({mail.threadId for mail in found}),
        "historyId": str(int(call.now.timestamp())),
    }


def list_labels(call: Call, args: Mailbox) -> dict[str, Any]:
    """List all labels with their ids."""
    check_owner(call, args.userId)
    system = [{"id": key, "name": key, "type": "system"} for key in SYSTEM_LABELS]
    return {"labels": [*system, *map(_resource, call.tables.all(Label))]}


def get_label(call: Call, args: One) -> dict[str, Any]:
    """Get a label and how many messages and threads have it."""
    check_owner(call, args.userId)
    if args.id in SYSTEM_LABELS:
        label = {"id": args.id, "name": args.id, "type": "system"}
    else:
        label = _resource(_find(call, args.id))
    found = [mail for mail in mails(call) if args.id in mail.label_ids]
    unread = [mail for mail in found if mail.unread]
    return {
        **label,
        "messagesTotal": len(found),
        "messagesUnread": len(unread),
        "threadsTotal": len({mail.threadId for mail in found}),
        "threadsUnread": len({mail.threadId for mail in unread}),
    }


def create_label(call: Call, args: CreateLabel) -> dict[str, Any]:
    """Create a label."""
    check_owner(call, args.userId)
    name = _free_name(call, args.name, None)
    label = Label(
        id=call.tables.new_id(Label),
        name=name,
        labelListVisibility=args.labelListVisibility,
        messageListVisibility=args.messageListVisibility,
    )
    return _resource(call.tables.put(label))


def patch_label(call: Call, args: PatchLabel) -> dict[str, Any]:
    """Rename a label or change where it is shown."""
    check_owner(call, args.userId)
    if args.id in SYSTEM_LABELS:
        raise AppError(400, "Invalid update request")
    label = _find(call, args.id)
    given = {name: value for name, value in args.model_dump(exclude={"userId", "id"}).items() if value is not None}
    if "name" in given:
        given["name"] = _free_name(call, given["name"], label.id)
    return _resource(call.tables.put(label.change(**given)))


def delete_label(call: Call, args: One) -> Response:
    """Delete a label for good and take it off every message."""
    check_owner(call, args.userId)
    if args.id in SYSTEM_LABELS:
        raise AppError(400, "Invalid delete request")
    call.tables.delete(_find(call, args.id))
    for message in call.tables.all(Message):
        if args.id in message.labels:
            call.tables.put(relabel(message, (), {args.id}))
    for draft in call.tables.all(Draft):
        if args.id in draft.message.labels:
            save_mail(call, relabel(draft.message, (), {args.id}), draft)
    return Response(204, None)


def _resource(label: Label) -> dict[str, Any]:
    return {
        "id": label.id,
        "name": label.name,
        "messageListVisibility": label.messageListVisibility,
        "labelListVisibility": label.labelListVisibility,
        "type": "user",
    }


def _find(call: Call, key: str) -> Label:
    label = call.tables.find(Label, key)
    if label is None:
        raise not_found()
    return label


def _free_name(call: Call, text: str, own: str | None) -> str:
    """The name without surplus blanks. Raises AppError 400 for a bad one, 409 for one in use."""
    name = " ".join(text.split())
    if not name or len(name) > 225 or name.upper() in (*SYSTEM_LABELS, *_RESERVED_NAMES):
        raise AppError(400, "Invalid label name")
    if any(label.name.casefold() == name.casefold() and label.id != own for label in call.tables.all(Label)):
        raise AppError(409, "Label name exists or conflicts")
    return name


_PATH = "/users/{userId}/labels"
ROUTES = (
    Route(
        "get_profile", "GET", "/users/{userId}/profile", "read", Mailbox, get_profile, as_action=False, keywords="email"
    ),
    Route("list_labels", "GET", _PATH, "read", Mailbox, list_labels, as_action=False, keywords="email folders"),
    Route("create_label", "POST", _PATH, "write", CreateLabel, create_label, as_action=False, keywords="email folder"),
    Route("get_label", "GET", f"{_PATH}/{{id}}", "read", One, get_label, as_action=False),
    Route("patch_label", "PATCH", f"{_PATH}/{{id}}", "write", PatchLabel, patch_label, as_action=False),
    Route("update_label", "PUT", f"{_PATH}/{{id}}", "write", PatchLabel, patch_label, as_action=False),
    Route("delete_label", "DELETE", f"{_PATH}/{{id}}", "write", One, delete_label, as_action=False),
)
