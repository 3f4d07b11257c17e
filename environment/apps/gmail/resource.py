"""The Message resource: a message as the API writes it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any, Literal

from environment.apps.gmail.mime import encode, write_raw
from environment.apps.gmail.rows import Message

Format = Literal["full", "metadata", "minimal", "raw"]


def short_resource(message: Message) -> dict[str, Any]:
    """What writing calls answer."""
    return {"id": message.id, "threadId": message.threadId, "labelIds": message.label_ids}


def message_resource(message: Message, form: Format, wanted_headers: Sequence[str] = ()) -> dict[str, Any]:
    """`minimal` without payload, `metadata` with headers only, `full` with the body, `raw` as RFC 2822 text."""
    resource = {
        **short_resource(message),
        "snippet": html.escape(message.snippet),
        "sizeEstimate": len(message.body) + 600,
        "historyId": str(message.instant_ms // 1000),
        "internalDate": str(message.instant_ms),
    }
    if form == "raw":
        refs = " ".join(message.references)
        recipients, copies = ", ".join(message.to), ", ".join(message.cc)
        resource["raw"] = write_raw(recipients, message.subject, message.body, copies, message.in_reply_to, refs)
    elif form != "minimal":
        resource["payload"] = _payload(message, form, wanted_headers)
    return resource


def _payload(message: Message, form: Format, wanted: Sequence[str]) -> dict[str, Any]:
    headers = _headers(message)
    if form == "metadata":
        names = {name.lower() for name in wanted}
        headers = [header for header in headers if not names or header["name"].lower() in names]
        return {"mimeType": _mime_type(message), "headers": headers}
    text = {"size": len(message.body.encode()), "data": encode(message.body)}
    payload = {"partId": "", "mimeType": _mime_type(message), "filename": "", "headers": headers}
    if not message.attachments:
        return {**payload, "body": text}
    kind = [{"name": "Content-Type", "value": "text/plain; charset=UTF-8"}]
    parts = [{"partId": "0", "mimeType": "text/plain", "filename": "", "headers": kind, "body": text}]
    for position, name in enumerate(message.attachments, 1):
        attached = {"attachmentId": f"ANGjdJ{message.id}{position:04d}", "size": 0}
        parts.append(
            {
                "partId": str(position),
                "mimeType": "application/octet-stream",
                "filename": name,
                "headers": [{"name": "Content-Disposition", "value": f'attachment; filename="{name}"'}],
                "body": attached,
            }
        )
    return {**payload, "body": {"size": 0}, "parts": parts}


def _mime_type(message: Message) -> str:
    return "multipart/mixed" if message.attachments else "text/plain"


def _headers(message: Message) -> list[dict[str, str]]:
    values = {
        "From": message.sender,
        "To": ", ".join(message.to),
        "Cc": ", ".join(message.cc),
        "Bcc": ", ".join(message.bcc),
        "Subject": message.subject,
        "Date": message.rfc_date,
        "Message-ID": message.rfc_id,
        "In-Reply-To": message.in_reply_to,
        "References": " ".join(message.references),
    }
    return [{"name": name, "value": value} for name, value in values.items() if value or name == "Subject"]
