"""A query is a search of Slack's, turned into tests that a message passes or fails."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from environment.apps.slack.rows import Message
from environment.query.slack_search import parse_slack_search


@dataclass(frozen=True, slots=True)
class Names:
    """What a query's words about people and places are resolved with."""

    me: str
    user_named: Callable[[str], str | None]
    """Id of the user with this handle or id."""
    channel_named: Callable[[str], str | None]
    readable: Callable[[str], str]
    reacted: Callable[[Message, str], bool]
    """Whether someone put this reaction on the message; an empty name stands for any."""


Test = Callable[[Message], bool]


def compile_query(query: str, names: Names) -> list[Test]:
    """The tests that a message must all pass to be found; a modifier with an unknown value finds nothing."""
    tests = []
    for term in parse_slack_search(query):
        test = _modifier(term.modifier, term.text, names) if term.modifier else _words(term.text, names)
        tests.append(_not(test) if term.negated else test)
    return tests


def _not(test: Test) -> Test:
    return lambda message: not test(message)


def _words(words: str, names: Names) -> Test:
    start, end = ("" if not edge.isalnum() else r"\b" for edge in (words[:1], words[-1:]))
    needle = words.rstrip("*").lower()
    pattern = re.compile(start + re.escape(needle) + ("" if words.endswith("*") else end))

    def test(message: Message) -> bool:
        text = names.readable(message.text).lower()
        return needle in text and pattern.search(text) is not None

    return test


def _modifier(name: str, value: str, names: Names) -> Test:
    if name == "from":
        user = names.me if value.lstrip("@").lower() == "me" else names.user_named(value)
        return lambda message: message.user == user
    if name == "in":
        channel = names.channel_named(value)
        return lambda message: message.channel == channel
    if name == "has":
        return _has(value, names)
    if name == "is":
        return lambda message: value.lower() == "thread" and message.thread_ts is not None
    return _dated(name, value)


def _has(value: str, names: Names) -> Test:
    if value == "pin":
        return lambda message: message.pinned
    if value == "link":
        return lambda message: "http://" in message.text or "https://" in message.text
    name = "" if value == "reaction" else value.strip(":")
    if value != "reaction" and not value.startswith(":"):
        return lambda message: False
    return lambda message: names.reacted(message, name)


def _dated(name: str, value: str) -> Test:
    try:
        day = datetime.combine(datetime.strptime(value, "%Y-%m-%d").date(), time(), UTC)
        start, end = int(day.timestamp()), int((day + timedelta(days=1)).timestamp())
    except (ValueError, OverflowError):
        return lambda message: False
    if name == "before":
        return lambda message: int(message.ts[:10]) < start
    if name == "after":
        return lambda message: int(message.ts[:10]) >= end
    return lambda message: start <= int(message.ts[:10]) < end
