"""Jira changes that contracts ask for."""

from __future__ import annotations

from environment.contract import Change, Equals, Fact, Matcher, Mentions, Omits


def issue_update(label: str, key: str, **fields: Matcher) -> Change:
    """An issue's fields take these values."""
    wanted = {name: (matcher,) for name, matcher in fields.items()}
    return Change(label=label, app="jira", collection="Issue", action="update", id=key, fields=wanted)


def comment_on(label: str, key: str, *facts: tuple[Fact, ...], never: tuple[tuple[Fact, ...], ...] = ()) -> Change:
    """One comment on an issue that states the facts and makes none of the claims of `never`."""
    prose: tuple[Matcher, ...] = (Mentions(facts=facts), *((Omits(claims=never),) if never else ()))
    return Change(
        label=label,
        app="jira",
        collection="Comment",
        action="create",
        key={"issue": (Equals(value=key),)},
        fields={"body": prose},
    )
