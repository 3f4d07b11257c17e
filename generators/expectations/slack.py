"""Slack changes that contracts ask for."""

from __future__ import annotations

from environment.contract import Change, Equals, Fact, Matcher, Mentions, Omits


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
