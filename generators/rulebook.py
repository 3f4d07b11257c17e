"""A rule is something that a company demands of whoever does the work; it stands where `hops` says, to be found there.

One place is the request itself. With more, the request names a channel, the channel a handbook or a mail, and so on:
every place holds some of the rules and says where the others are. A replaced wording stands in an older message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from environment.task import ToolCall
from generators.business import Person
from generators.family import Scene, call
from generators.phrasing import sentence
from generators.staging.gmail import add_mail, find_mails
from generators.staging.google_sheets import add_table
from generators.staging.handbook import filler_clauses
from generators.staging.slack import add_channel, add_post, add_user
from generators.work import Work

_MINUTES_A_DAY = 1440


@dataclass(frozen=True, slots=True)
class Rule:
    """One demand."""

    text: str
    """In force, a whole sentence or several."""
    former: tuple[str, ...] = ()
    """What it replaced, oldest first."""


def publish(work: Work, topic: str, rules: Sequence[Rule], hops: int, channel: str) -> Person:
    """Tell the rules in `hops` places, from 1 to 4; returns the colleague who has the say.

    `topic` names the matter in two or three words, `channel` is where a reference in the request leads. The first rule
    stands farthest away, what it replaced one place nearer. Raises ValueError when another rule replaced something.
    """
    scene = work.scene
    owner = scene.invent.person(scene.business.company.domain)
    if hops == 1:
        work.ask(*(rule.text for rule in rules))
        return owner
    kinds = ["channel", *scene.rng.sample(("handbook", "mail"), 2)][: hops - 1]
    names = {"channel": channel, "handbook": scene.rng.choice(("Handbook", "Policies", "House rules")), "mail": topic}
    texts: list[list[str]] = [[] for _ in kinds]
    for number, rule in enumerate(rules):
        texts[(len(kinds) - 1 + number) % len(kinds)].append(rule.text)
    former: list[tuple[str, ...]] = [() for _ in kinds]
    former[max(0, len(kinds) - 2)] = rules[0].former
    if late := [rule.text for rule in rules[1:] if rule.former]:
        raise ValueError(f"only the first rule can have been replaced, given {late[0]!r}")
    facts = {"topic": topic, "owner": owner}
    work.ask(scene.phrase("shared/rules/to_channel", name=channel, **facts))
    for number, kind in enumerate(kinds):
        last = number + 1 == len(kinds)
        onward = (
            "" if last else scene.phrase(f"shared/rules/to_{kinds[number + 1]}", name=names[kinds[number + 1]], **facts)
        )
        told = _Told(topic, former[number], tuple(texts[number]), onward, replaced=bool(rules[0].former) and last)
        work.read(*_PLACES[kind](scene, names[kind], owner, told))
    return owner


@dataclass(frozen=True, slots=True)
class _Told:
    """What one place says."""

    topic: str
    former: tuple[str, ...]
    texts: tuple[str, ...]
    onward: str
    replaced: bool
    """The first text replaces what was told before."""

    def messages(self, scene: Scene) -> tuple[str, ...]:
        """Everything that is said here, a message each, in order of time."""
        now = list(self.texts)
        if self.replaced and now:
            now[0] = scene.phrase("shared/rules/replaces", topic=self.topic, text=now[0])
        if self.onward:
            now.append(self.onward)
        earlier = [
            scene.phrase("shared/rules/replaces", topic=self.topic, text=text) if place else text
            for place, text in enumerate(self.former)
        ]
        return (*earlier, *([" ".join(map(sentence, now))] if now else []))


def _in_channel(scene: Scene, name: str, owner: Person, told: _Told) -> tuple[ToolCall, ...]:
    channel, author = add_channel(scene, name), add_user(scene, owner)
    messages = told.messages(scene)
    for place, text in enumerate(messages):
        days = 3 + 12 * (len(messages) - place) + scene.rng.randint(0, 5)
        add_post(scene, channel, author, text, minutes_ago=days * _MINUTES_A_DAY, pinned=True)
    return (call("slack_read_channel", channel=name),)


def _in_mail(scene: Scene, name: str, owner: Person, told: _Told) -> tuple[ToolCall, ...]:
    messages = told.messages(scene)
    mails = []
    for place, text in enumerate(messages):
        days = 2 + 10 * (len(messages) - 1 - place) + scene.rng.randint(0, 5)
        mails.append(add_mail(scene, owner, name.capitalize(), text, minutes_ago=days * _MINUTES_A_DAY))
    return find_mails(owner, mails)


def _in_handbook(scene: Scene, name: str, owner: Person, told: _Told) -> tuple[ToolCall, ...]:
    header = ("Topic", "Text", "Valid from", "By")
    rows: list[list[str]] = []
    messages = told.messages(scene)
    for place, text in enumerate(messages):
        earlier = len(messages) - 1 - place
        # a rule in force is younger than what it replaced in a mail
        days = 3 + 40 * earlier + scene.rng.randint(0, 20 if earlier else 6)
        rows.append([told.topic.capitalize(), text, scene.days_ago(days), owner.name])
    for clause in filler_clauses(scene, 3 * scene.prose, scene.prose):
        rows.append([clause.title, clause.text, scene.days_ago(scene.rng.randint(20, 700)), owner.name])
    scene.rng.shuffle(rows)
    table = add_table(scene, name, header, rows)
    return (table.find("Topic", told.topic.capitalize()),)


_PLACES = {"channel": _in_channel, "mail": _in_mail, "handbook": _in_handbook}
