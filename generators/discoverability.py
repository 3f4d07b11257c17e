"""A value is discoverable when the agent saw it before it was needed, or computes it by a declared rule from such."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

from environment.contract import (
    Change,
    Date,
    Enum,
    Equals,
    Instant,
    Matcher,
    Mentions,
    Money,
    Phone,
    SetOf,
    Url,
)
from environment.spellings import Day, find_days, find_money, read_day, read_instant, read_money, read_phone
from environment.task import Task

_CURRENCIES = frozenset({"gbp", "eur", "usd", "chf", "cad", "aud", "jpy"})
_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun".split())
_CLOCK = re.compile(r"\d{4}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?")
"""A time without its zone."""
_PROSE_WORDS = 5
"""A string of this many words is prose, whose wording is free but for numbers, ids and addresses."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Where the values of a solution come from."""

    count: int
    """Values that were found or computed."""
    unseen: tuple[str, ...]
    """Values that were needed before they could be known, each with where it was needed."""
    found_in_world: bool
    """Some value that a matcher demands or a hurried worker writes, ids apart, does not stand in the prompt."""


def trace_values(
    task: Task,
    results: Sequence[str],
    writes: frozenset[str],
    specs: Sequence[Mapping[str, Any]],
    id_fields: Mapping[str, Mapping[str, str]],
) -> Trace:
    """The trace of the reference's writing calls and of everything that the contract demands.

    What a writing call answers only echoes what was written: it may serve later calls, but proves nothing known.
    `results` are the answers to the reference's calls, `writes` the names of writing tools, `specs` the tools offered,
    `id_fields` app -> collection -> the field that is its rows' id.
    """
    seen, read = (_Evidence.of([task.prompt, *_enums(specs)]) for _ in range(2))
    derived = {_normal(derivation.value) for derivation in task.derivations}
    found, unseen = 0, []
    pending: list[str] = []
    for call, result in zip(task.reference, results, strict=True):
        if call.tool in writes:
            seen.add(pending)
            pending = []
            for place, value in _scalars(call.arguments, call.tool):
                needs = list(_needed(value))
                missing = [needed for needed in needs if not (seen.knows(needed) or _computed(needed, derived))]
                found += len(needs) - len(missing)
                unseen += [f"{place}: {needed!r}" for needed in missing]
        else:
            read.add([result])
        pending.append(result)
    for derivation in task.derivations:
        others = derived - {_normal(derivation.value)}
        missing = [n for n in _operands(derivation.rule) if not (read.knows(n) or _computed(n, others))]
        unseen += [f"rule {derivation.rule!r}: {operand!r}" for operand in missing]
    prompt = _Evidence.of([task.prompt])
    in_world = False
    worlds = {app: _Rows.of(task, app, id_fields[app]) for app in task.world}
    for change in task.contract.changes():
        rows = worlds.get(change.app, _Rows(()))
        for place, spellings in _demands(change):
            if rows.has(spellings):
                missed = not any(read.knows(name) or rows.known(name, read) for name in spellings)
            else:
                missed = not any(read.knows(name) or _computed(name, derived) for name in spellings)
                in_world |= not any(prompt.knows(name) for name in spellings)
            found += not missed
            unseen += [f"{place}: {spellings[0]!r}"] if missed else []
    return Trace(found, tuple(unseen), in_world or _tempting(task, writes, prompt, worlds.values()))


def _tempting(task: Task, writes: frozenset[str], prompt: _Evidence, worlds: Collection[_Rows]) -> bool:
    """Whether some hurried worker would write a value of the world: then it is the world that says what is right."""
    return any(
        not prompt.knows(needed) and not any(rows.has((needed,)) for rows in worlds)
        for trap in task.traps
        for call in trap.sprung
        if call.tool in writes
        for _, value in _scalars(call.arguments, "")
        for needed in _needed(value)
    )


@dataclass
class _Evidence:
    """Everything that the agent has read so far."""

    text: str = ""
    digits: str = ""
    words: set[str] = field(default_factory=set)
    numbers: set[Decimal] = field(default_factory=set)
    days: set[tuple[int, int]] = field(default_factory=set)

    @classmethod
    def of(cls, texts: Iterable[str]) -> _Evidence:
        evidence = cls()
        evidence.add(texts)
        return evidence

    def add(self, texts: Iterable[str]) -> None:
        for text in texts:
            content = _content(text)
            self.text += "\n" + content.text
            self.digits += "\n" + content.digits
            self.words |= content.words
            self.numbers |= content.numbers
            self.days |= content.days

    def knows(self, value: str) -> bool:
        """Whether the value stands in what was read, as text, amount, telephone number, day or moment."""
        normal = _normal(value)
        if self._stands(normal):
            return True
        if re.fullmatch(r"\W*", normal):
            return True
        amount = read_money(value)
        if amount is not None and abs(amount.number) in self.numbers:
            return True
        phone = read_phone(value)
        if phone is not None and len(phone) >= 7 and phone in self.digits:
            return True
        day = read_day(value)
        if day is not None:
            return (day.month, day.day) in self.days
        if re.fullmatch(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*", value) and (_CLOCK.fullmatch(value) or read_instant(value)):
            return self._knows_moment(value)
        words = [word for word in re.findall(r"\w+", normal) if len(word) >= 2 or word.isdigit()]
        return bool(words) and all(word in self.words for word in words)

    def _stands(self, text: str) -> bool:
        """Whether the text stands here between word boundaries."""
        start = self.text.find(text)
        while start >= 0:
            end = start + len(text)
            before, after = self.text[start - 1 : start], self.text[end : end + 1]
            if not (before.isalnum() and text[:1].isalnum()) and not (after.isalnum() and text[-1:].isalnum()):
                return True
            start = self.text.find(text, start + 1)
        return False

    def _knows_moment(self, value: str) -> bool:
        written = datetime.fromisoformat(value)
        clock = f"{written.hour}:{written.minute:02d}"
        hours = {clock, f"0{clock}", f"{(written.hour - 1) % 12 + 1}:{written.minute:02d}"}
        if not written.minute:
            half = "am" if written.hour < 12 else "pm"
            hours |= {f"{(written.hour - 1) % 12 + 1}{half}", f"{(written.hour - 1) % 12 + 1} {half}"}
        return (written.month, written.day) in self.days and any(hour in self.text for hour in hours)


@dataclass(frozen=True, slots=True)
class _Content:
    """What one text tells."""

    text: str
    digits: str
    words: frozenset[str]
    numbers: frozenset[Decimal]
    days: frozenset[tuple[int, int]]


@lru_cache(maxsize=128)
def _content(text: str) -> _Content:
    plain = _decoded(text)
    written = (Decimal(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", plain))
    return _Content(
        text=_normal(plain),
        digits=re.sub(r"[\s().\-/+]", "", plain),
        words=frozenset(re.findall(r"\w+", plain.casefold())),
        numbers=frozenset([*(abs(amount.number) for _, amount in find_money(plain)), *written]),
        days=frozenset((day.month, day.day) for _, day in find_days(plain)),
    )


def _needed(value: Any) -> Iterator[str]:
    """What of an argument must have been seen: short values whole, of prose its numbers, ids and addresses."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        if value not in (0, 1):
            yield str(value)
        return
    text = str(value)
    if len(text.split()) < 2:
        if len(text) > 1:
            yield text
        return
    whole = _typed(text)
    if whole:
        yield text
        return
    covered: list[tuple[int, int]] = []
    for (start, end), _ in find_days(text):
        covered.append((start, end))
        yield text[start:end] if read_day(text[start:end]) else _with_year(text[start:end])
    for match in re.finditer(r"[\w.+-]+@[\w.-]*\w|[\w#][\w.,:/#-]*", text):
        told = "@" in match[0] or any(character.isdigit() for character in match[0])
        if told and not any(match.start() < end and start < match.end() for start, end in covered):
            yield match[0].rstrip(".,:/-")
    words = text.split()
    if len(words) < _PROSE_WORDS:
        named = [word.strip(".,:;!?()\"'") for word in words]
        first = 0 if all(word[:1].isupper() for word in named if word) else 1
        for word in named[first:]:
            if len(word) > 1 and word[0].isupper() and word.casefold() not in _CURRENCIES | _WEEKDAYS:
                yield word


def _typed(text: str) -> bool:
    return any(reader(text) is not None for reader in (read_money, read_phone, read_day))


def _with_year(text: str) -> str:
    """A day without its year, written so that it is read as one."""
    return f"{text} 2000"


def _demands(change: Change) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What the contract demands of a change: where, and every spelling of it."""
    if change.id is not None:
        yield f"{change.label} id", (change.id,)
    for path, matchers in {**change.key, **change.fields}.items():
        for matcher in matchers:
            for spellings in _spellings(matcher):
                yield f"{change.label} {path}", spellings


def _spellings(matcher: Matcher) -> Iterator[tuple[str, ...]]:
    match matcher:
        case Equals():
            for _, value in _scalars(matcher.value, ""):
                if isinstance(value, str) or (isinstance(value, int | float) and value not in (0, 1, True, False)):
                    yield (str(value),)
        case Money():
            yield (matcher.amount,)
        case Phone():
            yield (matcher.number,)
        case Instant():
            yield (matcher.at,)
        case Date():
            yield (matcher.day,)
        case Enum():
            yield (matcher.value, *matcher.also)
        case SetOf():
            for member in matcher.members:
                yield (member,)
        case Url():
            yield (matcher.address,)
        case Mentions():
            for facts in matcher.facts:
                for fact in facts:
                    yield fact.spellings


@dataclass(frozen=True)
class _Collection:
    """Rows of one kind by their ids."""

    rows: Mapping[str, Mapping[str, Any]]

    @cached_property
    def texts(self) -> Mapping[str, set[str]]:
        """Id -> texts of the row."""
        return {
            key: {value for _, value in _scalars(row, "") if isinstance(value, str) and len(value) > 1}
            for key, row in self.rows.items()
        }

    @cached_property
    def spread(self) -> Counter[str]:
        """In how many rows each of the texts stands."""
        return Counter(text for texts in self.texts.values() for text in texts)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of one application."""

    collections: tuple[_Collection, ...]

    @classmethod
    def of(cls, task: Task, app: str, id_fields: Mapping[str, str]) -> _Rows:
        found = task.world.get(app, {}).items()
        return cls(tuple(_Collection({str(row[id_fields[name]]): row for row in rows}) for name, rows in found))

    def has(self, names: Iterable[str]) -> bool:
        """Whether one of the names is a row's id."""
        return any(name in found.rows for name in names for found in self.collections)

    def known(self, key: str, seen: _Evidence, ids: frozenset[str] = frozenset()) -> bool:
        """Whether this is the id of a row that the agent knows by what no other row says, such as a channel's name.

        A row that says nothing of its own is known by the row that it belongs to; `ids` were asked for already.
        """
        for found in self.collections:
            if key not in found.rows:
                continue
            own = {text for text in found.texts[key] if found.spread[text] == 1}
            # not those in which its id or its parents' stands
            if any(seen.knows(text) for text in own if text not in key and key not in text):
                return True
            asked = ids | {key}
            values = {value for value in found.rows[key].values() if isinstance(value, str)} - asked
            return any(self.known(value, seen, asked) for value in sorted(values))
        return False


def _computed(value: str, derived: set[str]) -> bool:
    normal = _normal(value)
    if normal in derived:
        return True
    amount, day = read_money(value), read_day(value)
    for other in derived:
        if amount is not None and (known := read_money(other)) and known.number == amount.number:
            return True
        if day is not None and (known_day := read_day(other)) and _same(day, known_day):
            return True
        if value[:1].isdigit() and (left := read_instant(value)) and left == read_instant(other.upper()):
            return True
    return False


def _same(left: Day, right: Day) -> bool:
    return (left.month, left.day) == (right.month, right.day)


def _operands(rule: str) -> Iterator[str]:
    """Numbers and days of a rule."""
    days = find_days(rule)
    for (start, end), _ in days:
        yield rule[start:end] if read_day(rule[start:end]) else _with_year(rule[start:end])
    for match in re.finditer(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?(?!\w)", rule):
        if not any(start <= match.start() < end for (start, end), _ in days):
            yield match[0]


def _scalars(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _scalars(item, f"{place} {name}".strip())
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _scalars(item, place)
    else:
        yield place, value


def _enums(specs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Values that the tools' specifications name as the only ones."""
    for spec in specs:
        for shape in spec["function"]["parameters"]["properties"].values():
            words = shape.get("enum") or shape.get("items", {}).get("enum", ())
            yield from (str(word) for word in words)


def _decoded(text: str) -> str:
    """The texts inside a tool's JSON answer, each on a line; other text as it is."""
    if not text.startswith(("{", "[")):
        return text
    try:
        data = json.loads(text)
    except ValueError:
        return text
    return "\n".join(f"{name} {value}" for name, value in _scalars(data, "") if value is not None)


def _normal(text: str) -> str:
    return " ".join(text.casefold().split())
