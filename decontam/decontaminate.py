"""Decontamination drops every task that overlaps a benchmark, an earlier generation or a task before it.

Tasks are judged in an order of their own (family, seed, index, id), so the order in which they are given changes no
ruling, and of two copies the one that its family drew later goes. Reading tasks and holding them against the benchmark
is shared out to processes; their number changes no ruling either, because the rest is done here in that order.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from decontam.benchmark import Benchmark
from decontam.former_side import FormerSide
from decontam.judge import Judge
from decontam.judges import Judges
from decontam.own_side import OwnSide
from decontam.public_side import refuse_empty
from decontam.settings import DecontaminationSettings
from decontam.verdicts import RULES, Decontamination, Overlap, Ruling, Side
from environment.task import Task

logger = logging.getLogger(__name__)

_WORTH_A_PROCESS = 500
"""Tasks to read for each further process: it costs a second or two to start and to index the benchmark."""
_MOST_PROCESSES = 8
"""Beyond them, what is done in order in this process takes longer than what is shared out."""


def decontaminate(
    tasks: Sequence[Task],
    benchmark: Benchmark,
    earlier: Sequence[Task],
    settings: DecontaminationSettings,
    processes: int | None = None,
) -> Decontamination:
    """Rulings on `tasks`; `earlier` are the tasks of former generations, never of this one.

    `processes` read the tasks; 1 means this one alone, None as many as there are processors and the tasks are worth.
    Raises ValueError when an id comes twice, a task has no text, or a side has no passages, no n-grams or no company
    names: a comparison with nothing finds nothing and would look like a clean set. Raises ProcessEndedError when a
    process was killed.
    """
    repeated = [task_id for task_id, count in Counter(task.id for task in tasks).items() if count > 1]
    if repeated:
        raise ValueError(f"task {repeated[0]} is given twice; pass each candidate once")
    ordered = sorted(tasks, key=lambda task: (task.family, task.seed, task.index, task.id))
    count = _affordable(len(tasks) + len(earlier)) if processes is None else processes
    totals, names = Counter[str](), set[str]()
    overlaps: dict[str, tuple[Overlap, ...]] = {}
    reported: dict[str, tuple[Overlap, ...]] = {}
    with _judging(benchmark, settings, count) as judge:
        former = FormerSide(earlier, judge.sketches(earlier), settings)
        own = OwnSide(ordered, settings)
        for number, (task, finding) in enumerate(zip(ordered, judge.findings(ordered), strict=True)):
            overlaps[task.id] = (
                finding.overlaps or former.overlaps(task, finding.whole) or own.overlaps_or_kept(number, finding.whole)
            )
            reported[task.id] = finding.reported
            names.update(finding.names)
            totals.update(passages=finding.passages, words=finding.words, ngrams=finding.ngrams)
    ours = Side(tasks=len(tasks), names=len(names), **{part: totals[part] for part in ("passages", "words", "ngrams")})
    refuse_empty("the candidate tasks", ours)
    clusters = own.clusters()
    result = Decontamination(
        rulings=tuple(
            Ruling(
                task_id=task.id,
                domain=task.domain,
                family=task.family,
                kept=not overlaps[task.id],
                cluster=clusters.get(task.id),
                overlaps=overlaps[task.id],
                reported=reported[task.id],
            )
            for task in tasks
        ),
        settings=settings,
        benchmark_source=benchmark.source,
        benchmark_hash=benchmark.content_hash,
        benchmark_is_stand_in=benchmark.is_stand_in,
        benchmark_counts=benchmark.counts(),
        ours=ours,
        theirs=judge.side,
        earlier_tasks=len(earlier),
        benchmark_sources=benchmark.sources,
        benchmark_sides=judge.sides,
    )
    counts = result.counts()
    dropped = ", ".join(f"{counts[rule]} {rule}" for rule in RULES)
    logger.info("kept %d of %d: %s", counts["kept"], counts["input"], dropped)
    return result


def _affordable(tasks: int) -> int:
    return max(1, min(os.cpu_count() or 1, _MOST_PROCESSES, tasks // _WORTH_A_PROCESS))


def _judging(
    benchmark: Benchmark, settings: DecontaminationSettings, count: int
) -> AbstractContextManager[Judge | Judges]:
    if count < 1:
        raise ValueError(f"{count} processes can read no task; give 1 or more")
    return nullcontext(Judge(benchmark, settings)) if count == 1 else Judges(benchmark, settings, count)
