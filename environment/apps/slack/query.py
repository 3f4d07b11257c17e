"""A query is a search of Slack's, turned into filters that let the messages pass that it finds."""

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
Filter = Callable[[list[Message]], list[Message]]


def compile_query(query: str, names: Names) -> list[Filter]:
    """Filters that a message must all pass to be found; a modifier with an unknown value finds nothing.

    Those of modifiers come first, because they ask less of a message than those of words.
    """
    filters = []
    for term in sorted(parse_slack_search(query), key=lambda term: term.modifier == ""):
        if term.modifier:
            filters.append(_filter(_modifier(term.modifier, term.text, names), term.negated))
        else:
            filters.append(_words(term.text, term.negated, names))
    return filters


def _filter(test: Test, negated: bool) -> Filter:
    return lambda messages: [message for message in messages if test(message) is not negated]


def _words(words: str, negated: bool, names: Names) -> Filter:
    needle = words.rstrip("*").lower()
    found = re.escape(needle)
    # What must not stand before the words is asked after them: an expression that begins with letters is found faster.
    start = rf"(?<!\w{found})" if words[:1].isalnum() else ""
    end = r"(?!\w)" if words[-1:].isalnum() else ""
    search = re.compile(found + start + end).search

    def passing(messages: list[Message]) -> list[Message]:
        passed = []
        for message in messages:
            text = message.plain_text
            if text is None:
                text = names.readable(message.text).lower()
            if (needle in text and search(text) is not None) is not negated:
                passed.append(message)
        return passed

    return passing


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
