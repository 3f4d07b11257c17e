"""Time of the paired bootstrap over 600 tasks with 20,000 resamples, beside scipy.stats.bootstrap on the same data.

Budget: 0.5 s. Both give the percentile interval; ours gives the BCa interval from the same resamples too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # beside this file lies environment.py, which is not the package

import numpy as np
from scipy import stats

from environment.rng import derive_rng
from evaluation.bootstrap import paired_bootstrap
from evaluation.permutation import permutation_p_value

TASKS, ATTEMPTS, RESAMPLES, BUDGET_S, REPEATS = 600, 3, 20_000, 0.5, 5


def main() -> int:
    rng = derive_rng("benchmark", "bootstrap")
    base, adapter = (
        [sum(rng.random() < rate for _ in range(ATTEMPTS)) / ATTEMPTS for _ in range(TASKS)] for rate in (0.32, 0.45)
    )
    differences = np.subtract(adapter, base)
    ours = _best_s(lambda: paired_bootstrap(base, adapter, seed=1, resamples=RESAMPLES))
    theirs = _best_s(
        lambda: stats.bootstrap((differences,), np.mean, n_resamples=RESAMPLES, method="percentile", batch=1000, rng=1)
    )
    permutations = _best_s(lambda: permutation_p_value(base, adapter, seed=1, permutations=RESAMPLES))
    interval = paired_bootstrap(base, adapter, seed=1, resamples=RESAMPLES)
    print(f"{TASKS} tasks, {RESAMPLES} resamples, best of {REPEATS}")
    print(f"paired bootstrap        {ours:.3f} s (budget {BUDGET_S} s)  gain {interval.mean:+.4f}")
    print(f"  interval              {interval.low:+.4f} to {interval.high:+.4f}")
    print(f"scipy.stats.bootstrap   {theirs:.3f} s ({theirs / ours:.1f} times ours)")
    print(f"permutation test        {permutations:.3f} s")
    return 0 if ours <= BUDGET_S else 1


def _best_s(work: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    sys.exit(main())
