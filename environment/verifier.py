"""The verdict compares the net change of every application with a task's contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from environment.assignment import best_assignment
from environment.attempt import Judgement, RowChange, Verdict
from environment.contract import Change, Contract, Ref
from environment.identity import Identity
from environment.matchers import Demands, Path, Reading, Star, parse_path, same_value

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
        self.derived = derived
        self.terms = _terms(Identity(contract))
        self._rows: dict[int, tuple[RowChange, _Row]] = {}
        self._alike: dict[tuple[str, str, str], list[_Row]] = {}

    def is_strict(self, changes: Sequence[RowChange]) -> bool:
        """Whether the verdict on a net change is strict, without finding out what is wrong where it isn't."""
        state = self._matching(changes)
        for level in self.terms.levels:
            state.match(level, satisfied_only=True)
            if not all(number in state.taken for number in level):
                return False
        return not any(True for _ in state.collateral())

    def verdict(self, changes: Sequence[RowChange]) -> Verdict:
        """The judgement of one net change."""
        state = self._matching(changes)
        for satisfied_only in (True, False):
            for level in self.terms.levels:
                state.match(level, satisfied_only)
        expected = tuple(state.judgement(number) for number in range(len(self.terms.groups)))
        collateral = tuple(state.collateral())
        done = sum(judgement.satisfied for judgement in expected)
        return Verdict(
            expected=expected,
            collateral=collateral,
            strict=done == len(expected) and not collateral,
            partial_credit=done / (len(expected) + len(collateral)),
        )

    def _matching(self, changes: Sequence[RowChange]) -> _Matching:
        return _Matching(self.terms, tuple(self._row(change) for change in changes))

    def _row(self, change: RowChange) -> _Row:
        known, row = self._rows.get(id(change), (None, None))
        if row is None or known is not change:
            row = _Row(change, self.derived)
            alike = self._alike.setdefault((change.app, change.collection, change.id), [])
            for other in alike:
                if other.written == row.written:
                    row = other
                    break
            else:
                alike.append(row)
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


@lru_cache(maxsize=128)
def _terms(contract: Identity[Contract]) -> _Terms:
    groups = contract.of.groups()
    members = tuple(tuple(_Member.of(change) for change in group) for group in groups)
    allowances = tuple(
        _Allowed((a.app, a.collection, a.action), Demands(a.where), tuple(map(parse_path, a.fields)))
        for a in contract.of.allowed
    )
    return _Terms(groups, reference_levels(contract.of), members, _referrers(members), allowances)


@dataclass(frozen=True, slots=True)
class _Terms:
    """A contract made ready, for all episodes of its task."""

    groups: tuple[tuple[Change, ...], ...]
    levels: tuple[tuple[int, ...], ...]
    members: tuple[tuple[_Member, ...], ...]
    referrers: tuple[tuple[int, ...], ...]
    """For each group the numbers of those that refer to it."""
    allowances: tuple[_Allowed, ...]


@dataclass(frozen=True, slots=True)
class _Allowed:
    """An allowance made ready."""

    kind: Kind
    where: Demands
    paths: tuple[Path, ...]
    """Of the fields that an update may touch."""


@dataclass(frozen=True, slots=True)
class _Member:
    """One change of a group made ready."""

    change: Change
    kind: Kind
    labels: tuple[str, ...]
    """Labels that its matchers refer to."""
    key: Demands
    fields: Demands
    """All but the key, or with the key where that has stars: two elements must not stand for one."""

    @classmethod
    def of(cls, change: Change) -> _Member:
        key = Demands(change.key)
        fields = Demands({**change.key, **change.fields} if key.is_starred else change.fields)
        return cls(change, (change.app, change.collection, change.action), _referred(change), key, fields)


def _referrers(groups: Sequence[Sequence[_Member]]) -> tuple[tuple[int, ...], ...]:
    """For each group the numbers of those that refer to it."""
    needed = [{label for member in group for label in member.labels} for group in groups]
    return tuple(
        tuple(number for number, labels in enumerate(needed) if any(member.change.label in labels for member in group))
        for group in groups
    )


class _Row:
    """One changed row with what its application derives, and what was found out about it."""

    __slots__ = ("_edges", "_touches", "_written", "action", "change", "derived", "kind")

    def __init__(self, change: RowChange, derived: Derived) -> None:
        self.change = change
        self.action: Action = "create" if change.before is None else "delete" if change.after is None else "update"
        self.kind: Kind = change.app, change.collection, self.action
        self.derived = tuple(map(parse_path, derived.get(change.app, {}).get(change.collection, ())))
        self._edges: dict[tuple[str | None, ...], _Edge | None] = {}
        self._touches: dict[tuple[Path, ...], bool] = {}
        self._written: str | None = None

    @property
    def written(self) -> str:
        """The row before and after, written out: 1, 1.0 and True are equal but not the same value."""
        if self._written is None:
            self._written = repr((self.change.before, self.change.after))
        return self._written

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
            self._edges[key] = self._judge(member, refs)
        return self._edges[key]

    def _judge(self, member: _Member, refs: Mapping[str, str]) -> _Edge | None:
        change = member.change
        key = member.key.read(self.values, refs) if change.action == "create" else _NOTHING_READ
        if key.wrong or (change.id is not None and self.change.id != change.id):
            return None
        if change.action == "delete":
            return _Edge(change, (), (), 1.0)
        fields = member.fields.read(self.values, refs)
        right = 1 - len(fields.wrong) / max(len({**change.key, **change.fields}), 1)
        return _Edge(change, fields.wrong, tuple({**key.read, **fields.read}.values()), right)

    def name(self) -> str:
        return f"{self.change.app}.{self.change.collection}/{self.change.id} ({self.action})"


_NOTHING_READ = Reading((), {})


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

    terms: _Terms
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
            self.refs.update({change.label: self.rows[row].change.id for change in self.terms.groups[number]})

    def judgement(self, number: int) -> Judgement:
        """What became of a group; the label is that of the member that was met, else of its first."""
        if number not in self.taken:
            return Judgement(label=self.terms.groups[number][0].label, satisfied=False, row_id=None)
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
                if not any(self._covers(allowed, row) for allowed in self._allowances(row)):
                    yield row.name()
            elif row.action == "update" and not row.touches_only(edge.read):
                spared = [path for allowed in self._allowances(row) for path in allowed.paths]
                if not row.touches_only((*edge.read, *spared)):
                    yield row.name()

    def _edges(self, number: int, refs: Mapping[str, str]) -> Iterator[tuple[int, _Edge]]:
        for member in self.terms.members[number]:
            wanted = member.change.id
            for index, row in self.kinds.get(member.kind, ()):
                if wanted is not None and row.change.id != wanted:
                    continue
                if edge := row.edge(member, refs):
                    yield index, edge

    def _support(self, number: int, row: int) -> int:
        """How many changes that refer to this group would be met if this row were taken for it."""
        referrers = self.terms.referrers[number]
        if not referrers:
            return 0
        labels = {change.label for change in self.terms.groups[number]}
        refs = {**self.refs, **dict.fromkeys(labels, self.rows[row].change.id)}
        return sum(any(not edge.wrong for _, edge in self._edges(other, refs)) for other in referrers)

    def _allowances(self, row: _Row) -> Iterator[_Allowed]:
        for allowed in self.terms.allowances:
            if allowed.kind == row.kind and not allowed.where.read(row.values, self.refs).wrong:
                yield allowed

    def _covers(self, allowed: _Allowed, row: _Row) -> bool:
        return row.action != "update" or row.touches_only(allowed.paths)


def _referred(change: Change) -> tuple[str, ...]:
    """Labels that a change's matchers refer to."""
    matchers = (matcher for found in (*change.key.values(), *change.fields.values()) for matcher in found)
    return tuple(matcher.label for matcher in matchers if isinstance(matcher, Ref))


def _strays(before: Any, after: Any, listed: Sequence[Path]) -> bool:
    """Whether two values differ anywhere but at the listed paths."""
    if () in listed or same_value(before, after):
        return False
    if not listed or isinstance(before, str | int | float) or isinstance(after, str | int | float):
        return True
    if isinstance(before, _OBJECT) and isinstance(after, _OBJECT):
        old, new = before or {}, after or {}
        for key in {**old, **new}:
            was, now = old.get(key), new.get(key)
            # most fields of a changed row are as they were
            if was is not now and _strays(was, now, [path[1:] for path in listed if path[0] == key]):
                return True
        return False
    if isinstance(before, _LIST) and isinstance(after, _LIST):
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


_OBJECT, _LIST = (dict, Mapping, type(None)), (list, tuple, type(None))
"""What is nearly always there first: asking for a Mapping takes ten times as long."""
