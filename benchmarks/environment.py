"""Time of one tool call, of a reset with its verdict, and memory of an episode, beside a world that is copied.

    python -m benchmarks.environment
    python -m benchmarks.environment --tasks 2 --sizes 200 2000 --json

Budgets on 2 cores: a tool call 100 us (p50, GraphQL applications apart), reset and verdict 1 ms (p50), and 20 times
less than the copied world needs for them at 2,000 rows. Calls are the references' own, on tasks that were proven first,
at starter and at full height, through both toolsets; a call's time is the median of its repetitions. Times are of the
processor: on a busy machine they are up to a half longer, and so is the unit loop at the end.

The copied world is the usual simple way: every episode gets a deep copy of all rows, and its end is compared with its
beginning row by row. It stands on the same applications, answers the same calls and must earn the same verdict.
Ends with exit code 1 when the ratio falls short.
"""

from __future__ import annotations

import argparse
import copy
import gc
import json
import sys
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).parents[1]))  # beside this file lies environment.py, which is not the package

from environment.apps import APPS
from environment.apps.gmail.rows import message_id
from environment.apps.kit import App
from environment.assignment import best_assignment
from environment.attempt import RowChange, Verdict
from environment.episode import Episode, base_of, derived_fields, row_types
from environment.rng import derive_rng
from environment.server import Server, parse_now
from environment.task import Task
from environment.tools import ActionTools
from environment.verifier import Judge, verify
from environment.world import Base, Collection, Row, Spell, World
from generators.families import FAMILIES
from generators.family import Family
from generators.proof import prove

GRAPHQL = frozenset({"monday", "pipefy", "linear", "wave"})
"""Applications whose every call goes through a GraphQL engine."""
CALL_US, RESET_US, RATIO, RATIO_ROWS = 100.0, 1000.0, 20.0, 2000
Height = Literal["starter", "full", "highest"]
WORDS = (
    "meeting garden window coffee paper morning schedule travel budget office table folder printer river visit lunch "
    "winter summer pencil calendar mountain kitchen holiday newsletter bicycle weather library museum train course "
    "lesson survey elevator carpet laptop charger cable monitor keyboard"
).split()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table."""

    what: str
    count: int
    """What the value is of so many of."""
    p50: float
    p95: float
    unit: str
    budget: float | None = None
    """Of the p50; None where there is none."""

    @property
    def verdict(self) -> str:
        return "" if self.budget is None else "ok" if self.p50 <= self.budget else "short"


@dataclass(frozen=True, slots=True)
class Ratio:
    """How much longer the copied world takes for reset and verdict."""

    rows: int
    ours_us: float
    copied_us: float
    budget: float | None

    @property
    def times(self) -> float:
        return self.copied_us / self.ours_us

    @property
    def verdict(self) -> str:
        return "" if self.budget is None else "ok" if self.times >= self.budget else "short"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=6, help="tasks of each family and height (default 6)")
    parser.add_argument("--repeats", type=int, default=9, help="repetitions of each call (default 9)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 2000, 20_000], help="rows of the compared worlds")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    arguments = parser.parse_args()
    best_assignment({(0, 0): 1.0, (1, 0): 1.0})  # the first tie of a process loads SciPy
    unit_before = unit_loop_ms()
    proven = [*tasks_of("starter", arguments.tasks), *tasks_of("full", arguments.tasks)]
    for task in proven:
        prove(task)
    more = partial(tasks_of, count=arguments.tasks, first=arguments.tasks)
    unjudged = [*more("starter"), *more("full")]  # a proof judges many texts, which are then known
    highest_tasks = tasks_of("highest", arguments.tasks)
    gc.collect()
    gc.freeze()  # a collection would look through all these tasks, of which an attempt has but one
    lines = [
        *call_lines(proven, arguments.repeats),
        *reset_lines("starter and full height", unjudged, arguments.repeats),
        *reset_lines("every knob at its highest", highest_tasks, arguments.repeats),
        *memory_lines([highest(family, 0) for family in one_a_domain()]),
    ]
    ratios = [compare(rows, 3 if rows > RATIO_ROWS else 7) for rows in arguments.sizes]
    units = (unit_before, unit_loop_ms())
    if arguments.json:
        found = {
            "lines": [{**asdict(line), "verdict": line.verdict} for line in lines],
            "ratios": [{**asdict(ratio), "times": ratio.times, "verdict": ratio.verdict} for ratio in ratios],
            "unit_loop_ms": units,
        }
        print(json.dumps(found, indent=1))
    else:
        show(lines, ratios, units)
    return 1 if any(ratio.verdict == "short" for ratio in ratios) else 0


def show(lines: Sequence[Line], ratios: Sequence[Ratio], units: tuple[float, float]) -> None:
    print(f"{'':46s} {'count':>7s} {'p50':>9s} {'p95':>9s}      {'budget':>7s}")
    for line in lines:
        budget = "" if line.budget is None else f"{line.budget:7.0f}"
        values = f"{line.count:7d} {line.p50:9.1f} {line.p95:9.1f}"
        print(f"{line.what:46s} {values} {line.unit:4s} {budget:>7s} {line.verdict}".rstrip())
    print(f"\n{'reset and verdict of a world of':44s} {'ours us':>9s} {'copied us':>11s} {'times':>7s}  {'budget':>6s}")
    for ratio in ratios:
        budget = "" if ratio.budget is None else f"{ratio.budget:.0f}"
        print(
            f"{ratio.rows:>38,d} rows {ratio.ours_us:9.0f} {ratio.copied_us:11.0f} {ratio.times:7.0f}  "
            f"{budget:>6s} {ratio.verdict}"
        )
    print(f"\nunit loop (a million additions) before {units[0]:.0f} ms, after {units[1]:.0f} ms of processor time")


# Tasks


def tasks_of(height: Height, count: int, first: int = 0) -> list[Task]:
    """So many tasks of each family."""
    return [_task(family, height, index) for family in FAMILIES for index in range(first, first + count)]


def highest(family: Family, index: int) -> Task:
    """A task with every knob at its highest."""
    return _task(family, "highest", index)


def one_a_domain() -> list[Family]:
    """The first family of each domain."""
    first: dict[str, Family] = {}
    for family in FAMILIES:
        first.setdefault(family.domain, family)
    return list(first.values())


def _task(family: Family, height: Height, index: int) -> Task:
    seed = f"speed {height}"
    if height == "highest":
        knobs = {name: knob.high for name, knob in family.knobs.items()}
    else:
        knobs = family.draw_knobs(derive_rng("knobs", family.name, seed, index), height)
    return family.generate(seed, index, "train", knobs, "actions")


def padded(task: Task, rows: int) -> Task:
    """The task in a world of at least so many rows: further mail that has nothing to do with it."""
    rng = derive_rng("padding", task.id)
    count = rows - sum(len(found) for collections in task.world.values() for found in collections.values())
    mails = tuple(
        {
            "id": message_id(200_000 + number),
            "threadId": message_id(200_000 + number),
            "from": f"{rng.choice(WORDS)}.{number}@quietplace.example",
            "to": [task.actor["email"]],
            "subject": " ".join(rng.choices(WORDS, k=4)).capitalize(),
            "date": f"2026-01-{1 + number % 28:02d}T10:00:00+00:00",
            "body": " ".join(rng.choices(WORDS, k=40)).capitalize() + ".",
            "labels": ["INBOX"],
            "unread": number % 2 == 0,
        }
        for number in range(count)
    )
    gmail = task.world.get("gmail", {})
    world = {**task.world, "gmail": {**gmail, "Message": (*gmail.get("Message", ()), *mails)}}
    return task.model_copy(update={"world": world})


# Times


def call_lines(tasks: Sequence[Task], repeats: int) -> list[Line]:
    """One tool call, by toolset and application and over all of them."""
    times: dict[tuple[str, str], dict[tuple[int, int], list[float]]] = defaultdict(lambda: defaultdict(list))
    for number, task in enumerate(tasks):
        base = base_of(task)
        for _ in range(repeats):
            acting = Episode(task, "actions", base)
            for place, call in enumerate(task.reference):
                arguments = dict(call.arguments)
                spent = _spent_us(partial(acting.call, call.tool, arguments))
                times["actions", app_of(call.tool)][number, place].append(spent)
            fetching = Episode(task, "api", base)
            for place, request in enumerate(acting.requests):
                given: dict[str, Any] = {"method": request.method, "url": request.url}
                if request.params is not None:
                    given["params"] = json.dumps(request.params)
                if request.body is not None:
                    given["body"] = json.dumps(request.body)
                spent = _spent_us(partial(fetching.call, "api_fetch", given))
                times["api", host_of(request.url)][number, place].append(spent)
            assert acting.verdict().strict
            assert fetching.verdict().strict
    found = {key: [median(spent) for spent in calls.values()] for key, calls in times.items()}
    lines = []
    for toolset in ("actions", "api"):
        plain = [us for (way, app), calls in found.items() if way == toolset and app not in GRAPHQL for us in calls]
        engine = [us for (way, app), calls in found.items() if way == toolset and app in GRAPHQL for us in calls]
        lines.append(_line(f"a call through {toolset}", plain, CALL_US))
        lines += [_line(f"  {app}", found[way, app]) for way, app in sorted(found) if way == toolset]
        lines += [_line(f"  GraphQL applications through {toolset}", engine)] if engine else []
    return lines


def reset_lines(height: str, tasks: Sequence[Task], repeats: int) -> list[Line]:
    """Reset and verdict: of texts never judged before, and of the same ones again."""
    parsing, first, again = [], [], []
    for task in tasks:
        parsing.append(_spent_us(partial(_make_ready, task)))
        both = [_reset_and_verdict_us(task) for _ in range(repeats)]
        first.append(both[0])
        again.append(median(both[1:]))
    return [
        _line(f"reset and verdict, {height}", first, RESET_US),
        _line("  further attempts of the same task", again, RESET_US),
        _line("  making world and contract ready, once a task", parsing),
    ]


def _make_ready(task: Task) -> None:
    base_of(task)
    Judge(task.contract, derived_fields())


def _reset_and_verdict_us(task: Task) -> float:
    start = time.process_time_ns()
    episode = Episode(task, "actions", base_of(task))
    reset = time.process_time_ns() - start
    for call in task.reference:
        episode.call(call.tool, dict(call.arguments))
    start = time.process_time_ns()
    verdict = episode.verdict()
    spent = reset + time.process_time_ns() - start
    assert verdict.strict
    return spent / 1000


def memory_lines(tasks: Sequence[Task]) -> list[Line]:
    """What one more episode takes, its reference done, and what a task's world takes once for all of them."""
    episodes, worlds = [], []
    for task in tasks:
        Episode(task, "actions", base_of(task)).verdict()
        gc.collect()
        tracemalloc.start()
        base = Base(task.world, row_types())
        worlds.append(tracemalloc.get_traced_memory()[0] / 1024)
        _played(task, base)  # what the base keeps for all episodes is not the second's
        before = tracemalloc.get_traced_memory()[0]
        kept = [_played(task, base) for _ in range(20)]
        episodes.append((tracemalloc.get_traced_memory()[0] - before) / 1024 / len(kept))
        tracemalloc.stop()
    return [
        Line("memory of an episode at full height", len(tasks), *_percentiles(episodes), "kB"),
        Line("memory of a task's world, once", len(tasks), *_percentiles(worlds), "kB"),
    ]


def _played(task: Task, base: Base) -> Episode:
    episode = Episode(task, "actions", base)
    for call in task.reference:
        episode.call(call.tool, dict(call.arguments))
    return episode


def _spent_us(work: Callable[[], object]) -> float:
    start = time.process_time_ns()
    work()
    return (time.process_time_ns() - start) / 1000


def _line(what: str, values: Sequence[float], budget: float | None = None) -> Line:
    return Line(what, len(values), *_percentiles(values), "us", budget)


def _percentiles(values: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(values)
    return median(ordered), ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


def unit_loop_ms() -> float:
    """Processor time of a fixed loop, median of five: what the machine is worth just now."""

    def loop() -> int:
        total = 0
        for number in range(1_000_000):
            total += number
        return total

    return median(_spent_us(loop) for _ in range(5)) / 1000


def app_of(tool: str) -> str:
    return next(app.name for app in APPS for action in app.all_actions if action.name == tool)


def host_of(url: str) -> str:
    """The application that answers at an address."""
    host, path = url.removeprefix("https://").split("/", 1)
    hosted = [app for app in APPS if app.host_pattern.fullmatch(host.lower())]
    below: list[App] = [app for app in hosted if app.below(f"/{path}") is not None]
    return max(below or hosted, key=lambda app: len(app.base_path)).name


# The copied world


class CopiedWorld(World):
    """A deep copy of every row, changed in place, whose end is compared with its beginning row by row."""

    def __init__(self, base: Base, now: datetime) -> None:
        super().__init__(base, now)
        initial = {collection: dict(base.rows(collection)) for collection in base.collections()}
        self._rows: dict[Collection, dict[str, Row]] = copy.deepcopy(initial)

    def get(self, collection: Collection, key: str) -> Row | None:
        return self._rows.get(collection, {}).get(key)

    def all(self, collection: Collection) -> Iterable[Row]:
        return list(self._rows.get(collection, {}).values())

    def where(self, collection: Collection, field: str, value: Any) -> list[Row]:
        return [row for row in self.all(collection) if getattr(row, field) == value]

    def put(self, collection: Collection, row: Row) -> None:
        self._rows.setdefault(collection, {})[row.row_id] = row

    def delete(self, collection: Collection, key: str) -> None:
        self._rows.get(collection, {}).pop(key, None)

    def new_id(
        self, collection: Collection, spell: Spell, after: int | None = None, taken: Callable[[str], Any] | None = None
    ) -> str:
        base, rows = self.base.rows(collection), self._rows.get(collection, {})
        count = self._counters.get(collection, len(base)) if after is None else after
        while True:
            count += 1
            if (key := spell(count)) not in base and key not in rows and not (taken and taken(key)):
                if after is None:
                    self._counters[collection] = count
                return key

    def save(self) -> Any:
        rows = {collection: dict(found) for collection, found in self._rows.items()}
        return rows, dict(self._counters), dict(self._outbox)

    def restore(self, saved: Any) -> None:
        self._rows, self._counters, self._outbox = saved

    def changes(self) -> tuple[RowChange, ...]:
        found = []
        for collection in {**dict.fromkeys(self.base.collections()), **dict.fromkeys(self._rows)}:
            app, name = collection
            initial, rows = self.base.rows(collection), self._rows.get(collection, {})
            for key in {**initial, **rows}:
                before, after = initial.get(key), rows.get(key)
                if before != after:
                    found.append(
                        RowChange(
                            app=app,
                            collection=name,
                            id=key,
                            before=before and before.model_dump(mode="json"),
                            after=after and after.model_dump(mode="json"),
                            sent=(collection, key) in self._outbox,
                        )
                    )
        return tuple(found)


def compare(rows: int, repeats: int) -> Ratio:
    """Reset and verdict in both kinds of world, a task of each domain, taking turns."""
    ours, copied = [], []
    for task in [padded(highest(family, 1), rows) for family in one_a_domain()]:
        # a base for each, lest what searches keep on the rows of one be copied for the other
        base, copied_base = (Base(task.world, row_types()) for _ in range(2))
        pairs = [(_attempt(task, base, World), _attempt(task, copied_base, CopiedWorld)) for _ in range(repeats)]
        for (verdict, _), (other, _) in pairs:
            assert verdict == other, f"{task.id}: {verdict} is not {other}"
            assert verdict.strict, task.id
        ours.append(median(spent for (_, spent), _ in pairs))
        copied.append(median(spent for _, (_, spent) in pairs))
    return Ratio(rows, median(ours), median(copied), RATIO if rows == RATIO_ROWS else None)


def _attempt(task: Task, base: Base, kind: type[World]) -> tuple[Verdict, float]:
    """The reference's verdict in a world of this kind, and how long reset and verdict took."""
    start = time.process_time_ns()
    world = kind(base, parse_now(task.now))
    tools = ActionTools(Server(APPS, world, task.actor), APPS, task.actions)
    reset = time.process_time_ns() - start
    for call in task.reference:
        arguments: Mapping[str, Any] = dict(call.arguments)
        tools.call(call.tool, arguments)
    start = time.process_time_ns()
    verdict = verify(task.contract, world.changes(), derived_fields(APPS))
    return verdict, (reset + time.process_time_ns() - start) / 1000


if __name__ == "__main__":
    sys.exit(main())
