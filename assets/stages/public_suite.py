"""The public suite is AutomationBench itself, attempted by base and adapter through the benchmark's own harness."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assets.generation import FellShort, Generation
from assets.stages.benchmark import read_benchmark
from assets.stages.failing import Failing
from evaluation.automationbench import compare_files
from evaluation.comparison import Comparison
from evaluation.export_outcomes import export_exhibits, export_outcomes
from evaluation.failures import analyse
from evaluation.flags import exclusions, read_flags, read_monitored
from evaluation.harness import HarnessError, HarnessMissing, Side, attempt_suite
from evaluation.published import read_published
from evaluation.result_file import DOMAINS, SCORED_TASKS, read_result_files


@dataclass(frozen=True, slots=True)
class PublicSuite:
    """What came of the public suite."""

    comparison: Comparison | None
    """None where the engagement names no harness, or where it isn't installed."""
    note: str = ""
    """What a reader of the remaining report must know."""


def public_failing(folder: Path, attempts: int) -> Failing | None:
    """The failure analysis of the harness's merged exports; None where a side has no scored attempt."""
    base, adapter = (
        read_result_files([folder / side / f"attempt-{number}.json" for number in range(1, attempts + 1)])
        for side in ("base", "adapter")
    )
    sides = export_outcomes(base), export_outcomes(adapter)
    if not all(sides):
        return None
    analysis = analyse(*sides)
    return analysis, export_exhibits((*analysis.gains, *analysis.losses), base, adapter)


async def attempt_public_suite(
    generation: Generation, folder: Path, tell: Callable[[int, int, str], None]
) -> PublicSuite:
    """Base and adapter on the stored benchmark's tasks.

    `tell` gets tasks attempted, of how many, and the side. Raises ValueError when the stored benchmark has no scored
    task or the lists of monitored or flagged tasks are none, FellShort when the harness fails again and again.
    """
    settings, target = generation.engagement.evaluation, generation.engagement.target
    if settings.harness is None or target.kind != "chat":
        return PublicSuite(None)
    tasks = [task.name for task in read_benchmark(generation).tasks if task.domain in DOMAINS]
    if not tasks:
        raise ValueError(
            "the stored benchmark has no task of AutomationBench for evaluation.harness to run; import it with "
            "worldloom benchmark import, or remove evaluation.harness"
        )
    # Lists and published scores are read before anything is attempted: a mistake in them costs nothing then.
    monitored = read_monitored(settings.harness.monitored) if settings.harness.monitored else ()
    flags = read_flags(settings.harness.flags) if settings.harness.flags else {}
    exclusions(monitored, flags, tasks)
    read_published(settings.published)
    endpoint = target.endpoint
    key = os.environ.get(endpoint.api_key_variable or "", "none")
    exports: dict[str, list[Path]] = {}
    for name, model in (("base", endpoint.model), ("adapter", target.adapter_model)):

        def on_batch(done: int, total: int, name: str = name) -> None:
            tell(done, total, name)

        try:
            exports[name] = await attempt_suite(
                settings.harness, tasks, settings.attempts, Side(name, endpoint.base_url, model, key), folder, on_batch
            )
        except HarnessMissing as missing:
            return PublicSuite(None, f"AutomationBench was not attempted: {missing}.")
        except HarnessError as error:
            raise FellShort(str(error)) from None
    found = compare_files(
        read_result_files(exports["base"]),
        read_result_files(exports["adapter"]),
        seed=generation.seed,
        common=True,
        monitored=monitored,
        flags=flags,
    )
    if found.tasks < SCORED_TASKS:
        few = f"These are {found.tasks} of AutomationBench's {SCORED_TASKS} scored tasks; published rates are over all."
        found = found.model_copy(update={"notes": (few, *found.notes)})
    return PublicSuite(found)
