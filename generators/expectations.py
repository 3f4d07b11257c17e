"""Expectations are the changes and allowances that many families' contracts are made of."""

from __future__ import annotations

from collections.abc import Mapping

from environment.contract import Allowance, Change, Equals, Fact, Matcher, Mentions, Omits, SetOf

READING = Allowance(app="gmail", collection="Message", action="update", fields=("unread",))
"""Marking mail as read or unread."""


def record_update(label: str, kind: str, record_id: str, **fields: Matcher) -> Change:
    """A Salesforce record's fields take these values."""
    wanted = {name: (matcher,) for name, matcher in fields.items()}
    return Change(label=label, app="salesforce", collection=kind, action="update", id=record_id, fields=wanted)


def slack_post(label: str, channel: str, *facts: tuple[Fact, ...], never: tuple[tuple[Fact, ...], ...] = ()) -> Change:
    """One message in a channel, or in a thread of it, that states the facts and makes none of the claims of `never`.

    The facts of one tuple stand together.
    """
    prose: tuple[Matcher, ...] = (Mentions(facts=facts), *((Omits(claims=never),) if never else ()))
    return Change(
        label=label,
        app="slack",
        collection="Message",
        action="create",
        key={"channel": (Equals(value=channel),)},
        fields={"text": prose},
    )


def mail_to(label: str, address: str, *facts: tuple[Fact, ...]) -> Change:
    """One mail to this address and no other that states the facts; those of one tuple stand together."""
    return Change(
        label=label,
        app="gmail",
        collection="Message",
        action="create",
        key={"to": (SetOf(members=(address,)),)},
        fields={"body": (Mentions(facts=facts),), "cc": (SetOf(members=()),), "bcc": (SetOf(members=()),)},
    )


def cells_update(label: str, row_id: str, cells: Mapping[int, Matcher]) -> Change:
    """Cells of an existing spreadsheet row, by zero-based column, take these values."""
    wanted = {f"cells[{column}]": (matcher,) for column, matcher in cells.items()}
    return Change(label=label, app="google_sheets", collection="GridRow", action="update", id=row_id, fields=wanted)


def row_appended(label: str, sheet: str, key: Mapping[int, Matcher], cells: Mapping[int, Matcher]) -> Change:
    """A new row of a sheet, recognised by the cells of `key`, holds the values of `cells`."""
    return Change(
        label=label,
        app="google_sheets",
        collection="GridRow",
        action="create",
        key={"sheet_id": (Equals(value=sheet),), **{f"cells[{column}]": (m,) for column, m in key.items()}},
        fields={f"cells[{column}]": (m,) for column, m in cells.items()},
    )


def text(*spellings: str) -> Fact:
    """A fact in words, in any of these spellings."""
    return Fact(spellings=spellings)


def amount(value: str) -> Fact:
    """An amount of money, such as "930.00"."""
    return Fact(read_as="money", spellings=(value,))


def phone(number: str) -> Fact:
    """A telephone number."""
    return Fact(read_as="phone", spellings=(number,))


def day(iso: str) -> Fact:
    """A calendar day."""
    return Fact(read_as="date", spellings=(iso,))
