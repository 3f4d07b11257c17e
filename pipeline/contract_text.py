"""A contract in words: which changes a task expects, what each field must hold, and what else is harmless."""

from __future__ import annotations

from collections.abc import Sequence

from environment.contract import (
    Allowance,
    Change,
    Contract,
    Date,
    Enum,
    Equals,
    Fact,
    Fields,
    Instant,
    Matcher,
    Mentions,
    Money,
    Omits,
    Phone,
    Ref,
    SetOf,
    Url,
)
from pipeline.change_text import quoted
from pipeline.layout import wrap
from pipeline.row_text import RowNames

_DONE = {"create": "create one", "update": "update", "delete": "delete"}


def contract_lines(contract: Contract, names: RowNames, width: int) -> list[str]:
    """Every expected change with the matchers of its fields, and the groups of which one is enough."""
    lines: list[str] = []
    for change in contract.all_of:
        lines += change_demands(change, names, width, "  ")
    for number, group in enumerate(contract.any_of, start=1):
        lines.append(f"  one of these {len(group)} (group {number}):")
        for change in group:
            lines += change_demands(change, names, width, "    ")
    return lines


def allowance_lines(contract: Contract, names: RowNames, width: int) -> list[str]:
    """What is neither rewarded nor held against anybody."""
    return [line for one in contract.allowed for line in wrap(_allowance(one, names), width, "  ", "    ")]


def change_demands(change: Change, names: RowNames, width: int, indent: str) -> list[str]:
    """One expected change, a line for each demand on a field."""
    lines = wrap(f"{change.label}: {change_sentence(change, names)}", width, indent, indent + "  ")
    for fields, role in ((change.key, " (this makes it the row that is meant)"), (change.fields, "")):
        for path, matchers in fields.items():
            for matcher in matchers:
                sentence = f"{path} {matcher_words(matcher, change.app, names)}{role}"
                lines += wrap(sentence, width, indent + "  ", indent + "    ")
    return lines


def change_sentence(change: Change, names: RowNames) -> str:
    """Such as `update salesforce.Opportunity 0065…AAA (Tarnwick deal)`."""
    place = f"{_DONE[change.action]} {change.app}.{change.collection}"
    if change.id is None:
        return place
    name = names.of(change.app, change.id)
    return f"{place} {change.id}{f' ({name})' if name else ''}"


def matcher_words(matcher: Matcher, app: str, names: RowNames) -> str:
    """What a matcher demands, to be read after the field's name."""
    match matcher:
        case Equals():
            return f"is {quoted(matcher.value, app, names)}"
        case Money():
            currency = f"{matcher.currency} " if matcher.currency else ""
            return f"is the amount {currency}{matcher.amount}, in any spelling"
        case Phone():
            return f"is the telephone number {matcher.number}, in any spelling"
        case Instant():
            return f"is the moment {matcher.at}, in any offset"
        case Date():
            return f"is the day {matcher.day}, in any spelling"
        case Enum():
            return f"is {_alternatives((matcher.value, *matcher.also))}, in any case"
        case SetOf():
            if not matcher.members:
                return "holds nothing"
            return f"holds exactly {', '.join(names.spelled(app, member) for member in matcher.members)}, in any order"
        case Url():
            return f"is the address {matcher.address}"
        case Ref():
            return f"is the id of the row that meets {matcher.label!r}"
        case Mentions():
            return f"states {'; and '.join(facts_words(facts) for facts in matcher.facts)}"
        case Omits():
            return f"does not claim {'; nor '.join(facts_words(claim) for claim in matcher.claims)}"


def facts_words(facts: Sequence[Fact]) -> str:
    """The facts of one clause."""
    together = " with ".join(_fact(fact) for fact in facts)
    return f"{together} (in one clause or line)" if len(facts) > 1 else together


def _fact(fact: Fact) -> str:
    kind = "" if fact.read_as == "text" else f" as {fact.read_as}"
    return _alternatives(fact.spellings) + kind


def _alternatives(words: Sequence[str]) -> str:
    return " or ".join(f'"{word}"' for word in words)


def _allowance(one: Allowance, names: RowNames) -> str:
    what = {"create": "creating", "update": "updating", "delete": "deleting"}[one.action]
    fields = f" in {', '.join(one.fields)} only" if one.fields else ""
    return f"{what} rows of {one.app}.{one.collection}{fields}{_conditions(one.where, one.app, names)}"


def _conditions(where: Fields, app: str, names: RowNames) -> str:
    demands = [f"{path} {matcher_words(matcher, app, names)}" for path, found in where.items() for matcher in found]
    return f", where {' and '.join(demands)}" if demands else ""
