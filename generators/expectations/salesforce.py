"""Salesforce changes that contracts ask for."""

from __future__ import annotations

from environment.contract import Change, Date, Enum, Equals, Fact, Matcher, Mentions, Omits


def record_update(label: str, kind: str, record_id: str, **fields: Matcher) -> Change:
    """A record's fields take these values."""
    wanted = {name: (matcher,) for name, matcher in fields.items()}
    return Change(label=label, app="salesforce", collection=kind, action="update", id=record_id, fields=wanted)


def record_created(label: str, kind: str, key: dict[str, Matcher], **fields: Matcher) -> Change:
    """A new record, recognised by the fields of `key`, holds these values."""
    return Change(
        label=label,
        app="salesforce",
        collection=kind,
        action="create",
        key={name: (matcher,) for name, matcher in key.items()},
        fields={name: (matcher,) for name, matcher in fields.items()},
    )


def note_on(
    label: str,
    record: str,
    *facts: tuple[Fact, ...],
    never: tuple[tuple[Fact, ...], ...] = (),
    **fields: Matcher,
) -> Change:
    """A note on a record that states the facts and makes none of the claims of `never`, with these values besides."""
    prose: tuple[Matcher, ...] = (Mentions(facts=facts), *((Omits(claims=never),) if never else ()))
    return Change(
        label=label,
        app="salesforce",
        collection="Note",
        action="create",
        key={"ParentId": (Equals(value=record),)},
        fields={"Body": prose, **{name: (matcher,) for name, matcher in fields.items()}},
    )


def task_on(label: str, record: str, subject: str, due: str) -> Change:
    """A task on a record, with this subject and due on this day."""
    key: dict[str, Matcher] = {"WhatId": Equals(value=record)}
    return record_created(label, "Task", key, Subject=Enum(value=subject), ActivityDate=Date(day=due))
