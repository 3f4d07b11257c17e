"""Zendesk changes that contracts ask for."""

from __future__ import annotations

from environment.contract import Change, Equals, Fact, Matcher, Mentions, Omits


def ticket_update(label: str, ticket: str, **fields: Matcher) -> Change:
    """A ticket's fields take these values."""
    wanted = {name: (matcher,) for name, matcher in fields.items()}
    return Change(label=label, app="zendesk", collection="Ticket", action="update", id=ticket, fields=wanted)


def reply_to(label: str, ticket: str, *facts: tuple[Fact, ...], never: tuple[tuple[Fact, ...], ...] = ()) -> Change:
    """One public reply on a ticket that states the facts and makes none of the claims of `never`."""
    return _comment(label, ticket, True, facts, never)


def note_on(label: str, ticket: str, *facts: tuple[Fact, ...], never: tuple[tuple[Fact, ...], ...] = ()) -> Change:
    """One internal note on a ticket that states the facts and makes none of the claims of `never`."""
    return _comment(label, ticket, False, facts, never)


def _comment(
    label: str,
    ticket: str,
    public: bool,
    facts: tuple[tuple[Fact, ...], ...],
    never: tuple[tuple[Fact, ...], ...],
) -> Change:
    prose: tuple[Matcher, ...] = (Mentions(facts=facts), *((Omits(claims=never),) if never else ()))
    return Change(
        label=label,
        app="zendesk",
        collection="Comment",
        action="create",
        key={"ticket_id": (Equals(value=ticket),), "public": (Equals(value=public),)},
        fields={"body": prose},
    )
