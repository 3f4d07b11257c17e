"""Noise is mail and chatter that has nothing to do with the task; it names nobody that the task is about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from generators.business import Person
from generators.family import OFFICE, Scene
from generators.staging.gmail import deliver
from generators.staging.slack import post_at
from generators.staging.small_talk import SmallTalk, small_talk

_MINUTES_A_DAY = 1440
_DAYS = 28
"""How far back mails and posts go."""
_RECENT_MIN = 25
_ALONE = 4
"""So many come before the first that answers another."""
_REPLIES, _SUPPLIERS, _STRANGERS = 0.2, 0.15, 0.5
"""Shares of mails that answer one, come from another company, come from a colleague who writes once."""
_LETTER = 3
"""From so many sentences on a mail has a greeting."""


def add_unrelated_mail(scene: Scene, count: int, sentences: int = 1) -> None:
    """Add `count` mails of about `sentences` sentences each, at distinct times of the last four weeks.

    They come from bystanders, from a few colleagues and suppliers who write again, and from newsletters; of many, some
    answer another one.
    """
    talk = small_talk(scene)
    sent: list[tuple[str, str, str]] = []
    for ago in _times(scene, talk, count, _taken(scene)):
        at = scene.business.now - timedelta(minutes=ago)
        if len(sent) >= _ALONE and scene.rng.random() < _REPLIES:
            thread, subject, topic = talk.pick(sent)
            sender = talk.pick(talk.colleagues)
            deliver(scene, sender, f"Re: {subject}", _body(scene, talk, topic, sender, sentences), at, thread)
            continue
        topic = talk.topic(sentences)
        subject = talk.line(f"shared/subjects/{topic}")
        sender = _sender(scene, talk, topic)
        mail = deliver(scene, sender, subject, _body(scene, talk, topic, sender, sentences), at)
        if not topic.endswith("_news"):
            sent.append((mail, subject, topic))


def add_chatter(scene: Scene, channel: str, users: str | Sequence[str], count: int, sentences: int = 1) -> None:
    """Add `count` posts of about `sentences` sentences each to a channel, at distinct times of the last four weeks.

    Of many, some answer another one in its thread.
    """
    talk = small_talk(scene)
    posters = (users,) if isinstance(users, str) else users
    posted: list[tuple[str, str]] = []
    for ago in _times(scene, talk, count):
        answers = len(posted) >= _ALONE and scene.rng.random() < _REPLIES
        thread, topic = talk.pick(posted) if answers else (None, talk.topic(sentences))
        text = talk.text(topic, _length(talk, sentences))
        posted_at = scene.business.now - timedelta(minutes=ago)
        ts = post_at(scene, channel, talk.pick(posters), text, posted_at, thread=thread)
        if not answers:
            posted.append((ts, topic))


def _times(scene: Scene, talk: SmallTalk, count: int, taken: Collection[int] = ()) -> list[int]:
    """Distinct minutes ago, longest first, in office hours of working days; the last days have the most."""
    now = scene.business.now
    today, weekday = now.hour * 60 + now.minute, now.weekday()
    found: set[int] = set()
    while len(found) < count:
        days = int(_DAYS * scene.rng.random() ** 2)
        ago = days * _MINUTES_A_DAY + today - talk.number(*OFFICE)
        if ago >= _RECENT_MIN and (weekday - days) % 7 < 5 and ago not in taken:
            found.add(ago)
    return sorted(found, reverse=True)


def _taken(scene: Scene) -> set[int]:
    """Minutes ago at which other mails were sent."""
    mails = scene.rows.get("gmail", {}).get("Message", ())
    now = scene.business.now
    return {(now - datetime.fromisoformat(mail["date"])) // timedelta(minutes=1) for mail in mails}


def _length(talk: SmallTalk, sentences: int) -> int:
    """A number of sentences that is the asked one on average."""
    spread = sentences // 3
    return talk.number(sentences - spread, sentences + spread)


def _body(scene: Scene, talk: SmallTalk, topic: str, sender: Person, sentences: int) -> str:
    text = talk.text(topic, _length(talk, sentences))
    if sentences < _LETTER:
        return text
    greeting = scene.phrase("shared/greetings", reader=scene.business.actor)
    return f"{greeting}\n\n{text}\n\n{scene.phrase('shared/closings', sender=sender)}"


def _sender(scene: Scene, talk: SmallTalk, topic: str) -> Person:
    if topic.endswith("_news"):
        company = talk.pick(talk.companies)
        return Person(company.name, "News", f"news@{company.domain}")
    kind = scene.rng.random()
    if kind < _STRANGERS:
        return talk.pick(talk.strangers)
    return talk.pick(talk.suppliers if kind < _STRANGERS + _SUPPLIERS else talk.colleagues)
