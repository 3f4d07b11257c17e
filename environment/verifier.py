"""The verdict compares the net change of every application with a task's contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from environment.assignment import best_assignment
from environment.attempt import Judgement, RowChange, Verdict
from environment.contract import Allowance, Change, Contract, Ref
from environment.matchers import Path, Star, parse_path, read_fields, same_value

Action = Literal["create", "update", "delete"]
Kind = tuple[str, str, Action]
"""(app, collection, action)."""
Derived = Mapping[str, Mapping[str, frozenset[str]]]
"""app -> collection -> fields (or paths of fields) that the application derives itself."""

_SATISFIED = 1_000_000.0
_CLAIMED = 1_000.0


def verify(contract: Contract, changes: Sequence[RowChange], derived: Derived) -> Verdict:
    """The judgement of a net change: each expected change matched with at most one row, all other rows collateral.

    Raises ValueError when changes refer to each other in a circle or to labels that there are none of.
    """
    return Judge(contract, derived).verdict(changes)


class Judge:
    """A contract made ready for many verdicts; what it found out about a changed row it keeps."""

    def __init__(self, contract: Contract, derived: Derived) -> None:
        """Raises ValueError like `verify`."""
        self.contract = contract
        self.derived = derived
        self.groups = contract.groups()
        self.levels = reference_levels(contract)
        self.members = tuple(tuple(_Member.of(change) for change in group) for group in self.groups)
        self.referrers = tuple(_referrers(group, self.members) for group in self.groups)
        self._rows: dict[int, tuple[RowChange, _Row]] = {}
        self._alike: dict[tuple[str, ...], _Row] = {}

    def verdict(self, changes: Sequence[RowChange]) -> Verdict:
        """The judgement of one net change."""
        state = _Matching(self, tuple(self._row(change) for change in changes))
        for satisfied_only in (True, False):
            for level in self.levels:
                state.match(level, satisfied_only)
        expected = tuple(state.judgement(number) for number in range(len(self.groups)))
        collateral = tuple(state.collateral())
        done = sum(judgement.satisfied for judgement in expected)
        return Verdict(
            expected=expected,
            collateral=collateral,
            strict=done == len(expected) and not collateral,
            partial_credit=done / (len(expected) + len(collateral)),
        )

    def _row(self, change: RowChange) -> _Row:
        known, row = self._rows.get(id(change), (None, None))
        if row is None or known is not change:
            # written out, because 1, 1.0 and True are equal but not the same value
            written = change.app, change.collection, change.id, repr(change.before), repr(change.after)
            row = self._alike.get(written)
            if row is None:
                row = self._alike[written] = _Row(change, self.derived)
            self._rows[id(change)] = change, row
        return row


def reference_levels(contract: Contract) -> tuple[tuple[int, ...], ...]:
    """Numbers of the contract's groups, so that each group comes after those that its matchers refer to.

    Raises ValueError on a circle of references and on a label that no change has.
    """
    groups = contract.groups()
    owner = {change.label: number for number, group in enumerate(groups) for change in group}
    needs: list[set[int]] = []
    for group in groups:
        labels = {label for change in group for label in _referred(change)}
        if unknown := sorted(labels - owner.keys()):
            raise ValueError(
                f"change {group[0].label!r} refers to {unknown}, but the contract has only {sorted(owner)}"
            )
        needs.append({owner[label] for label in labels})
    levels: list[tuple[int, ...]] = []
    placed: set[int] = set()
    while len(placed) < len(groups):
        level = tuple(n for n in range(len(groups)) if n not in placed and needs[n] <= placed)
        if not level:
            circle = [groups[n][0].label for n in range(len(groups)) if n not in placed]
            raise ValueError(f"changes {circle} refer to each other in a circle; identify one of them by other fields")
        levels.append(level)
        placed.update(level)
    return tuple(levels)


@dataclass(frozen=True, slots=True)
class _Member:
    """One change of a group, with what is asked of it over and over."""

    change: Change
    kind: Kind
    labels: tuple[str, ...]
    """Labels that its matchers refer to."""

    @classmethod
    def of(cls, change: Change) -> _Member:
        return cls(change, (change.app, change.collection, change.action), _referred(change))


def _referrers(group: Sequence[Change], members: Sequence[Sequence[_Member]]) -> tuple[int, ...]:
    """Numbers of the groups that refer to this one."""
    labels = {change.label for change in group}
    return tuple(
        number for number, others in enumerate(members) if any(labels.intersection(other.labels) for other in others)
    )


class _Row:
    """One changed row with what its application derives, and what was found out about it."""

    __slots__ = ("_edges", "_touches", "action", "change", "derived", "kind")

    def __init__(self, change: RowChange, derived: Derived) -> None:
        self.change = change
        self.action: Action = "create" if change.before is None else "delete" if change.after is None else "update"
        self.kind: Kind = change.app, change.collection, self.action
        self.derived = tuple(parse_path(path) for path in derived.get(change.app, {}).get(change.collection, ()))
        self._edges: dict[tuple[str | None, ...], _Edge | None] = {}
        self._touches: dict[tuple[Path, ...], bool] = {}

    @property
    def values(self) -> Mapping[str, Any]:
        """The row as the end state has it, or as it was before it was deleted."""
        return self.change.after if self.change.after is not None else self.change.before or {}

    def touches_only(self, listed: tuple[Path, ...]) -> bool:
        """Whether an update changed nothing but these paths and what the application derives."""
        if listed not in self._touches:
            paths = [*listed, *self.derived]
            self._touches[listed] = not _strays(self.change.before or {}, self.change.after or {}, paths)
        return self._touches[listed]

    def edge(self, member: _Member, refs: Mapping[str, str]) -> _Edge | None:
        """How this row could be what the member expects; None when it could not."""
        key = member.change.label, *map(refs.get, member.labels)
        if key not in self._edges:
            self._edges[key] = self._judge(member.change, refs)
        return self._edges[key]

    def _judge(self, member: Change, refs: Mapping[str, str]) -> _Edge | None:
        if member.action == "create":
            if read_fields(self.values, member.key, refs).wrong:
                return None
        elif self.change.id != member.id:
            return None
        if member.action == "delete":
            return _Edge(member, (), (), 1.0)
        demands = {**member.key, **member.fields}
        reading = read_fields(self.values, demands, refs)
        right = 1 - len(reading.wrong) / max(len(demands), 1)
        return _Edge(member, reading.wrong, tuple(reading.read.values()), right)

    def name(self) -> str:
        return f"{self.change.app}.{self.change.collection}/{self.change.id} ({self.action})"


@dataclass(frozen=True, slots=True)
class _Edge:
    """One way in which a row may be what a member of a group expects."""

    member: Change
    wrong: tuple[str, ...]
    read: tuple[Path, ...]
    right: float


@dataclass(slots=True)
class _Matching:
    """Which row was taken for which expected change so far."""

    judge: Judge
    rows: tuple[_Row, ...]
    taken: dict[int, tuple[int, _Edge]] = field(default_factory=dict)
    """Number of a group -> number of its row, and how they fit."""
    refs: dict[str, str] = field(default_factory=dict)
    kinds: dict[Kind, list[tuple[int, _Row]]] = field(default_factory=dict)
    """The rows with their numbers, by kind."""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            self.kinds.setdefault(row.kind, []).append((number, row))

    def match(self, level: Sequence[int], satisfied_only: bool) -> None:
        """Take rows for the unmatched groups of a level, as many and as well as possible."""
        waiting = [number for number in level if number not in self.taken]
        if not waiting:
            return
        used = {row for row, _ in self.taken.values()}
        edges: dict[tuple[int, int], _Edge] = {}
        for number in waiting:
            for row, edge in self._edges(number, self.refs):
                if row in used or (satisfied_only and edge.wrong):
                    continue
                best = edges.get((number, row))
                if best is None or len(edge.wrong) < len(best.wrong):
                    edges[number, row] = edge
        rivalled = len({number for number, _ in edges}) < len(edges)
        weights = {
            (number, row): (_CLAIMED + 500 * edge.right if edge.wrong else _SATISFIED)
            + (self._support(number, row) if rivalled else 0)
            for (number, row), edge in edges.items()
        }
        for number, row in best_assignment(weights).items():
            self.taken[number] = row, edges[number, row]
            self.refs.update({change.label: self.rows[row].change.id for change in self.judge.groups[number]})

    def judgement(self, number: int) -> Judgement:
        """What became of a group; the label is that of the member that was met, else of its first."""
        if number not in self.taken:
            return Judgement(label=self.judge.groups[number][0].label, satisfied=False, row_id=None)
        row, edge = self.taken[number]
        row_id = self.rows[row].change.id
        return Judgement(label=edge.member.label, satisfied=not edge.wrong, row_id=row_id, wrong=edge.wrong)

    def collateral(self) -> Iterator[str]:
        """Rows that are neither expected nor allowed, and expected rows with a change that isn't."""
        taken = dict(self.taken.values())
        for index, row in enumerate(self.rows):
            edge = taken.get(index)
            if edge is None:
                if row.action == "update" and row.touches_only(()):
                    continue
                if not any(self._covers(allowance, row) for allowance in self._allowances(row)):
                    yield row.name()
            elif row.action == "update" and not row.touches_only(edge.read):
                spared = [path for allowance in self._allowances(row) for path in map(parse_path, allowance.fields)]
                if not row.touches_only((*edge.read, *spared)):
                    yield row.name()

    def _edges(self, number: int, refs: Mapping[str, str]) -> Iterator[tuple[int, _Edge]]:
        for member in self.judge.members[number]:
            wanted = member.change.id
            for index, row in self.kinds.get(member.kind, ()):
                if wanted is not None and row.change.id != wanted:
                    continue
                if edge := row.edge(member, refs):
                    yield index, edge

    def _support(self, number: int, row: int) -> int:
        """How many changes that refer to this group would be met if this row were taken for it."""
        referrers = self.judge.referrers[number]
        if not referrers:
            return 0
        labels = {change.label for change in self.judge.groups[number]}
        refs = {**self.refs, **dict.fromkeys(labels, self.rows[row].change.id)}
        return sum(any(not edge.wrong for _, edge in self._edges(other, refs)) for other in referrers)

    def _allowances(self, row: _Row) -> Iterator[Allowance]:
        for allowance in self.judge.contract.allowed:
            covered = allowance.app, allowance.collection, allowance.action
            if covered == row.kind and not read_fields(row.values, allowance.where, self.refs).wrong:
                yield allowance

    def _covers(self, allowance: Allowance, row: _Row) -> bool:
        return row.action != "update" or row.touches_only(tuple(parse_path(path) for path in allowance.fields))


def _referred(change: Change) -> tuple[str, ...]:
    """Labels that a change's matchers refer to."""
    matchers = (matcher for found in (*change.key.values(), *change.fields.values()) for matcher in found)
    return tuple(matcher.label for matcher in matchers if isinstance(matcher, Ref))


def _strays(before: Any, after: Any, listed: Sequence[Path]) -> bool:
    """Whether two values differ anywhere but at the listed paths."""
    if () in listed or same_value(before, after):
        return False
    if not listed:
        return True
    if _is_like(before, Mapping) and _is_like(after, Mapping):
        old, new = before or {}, after or {}
        return any(
            _strays(old.get(key), new.get(key), [path[1:] for path in listed if path[0] == key])
            for key in sorted({*old, *new})
        )
    if _is_like(before, list | tuple) and _is_like(after, list | tuple):
        return _list_strays(before or [], after or [], listed)
    return True


def _list_strays(before: Sequence[Any], after: Sequence[Any], listed: Sequence[Path]) -> bool:
    bound = {path[0].index for path in listed if isinstance(path[0], Star) and path[0].index is not None}
    plain = not any(isinstance(element, Mapping | list | tuple) for element in (*before, *after))
    if bound and (plain or len(before) != len(after)):
        removed, added = list(before), []
        for index, element in enumerate(after):
            same = next((number for number, old in enumerate(removed) if same_value(old, element)), None)
            if same is None:
                added.append(index)
            else:
                del removed[same]
        # a changed element looks like one removed and one added; a plain value has no parts that could have changed
        return not bound.issuperset(added) or len(removed) > (0 if plain else len(added))
    return any(
        _strays(
            before[index] if index < len(before) else None,
            after[index] if index < len(after) else None,
            [path[1:] for path in listed if _reaches(path[0], index)],
        )
        for index in range(max(len(before), len(after)))
    )


def _reaches(step: object, index: int) -> bool:
    return step == index or (isinstance(step, Star) and step.index in (None, index))


def _is_like(value: Any, kind: Any) -> bool:
    return value is None or isinstance(value, kind)
