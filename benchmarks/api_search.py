"""How often `api_search` finds the right endpoint for what office people ask for, and how long it takes.

    python -m benchmarks.api_search
    python -m benchmarks.api_search --set tuning --json

`api_search_intents.csv` beside this file holds a hundred everyday intents over eight applications, each with the
endpoints that are right for it. The search was tuned on the half marked `tuning` alone; the half marked `held_back`
was written before that. When it was first looked at, 31 of its 50 intents had a right endpoint first and 44 among the
first three; what it then showed was mended too, so that today's figures of both halves are those of known questions.

Budgets: every intent in the first three; a search 1 ms (p50); one whose question is a megabyte long 5 ms (p99).
Ends with exit code 1 when a right endpoint is not among the first three. Times are of the processor.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # beside this file lies environment.py, which is not the package

from environment.apps import APPS
from environment.search.endpoints import search
from environment.tools import compact

INTENTS = Path(__file__).with_name("api_search_intents.csv")
P50_MS, LONG_P99_MS, REPEATS = 1.0, 5.0, 5
LONG_QUESTIONS = ("send an email to the customer " * 35_000, "x" * 1_000_000, "é " * 500_000, "a1" * 500_000)


@dataclass(frozen=True, slots=True)
class Intent:
    """One thing that somebody wants done."""

    set: str
    """tuning or held_back."""
    app: str
    intent: str
    endpoints: frozenset[str]
    """Names of the application's routes that do it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where the search put the first right endpoint."""

    intent: Intent
    place: int | None
    """From 1; None when it is not among the first ten."""
    found: tuple[str, ...]
    """The first three."""


@dataclass(frozen=True, slots=True)
class Share:
    """Hits among some intents."""

    what: str
    count: int
    first: int
    first_three: int


@dataclass(frozen=True, slots=True)
class Time:
    """How long searches take, in milliseconds."""

    what: str
    p50: float
    p99: float
    verdict: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=("tuning", "held_back"), help="only the intents of this half")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    arguments = parser.parse_args()
    intents = [intent for intent in read_intents() if arguments.set in (None, intent.set)]
    outcomes = [outcome_of(intent) for intent in intents]
    shares = shares_of(outcomes)
    misses = [outcome for outcome in outcomes if outcome.place is None or outcome.place > 3]
    times = times_of([intent.intent for intent in intents])
    sizes = sorted(len(compact(entry)) for intent in intents for entry in search(APPS, intent.intent, 5))
    size = {"median": sizes[len(sizes) // 2], "largest": sizes[-1]}
    if arguments.json:
        missed = [
            {**asdict(one.intent), "endpoints": sorted(one.intent.endpoints), "found": one.found} for one in misses
        ]
        found = {"shares": [asdict(share) for share in shares], "misses": missed, "entry_characters": size}
        print(json.dumps({**found, "times_ms": [asdict(spent) for spent in times]}, indent=1))
    else:
        show(shares, misses, times)
        print(f"characters of an entry: median {size['median']}, largest {size['largest']}")
    return 1 if misses else 0


def read_intents() -> list[Intent]:
    """The table, checked: an endpoint that no application has would be a miss for ever."""
    known = {f"{app.name}.{route.name}" for app in APPS for route in app.routes}
    with INTENTS.open(encoding="utf-8", newline="") as file:
        rows = [
            Intent(row["set"], row["app"], row["intent"], frozenset(row["endpoints"].split()))
            for row in csv.DictReader(file)
        ]
    for row in rows:
        unknown = {f"{row.app}.{name}" for name in row.endpoints} - known
        assert row.endpoints and not unknown, f"{row.intent!r} has endpoints that there are none of: {sorted(unknown)}"
    return rows


def outcome_of(intent: Intent) -> Outcome:
    titles = {app.title: app.name for app in APPS}
    found = [f"{titles[entry['app']]}.{entry['name']}" for entry in search(APPS, intent.intent, 10)]
    right = {f"{intent.app}.{name}" for name in intent.endpoints}
    place = next((place for place, name in enumerate(found, 1) if name in right), None)
    return Outcome(intent, place, tuple(found[:3]))


def shares_of(outcomes: Sequence[Outcome]) -> list[Share]:
    """Hits of each application, of each half, and of all."""
    apps = list(dict.fromkeys(outcome.intent.app for outcome in outcomes))
    sets = list(dict.fromkeys(outcome.intent.set for outcome in outcomes))
    groups = [(app, [one for one in outcomes if one.intent.app == app]) for app in apps]
    groups += [(name, [one for one in outcomes if one.intent.set == name]) for name in sets]
    groups.append(("all", list(outcomes)))
    return [
        Share(
            what,
            len(group),
            sum(outcome.place == 1 for outcome in group),
            sum(outcome.place is not None and outcome.place <= 3 for outcome in group),
        )
        for what, group in groups
    ]


def times_of(questions: Sequence[str]) -> list[Time]:
    """Of these questions, and of very long ones."""
    ordinary = [_spent_ms(lambda: search(APPS, question, 5)) for question in questions for _ in range(REPEATS)]  # noqa: B023
    long = [_spent_ms(lambda: search(APPS, question, 5)) for question in LONG_QUESTIONS for _ in range(25)]  # noqa: B023
    return [
        _time(f"a search over {sum(len(app.routes) for app in APPS)} endpoints", ordinary, lambda t: t.p50 <= P50_MS),
        _time("a search with a question of a megabyte", long, lambda t: t.p99 <= LONG_P99_MS),
    ]


def _time(what: str, spent: Sequence[float], fits: Callable[[Time], bool]) -> Time:
    ordered = sorted(spent)
    time_ = Time(what, ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))], "")
    return Time(what, time_.p50, time_.p99, "ok" if fits(time_) else "short")


def _spent_ms(work: Callable[[], object]) -> float:
    start = time.process_time_ns()
    work()
    return (time.process_time_ns() - start) / 1e6


def show(shares: Sequence[Share], misses: Sequence[Outcome], times: Sequence[Time]) -> None:
    print(f"{'':18s} {'intents':>7s} {'first':>6s} {'first 3':>8s}")
    for share in shares:
        print(f"{share.what:18s} {share.count:7d} {share.first:6d} {share.first_three:8d}")
    for miss in misses:
        print(f"\nmissed ({miss.intent.app}): {miss.intent.intent}")
        print(f"  right: {', '.join(sorted(miss.intent.endpoints))}; at place {miss.place or 'over 10'}")
        print(f"  found: {', '.join(miss.found)}")
    print(f"\n{'milliseconds':42s} {'p50':>7s} {'p99':>7s}")
    for spent in times:
        print(f"{spent.what:42s} {spent.p50:7.3f} {spent.p99:7.3f} {spent.verdict}")


if __name__ == "__main__":
    sys.exit(main())
