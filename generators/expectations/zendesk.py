"""Zendesk changes that contracts ask for or allow."""

from __future__ import annotations

from collections.abc import Sequence

from environment.contract import Allowance, Change, Enum, Equals, Fact, Matcher, Mentions, Omits, SetOf
from generators.expectations.facts import text

MERGE_TAG = "closed_by_merge"
"""What a merge tags the ticket with that it closes."""


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


def ticket_merged(source: str, tags: Sequence[str]) -> tuple[Change, Change]:
    """A ticket with these tags is closed as a duplicate, and an internal note on it says something about that."""
    closed: dict[str, Matcher] = {"status": Enum(value="closed"), "tags": SetOf(members=(*tags, MERGE_TAG))}
    noted = Change(
        label=f"note on merged {source}",
        app="zendesk",
        collection="Comment",
        action="create",
        key={"ticket_id": (Equals(value=source),), "public": (Equals(value=False),)},
    )
    return ticket_update(f"merged {source}", source, **closed), noted


def merge_note(source: str, target: str) -> Allowance:
    """The internal note that names a ticket merged into this one; on any other it is a merge that nobody asked for."""
    return Allowance(
        app="zendesk",
        collection="Comment",
        action="create",
        where={
            "ticket_id": (Equals(value=target),),
            "public": (Equals(value=False),),
            "body": (Mentions(facts=((text(source),),)),),
        },
    )


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
