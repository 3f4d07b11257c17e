"""A capability comparison says of each benchmark whether the adapter still answers as well as its base."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from statistics import fmean, stdev
from typing import Literal

from environment.record import Record
from evaluation.bootstrap import paired_bootstrap
from evaluation.capability.holm import holm
from evaluation.capability.results import BenchmarkResult
from evaluation.capability.unpaired import Unpaired, standard_errors, two_proportions
from evaluation.mcnemar import mcnemar
from evaluation.number_text import points
from evaluation.permutation import permutation_p_value
from evaluation.power import detectable_from_sd

ALPHA = 0.05
Outcome = Literal["no significant change", "dropped", "rose", "untested"]
Test = Literal["McNemar, exact", "paired permutation", "two proportions, z", "standard errors, z", "none"]
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


class Difference(Record):
    """One benchmark on both sides; rates in [0, 1]."""

    task: str
    score: str
    questions: int | None
    """Of each side; None where the files don't say or the sides differ."""
    base: float
    adapter: float
    difference: float
    """`adapter` minus `base`."""
    low: float | None
    """95% interval of the difference for this benchmark alone; None where nothing can be said."""
    high: float | None
    test: Test
    only_base: int | None
    """Questions that only the base got right; None where answers are not paired or not right or wrong."""
    only_adapter: int | None
    p_value: float | None
    """Two-sided."""
    adjusted_p: float | None
    """Holm's, over the benchmarks that could be tested."""
    detectable: float | None
    """Smallest drop found in four of five repetitions, at the strictest of Holm's levels."""
    outcome: Outcome


class CapabilityComparison(Record):
    """Base and adapter on every benchmark."""

    base_model: str
    adapter_model: str
    alpha: float
    """Chance of any false alarm among the benchmarks."""
    rows: tuple[Difference, ...]
    verdict: str
    """One or two sentences."""
    notes: tuple[str, ...]

    @property
    def dropped(self) -> tuple[Difference, ...]:
        return tuple(row for row in self.rows if row.outcome == "dropped")


def compare_capability(
    base: Mapping[str, BenchmarkResult],
    adapter: Mapping[str, BenchmarkResult],
    *,
    seed: int | str,
    common: bool = False,
    allow: Collection[str] = (),
) -> CapabilityComparison:
    """Every benchmark of two sides' results, by task, with a test each.

    Raises ValueError for a benchmark or a question that one side lacks, unless `common` takes what both have, and for
    sides that differ in a setting that is not in `allow`.
    """
    shared = _shared(base, adapter, common)
    notes = [f"Only on one side, so not compared: {task}." for task in sorted({*base} ^ {*adapter})]
    for task in shared:
        notes += _settings_notes(base[task], adapter[task], allow)
        notes += [one.note for one in (base[task], adapter[task]) if one.note]
    rows = []
    level = ALPHA / max(1, sum(_can_be_tested(base[task], adapter[task]) for task in shared))
    for task in shared:
        row, said = _difference(base[task], adapter[task], f"{seed} {task}", common, level)
        rows.append(row)
        notes += said
    models = _models(base, shared), _models(adapter, shared)
    if models[0] == models[1]:
        notes.append(f"Both sides name the model {models[0]}: this compares a model with itself.")
    judged = _judged(rows)
    return CapabilityComparison(
        base_model=models[0],
        adapter_model=models[1],
        alpha=ALPHA,
        rows=judged,
        verdict=verdict(judged),
        notes=tuple(notes),
    )


def short_names(rows: Collection[Difference]) -> dict[str, str]:
    """Task -> its name without the framework that asks it, unless two of them share that."""
    names = {row.task: row.task.rpartition(".")[2] for row in rows}
    shared = Counter(names.values())
    return {task: name if shared[name] == 1 else task for task, name in names.items()}


def verdict(rows: Collection[Difference]) -> str:
    """What the tests allow to be said: which dropped, or that none did and what would have shown."""
    names = short_names(rows)
    tested = [row for row in rows if row.outcome != "untested"]
    moved = {outcome: [row for row in rows if row.outcome == outcome] for outcome in ("dropped", "rose")}
    said = []
    for outcome, those in moved.items():
        if those:
            named_rows = ", ".join(f"{names[row.task]} ({points(row.difference)} points)" for row in those)
            said.append(f"{outcome.capitalize()} on {_number(len(those))} of {_number(len(tested))}: {named_rows}.")
    if tested and not said:
        said.append(f"No significant change on {_number(len(tested))} benchmark{'s' if len(tested) > 1 else ''}.")
    elif tested and len(moved["dropped"]) + len(moved["rose"]) < len(tested):
        said.append("No significant change on the others." if moved["dropped"] else "None dropped significantly.")
    seen = [row.detectable for row in tested if row.detectable is not None]
    if seen:
        said.append(
            f"A drop of {100 * max(seen):.1f} points would have been found on any of them in four of five cases."
        )
    small = [names[row.task] for row in tested if row.detectable is None]
    if small:
        said.append(f"Too few questions to show any change: {', '.join(small)}.")
    untested = [names[row.task] for row in rows if row.outcome == "untested"]
    if untested:
        said.append(f"Could not be tested: {', '.join(untested)}.")
    return " ".join(said)


def _shared(base: Mapping[str, BenchmarkResult], adapter: Mapping[str, BenchmarkResult], common: bool) -> list[str]:
    shared = [task for task in base if task in adapter]
    for side, lacks, has in (("adapter", adapter, base), ("base", base, adapter)):
        missing = [task for task in has if task not in lacks]
        if missing and not common:
            raise ValueError(f"the {side} has no result of {', '.join(missing)}; run it, or compare what is common")
    if not shared:
        raise ValueError("the two sides have no benchmark in common; give results of the same benchmarks")
    return shared


def _settings_notes(base: BenchmarkResult, adapter: BenchmarkResult, allow: Collection[str]) -> list[str]:
    notes = []
    sides = [{"score": result.score, **result.settings} for result in (base, adapter)]
    for name in {**sides[0], **sides[1]}:
        one, other = (side.get(name) for side in sides)
        if one == other:
            continue
        if name not in allow:
            raise ValueError(
                f"{base.task}: the two sides differ in {name} ({one} and {other}), so a difference may come from that "
                f"and not from the models; run both alike, or allow {name} to differ"
            )
        notes.append(f"{base.task}: the two sides differ in {name}, as was allowed: {one} and {other}.")
    return notes


def _can_be_tested(base: BenchmarkResult, adapter: BenchmarkResult) -> bool:
    are_paired = base.questions is not None and adapter.questions is not None
    return are_paired or None not in (base.count, adapter.count) or None not in (base.stderr, adapter.stderr)


def _difference(
    base: BenchmarkResult, adapter: BenchmarkResult, seed: str, common: bool, level: float
) -> tuple[Difference, list[str]]:
    if base.questions and adapter.questions:
        return _paired(base, adapter, seed, common, level)
    found: Unpaired | None = None
    test: Test = "none"
    if base.count is not None and adapter.count is not None:
        found = two_proportions(base.value, adapter.value, (base.count, adapter.count))
        test = "two proportions, z"
    elif base.stderr is not None and adapter.stderr is not None:
        found = standard_errors(base.value, adapter.value, base.stderr, adapter.stderr)
        test = "standard errors, z"
    row = Difference(
        task=base.task,
        score=base.score,
        questions=base.count if base.count == adapter.count else None,
        base=base.value,
        adapter=adapter.value,
        difference=adapter.value - base.value,
        low=found.low if found else None,
        high=found.high if found else None,
        test=test,
        only_base=None,
        only_adapter=None,
        p_value=found.p_value if found else None,
        adjusted_p=None,
        detectable=detectable_from_sd(found.sd, 1, 1 - level) if found and found.sd else None,
        outcome="untested",
    )
    said = (
        "the files hold no answers question by question, so the two rates are compared as if of different questions, "
        "which sees less"
        if found
        else "the files hold neither answers question by question, nor counts, nor standard errors"
    )
    return row, [f"{base.task}: {said}."]


def _paired(
    base: BenchmarkResult, adapter: BenchmarkResult, seed: str, common: bool, level: float
) -> tuple[Difference, list[str]]:
    sides = [one.questions.scores for one in (base, adapter) if one.questions]
    keys = [key for key in sides[0] if key in sides[1]]
    alone = len(sides[0]) + len(sides[1]) - 2 * len(keys)
    if alone and not (common and keys):
        raise ValueError(
            f"{base.task}: {alone} questions have an answer of one side only ({len(keys)} of both), so the samples "
            "differ or answers failed; run it again with the same seed, or compare what is common"
        )
    first, second = ([side[key] for key in keys] for side in sides)
    interval = paired_bootstrap(first, second, seed=seed)
    exact = None
    if {*first, *second} <= {0.0, 1.0}:
        exact = mcnemar([bool(one) for one in first], [bool(one) for one in second])
    row = Difference(
        task=base.task,
        score=base.score,
        questions=len(keys),
        base=fmean(first),
        adapter=fmean(second),
        difference=interval.mean,
        low=interval.low,
        high=interval.high,
        test="McNemar, exact" if exact else "paired permutation",
        only_base=exact.only_base if exact else None,
        only_adapter=exact.only_adapter if exact else None,
        p_value=exact.p_value if exact else permutation_p_value(first, second, seed=seed),
        adjusted_p=None,
        detectable=_detectable(first, second, level),
        outcome="untested",
    )
    return row, [f"{base.task}: {alone} questions have an answer of one side only and are left out."] if alone else []


def _detectable(base: Sequence[float], adapter: Sequence[float], level: float) -> float | None:
    """From the spread of the differences, but no less than the fewest lost questions that the exact test can call.

    n questions lost and none won have p = 2 / 2^n, so sides that agree on every question still don't show everything.
    None where there are fewer questions than that.
    """
    count, fewest = len(base), math.ceil(math.log2(2 / level))
    if count < fewest:
        return None
    sd = stdev([other - one for one, other in zip(base, adapter, strict=True)])
    return max(detectable_from_sd(sd, count, 1 - level), fewest / count)


def _judged(rows: list[Difference]) -> tuple[Difference, ...]:
    places = [place for place, row in enumerate(rows) if row.p_value is not None]
    adjusted = dict(zip(places, holm([float(str(rows[place].p_value)) for place in places]), strict=True))
    return tuple(
        row.model_copy(update={"adjusted_p": adjusted[place], "outcome": _outcome(row, adjusted[place])})
        if place in adjusted
        else row
        for place, row in enumerate(rows)
    )


def _outcome(row: Difference, adjusted: float) -> Outcome:
    if adjusted >= ALPHA or not row.difference:
        return "no significant change"
    return "dropped" if row.difference < 0 else "rose"


def _models(results: Mapping[str, BenchmarkResult], shared: Collection[str]) -> str:
    return ", ".join(dict.fromkeys(results[task].model for task in shared))


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)
