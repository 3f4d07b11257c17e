"""Slack: who sees what, threads, pages, text, search, and what its actions show."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from environment.apps.slack.app import APP
from environment.apps.slack.query import Names, compile_query
from environment.apps.slack.rows import (
    Message,
    channel_id,
    im_id,
    message_id,
    message_ts,
    reaction_id,
    user_id,
)
from environment.apps.slack.text import blocks_text, readable, stored, wire
from environment.server import Server
from environment.tools import ActionTools
from environment.world import Base, World

ACTOR = {"name": "Mara Lind", "email": "Mara@tarnwick.example", "company": "Tarnwick", "domain": "tarnwick.example"}
MARA, OREN, GONE, BOT = (user_id(number) for number in range(1, 5))
GENERAL, RUN, OLD, SECRET, BOARD = (channel_id(number) for number in range(1, 6))
START = 1_772_000_000


def _message(count: int, channel: str, user: str, text: str, **more: Any) -> dict[str, Any]:
    ts = message_ts(START + count, count)
    return {"id": message_id(channel, ts), "channel": channel, "ts": ts, "user": user, "text": text, **more}


ROOT = message_ts(START + 1, 1)
USERS = [
    {"id": MARA, "name": "mara", "real_name": "Mara Lind", "email": "mara@tarnwick.example"},
    {"id": OREN, "name": "oren", "real_name": "Oren Haddad", "email": "oren@tarnwick.example"},
    {"id": GONE, "name": "gone", "real_name": "Gone Person", "email": "gone@tarnwick.example", "deleted": True},
    {"id": BOT, "name": "helper", "real_name": "Helper", "is_bot": True},
]
CHANNELS = [
    {"id": GENERAL, "name": "general", "members": [MARA, OREN]},
    {"id": RUN, "name": "ap-run", "topic": "Bills & credits", "members": [MARA]},
    {"id": OLD, "name": "old", "is_archived": True, "members": [MARA]},
    {"id": SECRET, "name": "secret", "is_private": True, "members": [OREN]},
    {"id": BOARD, "name": "board", "is_private": True, "members": [MARA, OREN]},
]
MESSAGES = [
    _message(1, RUN, OREN, "Post the credit note here", pinned=True),
    _message(2, RUN, MARA, "Will do", thread_ts=ROOT),
    _message(
        3, RUN, OREN, f"<@{MARA}> R&D paid 1 < 2, see <https://x.example/a?b=1&c=2|the bill> in <#{GENERAL}|general>"
    ),
    *(_message(number, RUN, OREN, f"Note {number}") for number in range(4, 40)),
    _message(40, SECRET, OREN, "Nobody reads this credit"),
    _message(41, BOARD, OREN, "Credit line agreed"),
    _message(42, OLD, OREN, "Old news"),
]
REACTIONS = [{"id": reaction_id(RUN, ROOT, "eyes", OREN), "channel": RUN, "ts": ROOT, "name": "eyes", "user": OREN}]
WORLD = {"slack": {"User": USERS, "Channel": CHANNELS, "Message": MESSAGES, "Reaction": REACTIONS}}
NOW = datetime(2026, 3, 4, 9, 20, tzinfo=UTC)


class Workspace:
    """One world, its methods and its actions."""

    def __init__(self, actor: dict[str, str] = ACTOR) -> None:
        self.world = World(Base(WORLD, {"slack": {kind.__name__: kind for kind in APP.rows}}), NOW)  # type: ignore[arg-type]
        self._server = Server((APP,), self.world, actor)
        self._actions = ActionTools(self._server, (APP,), tuple(action.name for action in APP.all_actions))

    def __call__(self, method: str, /, **arguments: Any) -> Any:
        response = self._server.fetch("POST", APP.url(f"/{method}"), None, arguments)
        assert response.status == 200
        return response.body

    def action(self, name: str, /, **arguments: Any) -> Any:
        return json.loads(self._actions.call(f"slack_{name}", arguments))


@pytest.fixture
def slack() -> Workspace:
    return Workspace()


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("no.suchMethod", {}, "unknown_method"),
        ("chat.postMessage", {"channel": "#nowhere", "text": "x"}, "channel_not_found"),
        ("chat.postMessage", {"channel": "#secret", "text": "x"}, "channel_not_found"),
        ("chat.postMessage", {"channel": SECRET, "text": "x"}, "channel_not_found"),
        ("chat.postMessage", {"channel": OLD, "text": "x"}, "is_archived"),
        ("chat.postMessage", {"channel": RUN, "text": " \n"}, "no_text"),
        ("chat.postMessage", {"channel": RUN}, "no_text"),
        ("chat.postMessage", {"channel": RUN, "text": "x" * 40_001}, "msg_too_long"),
        ("chat.postMessage", {"channel": RUN, "text": "x", "thread_ts": "yesterday"}, "invalid_thread_ts"),
        ("chat.postMessage", {"channel": RUN, "text": "x", "thread_ts": "1772000001.999999"}, "thread_not_found"),
        ("chat.postMessage", {"text": "x"}, "invalid_arguments"),
        ("chat.update", {"channel": RUN, "ts": ROOT, "text": "x"}, "cant_update_message"),
        ("chat.update", {"channel": RUN, "ts": "1.2", "text": "x"}, "message_not_found"),
        ("chat.delete", {"channel": RUN, "ts": ROOT}, "cant_delete_message"),
        ("conversations.history", {"channel": "#ap-run"}, "channel_not_found"),
        ("conversations.history", {"channel": SECRET}, "channel_not_found"),
        ("conversations.history", {"channel": RUN, "cursor": "bm9uZQ=="}, "invalid_cursor"),
        ("conversations.history", {"channel": RUN, "limit": -1}, "invalid_limit"),
        ("conversations.history", {"channel": RUN, "oldest": "monday"}, "invalid_ts_oldest"),
        ("conversations.replies", {"channel": RUN, "ts": "1772000001.999999"}, "thread_not_found"),
        ("conversations.list", {"types": "public_channel,secret"}, "invalid_types"),
        ("conversations.open", {}, "users_list_not_supplied"),
        ("conversations.open", {"users": "U1"}, "user_not_found"),
        ("conversations.open", {"users": GONE}, "user_disabled"),
        ("conversations.create", {"name": "ap-run"}, "name_taken"),
        ("conversations.create", {"name": "Ap Run"}, "invalid_name_specials"),
        ("conversations.create", {"name": "x" * 81}, "invalid_name_maxlength"),
        ("conversations.invite", {"channel": RUN, "users": MARA}, "cant_invite_self"),
        ("conversations.invite", {"channel": GENERAL, "users": OREN}, "already_in_channel"),
        ("conversations.archive", {"channel": GENERAL}, "cant_archive_general"),
        ("conversations.archive", {"channel": OLD}, "already_archived"),
        ("conversations.join", {"channel": OLD}, "is_archived"),
        ("conversations.setTopic", {"channel": RUN, "topic": "x" * 251}, "too_long"),
        ("users.info", {"user": "U9"}, "user_not_found"),
        ("users.lookupByEmail", {"email": "nobody@tarnwick.example"}, "users_not_found"),
        ("users.lookupByEmail", {"email": "gone@tarnwick.example"}, "users_not_found"),
        ("reactions.add", {"channel": RUN, "timestamp": "1.2", "name": "eyes"}, "message_not_found"),
        ("reactions.add", {"channel": RUN, "timestamp": ROOT, "name": "two words"}, "invalid_name"),
        ("reactions.remove", {"channel": RUN, "timestamp": ROOT, "name": "eyes"}, "no_reaction"),
        ("pins.add", {"channel": RUN, "timestamp": ROOT}, "already_pinned"),
        ("pins.add", {"channel": OLD, "timestamp": message_ts(START + 42, 42)}, "is_archived"),
        ("search.messages", {"query": " "}, "no_query"),
        ("files.info", {"file": "F1"}, "file_not_found"),
    ],
)
def test_refusals_carry_slacks_code_and_change_nothing(
    slack: Workspace, method: str, arguments: dict[str, Any], error: str
) -> None:
    answer = slack(method, **arguments)
    assert (answer["ok"], answer["error"]) == (False, error)
    assert slack.world.changes() == ()


@pytest.mark.parametrize("spelling", ["ap-run", "#ap-run", RUN])
def test_a_post_by_id_or_name_is_one_sent_message_of_the_actor(slack: Workspace, spelling: str) -> None:
    answer = slack("chat.postMessage", channel=spelling, text="R&amp;D")
    (change,) = slack.world.changes()
    assert change.sent and change.before is None and change.after is not None
    assert (change.collection, change.id) == ("Message", f"{RUN}/{answer['ts']}")
    assert (change.after["channel"], change.after["text"], change.after["thread_ts"]) == (RUN, "R&D", None)
    assert change.after["user"] == MARA
    assert answer["message"]["text"] == "R&amp;D"


def test_deleting_a_post_does_not_take_it_back(slack: Workspace) -> None:
    ts = slack("chat.postMessage", channel=RUN, text="oops")["ts"]
    assert slack("chat.delete", channel=RUN, ts=ts)["ok"]
    assert [change.sent for change in slack.world.changes()] == [True]


def test_a_reply_to_a_reply_joins_the_thread_of_the_first_message(slack: Workspace) -> None:
    ts = slack("chat.postMessage", channel=RUN, text="more", thread_ts=message_ts(START + 2, 2))["ts"]
    thread = slack("conversations.replies", channel=RUN, ts=ts)["messages"]
    assert [message["ts"] for message in thread] == [ROOT, message_ts(START + 2, 2), ts]
    assert (thread[0]["reply_count"], thread[2]["thread_ts"]) == (2, ROOT)


def test_a_message_of_blocks_is_read_by_its_blocks(slack: Workspace) -> None:
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Credits"}},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "CN-1"}, {"type": "mrkdwn", "text": "930.00"}]},
        {
            "type": "rich_text",
            "elements": [{"type": "rich_text_section", "elements": [{"type": "user", "user_id": OREN}]}],
        },
    ]
    slack("chat.postMessage", channel=RUN, text="fallback", blocks=json.dumps(blocks))
    (change,) = slack.world.changes()
    assert change.after is not None and change.after["text"] == f"Credits\nCN-1 930.00\n<@{OREN}>"


def test_blocks_nested_without_end_read_as_nothing() -> None:
    nested: Any = "text"
    for _ in range(500):
        nested = {"elements": [nested]}
    assert blocks_text([nested]) == ""


def test_history_pages_hold_every_message_but_replies_once_newest_first(slack: Workspace) -> None:
    seen: list[str] = []
    cursor = ""
    while True:
        answer = slack("conversations.history", channel=RUN, limit=15, **({"cursor": cursor} if cursor else {}))
        seen += [message["ts"] for message in answer["messages"]]
        if not answer["has_more"]:
            break
        cursor = answer["response_metadata"]["next_cursor"]
    expected = [m["ts"] for m in MESSAGES if m["channel"] == RUN and "thread_ts" not in m]
    assert seen == sorted(expected, reverse=True)


@pytest.mark.parametrize(
    ("bounds", "count"),
    [
        ({"oldest": message_ts(START + 37, 37)}, 2),
        ({"oldest": message_ts(START + 37, 37), "inclusive": True}, 3),
        ({"oldest": str(START + 37)}, 3),
        ({"latest": START + 4}, 2),
        ({"latest": message_ts(START + 4, 4), "inclusive": True}, 3),
    ],
)
def test_history_between_two_moments(slack: Workspace, bounds: dict[str, Any], count: int) -> None:
    assert len(slack("conversations.history", channel=RUN, **bounds)["messages"]) == count


def test_private_channels_are_listed_for_their_members_only(slack: Workspace) -> None:
    found = slack("conversations.list", types="public_channel,private_channel")["channels"]
    assert [channel["name"] for channel in found] == ["general", "ap-run", "old", "board"]
    open_ones = slack("conversations.list", exclude_archived="true")["channels"]
    assert [channel["name"] for channel in open_ones] == ["general", "ap-run"]


def test_a_direct_message_has_an_id_known_beforehand_and_is_opened_once(slack: Workspace) -> None:
    first = slack("conversations.open", users=OREN)
    again = slack("conversations.open", users=OREN)
    assert first["channel"]["id"] == again["channel"]["id"] == im_id(OREN)
    assert again["already_open"]
    slack("chat.postMessage", channel=OREN, text="hi")
    assert sorted((c.collection, c.id.partition("/")[0]) for c in slack.world.changes()) == [
        ("Channel", im_id(OREN)),
        ("Message", im_id(OREN)),
    ]


def test_reactions_are_one_row_a_person(slack: Workspace) -> None:
    assert slack("reactions.add", channel=RUN, timestamp=ROOT, name=":eyes:")["ok"]
    assert slack("reactions.add", channel=RUN, timestamp=ROOT, name="eyes")["error"] == "already_reacted"
    shown = slack("reactions.get", channel=RUN, timestamp=ROOT)["message"]["reactions"]
    assert shown == [{"name": "eyes", "users": [OREN, MARA], "count": 2}]
    slack("reactions.remove", channel=RUN, timestamp=ROOT, name="eyes")
    assert slack.world.changes() == ()


def test_inviting_twice_or_a_stranger_invites_nobody(slack: Workspace) -> None:
    assert slack("conversations.invite", channel=RUN, users=f"{OREN},U404")["error"] == "user_not_found"
    assert slack.world.changes() == ()
    assert slack("conversations.invite", channel=RUN, users=f"{OREN},{BOT}")["channel"]["num_members"] == 3


def test_an_actor_without_account_acts_as_the_bot() -> None:
    assert Workspace({"email": "someone@else.example"})("auth.test")["user_id"] == BOT


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("credit", [41, 1]),
        ("CREDIT -line", [1]),
        ("cred", []),
        ("cred*", [41, 1]),
        ('"credit note"', [1]),
        ("credit in:#ap-run", [1]),
        ("in:board", [41]),
        ("in:secret", []),
        ("from:me", [2]),
        ("from:@mara", [2]),
        (f"from:<@{MARA}>", [2]),
        ("from:nobody", []),
        ("has:pin", [1]),
        ("has::eyes:", [1]),
        ("has:link", [3]),
        ("@mara bill", [3]),
        ("is:thread", [2]),
        ("news before:2026-01-01", []),
        ("news on:2026-02-25", [42]),
        ("news after:someday", []),
        ("note:12", []),
        ("((( news", []),
    ],
)
def test_search(slack: Workspace, query: str, found: list[int]) -> None:
    matches = slack("search.messages", query=query)["messages"]["matches"]
    assert [int(match["ts"].partition(".")[2]) for match in matches] == found


def test_search_pages_add_up(slack: Workspace) -> None:
    answers = [
        slack("search.messages", query="Note in:ap-run", count=10, page=page)["messages"] for page in (1, 2, 3, 4, 5)
    ]
    assert [len(answer["matches"]) for answer in answers] == [10, 10, 10, 7, 0]
    assert {answer["total"] for answer in answers} == {37}


def test_a_megabyte_of_query_is_read_in_bounded_time() -> None:
    names = Names("U", lambda name: None, lambda name: None, lambda text: text, lambda message, name: False)
    assert len(compile_query("-x:" * 400_000, names)) <= 50
    assert len(compile_query("a " * 400_000, names)) == 50


@pytest.mark.parametrize(
    ("sent", "kept", "answered"),
    [
        ("a &amp; b", "a & b", "a &amp; b"),
        ("a & b", "a & b", "a &amp; b"),
        ("1 < 2", "1 < 2", "1 &lt; 2"),
        ("&amp;lt;", "&lt;", "&amp;lt;"),
        ("<@U0000000001> & co", "<@U0000000001> & co", "<@U0000000001> &amp; co"),
    ],
)
def test_text_is_kept_as_read_and_answered_escaped(sent: str, kept: str, answered: str) -> None:
    assert stored(sent) == kept
    assert wire(kept) == answered


def test_mentions_and_links_are_shown_as_people_see_them() -> None:
    text = "<@U1> and <@U2|ann> in <#C1|old>, <https://x.example|bill>, <mailto:a@x.example|a@x.example> <!here>"
    shown = readable(text, {"U1": "Mara Lind"}, {"C1": "general"})
    assert shown == "@Mara Lind and @ann in #general, bill (https://x.example), a@x.example @here"


def test_reading_a_channel_shows_the_newest_and_every_pinned_message(slack: Workspace) -> None:
    messages = slack.action("read_channel", channel="#AP-run", limit=2)
    assert [message["text"] for message in messages] == ["Note 39", "Note 38", "Post the credit note here"]
    assert messages[2]["pinned"] and "pinned" not in messages[0]


def test_actions_speak_in_names_and_plain_text(slack: Workspace) -> None:
    (found,) = slack.action("search_messages", query="bill")
    assert found["channel"] == "ap-run" and found["user"] == "Oren Haddad"
    assert found["text"].startswith("@Mara Lind R&D paid 1 < 2, see the bill (https://x.example/a?b=1&c=2)")
    assert slack.action("find_user", name="haddad") == [
        {"id": OREN, "name": "Oren Haddad", "email": "oren@tarnwick.example"}
    ]
    assert slack.action("list_channels")[1] == {"id": RUN, "name": "ap-run", "topic": "Bills & credits"}
    assert slack.action("post_message", channel="nowhere", text="x") == {"error": "channel_not_found"}
    sent = slack.action("send_direct_message", user_id=OREN, text="hi")
    assert sent["channel"] == im_id(OREN)


def test_an_action_reaches_what_the_method_reaches(slack: Workspace) -> None:
    posted = slack.action("post_message", channel="ap-run", text="done", thread_ts=ROOT)
    slack.action("add_reaction", channel="ap-run", ts=posted["ts"], name=":tada:")
    slack.action("pin_message", channel="ap-run", ts=posted["ts"])
    row = slack.world.get(("slack", "Message"), message_id(RUN, posted["ts"]))
    assert isinstance(row, Message) and row.pinned and row.thread_ts == ROOT
    assert slack.world.get(("slack", "Reaction"), reaction_id(RUN, posted["ts"], "tada", MARA))
