"""A task made by hand: one contact's number and one post, with a namesake and a hold to stumble over."""

from __future__ import annotations

from typing import Any

from environment.contract import Allowance, Change, Contract, Equals, Fact, Mentions, Omits, Phone
from environment.task import Task, ToolCall, Trap, make_task

OREN, OREN_TOO = "003000000000101AAA", "003000000000102AAA"
ANN = "U0000000301"
DESK, HALL = "C0000000201", "C0000000202"
RULES = "Numbers: whoever changes one says so in #desk.\n\n" + "Say whose number it is and what it is now. " * 12
NUMBER = "555-0142"

CONTACT = Change(
    label="number",
    app="salesforce",
    collection="Contact",
    action="update",
    id=OREN,
    fields={"Phone": (Phone(number=NUMBER),)},
)
POST = Change(
    label="word",
    app="slack",
    collection="Message",
    action="create",
    key={"channel": (Equals(value=DESK),)},
    fields={
        "text": (
            Mentions(facts=((Fact(spellings=("Oren Haddad",)), Fact(read_as="phone", spellings=(NUMBER,))),)),
            Omits(claims=((Fact(spellings=("Orin Haddad",)),),)),
        )
    },
)


def call(tool: str, **arguments: Any) -> ToolCall:
    return ToolCall(tool=tool, arguments=arguments)


FIND = call("salesforce_find_contacts", name="Haddad")
UPDATE = call("salesforce_update_contact", id=OREN, phone=NUMBER)
READ = call("slack_read_channel", channel="desk")
SAY = call("slack_post_message", channel="desk", text=f"Oren Haddad: {NUMBER}")


def contact_task(**changed: Any) -> Task:
    """The task, with some of its parts replaced."""
    people = [
        {"Id": OREN, "FirstName": "Oren", "LastName": "Haddad", "Phone": "555-0100"},
        {"Id": OREN_TOO, "FirstName": "Orin", "LastName": "Haddad", "Phone": "555-0101"},
    ]
    posted = "1782900000.000001"
    rules = {
        "id": f"{DESK}/{posted}",
        "channel": DESK,
        "ts": posted,
        "user": "U0000000301",
        "text": RULES,
        "pinned": True,
    }
    parts: dict[str, Any] = {
        "split": "train",
        "domain": "support",
        "family": "by_hand",
        "seed": "s",
        "index": 0,
        "generator_version": "v",
        "knobs": {"entities": 1.0},
        "apps": ("salesforce", "slack"),
        "actions": (
            "salesforce_find_contacts",
            "salesforce_update_contact",
            "slack_read_channel",
            "slack_post_message",
        ),
        "toolset": "actions",
        "now": "2026-07-09T15:40:00+00:00",
        "actor": {"name": "Mira Solberg", "email": "mira@tarn.com", "company": "Tarn", "domain": "tarn.com"},
        "prompt": f"Oren Haddad rang from {NUMBER}; put it on his contact. Rules in #desk.",
        "world": {
            "salesforce": {"Contact": people},
            "slack": {
                "Channel": [{"id": DESK, "name": "desk"}, {"id": HALL, "name": "hall"}],
                "User": [{"id": ANN, "name": "ann", "real_name": "Ann Varga"}],
                "Message": [rules],
            },
        },
        "contract": Contract(
            all_of=(CONTACT, POST),
            allowed=(Allowance(app="slack", collection="Channel", action="update", fields=("topic",)),),
        ),
        "traps": (
            Trap(
                name="near_duplicate",
                note="Takes Orin for Oren.",
                sprung=(call("salesforce_update_contact", id=OREN_TOO, phone=NUMBER), SAY),
            ),
        ),
        "reference": (READ, FIND, UPDATE, SAY),
    }
    return make_task(**{**parts, **changed})
