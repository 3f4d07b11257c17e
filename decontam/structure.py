"""A fingerprint says how a task is built, whatever its words: applications, where its rule stands, what must change.

Two tasks that share it may be one problem in other words, so a look-alike of a benchmark task is shown to a person and
never dropped: updating a record from an e-mail by a rule in a sheet is also simply what such tasks are like.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from decontam.benchmark import BenchmarkTask
from decontam.domains import APPLICATION_NAMES
from decontam.reading import Reading, Sieve
from decontam.request import APPLICATION_WORDS, RULE_WORDS, Action, applications_named, changes_asked
from decontam.words import words_of
from environment.contract import Matcher
from environment.task import Task

Aspect = Literal["applications", "rule in", "changes", "demands", "must not happen"]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
LOOK_ALIKE = 0.8
"""Share of equal parts from which a task is shown as a look-alike."""
_STEPS = (1, 2, 4, 8)
"""Counts are told apart no finer than this: 1, 2 to 3, 4 to 7, 8 or more."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """How a task is built."""

    parts: Mapping[Aspect, Mapping[str, int]]
    """Aspect -> what it has of that -> how many. An aspect of which nothing is known is absent."""

    def in_words(self) -> str:
        """The fingerprint as a person reads it, one aspect a line."""
        return "\n".join(f"{aspect}: {self._in_words(aspect)}" for aspect in ASPECTS)

    def _in_words(self, aspect: Aspect) -> str:
        if aspect not in self.parts:
            return "not told"
        return ", ".join(_counted(name, count) for name, count in self.parts[aspect].items()) or "none"


class LookAlike(NamedTuple):
    """A benchmark task that is built alike."""

    number: int
    """Of the task in the index."""
    share: float
    """Equal parts among all parts of the aspects that are known of both."""
    ours: str
    theirs: str
    """Both fingerprints in words, the aspects in the same order."""


# Ours


_RULE_SIEVE = Sieve(RULE_WORDS)


def fingerprint_of_task(task: Task, reading: Reading) -> Fingerprint:
    """The fingerprint of one of our tasks; `reading` is that of its passages."""
    passages = dict.fromkeys(reading.passage_at(position) for position in _RULE_SIEVE.positions(reading))
    places = dict.fromkeys(_place(reading.passages[number].field) for number in passages)
    changes = Counter(f"{group[0].action} in {_app_name(group[0].app)}" for group in task.contract.groups())
    matchers = Counter(
        _demand(matcher)
        for change in task.contract.all_of
        for matchers in (*change.key.values(), *change.fields.values())
        for matcher in matchers
    )
    return _fingerprint(
        {
            "applications": [_app_name(app) for app in task.apps],
            "rule in": places,
            "changes": changes,
            "demands": dict.fromkeys(matchers),
            "must not happen": Counter({"wrong outcome": len(task.traps)}),
        }
    )


def _place(field: str) -> str:
    """Where a passage stands: an application, or the request itself."""
    parts = field.split(".")
    return _app_name(parts[1]) if parts[0] in ("world", "initial_state") and len(parts) > 1 else "the request"


_DEMANDS = {"mentions": "text", "omits": "text", "instant": "date", "equals": "value", "enum": "value", "ref": "value"}


def _demand(matcher: Matcher) -> str:
    return _DEMANDS.get(matcher.kind, matcher.kind)


# Theirs


def fingerprint_of_benchmark_task(task: BenchmarkTask, reading: Reading) -> Fingerprint | None:
    """The fingerprint of a benchmark task from its assertions, tools and world, or where these are missing from what
    its prompt asks for; None when neither tells of any application."""
    asserted = [one for one in task.assertions if isinstance(one, Mapping) and isinstance(one.get("type"), str)]
    named = [_app_name(app) for app in applications_named(task.prompt)]
    apps = dict.fromkeys([*map(_app_name, task.initial_state), *map(_app_of, task.tools)])
    parts: dict[Aspect, Iterable[str]] = {"applications": apps or dict.fromkeys(named)}
    rule_passages = dict.fromkeys(reading.passage_at(position) for position in _RULE_SIEVE.positions(reading))
    if task.initial_state:
        parts["rule in"] = dict.fromkeys(_place(reading.passages[number].field) for number in rule_passages)
    wanted = [assertion for assertion in asserted if not _forbids(str(assertion.get("type", "")))]
    if wanted:
        rows = dict.fromkeys((_asserted_change(assertion), _row_of(assertion)) for assertion in wanted)
        parts["changes"] = Counter(change for change, _ in rows)
        parts["demands"] = dict.fromkeys(demand for assertion in wanted for demand in _asserted_demands(assertion))
        parts["must not happen"] = Counter({"wrong outcome": len(asserted) - len(wanted)})
        parts["applications"] = dict.fromkeys([*parts["applications"], *(_app_of(str(a["type"])) for a in wanted)])
    elif asked := changes_asked(task.prompt):
        parts["changes"] = Counter(f"{action} in {_app_name(app)}" for app, action in asked)
    return _fingerprint(parts) if parts["applications"] else None


_KNOWN_APPS = sorted([*APPLICATION_WORDS, "help_scout", "facebook", "x"], key=len, reverse=True)


def _app_of(name: str) -> str:
    """The application of a tool or of a type of assertion, which begins with it: `google_sheets_row_exists`."""
    return _app_name(
        next((app for app in _KNOWN_APPS if name == app or name.startswith(f"{app}_")), name.split("_")[0])
    )


_APP_NAMES = {"".join(words_of(name)): name for name in APPLICATION_NAMES}


def _app_name(app: str) -> str:
    return _APP_NAMES.get(app.replace("_", ""), app.replace("_", " ").title())


_WORDS_OF_CREATION = frozenset("sent exists posted created added appended message reply comment note event row".split())
_WORDS_OF_UPDATE = frozenset("equals updated changed status moved assigned tagged field value label completed".split())
_WORDS_OF_DELETION = frozenset("deleted removed cancelled canceled".split())


def _forbids(kind: str) -> bool:
    words = kind.split("_")
    return "not" in words or "no" in words or "unchanged" in words or "never" in words


def _asserted_change(assertion: Mapping[str, Any]) -> str:
    kind = str(assertion.get("type", ""))
    words = frozenset(kind.split("_"))
    action: Action = "update"
    if words & _WORDS_OF_DELETION:
        action = "delete"
    elif words & _WORDS_OF_CREATION and not words & _WORDS_OF_UPDATE:
        action = "create"
    return f"{action} in {_app_of(kind)}"


_VALUES = ("value", "field", "body_contains", "contains", "text", "expected", "values", "text_contains")


def _row_of(assertion: Mapping[str, Any]) -> str:
    """What tells the row that an assertion is about from the rows of others."""
    return json.dumps({key: assertion[key] for key in sorted(assertion) if key not in ("type", *_VALUES)}, default=str)


def _asserted_demands(assertion: Mapping[str, Any]) -> list[str]:
    kind = str(assertion.get("type", ""))
    return ["text"] if "contain" in kind or any("contain" in key for key in assertion) else ["value"]


# Both


def _fingerprint(parts: Mapping[Aspect, Iterable[str]]) -> Fingerprint:
    counted = {aspect: names if isinstance(names, Counter) else Counter(set(names)) for aspect, names in parts.items()}
    return Fingerprint(
        {
            aspect: {name: _step(counted[aspect][name]) for name in sorted(counted[aspect]) if counted[aspect][name]}
            for aspect in ASPECTS
            if aspect in counted
        }
    )


def _step(count: int) -> int:
    return max(step for step in _STEPS if step <= count)


def _counted(name: str, step: int) -> str:
    more = {1: "", 2: "2 to 3 x ", 4: "4 to 7 x ", 8: "8 or more x "}
    return f"{more[step]}{name}"


def _steps(fingerprint: Fingerprint, aspect: Aspect) -> list[str]:
    """The parts to be compared: a count of 4 to 7 has those of 2 to 3 and of 1."""
    return [f"{name} {step}" for name, count in fingerprint.parts[aspect].items() for step in _STEPS if step <= count]


class StructureIndex:
    """The fingerprints of a benchmark's tasks."""

    def __init__(self, fingerprints: Sequence[Fingerprint | None], limit: float = LOOK_ALIKE) -> None:
        """One for each task, None for a task of which too little is known."""
        self._limit = limit
        self._fingerprints = fingerprints
        self._columns: dict[Aspect, dict[str, int]] = {aspect: {} for aspect in ASPECTS}
        self._asked: dict[str, tuple[LookAlike, ...]] = {}
        known: dict[Aspect, list[tuple[int, list[int]]]] = {aspect: [] for aspect in ASPECTS}
        for number, fingerprint in enumerate(fingerprints):
            if fingerprint is None:
                continue
            for aspect in fingerprint.parts:
                columns = self._columns[aspect]
                places = [columns.setdefault(part, len(columns)) for part in _steps(fingerprint, aspect)]
                known[aspect].append((number, places))
        self._tables = {aspect: self._table(known[aspect], len(self._columns[aspect])) for aspect in ASPECTS}

    def _table(self, rows: list[tuple[int, list[int]]], width: int) -> tuple[Any, Any, Any]:
        """Which tasks tell of the aspect, which parts each has, and how many these are."""
        is_known = np.zeros(len(self._fingerprints), dtype=bool)
        has = np.zeros((len(self._fingerprints), width), dtype=np.float32)
        for number, places in rows:
            is_known[number] = True
            has[number, places] = 1
        return is_known, has, has.sum(axis=1)

    def look_alikes(self, fingerprint: Fingerprint) -> tuple[LookAlike, ...]:
        """Benchmark tasks that share enough of its parts, the most alike first."""
        ours = fingerprint.in_words()
        if ours not in self._asked:
            shares = self._shares(fingerprint)
            found = np.flatnonzero(shares >= self._limit).tolist()
            found.sort(key=lambda number: (-shares[number], number))
            self._asked[ours] = tuple(
                LookAlike(number, round(float(shares[number]), 4), ours, theirs.in_words())
                for number in found
                if (theirs := self._fingerprints[number]) is not None
            )
        return self._asked[ours]

    def _shares(self, fingerprint: Fingerprint) -> Any:
        """Share of equal parts with each task; 0 where changes are not known of both."""
        equal, either = np.zeros(len(self._fingerprints)), np.zeros(len(self._fingerprints))
        for aspect in ASPECTS:
            if aspect not in fingerprint.parts:
                continue
            is_known, has, sizes = self._tables[aspect]
            parts = _steps(fingerprint, aspect)
            places = [self._columns[aspect][part] for part in parts if part in self._columns[aspect]]
            common = has[:, places].sum(axis=1) if places else np.zeros(len(self._fingerprints))
            equal += np.where(is_known, common, 0)
            either += np.where(is_known, len(parts) + sizes - common, 0)
        is_told = self._tables["changes"][0] & ("changes" in fingerprint.parts)
        return np.where(is_told & (either > 0), equal / np.maximum(either, 1), 0.0)
