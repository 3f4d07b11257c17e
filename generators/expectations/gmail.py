"""Gmail changes that contracts ask for or allow."""

from __future__ import annotations

from environment.contract import Allowance, Change, Fact, Matcher, Mentions, Omits, SetOf

READING = Allowance(app="gmail", collection="Message", action="update", fields=("unread",))
"""Marking mail as read or unread."""


def mail_to(label: str, address: str, *facts: tuple[Fact, ...], never: tuple[tuple[Fact, ...], ...] = ()) -> Change:
    """One mail to this address and no other that states the facts and makes none of the claims of `never`.

    The facts of one tuple stand together.
    """
    prose: tuple[Matcher, ...] = (Mentions(facts=facts), *((Omits(claims=never),) if never else ()))
    return Change(
        label=label,
        app="gmail",
        collection="Message",
        action="create",
        key={"to": (SetOf(members=(address,)),)},
        fields={"body": prose, "cc": (SetOf(members=()),), "bcc": (SetOf(members=()),)},
    )
