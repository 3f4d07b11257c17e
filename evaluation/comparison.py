"""A comparison says how much more of a suite the adapter solves than the base, with the uncertainty of that number."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from environment.record import Record
from evaluation.bootstrap import Interval, paired_bootstrap, paired_differences
from evaluation.guards import SettingCheck, caveats, check_settings
from evaluation.mcnemar import McNemar, mcnemar
from evaluation.permutation import permutation_p_value
from evaluation.power import detectable_from_sd
from evaluation.scores import Pair, Scores, TaskScores, pair, without

METRIC = "pass@1"
"""Mean over tasks of the share of strict passes among a task's scored attempts."""
SAME = 1e-9
"""Pass rates of a task closer than this are equal; thirds don't subtract exactly."""


class Row(Record):
    """One rate on both sides over some tasks; all rates in [0, 1]."""

    name: str
    base: float
    adapter: float
    gain: float
    """`adapter` minus `base`."""
    low: float | None
    """Percentile interval of the gain; None for fewer than two tasks."""
    high: float | None
    tasks: int
    attempts: int
    """Scored attempts a side; where the sides differ, the base's."""


class PassK(Record):
    """pass@k and pass^k of both sides."""

    k: int
    base_at_k: float
    adapter_at_k: float
    base_hat_k: float
    adapter_hat_k: float


class Moved(Record):
    """Tasks whose pass rate moved by the same amount."""

    change: float
    """The adapter's pass rate minus the base's, in [-1, 1]."""
    tasks: int


class Comparison(Record):
    """Base and adapter on the same tasks; rates in [0, 1]."""

    metric: str
    base_policy: str
    adapter_policy: str
    base: float
    adapter: float
    gain: float
    low: float | None
    """Percentile interval of the gain from a paired bootstrap over tasks; None for fewer than two tasks."""
    high: float | None
    bca_low: float | None
    bca_high: float | None
    confidence: float
    resamples: int
    seed: int | str
    p_value: float
    """Paired permutation test, two-sided."""
    minimum_detectable_effect: float | None
    """True gain that a suite like this would show with chance 0.8; None when the tasks' differences don't vary."""
    tasks: int
    attempts: int
    """Scored attempts a side."""
    base_solved: int
    """Strict passes among them."""
    adapter_solved: int
    base_unscored: int
    """Attempts lost to infrastructure errors, in no rate."""
    adapter_unscored: int
    improved: int
    """Tasks with a higher pass rate than the base's."""
    worsened: int
    moved: tuple[Moved, ...] = ()
    """All tasks by the change of their pass rate, the largest loss first."""
    domains: tuple[Row, ...]
    families: tuple[Row, ...]
    subsets: tuple[Row, ...]
    """The whole suite without the monitor tasks, without flagged tasks, ..."""
    partial_credit: Row
    partial_credit_rows: tuple[Row, ...] = ()
    """The same by domain and without what `subsets` leave out."""
    by_cluster: Row | None = None
    """The whole suite with whole families drawn instead of tasks; None without families."""
    mcnemar: McNemar | None = None
    """Where every task has one scored attempt a side."""
    collateral: Row | None
    """Share of scored attempts with any collateral, so a negative gain is better; None where it was not counted."""
    incomplete: Row | None
    """Share of scored attempts that ended without an answer; None where that is not known."""
    pass_k: tuple[PassK, ...]
    """For k from 1 to the least number of scored attempts on a task."""
    settings: tuple[SettingCheck, ...] = ()
    """How the attempts of both sides were made, as far as they say."""
    notes: tuple[str, ...]
    """What must be read with the headline."""

    def summary(self) -> dict[str, str | float | int | None]:
        """The headline as plain data."""
        return {
            "metric": self.metric,
            "base": self.base,
            "adapter": self.adapter,
            "gain": self.gain,
            "low": self.low,
            "high": self.high,
            "tasks": self.tasks,
            "attempts": self.attempts,
        }


class TemperatureRow(Record):
    """The base sampled at one temperature, against the adapter at the evaluation temperature."""

    temperature: float
    """0 is greedy."""
    base: float
    base_attempts: int
    gain: float
    """The adapter's pass@1 minus this base's."""
    low: float | None
    high: float | None


class Sharpening(Record):
    """How much of the gain a better sampling temperature of the base would have given without training."""

    evaluation_temperature: float
    adapter: float
    tasks: int
    adapter_attempts: int
    rows: tuple[TemperatureRow, ...]
    """By temperature."""
    best_temperature: float
    """The base's best; of equal ones the evaluation temperature, then the lowest."""
    gain_over_best: float
    """The best is picked on these very attempts, which flatters the base and so holds this number down."""
    low: float | None
    high: float | None


def compare(
    base: Scores,
    adapter: Scores,
    *,
    seed: int | str,
    common: bool = False,
    allow: Collection[str] = (),
    exclude: Mapping[str, Collection[str]] | None = None,
    monitored: Collection[str] = (),
    resamples: int = 20_000,
    confidence: float = 0.95,
    notes: Sequence[str] = (),
) -> Comparison:
    """Comparison over the tasks that both sides have scored; what may be left out is said in evaluation.scores.pair.

    Settings in which the sides differ are refused unless `allow` names them (evaluation.guards). `exclude` maps a name
    such as `without monitored tasks` to task ids; each gives a row over the suite without them. Tasks of `monitored`
    inside the headline are noted.
    """
    checks = check_settings(base, adapter, allow)
    sides = pair(base, adapter, common=common)
    rates = [[task.pass_rate for task in side.tasks] for side in (sides.base, sides.adapter)]
    interval = paired_bootstrap(*rates, seed=seed, resamples=resamples, confidence=confidence)
    differences = paired_differences(*rates)
    spread = statistics.stdev(differences.tolist()) if len(differences) > 1 else 0.0

    def row(name: str, of: Pair, rate: Callable[[TaskScores], float] = _pass_rate, by: str = "") -> Row:
        return _row(name, of, rate, f"{seed}/{by}{name}", resamples, confidence)

    def credit(name: str, of: Pair) -> Row:
        return row(name, of, lambda task: task.partial_credit, by="partial credit/")

    def known(name: str, rate: Callable[[TaskScores], float | None]) -> Row | None:
        if any(rate(task) is None for side in (sides.base, sides.adapter) for task in side.tasks):
            return None
        return row(name, sides, lambda task: rate(task) or 0.0)

    domains = _split(sides, lambda task: task.domain)
    by_cluster = _by_cluster(sides, f"{seed}/by cluster", resamples, confidence)
    subsets = [(name, _less(sides, name, ids)) for name, ids in (exclude or {}).items()]
    return Comparison(
        metric=METRIC,
        base_policy=base.label,
        adapter_policy=adapter.label,
        base=sides.base.pass_rate(),
        adapter=sides.adapter.pass_rate(),
        gain=interval.mean,
        low=interval.low,
        high=interval.high,
        bca_low=interval.bca_low,
        bca_high=interval.bca_high,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        p_value=permutation_p_value(*rates, seed=seed, permutations=resamples),
        minimum_detectable_effect=detectable_from_sd(spread, len(differences), confidence) if spread > SAME else None,
        tasks=len(differences),
        attempts=sides.base.scored,
        base_solved=sides.base.solved,
        adapter_solved=sides.adapter.solved,
        base_unscored=base.unscored,
        adapter_unscored=adapter.unscored,
        improved=int((differences > SAME).sum()),
        worsened=int((differences < -SAME).sum()),
        moved=tuple(
            Moved(change=change, tasks=count)
            for change, count in sorted(Counter(round(one, 9) + 0.0 for one in differences.tolist()).items())
        ),
        domains=tuple(row(name, part) for name, part in domains),
        families=tuple(row(name, part) for name, part in _split(sides, lambda task: task.family) if name),
        subsets=tuple(row(name, part) for name, part in subsets),
        partial_credit=row("partial credit", sides, lambda task: task.partial_credit),
        partial_credit_rows=tuple(credit(name, part) for name, part in (*domains, *subsets)),
        by_cluster=by_cluster,
        mcnemar=_mcnemar(sides),
        collateral=known("collateral rate", lambda task: task.collateral_rate),
        incomplete=known("incomplete rate", lambda task: task.incomplete_rate),
        pass_k=_pass_k(sides),
        settings=checks,
        notes=(
            *sides.notes,
            *caveats(sides, checks, monitored),
            *notes,
            *_limits(base, adapter, len(differences), spread),
            *_disagreement(interval, by_cluster),
        ),
    )


def sharpening(
    adapter: Scores,
    base_at: Mapping[float, Scores],
    *,
    evaluation_temperature: float,
    seed: int | str,
    resamples: int = 20_000,
    confidence: float = 0.95,
) -> Sharpening:
    """The adapter at `evaluation_temperature` against the base at each temperature, on the same tasks.

    Numbers of attempts may differ between temperatures: greedy decoding needs one. Raises ValueError when the base was
    not sampled at the evaluation temperature, or when the tasks differ.
    """
    if evaluation_temperature not in base_at:
        raise ValueError(
            f"the base was sampled at {sorted(base_at)}, not at the evaluation temperature {evaluation_temperature}; "
            "sample it there too"
        )
    rows = []
    for temperature, base in sorted(base_at.items()):
        sides = pair(base, adapter, equal_attempts=False)
        row = _row(str(temperature), sides, _pass_rate, f"{seed}/temperature", resamples, confidence)
        rows.append(
            TemperatureRow(
                temperature=temperature,
                base=row.base,
                base_attempts=sides.base.scored,
                gain=row.gain,
                low=row.low,
                high=row.high,
            )
        )
    best = max(rows, key=lambda row: (row.base, row.temperature == evaluation_temperature, -row.temperature))
    return Sharpening(
        evaluation_temperature=evaluation_temperature,
        adapter=sides.adapter.pass_rate(),
        tasks=len(sides.adapter.tasks),
        adapter_attempts=sides.adapter.scored,
        rows=tuple(rows),
        best_temperature=best.temperature,
        gain_over_best=best.gain,
        low=best.low,
        high=best.high,
    )


def _pass_rate(task: TaskScores) -> float:
    return task.pass_rate


def _row(
    name: str, sides: Pair, rate: Callable[[TaskScores], float], seed: str, resamples: int, confidence: float
) -> Row:
    base, adapter = ([rate(task) for task in side.tasks] for side in (sides.base, sides.adapter))
    interval = paired_bootstrap(base, adapter, seed=seed, resamples=resamples, confidence=confidence)
    return _row_of(name, sides, statistics.fmean(base), statistics.fmean(adapter), interval)


def _row_of(name: str, sides: Pair, base: float, adapter: float, interval: Interval) -> Row:
    return Row(
        name=name,
        base=base,
        adapter=adapter,
        gain=interval.mean,
        low=interval.low,
        high=interval.high,
        tasks=len(sides.base.tasks),
        attempts=sides.base.scored,
    )


def _by_cluster(sides: Pair, seed: str, resamples: int, confidence: float) -> Row | None:
    """Tasks of one family succeed and fail together, so the tasks are fewer than they look where families are few."""
    families = [task.family for task in sides.base.tasks]
    if not all(families) or len(set(families)) < 2:
        return None
    base, adapter = ([task.pass_rate for task in side.tasks] for side in (sides.base, sides.adapter))
    interval = paired_bootstrap(base, adapter, seed=seed, resamples=resamples, confidence=confidence, clusters=families)
    name = f"whole families drawn ({len(set(families))})"
    return _row_of(name, sides, statistics.fmean(base), statistics.fmean(adapter), interval)


def _mcnemar(sides: Pair) -> McNemar | None:
    both = (sides.base, sides.adapter)
    if any(len(task.scored) != 1 for side in both for task in side.tasks):
        return None
    return mcnemar(*([task.scored[0].strict for task in side.tasks] for side in both))


def _split(sides: Pair, key: Callable[[TaskScores], str]) -> list[tuple[str, Pair]]:
    """The pair's parts by `key` of the task, in order of their names."""
    parts = []
    for name in sorted({key(task) for task in sides.base.tasks}):
        others = {task.task_id for task in sides.base.tasks if key(task) != name}
        parts.append((name, Pair(without(sides.base, others), without(sides.adapter, others), ())))
    return parts


def _less(sides: Pair, name: str, task_ids: Collection[str]) -> Pair:
    rest = Pair(without(sides.base, task_ids), without(sides.adapter, task_ids), ())
    if not rest.base.tasks:
        raise ValueError(f"{name!r} leaves none of the {len(sides.base.tasks)} compared tasks; exclude fewer")
    return rest


def _pass_k(sides: Pair) -> tuple[PassK, ...]:
    least = min(len(task.scored) for task in sides.base.tasks)
    return tuple(
        PassK(
            k=k,
            base_at_k=sides.base.pass_at_k(k),
            adapter_at_k=sides.adapter.pass_at_k(k),
            base_hat_k=sides.base.pass_hat_k(k),
            adapter_hat_k=sides.adapter.pass_hat_k(k),
        )
        for k in range(1, least + 1)
    )


def _disagreement(interval: Interval, by_cluster: Row | None) -> list[str]:
    """Drawing families is the stricter reading; where it finds nothing, a gain rests on a few families."""
    if by_cluster is None or by_cluster.low is None or by_cluster.high is None or interval.low is None:
        return []
    shown = interval.low > 0 or (interval.high or 0.0) < 0
    if shown and by_cluster.low <= 0 <= by_cluster.high:
        return ["Zero lies outside the interval over tasks and inside the one over whole families: few families move."]
    return []


def _limits(base: Scores, adapter: Scores, tasks: int, spread: float) -> list[str]:
    notes = []
    if tasks == 1:
        notes.append("One task says nothing about others: there is no interval.")
    elif spread <= SAME:
        notes.append(
            "The gain is the same on every task, so its interval has no width and says nothing about other tasks."
        )
    for side in (base, adapter):
        if side.unscored:
            notes.append(
                f"{side.label}: {side.unscored} attempts were lost to infrastructure errors and are in no rate."
            )
    return notes
