"""Failure analysis says what failed attempts lack and do too much, base against adapter, and where they part most."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median_low

from environment.record import Record
from evaluation.outcomes import Outcome

EXTREMES = 10
"""Tasks shown of the largest gains, and as many of the largest losses."""
KINDS = 20
"""Kinds of expected change that are listed, those missed most often."""


class Share(Record):
    """How often something was so, on both sides."""

    name: str
    base: int
    base_of: int
    adapter: int
    adapter_of: int

    @property
    def base_share(self) -> float:
        """In [0, 1]; 0 where there was nothing to count."""
        return self.base / self.base_of if self.base_of else 0.0

    @property
    def adapter_share(self) -> float:
        return self.adapter / self.adapter_of if self.adapter_of else 0.0


class Move(Record):
    """One task on which the sides differ, with the attempts that show it best."""

    task_id: str
    domain: str
    family: str
    base_rate: float
    """Share of its attempts that passed; where the rates are equal the partial credit differs."""
    adapter_rate: float
    base_credit: float
    adapter_credit: float
    base_number: int
    """Attempt to look at: on the side that does worse its worst, on the other its best."""
    adapter_number: int


class FailureAnalysis(Record):
    """Tables of both sides' scored attempts; a table of which nothing is known is empty."""

    attempts: Share
    """Attempts that failed."""
    ways: tuple[Share, ...]
    """How they failed, of all attempts."""
    apps: tuple[Share, ...]
    """Expected changes that were missed, of those expected, by application."""
    kinds: tuple[Share, ...]
    """The same by kind of change."""
    strays: tuple[Share, ...]
    """Attempts that left a stray row, by the row's application."""
    families: tuple[Share, ...]
    """Attempts that failed, by family."""
    traps: tuple[Share, ...]
    """Attempts that ended as the trap's careless worker does, of those on tasks with such a trap."""
    knobs: tuple[Share, ...]
    """Attempts that failed, by knob: on tasks up to the median level and on those above it."""
    gains: tuple[Move, ...]
    """The tasks that the adapter gained most on, largest first."""
    losses: tuple[Move, ...]


def analyse(base: Iterable[Outcome], adapter: Iterable[Outcome]) -> FailureAnalysis:
    """The analysis of scored attempts on the tasks that both sides have. Raises ValueError when there is none."""
    given = list(base), list(adapter)
    both = {one.task_id for one in given[0]} & {one.task_id for one in given[1]}
    if not both:
        raise ValueError("no task has a scored attempt on both sides; give outcomes on the same suite")
    sides = [one for one in given[0] if one.task_id in both], [one for one in given[1] if one.task_id in both]
    moves = _moves(*sides)
    return FailureAnalysis(
        attempts=_share("failed", sides, lambda outcome: [not outcome.strict]),
        ways=_ways(sides),
        apps=_by(sides, lambda one: ((check.app, not check.passed) for check in one.checks)),
        kinds=_most_missed(_by(sides, lambda one: ((check.kind, not check.passed) for check in one.checks))),
        strays=_strays(sides),
        families=_by(sides, lambda one: [(one.family, not one.strict)] if one.family else []),
        traps=_by(sides, lambda one: one.traps.items()),
        knobs=_knobs(sides),
        gains=tuple(move for move in moves if _gain(move) > (0, 0))[:EXTREMES],
        losses=tuple(move for move in reversed(moves) if _gain(move) < (0, 0))[:EXTREMES],
    )


Sides = tuple[Sequence[Outcome], Sequence[Outcome]]


def _share(name: str, sides: Sides, hits: Callable[[Outcome], Iterable[bool]]) -> Share:
    counted = [[hit for outcome in side for hit in hits(outcome)] for side in sides]
    (base, base_of), (adapter, adapter_of) = ((sum(found), len(found)) for found in counted)
    return Share(name=name, base=base, base_of=base_of, adapter=adapter, adapter_of=adapter_of)


def _by(sides: Sides, hits: Callable[[Outcome], Iterable[tuple[str, bool]]]) -> tuple[Share, ...]:
    """A share for each name, in the order of their names."""
    counted: tuple[Counter[str], ...] = tuple(Counter() for _ in range(4))
    for place, side in enumerate(sides):
        for outcome in side:
            for name, hit in hits(outcome):
                counted[2 * place][name] += hit
                counted[2 * place + 1][name] += 1
    names = sorted({*counted[1], *counted[3]})
    fields = ("base", "base_of", "adapter", "adapter_of")
    return tuple(
        Share(name=name, **{field: part[name] for field, part in zip(fields, counted, strict=True)}) for name in names
    )


def _ways(sides: Sides) -> tuple[Share, ...]:
    def way(outcome: Outcome) -> str:
        missed = any(not check.passed for check in outcome.checks)
        if outcome.strict:
            return ""
        if outcome.end not in ("", "answered"):
            return f"ended without an answer ({outcome.end.replace('_', ' ')})"
        if missed and outcome.strays:
            return "missed something and touched what it must not"
        return "touched what it must not" if outcome.strays else "missed something"

    names = sorted({way(outcome) for side in sides for outcome in side} - {""})
    return tuple(_share(name, sides, lambda one, name=name: [way(one) == name]) for name in names)  # type: ignore[misc]


def _most_missed(shares: Sequence[Share]) -> tuple[Share, ...]:
    missed = [share for share in shares if share.base or share.adapter]
    return tuple(sorted(missed, key=lambda share: (-share.base - share.adapter, share.name))[:KINDS])


def _strays(sides: Sides) -> tuple[Share, ...]:
    def apps(outcome: Outcome) -> list[str]:
        return [stray.partition(".")[0] for stray in outcome.strays]

    names = sorted({app for side in sides for outcome in side for app in apps(outcome)})
    return tuple(_share(name, sides, lambda one, name=name: [name in apps(one)]) for name in names)  # type: ignore[misc]


def _knobs(sides: Sides) -> tuple[Share, ...]:
    """Levels are split at the median over tasks, so that both halves hold many; a knob of one level is left out."""
    levels: dict[str, dict[str, float]] = defaultdict(dict)
    for outcome in (*sides[0], *sides[1]):
        for name, level in outcome.knobs.items():
            levels[name][outcome.task_id] = level
    shares = []
    for name in sorted(levels):
        if len(set(levels[name].values())) < 2:
            continue
        middle = median_low(levels[name].values())
        if max(levels[name].values()) == middle:
            middle = max(level for level in levels[name].values() if level < middle)
        for title, above in ((f"{name} up to {middle:g}", False), (f"{name} above {middle:g}", True)):
            share = _share(
                title,
                sides,
                lambda one, name=name, middle=middle, above=above: (  # type: ignore[misc]
                    [not one.strict] if name in one.knobs and (one.knobs[name] > middle) == above else []
                ),
            )
            shares.append(share)
    return tuple(share for share in shares if share.base_of and share.adapter_of)


def _moves(base: Sequence[Outcome], adapter: Sequence[Outcome]) -> list[Move]:
    """Tasks that both sides attempted, the largest gain first."""
    grouped: tuple[dict[str, list[Outcome]], ...] = (defaultdict(list), defaultdict(list))
    for outcomes, group in zip((base, adapter), grouped, strict=True):
        for outcome in outcomes:
            group[outcome.task_id].append(outcome)
    moves = []
    for task_id in sorted(grouped[0].keys() & grouped[1].keys()):
        sides = grouped[0][task_id], grouped[1][task_id]
        rates = [fmean(one.strict for one in side) for side in sides]
        credits = [fmean(one.credit for one in side) for side in sides]
        is_gain = (rates[1], credits[1]) >= (rates[0], credits[0])
        first = sides[0][0]
        moves.append(
            Move(
                task_id=task_id,
                domain=first.domain,
                family=first.family,
                base_rate=rates[0],
                adapter_rate=rates[1],
                base_credit=credits[0],
                adapter_credit=credits[1],
                base_number=_telling(sides[0], best=not is_gain),
                adapter_number=_telling(sides[1], best=is_gain),
            )
        )
    return sorted(moves, key=lambda move: (*(-part for part in _gain(move)), move.task_id))


def _gain(move: Move) -> tuple[float, float]:
    """Rounded, since thirds don't subtract exactly."""
    return round(move.adapter_rate - move.base_rate, 9), round(move.adapter_credit - move.base_credit, 9)


def _telling(outcomes: Sequence[Outcome], best: bool) -> int:
    """Number of the best attempt, or of the worst; of equal ones the first."""
    sign = -1 if best else 1
    return min(outcomes, key=lambda one: (sign * one.strict, sign * one.credit, one.number)).number
