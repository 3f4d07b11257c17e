"""A proof shows that a task can ship: solvable, only by solving it, in every fair spelling, from what can be seen.

Mutants and equivalents are applied to the end states of the reference and its alternatives; a hash-chosen hundredth of
them is replayed through the tools as well.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from environment.apps import APPS
from environment.apps.kit import App
from environment.attempt import RowChange, Verdict
from environment.contract import Change, Matcher
from environment.episode import Episode, base_of, derived_fields, row_types
from environment.matchers import Path as RowPath
from environment.matchers import Star, accepts, read_fields
from environment.record import content_hash
from environment.rng import derive_seed
from environment.task import Proof, Task, ToolCall, task_hash
from environment.verifier import Judge
from environment.world import Base
from generators.discoverability import trace_values
from generators.labels import find_labels
from generators.variants import other_spellings, wrong_values

_REPLAYED_PER_CENT = 1


class ProofError(Exception):
    """A task that must not ship, and why."""

    def __init__(self, task_id: str, check: str, detail: str) -> None:
        super().__init__(f"{task_id} fails the check '{check}': {detail}")
        self.task_id, self.check, self.detail = task_id, check, detail


def prove(task: Task, apps: tuple[App, ...] = APPS) -> Proof:
    """The counts of everything that was checked. Raises ProofError at the first check that fails."""
    case = Case(task, apps, base_of(task, apps))
    for check in case.checks().values():
        check()
    return case.proof()


def same_bytes(task: Task, regenerated: Task) -> bool:
    """Whether two generations of a task are byte for byte the same, proofs apart."""
    return (task.id, task_hash(task)) == (regenerated.id, task_hash(regenerated))


@lru_cache
def id_fields(apps: tuple[App, ...]) -> Mapping[str, Mapping[str, str]]:
    """app -> collection -> the field that is its rows' id."""
    return {app: {name: kind.id_field for name, kind in kinds.items()} for app, kinds in row_types(apps).items()}


@lru_cache
def code_hash() -> str:
    """Hash of the environment and of the proof's own files, sixteen hexadecimal digits."""
    own = Path(__file__).parent
    files = sorted((own.parent / "environment").rglob("*.py"))
    files += [own / name for name in ("proof.py", "variants.py", "discoverability.py", "labels.py")]
    return content_hash([path.read_text(encoding="utf-8") for path in files])[:16]


@dataclass(frozen=True, slots=True)
class _Run:
    """What a list of calls left behind."""

    results: tuple[str, ...]
    changes: tuple[RowChange, ...]
    verdict: Verdict
    touched: tuple[frozenset[tuple[str, str, str]], ...]
    """Rows that each call changed, as (app, collection, id); empty when not asked for."""


@dataclass(frozen=True, slots=True)
class End:
    """Where some writing calls ended."""

    changes: tuple[RowChange, ...]
    refused: bool
    """An application refused one of them."""


@dataclass
class Case:
    """One task under proof: its checks, and what they have counted so far."""

    task: Task
    apps: tuple[App, ...]
    base: Base
    mutants: Counter[str] = field(default_factory=Counter)
    equivalents: Counter[str] = field(default_factory=Counter)
    replayed: int = 0
    traced: int = 0

    def checks(self) -> Mapping[str, Callable[[], None]]:
        """Every check by name, in their order; each raises ProofError when the task fails it."""
        return {
            "reference": self.solve,
            "idleness and excess": self.check_idle_and_excessive,
            "drops": self.check_drops,
            "alterations": self.check_alterations,
            "traps": self.check_traps,
            "strays": self.check_strays,
            "routes": self.check_routes,
            "discoverability": self.check_discoverability,
            "labels": self.check_labels,
        }

    def proof(self) -> Proof:
        """The counts of the checks made."""
        return Proof(
            references=2,
            mutants=dict(sorted(self.mutants.items())),
            equivalents=dict(sorted(self.equivalents.items())),
            replayed=self.replayed,
            values_traced=self.traced,
            code_hash=code_hash(),
        )

    def fail(self, check: str, detail: str) -> ProofError:
        return ProofError(self.task.id, check, detail)

    # The reference

    def solve(self) -> None:
        """The reference is strict through both toolsets, and they leave the same end state."""
        self._refuse_errors()
        if not self.reference.verdict.strict:
            raise self.fail("reference", f"the verdict through actions is {_wording(self.reference.verdict)}")
        episode = Episode(self.task, "api", self.base, self.apps)
        for request in self._requests:
            arguments = {"method": request.method, "url": request.url}
            for name, value in (("params", request.params), ("body", request.body)):
                if value is not None:
                    arguments[name] = json.dumps(value)
            episode.call("api_fetch", arguments)
        if episode.changes() != self.reference.changes:
            raise self.fail("reference", "the same requests through api leave another end state than the actions")
        if not episode.verdict().strict:
            raise self.fail("reference", f"the verdict through api is {_wording(episode.verdict())}")

    @cached_property
    def reference(self) -> _Run:
        return self.run(self.task.reference, watch=True)

    @cached_property
    def access(self) -> Mapping[str, str]:
        """Action -> `read` or `write`."""
        return _access(self.apps)

    def run(self, calls: Sequence[ToolCall], watch: bool = False) -> _Run:
        """The calls through `actions`, in a fresh episode."""
        episode = Episode(self.task, "actions", self.base, self.apps)
        results: list[str] = []
        touched: list[frozenset[tuple[str, str, str]]] = []
        before: dict[tuple[str, str, str], RowChange] = {}
        for call in calls:
            results.append(episode.call(call.tool, call.arguments))
            if watch:
                now = before
                if self.access.get(call.tool) == "write":
                    now = {(change.app, change.collection, change.id): change for change in episode.changes()}
                touched.append(frozenset(key for key in {*before, *now} if _differ(before.get(key), now.get(key))))
                before = now
        if watch:
            self._requests = list(episode.requests)
        changes = episode.changes()
        return _Run(tuple(results), changes, self.judge(changes), tuple(touched))

    def write(self, calls: Sequence[ToolCall]) -> End:
        """Where these calls end without those that only read, which change nothing and take most of the time.

        What they begin with in common with the reference is not done again.
        """
        calls = self._writes(calls)
        common = 0
        while common < min(len(calls), len(self._stages) - 1) and calls[common] == self._reference_writes[common]:
            common += 1
        episode = self._stages[common].fork()
        results = [episode.call(call.tool, call.arguments) for call in calls[common:]]
        return End(episode.changes(), any(map(is_refusal, results)))

    def _writes(self, calls: Sequence[ToolCall]) -> list[ToolCall]:
        return [call for call in calls if self.access.get(call.tool) != "read"]

    @cached_property
    def _reference_writes(self) -> list[ToolCall]:
        return self._writes(self.task.reference)

    @cached_property
    def _stages(self) -> list[Episode]:
        """An episode before the reference's first writing call, and one after each of them."""
        stages = [Episode(self.task, "actions", self.base, self.apps)]
        for call in self._reference_writes:
            stages.append(stages[-1].fork())
            stages[-1].call(call.tool, call.arguments)
        return stages

    def judge(self, changes: Sequence[RowChange]) -> Verdict:
        return self._judge.verdict(changes)

    def is_strict(self, changes: Sequence[RowChange]) -> bool:
        return self._judge.is_strict(changes)

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self.task.contract, derived_fields(self.apps))

    def _refuse_errors(self) -> None:
        for call, result in zip(self.task.reference, self.reference.results, strict=True):
            if is_refusal(result):
                raise self.fail("reference", f"{call.tool} is refused: {result[:300]}")

    # Idleness and excess

    def check_idle_and_excessive(self) -> None:
        """Nothing and reading earn 0; everything to every row, and undoing a success, are not strict."""
        for kind, changes in (("nothing", ()), ("reading", self._reading())):
            verdict = self.judge(changes)
            if verdict.strict or verdict.partial_credit:
                raise self.fail(kind, f"it earns {verdict.partial_credit}")
            self.mutants[kind] += 1
        self._reject("shotgun", self._everything(), "every expected change made to every row")
        self._reject("undone", self._undone(), "a success undone, or where all was sent, sent twice")

    def _reading(self) -> tuple[RowChange, ...]:
        reads = [call for call in self.task.reference if self.access[call.tool] == "read"]
        aimless = [ToolCall(tool=name) for name in self.task.actions if self.access.get(name) == "read"]
        return self.run([*reads, *aimless]).changes

    def _everything(self) -> tuple[RowChange, ...]:
        more = list(self.reference.changes)
        done = {(row.app, row.collection, row.id) for row in more}
        for change, row in self._matched(self.reference):
            if row.before is None:
                more.extend(self._same_for_others(change, row))
                continue
            for key in self.base.rows((row.app, row.collection)):
                before = self.base.data((row.app, row.collection), key)
                after = None if row.after is None else {**before, **_changed_fields(row)}
                if (row.app, row.collection, key) not in done and after != before:
                    done.add((row.app, row.collection, key))
                    more.append(_renewed(row, before=before, after=after, key=key))
        return tuple(more)

    def _same_for_others(self, change: Change, row: RowChange) -> Iterator[RowChange]:
        reading = read_fields(row.after or {}, change.key, self._refs(self.reference))
        for path, matchers in change.key.items():
            where = reading.read[path]
            value = _value(row.after, where)
            for number, wrong in enumerate(wrong_values(matchers[0], value)):
                copy = _replaced(row.after, where, wrong)
                yield _renewed(row, before=None, after=copy, key=f"{row.id}-{path}-{number}")

    def _undone(self) -> tuple[RowChange, ...]:
        changes = self.reference.changes
        kept = tuple(change for change in changes if change.sent)
        if len(kept) < len(changes):
            return kept
        return (*changes, *(_renewed(row, before=None, after=row.after, key=f"{row.id}-2") for row in changes))

    # Mutants

    def check_drops(self) -> None:
        """Without any one of the expected changes the end state is not strict."""
        for run in self.runs:
            for change, row in self._matched(run):
                if self.first_seen(change.label) is run:
                    rest = tuple(other for other in run.changes if other is not row)
                    self._reject("dropped", rest, f"{change.label} was left out")
                    if self._sampled("dropped", change.label):
                        self._replay_drop(run, row)

    def check_alterations(self) -> None:
        """A wrong value for any matcher is rejected, another spelling of the right one accepted."""
        for change in self.task.contract.changes():
            run = self.first_seen(change.label)
            row = next(row for found, row in self._matched(run) if found.label == change.label)
            if row.after is None:
                continue
            demands = {**change.key, **change.fields}
            refs = self._refs(run)
            reading = read_fields(row.after, demands, refs).read
            for path, matchers in demands.items():
                for matcher in matchers:
                    self._alter(run, change, row, matcher, reading[path], refs)
                    self._respell(run, change, row, matcher, reading[path])

    def _alter(
        self, run: _Run, change: Change, row: RowChange, matcher: Matcher, path: RowPath, refs: Mapping[str, str]
    ) -> None:
        value = _value(row.after, path)
        count = 0
        for wrong in wrong_values(matcher, value):
            after = _replaced_wherever_right(row.after, path, wrong, matcher, refs)
            if after == row.after:
                continue
            mutant = _with_row(run.changes, row, after)
            self._reject("altered", mutant, f"{change.label} {_spelled(path)} was {wrong!r}")
            count += 1
            if self._sampled("altered", change.label, _spelled(path), count):
                self._replay_value(run, row, value, wrong, strict=False)
        if not count:
            raise self.fail("altered", f"no wrong value is known for {change.label} {_spelled(path)}")

    def _respell(self, run: _Run, change: Change, row: RowChange, matcher: Matcher, path: RowPath) -> None:
        value = _value(row.after, path)
        kind = row_types(self.apps)[row.app][row.collection]
        for number, other in enumerate(other_spellings(matcher, value)):
            after = _replaced(row.after, path, other)
            if type(other) is not type(value) or not _fits(kind, after):
                continue
            changes = _with_row(run.changes, row, after)
            if not self.is_strict(changes):
                detail = f"{change.label} {_spelled(path)} as {other!r} gives {_wording(self.judge(changes))}"
                raise self.fail("spelling", detail)
            self.equivalents["spelling"] += 1
            if self._sampled("spelling", change.label, _spelled(path), number):
                self._replay_value(run, row, value, other, strict=True)

    def check_traps(self) -> None:
        """The whole solution of each hurried worker, through the tools, is not strict."""
        for trap in self.task.traps:
            if self.is_strict(self.write(trap.sprung).changes):
                raise self.fail("trap", f"{trap.name} ({trap.note}) is strict all the same")
            self.mutants["trap"] += 1
        if not self.task.traps:
            raise self.fail("trap", "the task has no trap")

    def check_strays(self) -> None:
        """One more changed, created or deleted row in any application is collateral."""
        touched = {(row.app, row.collection, row.id) for row in self.reference.changes}
        for app, collections in self.task.world.items():
            count = sum(self._stray(app, collection, touched) for collection, rows in collections.items() if rows)
            if not count and any(collections.values()):
                raise self.fail("stray", f"every change of {app} is allowed or expected")

    def _stray(self, app: str, collection: str, touched: set[tuple[str, str, str]]) -> int:
        """Strays tried in one collection: an edit, a copy and a deletion, where no allowance covers them."""
        allowed = [a for a in self.task.contract.allowed if (a.app, a.collection) == (app, collection)]
        actions = {allowance.action for allowance in allowed}
        harmless = {path.split(".")[0].split("[")[0] for a in allowed if a.action == "update" for path in a.fields}
        rows = self.base.rows((app, collection))
        strays: list[tuple[str, Mapping[str, Any] | None, Mapping[str, Any] | None]] = []
        key, row = next(((k, r) for k, r in rows.items() if (app, collection, k) not in touched), (None, None))
        if key is None or row is None:
            key, row = next(iter(rows.items()))
        else:
            data = self.base.data((app, collection), key)
            strays += [] if "delete" in actions else [(key, data, None)]
            spared = harmless | derived_fields(self.apps)[app].get(collection, frozenset()) | {row.id_field}
            edited = _edited(data, spared)
            if edited is not None:
                strays.append((key, data, edited))
        if "create" not in actions:
            copy = {**self.base.data((app, collection), key), row.id_field: f"{key}-2"}
            strays.append((f"{key}-2", None, copy))
        for stray_key, before, after in strays:
            stray = RowChange(app=app, collection=collection, id=stray_key, before=before, after=after)
            self._reject("stray", (*self.reference.changes, stray), f"{app}.{collection}/{stray_key} was changed too")
        return len(strays)

    # Equivalents

    @cached_property
    def runs(self) -> tuple[_Run, ...]:
        """The reference and the alternatives: the end states that must be accepted."""
        return (self.reference, *(self.run(calls, watch=True) for calls in self._alternatives()))

    def _alternatives(self) -> tuple[tuple[ToolCall, ...], ...]:
        return self.task.alternatives

    def first_seen(self, label: str) -> _Run:
        """The first run in which this change was made."""
        for run in self.runs:
            if any(found.label == label for found, _ in self._matched(run)):
                return run
        raise self.fail("dropped", f"neither the reference nor an alternative makes the change {label}")

    def check_routes(self) -> None:
        """Other orders and other routes, through the tools, are strict too."""
        for order in self.task.reorderings:
            changes = self.write([self.task.reference[index] for index in order]).changes
            if not self.is_strict(changes):
                raise self.fail("reordering", f"in the order {order} the verdict is {_wording(self.judge(changes))}")
            self.equivalents["reordering"] += 1
        for number, run in enumerate(self.runs[1:]):
            if not run.verdict.strict:
                raise self.fail("alternative", f"number {number} gives {_wording(run.verdict)}")
            self.equivalents["alternative"] += 1

    # What can be seen

    def check_discoverability(self) -> None:
        """Every value of the solution was seen before it was needed, and several hops need the world."""
        task, seen = self.task, self.reference.results
        writes = frozenset(name for name, access in self.access.items() if access == "write")
        specs = Episode(task, "actions", self.base, self.apps).specs
        trace = trace_values(task, seen, writes, specs, id_fields(self.apps))
        if trace.unseen:
            raise self.fail("discoverability", "; ".join(trace.unseen[:5]))
        if task.knobs.get("hops", 0) > 1 and not trace.found_in_world:
            raise self.fail(
                "discoverability", "the prompt alone gives away every value although the task has several hops"
            )
        self.traced = trace.count

    def check_labels(self) -> None:
        """No label of ours is visible."""
        if found := find_labels(self.task, id_fields(self.apps)):
            raise self.fail("labels", f"the world or prompt shows {found}")

    # Replays

    def _sampled(self, *what: str | int) -> bool:
        return derive_seed(self.task.id, *what) % 100 < _REPLAYED_PER_CENT

    def _replay_drop(self, run: _Run, row: RowChange) -> None:
        calls = self._calls_of(run)
        key = (row.app, row.collection, row.id)
        kept = [call for call, touched in zip(calls, run.touched, strict=True) if key not in touched]
        if self.is_strict(self.write(kept).changes):
            raise self.fail("dropped", f"without the calls for {key} the tools still give a strict verdict")
        self.replayed += 1

    def _replay_value(self, run: _Run, row: RowChange, value: Any, other: Any, strict: bool) -> None:
        calls = self._calls_of(run)
        key = (row.app, row.collection, row.id)
        changed = [
            call.model_copy(update={"arguments": _argument_replaced(call.arguments, value, other)})
            if key in touched
            else call
            for call, touched in zip(calls, run.touched, strict=True)
        ]
        if changed == list(calls):
            return
        end = self.write(changed)
        if strict and end.refused:
            # the application doesn't take this spelling, so nobody can leave it behind
            return
        if self.is_strict(end.changes) is not strict:
            wording = _wording(self.judge(end.changes))
            raise self.fail("replay", f"{other!r} instead of {value!r} through the tools gives {wording}")
        self.replayed += 1

    def _calls_of(self, run: _Run) -> tuple[ToolCall, ...]:
        return (self.task.reference, *self.task.alternatives)[self.runs.index(run)]

    # Pieces

    def _reject(self, kind: str, changes: Sequence[RowChange], what: str) -> None:
        if self.is_strict(changes):
            raise self.fail(kind, f"the verdict is strict although {what}")
        self.mutants[kind] += 1

    def _matched(self, run: _Run) -> list[tuple[Change, RowChange]]:
        """Expected changes with the rows that they were matched with in a run."""
        by_label = {change.label: change for change in self.task.contract.changes()}
        found = []
        for judgement in run.verdict.expected:
            change = by_label[judgement.label]
            for row in run.changes:
                if (row.app, row.collection, row.id) == (change.app, change.collection, judgement.row_id):
                    found.append((change, row))
        return found

    def _refs(self, run: _Run) -> dict[str, str]:
        rows = {judgement.label: judgement.row_id or "" for judgement in run.verdict.expected}
        groups = self.task.contract.groups()
        return {
            change.label: next((rows[member.label] for member in group if member.label in rows), "")
            for group in groups
            for change in group
        }


@lru_cache
def _access(apps: tuple[App, ...]) -> Mapping[str, str]:
    return {action.name: action.access for app in apps for action in app.all_actions}


def is_refusal(result: str) -> bool:
    return result.startswith('{"error":')


def _wording(verdict: Verdict) -> str:
    missed = [f"{j.label} {list(j.wrong) or 'missing'}" for j in verdict.expected if not j.satisfied]
    return f"partial credit {verdict.partial_credit:.3f}, unsatisfied {missed}, collateral {list(verdict.collateral)}"


def _differ(left: RowChange | None, right: RowChange | None) -> bool:
    # comparing records takes long, and most are the same object
    return left is not right and left != right


def _changed_fields(row: RowChange) -> dict[str, Any]:
    before = row.before or {}
    return {name: value for name, value in (row.after or {}).items() if before.get(name) != value}


def _renewed(row: RowChange, before: Mapping[str, Any] | None, after: Any, key: str) -> RowChange:
    return row.model_copy(update={"before": before, "after": after, "id": key})


def _with_row(changes: Sequence[RowChange], row: RowChange, after: Any) -> tuple[RowChange, ...]:
    return tuple(other.model_copy(update={"after": after}) if other is row else other for other in changes)


def _fits(kind: Any, data: Any) -> bool:
    try:
        kind.model_validate(data)
    except ValueError:
        return False
    return True


def _edited(data: Mapping[str, Any], spared: set[str] | frozenset[str]) -> dict[str, Any] | None:
    """The row with one field changed that isn't spared; None when it has none."""
    for name, value in data.items():
        if name in spared or isinstance(value, list | Mapping):
            continue
        if isinstance(value, bool):
            return {**data, name: not value}
        if isinstance(value, int | float):
            return {**data, name: value + 1}
        if isinstance(value, str) and value:
            return {**data, name: f"{value} (edited)"}
    return None


def _spelled(path: RowPath) -> str:
    parts = (
        f"[{step.index}]" if isinstance(step, Star) else f"[{step}]" if isinstance(step, int) else f".{step}"
        for step in path
    )
    return "".join(parts).lstrip(".")


def _value(data: Any, path: RowPath) -> Any:
    for number, step in enumerate(path):
        if isinstance(step, Star):
            if not isinstance(data, list | tuple):
                return None
            if step.index is None:
                return [_value(element, path[number + 1 :]) for element in data]
            step = step.index
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _replaced(data: Any, path: RowPath, value: Any) -> Any:
    """A copy of JSON data with the value at a path replaced; where a star stands for any element, in all of them."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, Star) and step.index is None:
        values = value if isinstance(value, list) else [value] * len(data or ())
        elements = list(data or ())[: len(values)]
        elements += [elements[-1]] * (len(values) - len(elements)) if elements else []
        return [_replaced(element, rest, one) for element, one in zip(elements, values, strict=False)]
    if isinstance(step, Star | int):
        index = step.index if isinstance(step, Star) else step
        elements = list(data or ())
        elements += [""] * ((index or 0) + 1 - len(elements))
        elements[index or 0] = _replaced(elements[index or 0], rest, value)
        return elements
    return {**(data or {}), step: _replaced((data or {}).get(step), rest, value)}


def _replaced_wherever_right(data: Any, path: RowPath, value: Any, matcher: Matcher, refs: Mapping[str, str]) -> Any:
    """Like `_replaced`; under a star, in every element whose value the matcher accepts, lest another one stand in."""
    first = next(
        (number for number, step in enumerate(path) if isinstance(step, Star) and step.index is not None), None
    )
    if first is None:
        return _replaced(data, path, value)
    elements = _value(data, path[:first])
    for index in range(len(elements)):
        place = (*path[:first], index, *path[first + 1 :])
        if accepts(matcher, _value(data, place), refs):
            data = _replaced(data, place, value)
    return data


def _argument_replaced(data: Any, value: Any, other: Any) -> Any:
    if isinstance(data, Mapping):
        return {name: _argument_replaced(item, value, other) for name, item in data.items()}
    if isinstance(data, list | tuple) and data != value:
        return [_argument_replaced(item, value, other) for item in data]
    return other if data == value and type(data) is type(value) else data
