"""The mailbox is all messages that one account sees, those inside drafts included."""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import attrgetter
from typing import Annotated, Any

from pydantic import Field

from environment.apps.gmail.mime import Mime
from environment.apps.gmail.rows import SYSTEM_LABELS, Draft, Label, Message, base_subject
from environment.apps.kit import AppError, Args, Call
from environment.query.gmail_search import Account, label_slug, parse_search

UserId = Annotated[str, Field(description="me, or the mailbox owner's address")]
Id = Annotated[str, Field(description="Id")]
_UNMOVABLE = ("SENT", "DRAFT", "CHAT")


class Mailbox(Args):
    """Arguments that every endpoint has."""

    userId: UserId


class One(Mailbox):
    """Arguments that name one resource."""

    id: Id


def check_owner(call: Call, user: str) -> None:
    """Raises AppError 403 for somebody else's mailbox."""
    if user != "me" and user.lower() != call.actor["email"].lower():
        raise AppError(403, f"Delegation denied for {user[:200]}")


def mails(call: Call) -> list[Message]:
    """Every message, those of drafts last."""
    return [*call.tables.all(Message), *(draft.message for draft in call.tables.all(Draft))]


def find_mail(call: Call, key: str) -> tuple[Message, Draft | None]:
    """The message of this id, and the draft that it belongs to. Raises AppError."""
    if not re.fullmatch(r"[0-9a-f]{1,16}", key):
        raise AppError(400, "Invalid id value")
    message = call.tables.find(Message, key)
    if message is not None:
        return message, None
    for draft in call.tables.all(Draft):
        if draft.message.id == key:
            return draft.message, draft
    raise not_found()


def thread_mails(call: Call, key: str) -> list[Message]:
    """Messages of a thread, oldest first. Raises AppError 404 when there is none."""
    if not re.fullmatch(r"[0-9a-f]{1,16}", key):
        raise AppError(400, "Invalid id value")
    found = call.tables.where(Message, "threadId", key)
    found += [draft.message for draft in call.tables.all(Draft) if draft.message.threadId == key]
    if not found:
        raise not_found()
    return sorted(found, key=lambda message: message.instant_ms)


def not_found() -> AppError:
    return AppError(404, "Requested entity was not found.")


def search_mails(call: Call, q: str | None, label_ids: list[str], include_spam_trash: bool) -> list[Message]:
    """Messages that fit, newest first; spam and trash only when asked for. Raises AppError for an unknown label."""
    for label in label_ids:
        check_label(call, label)
    search = parse_search(q or "")
    account = Account(
        now=call.now,
        address=call.actor["email"],
        label_ids={label_slug(label.name): label.id for label in call.tables.all(Label)},
    )
    hidden = set() if include_spam_trash or search.everywhere else {"SPAM", "TRASH"} - set(label_ids)
    found = [mail for mail in mails(call) if search.test(mail, account) and hidden.isdisjoint(mail.labels)]
    if label_ids:
        found = [mail for mail in found if set(label_ids).issubset(mail.label_ids)]
    found.sort(key=attrgetter("instant_ms"), reverse=True)
    return found


def check_label(call: Call, key: str) -> None:
    if key not in SYSTEM_LABELS and call.tables.find(Label, key) is None:
        raise AppError(400, f"Invalid label: {key[:200]}")


def page_of(found: list[Any], size: int | None, token: str | None) -> tuple[list[Any], str | None]:
    """One page (100 rows unless asked otherwise, at most 500) with the token of the next one, None after the last."""
    if size is not None and size < 0:
        raise AppError(400, f"Invalid value at 'max_results' (TYPE_UINT32), \"{size}\"")
    if token and not re.fullmatch(r"[0-9]{1,20}", token):
        raise AppError(400, "Invalid pageToken")
    start, count = int(token or 0), min(size or 100, 500)
    page = found[start : start + count]
    return page, f"{start + count:020d}" if start + count < len(found) else None


def save_mail(call: Call, message: Message, draft: Draft | None) -> Message:
    if draft is None:
        return call.tables.put(message)
    return call.tables.put(draft.change(message=message)).message


def delete_mail(call: Call, message: Message, draft: Draft | None) -> None:
    call.tables.delete(message if draft is None else draft)


def relabel(mail: Message, add: Iterable[str], remove: Iterable[str]) -> Message:
    """The message with labels added and taken off."""
    add, remove = set(add), set(remove)
    labels = tuple((set(mail.labels) | add) - remove - {"UNREAD"})
    unread = ("UNREAD" in add) or (mail.unread and "UNREAD" not in remove)
    return mail.change(labels=labels, unread=unread)


def check_labels(call: Call, add: list[str], remove: list[str]) -> None:
    """Raises AppError 400 for label changes that are refused."""
    if not add and not remove:
        raise AppError(400, "No label add or removes specified")
    if len(add) > 100 or len(remove) > 100:
        raise AppError(400, "Too many labels: at most 100 can be added or removed")
    for label in (*add, *remove):
        if label in _UNMOVABLE:
            raise AppError(400, f"Invalid label: {label}")
        check_label(call, label)
    if set(add) & set(remove):
        raise AppError(400, "Cannot both add and remove the same label")


def thread_of(call: Call, mime: Mime, key: str, asked: str | None) -> str:
    """The thread that a new message joins: that of a message it refers to under the same subject, else its own (`key`).

    Raises AppError 404 when `asked`, the thread named in the request, doesn't exist.
    """
    if asked:
        thread_mails(call, asked)
    referred = {*mime.references, mime.in_reply_to} - {""}
    if referred:
        subject = base_subject(mime.subject)
        for mail in mails(call):
            if mail.rfc_id in referred and asked in (None, "", mail.threadId) and base_subject(mail.subject) == subject:
                return mail.threadId
    return key


def compose(call: Call, mime: Mime, thread: str | None, labels: tuple[str, ...]) -> Message:
    """A new message from the mailbox owner; not stored yet."""
    key = new_mail_id(call)
    return Message(
        id=key,
        threadId=thread_of(call, mime, key, thread),
        sender=f"{call.actor['name']} <{call.actor['email']}>",
        to=mime.to,
        cc=mime.cc,
        bcc=mime.bcc,
        subject=mime.subject,
        date=now_date(call),
        body=mime.body,
        labels=labels,
        in_reply_to=mime.in_reply_to,
        references=mime.references,
        attachments=mime.attachments,
    )


def send(call: Call, message: Message) -> Message:
    """The message after sending; a copy to oneself arrives in the inbox. Raises AppError 400 without a recipient."""
    recipients = (*message.to, *message.cc, *message.bcc)
    if not recipients:
        raise AppError(400, "Recipient address required")
    to_self = call.actor["email"].lower() in recipients
    labels = ("INBOX", "SENT") if to_self else ("SENT",)
    return call.tables.send(message.change(labels=labels, unread=to_self))


def new_mail_id(call: Call) -> str:
    """An id that neither a message nor the message of a draft has."""
    taken = {draft.message.id for draft in call.tables.all(Draft)}
    return call.tables.new_id(Message, taken=taken.__contains__)


def now_date(call: Call) -> str:
    return call.now.replace(microsecond=0).isoformat()
