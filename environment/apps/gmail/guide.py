"""The guide to Gmail's API."""

from __future__ import annotations

from environment.apps.guide import Guide, Hint

_RAW = "<base64url of: To: ann@larkfield.example\\r\\nSubject: Your order\\r\\n\\r\\nIt has been sent.>"
_SHORT = "{id, threadId, labelIds}"
_MESSAGE = (
    "{id, threadId, labelIds, snippet, payload: {headers: [{name, value}], body: {data}, parts}}; body.data is "
    "base64url text"
)
_LABEL = "{id, name, type}"

GUIDE = Guide(
    words="mail email mailbox",
    glossary={
        "message": "email mail",
        "thread": "conversation email mail",
        "label": "folder",
        "trash": "bin delete",
        "untrash": "restore undelete",
    },
    paging={"pageToken": "nextPageToken of the answer is pageToken of the next call"},
    hints={
        "list_messages": Hint(
            "{messages: [{id, threadId}], nextPageToken}",
            {"q": "from:ann@larkfield.example is:unread subject:credit after:2026/02/01", "maxResults": 50},
        ),
        "list_threads": Hint("{threads: [{id, snippet}], nextPageToken}", {"q": "subject:(credit note)"}),
        "get_message": Hint(_MESSAGE, {"format": "full"}),
        "get_thread": Hint("{id, messages: [{id, payload, snippet}]}", {"format": "full"}),
        "send_message": Hint(
            f"{_SHORT}; a reply carries In-Reply-To and References with the Message-ID of what it answers",
            body={"raw": _RAW, "threadId": "<thread id>"},
        ),
        "modify_message": Hint(
            f"{_SHORT}; archived is without INBOX, read is without UNREAD",
            body={"addLabelIds": ["STARRED"], "removeLabelIds": ["UNREAD", "INBOX"]},
        ),
        "modify_thread": Hint("{id, messages}", body={"addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]}),
        "batch_modify_messages": Hint(
            "Nothing (204)", body={"ids": ["<message id>"], "addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]}
        ),
        "batch_delete_messages": Hint("Nothing (204)", body={"ids": ["<message id>"]}),
        "delete_message": Hint("Nothing (204)"),
        "trash_message": Hint(_SHORT),
        "untrash_message": Hint(_SHORT),
        "trash_thread": Hint("{id, messages}"),
        "untrash_thread": Hint("{id, messages}"),
        "delete_thread": Hint("Nothing (204)"),
        "list_drafts": Hint("{drafts: [{id, message: {id, threadId}}], nextPageToken}"),
        "get_draft": Hint("{id, message: {id, threadId, payload}}"),
        "create_draft": Hint("{id, message: {id, threadId}}", body={"message": {"raw": _RAW}}),
        "update_draft": Hint("{id, message: {id, threadId}}", body={"message": {"raw": _RAW}}),
        "send_draft": Hint(_SHORT, body={"id": "<draft id>"}),
        "delete_draft": Hint("Nothing (204)"),
        "get_profile": Hint("{emailAddress, messagesTotal, threadsTotal}"),
        "list_labels": Hint("{labels: [{id, name, type}]}"),
        "get_label": Hint("{id, name, messagesTotal, messagesUnread, threadsTotal}"),
        "create_label": Hint(_LABEL, body={"name": "Suppliers/Orders"}),
        "patch_label": Hint(_LABEL, body={"name": "Suppliers"}),
        "update_label": Hint(_LABEL, body={"name": "Suppliers"}),
        "delete_label": Hint("Nothing (204)"),
    },
)
