"""Gmail in the sample world."""

from __future__ import annotations

import base64
from typing import Any

from environment.apps.gmail import rows as gmail

ROWS: dict[str, tuple[dict[str, Any], ...]] = {
    "Message": tuple(
        {
            "id": gmail.message_id(number),
            "threadId": gmail.message_id(1),
            "from": "Ann Lee <ann@larkfield.example>",
            "to": ["pat@tarnwick.example"],
            "subject": "Credit note",
            "date": f"2026-03-0{number}T08:00:00+00:00",
            "body": "CN-20417 is void.",
            "labels": ["INBOX", "Label_1"],
            "unread": number == 1,
        }
        for number in (1, 2)
    ),
    "Draft": (
        {
            "id": gmail.draft_id(1),
            "message": {
                "id": gmail.message_id(3),
                "threadId": gmail.message_id(3),
                "from": "Pat Moss <pat@tarnwick.example>",
                "to": ["ann@larkfield.example"],
                "subject": "Later",
                "date": "2026-03-03T08:00:00+00:00",
                "body": "Not yet.",
                "labels": ["DRAFT"],
            },
        },
    ),
    "Label": ({"id": gmail.label_id(1), "name": "Returns"},),
}

_MAILS = [gmail.message_id(number) for number in (1, 2, 3)]
_LABELS = ["INBOX", "UNREAD", "STARRED", gmail.label_id(1)]
_RAW = base64.urlsafe_b64encode(b"To: ann@larkfield.example\r\nSubject: Credit note\r\n\r\nThanks").decode()

MEANT: dict[str, list[Any]] = {
    "userId": ["me"],
    "id": [*_MAILS, gmail.draft_id(1), gmail.label_id(1)],
    "ids": [_MAILS[:2], _MAILS],
    "thread_id": _MAILS,
    "threadId": _MAILS,
    "label": ["Returns", "STARRED"],
    "name": ["Later", "Returns"],
    "labelIds": [*_LABELS, _LABELS[:2]],
    "addLabelIds": [*_LABELS, _LABELS[:2]],
    "removeLabelIds": [*_LABELS, _LABELS[:2]],
    "to": ["ann@larkfield.example", "Ann <ann@x.example>, pat@tarnwick.example"],
    "cc": ["bo@x.example"],
    "raw": [_RAW],
    "message": [{"raw": _RAW}, {"raw": _RAW, "threadId": _MAILS[0]}],
    "q": ["from:ann", "in:drafts OR is:unread", "CN-20417 newer_than:9d"],
    "query": ["from:ann", "in:anywhere", "is:unread"],
}

FILLED = {
    "message id": gmail.message_id(1),
    "thread id": gmail.message_id(1),
    "draft id": gmail.draft_id(1),
}
"""What stands in an example's `<...>` -> a value of this world."""
