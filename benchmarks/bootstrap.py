"""Time of the paired bootstrap over 600 tasks with 20,000 resamples, beside scipy.stats.bootstrap on the same data.

    python -m benchmarks.bootstrap [--write]

Budget: 0.5 s for the whole suite and each of six domains. Both give the percentile interval; ours gives the BCa
interval from the same resamples too. `compare` is every rate that a report shows: partial credit, domains, families,
tests. The report is all of that and its page, with figures, failure analysis and the largest gains and losses; budget
10 s. `--write` puts the table into docs/evaluation.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # beside this file lies environment.py, which is not the package

import numpy as np
from scipy import stats

from benchmarks.doc_section import write_section
from environment.rng import derive_rng
from evaluation.bootstrap import paired_bootstrap
from evaluation.comparison import compare
from evaluation.exhibits import Exhibit, Line, Shown
from evaluation.failures import analyse
from evaluation.outcomes import Check, Outcome
from evaluation.permutation import permutation_p_value
from evaluation.report import render_report
from evaluation.report_inputs import ReportInputs
from evaluation.scores import Score, Scores, TaskScores

TASKS, ATTEMPTS, RESAMPLES, BUDGET_S, REPEATS = 600, 3, 20_000, 0.5, 5
REPORT_BUDGET_S = 10
DOMAINS = ("finance", "hr", "marketing", "operations", "sales", "support")
PAGE = Path(__file__).parents[1] / "docs" / "evaluation.md"


def main() -> int:
    base, adapter = _scores("base", 0.32), _scores("adapter", 0.45)
    rates = [[task.pass_rate for task in side.tasks] for side in (base, adapter)]
    differences = np.subtract(rates[1], rates[0])
    parts = [rates, *([side[place :: len(DOMAINS)] for side in rates] for place in range(len(DOMAINS)))]

    def ours() -> None:
        for part in parts:
            paired_bootstrap(*part, seed=1, resamples=RESAMPLES)

    def scipys() -> None:
        for part in (differences, *(differences[place :: len(DOMAINS)] for place in range(len(DOMAINS)))):
            stats.bootstrap((part,), np.mean, n_resamples=RESAMPLES, method="percentile", batch=1000, rng=1)

    def permutations() -> None:
        permutation_p_value(*rates, seed=1, permutations=RESAMPLES)

    times = {
        "paired bootstrap, overall and six domains": _best_s(ours),
        "scipy.stats.bootstrap, the same": _best_s(scipys),
        "permutation test, overall": _best_s(permutations),
        "compare: every rate of a report": _best_s(lambda: compare(base, adapter, seed=1, resamples=RESAMPLES)),
        f"report on {TASKS} tasks x {ATTEMPTS}": _best_s(lambda: render_report(_inputs(base, adapter))),
    }
    first = next(iter(times.values()))
    lines = ["| what | seconds | times ours |", "| --- | --- | --- |"]
    lines += [f"| {name} | {seconds:.3f} | {seconds / first:.2f} |" for name, seconds in times.items()]
    table = (
        f"{TASKS} tasks x {ATTEMPTS} attempts, {RESAMPLES:,} resamples, processor time, best of {REPEATS}; budget "
        f"{BUDGET_S} s for the first line, {REPORT_BUDGET_S} s for the last.\n\n" + "\n".join(lines)
    )
    print(table)
    if "--write" in sys.argv[1:]:
        write_section(PAGE, "bootstrap", table)
    last = [*times.values()][-1]
    return 0 if first <= BUDGET_S and last <= REPORT_BUDGET_S else 1


def _scores(label: str, rate: float) -> Scores:
    rng = derive_rng("benchmark", "bootstrap", label)
    tasks = []
    for number in range(TASKS):
        credits = [float(rng.random() < rate) for _ in range(ATTEMPTS)]
        domain = DOMAINS[number % len(DOMAINS)]
        scored = tuple(Score(credit == 1, credit, collateral=0, incomplete=False) for credit in credits)
        tasks.append(TaskScores(f"{domain}.{number}", domain, f"family{number % 12}", scored))
    return Scores(label, tuple(tasks), {})


def _inputs(base: Scores, adapter: Scores) -> ReportInputs:
    """Everything that `worldloom compare` shows, from the scores on."""
    found = compare(base, adapter, seed=1, resamples=RESAMPLES)
    analysis = analyse(_outcomes(base), _outcomes(adapter))
    lines = (Line(role="tool", text="x" * 1500, left_out=98_500),) * 60
    shown = Shown(number=0, strict=False, credit=0.0, end="", missed=("gmail_email_sent_to",), strays=(), lines=lines)
    moves = (*analysis.gains, *analysis.losses)
    return ReportInputs(
        title="a benchmark",
        policy_label="Two made-up policies",
        suite=f"{TASKS} tasks",
        sampling={},
        comparison=found,
        sharpening=None,
        failures=analysis,
        exhibits=tuple(Exhibit(move=move, prompt="Do it.", base=shown, adapter=shown) for move in moves),
        funnel=(),
        pass_rates=None,
        updates=(),
        monitor=(),
        stopping=None,
        decontamination=None,
        provenance={},
    )


def _outcomes(side: Scores) -> list[Outcome]:
    return [
        Outcome(
            task_id=task.task_id,
            domain=task.domain,
            family=task.family,
            number=number,
            strict=score.strict,
            credit=score.partial_credit,
            end="answered",
            checks=tuple(Check(app, f"{app} update", score.strict) for app in ("gmail", "slack", "xero")),
            strays=(),
            traps={"near_duplicate": False},
            knobs={"distractors": float(place % 7)},
        )
        for place, task in enumerate(side.tasks)
        for number, score in enumerate(task.scored)
    ]


def _best_s(work: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    sys.exit(main())
