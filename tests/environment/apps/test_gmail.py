"""What Gmail does that a plain table of mails would not."""

from __future__ import annotations

import base64
import json
from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environment.apps.gmail import APP, Draft, Label, Message, draft_id, label_id, message_id
from environment.contract import Change, Contract, Fact, Mentions, SetOf
from environment.record import canonical_json
from environment.server import Server, parse_now
from environment.tools import ActionTools
from environment.verifier import verify
from environment.world import Base, World

_ACTOR = {"name": "Pat Moss", "email": "pat@tarnwick.example", "company": "Tarnwick", "domain": "tarnwick.example"}
_KINDS = {"gmail": {kind.__name__: kind for kind in (Message, Draft, Label)}}


def _row(number: int, **more: object) -> dict[str, Any]:
    return {
        "id": message_id(number),
        "threadId": message_id(number),
        "from": "Ann Lee <ann@larkfield.example>",
        "to": ["pat@tarnwick.example"],
        "subject": f"Returns {number}",
        "date": f"2026-03-01T08:{number:02d}:00+00:00",
        "body": f"Hello Pat, this is mail {number}.",
        **more,
    }


_BASE = Base(
    {
        "gmail": {
            "Message": (
                _row(1, unread=True),
                _row(2, labels=["INBOX", "Label_1"]),
                _row(3, threadId=message_id(2), subject="Re: Returns 2", message_id="<third@larkfield.example>"),
                _row(4, attachments=["march.pdf", "april.pdf"], subject="Grüße & <b>"),
                _row(5, labels=["SPAM"]),
            ),
            "Draft": (
                {"id": draft_id(1), "message": _row(6, labels=["DRAFT"], to=["bo@x.example"], body="Dear Bo")},
                {"id": draft_id(2), "message": _row(7, labels=["DRAFT"], to=[])},
            ),
            "Label": ({"id": label_id(1), "name": "Work/Returns"},),
        }
    },
    _KINDS,
)


class Mailbox:
    """A fresh world with both ways in."""

    def __init__(self) -> None:
        self.world = World(_BASE, parse_now("2026-03-04T09:20:00+00:00"))
        self.server = Server((APP,), self.world, _ACTOR)
        self.tools = ActionTools(self.server, (APP,), tuple(action.name for action in APP.all_actions))

    def api(self, method: str, path: str, body: Any = None, **params: Any) -> tuple[int, Any]:
        response = self.server.fetch(method, APP.url(f"/users/me{path}"), params, body)
        return response.status, response.body

    def act(self, name: str, /, **arguments: Any) -> Any:
        return json.loads(self.tools.call(name, arguments))

    def message(self, number: int) -> Message:
        return self.world.get(("gmail", "Message"), message_id(number))  # type: ignore[return-value]


@pytest.fixture
def box() -> Mailbox:
    return Mailbox()


def _raw(headers: str, body: str = "Hi") -> str:
    return base64.urlsafe_b64encode(f"{headers}\r\n\r\n{body}".encode()).decode()


# --- sending ---------------------------------------------------------------------------------------------------------


def test_sent_mail_is_stored_as_plain_fields_and_left_the_company(box: Mailbox) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Cc"] = (
        "x@y.example",
        "Bo Ek <Bo@X.example>, c@y.example",
        '"Lee, Ann" <ann@z.example>',
    )
    mail["Subject"] = "Grüße – zwölf"
    mail.set_content("Total: 12 €\nBye")
    mail.add_alternative("<p>Total: <b>12 €</b></p>", subtype="html")
    mail.add_attachment(b"x", maintype="application", subtype="pdf", filename="märz.pdf")
    status, body = box.api("POST", "/messages/send", {"raw": base64.urlsafe_b64encode(mail.as_bytes()).decode()})
    assert (status, body["labelIds"]) == (200, ["SENT"])
    (change,) = box.world.changes()
    assert change.sent and change.before is None and change.after is not None
    assert {name: change.after[name] for name in ("from", "to", "cc", "subject", "body", "attachments")} == {
        "from": "Pat Moss <pat@tarnwick.example>",
        "to": ["bo@x.example", "c@y.example"],
        "cc": ["ann@z.example"],
        "subject": "Grüße – zwölf",
        "body": "Total: 12 €\nBye",
        "attachments": ["märz.pdf"],
    }


@pytest.mark.parametrize(
    ("raw", "body"),
    [
        (_raw("To: a@b.example", "plain\r\nlines\r\n"), "plain\nlines"),
        (
            _raw("To: a@b.example\r\nContent-Type: text/html", "<p>One &amp; two</p><div>3<br>4</div>"),
            "One & two\n3\n4",
        ),
        (_raw("To: a@b.example\r\nContent-Transfer-Encoding: quoted-printable", "caf=C3=A9=\r\n!"), "café!"),
        (_raw('To: a@b.example\r\nContent-Type: text/plain; charset="nonsense"', "é"), "é"),
        (_raw("To: a@b.example\r\nContent-Type: text/plain; charset=us-ascii", "é"), "é"),
        (_raw("To: a@b.example", ""), ""),
    ],
)
def test_body_is_stored_as_plain_text(box: Mailbox, raw: str, body: str) -> None:
    assert box.api("POST", "/messages/send", {"raw": raw})[0] == 200
    assert box.message(8).body == body


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (None, "'raw' RFC822 payload message string or uploading message via /upload/* URL required"),
        (_raw("Subject: x"), "Recipient address required"),
        (_raw("To: bob"), "Invalid To header"),
        (_raw("To: a@b.example, bob@"), "Invalid To header"),
        (_raw("To: a b@c.example"), "Invalid To header"),
        (_raw("To: a@b.example; c@d.example"), "Invalid To header"),
        (_raw("To: a@b.example\r\nCc: <a@b..example>"), "Invalid Cc header"),
        (_raw("To: a@b.example\r\nBcc: a..b@c.example"), "Invalid Bcc header"),
        (_raw("To: " + "," * 50 + "(" * 50_000), "Invalid To header"),
        (_raw("To: " + ",".join(f"a{n}@b.example" for n in range(501))), "Too many recipients: at most 500"),
        ("%%%", "Invalid value at 'message.raw' (TYPE_BYTES), Base64 decoding failed"),
        ("a", "Invalid value at 'message.raw' (TYPE_BYTES), Base64 decoding failed"),
    ],
)
def test_mail_that_cannot_be_sent_is_refused_in_googles_words(box: Mailbox, raw: str | None, message: str) -> None:
    status, body = box.api("POST", "/messages/send", {} if raw is None else {"raw": raw})
    assert (status, body["error"]["message"], body["error"]["status"]) == (400, message, "INVALID_ARGUMENT")
    assert body["error"]["errors"] == [{"message": message, "domain": "global", "reason": "invalidArgument"}]
    assert box.world.changes() == ()


def test_mail_to_oneself_also_arrives(box: Mailbox) -> None:
    box.act("gmail_send_email", to="Pat@Tarnwick.example", subject="Note", body="x")
    assert (box.message(8).labels, box.message(8).unread) == (("INBOX", "SENT"), True)


def test_line_breaks_in_a_subject_add_no_header(box: Mailbox) -> None:
    box.act("gmail_send_email", to="a@b.example", subject="Hi\r\nBcc: spy@c.example", body="x")
    assert (box.message(8).subject, box.message(8).bcc) == ("Hi Bcc: spy@c.example", ())


def test_deleting_a_sent_mail_does_not_take_it_back(box: Mailbox) -> None:
    sent = box.act("gmail_send_email", to="a@b.example", subject="Hi", body="x")
    assert box.api("DELETE", f"/messages/{sent['id']}") == (204, None)
    (change,) = box.world.changes()
    assert change.sent and change.after is not None and change.after["to"] == ["a@b.example"]


def test_contracts_address_a_sent_mail_by_its_plain_fields(box: Mailbox) -> None:
    change = Change(
        label="mail",
        app="gmail",
        collection="Message",
        action="create",
        key={"to": (SetOf(members=("bo@x.example", "ann@z.example")),)},
        fields={
            "body": (Mentions(facts=((Fact(spellings=("CN-20431",)), Fact(read_as="money", spellings=("930.00",))),)),)
        },
    )
    contract = Contract(all_of=(change,))
    derived = {"gmail": {kind.__name__: fields for kind, fields in APP.derived.items()}}
    text = {"to": "Ann@z.example, Bo <bo@x.example>", "subject": "Credit", "body": "CN-20431 is GBP 930."}
    box.act("gmail_create_draft", **text)
    assert verify(contract, box.world.changes(), derived).partial_credit == 0
    (draft,) = [draft["id"] for draft in box.act("gmail_list_drafts") if draft["subject"] == "Credit"]
    box.act("gmail_send_draft", id=draft)
    assert verify(contract, box.world.changes(), derived).strict
    box.act("gmail_send_email", **text)
    assert not verify(contract, box.world.changes(), derived).strict


# --- threads ---------------------------------------------------------------------------------------------------------

_REFERS = "\r\nIn-Reply-To: <third@larkfield.example>\r\nReferences: <third@larkfield.example>"


@pytest.mark.parametrize(
    ("headers", "thread", "joins"),
    [
        ("Subject: Re: Returns 2" + _REFERS, 2, True),
        ("Subject: RE: Fwd: returns 2" + _REFERS, 2, True),
        ("Subject: Re: Returns 2" + _REFERS, None, True),
        ("Subject: Re: Returns 2", 2, False),
        ("Subject: Something else" + _REFERS, 2, False),
        ("Subject: Re: Returns 2" + _REFERS, 1, False),
        ("Subject: Re: Returns 2", None, False),
    ],
)
def test_a_reply_joins_a_thread_by_reference_and_subject(
    box: Mailbox, headers: str, thread: int | None, joins: bool
) -> None:
    body = {"raw": _raw(f"To: a@b.example\r\n{headers}"), **({"threadId": message_id(thread)} if thread else {})}
    assert box.api("POST", "/messages/send", body)[0] == 200
    assert box.message(8).threadId == message_id(2 if joins else 8)


def test_sending_into_an_unknown_thread_is_not_found(box: Mailbox) -> None:
    status, body = box.api("POST", "/messages/send", {"raw": _raw("To: a@b.example"), "threadId": message_id(99)})
    assert (status, body["error"]["message"]) == (404, "Requested entity was not found.")


def test_the_reply_action_answers_the_sender_in_the_same_thread(box: Mailbox) -> None:
    answer = box.act("gmail_reply", id=message_id(3), body="Thanks")
    assert answer == {"id": message_id(8), "threadId": message_id(2), "to": "ann@larkfield.example"}
    reply = box.message(8)
    assert (reply.subject, reply.to, reply.body) == ("Re: Returns 2", ("ann@larkfield.example",), "Thanks")
    assert box.act("gmail_reply", id=message_id(8), body="PS")["to"] == "ann@larkfield.example"
    bodies = [mail["body"] for mail in box.act("gmail_read_thread", thread_id=message_id(2))]
    assert bodies == ["Hello Pat, this is mail 2.", "Hello Pat, this is mail 3.", "Thanks", "PS"]


def test_threads_are_listed_once_and_modified_whole(box: Mailbox) -> None:
    status, body = box.api("GET", "/threads", q="returns")
    assert (status, [thread["id"] for thread in body["threads"]]) == (200, [message_id(n) for n in (7, 6, 2, 1)])
    status, body = box.api("POST", f"/threads/{message_id(2)}/modify", {"removeLabelIds": ["INBOX"]})
    assert [mail["labelIds"] for mail in body["messages"]] == [["Label_1"], []]
    box.api("POST", f"/threads/{message_id(2)}/trash")
    assert [box.message(n).labels for n in (2, 3)] == [("Label_1", "TRASH"), ("TRASH",)]
    assert box.api("DELETE", f"/threads/{message_id(2)}") == (204, None)
    assert box.api("GET", f"/threads/{message_id(2)}")[0] == 404


# --- reading ---------------------------------------------------------------------------------------------------------


def test_list_pages_newest_first_without_spam(box: Mailbox) -> None:
    found, token = [], None
    while True:
        status, body = box.api("GET", "/messages", maxResults=2, **({"pageToken": token} if token else {}))
        assert (status, body["resultSizeEstimate"]) == (200, 6)
        found += [item["id"] for item in body["messages"]]
        if (token := body.get("nextPageToken")) is None:
            break
    assert found == [message_id(n) for n in (7, 6, 4, 3, 2, 1)]
    assert box.api("GET", "/messages", q="from:nobody") == (200, {"resultSizeEstimate": 0})
    assert box.api("GET", "/messages", includeSpamTrash="true")[1]["resultSizeEstimate"] == 7


@pytest.mark.parametrize(
    ("labels", "expected"),
    [("INBOX", (4, 3, 2, 1)), (["INBOX", "UNREAD"], (1,)), ("Label_1", (2,)), ("SPAM", (5,)), ("DRAFT", (7, 6))],
)
def test_list_by_labels(box: Mailbox, labels: Any, expected: tuple[int, ...]) -> None:
    body = box.api("GET", "/messages", labelIds=labels)[1]
    assert [item["id"] for item in body["messages"]] == [message_id(n) for n in expected]


def test_a_message_has_googles_payload(box: Mailbox) -> None:
    _, body = box.api("GET", f"/messages/{message_id(4)}")
    headers = {header["name"]: header["value"] for header in body["payload"]["headers"]}
    assert (headers["Subject"], headers["Date"]) == ("Grüße & <b>", "Sun, 01 Mar 2026 08:04:00 +0000")
    assert (body["payload"]["mimeType"], body["internalDate"]) == ("multipart/mixed", "1772352240000")
    text, *attached = body["payload"]["parts"]
    assert base64.urlsafe_b64decode(text["body"]["data"]).decode() == "Hello Pat, this is mail 4."
    assert [part["filename"] for part in attached] == ["march.pdf", "april.pdf"]
    _, minimal = box.api("GET", f"/messages/{message_id(1)}", format="minimal")
    assert "payload" not in minimal and minimal["labelIds"] == ["UNREAD", "INBOX"]
    _, meta = box.api("GET", f"/messages/{message_id(1)}", format="metadata", metadataHeaders="subject")
    assert meta["payload"]["headers"] == [{"name": "Subject", "value": "Returns 1"}]
    _, raw = box.api("GET", f"/messages/{message_id(1)}", format="raw")
    assert b"Subject: Returns 1\r\n" in base64.urlsafe_b64decode(raw["raw"])


def test_reading_does_not_mark_as_read(box: Mailbox) -> None:
    box.act("gmail_read_email", id=message_id(1))
    box.act("gmail_search_emails", query="is:unread")
    assert box.world.changes() == ()


def test_actions_answer_briefly(box: Mailbox) -> None:
    assert box.act("gmail_search_emails", query="is:unread") == [
        {
            "id": message_id(1),
            "from": "Ann Lee <ann@larkfield.example>",
            "subject": "Returns 1",
            "date": "2026-03-01",
            "snippet": "Hello Pat, this is mail 1.",
        }
    ]
    assert box.act("gmail_read_email", id=message_id(4)) == {
        "from": "Ann Lee <ann@larkfield.example>",
        "to": "pat@tarnwick.example",
        "subject": "Grüße & <b>",
        "date": "2026-03-01 08:04",
        "body": "Hello Pat, this is mail 4.",
        "attachments": ["march.pdf", "april.pdf"],
        "threadId": message_id(4),
    }
    assert box.act("gmail_search_emails", query="nothing such") == []


# --- labels ----------------------------------------------------------------------------------------------------------


def test_read_marks_are_one_field(box: Mailbox) -> None:
    assert box.act("gmail_mark_read", id=message_id(1)) == {"id": message_id(1), "unread": False}
    (change,) = box.world.changes()
    assert change.before is not None and change.after is not None
    assert {name for name in change.after if change.after[name] != change.before[name]} == {"unread"}


def test_a_label_taken_off_and_put_back_is_no_change(box: Mailbox) -> None:
    assert box.act("gmail_archive", id=message_id(2)) == {"id": message_id(2), "archived": True}
    assert box.message(2).labels == ("Label_1",)
    assert box.api("POST", f"/messages/{message_id(2)}/modify", {"addLabelIds": ["INBOX"]})[0] == 200
    assert box.world.changes() == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, "No label add or removes specified"),
        ({"addLabelIds": ["Label_9"]}, "Invalid label: Label_9"),
        ({"addLabelIds": ["Work/Returns"]}, "Invalid label: Work/Returns"),
        ({"addLabelIds": ["SENT"]}, "Invalid label: SENT"),
        ({"addLabelIds": ["STARRED"], "removeLabelIds": ["STARRED"]}, "Cannot both add and remove the same label"),
        ({"addLabelIds": ["STARRED"] * 101}, "Too many labels: at most 100 can be added or removed"),
    ],
)
def test_label_changes_that_gmail_refuses(box: Mailbox, change: dict[str, Any], message: str) -> None:
    for path in (f"/messages/{message_id(1)}/modify", f"/threads/{message_id(1)}/modify"):
        status, body = box.api("POST", path, change)
        assert (status, body["error"]["message"]) == (400, message)


def test_batch_modify_skips_unknown_ids(box: Mailbox) -> None:
    ids = [message_id(1), message_id(99), message_id(2)]
    assert box.api("POST", "/messages/batchModify", {"ids": ids, "addLabelIds": ["STARRED"]}) == (204, None)
    assert [change.id for change in box.world.changes()] == [message_id(1), message_id(2)]


def test_trash_is_not_delete_and_can_be_undone(box: Mailbox) -> None:
    box.act("gmail_trash", id=message_id(2))
    assert box.message(2).labels == ("INBOX", "Label_1", "TRASH")
    for query in ('"mail 2"', "in:inbox subject:returns -is:unread -subject:re"):
        assert box.act("gmail_search_emails", query=query) == []
    assert [mail["id"] for mail in box.act("gmail_search_emails", query="in:trash")] == [message_id(2)]
    box.api("POST", f"/messages/{message_id(2)}/untrash")
    assert box.world.changes() == ()


def test_labels_by_name(box: Mailbox) -> None:
    assert box.act("gmail_add_label", id=message_id(1), label="work/returns") == {
        "id": message_id(1),
        "labels": ["UNREAD", "INBOX", "Work/Returns"],
    }
    assert "labels are: Work/Returns" in box.act("gmail_add_label", id=message_id(1), label="Work")["error"]
    assert box.act("gmail_create_label", name=" Later ") == {"id": "Label_2", "name": "Later"}
    status, body = box.api("POST", "/labels", {"name": "LATER"})
    assert (status, body["error"]["status"], body["error"]["message"]) == (
        409,
        "ABORTED",
        "Label name exists or conflicts",
    )
    assert box.api("POST", "/labels", {"name": "inbox"})[1]["error"]["message"] == "Invalid label name"


def test_a_deleted_label_leaves_every_message(box: Mailbox) -> None:
    assert box.api("GET", "/labels/Label_1")[1]["messagesTotal"] == 1
    assert box.api("DELETE", "/labels/Label_1") == (204, None)
    assert box.message(2).labels == ("INBOX",)
    assert box.api("DELETE", "/labels/INBOX")[1]["error"]["message"] == "Invalid delete request"


# --- drafts ----------------------------------------------------------------------------------------------------------


def test_a_draft_is_one_row_and_not_sent(box: Mailbox) -> None:
    assert box.act("gmail_create_draft", to="a@b.example", subject="Hi", body="Later") == {"id": draft_id(3)}
    (change,) = box.world.changes()
    assert (change.collection, change.sent) == ("Draft", False)
    assert change.after is not None and change.after["message"]["to"] == ["a@b.example"]
    assert {"id": draft_id(3), "to": "a@b.example", "subject": "Hi"} in box.act("gmail_list_drafts")


def test_a_sent_draft_is_a_message_and_a_draft_no_more(box: Mailbox) -> None:
    sent = box.act("gmail_send_draft", id=draft_id(1))
    assert (box.message(8).id, box.message(8).labels, box.message(8).body) == (sent["id"], ("SENT",), "Dear Bo")
    assert [(c.collection, c.after is None, c.sent) for c in box.world.changes()] == [
        ("Message", False, True),
        ("Draft", True, False),
    ]
    assert box.api("GET", f"/drafts/{draft_id(1)}")[0] == 404


def test_a_draft_without_recipient_cannot_be_sent(box: Mailbox) -> None:
    assert box.act("gmail_send_draft", id=draft_id(2)) == {"error": "Recipient address required"}
    body = {"id": draft_id(2), "message": {"raw": _raw("To: c@d.example\r\nSubject: New", "filled in")}}
    assert box.api("POST", "/drafts/send", body)[1]["labelIds"] == ["SENT"]
    (sent,) = [change.after for change in box.world.changes() if change.sent]
    assert sent is not None and (sent["to"], sent["body"]) == (["c@d.example"], "filled in")


def test_updating_a_draft_renews_its_message(box: Mailbox) -> None:
    body = box.api("PUT", f"/drafts/{draft_id(1)}", {"message": {"raw": _raw("To: c@d.example")}})[1]
    assert body == {
        "id": draft_id(1),
        "message": {"id": message_id(8), "threadId": message_id(6), "labelIds": ["DRAFT"]},
    }
    assert box.api("GET", f"/messages/{message_id(6)}")[0] == 404
    assert box.api("DELETE", f"/messages/{message_id(8)}") == (204, None)
    assert box.api("GET", f"/drafts/{draft_id(1)}")[0] == 404


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "params", "status"),
    [
        ("GET", f"/messages/{message_id(99)}", {}, 404),
        ("GET", "/messages/..%2F..%2Fetc", {}, 400),
        ("GET", "/messages/x\x00y", {}, 400),
        ("GET", "/messages", {"maxResults": -1}, 400),
        ("GET", "/messages", {"maxResults": "many"}, 400),
        ("GET", "/messages", {"maxResults": 10**30}, 200),
        ("GET", "/messages", {"pageToken": "next"}, 400),
        ("GET", "/messages", {"pageToken": "9" * 20}, 200),
        ("GET", "/messages", {"pageToken": "٣"}, 400),
        ("GET", "/messages", {"labelIds": "nope"}, 400),
        ("GET", "/messages", {"q": "x" * 1_000_000}, 200),
        ("GET", f"/messages/{message_id(1)}", {"format": "short"}, 400),
        ("POST", f"/messages/{message_id(1)}", {}, 405),
        ("GET", "/history", {}, 404),
    ],
)
def test_wrong_requests_get_googles_status(
    box: Mailbox, method: str, path: str, params: dict[str, Any], status: int
) -> None:
    answered, body = box.api(method, path, **params)
    assert answered == status
    if status >= 400:
        assert body["error"]["code"] == status and body["error"]["message"]


def test_another_persons_mailbox_is_refused(box: Mailbox) -> None:
    url = APP.url("/users/bo@tarnwick.example/messages")
    assert box.server.fetch("GET", url).body["error"]["message"] == "Delegation denied for bo@tarnwick.example"
    assert box.server.fetch("GET", APP.url("/users/Pat@Tarnwick.example/profile")).status == 200


_LINES = st.sampled_from(
    [
        *(
            "To: a@b.example",
            "Subject: =?utf-8?q?a=?=",
            "Subject: =?x?b?!!?=",
            "Content-Type: multipart/mixed; boundary=x",
        ),
        *("--x", "--x--", "Content-Type: text/html; charset=\x00", "Content-Type: message/rfc822", "", "<p>é</p>"),
        *(
            "Content-Transfer-Encoding: base64",
            "Content-Transfer-Encoding: x-uuencode",
            "begin 644 a",
            "=?utf-8?",
            "!!",
        ),
        *("Content-Disposition: attachment; filename*=utf-8''%ff%zz", "Content-Disposition: attachment; filename*9=a"),
        *("Content-Type: text/plain; charset*=x'y'utf-8", "References: <a> <b>", "\ud800", ":", " folded", "Cc: ,,"),
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_LINES, max_size=14), st.sampled_from(["\r\n", "\n", "\r"]))
def test_any_raw_text_is_sent_or_refused(lines: list[str], ending: str) -> None:
    box = Mailbox()
    raw = base64.b64encode(ending.join(lines).encode("utf-8", "surrogatepass")).decode()
    status, body = box.api("POST", "/messages/send", {"raw": raw})
    assert status in (200, 400)
    canonical_json([body, [change.to_json() for change in box.world.changes()]]).encode()


def test_deeply_nested_parts_are_refused(box: Mailbox) -> None:
    text = "To: a@b.example\r\n" + "".join(
        f"Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n" for n in range(3000)
    )
    status, body = box.api("POST", "/messages/send", {"raw": base64.b64encode(text.encode()).decode()})
    assert (status, body["error"]["message"]) == (400, "Invalid message: its parts are nested too deep")
