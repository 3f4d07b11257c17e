"""Reasons say why a verdict is what it is: which field of which row is wrong, what is missing, what is stray."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from environment.apps import APPS
from environment.attempt import Judgement, RowChange, Verdict
from environment.contract import Change, Matcher, Mentions, Omits
from environment.episode import derived_fields
from environment.matchers import Path, Star, accepts, parse_path, read_fields
from environment.record import Record
from environment.task import Task
from pipeline.change_text import action_of, quoted
from pipeline.contract_text import change_sentence, facts_words, matcher_words
from pipeline.layout import cut
from pipeline.row_text import RowNames

_MOST_FOUND = 400
"""Characters of a wrong value that are quoted."""


class WrongField(Record):
    """A field of an expected row that does not hold what it must."""

    field: str
    wanted: str
    """What the matcher demands, in words."""
    found: Any
    """What it holds."""
    was: Any
    """What it held at the beginning; None in a new row."""


class Finding(Record):
    """One expected change and what became of it."""

    label: str
    demand: str
    """Such as `update salesforce.Opportunity 0065…AAA (Tarnwick deal)`; of the group's member that came nearest."""
    satisfied: bool
    row_id: str | None
    """Row that was taken for it; None when none was."""
    reason: str
    """One sentence; "" for a change that was found."""
    wrong: tuple[WrongField, ...]


class Stray(Record):
    """One changed row that is neither expected nor allowed."""

    row: str
    """`app.collection/id (action)`."""
    change: RowChange
    reason: str


class Explanation(Record):
    """A verdict with its reasons."""

    strict: bool
    partial_credit: float
    expected: tuple[Finding, ...]
    collateral: tuple[Stray, ...]


def explain(task: Task, changes: Sequence[RowChange], verdict: Verdict) -> Explanation:
    """The reasons of a verdict on these changes."""
    case = _Case(task, tuple(changes), verdict)
    return Explanation(
        strict=verdict.strict,
        partial_credit=verdict.partial_credit,
        expected=tuple(case.finding(number, one) for number, one in enumerate(verdict.expected)),
        collateral=tuple(case.stray(row) for row in verdict.collateral),
    )


def wrong_sentence(field: WrongField, app: str, names: RowNames) -> str:
    """What was wanted of a field, what it holds and what it held before."""
    found = cut(quoted(field.found, app, names), _MOST_FOUND)
    was = f", was {quoted(field.was, app, names)} before" if field.was is not None and field.was != field.found else ""
    unchanged = " as before" if field.was is not None and field.was == field.found else ""
    return f"{field.field}: wanted: it {field.wanted}; found {found}{unchanged}{was}"


class _Case:
    """One verdict with what it was made from."""

    def __init__(self, task: Task, changes: tuple[RowChange, ...], verdict: Verdict) -> None:
        self._contract = task.contract
        self._changes = changes
        self._names = RowNames(task, changes)
        self._groups = self._contract.groups()
        self._rows = {f"{one.app}.{one.collection}/{one.id} ({action_of(one)})": one for one in changes}
        self._members = {change.label: change for change in self._contract.changes()}
        self._taken = {
            (member.app, member.collection, judgement.row_id): member
            for judgement in verdict.expected
            if judgement.row_id is not None and (member := self._members[judgement.label])
        }
        self._refs = {
            member.label: judgement.row_id or ""
            for group, judgement in zip(self._groups, verdict.expected, strict=True)
            for member in group
        }

    def finding(self, number: int, judgement: Judgement) -> Finding:
        member = self._members[judgement.label]
        row = self._row_of(member, judgement.row_id)
        wrong = tuple(self._wrong(member, row, judgement.wrong)) if row else ()
        reason = ""
        if not judgement.satisfied:
            reason = self._field_reason(wrong) if wrong else self._missing(self._groups[number])
        return Finding(
            label=judgement.label,
            demand=change_sentence(member, self._names),
            satisfied=judgement.satisfied,
            row_id=judgement.row_id,
            reason=reason,
            wrong=wrong,
        )

    def stray(self, name: str) -> Stray:
        change = self._rows[name]
        member = self._taken.get((change.app, change.collection, change.id))
        if member is not None:
            fields = ", ".join(self._unlisted(member, change)) or "more than was asked for"
            reason = f"beside what {member.label!r} expects of this row, it changed {fields}"
        else:
            reason = {
                "create": "nobody asked for this new row",
                "update": "nobody asked for a change of this row",
                "delete": "nobody asked for this row's deletion",
            }[action_of(change)]
        return Stray(row=name, change=change, reason=reason)

    def _row_of(self, member: Change, row_id: str | None) -> RowChange | None:
        place = member.app, member.collection, row_id
        return next((one for one in self._changes if (one.app, one.collection, one.id) == place), None)

    def _field_reason(self, wrong: Sequence[WrongField]) -> str:
        fields = ", ".join(dict.fromkeys(one.field for one in wrong))
        return f"the row is there, but {fields} {'is' if len(wrong) == 1 else 'are'} not what was asked for"

    def _wrong(self, member: Change, row: RowChange, paths: Sequence[str]) -> Iterator[WrongField]:
        values = row.after if row.after is not None else row.before or {}
        demands = {**member.key, **member.fields}
        read = read_fields(values, demands, self._refs).read
        for path in paths:
            found, was = _value(values, read.get(path, parse_path(path))), None
            if row.before is not None and row.after is not None:
                was = _value(row.before, read.get(path, parse_path(path)))
            unmet = [words for one in demands[path] if (words := self._unmet(one, found, member.app))]
            # no single value is wrong where a list lacks the element that several paths stand for
            for words in unmet or [matcher_words(one, member.app, self._names) for one in demands[path]]:
                yield WrongField(field=path, wanted=words, found=found, was=was)

    def _unmet(self, matcher: Matcher, value: Any, app: str) -> str:
        """What of a demand is not met; "" when all of it is. Of prose only the facts that are missing or false."""
        match matcher:
            case Mentions():
                parts = [one for one in matcher.facts if not accepts(Mentions(facts=(one,)), value, self._refs)]
                return f"states {'; and '.join(map(facts_words, parts))}" if parts else ""
            case Omits():
                parts = [one for one in matcher.claims if not accepts(Omits(claims=(one,)), value, self._refs)]
                return f"does not claim {'; nor '.join(map(facts_words, parts))}" if parts else ""
        return "" if accepts(matcher, value, self._refs) else matcher_words(matcher, app, self._names)

    def _missing(self, group: Sequence[Change]) -> str:
        sentences = [self._absence(member) for member in group]
        if len(sentences) == 1:
            return sentences[0]
        return f"none of {len(sentences)} ways was taken: " + "; or ".join(sentences)

    def _absence(self, member: Change) -> str:
        place = f"{member.app}.{member.collection}"
        if member.action == "create":
            near = self._nearest(member)
            return f"no new row of {place} with the right {' and '.join(map(repr, member.key))}{near}"
        other = self._row_of(member, member.id)
        what = change_sentence(member, self._names)
        if other is not None:
            return f"{what}: instead it was {action_of(other)}d"
        return f"{what}: the row is as it was at the beginning"

    def _nearest(self, member: Change) -> str:
        """The stray new row that has most of the key, and what is wrong with it."""
        strays = [
            (len(read_fields(one.after or {}, member.key, self._refs).wrong), at, one)
            for at, one in enumerate(self._changes)
            if (one.app, one.collection, action_of(one)) == (member.app, member.collection, "create")
            and (one.app, one.collection, one.id) not in self._taken
        ]
        if not strays:
            return ""
        _, _, row = min(strays, key=lambda found: found[:2])
        paths = read_fields(row.after or {}, member.key, self._refs).wrong
        wrong = "; ".join(wrong_sentence(one, member.app, self._names) for one in self._wrong(member, row, paths))
        return f"; the nearest is {row.collection} {row.id} ({wrong})"

    def _unlisted(self, member: Change, change: RowChange) -> list[str]:
        listed = {path.partition(".")[0].partition("[")[0] for path in member.fields}
        listed |= derived_fields(APPS).get(change.app, {}).get(change.collection, frozenset())
        before, after = change.before or {}, change.after or {}
        changed = [name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name)]
        return [name for name in changed if name not in listed]


def _value(row: Mapping[str, Any], path: Path) -> Any:
    """What stands at a path; where any element will do, that of all elements."""
    value: Any = row
    for number, step in enumerate(path):
        if isinstance(step, Star) and step.index is None:
            return [_value({"element": one}, ("element", *path[number + 1 :])) for one in value or ()]
        at = step.index if isinstance(step, Star) else step
        if isinstance(at, int):
            value = value[at] if isinstance(value, list | tuple) and at < len(value) else None
        else:
            value = value.get(at) if isinstance(value, Mapping) else None
    return value
