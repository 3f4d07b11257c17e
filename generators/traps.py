"""A slip is what a hurried worker does in place of a step's right calls; every kind of trap is one, named here."""

from __future__ import annotations

from dataclasses import dataclass

from environment.task import ToolCall

Calls = tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Slip:
    """One way to go wrong at a step."""

    name: str
    """Kind of trap."""
    note: str
    """One sentence for an auditor."""
    calls: Calls
    """What is done in place of the step's calls."""


def near_duplicate(who: str, *calls: ToolCall) -> Slip:
    """Taking a look-alike for the one that is meant."""
    return Slip("near_duplicate", f"Takes {who} for the one that is meant.", calls)


def superseded(what: str, *calls: ToolCall) -> Slip:
    """Acting on a fact that a later message has corrected."""
    return Slip("superseded", f"Uses {what}, which was corrected later.", calls)


def superseded_rule(what: str, *calls: ToolCall) -> Slip:
    """Acting by a rule that is no longer in force."""
    return Slip("superseded_rule", f"Goes by {what}, which was replaced later.", calls)


def stale_row(what: str, *calls: ToolCall) -> Slip:
    """Acting on a row that is no longer current."""
    return Slip("stale_row", f"Acts on {what}, which is no longer current.", calls)


def ignored_rule(rule: str, *calls: ToolCall) -> Slip:
    """Doing the obvious and skipping a rule."""
    return Slip("ignored_rule", f"Skips the rule: {rule}.", calls)


def ignored_hold(what: str, *calls: ToolCall) -> Slip:
    """Not reading the hold in a note."""
    return Slip("ignored_hold", f"Overlooks the hold on {what}.", calls)


def done_twice(what: str, *calls: ToolCall) -> Slip:
    """Doing again what was done already."""
    return Slip("done_twice", f"Does {what} again, though it is done.", calls)


def unauthorised(who: str, *calls: ToolCall) -> Slip:
    """Obeying somebody who has no say in the matter."""
    return Slip("unauthorised", f"Does what {who} asks for, who has no say in it.", calls)


def out_of_scope(what: str, *calls: ToolCall) -> Slip:
    """Acting on something that the request or the rules leave out."""
    return Slip("out_of_scope", f"Also takes {what}, which is not asked for.", calls)


def first_page_only(what: str, *calls: ToolCall) -> Slip:
    """Overlooking what stands beyond the first page."""
    return Slip("first_page_only", f"Misses {what}, which stands beyond the first page.", calls)


def wrong_unit(what: str, *calls: ToolCall) -> Slip:
    """Taking a value in another currency, unit or time zone as it stands."""
    return Slip("wrong_unit", f"Takes {what} without converting it.", calls)


def miscalculated(what: str, *calls: ToolCall) -> Slip:
    """Writing down a number that should have been worked out from others."""
    return Slip("miscalculated", f"Writes {what} instead of working out what the rule asks for.", calls)


def wrong_source(what: str, *calls: ToolCall) -> Slip:
    """Believing the source that has less authority where two differ."""
    return Slip("wrong_source", f"Believes {what}, though another source has the say.", calls)


def not_done(*calls: ToolCall) -> Slip:
    """Reporting success without the change."""
    return Slip("not_done", "Reports success without the change.", calls)
