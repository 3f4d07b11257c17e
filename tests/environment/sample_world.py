"""A small world with a few rows of every application, for tests that hold for all of them."""

from __future__ import annotations

import base64
from typing import Any

from environment.apps import google_calendar as calendar
from environment.apps.gmail import rows as gmail
from environment.apps.google_sheets import rows as sheets
from environment.apps.jira import rows as jira
from environment.apps.salesforce import ids as salesforce
from environment.apps.slack import rows as slack
from environment.apps.xero import rows as xero
from environment.apps.zendesk import rows as zendesk

ACTOR = {"name": "Pat Moss", "email": "pat@tarnwick.example", "company": "Tarnwick", "domain": "tarnwick.example"}
NOW = "2026-03-04T09:20:00+00:00"

_PEOPLE = (("pat.moss", "Pat Moss", "pat@tarnwick.example"), ("ann.lee", "Ann Lee", "ann@tarnwick.example"))
_CHANNEL = slack.channel_id(1)
_POSTS = (slack.message_ts(1772611200, 1), slack.message_ts(1772611300, 2))
_BOOK = sheets.spreadsheet_id(1)
_SHEET = sheets.sheet_id(_BOOK, 0)
_AGENT, _CUSTOMER = zendesk.user_id(1), zendesk.user_id(2)

WORLD: dict[str, dict[str, tuple[dict[str, Any], ...]]] = {
    "salesforce": {
        "User": (
            {
                "Id": salesforce.spell_id("User", 1),
                "FirstName": "Pat",
                "LastName": "Moss",
                "Email": "pat@tarnwick.example",
            },
        ),
        "Account": ({"Id": salesforce.account_id(1), "Name": "Larkfield Optics"},),
        "Contact": (
            {"Id": salesforce.contact_id(1), "FirstName": "Oren", "LastName": "Haddad", "Phone": "555-0142"},
            {"Id": salesforce.contact_id(2), "FirstName": "Orin", "LastName": "Haddad", "Email": "orin@x.example"},
        ),
        "Lead": (
            {"Id": salesforce.lead_id(1), "LastName": "Ito", "Company": "Nimbus", "Status": "Working - Contacted"},
        ),
        "Opportunity": (
            {
                "Id": salesforce.opportunity_id(1),
                "Name": "Lenses",
                "StageName": "Prospecting",
                "CloseDate": "2026-06-01",
                "Amount": 1200.0,
            },
        ),
        "Case": ({"Id": salesforce.case_id(1), "CaseNumber": "00001001", "Subject": "Broken", "Status": "New"},),
    },
    "gmail": {
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
    },
    "slack": {
        "User": tuple(
            {"id": slack.user_id(number), "name": name, "real_name": real, "email": email}
            for number, (name, real, email) in enumerate(_PEOPLE, 1)
        ),
        "Channel": (
            {"id": _CHANNEL, "name": "ap-run", "members": [slack.user_id(1), slack.user_id(2)]},
            {"id": slack.channel_id(2), "name": "old", "is_archived": True},
        ),
        "Message": tuple(
            {
                "id": slack.message_id(_CHANNEL, ts),
                "channel": _CHANNEL,
                "ts": ts,
                "user": slack.user_id(number),
                "text": "Post the rest of each bill",
                "pinned": number == 1,
            }
            for number, ts in enumerate(_POSTS, 1)
        ),
        "Reaction": (
            {
                "id": slack.reaction_id(_CHANNEL, _POSTS[0], "eyes", slack.user_id(2)),
                "channel": _CHANNEL,
                "ts": _POSTS[0],
                "name": "eyes",
                "user": slack.user_id(2),
            },
        ),
        "File": ({"id": slack.file_id(1), "name": "bills.txt", "channels": [_CHANNEL]},),
    },
    "google_sheets": {
        "Spreadsheet": ({"id": _BOOK, "title": "Returns log"},),
        "Sheet": ({"id": _SHEET, "spreadsheet_id": _BOOK, "sheetId": 0, "title": "Returns"},),
        "GridRow": tuple(
            {"id": sheets.grid_row_id(_SHEET, serial), "sheet_id": _SHEET, "position": serial, "cells": cells}
            for serial, cells in enumerate((["RMA", "Status", "Amount"], ["RMA-553", "Received", 930.0]), 1)
        ),
    },
}

_MEETING, _SERIES = calendar.event_id(1), calendar.event_id(2)
WORLD["google_calendar"] = {
    "Calendar": (
        {"id": "pat@tarnwick.example", "summary": "Pat Moss", "timeZone": "Europe/London"},
        {"id": "ann@tarnwick.example", "summary": "Ann Lee", "timeZone": "America/New_York", "listed": True},
        {"id": calendar.room_id(1), "summary": "Board room", "timeZone": "Europe/London", "listed": True},
        {"id": calendar.calendar_id(1), "summary": "Launches", "accessRole": "owner", "listed": True},
    ),
    "Event": (
        {
            "id": _MEETING,
            "calendarId": "pat@tarnwick.example",
            "summary": "Returns review",
            "start": {"dateTime": "2026-03-04T10:00:00+00:00", "timeZone": "Europe/London"},
            "end": {"dateTime": "2026-03-04T10:45:00+00:00", "timeZone": "Europe/London"},
        },
        {
            "id": _SERIES,
            "calendarId": "ann@tarnwick.example",
            "summary": "Stand-up",
            "start": {"dateTime": "2026-03-02T09:00:00-05:00", "timeZone": "America/New_York"},
            "end": {"dateTime": "2026-03-02T09:15:00-05:00", "timeZone": "America/New_York"},
            "recurrence": ["RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=8"],
        },
        {
            "id": calendar.event_id(3),
            "calendarId": calendar.calendar_id(1),
            "summary": "Spring range",
            "start": {"date": "2026-03-09"},
            "end": {"date": "2026-03-11"},
        },
    ),
    "Attendee": tuple(
        {"id": calendar.attendee_id(event, email), "eventId": event, "email": email, "responseStatus": answer}
        for event, email, answer in (
            (_MEETING, "ann@larkfield.example", "accepted"),
            (_MEETING, calendar.room_id(1), "accepted"),
            (_SERIES, "pat@tarnwick.example", "needsAction"),
        )
    ),
}

WORLD["xero"] = {
    "Contact": (
        {"ContactID": xero.contact_id(1), "Name": "Larkfield Optics", "EmailAddress": "ann@larkfield.example"},
        {"ContactID": xero.contact_id(2), "Name": "Larkfield Optical Supplies"},
    ),
    "Account": (
        {"AccountID": xero.account_id(1), "Code": "090", "Name": "Main account", "Type": "BANK"},
        {"AccountID": xero.account_id(2), "Code": "315", "Name": "Purchase returns", "Type": "DIRECTCOSTS"},
    ),
    "Invoice": tuple(
        {
            "InvoiceID": xero.invoice_id(count),
            "Type": kind,
            "InvoiceNumber": number,
            "ContactID": xero.contact_id(1),
            "Date": "2026-02-03",
            "DueDate": "2026-03-19",
            "Status": status,
            "AmountCredited": 60.5 if kind == "ACCPAY" else 0,
            "LineItems": [{"Description": "Lenses", "UnitAmount": 2004, "AccountCode": "315"}],
        }
        for count, (kind, number, status) in enumerate(
            (("ACCPAY", "B-7730", "AUTHORISED"), ("ACCREC", "INV-0001", "AUTHORISED"), ("ACCREC", "INV-2", "DRAFT")), 1
        )
    ),
    "CreditNote": (
        {
            "CreditNoteID": xero.credit_note_id(1),
            "Type": "ACCPAYCREDIT",
            "CreditNoteNumber": "CN-20431",
            "ContactID": xero.contact_id(1),
            "Date": "2026-02-20",
            "AppliedAmount": 60.5,
            "LineItems": [{"Description": "Returned", "LineAmount": 990.5, "AccountCode": "315"}],
        },
    ),
    "Allocation": (
        {
            "AllocationID": xero.allocation_id(1),
            "CreditNoteID": xero.credit_note_id(1),
            "InvoiceID": xero.invoice_id(1),
            "Amount": 60.5,
            "Date": "2026-02-20",
        },
    ),
    "Payment": (
        {
            "PaymentID": xero.payment_id(1),
            "CreditNoteID": xero.credit_note_id(2),
            "AccountID": xero.account_id(1),
            "Date": "2026-02-20",
            "Amount": 5,
            "Status": "DELETED",
        },
    ),
    "BankTransaction": (
        {
            "BankTransactionID": xero.bank_transaction_id(1),
            "Type": "SPEND",
            "BankAccountID": xero.account_id(1),
            "ContactID": xero.contact_id(1),
            "Date": "2026-01-10",
            "LineItems": [{"Description": "Fee", "UnitAmount": 3, "AccountCode": "315"}],
        },
    ),
    "PurchaseOrder": (
        {
            "PurchaseOrderID": xero.purchase_order_id(1),
            "PurchaseOrderNumber": "PO-0001",
            "ContactID": xero.contact_id(1),
            "Date": "2026-01-10",
            "LineItems": [{"Description": "Lenses", "Quantity": 4, "UnitAmount": 501, "AccountCode": "315"}],
        },
    ),
    "Quote": (
        {
            "QuoteID": xero.quote_id(1),
            "QuoteNumber": "QU-0001",
            "ContactID": xero.contact_id(2),
            "Date": "2026-01-10",
            "LineItems": [{"Description": "Frames", "UnitAmount": 80}],
        },
    ),
    "Item": ({"ItemID": xero.item_id(1), "Code": "LENS", "Name": "Lens", "SalesDetails": {"UnitPrice": 12.5}},),
}

WORLD["zendesk"] = {
    "Ticket": tuple(
        {
            "id": zendesk.ticket_id(number),
            "subject": subject,
            "status": "open",
            "requester_id": _CUSTOMER,
            "tags": ["refund"],
            "created_at": f"2026-03-0{number}T08:00:00Z",
        }
        for number, subject in enumerate(("Late refund", "Refund is late"), 1)
    ),
    "Comment": tuple(
        {
            "id": zendesk.comment_id(number),
            "ticket_id": zendesk.ticket_id(number),
            "author_id": _CUSTOMER,
            "body": "Where is my refund?",
            "created_at": f"2026-03-0{number}T08:00:00Z",
        }
        for number in (1, 2)
    ),
    "User": (
        {"id": _AGENT, "name": "Pat Moss", "email": "pat@tarnwick.example", "role": "admin"},
        {
            "id": _CUSTOMER,
            "name": "Oren Haddad",
            "email": "oren@larkfield.example",
            "organization_id": zendesk.organization_id(1),
        },
    ),
    "Organization": ({"id": zendesk.organization_id(1), "name": "Larkfield Optics"},),
    "Group": ({"id": zendesk.group_id(1), "name": "Returns"},),
    "GroupMembership": (
        {"id": zendesk.membership_id(1), "user_id": _AGENT, "group_id": zendesk.group_id(1), "default": True},
    ),
    "Macro": (
        {
            "id": zendesk.macro_id(1),
            "title": "Returns",
            "actions": [
                {"field": "priority", "value": "high"},
                {"field": "comment_value", "value": "Hello {{ticket.requester.first_name}}"},
            ],
        },
    ),
    "TicketField": ({"id": zendesk.field_id(1), "title": "RMA"},),
}

_JIRA_USERS = [jira.account_id(1), jira.account_id(2)]
_ISSUES = ["OPS-1", "OPS-2", "OPS-3", "FIN-1"]
WORLD["jira"] = {
    "User": tuple(
        {"accountId": key, "displayName": name, "emailAddress": email}
        for key, (_, name, email) in zip(_JIRA_USERS, _PEOPLE, strict=True)
    ),
    "Project": (
        {"id": jira.project_id(1), "key": "OPS", "name": "Operations", "lead": _JIRA_USERS[1]},
        {"id": jira.project_id(2), "key": "FIN", "name": "Finance", "requiredFields": ["duedate"]},
    ),
    "Issue": tuple(
        {
            "id": jira.issue_id(number),
            "key": key,
            "project": key.partition("-")[0],
            "issuetype": "Sub-task" if key == "OPS-3" else "Task",
            "summary": "Credit note RMA-553",
            "status": "Open" if key == "FIN-1" else "To Do",
            "reporter": _JIRA_USERS[0],
            "assignee": _JIRA_USERS[1] if key == "OPS-1" else None,
            "parent": "OPS-1" if key == "OPS-3" else None,
            "labels": ["refund"],
            "fixVersions": [jira.version_id(1)] if key == "OPS-2" else [],
            "duedate": "2026-03-06",
            "created": f"2026-03-0{number}T08:00:00+00:00",
            "updated": f"2026-03-0{number}T08:00:00+00:00",
            jira.field_id(1): "S2",
        }
        for number, key in enumerate(_ISSUES, 1)
    ),
    "Comment": (
        {
            "id": jira.comment_id(1),
            "issue": "OPS-1",
            "author": _JIRA_USERS[1],
            "body": "Where is it?",
            "created": "2026-03-02T08:00:00+00:00",
            "updated": "2026-03-02T08:00:00+00:00",
        },
    ),
    "Worklog": (
        {
            "id": jira.worklog_id(1),
            "issue": "OPS-1",
            "author": _JIRA_USERS[1],
            "timeSpentSeconds": 5400,
            "started": "2026-03-02T08:00:00+00:00",
            "created": "2026-03-02T08:00:00+00:00",
            "updated": "2026-03-02T08:00:00+00:00",
        },
    ),
    "Version": ({"id": jira.version_id(1), "project": "OPS", "name": "March"},),
    "IssueLink": ({"id": jira.link_id(1), "type": "Blocks", "inwardIssue": "OPS-1", "outwardIssue": "OPS-2"},),
    "Workflow": (
        {
            "id": jira.workflow_id(1),
            "project": "FIN",
            "statuses": [
                {"name": "Open", "category": "new"},
                {"name": "Approved", "category": "indeterminate"},
                {"name": "Closed", "category": "done"},
            ],
            "transitions": [
                {"id": "11", "name": "Approve", "to": "Approved", "sources": ["Open"]},
                {"id": "21", "name": "Close", "to": "Closed", "requires": ["resolution"], "offers": ["assignee"]},
            ],
        },
    ),
    "CustomField": (
        {"id": jira.field_id(1), "name": "Severity", "type": "option", "options": ["S1", "S2"]},
        {"id": jira.field_id(2), "name": "Budget", "type": "number", "projects": ["FIN"]},
    ),
}

WORDS = (
    *(
        "ann@tarnwick.example",
        "ann@larkfield.example",
        "ap-run",
        "#ap-run",
        "eyes",
        "Returns",
        "INBOX",
        "me",
        "Contact",
    ),
    *("Haddad", "RMA-553", "Returns!A1:C2", "A1", "Status", "SELECT Id FROM Contact", "FIND {Oren}", "Closed Won"),
    *("2026-03-04", *_POSTS),
    *("2026-03-04T09:00:00Z", "2026-03-05T09:00:00Z", "primary"),
)
"""Values that mean something in this world, besides the ids of its rows."""

_MAILS = [gmail.message_id(number) for number in (1, 2, 3)]
_LABELS = ["INBOX", "UNREAD", "STARRED", gmail.label_id(1)]
_RAW = base64.urlsafe_b64encode(b"To: ann@larkfield.example\r\nSubject: Credit note\r\n\r\nThanks").decode()
_USERS = [slack.user_id(1), slack.user_id(2)]
_MEETINGS = [_MEETING, _SERIES, f"{_SERIES}_20260304T140000Z", calendar.event_id(3)]
_CALENDARS = ["primary", "pat@tarnwick.example", "ann@tarnwick.example", calendar.calendar_id(1), calendar.room_id(1)]
_TIMES = [
    {"dateTime": f"2026-03-0{day}T1{hour}:00:00", "timeZone": "Europe/London"} for day in (4, 9) for hour in (0, 3)
]
_RANGES = ["Returns!A1:C2", "A1", "Returns", "B2:B", "2:2"]
_RULES = [
    {"addSheet": {"properties": {"title": "Log"}}},
    {"deleteDimension": {"range": {"sheetId": 0, "dimension": "ROWS", "startIndex": 1, "endIndex": 2}}},
    {"updateSheetProperties": {"properties": {"sheetId": 0, "title": "Old"}, "fields": "title"}},
    {"updateSpreadsheetProperties": {"properties": {"title": "Log"}, "fields": "title"}},
    {"insertDimension": {"range": {"sheetId": 0, "dimension": "COLUMNS", "startIndex": 1, "endIndex": 2}}},
    {"appendDimension": {"sheetId": 0, "dimension": "ROWS", "length": 3}},
    {"appendCells": {"sheetId": 0, "rows": [{"values": [{"userEnteredValue": {"numberValue": 9}}]}], "fields": "*"}},
    {
        "updateCells": {
            "rows": [{"values": [{"userEnteredValue": {"formulaValue": "=SUM(C2:C9)"}}, {}]}],
            "fields": "userEnteredValue",
            "start": {"sheetId": 0, "rowIndex": 1, "columnIndex": 2},
        }
    },
    {"findReplace": {"find": "received", "replacement": "Credited", "range": {"sheetId": 0, "startRowIndex": 1}}},
    {
        "sortRange": {
            "range": {"sheetId": 0, "startRowIndex": 1, "endRowIndex": 9},
            "sortSpecs": [{"dimensionIndex": 2, "sortOrder": "DESCENDING"}],
        }
    },
    {"deleteSheet": {"sheetId": 0}},
]
_BLOCKS = [
    {"type": "section", "text": {"type": "mrkdwn", "text": "*Paid* <https://x.example|note>"}},
    {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "Paid"}]}]},
]
_TICKETS = [zendesk.ticket_id(1), zendesk.ticket_id(2)]

MEANT: dict[str, dict[str, list[Any]]] = {
    "salesforce": {
        "object": ["Contact", "Account", "Lead", "Opportunity", "Case", "Task"],
        "fields": ["Id,Name", {"LastName": "Adler"}, {"Subject": "Call"}, {"Name": "Nimbus"}, {"Phone": "555-0100"}],
        "inputs": [[{"leadId": salesforce.lead_id(1), "convertedStatus": "Closed - Converted"}]],
        "q": ["SELECT Id, Name FROM Contact WHERE Name LIKE 'O%'", "FIND {Oren}", "Haddad"],
        "soql": ["SELECT Id, Account.Name FROM Contact ORDER BY Name LIMIT 5", "SELECT COUNT() FROM Lead"],
        "stage": ["Closed Won", "Prospecting", "Closed Lost"],
        "status": ["Working - Contacted", "Closed", "Completed", "Sent"],
        "priority": ["High", "Low"],
        "rating": ["Hot", "Cold"],
        "close_date": ["2026-03-31"],
        "due_date": ["2026-03-31"],
        "start": ["2026-03-05T10:00:00+00:00"],
        "email": ["orin@x.example"],
        "field": ["Phone", "Name", "Description", "OwnerId"],
    },
    "gmail": {
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
    },
    "slack": {
        "channel": [_CHANNEL, "#ap-run", "ap-run", slack.channel_id(2), slack.im_id(_USERS[1])],
        "ts": [*_POSTS],
        "timestamp": [*_POSTS],
        "thread_ts": [*_POSTS],
        "user": _USERS,
        "user_id": _USERS,
        "users": [*_USERS, ",".join(_USERS)],
        "file": [slack.file_id(1)],
        "email": ["ann@tarnwick.example"],
        "name": ["eyes", "white_check_mark", "new-channel", "Ann"],
        "query": ["bill", "in:#ap-run from:@ann.lee"],
        "blocks": [_BLOCKS],
    },
    "google_sheets": {
        "spreadsheet": [_BOOK, "Returns log"],
        "spreadsheetId": [_BOOK],
        "fileId": [_BOOK],
        "sheet": ["Returns"],
        "range": _RANGES,
        "ranges": [*_RANGES, _RANGES],
        "column": ["Status", "RMA", "B"],
        "row": [1, 2, 3],
        "value": ["Credited", "RMA-553", "930"],
        "valueInputOption": ["RAW", "USER_ENTERED"],
        "values": [[["RMA-561", "In transit", "12%"]], [[]], ["RMA-561", "=A1", "4 March 2026"]],
        "data": [[{"range": "A1:B1", "values": [["x", None]]}]],
        "requests": [[rule] for rule in _RULES],
        "properties": [{"title": "New"}],
    },
    "google_calendar": {
        "calendarId": _CALENDARS,
        "eventId": _MEETINGS,
        "destination": _CALENDARS,
        "start": [*_TIMES, {"date": "2026-03-10"}, "2026-03-05T14:00", "2026-03-05"],
        "end": [*_TIMES, {"date": "2026-03-11"}],
        "attendees": [[{"email": "ann@larkfield.example"}, {"email": calendar.room_id(1)}], [], ["Board room"]],
        "recurrence": [["RRULE:FREQ=DAILY;COUNT=3"], ["RRULE:FREQ=MONTHLY;BYDAY=-1FR"], []],
        "status": ["confirmed", "cancelled"],
        "id": _MEETINGS,
        "calendar": ["Launches", "ann@tarnwick.example"],
        "email": ["bo@x.example", "ann@larkfield.example", "Board room"],
        "day": ["2026-03-04", "2026-03-09"],
        "minutes": [30, 45],
        "timeZone": ["America/New_York", "UTC"],
        "timeMin": ["2026-03-01T00:00:00Z", "2026-03-04T09:00:00+01:00"],
        "timeMax": ["2026-03-31T00:00:00Z", "2026-03-05T00:00:00Z"],
        "items": [[{"id": key} for key in _CALENDARS]],
        "q": ["review", "ann@larkfield.example"],
        "sendUpdates": ["all", "none"],
    },
}
"""Application -> argument -> values that make sense there."""

MEANT["xero"] = {
    "id": [
        *(xero.invoice_id(1), xero.invoice_id(3), xero.contact_id(1), xero.credit_note_id(1), "INV-0001"),
        *(xero.account_id(2), xero.quote_id(1), xero.purchase_order_id(1), xero.item_id(1), "CN-20431"),
        *(xero.payment_id(1), xero.bank_transaction_id(1)),
    ],
    "allocation_id": [xero.allocation_id(1)],
    "number": ["B-7730", "INV-0001", "INV-2", "CN-20431", "PO-0001", "QU-0001"],
    "invoice": ["B-7730", "INV-0001"],
    "credit_note": ["CN-20431"],
    "contact": ["Larkfield Optics", "Larkfield"],
    "name": ["Larkfield Optics", "Main"],
    "currency": ["GBP", "EUR"],
    "account": ["315", "090", "Main account"],
    "amount": [10, 930.0, 99999],
    "date": ["2026-03-01"],
    "due_date": ["2026-03-31"],
    "where": [
        'Status=="AUTHORISED" AND AmountDue>0',
        'Contact.Name.Contains("Lark") OR Date>=DateTime(2026,02,01)',
        'Name!=null AND Name.ToLower().StartsWith("main")',
    ],
    "order": ["Date DESC", "Name", "Code"],
    "body": [
        {"Status": "AUTHORISED"},
        {"Status": "VOIDED"},
        {"Amount": 10, "Invoice": {"InvoiceNumber": "B-7730"}, "Account": {"Code": "090"}},
        {"Amount": 10, "Invoice": {"InvoiceID": xero.invoice_id(1)}},
        {"Details": "Called."},
        {"Name": "Nimbus"},
        {"Code": "FRAME", "Name": "Frame", "Type": "EXPENSE"},
        {
            "Type": "ACCPAY",
            "Contact": {"Name": "Larkfield Optics"},
            "DueDate": "2026-04-01",
            "LineItems": [{"Description": "Lenses", "Quantity": 2, "UnitAmount": "12.50", "AccountCode": "315"}],
        },
        {
            "Type": "ACCPAYCREDIT",
            "Contact": {"ContactID": xero.contact_id(1)},
            "LineItems": [{"Description": "Lenses", "LineAmount": 20, "AccountCode": "315"}],
        },
        {
            "Type": "SPEND",
            "BankAccount": {"Code": "090"},
            "Contact": {"Name": "Nimbus"},
            "LineItems": [{"Description": "Fee", "UnitAmount": 3, "AccountCode": "315"}],
        },
    ],
}

MEANT["zendesk"] = {
    "id": [*_TICKETS, _AGENT, _CUSTOMER, zendesk.macro_id(1), zendesk.organization_id(1), zendesk.group_id(1)],
    "ids": [",".join(_TICKETS), [_TICKETS[1]], _AGENT],
    "ticket_id": _TICKETS,
    "user_id": [_AGENT, _CUSTOMER],
    "organization_id": [zendesk.organization_id(1)],
    "group_id": [zendesk.group_id(1)],
    "query": ["type:ticket status<solved refund", "oren", "-tags:vip created>2026-03-01 order_by:created"],
    "name": ["Larkfield Optics"],
    "ticket": [
        {"subject": "Lens", "comment": {"body": "It broke"}, "requester": {"name": "Bo", "email": "bo@x.example"}},
        {"status": "solved", "assignee_id": int(_AGENT)},
        {"comment": {"body": "Looking into it", "public": False}, "tags": ["vip"]},
        {"custom_fields": [{"id": int(zendesk.field_id(1)), "value": "RMA-553"}], "additional_tags": ["b2b"]},
    ],
    "tickets": [[{"id": int(_TICKETS[0]), "priority": "high"}]],
    "user": [{"name": "Bo Lind", "email": "bo@x.example"}, {"phone": "555-0142", "notes": None}],
    "organization": [{"name": "Nimbus"}],
    "group": [{"name": "Billing"}, "Returns"],
    "group_membership": [{"user_id": int(_AGENT), "group_id": int(zendesk.group_id(1))}],
    "macro": [{"title": "Close", "actions": [{"field": "status", "value": "solved"}]}, "Returns"],
    "ticket_field": [{"title": "Colour", "type": "text"}],
    "tags": [["vip"], "vip, b2b"],
    "status": ["solved", "pending"],
    "assignee": ["Pat Moss", "me"],
    "source": [_TICKETS[0]],
    "target": [_TICKETS[1]],
    "requester_email": ["oren@larkfield.example", "bo@x.example"],
    "requester_name": ["Bo"],
}

_JIRA_TEXT = {"type": "paragraph", "content": [{"type": "text", "text": "Looking into it"}]}
_JIRA_DOCUMENT = {"type": "doc", "version": 1, "content": [_JIRA_TEXT]}
MEANT["jira"] = {
    "issueIdOrKey": [*_ISSUES, jira.issue_id(2)],
    "key": [*_ISSUES, "HR"],
    "other_key": _ISSUES,
    "parent": ["OPS-1"],
    "projectIdOrKey": ["OPS", "FIN", jira.project_id(1)],
    "project": ["OPS", "FIN"],
    "projectKeys": ["OPS", "OPS,FIN"],
    "issueTypeId": ["10002", "10003"],
    "accountId": _JIRA_USERS,
    "assignee": ["Ann Lee", "pat@tarnwick.example", "unassigned"],
    "id": [jira.comment_id(1), jira.worklog_id(1), jira.version_id(1)],
    "linkId": [jira.link_id(1)],
    "jql": [
        "project = OPS AND status != Done ORDER BY priority DESC, due",
        "assignee = currentUser() OR text ~ 'credit note' AND created >= -7d",
        "Severity = S2 AND fixVersion is not EMPTY AND issue in linkedIssues(OPS-1)",
    ],
    "query": ["credit note", "project = OPS AND due <= endOfWeek()", "ann"],
    "fields": [
        {"project": {"key": "OPS"}, "issuetype": {"name": "Task"}, "summary": "Call", "description": _JIRA_DOCUMENT},
        {"project": {"key": "OPS"}, "issuetype": {"name": "Sub-task"}, "summary": "Call", "parent": {"key": "OPS-1"}},
        {"priority": {"name": "High"}, "duedate": "2026-03-31", jira.field_id(1): {"value": "S1"}},
        {"status": {"name": "Done"}},
        {"assignee": None, "fixVersions": [{"name": "March"}]},
        {"resolution": {"name": "Done"}},
        "summary,status,assignee,-labels",
        ["*all"],
        ["key"],
    ],
    "update": [
        {"labels": [{"add": "vip"}, {"remove": "refund"}], "comment": [{"add": {"body": _JIRA_DOCUMENT}}]},
        {"issuelinks": [{"add": {"type": {"name": "Relates"}, "outwardIssue": {"key": "FIN-1"}}}]},
        {"summary": [{"set": "Chase"}]},
    ],
    "body": [_JIRA_DOCUMENT],
    "transition": [{"id": "41"}, {"id": "11"}, {"id": "21"}],
    "status": ["Done", "Approved", "in review"],
    "resolution": ["Done", "won't do"],
    "priority": ["High", "lowest"],
    "type": ["Task", "Bug", {"name": "Blocks"}],
    "inwardIssue": [{"key": "OPS-1"}, {"key": "OPS-2"}],
    "outwardIssue": [{"key": "FIN-1"}, {"key": "OPS-2"}],
    "due_date": ["2026-03-31"],
    "labels": [["vip", "refund"], []],
    "timeSpent": ["1h 30m", "2d"],
    "time_spent": ["1h 30m"],
    "started": ["2026-03-04T09:00:00.000+0000"],
    "comment": [_JIRA_DOCUMENT],
    "name": ["April", "March"],
}
