"""Gmail's actions: short scripts over the API whose answers hold only what a reader needs."""

from __future__ import annotations

import html
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any

from pydantic import Field

from environment.apps.gmail.mime import decode, write_raw
from environment.apps.kit import Action, AppError, Args, Fetch, bounded

_SNIPPET = 120
_THREAD, _LABELS = 50, 200
"""Most messages, and most labels, that one answer shows."""
_LISTED = {"format": "metadata", "metadataHeaders": ["From", "Subject", "Date"]}
_MESSAGES = "/users/me/messages"


class SearchEmails(Args):
    query: str = Field(description="Gmail search, such as from:ann")
    max_results: int = Field(10, description="At most 50")


class OneEmail(Args):
    id: str = Field(description="Email id")


class OneThread(Args):
    thread_id: str = Field(description="Thread id")


class SendEmail(Args):
    to: str = Field(description="Recipient addresses, comma separated")
    subject: str = Field(description="Subject")
    body: str = Field(description="Plain text")
    cc: str | None = Field(None, description="Copy addresses")


class Reply(Args):
    id: str = Field(description="Email id")
    body: str = Field(description="Plain text")


class LabelEmail(Args):
    id: str = Field(description="Email id")
    label: str = Field(description="Label name")


class NameLabel(Args):
    name: str = Field(description="Label name")


class CreateDraft(Args):
    to: str = Field(description="Recipient addresses, comma separated")
    subject: str = Field(description="Subject")
    body: str = Field(description="Plain text")


class OneDraft(Args):
    id: str = Field(description="Draft id")


class NoArguments(Args):
    """Nothing to say."""


def _search(fetch: Fetch, args: SearchEmails) -> list[dict[str, Any]]:
    params = {"q": args.query, "maxResults": max(1, min(args.max_results, 50))}
    listed = fetch("GET", _MESSAGES, params).get("messages", [])
    return [_line(fetch("GET", f"{_MESSAGES}/{item['id']}", _LISTED)) for item in listed]


def _read(fetch: Fetch, args: OneEmail) -> dict[str, Any]:
    return _whole(fetch("GET", _message(args.id)))


def _read_thread(fetch: Fetch, args: OneThread) -> Any:
    messages = fetch("GET", f"/users/me/threads/{_path(args.thread_id)}")["messages"]
    shown = [{"id": message["id"], **_whole(message)} for message in messages[-_THREAD:]]
    older = len(messages) - len(shown)
    return {"records": shown, "more": f"{older} older; find them with gmail_search_emails"} if older else shown


def _send(fetch: Fetch, args: SendEmail) -> dict[str, Any]:
    raw = write_raw(args.to, args.subject, args.body, args.cc or "")
    return _sent(fetch("POST", f"{_MESSAGES}/send", body={"raw": raw}))


def _reply(fetch: Fetch, args: Reply) -> dict[str, Any]:
    original = fetch("GET", _message(args.id), {"format": "metadata"})
    own = fetch("GET", "/users/me/profile")["emailAddress"].lower()
    headers = _headers(original)
    sender = parseaddr(headers["From"])[1]
    to = headers.get("To", "") if sender.lower() == own else sender
    subject = headers["Subject"] if headers["Subject"].lower().startswith("re:") else f"Re: {headers['Subject']}"
    references = " ".join(filter(None, (headers.get("References"), headers["Message-ID"])))
    raw = write_raw(to, subject, args.body, in_reply_to=headers["Message-ID"], references=references)
    sent = fetch("POST", f"{_MESSAGES}/send", body={"raw": raw, "threadId": original["threadId"]})
    return {**_sent(sent), "to": to}


def _add_label(fetch: Fetch, args: LabelEmail) -> dict[str, Any]:
    return _relabelled(fetch, args.id, {"addLabelIds": [_label_id(fetch, args.label)]})


def _remove_label(fetch: Fetch, args: LabelEmail) -> dict[str, Any]:
    return _relabelled(fetch, args.id, {"removeLabelIds": [_label_id(fetch, args.label)]})


def _archive(fetch: Fetch, args: OneEmail) -> dict[str, Any]:
    fetch("POST", f"{_message(args.id)}/modify", body={"removeLabelIds": ["INBOX"]})
    return {"id": args.id, "archived": True}


def _mark_read(fetch: Fetch, args: OneEmail) -> dict[str, Any]:
    fetch("POST", f"{_message(args.id)}/modify", body={"removeLabelIds": ["UNREAD"]})
    return {"id": args.id, "unread": False}


def _trash(fetch: Fetch, args: OneEmail) -> dict[str, Any]:
    fetch("POST", f"{_message(args.id)}/trash")
    return {"id": args.id, "trashed": True}


def _list_labels(fetch: Fetch, args: NoArguments) -> Any:
    names = [label["name"] for label in fetch("GET", "/users/me/labels")["labels"] if label["type"] == "user"]
    return bounded(names, _LABELS, "a label can be used without being listed")


def _create_label(fetch: Fetch, args: NameLabel) -> dict[str, Any]:
    label = fetch("POST", "/users/me/labels", body={"name": args.name})
    return {"id": label["id"], "name": label["name"]}


def _create_draft(fetch: Fetch, args: CreateDraft) -> dict[str, Any]:
    raw = write_raw(args.to, args.subject, args.body)
    return {"id": fetch("POST", "/users/me/drafts", body={"message": {"raw": raw}})["id"]}


def _list_drafts(fetch: Fetch, args: NoArguments) -> list[dict[str, Any]]:
    drafts = []
    for item in fetch("GET", "/users/me/drafts").get("drafts", []):
        headers = _headers(fetch("GET", _message(item["message"]["id"]), {"format": "metadata"}))
        drafts.append({"id": item["id"], "to": headers.get("To", ""), "subject": headers["Subject"]})
    return drafts


def _send_draft(fetch: Fetch, args: OneDraft) -> dict[str, Any]:
    return _sent(fetch("POST", "/users/me/drafts/send", body={"id": args.id}))


def _message(key: str) -> str:
    return f"{_MESSAGES}/{_path(key)}"


def _path(key: str) -> str:
    """A part of a URL. Raises AppError for text that can be no id."""
    if not key.isalnum() or not key.isascii() or len(key) > 40:
        raise AppError(400, "Invalid id value")
    return key


def _headers(resource: dict[str, Any]) -> dict[str, str]:
    return {header["name"]: header["value"] for header in resource["payload"]["headers"]}


def _line(resource: dict[str, Any]) -> dict[str, Any]:
    headers = _headers(resource)
    snippet = html.unescape(resource["snippet"])
    return {
        "id": resource["id"],
        "from": headers["From"],
        "subject": headers["Subject"],
        "date": f"{parsedate_to_datetime(headers['Date']):%Y-%m-%d}",
        "snippet": snippet if len(snippet) <= _SNIPPET else f"{snippet[:_SNIPPET].rstrip()}…",
    }


def _whole(resource: dict[str, Any]) -> dict[str, Any]:
    headers, payload = _headers(resource), resource["payload"]
    parts = payload.get("parts", [payload])
    names = [part["filename"] for part in parts if part["filename"]]
    return {
        "from": headers["From"],
        "to": headers.get("To", ""),
        **({"cc": headers["Cc"]} if "Cc" in headers else {}),
        "subject": headers["Subject"],
        "date": f"{parsedate_to_datetime(headers['Date']):%Y-%m-%d %H:%M}",
        "body": decode(parts[0]["body"]["data"]).decode(),
        **({"attachments": names} if names else {}),
        "threadId": resource["threadId"],
    }


def _sent(resource: dict[str, Any]) -> dict[str, Any]:
    return {"id": resource["id"], "threadId": resource["threadId"]}


def _label_id(fetch: Fetch, name: str) -> str:
    labels = fetch("GET", "/users/me/labels")["labels"]
    for label in labels:
        if label["name"].casefold() == name.strip().casefold():
            return label["id"]
    names = ", ".join(label["name"] for label in labels if label["type"] == "user")
    raise AppError(400, f"there is no label {name[:80]!r}; labels are: {names or 'none'}")


def _relabelled(fetch: Fetch, key: str, change: dict[str, Any]) -> dict[str, Any]:
    labels = fetch("POST", f"{_message(key)}/modify", body=change)["labelIds"]
    names = {label["id"]: label["name"] for label in fetch("GET", "/users/me/labels")["labels"]}
    return {"id": key, "labels": [names[label] for label in labels]}


ACTIONS = (
    Action("gmail_search_emails", "read", "Search emails, newest first.", SearchEmails, _search),
    Action("gmail_read_email", "read", "Read one email.", OneEmail, _read),
    Action("gmail_read_thread", "read", "Read all emails of a thread.", OneThread, _read_thread),
    Action("gmail_send_email", "write", "Send a new email.", SendEmail, _send),
    Action("gmail_reply", "write", "Reply to the sender of an email.", Reply, _reply),
    Action("gmail_add_label", "write", "Add a label to an email.", LabelEmail, _add_label),
    Action("gmail_remove_label", "write", "Remove a label from an email.", LabelEmail, _remove_label),
    Action("gmail_archive", "write", "Move an email out of the inbox.", OneEmail, _archive),
    Action("gmail_mark_read", "write", "Mark an email as read.", OneEmail, _mark_read),
    Action("gmail_trash", "write", "Move an email to the trash.", OneEmail, _trash),
    Action("gmail_list_labels", "read", "List label names.", NoArguments, _list_labels),
    Action("gmail_create_label", "write", "Create a label.", NameLabel, _create_label),
    Action("gmail_create_draft", "write", "Write an email draft without sending it.", CreateDraft, _create_draft),
    Action("gmail_list_drafts", "read", "List email drafts.", NoArguments, _list_drafts),
    Action("gmail_send_draft", "write", "Send an email draft.", OneDraft, _send_draft),
)
